/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - the checks that run a component on random data. */
#include <glib/gstdio.h>
#include <string.h>
#include "src/conformance/private.h"

#define BOUND 900 /* data a sink takes of a component that gives without end */
#define CHECKPOINTS 4
#define ENDURED 12000 /* data an input: beyond the 10,000th firing */
#define DAMAGES 300   /* damaged run states tried */

/* ---- a component with random data ---- */
const Rig check_all = { .feed = UINT32_MAX, .data = DATA, .uneven = true, .most = -1, .collect = true, .end = true };

static bool
can_sample (const EveType *t)
{
  return t->retain == NULL || t->sample;
}

static void
feed (Check *k, Harness *h, uint32_t i, const Rig *rig, uint32_t round)
{
  const EveInSpec *in = &k->klass->ins[i];
  const EveType *type = in->type ? in->type : k->any;
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = NULL;
  uint32_t n = rig->data;
  void *slot;

  if (!(rig->feed >> i & 1) || type == NULL || !can_sample (type) || !harness_source (h, in->name, type, &error))
    return;
  rand = g_rand_new_with_seed (conformance.seed + 1000 * i + 100000 * round);
  if (rig->uneven)
    n -= (uint32_t) g_rand_int_range (rand, 0, (gint32) n / 4 + 1);
  if (type == conformance.type) {
    for (uint32_t k_ = 0; k_ < n; k_++)
      harness_feed (h, in->name, type, conformance.data + type->size * (k_ % conformance.n_data), 1);
    return;
  }
  slot = g_malloc0 (type->size);
  for (uint32_t k_ = 0; k_ < n; k_++) {
    memset (slot, 0, type->size);
    if (type->sample)
      type->sample (slot, g_rand_int (rand) % 4096);
    harness_feed (h, in->name, type, slot, 1);
    if (type->release)
      type->release (slot);
  }
  g_free (slot);
}

static void
set_paths (Check *k, Harness *h)
{
  for (uint32_t i = 0; i < k->klass->n_settings; i++) {
    const EveField *f = &k->klass->settings[i];
    g_autofree char *now = NULL, *file = NULL;

    if (f->kind != EVE_F_STRING)
      continue;
    if (g_str_equal (f->name, "trace")) {
      if (conformance.trace)
        eve_set (harness_component (h), f->name, conformance.trace, NULL);
      continue;
    }
    now = eve_get (harness_component (h), f->name);
    if (!f->path || (now && *now))
      continue;
    file = g_strdup_printf ("%s.out", f->name);
    eve_set (harness_component (h), f->name, file, NULL);
  }
}

/* Ready to run; NULL after a problem. */
Harness *
check_rig (Check *k, const EveClass *klass, const Rig *rig)
{
  g_autoptr (GError) error = NULL;
  Harness *h = harness_try (klass, &error);

  if (h == NULL) {
    check_problem (k, "It cannot be added to a program: %s", error->message);
    return NULL;
  }
  eve_program_set_output_folder (harness_program (h), k->folder);
  set_paths (k, h);
  if (!rig->phased)
    for (uint32_t i = 0; i < klass->n_ins; i++)
      feed (k, h, i, rig, 0);
  else /* all wires first: a sync input without one would not be waited for */
    for (uint32_t i = 0; i < klass->n_ins; i++)
      feed (k, h, i, &(Rig){ .feed = rig->feed }, 0);
  for (uint32_t i = 0; rig->collect && i < klass->n_outs; i++)
    if (rig->present)
      harness_collect_present (h, klass->outs[i].name);
    else if (klass->produce || rig->most >= 0)
      harness_collect_at_most (h, klass->outs[i].name, rig->most >= 0 ? rig->most : BOUND);
    else
      harness_collect (h, klass->outs[i].name);
  if (rig->end && !rig->phased)
    harness_end (h, NULL);
  return h;
}

