/* SPDX-License-Identifier: Apache-2.0 */
/* Run states: restored by name, into programs that changed, from bytes that were damaged. */
#include <inttypes.h>
#include "eve/private.h"
#include "tests/unit/boxes.h"

static EveProgram *
make (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *twice = box (p, &box_twice, "Twice"),
               *hold = box (p, &box_hold, "Hold");
  EveComponent *gate = box (p, &box_gate, "Gate"), *to = box (p, &box_sink, "To"), *sum = box (p, &box_ender, "Sum");
  EveComponent *things = box (p, &box_things, "Things"), *pass = box (p, &box_thing_pass, "Pass");
  EveComponent *thing_to = box (p, &box_thing_sink, "Thing to"), *words = box (p, &box_text, "Words");
  EveComponent *any = box (p, &box_any_sink, "Any");

  set_int (from, "count", 2000);
  set_int (things, "count", 500);
  set_int (words, "count", 300);
  wire (from, "out", twice, "in");
  wire (twice, "out", hold, "value");
  wire (from, "out", hold, "gain");
  wire (hold, "out", gate, "in");
  wire (from, "out", gate, "in");
  wire (gate, "out", to, "in");
  wire (gate, "out", sum, "in");
  wire (sum, "out", to, "in");
  wire (things, "out", pass, "in");
  wire (things, "out", thing_to, "in");
  wire (pass, "out", thing_to, "in");
  wire (words, "out", any, "in");
  return p;
}

static EveBlob *
saved (EveProgram *p)
{
  EveBlob *b = eve_blob_new ();

  eve_program_save_run (p, b);
  return b;
}

static bool
load (EveProgram *p, EveBlob *b, GPtrArray *problems)
{
  size_t n;
  const uint8_t *bytes = eve_blob_data (b, &n);

  return eve_program_load_run (p, bytes, n, problems, NULL);
}

static void
rounds (EveProgram *p, int n)
{
  while (n-- > 0)
    eve_run (p, 0);
}

/* Every place is as good as another, also on the way back. */
static void
test_everywhere (void)
{
  EveProgram *full = make (), *p = make ();
  uint64_t hash;

  run_idle (full);
  hash = eve_program_run_hash (full);
  for (int i = 0; i < 400; i += 1 + i / 7) {
    EveProgram *q = make ();
    EveBlob *b;
    uint64_t at;

    rounds (q, i * 23);
    b = saved (q);
    at = eve_program_run_hash (q);
    g_assert_true (load (p, b, NULL)); /* p is wherever the last one ended */
    g_assert_cmpuint (eve_program_run_hash (p), ==, at);
    g_assert_cmpuint (eve_blob_hash (b), ==, at); /* the hash is of what is saved */
    run_idle (p);
    g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
    eve_blob_free (b);
    eve_program_free (q);
  }
  eve_program_free (full);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
}

/* By name: a program that changed gets what fits; both kinds of leftovers are told. */
static void
test_changed_program (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = make (), *q = make ();
  EveBlob *b;
  uint64_t count;
  g_autoptr (GString) all = g_string_new (NULL);

  rounds (p, 500);
  b = saved (p);
  count = box_count (eve_find (p, "To"));
  g_assert_cmpuint (count, >, 0);
  eve_remove (q, eve_find (q, "Sum"));
  eve_remove (q, eve_find (q, "Twice"));
  box (q, &box_sink, "New");
  eve_remove (q, eve_find (q, "Words"));
  box (q, &box_source, "Words"); /* the same name, another class */
  g_assert_true (load (q, b, problems));
  g_assert_cmpuint (box_count (eve_find (q, "To")), ==, count);
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (all, "%s\n", (char *) problems->pdata[i]);
  assert_contains (all->str, "Sum");
  assert_contains (all->str, "Twice");
  assert_contains (all->str, "New");
  assert_contains (all->str, "Words");
  eve_run (q, -1);
  eve_blob_free (b);
  eve_program_free (p);
  eve_program_free (q);
  g_assert_cmpint (box_things_alive, ==, 0);
}

