/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include <glib/gstdio.h>
#include "readers/box-inspector.h"
#include "src/conformance/private.h"

#define LIVES 100

Conformance conformance = { .seed = 1 };

void
conformance_set_trace (const char *bundle)
{
  g_free (conformance.trace);
  conformance.trace = g_strdup (bundle);
}

void
conformance_set_data (const EveType *type, const void *data, size_t n)
{
  conformance.type = n ? type : NULL;
  conformance.data = data;
  conformance.n_data = n;
}

void
conformance_set_seed (uint32_t s)
{
  conformance.seed = s;
}

void
conformance_set_allocations (uint64_t (*count) (void))
{
  conformance.allocations = count;
}

void
conformance_set_told (void (*begins) (const char *))
{
  conformance.begins = begins;
}

void
check_begin (Check *k, const char *name)
{
  if (k->name)
    check_descriptors (k);
  k->name = name;
  if (conformance.begins)
    conformance.begins (name);
  if (k->report) {
    fprintf (k->report, "%s: %s%s%s (seed %u)\n", k->klass->id, name, k->any ? ", " : "", k->any ? k->any->name : "",
             conformance.seed);
    fflush (k->report);
  }
}

void
check_problem (Check *k, const char *fmt, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, fmt);
  text = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_ptr_array_add (k->problems, g_strdup_printf ("%s, %s, seed %u: %s", k->klass->id ? k->klass->id : "?", k->name,
                                                 conformance.seed, text));
}

/* ---- sentences ---- */
/* A refusal is read by a person: a capital letter or the name of the thing first, more than three words,
 * nothing that escaped from a program. */
bool
check_sentence (const char *s, const char *may_begin)
{
  uint32_t words = 0;

  if (s == NULL || !g_utf8_validate (s, -1, NULL) || strstr (s, "(null)"))
    return false;
  if (!g_unichar_isupper (g_utf8_get_char (s)) && !g_ascii_ispunct (*s) && !g_ascii_isdigit (*s)
      && !(may_begin && g_str_has_prefix (s, may_begin)))
    return false;
  for (const char *c = s; *c; c++) {
    if ((uint8_t) *c < ' ')
      return false;
    words += *c != ' ' && (c[1] == ' ' || c[1] == '\0');
  }
  return words > 3 && s[strlen (s) - 1] != ' ';
}

static void
check_doc (Check *k, const char *what, const char *name, const char *doc)
{
  size_t n = doc ? strlen (doc) : 0;

  if (n == 0)
    check_problem (k, "The %s \"%s\" has no doc.", what, name);
  else if (strchr (".?!", doc[n - 1]) == NULL || g_unichar_islower (g_utf8_get_char (doc)))
    check_problem (k, "The doc of %s \"%s\" is no sentence with a capital letter and a full stop: \"%s\".", what, name,
                   doc);
}

static void
conformance_check_name (Check *k, const char *what, const char *name)
{
  if (name == NULL || *name == '\0' || g_ascii_isspace (*name) || g_ascii_isspace (name[strlen (name) - 1])
      || strpbrk (name, "=<>&\"\n\t"))
    check_problem (k, "\"%s\" is not a good name for %s.", name ? name : "", what);
}

static void
check_unit (Check *k, const char *what, const char *name, const char *unit)
{
  if (unit && *unit && (g_ascii_isspace (*unit) || g_ascii_isspace (unit[strlen (unit) - 1])))
    check_problem (k, "The unit of %s \"%s\" begins or ends with a blank.", what, name);
}

