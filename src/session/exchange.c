/* SPDX-License-Identifier: Apache-2.0 */
#include "session/exchange.h"
#include "eve/words.h"
#include "readers/reader.h"
#include "session/generic.h"
#include "session/replace.h"

/* A reader of another format that is given what is opened. */
static bool
is_reader (EveComponent *c, const EveClass *wanted)
{
  g_autofree char *trace = eve_class (c) != wanted && eve_query (c, "trace-reader/1") ? eve_get (c, "trace") : NULL;

  return trace && !*trace;
}

/* A simulator of the model of another format; those of any trace stay. */
static bool
is_simulator (EveComponent *c, const EveClass *wanted)
{
  const EveClass *k = eve_class (c);
  g_autoptr (GPtrArray) formats = trace_formats ();
  bool of_a_model = false;

  if (k == wanted || !k->provides || !eve_query (c, "state-graph/1") || g_strv_contains (k->provides, "simulator:any"))
    return false;
  for (guint i = 0; i < formats->len && !of_a_model; ++i) {
    g_autofree char *what = g_strconcat ("simulator:", ((const TraceFormat *) formats->pdata[i])->model, NULL);
    of_a_model = g_strv_contains (k->provides, what);
  }
  return of_a_model;
}

/* How many were exchanged; -1 and a sentence. */
static int
exchange_all (EveProgram *p, const EveClass *wanted, bool (*is) (EveComponent *c, const EveClass *wanted),
              GPtrArray *lost, GError **error)
{
  g_autoptr (GPtrArray) old = g_ptr_array_new ();

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    if (!eve_is_ghost (c) && is (c, wanted))
      g_ptr_array_add (old, c);
  }
  for (guint i = 0; i < old->len; ++i)
    if (!edits_replace (p, old->pdata[i], wanted, lost, error))
      return -1;
  return (int) old->len;
}

char *
exchange_text (const char *path, const char *text, const char *format, GPtrArray *lost, GError **error)
{
  g_autofree char *what = g_strconcat ("reader:", format, NULL), *done = NULL;
  const TraceFormat *f = trace_format_find (format, error);
  const EveClass *reader = f ? eve_registry_find_provider (what) : NULL;
  EveProgram *p = !reader ? NULL
                  : text  ? eve_program_parse (text, -1, path, NULL, error)
                          : eve_program_load (path, NULL, error);
  int n = p ? exchange_all (p, reader, is_reader, lost, error) : -1;
  const EveClass *simulator = n > 0 ? generic_simulator (format) : NULL; /* NULL: nobody does */

  if (n == 0)
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("%s: it has no reader that another could take the place of"), path);
  if (n > 0 && (!simulator || exchange_all (p, simulator, is_simulator, lost, error) >= 0))
    done = eve_program_text (p);
  if (p)
    eve_program_free (p);
  return g_steal_pointer (&done);
}

Session *
exchange_open (const Session *s, GError **error)
{
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  char *text = exchange_text (s->program_path, s->options.text, s->format, lost, NULL);
  SessionOptions options = s->options;

  if (!text)
    return NULL;
  options.text = text;
  options.exchanges = false;
  Session *other = session_open (&options, error);
  if (!other) {
    g_free (text);
    return NULL;
  }
  other->exchanged = text;
  g_ptr_array_add (lost, NULL);
  g_autofree char *wires = g_strjoinv (", ", (char **) lost->pdata), *base = g_path_get_basename (s->program_path);
  g_autofree char *told = g_strdup_printf (
      _ ("it has no reader of %s traces: reader and simulator are exchanged this time, the file stays as it is%s%s"),
      s->format, *wires ? _ ("; wires that did not fit: ") : "", wires);
  if (options.warn)
    options.warn (options.arg, base, told);
  return other;
}