/* The only box of each: what is new is told, and what is gone. */
static void
test_strangers (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = eve_program_new (), *q = eve_program_new ();

  box (p, &box_sink, "Old");
  box (q, &box_sink, "New");
  EveBlob *b = saved (p);
  g_assert_true (load (q, b, problems));
  g_assert_cmpuint (problems->len, ==, 2);
  g_assert_cmpstr (problems->pdata[0], ==, "Old is not in the program any more: its state is left aside");
  g_assert_cmpstr (problems->pdata[1], ==, "New was not there then: it begins anew");
  eve_blob_free (b);
  eve_program_free (p);
  eve_program_free (q);
}

/* What is no run state: false, a sentence, and the program as new. */
static void
test_not_a_run_state (void)
{
  static const char *const texts[] = { "", "x",
                                       "s\x0e"
                                       "eve-run-stat",
                                       "<eve/>", "eve-run-state" };
  EveProgram *p = make (), *fresh = make ();
  uint64_t hash = eve_program_run_hash (fresh);

  for (uint32_t i = 0; i < EVE_N (texts); i++) {
    g_autoptr (GError) error = NULL;

    rounds (p, 100);
    g_assert_false (eve_program_load_run (p, texts[i], strlen (texts[i]), NULL, &error));
    g_assert_error (error, EVE_ERROR, EVE_ERROR_BLOB);
    g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  }
  eve_program_free (p);
  eve_program_free (fresh);
}

/* Cut and flipped bytes: refused or taken in part, never a crash, a leak or a program that cannot go on. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  EveProgram *p = make ();
  EveBlob *b;
  size_t n;
  const uint8_t *bytes;
  uint64_t hash;

  run_idle (p);
  hash = eve_program_run_hash (p);
  eve_reset (p);
  rounds (p, 777);
  b = saved (p);
  bytes = eve_blob_data (b, &n);
  for (int i = 0; i < 3000; i++) {
    size_t m = i < (int) n ? (size_t) i : (size_t) g_rand_int_range (rand, 1, (gint32) n + 1);
    g_autofree uint8_t *copy = g_memdup2 (bytes, MAX (m, 1));

    if (i >= 1500 || i >= (int) n)
      for (int k = g_rand_int_range (rand, 1, 8); k > 0; k--)
        copy[g_rand_int_range (rand, 0, (gint32) m)] = g_rand_boolean (rand) ? (uint8_t) g_rand_int (rand) : 0xff;
    if (eve_program_load_run (p, copy, m, NULL, NULL))
      rounds (p, 40);
    eve_program_clear_failure (p);
  }
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  eve_blob_free (b);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
  g_assert_cmpint (box_thing_refs, ==, 0);
}

/* One component's state alone. */
static void
test_component (void)
{
  EveProgram *p = make ();
  EveComponent *to = eve_find (p, "To"), *other = box (p, &box_sink, "Other");
  EveBlob *b = eve_blob_new ();
  EveBlobView *v;
  size_t n;
  const uint8_t *bytes;

  run_idle (p);
  eve_component_save_run (to, b);
  bytes = eve_blob_data (b, &n);
  v = eve_blob_view_new (bytes, n);
  g_assert_true (eve_component_load_run (other, v));
  eve_blob_view_free (v);
  g_assert_cmpuint (box_count (other), ==, box_count (to));
  g_assert_cmpuint (box_hash (other), ==, box_hash (to));
  v = eve_blob_view_new (bytes, n / 2);
  g_assert_false (eve_component_load_run (other, v));
  eve_blob_view_free (v);
  g_assert_cmpuint (box_count (other), ==, 0); /* reset, not half of it */
  eve_blob_free (b);
  eve_program_free (p);
}

/* Saving while it runs changes nothing. */
static void
test_saving_is_harmless (void)
{
  EveProgram *p = make (), *q = make ();

  run_idle (p);
  for (int i = 0; i < 2000; i++) {
    rounds (q, 3);
    eve_program_run_hash (q);
  }
  run_idle (q);
  g_assert_cmpuint (eve_program_run_hash (p), ==, eve_program_run_hash (q));
  eve_program_free (p);
  eve_program_free (q);
}

/* ---- field by field ---- */
typedef struct Fields {
  EveBase base;
  double real, low, nothing;
  int64_t whole, bounded;
  bool truth;
  char *text, *other;
  int32_t choice;
} Fields;