/* Runs until there is nothing to do, and says when that is not so. */
bool
check_at_rest (Check *k, Harness *h, EveRun run, bool may_fail)
{
  const char *failure;

  switch (run) {
  case EVE_IDLE:
  case EVE_STALLED:
    return true;
  case EVE_BUDGET:
    check_problem (k, "It did not come to rest within %g s.", harness_patience);
    return false;
  case EVE_RUN_FAILED:
    failure = eve_program_failure (harness_program (h), NULL);
    if (!check_sentence (failure, eve_name (harness_component (h))))
      check_problem (k, "It failed and did not say so in a sentence: \"%s\".", failure ? failure : "");
    else if (!may_fail)
      check_problem (k, "It failed: %s.", failure);
    return may_fail;
  }
  return false;
}

static bool
runs_rest (Check *k, Harness *h)
{
  return check_at_rest (k, h, harness_run (h), false);
}

/* To rest; a phased rig is fed on the way. */
static bool
run_rig (Check *k, Harness *h, const Rig *rig)
{
  if (!rig->phased)
    return runs_rest (k, h);
  for (uint32_t i = 0; i < k->klass->n_ins; i++)
    if (k->klass->ins[i].arrival == EVE_ASYNC) {
      feed (k, h, i, rig, 1);
      if (!runs_rest (k, h))
        return false;
    }
  for (uint32_t i = 0; i < k->klass->n_ins; i++)
    if (k->klass->ins[i].arrival == EVE_SYNC)
      feed (k, h, i, rig, 1);
  if (!runs_rest (k, h))
    return false;
  harness_end (h, NULL);
  return runs_rest (k, h);
}

static uint64_t
component_hash (Harness *h)
{
  EveBlob *b = eve_blob_new ();
  uint64_t hash;

  eve_component_save_run (harness_component (h), b);
  hash = eve_blob_hash (b);
  eve_blob_free (b);
  return hash;
}

void
check_same (Check *k, Harness *a, Harness *b, const char *how, bool whole)
{
  g_autofree char *difference = harness_difference (a, b);

  if (difference)
    check_problem (k, "%s, it gives another result: %s", how, difference);
  else if (component_hash (a) != component_hash (b))
    check_problem (k, "%s, it ends in another run state.", how);
  else if (whole && eve_program_run_hash (harness_program (a)) != eve_program_run_hash (harness_program (b)))
    check_problem (k, "%s, the program ends in another run state.", how);
}

/* ---- equal results ---- */
static void
check_slices (Check *k, Harness *full)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed);
  Harness *h;

  check_begin (k, "slices");
  if ((h = check_rig (k, k->klass, &check_all)) && check_at_rest (k, h, harness_run_random (h, rand), false))
    check_same (k, full, h, "In slices of random length", true);
  harness_free (h);
  check_begin (k, "round by round");
  if ((h = check_rig (k, k->klass, &check_all)) && check_at_rest (k, h, harness_run_in (h, 0), false))
    check_same (k, full, h, "Round by round", true);
  harness_free (h);
}

static void
runs_told (void *k, const char *sentence)
{
  check_problem (k, "%s", sentence);
}

/* The class without its fire_span, its calls watched. */
static void
check_firings (Check *k)
{
  Rig rig = check_all;
  HarnessWatch *w;
  Harness *plain, *seen;

  check_begin (k, "firings one by one");
  rig.phased = k->mixed;
  if (rig.phased)
    rig.data = 100;
  w = harness_watch (k->klass, runs_told, k);
  plain = check_rig (k, k->klass, &rig);
  seen = check_rig (k, harness_watch_class (w), &rig);
  if (plain && seen && run_rig (k, plain, &rig) && run_rig (k, seen, &rig))
    check_same (k, plain, seen, k->klass->fire_span ? "Without fire_span" : "Under watch", false);
  harness_free (plain);
  harness_free (seen);
  harness_watch_free (w);
}

bool
check_load (Check *k, Harness *h, const uint8_t *bytes, size_t n)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (!eve_program_load_run (harness_program (h), bytes, n, problems, &error))
    check_problem (k, "Its own run state is refused: %s", error->message);
  else if (problems->len)
    check_problem (k, "Its own run state is loaded with a complaint: %s", (char *) problems->pdata[0]);
  else
    return true;
  return false;
}

