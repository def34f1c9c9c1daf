/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/metrics/series.h"
#include <math.h>
#include <string.h>

struct SeriesTable {
  ValuesRecorder *to;
  uint32_t program, log;
  GHashTable *named;  /* GBytes of the name -> Series; owned */
  GPtrArray *changed; /* of Series * */
  bool full_told;
};

static void
free_series (gpointer data)
{
  Series *s = data;

  if (s->members)
    g_hash_table_unref (s->members);
  g_free (s);
}

SeriesTable *
series_new (ValuesRecorder *to, uint32_t program)
{
  SeriesTable *t = g_new0 (SeriesTable, 1);

  t->to = to;
  t->program = program;
  t->log = TRACE_NONE;
  t->named = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, free_series);
  t->changed = g_ptr_array_new ();
  return t;
}

void
series_free (SeriesTable *t)
{
  if (!t)
    return;
  g_ptr_array_unref (t->changed);
  g_hash_table_unref (t->named);
  g_free (t);
}

static ValueVariable
metrics_series_variable_of (ValueKind kind)
{
  switch (kind) {
  case VALUE_POINT:
    return VAR_COUNT;
  case VALUE_TIME:
    return VAR_TIME;
  case VALUE_INTEGER:
    return VAR_INTEGER;
  default:
    return VAR_FLOAT;
  }
}

Series *
series_get (SeriesTable *t, const char *name, size_t n, ValueKind kind)
{
  g_autoptr (GBytes) key = g_bytes_new_static (name, n);
  Series *s = g_hash_table_lookup (t->named, key);

  if (s)
    return s;
  if (n > SERIES_MOST_NAME || n == 0) {
    values_damage (t->to, n ? "a name of %zu bytes; the longest that is taken has %u" : "a value without a name", n,
                   SERIES_MOST_NAME);
    return NULL;
  }
  if (g_hash_table_size (t->named) >= SERIES_MOST) {
    if (!t->full_told)
      values_damage (t->to, "more than %u different names; values of any other are left out", SERIES_MOST);
    t->full_told = true;
    return NULL;
  }
  s = g_new0 (Series, 1);
  s->kind = kind;
  s->variable = metrics_series_variable_of (kind);
  s->entity = values_declare (t->to, t->program, kind, name, n, g_hash_table_size (t->named));
  g_hash_table_insert (t->named, g_bytes_new (name, n), s);
  return s;
}

void
series_set (SeriesTable *t, Series *s, double value)
{
  s->value = value;
  if (!s->changed)
    g_ptr_array_add (t->changed, s);
  s->changed = true;
}

bool
series_count (SeriesTable *t, Series *s, double raw)
{
  bool anew = s->raw_known && raw < s->raw;

  if (anew)
    s->before += s->raw;
  s->raw = raw;
  s->raw_known = true;
  series_set (t, s, s->before + raw);
  return anew;
}

static bool
metrics_series_is_whole (double value)
{
  return fabs (value) < 9e15 && value == floor (value);
}

void
series_tell (SeriesTable *t)
{
  for (guint i = 0; i < t->changed->len; i++) {
    Series *s = t->changed->pdata[i];
    s->changed = false;
    if (s->told && memcmp (&s->was, &s->value, sizeof s->was) == 0)
      continue;
    s->told = true;
    s->was = s->value;
    if ((s->variable == VAR_COUNT || s->variable == VAR_INTEGER) && metrics_series_is_whole (s->value))
      values_int (t->to, s->entity, s->variable, (int64_t) s->value);
    else
      values_real (t->to, s->entity, s->variable, s->value);
  }
  g_ptr_array_set_size (t->changed, 0);
}

void
series_log (SeriesTable *t, const char *text, size_t n)
{
  if (t->log == TRACE_NONE)
    t->log = values_declare (t->to, t->program, VALUE_LOG, "log", 3, -1);
  values_log (t->to, t->log, (double) values_now (t->to) / 1e9, text, n);
}

void
series_sweep (SeriesTable *t, uint64_t now)
{
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, t->named);
  while (g_hash_table_iter_next (&iter, NULL, &data)) {
    Series *s = data;
    if (!s->told || s->seen == 0 || s->seen == now)
      continue;
    values_note (t->to, s->entity, VALUE_COLLECTED);
    s->seen = 0; /* told */
    s->told = false;
  }
}

static int
metrics_series_by_name (gconstpointer a, gconstpointer b)
{
  return g_bytes_compare (*(GBytes *const *) a, *(GBytes *const *) b);
}

void
series_text (const SeriesTable *t, GString *to)
{
  guint n = 0;
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (t->named, &n);
  const ValuesEntity *program = values_entity (t->to, t->program);

  g_string_append_printf (to, "%s\n", program ? program->name : "?");
  if (n > 0)
    qsort (names, n, sizeof *names, metrics_series_by_name);
  for (guint i = 0; i < n; i++) {
    const Series *s = g_hash_table_lookup (t->named, names[i]);
    const ValuesEntity *e = values_entity (t->to, s->entity);
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf (to, "  %s %s\n", e ? e->name : "?",
                            g_ascii_formatd (value, sizeof value, "%.15g", s->value));
  }
}