static const char *const colours[] = { "red", "green", "blue", NULL };
static const EveField field_state[] = {
  { "real", EVE_F_DOUBLE, offsetof (Fields, real), .def = 0.5 },
  { "low", EVE_F_DOUBLE, offsetof (Fields, low) },
  { "nothing", EVE_F_DOUBLE, offsetof (Fields, nothing) },
  { "whole", EVE_F_INT64, offsetof (Fields, whole), .def = -3 },
  { "bounded", EVE_F_INT64, offsetof (Fields, bounded), .min = -5, .max = 5, .def = 2 },
  { "truth", EVE_F_BOOL, offsetof (Fields, truth), .def = 1 },
  { "text", EVE_F_STRING, offsetof (Fields, text), .def_text = "as made" },
  { "other", EVE_F_STRING, offsetof (Fields, other) },
  { "choice", EVE_F_CHOICE, offsetof (Fields, choice), .def = 1, .choices = colours },
};
static const EveClass fields_class = { EVE_CLASS_HEAD,
                                       .id = "test.fields",
                                       .label = "Fields",
                                       .category = "Tests",
                                       .doc = "Run state of all kinds.",
                                       .version = 1,
                                       .state = field_state,
                                       .n_state = EVE_N (field_state),
                                       .instance_size = sizeof (Fields) };

static uint64_t
bits (double v)
{
  uint64_t b;

  memcpy (&b, &v, sizeof b);
  return b;
}

static double
of_bits (uint64_t b)
{
  double v;

  memcpy (&v, &b, sizeof v);
  return v;
}

static void
set_text (char **to, const char *text)
{
  g_free (*to);
  *to = g_strdup (text);
}

static void
fill (EveComponent *c, uint32_t turn)
{
  static const uint64_t reals[] = { 0,
                                    1ull << 63,         /* -0.0 */
                                    0x7ff8000000000123, /* no number, with something in it */
                                    0xfff8000000000001,
                                    0x7ff0000000000000, /* infinite */
                                    0xfff0000000000000,
                                    1, /* the smallest there is */
                                    0x7fefffffffffffff,
                                    0x3ff0000000000001 };
  static const int64_t wholes[] = { INT64_MIN, INT64_MAX, 0, -1, (1ll << 53) + 1, -(1ll << 53) - 1, INT64_MIN + 1, 64 };
  static const char *const texts[] = { "", "a", "two\nlines\tand \x1b", "é\xe2\x82\xac\xff", "%s%n", "as made" };
  g_autofree char *large = g_strnfill (100000, 'x');
  Fields *f = (Fields *) c;

  f->real = of_bits (reals[turn % EVE_N (reals)]);
  f->low = of_bits (reals[(turn + 1) % EVE_N (reals)]);
  f->nothing = of_bits (reals[(turn / 2) % EVE_N (reals)]);
  f->whole = wholes[turn % EVE_N (wholes)];
  f->bounded = (int64_t) (turn % 11) - 5;
  f->truth = turn & 1;
  set_text (&f->text, turn % 7 == 6 ? large : texts[turn % EVE_N (texts)]);
  set_text (&f->other, texts[(turn / 3) % EVE_N (texts)]);
  f->choice = (int32_t) (turn % 3);
}

static void
same_fields (EveComponent *a, EveComponent *b)
{
  const Fields *f = (const Fields *) a, *g = (const Fields *) b;

  g_assert_cmphex (bits (f->real), ==, bits (g->real));
  g_assert_cmphex (bits (f->low), ==, bits (g->low));
  g_assert_cmphex (bits (f->nothing), ==, bits (g->nothing));
  g_assert_cmpint (f->whole, ==, g->whole);
  g_assert_cmpint (f->bounded, ==, g->bounded);
  g_assert_cmpint (f->truth, ==, g->truth);
  g_assert_cmpstr (f->text, ==, g->text);
  g_assert_cmpstr (f->other, ==, g->other);
  g_assert_cmpint (f->choice, ==, g->choice);
}