static bool
check_tables (Check *k)
{
  const EveClass *c = k->klass;
  g_autoptr (GError) error = NULL;

  check_begin (k, "tables");
  if (!eve_class_check (c, &error)) {
    check_problem (k, "%s", error->message);
    return false;
  }
  if (!g_regex_match_simple ("^[a-z][a-z0-9]*(\\.[a-z0-9][a-z0-9-]*)+$", c->id, 0, 0))
    check_problem (k, "The id is not of the form \"scope.name-of-it\".");
  conformance_check_name (k, "a label", c->label);
  conformance_check_name (k, "a category", c->category);
  check_doc (k, "class", c->label ? c->label : "", c->doc);
  if (c->version < 1)
    check_problem (k, "Versions begin at 1.");
  for (uint32_t i = 0; i < c->n_ins; i++) {
    conformance_check_name (k, "an input", c->ins[i].name);
    check_doc (k, "input", c->ins[i].name, c->ins[i].doc);
    check_unit (k, "input", c->ins[i].name, c->ins[i].unit);
  }
  for (uint32_t i = 0; i < c->n_outs; i++) {
    conformance_check_name (k, "an output", c->outs[i].name);
    check_doc (k, "output", c->outs[i].name, c->outs[i].doc);
    check_unit (k, "output", c->outs[i].name, c->outs[i].unit);
  }
  for (uint32_t i = 0; i < c->n_settings; i++) {
    conformance_check_name (k, "a setting", c->settings[i].name);
    check_doc (k, "setting", c->settings[i].name, c->settings[i].doc);
    check_unit (k, "setting", c->settings[i].name, c->settings[i].unit);
  }
  return true;
}

/* ---- wires ---- */
static const EveType stranger = { .name = "conformance type", .size = 8, .align = 8 };

static void
check_refusals (Check *k)
{
  const EveType *types[] = { &eve_type_double, &eve_type_int64, &eve_type_bool,
                             &eve_type_pulse,  &eve_type_text,  &stranger };

  check_begin (k, "refusals");
  for (uint32_t i = 0; i < k->klass->n_ins; i++)
    for (uint32_t t = 0; t < EVE_N (types); t++) {
      const EveInSpec *in = &k->klass->ins[i];
      g_autoptr (GError) error = NULL;
      Harness *h = check_rig (k, k->klass, &(Rig){ 0 });

      if (h && !harness_source (h, in->name, types[t], &error)) {
        if (!check_sentence (error->message, "source") && !check_sentence (error->message, "tested"))
          check_problem (k, "Input \"%s\" refuses %s, but not in a sentence: \"%s\".", in->name, types[t]->name,
                         error->message);
        if (!strstr (error->message, types[t]->name) || (in->type && !strstr (error->message, in->type->name)))
          check_problem (k, "Input \"%s\" refuses %s without naming both types: \"%s\".", in->name, types[t]->name,
                         error->message);
      } else if (h && in->type && in->type != types[t] && types[t] == &stranger && in->type != &eve_type_pulse)
        check_problem (k, "Input \"%s\" of type %s takes what it cannot know.", in->name, in->type->name);
      harness_free (h);
    }
}

/* ---- settings
 * -----------------------------------------------------------------------------------------------------------
 */
static bool
conformance_number (const EveField *f)
{
  return f->kind == EVE_F_DOUBLE || f->kind == EVE_F_INT64;
}

static char *
conformance_number_text (const EveField *f, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (f->kind == EVE_F_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, v >= 0x1p63 ? G_MAXINT64 : v <= -0x1p63 ? G_MININT64 : (int64_t) v);
  return g_strdup (g_ascii_dtostr (buf, sizeof buf, v));
}

/* Texts to try on a setting, good or bad. */
GPtrArray *
check_values (const EveField *f, bool good)
{
  GPtrArray *v = g_ptr_array_new_with_free_func (g_free);
  bool bounded = f->min != 0 || f->max != 0;

  switch (f->kind) {
  case EVE_F_DOUBLE:
  case EVE_F_INT64:
    if (good) {
      g_ptr_array_add (v, conformance_number_text (f, f->def));
      g_ptr_array_add (v, conformance_number_text (f, bounded ? f->min : -1e15));
      g_ptr_array_add (v, conformance_number_text (f, bounded ? f->max : 1e15));
    } else {
      g_ptr_array_add (v, g_strdup ("not a number"));
      g_ptr_array_add (v, g_strdup (""));
      g_ptr_array_add (v, g_strdup ("nan"));
      g_ptr_array_add (v, g_strdup ("1 2"));
      if (f->kind == EVE_F_INT64) {
        g_ptr_array_add (v, g_strdup ("1.5"));
        g_ptr_array_add (v, g_strdup ("99999999999999999999999"));
      }
      if (bounded && ABS (f->min) < 1e15 && ABS (f->max) < 1e15) {
        g_ptr_array_add (v, conformance_number_text (f, f->min - 1));
        g_ptr_array_add (v, conformance_number_text (f, f->max + 1));
      }
    }
    break;
  case EVE_F_BOOL:
    g_ptr_array_add (v, g_strdup (good ? "true" : "maybe"));
    g_ptr_array_add (v, g_strdup (good ? "false" : ""));
    break;
  case EVE_F_STRING:
    g_ptr_array_add (v, g_strdup (good ? (f->def_text ? f->def_text : "") : "\xff\xfe"));
    if (good && !f->path) {
      g_ptr_array_add (v, g_strdup ("<a & \"b\"> 'c' \xc3\xa9\xe2\x82\xac"));
      g_ptr_array_add (v, g_strdup ("  two\n\tlines  "));
    }
    break;
  case EVE_F_CHOICE:
    for (uint32_t i = 0; good && f->choices[i]; i++)
      g_ptr_array_add (v, g_strdup (f->choices[i]));
    if (!good) {
      g_ptr_array_add (v, g_strdup ("none of these choices"));
      g_ptr_array_add (v, g_strdup ("0"));
    }
    break;
  }
  return v;
}

