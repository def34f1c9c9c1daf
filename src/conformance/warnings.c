/* SPDX-License-Identifier: Apache-2.0 */
/* warnings.c - a person is warned once: not for each datum, and not again when a run is taken up or looked at. */
#include <string.h>
#include "src/conformance/private.h"

#define TRIES 4
#define MOST_ROUNDS 100000

static void
warnings_hear (void *arg, EveComponent *c, const char *sentence)
{
  g_ptr_array_add (arg, g_strdup (sentence));
}

static int
warnings_by_text (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
sort (GPtrArray *heard)
{
  if (heard->len)
    qsort (heard->pdata, heard->len, sizeof (char *), warnings_by_text);
}

/* The first that one has and the other has not; NULL: both have the same. */
static const char *
warnings_missing (const GPtrArray *one, const GPtrArray *other)
{
  for (guint i = 0, k = 0; i < one->len; i++) {
    while (k < other->len && strcmp (other->pdata[k], one->pdata[i]) < 0)
      k++;
    if (k == other->len || strcmp (other->pdata[k++], one->pdata[i]))
      return one->pdata[i];
  }
  return NULL;
}

/* `choice`: of the setting that is a choice; NULL: as it is made. */
static Harness *
warnings_listen (Check *k, const EveField *setting, const char *choice, GPtrArray *heard)
{
  Harness *h = check_rig (k, k->klass, &check_all);

  if (h && choice && !eve_set (harness_component (h), setting->name, choice, NULL))
    g_clear_pointer (&h, harness_free);
  if (h)
    eve_program_set_warn (harness_program (h), warnings_hear, heard);
  return h;
}

/* `cut` rounds, with rests on the way; saved, and taken up by another. */
static bool
in_pieces (Check *k, const EveField *setting, const char *choice, GRand *rand, int cut, GPtrArray *heard)
{
  Harness *first = warnings_listen (k, setting, choice, heard), *then = NULL;
  EveBlob *state = eve_blob_new ();
  EveProgram *p = first ? harness_program (first) : NULL;
  bool ok = false;
  size_t n;

  if (first && g_rand_boolean (rand)) /* what is told at rest nobody hears: it must not count as told */
    eve_rest (p, g_rand_int (rand));
  for (int i = 0; first && i < cut; i++) {
    eve_run (p, 0);
    if (g_rand_int_range (rand, 0, 10) == 0)
      eve_rest (p, g_rand_int (rand));
  }
  if (first && !eve_program_failure (p, NULL)) {
    eve_pause (p); /* files are on the disk */
    eve_program_save_run (p, state);
    g_clear_pointer (&first, harness_free);
    const uint8_t *bytes = eve_blob_data (state, &n);
    ok = (then = warnings_listen (k, setting, choice, heard))
         && eve_program_load_run (harness_program (then), bytes, n, NULL, NULL);
    if (ok && g_rand_boolean (rand))
      eve_rest (harness_program (then), g_rand_int (rand));
    ok = ok && check_at_rest (k, then, harness_run (then), false);
  }
  harness_free (first);
  harness_free (then);
  eve_blob_free (state);
  return ok;
}

static void
warnings_try (Check *k, const EveField *setting, const char *choice, GRand *rand)
{
  g_autoptr (GPtrArray) once = g_ptr_array_new_with_free_func (g_free);
  Harness *h = warnings_listen (k, setting, choice, once);
  EveRun run = EVE_BUDGET;
  int rounds = 0;

  for (; h && run == EVE_BUDGET && rounds < MOST_ROUNDS; rounds++)
    run = eve_run (harness_program (h), 0);
  bool ok = run == EVE_IDLE || run == EVE_STALLED;
  harness_free (h);
  sort (once);
  for (guint i = 1; i < once->len; i++)
    if (!strcmp (once->pdata[i], once->pdata[i - 1])) {
      check_problem (k, "It warns twice of the same: \"%s\". Keep a `bool warned` in the run state.",
                     (char *) once->pdata[i]);
      break;
    }
  for (int i = 0; ok && i < TRIES; i++) {
    g_autoptr (GPtrArray) pieces = g_ptr_array_new_with_free_func (g_free);
    if (!(ok = in_pieces (k, setting, choice, rand, g_rand_int_range (rand, 0, rounds + 1), pieces)))
      break;
    sort (pieces);
    const char *more = warnings_missing (pieces, once), *less = warnings_missing (once, pieces);
    if (more)
      check_problem (k, "With rests, or from a checkpoint, it warns of what it had told, or what is not so: \"%s\".",
                     more);
    else if (less)
      check_problem (k, "With rests, or from a checkpoint, it does not warn: \"%s\".", less);
    ok = !more && !less;
  }
  if (k->report && once->len)
    fprintf (k->report, "%s: warned %u times\n", k->klass->id, once->len);
}

void
check_warnings (Check *k)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (conformance.seed + 31);

  check_begin (k, "warnings");
  warnings_try (k, NULL, NULL, rand);
  for (uint32_t i = 0; i < k->klass->n_settings; i++)
    for (const char *const *choice = k->klass->settings[i].choices; choice && *choice; choice++)
      warnings_try (k, &k->klass->settings[i], *choice, rand);
}