/* Every kind of field comes back bit for bit, whatever was there before; alone and with its program. */
static void
test_fields (void)
{
  EveProgram *p = eve_program_new (), *q = eve_program_new ();
  EveComponent *a = box (p, &fields_class, "A"), *b = box (p, &fields_class, "B"), *a2, *b2;

  b2 = box (q, &fields_class, "B"); /* by name, not by place */
  a2 = box (q, &fields_class, "A");
  for (uint32_t i = 0; i < 200; i++) {
    EveBlob *one = eve_blob_new (), *whole;
    size_t n;

    fill (a, i);
    fill (b, i * 7 + 3);
    fill (a2, i * 5 + 1);
    eve_component_save_run (a, one);
    const uint8_t *bytes = eve_blob_data (one, &n);
    EveBlobView *v = eve_blob_view_new (bytes, n);
    g_assert_true (eve_component_load_run (a2, v));
    eve_blob_view_free (v);
    same_fields (a, a2);
    fill (a2, i + 2);
    whole = saved (p);
    g_assert_true (load (q, whole, NULL));
    same_fields (a, a2);
    same_fields (b, b2);
    eve_blob_free (one);
    eve_blob_free (whole);
  }
  eve_program_free (p);
  eve_program_free (q);
}

/* ---- data that wait, of every type ---- */
#define VALUES 12
static const EveType *const types[] = { &eve_type_double, &eve_type_int64, &eve_type_bool, &eve_type_text };
static char *seen[EVE_N (types)][VALUES]; /* what each sink took, as text */

static void
emit_value (EveComponent *c, void *arg)
{
  int i = GPOINTER_TO_INT (arg);
  Fields f = { 0 };

  fill ((EveComponent *) &f, (uint32_t) i);
  char *text = g_ref_string_new (f.text);
  g_assert_true (eve_emit (eve_base (c)->out[0], &f.real));
  g_assert_true (eve_emit (eve_base (c)->out[1], &f.whole));
  g_assert_true (eve_emit (eve_base (c)->out[2], &f.truth));
  g_assert_true (eve_emit_steal (eve_base (c)->out[3], &text));
  g_free (f.text);
  g_free (f.other);
}

static bool is_open;

static EveComponent *
when_open (EveComponent *c)
{
  return is_open ? c : NULL;
}

static void
note_value (EveComponent *c)
{
  int which = eve_name (c)[0] - '0';
  const void *datum = eve_take (eve_base (c)->in[0]);
  uint64_t real;
  uint32_t at = 0;

  while (seen[which][at])
    at++;
  g_assert_cmpuint (at, <, VALUES);
  memcpy (&real, datum, which < 2 ? 8 : 1);
  seen[which][at] = which == 3   ? g_strdup (*(char *const *) datum)
                    : which == 2 ? g_strdup (*(const bool *) datum ? "true" : "false")
                                 : g_strdup_printf ("%" PRIx64, real);
}

static void
test_data (void)
{
  EveOutSpec outs[EVE_N (types)];
  EveInSpec ins[EVE_N (types)];
  EveClass from = fields_class, to[EVE_N (types)];
  EveProgram *p[2];
  EveBlob *b = NULL;

  is_open = false;
  from.outs = outs;
  from.n_outs = EVE_N (types);
  for (int k = 0; k < 2; k++) {
    p[k] = eve_program_new ();
    EveComponent *c = NULL;
    for (uint32_t i = 0; i < EVE_N (types); i++) {
      static const char *const names[] = { "0", "1", "2", "3" };
      outs[i] = (EveOutSpec){ names[i], types[i], .doc = "Value." };
      ins[i] = (EveInSpec){ "in", types[i], EVE_SYNC, .doc = "Value." };
      to[i] = box_any_sink;
      to[i].ins = &ins[i];
      to[i].can_fire = when_open;
      to[i].fire = note_value;
    }
    c = box (p[k], &from, "From");
    for (uint32_t i = 0; i < EVE_N (types); i++)
      wire (c, outs[i].name, box (p[k], &to[i], outs[i].name), "in");
    for (int i = 0; i < VALUES && k == 0; i++)
      eve_post (c, emit_value, GINT_TO_POINTER (i), NULL);
    run_idle (p[k]);
  }
  b = saved (p[0]);
  g_assert_true (load (p[1], b, NULL));
  is_open = true;
  box (p[1], &box_add, NULL); /* after an edit everybody is asked again */
  run_idle (p[1]);
  for (uint32_t i = 0; i < VALUES; i++) {
    Fields f = { 0 };
    fill ((EveComponent *) &f, i);
    g_autofree char *real = g_strdup_printf ("%" PRIx64, bits (f.real)),
                    *whole = g_strdup_printf ("%" PRIx64, (uint64_t) f.whole);
    const char *const expected[] = { real, whole, f.truth ? "true" : "false", f.text };
    for (uint32_t k = 0; k < EVE_N (types); k++) {
      g_assert_cmpstr (seen[k][i], ==, expected[k]);
      g_clear_pointer (&seen[k][i], g_free);
    }
    g_free (f.text);
    g_free (f.other);
  }
  eve_blob_free (b);
  eve_program_free (p[0]);
  eve_program_free (p[1]);
}