static void
check_saved (Check *k, EveComponent *c, const char *setting, const char *value)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = eve_program_text (eve_program (c)), *back = NULL;
  EveProgram *p = eve_program_parse (text, -1, "conformance", problems, &error);
  EveComponent *again = p ? eve_find (p, eve_name (c)) : NULL;

  if (again == NULL)
    check_problem (k, "With %s = \"%s\" the saved program cannot be read: %s", setting, value,
                   error ? error->message : "the component is not in it");
  else {
    back = eve_get (again, setting);
    if (g_strcmp0 (back, value) != 0)
      check_problem (k, "Setting \"%s\" was \"%s\" when saved and is \"%s\" when loaded.", setting, value,
                     back ? back : "");
  }
  if (p)
    eve_program_free (p);
}

static void
check_settings (Check *k)
{
  Harness *h;
  EveComponent *c;

  check_begin (k, "settings");
  if (k->klass->n_settings == 0 || (h = check_rig (k, k->klass, &(Rig){ 0 })) == NULL)
    return;
  c = harness_component (h);
  for (uint32_t i = 0; i < k->klass->n_settings; i++) {
    const EveField *f = &k->klass->settings[i];
    g_autoptr (GPtrArray) good = check_values (f, true), bad = check_values (f, false);
    g_autofree char *at_first = eve_get (c, f->name);

    for (uint32_t j = 0; j < good->len + bad->len; j++) {
      bool is_good = j < good->len;
      const char *value = is_good ? good->pdata[j] : bad->pdata[j - good->len];
      g_autofree char *before = eve_get (c, f->name), *after = NULL;
      g_autoptr (GError) error = NULL;
      bool taken = eve_set (c, f->name, value, &error);

      after = eve_get (c, f->name);
      if (taken && !is_good)
        check_problem (k, "Setting \"%s\" takes \"%s\".", f->name, value);
      else if (!taken && is_good && j == 0 && !f->path)
        check_problem (k, "Setting \"%s\" refuses its own default: %s", f->name, error->message);
      else if (!taken) { /* a good value may be refused by `changed` */
        if (!check_sentence (error->message, f->name) && !check_sentence (error->message, eve_name (c)))
          check_problem (k, "Setting \"%s\" refuses \"%s\", but not in a sentence: \"%s\".", f->name, value,
                         error->message);
        if (g_strcmp0 (before, after) != 0)
          check_problem (k, "Setting \"%s\" refuses \"%s\", but is changed by it.", f->name, value);
      } else {
        double v = conformance_number (f) ? g_ascii_strtod (value, NULL) : 0;

        if (conformance_number (f) ? g_ascii_strtod (after, NULL) != v : g_strcmp0 (after, value) != 0)
          check_problem (k, "Setting \"%s\" was set to \"%s\" and is \"%s\".", f->name, value, after);
        check_saved (k, c, f->name, after);
      }
      eve_program_clear_failure (harness_program (h));
    }
    eve_set (c, f->name, at_first, NULL);
  }
  harness_free (h);
}

/* ---- lives
 * ----------------------------------------------------------------------------------------------------------------
 */
static void
one_life (Check *k, bool runs)
{
  Rig rig = check_all;
  Harness *h;

  rig.data = 8;
  if ((h = check_rig (k, k->klass, runs ? &rig : &(Rig){ 0 })) && runs)
    harness_run (h);
  harness_free (h);
}