static void
check_checkpoints (Check *k, Harness *full)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed + 7);

  check_begin (k, "checkpoints");
  for (int i = 0; i < CHECKPOINTS; i++) {
    Harness *first = check_rig (k, k->klass, &check_all), *fresh = check_rig (k, k->klass, &check_all);
    EveBlob *blob = eve_blob_new ();
    size_t n;
    const uint8_t *bytes;
    uint64_t hash;

    if (first && fresh) {
      for (int rounds = i ? g_rand_int_range (rand, 1, 12) : 0; rounds > 0; rounds--)
        eve_run (harness_program (first), 0);
      hash = eve_program_run_hash (harness_program (first));
      eve_program_save_run (harness_program (first), blob);
      bytes = eve_blob_data (blob, &n);
      if (check_load (k, fresh, bytes, n)) {
        if (eve_program_run_hash (harness_program (fresh)) != hash)
          check_problem (k, "What was loaded is not what was saved.");
        if (runs_rest (k, fresh))
          check_same (k, full, fresh, "From a checkpoint, in a new program", true);
      }
      if (runs_rest (k, first))
        check_same (k, full, first, "After its run state was saved", true);
      if (check_load (k, first, bytes, n) && runs_rest (k, first))
        check_same (k, full, first, "Back at a checkpoint", true);
    }
    eve_blob_free (blob);
    harness_free (first);
    harness_free (fresh);
  }
}

static void
check_reset (Check *k, Harness *full)
{
  Harness *h;

  check_begin (k, "reset");
  if ((h = check_rig (k, k->klass, &check_all))) {
    uint64_t fresh = eve_program_run_hash (harness_program (h));

    if (runs_rest (k, h)) {
      eve_reset (harness_program (h));
      if (eve_program_run_hash (harness_program (h)) != fresh)
        check_problem (k, "After reset the run state is not that of a new component.");
      if (runs_rest (k, h))
        check_same (k, full, h, "After reset", true);
    }
  }
  harness_free (h);
}

/* Results must not depend on how slow a consumer is, except where async data overtake sync ones: then it is
 * only seen that nothing hangs. */
static void
check_slow_consumers (Check *k)
{
  Rig rig = check_all;
  Harness *quick, *slow;

  check_begin (k, "consumers that wait");
  if (k->klass->n_outs == 0)
    return;
  quick = check_rig (k, k->klass, &rig);
  rig.most = 0;
  slow = check_rig (k, k->klass, &rig);
  if (quick && slow && runs_rest (k, quick) && runs_rest (k, slow)) {
    for (uint32_t i = 0; i < k->klass->n_outs; i++)
      harness_limit (slow, k->klass->outs[i].name, k->klass->produce ? BOUND : -1);
    if (runs_rest (k, slow) && !k->mixed)
      check_same (k, quick, slow, "When its consumers wait at first", false);
  }
  harness_free (quick);
  harness_free (slow);
}

static void
check_allocations (Check *k)
{
  Rig rig = check_all;
  Harness *h;
  uint64_t before, n = 0;

  if (conformance.allocations == NULL || k->klass->produce || k->klass->n_ins == 0)
    return;
  for (uint32_t i = 0; i < k->klass->n_outs; i++) {
    const EveType *type = k->klass->outs[i].type ? k->klass->outs[i].type : k->any;

    if (type && type->retain)
      return; /* a new large thing is a new allocation */
  }
  check_begin (k, "allocations");
  rig.end = false;
  if ((h = check_rig (k, k->klass, &rig)) && runs_rest (k, h)) {
    for (uint32_t round = 1; round < 3; round++) {
      for (uint32_t i = 0; i < k->klass->n_ins; i++)
        feed (k, h, i, &rig, round);
      before = conformance.allocations ();
      if (!runs_rest (k, h))
        break;
      n = conformance.allocations () - before;
    }
    if (n > DATA / 16) /* arrays may still double */
      check_problem (
          k, "It made %" G_GUINT64_FORMAT " allocations for about %u data when it was warm; hot code makes none.", n,
          DATA);
  }
  harness_free (h);
}