typedef struct Damage {
  const char *name; /* of the field that is written another way */
  char tag;         /* what is written there */
  int64_t value;
} Damage;

/* The state of a Fields box, with one field of another kind or out of its bounds, or under another name. */
static EveBlob *
damaged (const Damage *d)
{
  EveBlob *b = eve_blob_new ();

  eve_put_int (b, 2); /* it has ended, and handed out what it held */
  eve_put_int (b, 1);
  for (uint32_t i = 0; i < EVE_N (field_state); i++) {
    const EveField *f = &field_state[i];
    bool here = !strcmp (f->name, d->name);

    eve_put_text (b, here && d->tag == 'n' ? "another name" : f->name);
    if (here && d->tag == 'i')
      eve_put_int (b, d->value);
    else if (here && d->tag == 's')
      eve_put_text (b, "text");
    else if (f->kind == EVE_F_DOUBLE)
      eve_put_double (b, 9);
    else if (f->kind == EVE_F_STRING)
      eve_put_text (b, "loaded");
    else
      eve_put_int (b, 0);
  }
  return b;
}

static void
as_made (EveComponent *a, EveComponent *made)
{
  EveBlob *of_a = eve_blob_new (), *of_made = eve_blob_new ();

  same_fields (a, made);
  eve_component_save_run (a, of_a);
  eve_component_save_run (made, of_made);
  g_assert_cmpuint (eve_blob_hash (of_a), ==, eve_blob_hash (of_made));
  eve_blob_free (of_a);
  eve_blob_free (of_made);
}

static void
test_damaged_fields (void)
{
  static const struct {
    Damage damage;
    bool ok;
  } cases[] = {
    { { "", 0, 0 }, true },
    { { "real", 's', 0 }, false },
    { { "whole", 's', 0 }, false },
    { { "text", 'i', 0 }, false },
    { { "truth", 's', 0 }, false },
    { { "choice", 's', 0 }, false },
    { { "nothing", 'n', 0 }, false },
    { { "other", 'n', 0 }, false },
    { { "choice", 'n', 0 }, false },
    { { "choice", 'i', 2 }, true },
    { { "choice", 'i', 3 }, false },
    { { "choice", 'i', -1 }, false },
    { { "choice", 'i', 1ll << 32 }, false },
    { { "bounded", 'i', 5 }, true },
    { { "bounded", 'i', -5 }, true },
    { { "bounded", 'i', 6 }, false },
    { { "bounded", 'i', -6 }, false },
    { { "bounded", 'i', INT64_MIN }, false },
    { { "whole", 'i', INT64_MIN }, true },
    { { "truth", 'i', 256 }, true },
  };
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &fields_class, "A"), *made = box (p, &fields_class, "As made");

  for (uint32_t i = 0; i < EVE_N (cases); i++) {
    EveBlob *b = damaged (&cases[i].damage);
    size_t n;
    const uint8_t *bytes = eve_blob_data (b, &n);
    EveBlobView *v = eve_blob_view_new (bytes, n);
    const Fields *f = (const Fields *) a;

    fill (a, i);
    bool ok = eve_component_load_run (a, v);
    if (ok != cases[i].ok)
      g_error ("%s, %" PRId64 ": %s", cases[i].damage.name, cases[i].damage.value, ok ? "taken" : "refused");
    if (!ok)
      as_made (a, made); /* not half of it */
    else if (cases[i].damage.tag == 'i' && !strcmp (cases[i].damage.name, "whole"))
      g_assert_cmpint (f->whole, ==, cases[i].damage.value);
    else if (!strcmp (cases[i].damage.name, "truth"))
      g_assert_cmpint (f->truth, ==, 1);
    else
      g_assert_cmpstr (f->text, ==, "loaded");
    eve_blob_view_free (v);
    eve_blob_free (b);
  }
  eve_program_free (p);
}

