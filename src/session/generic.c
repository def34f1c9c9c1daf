/* SPDX-License-Identifier: Apache-2.0 */
#include "session/generic.h"
#include <string.h>
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "session/places.h"

#define NUMBER "{n}"
#define READER "\"any.reader\""
#define SIMULATOR "\"any.simulator\""
#define GAP_PX 140 /* between the highest box of an execution and the lowest of the one above */

char *
generic_read (const char *path)
{
  char *text = disk_read (path, NULL, DISK_PROGRAM, NULL, NULL);

  if (text && !strstr (text, READER))
    g_clear_pointer (&text, g_free);
  return text;
}

static void
generic_put (GString *text, const char *placeholder, const char *class_id)
{
  g_autofree char *quoted = g_strconcat ("\"", class_id, "\"", NULL);

  g_string_replace (text, placeholder, quoted, 0);
}

/* With the reader of a format.  False and a sentence: there is none. */
static bool
put_reader (GString *text, const char *format, GError **error)
{
  g_autofree char *what = g_strconcat ("reader:", format, NULL);

  if (!trace_format_find (format, error))
    return false;
  generic_put (text, READER, eve_registry_find_provider (what)->id);
  return true;
}

/* What simulates traces of a format by its default program; *k NULL: nothing does.  False and an error: the program
 * cannot be read. */
static bool
usual_simulator (const char *format, const EveClass **k, GError **error)
{
  g_autofree char *path = places_offered (format, "default.eve"),
                  *read = disk_read (path, NULL, DISK_PROGRAM, NULL, error);
  g_autoptr (GString) usual = g_string_new (read);
  const void *face;

  *k = NULL;
  if (!read || !put_reader (usual, format, error))
    return false;
  EveProgram *p = eve_program_parse (usual->str, -1, path, NULL, error);
  EveComponent *simulator = p ? eve_find_query (p, "state-graph/1", &face) : NULL;
  if (simulator)
    *k = eve_class (simulator);
  if (p)
    eve_program_free (p);
  return p != NULL;
}

static bool
put_simulator (GString *text, const char *format, GError **error)
{
  const EveClass *k;

  if (!usual_simulator (format, &k, error))
    return false;
  if (k)
    generic_put (text, SIMULATOR, k->id);
  return true;
}

const EveClass *
generic_simulator (const char *format)
{
  const EveClass *k;

  usual_simulator (format, &k, NULL);
  return k;
}

/* The program as the n-th trace has it. */
static EveProgram *
of_one (const char *text, const char *path, const char *format, guint n, GError **error)
{
  g_autoptr (GString) filled = g_string_new (text);
  char number[16];

  g_snprintf (number, sizeof number, "%u", n);
  g_string_replace (filled, NUMBER, number, 0);
  if (!put_reader (filled, format, error) || (strstr (text, SIMULATOR) && !put_simulator (filled, format, error)))
    return NULL;
  return eve_program_parse (filled->str, -1, path, NULL, error);
}

/* How far below each other executions lie. */
static double
height (const EveProgram *p)
{
  double least = 0, most = 0;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    double x, y;
    eve_position (eve_component (p, i), &x, &y);
    least = i ? MIN (least, y) : y;
    most = i ? MAX (most, y) : y;
  }
  return most - least + GAP_PX;
}

/* Adds all of `more` but what all executions share, which `p` has: the session, and boxes whose names have no number.
 */
static bool
add_below (EveProgram *p, EveProgram *more, const char *path, double dy_px, GError **error)
{
  g_autofree EveComponent **which = g_new0 (EveComponent *, eve_n_components (more) + 1);
  uint32_t n = 0;

  for (uint32_t i = 0; i < eve_n_components (more); ++i)
    if (!eve_find (p, eve_name (eve_component (more, i))))
      which[n++] = eve_component (more, i);
  g_autofree char *part = eve_part (more, which, n);
  return eve_add_part (p, part, path, 0, dy_px, NULL, NULL, error);
}

char *
generic_text (const char *text, const char *path, const char *const *formats, GError **error)
{
  EveProgram *p = of_one (text, path, formats[0], 1, error);
  bool each = strstr (text, NUMBER), ok = p != NULL;
  double step = p ? height (p) : 0;

  for (guint n = 2; ok && each && formats[n - 1]; ++n) {
    EveProgram *more = of_one (text, path, formats[n - 1], n, error);
    ok = more && add_below (p, more, path, step * (n - 1), error);
    if (more)
      eve_program_free (more);
  }
  char *whole = ok ? eve_program_text (p) : NULL;
  if (p)
    eve_program_free (p);
  return whole;
}

static bool
offers (const char *format, const char *path)
{
  g_autofree char *name = g_path_get_basename (path), *offered = places_offered (format, name);
  g_autofree char *there = offered ? disk_real_path (offered) : NULL, *here = disk_real_path (path);

  return there && g_strcmp0 (there, here) == 0;
}

char *
generic_example (const char *text, const char *path, const char **format, GError **error)
{
  g_autoptr (GPtrArray) formats = trace_formats ();

  const TraceFormat *chosen = formats->len ? formats->pdata[0] : NULL;

  for (guint i = 0; i < formats->len; ++i)
    if (offers (((const TraceFormat *) formats->pdata[i])->name, path)) {
      chosen = formats->pdata[i];
      break;
    }
  *format = chosen ? chosen->name : "";
  return generic_text (text, path, (const char *const[]){ *format, NULL }, error);
}

char *
generic_comparing (const char *const *formats)
{
  bool alike = g_strv_length ((char **) formats) == 2 && g_str_equal (formats[0], formats[1]);

  return places_offered (alike ? formats[0] : "any", "compare.eve");
}