static void
check_some_inputs (Check *k)
{
  check_begin (k, "some inputs, no outputs");
  for (uint32_t i = 0; i <= k->klass->n_ins; i++)
    for (int only = 0; only < 2; only++) {
      uint32_t bit = i < k->klass->n_ins ? 1u << i : 0;
      Rig rig = check_all;
      Harness *h;

      rig.feed = only ? bit : ~bit;
      rig.collect = only || k->klass->produce;
      if ((h = check_rig (k, k->klass, &rig)))
        check_at_rest (k, h, harness_run (h), true);
      harness_free (h);
    }
}

static void
check_extremes (Check *k)
{
  check_begin (k, "settings changed while running");
  for (uint32_t i = 0; i < k->klass->n_settings; i++) {
    const EveField *f = &k->klass->settings[i];
    g_autoptr (GPtrArray) good = check_values (f, true);
    Harness *h;

    if (f->path || g_str_equal (f->name, "trace") || (h = check_rig (k, k->klass, &check_all)) == NULL)
      continue;
    for (uint32_t j = 0; j < good->len; j++) {
      eve_run (harness_program (h), 0);
      eve_set (harness_component (h), f->name, good->pdata[j], NULL);
      eve_program_clear_failure (harness_program (h));
    }
    check_at_rest (k, h, harness_run (h), true);
    harness_free (h);
  }
}

/* What it writes stays below the output folder, whatever name it is given; and goes nowhere where there is no folder.
 */
static void
check_outputs (Check *k)
{
  check_begin (k, "writes below the output folder alone");
  for (uint32_t i = 0; i < k->klass->n_settings; i++) {
    const EveField *f = &k->klass->settings[i];
    g_autofree char *away = NULL, *leads = NULL, *up = NULL, *link = NULL, *beside = NULL;

    if (f->kind != EVE_F_STRING || !f->path || !f->output)
      continue;
    away = g_strdup_printf ("%s-away", k->folder); /* a folder beside it, which must stay empty */
    g_mkdir (away, 0700);
    leads = g_build_filename (away, "absolute", NULL);
    beside = g_path_get_basename (away);
    up = g_strdup_printf ("../%s/up", beside);
    link = g_build_filename (k->folder, "link", NULL);
    symlink (away, link);
    const char *const names[] = { leads, up, "link/x", ".hidden", "nowhere" };
    for (uint32_t j = 0; j < G_N_ELEMENTS (names); j++) {
      Harness *h = check_rig (k, k->klass, &check_all);
      if (h == NULL)
        continue;
      if (g_str_equal (names[j], "nowhere"))
        eve_program_set_output_folder (harness_program (h), NULL);
      eve_set (harness_component (h), f->name, names[j], NULL);
      eve_program_clear_failure (harness_program (h));
      harness_run (h);
      eve_pause (harness_program (h));
      harness_free (h);
    }
    g_unlink (link);
    GDir *dir = g_dir_open (away, 0, NULL);
    const char *made = dir ? g_dir_read_name (dir) : NULL;
    if (made)
      check_problem (k, "The setting \"%s\" writes outside the output folder (%s): use eve_open_output().", f->name,
                     made);
    g_clear_pointer (&dir, g_dir_close);
    check_remove (away);
    static const char *const never[] = { ".hidden", "nowhere" };
    for (uint32_t j = 0; j < G_N_ELEMENTS (never); j++) {
      g_autofree char *path = g_build_filename (k->folder, never[j], NULL);
      if (g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (never[j], G_FILE_TEST_EXISTS))
        check_problem (k, "The setting \"%s\" writes \"%s\", which it must not: use eve_open_output().", f->name,
                       never[j]);
    }
  }
}