/* ---- what no program saves, though it is well formed ---- */
typedef struct Forged {
  int64_t head, capacity, waiting; /* of A.out */
  int64_t n_data;                  /* that are really there: 100, 101, ... */
  int64_t lag, passed;             /* of its wire to To.in */
  int64_t n_wires;                 /* in the table of arrivals: A.out, B.out, then wires that are not there */
  int64_t runs[12];                /* which wire from 1, how many; 0: the end */
  uint32_t n_more;                 /* runs of wire 1, each of 4 */
  int64_t left;                    /* of the burst of To */
  int64_t no_number;               /* which of the data is none, from 1 */
} Forged;

/* Four of A wait at To, and one of B, which came between them. */
static const Forged honest = {
  .head = 20, .waiting = 4, .n_data = 4, .lag = 4, .passed = 20, .n_wires = 2, .runs = { 1, 1, 2, 1, 1, 3 }
};

static void
forge_out (EveBlob *b, const char *to, int64_t first, const Forged *f)
{
  EveBlob *o = eve_blob_new ();
  size_t n;

  eve_put_text (o, "out");
  eve_put_text (o, eve_type_int64.name);
  eve_put_int (o, f->head);
  eve_put_int (o, f->capacity);
  eve_put_int (o, f->waiting);
  for (int64_t i = 0; i < f->n_data; i++)
    if (i == f->no_number - 1)
      eve_put_text (o, "text");
    else
      eve_put_int (o, first + i);
  eve_put_int (o, 1);
  eve_put_text (o, to);
  eve_put_text (o, "in");
  eve_put_int (o, f->lag);
  eve_put_int (o, f->passed);
  const uint8_t *bytes = eve_blob_data (o, &n);
  eve_put_bytes (b, bytes, n);
  eve_blob_free (o);
}

static void
forge_box (EveBlob *b, EveComponent *c)
{
  EveBlob *part = eve_blob_new ();
  size_t n;

  eve_put_text (b, eve_name (c));
  eve_put_text (b, eve_class_id (c));
  eve_put_int (b, 1);
  eve_put_int (b, 0);
  eve_component_save_run (c, part);
  const uint8_t *bytes = eve_blob_data (part, &n);
  eve_put_bytes (b, bytes, n);
  eve_blob_free (part);
}

static EveBlob *
forge (EveProgram *p, const Forged *f)
{
  static const Forged of_b = { .head = 1, .waiting = 1, .n_data = 1, .lag = 1, .passed = 1 };
  EveBlob *b = eve_blob_new (), *a = eve_blob_new ();
  size_t n;

  eve_put_text (b, "eve-run-state");
  eve_put_int (b, 2);
  eve_put_int (b, 0); /* as of a program that was changed since */
  eve_put_int (b, 3);
  forge_box (b, eve_find (p, "A"));
  forge_out (b, "To", 100, f);
  eve_put_bytes (b, NULL, 0);
  forge_box (b, eve_find (p, "B"));
  forge_out (b, "To", 200, &of_b);
  eve_put_bytes (b, NULL, 0);
  forge_box (b, eve_find (p, "To"));
  eve_put_bytes (b, NULL, 0);
  eve_put_text (b, "To");
  eve_put_text (a, "in");
  eve_put_int (a, f->n_wires);
  for (int64_t i = 0; i < MIN (f->n_wires, 4); i++) {
    eve_put_text (a, i == 0 ? "A" : i == 1 ? "B" : i == 2 ? "A" : "Nobody");
    eve_put_text (a, "out");
  }
  for (uint32_t i = 0; i + 1 < EVE_N (f->runs) && f->runs[i]; i += 2) {
    eve_put_int (a, f->runs[i]);
    eve_put_int (a, f->runs[i + 1]);
  }
  for (uint32_t i = 0; i < 2 * f->n_more; i++)
    eve_put_int (a, i % 2 ? 4 : 1);
  eve_put_int (a, 0);
  const uint8_t *bytes = eve_blob_data (a, &n);
  eve_put_bytes (b, bytes, n);
  eve_put_text (b, "");
  eve_put_text (b, "To");
  eve_put_int (b, f->left);
  eve_put_text (b, "A");
  eve_blob_free (a);
  return b;
}