static void
check_lives (Check *k, bool runs)
{
  size_t least;

  check_begin (k, "hundreds of lives");
  for (int i = 0; i < LIVES; i++)
    one_life (k, runs);
  /* Caches fill once, also those of the C library, which count as used; what grows each time is lost.  The smallest
   * block takes 32 bytes.  The library's accounts drift: who is suspected lives longer before it is said. */
  for (size_t lives = LIVES; lives <= LIVES * 8; lives *= 8) {
    least = SIZE_MAX;
    for (int again = 0; again < 4; again++) {
      size_t before = mallinfo2 ().uordblks, after;

      for (size_t i = 0; i < lives; i++)
        one_life (k, runs);
      after = mallinfo2 ().uordblks;
      least = MIN (least, (after > before ? after - before : 0) / lives);
    }
    if (least < 24)
      return;
  }
  check_problem (k, "Each time it is made and freed, about %zu bytes are lost.", least);
}

/* ---- the inspector that it brings ---- */
typedef struct Pressed {
  Check *k;
  EveComponent *c;
  GPtrArray *pairs; /* what a button sets: name and value */
} Pressed;

static void
note_set (void *arg, const char *setting, const char *value)
{
  Pressed *p = arg;

  if (!setting || !value || eve_class_setting (p->k->klass, setting) < 0)
    check_problem (p->k, "A button of its inspector sets '%s', which is no setting.", setting ? setting : "nothing");
  else {
    g_ptr_array_add (p->pairs, g_strdup (setting));
    g_ptr_array_add (p->pairs, g_strdup (value));
  }
}

static void
note_offer (void *arg, const char *value)
{
  if (!value || strchr (value, '\n') || !g_utf8_validate (value, -1, NULL))
    check_problem (arg, "Its inspector offers a value that is not one line of text.");
}

static void
check_bounds (Check *k, EveComponent *c, const BoxInspector *own, uint32_t row)
{
  double from = NAN, to = NAN, step = NAN;

  if (own->bounds)
    own->bounds (c, row, &from, &to, &step);
  if (!isfinite (from) || !isfinite (to) || !(from < to) || !(step > 0))
    check_problem (k, "Row %u of its inspector is a slider without ends, or without a step.", row);
}

static void
conformance_check_rows (Check *k, EveComponent *c, const BoxInspector *own)
{
  for (uint32_t i = 0; i < own->n_rows; i++) {
    const BoxRow *r = &own->rows[i];
    Pressed pressed = { k, c, g_ptr_array_new_with_free_func (g_free) };
    char text[64];

    bool setting = r->kind == BOX_ROW_SETTING || r->kind == BOX_ROW_SLIDER;
    if (setting ? !r->name || eve_class_setting (k->klass, r->name) < 0 : !r->label)
      check_problem (k, "Row %u of its inspector names no setting, or has no label.", i);
    memset (text, 'x', sizeof text);
    *text = 0;
    if (own->look)
      own->look (c, i, text, sizeof text);
    if (!memchr (text, 0, sizeof text) || !g_utf8_validate (text, -1, NULL))
      check_problem (k, "Row %u of its inspector shows what is no text.", i);
    if (own->offer && r->kind == BOX_ROW_SETTING)
      own->offer (c, i, note_offer, k);
    if (r->kind == BOX_ROW_SLIDER)
      check_bounds (k, c, own, i);
    if (own->press && r->kind == BOX_ROW_BUTTON)
      own->press (c, i, note_set, &pressed);
    const char *order = own->order && r->kind == BOX_ROW_BUTTON ? own->order (c, i) : NULL;
    if (order && !g_utf8_validate (order, -1, NULL))
      check_problem (k, "Row %u of its inspector gives an order that is no text.", i);
    for (guint n = 0; n + 1 < pressed.pairs->len; n += 2) {
      g_autoptr (GError) error = NULL;
      if (!eve_set (c, pressed.pairs->pdata[n], pressed.pairs->pdata[n + 1], &error))
        check_problem (k, "A button of its inspector sets what is refused: %s", error->message);
    }
    g_ptr_array_unref (pressed.pairs);
  }
}