static void
runs_damage (GRand *rand, GByteArray *bytes)
{
  uint32_t n = bytes->len;

  switch (g_rand_int_range (rand, 0, 4)) {
  case 0:
    g_byte_array_set_size (bytes, n ? (guint) g_rand_int_range (rand, 0, (gint32) n) : 0);
    break;
  case 1:
    for (int flips = g_rand_int_range (rand, 1, 5); n && flips > 0; flips--)
      bytes->data[g_rand_int_range (rand, 0, (gint32) n)] ^= (guint8) (1 << g_rand_int_range (rand, 0, 8));
    break;
  case 2:
    for (uint32_t i = 0; i < n; i++)
      bytes->data[i] = (guint8) g_rand_int (rand);
    break;
  default: { /* one value becomes a huge one */
    const guint8 huge[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
    uint32_t at = n ? (uint32_t) g_rand_int_range (rand, 0, (gint32) n) : 0;

    for (uint32_t i = 0; i < sizeof huge && at + i < n; i++)
      bytes->data[at + i] = huge[i];
  }
  }
}

/* Damaged bytes are refused or survived, and leave nothing behind that a reset does not clear. */
static void
check_damaged_state (Check *k, Harness *full)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed + 13);
  Harness *h = check_rig (k, k->klass, &check_all);
  EveBlob *one = eve_blob_new (), *whole = eve_blob_new ();

  check_begin (k, "damaged run state");
  if (h) {
    eve_run (harness_program (h), 0);
    eve_run (harness_program (h), 0);
    eve_component_save_run (harness_component (h), one);
    eve_program_save_run (harness_program (h), whole);
    for (int i = 0; i < DAMAGES; i++) {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      size_t n;
      const uint8_t *good = eve_blob_data (i % 2 ? whole : one, &n);

      g_byte_array_append (bytes, good, (guint) n);
      runs_damage (rand, bytes);
      if (i % 2) {
        if (!eve_program_load_run (harness_program (h), bytes->data, bytes->len, NULL, &error)
            && !check_sentence (error->message, eve_name (harness_component (h))))
          check_problem (k, "A damaged run state is refused, but not in a sentence: \"%s\".", error->message);
      } else {
        EveBlobView *view = eve_blob_view_new (bytes->data, bytes->len);

        eve_component_load_run (harness_component (h), view);
        eve_blob_view_free (view);
      }
      for (int rounds = 0; rounds < 3; rounds++)
        eve_run (harness_program (h), 0);
      eve_program_clear_failure (harness_program (h));
    }
    eve_reset (harness_program (h));
    if (runs_rest (k, h))
      check_same (k, full, h, "Reset after damaged run states", true);
  }
  eve_blob_free (one);
  eve_blob_free (whole);
  harness_free (h);
}

/* What goes wrong after a while only: counters, tables that grow, buffers of a fixed size. */
static void
check_endurance (Check *k)
{
  Rig rig = check_all;
  Harness *h;

  check_begin (k, "ten thousand firings");
  rig.data = ENDURED;
  rig.uneven = false;
  if (k->klass->produce)
    rig.most = ENDURED;
  if ((h = check_rig (k, k->klass, &rig)))
    runs_rest (k, h);
  harness_free (h);
}

void
check_runs (Check *k)
{
  Harness *full;
  EveRun run;

  check_begin (k, "full speed");
  full = check_rig (k, k->klass, &check_all);
  if (full == NULL)
    return;
  run = harness_run (full);
  if (run == EVE_RUN_FAILED && k->has_path && check_at_rest (k, full, run, true)) {
    if (k->report)
      fprintf (k->report, "%s: not run, it needs a file: %s\n", k->klass->id,
               eve_program_failure (harness_program (full), NULL));
    harness_free (full);
    return;
  }
  if (check_at_rest (k, full, run, false)) {
    check_endurance (k);
    check_slices (k, full);
    check_firings (k);
    check_view (k, full);
    check_rests (k, full);
    check_warnings (k);
    check_checkpoints (k, full);
    check_reset (k, full);
    check_slow_consumers (k);
    check_allocations (k);
    check_some_inputs (k);
    check_extremes (k);
    check_outputs (k);
    check_damaged_state (k, full);
    check_hostile_state (k);
  }
  harness_free (full);
}