static EveProgram *
make_forged (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_source, "A"), *b = box (p, &box_source, "B"), *to = box (p, &box_sink, "To");

  set_int (a, "count", 0); /* all that comes is what waits */
  set_int (b, "count", 0);
  wire (a, "out", to, "in");
  wire (b, "out", to, "in");
  return p;
}

/* `comes`: what To gets, in its order, a letter each: a, b, c, d of A, x of B; NULL: the state is refused as a whole.
 */
static void
forged (const Forged *f, const char *comes, bool told, uint32_t room)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) came = g_string_new (NULL);
  EveProgram *p = make_forged ();
  EveComponent *to = eve_find (p, "To");
  EveBlob *b = forge (p, f);

  g_assert_cmpint (load (p, b, problems), ==, comes != NULL);
  if (comes && problems->len != told)
    g_error ("%s: %u problems: %s", comes, problems->len, problems->len ? (char *) problems->pdata[0] : "");
  if (told)
    g_assert_cmpstr (problems->pdata[0], ==, "A.out: the data that waited there cannot be restored");
  g_assert_cmpuint (eve_room (eve_base (eve_find (p, "A"))->out[0]), ==, room);
  g_assert_cmpuint (eve_base (to)->in[0]->a_capacity, <=, 256);
  run_idle (p);
  for (guint i = 0; i < box_log (to)->len; i++) {
    int64_t v = box_logged (to, i);
    g_string_append_c (came, v >= 200 ? 'x' : (char) ('a' + v - 100));
  }
  g_assert_cmpstr (came->str, ==, comes ? comes : "");
  eve_blob_free (b);
  eve_program_free (p);
}

static void
test_forged_rings (void)
{
  const int64_t large = 16 << 20; /* what a ring may have at most, in bytes */
  Forged f = honest;

  forged (&f, "axbcd", false, 252);
#define CASE(comes_, told_, room_, ...)                                                                                \
  f = honest;                                                                                                          \
  __VA_ARGS__;                                                                                                         \
  forged (&f, comes_, told_, room_)
  /* how much there is room for */
  CASE ("axbcd", false, (1 << 21) - 4, f.capacity = 1 << 21);
  CASE ("axbcd", false, (1 << 22) - 4, f.capacity = 1 << 22);
  CASE ("x", true, 256, f.capacity = (1 << 22) + 1);
  CASE ("x", true, 256, f.capacity = large);
  CASE ("x", true, 256, f.capacity = large + 1);
  CASE ("x", true, 256, f.capacity = -1);
  CASE ("x", true, 256, f.capacity = INT64_MAX);
  CASE ("x", true, 256, f.capacity = INT64_MIN);
  CASE ("x", true, 256, f.capacity = 1ll << 61); /* times 8 bytes: nothing, in 64 bits */
  CASE ("axbcd", false, 252, f.capacity = 255);
  CASE ("axbcd", false, 508, f.capacity = 257);
  /* how much waits */
  CASE ("x", true, 256, f.waiting = -1);
  CASE ("x", true, 256, f.waiting = 5);
  CASE ("x", true, 256, f.waiting = 3);
  CASE ("x", true, 256, f.waiting = 21; f.n_data = 21);
  CASE ("x", true, 256, f.waiting = INT64_MAX; f.head = INT64_MAX);
  CASE ("x", true, 256, f.waiting = large + 1; f.head = INT64_MAX);
  CASE ("x", true, 256, f.waiting = large; f.head = INT64_MAX);
  CASE ("x", true, 256, f.waiting = 1ll << 61; f.head = INT64_MAX);
  CASE ("x", true, 256, f.head = -1);
  CASE ("x", true, 256, f.head = INT64_MIN);
  CASE ("x", true, 256, f.no_number = 1);
  CASE ("x", true, 256, f.no_number = 4);
  CASE ("axbcd", false, 252, f.head = 4; f.passed = 4);
  CASE ("axbcd", false, 252, f.head = INT64_MAX);
  /* the wire */
  CASE ("cdx", false, 254, f.lag = 2); /* then the order of arrival does not fit */
  CASE ("x", true, 256, f.lag = 5);
  CASE ("x", true, 256, f.lag = -1);
  CASE ("x", true, 256, f.lag = INT64_MAX);
  CASE ("x", true, 256, f.lag = INT64_MIN);
  CASE ("axbcd", false, 252, f.passed = 4);
  CASE ("x", true, 256, f.passed = 3);
  CASE ("x", true, 256, f.passed = 21);
  CASE ("x", true, 256, f.passed = -1);
  /* the place of the sweep */
  CASE ("axbcd", false, 252, f.left = 64);
  CASE (NULL, false, 256, f.left = 65);
  CASE (NULL, false, 256, f.left = -1);
  CASE (NULL, false, 256, f.left = INT64_MAX);
}