static void
check_inspector (Check *k, bool runs)
{
  Harness *h;
  const BoxInspector *own;

  check_begin (k, "inspector");
  if (!(h = check_rig (k, k->klass, runs ? &check_all : &(Rig){ 0 })))
    return;
  if ((own = eve_query (harness_component (h), BOX_INSPECTOR))) {
    conformance_check_rows (k, harness_component (h), own);
    if (runs)
      harness_run (h);
    conformance_check_rows (k, harness_component (h), own);
  }
  harness_free (h);
}

/* ---- all of it ---- */
void
check_remove (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
      check_remove (child);
    else
      g_unlink (child);
  }
  if (dir)
    g_dir_close (dir);
  g_rmdir (path);
}

bool
conformance_check (const EveClass *klass, FILE *report, GPtrArray *problems)
{
  Check k = { .klass = klass, .report = report, .problems = problems, .sentinel = -1 };
  guint before = problems->len;
  uint32_t n_async = 0, n_sync = 0;
  bool any = false, runs = true;

  uint32_t open_before = check_open_descriptors ();
  if (!check_tables (&k))
    return false;
  if (eve_registry_find (klass->id) == NULL)
    eve_registry_add (klass, NULL); /* saved programs name it */
  for (uint32_t i = 0; i < klass->n_ins; i++) {
    n_async += klass->ins[i].arrival == EVE_ASYNC;
    n_sync += klass->ins[i].arrival == EVE_SYNC;
    any |= klass->ins[i].type == NULL;
  }
  for (uint32_t i = 0; i < klass->n_settings; i++) {
    k.has_path |= klass->settings[i].path;
    runs &= conformance.trace || !g_str_equal (klass->settings[i].name, "trace");
  }
  k.mixed = n_async > 1 || (n_async && n_sync) || (n_async && klass->produce);
  k.folder = g_dir_make_tmp ("conformance-XXXXXX", NULL);
  check_settings (&k);
  check_refusals (&k);
  k.any = any ? &eve_type_double : NULL;
  check_lives (&k, runs);
  check_inspector (&k, runs);
  check_layout (&k);
  if (runs)
    check_runs (&k);
  if (runs && any) { /* counted references too */
    k.any = &eve_type_text;
    check_runs (&k);
  }
  check_descriptors (&k);
  if (k.sentinel >= 0)
    close (k.sentinel);
  uint32_t open_after = check_open_descriptors ();
  if (open_after > open_before)
    check_problem (&k, "It leaves %u file descriptors open.", open_after - open_before);
  check_remove (k.folder);
  g_free (k.folder);
  return problems->len == before;
}

bool
conformance_check_file (const char *path, FILE *report, GPtrArray *problems)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  guint before = problems->len;

  if (!eve_registry_load_file (path, &classes, &error)) {
    g_ptr_array_add (problems, g_strdup (error->message));
    return false;
  }
  for (; *classes; classes++)
    conformance_check (*classes, report, problems);
  return problems->len == before;
}

/* ---- one short life of each class: what happens when somebody puts it into a program ---- */
static void
try_class (const EveClass *klass)
{
  static const char *const questions[] = { "view/4",  "trace-reader/1", "state-graph/1", "session/1",
                                           "probe/1", "box-display/1",  BOX_INSPECTOR };
  Harness *h = harness_try (klass, NULL);

  if (h == NULL)
    return;
  EveComponent *c = harness_component (h);
  for (uint32_t i = 0; i < klass->n_settings; i++) {
    g_autofree char *value = eve_get (c, klass->settings[i].name);
    eve_set (c, klass->settings[i].name, value, NULL);
  }
  for (uint32_t i = 0; i < EVE_N (questions); i++)
    eve_query (c, questions[i]);
  for (uint32_t i = 0; i < klass->n_ins; i++)
    harness_source (h, klass->ins[i].name, klass->ins[i].type ? klass->ins[i].type : &eve_type_double, NULL);
  EveBlob *state = eve_blob_new ();
  size_t n;
  eve_program_save_run (harness_program (h), state);
  const uint8_t *bytes = eve_blob_data (state, &n);
  eve_program_load_run (harness_program (h), bytes, n, NULL, NULL);
  eve_reset (harness_program (h));
  try_layout (klass);
  eve_blob_free (state);
  harness_free (h);
}

void
conformance_try_file (const char *path)
{
  const EveClass *const *classes;

  if (eve_registry_load_file (path, &classes, NULL))
    for (; *classes; classes++)
      try_class (*classes);
}