/* The order of arrival at an input with two wires: where it cannot be, one wire's data come after the other's. */
static void
test_forged_arrivals (void)
{
  static const struct {
    const char *comes;
    int64_t n_wires, runs[12];
  } cases[] = {
    { "xabcd", 2, { 2, 1, 1, 4 } },
    { "abxcd", 2, { 1, 2, 2, 1, 1, 2 } },
    { "abcxd", 3, { 1, 1, 3, 2, 2, 1, 1, 1 } }, /* a wire told twice: the same */
    { "abcdx", 2, { 0 } },
    { "abcdx", 0, { 0 } },
    { "abcdx", 2, { 1, 1, 2, 1 } },
    { "abcdx", 2, { 1, 1, 2, 1, 1, 2 } },
    { "abcdx", 2, { 1, 1, 2, 1, 1, 4 } },
    { "abcdx", 2, { 2, 1, 2, 1, 1, 3 } },
    { "abcdx", 2, { 1, 5 } },
    { "abcdx", 2, { 2, 1, 1, INT64_MAX } },
    { "abcdx", 2, { 2, 1, 1, INT64_MIN } },
    { "abcdx", 2, { 2, 1, 1, -1 } },
    { "abcdx", 2, { 2, 1, 3, 1 } },
    { "abcdx", 2, { 2, 1, 3, 1, 1, 4 } },
    { "abcdx", 2, { 2, 1, -1, 4 } },
    { "abcdx", 2, { 2, 1, INT64_MAX, 4 } },
    { "abcdx", 3, { 2, 1, 1, 4, 3, 4 } },
    { "xabcd", 4, { 2, 1, 4, INT64_MAX, 1, 4 } }, /* of a wire that is gone: passed over */
    { "abcdx", -1, { 2, 1, 1, 4 } },
    { "abcdx", (1 << 20) + 1, { 2, 1, 1, 4 } },
    { "abcdx", 1ll << 40, { 2, 1, 1, 4 } },
    { "abcdx", INT64_MAX, { 2, 1, 1, 4 } },
    { "abcdx", INT64_MIN, { 2, 1, 1, 4 } },
  };

  for (uint32_t i = 0; i < EVE_N (cases); i++) {
    Forged f = honest;

    f.n_wires = cases[i].n_wires;
    memcpy (f.runs, cases[i].runs, sizeof f.runs);
    forged (&f, cases[i].comes, false, 252);
  }
  Forged f = honest;
  f.n_more = 100000; /* each no more than what waits: their sum makes no large table */
  forged (&f, "abcdx", false, 252);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-state/everywhere", test_everywhere);
  g_test_add_func ("/run-state/changed-program", test_changed_program);
  g_test_add_func ("/run-state/strangers", test_strangers);
  g_test_add_func ("/run-state/not-a-run-state", test_not_a_run_state);
  g_test_add_func ("/run-state/damaged", test_damaged);
  g_test_add_func ("/run-state/component", test_component);
  g_test_add_func ("/run-state/saving-is-harmless", test_saving_is_harmless);
  g_test_add_func ("/run-state/fields", test_fields);
  g_test_add_func ("/run-state/data", test_data);
  g_test_add_func ("/run-state/damaged-fields", test_damaged_fields);
  g_test_add_func ("/run-state/forged-rings", test_forged_rings);
  g_test_add_func ("/run-state/forged-arrivals", test_forged_arrivals);
  return g_test_run ();
}
