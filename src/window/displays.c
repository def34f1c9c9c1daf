/* SPDX-License-Identifier: Apache-2.0 */
#include "window/displays.h"
#include <string.h>
#include "document/graft.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "session/cut.h"

#define PROGRAM_MOST_BYTES (1 << 20)
#define GALLERY "/org/scope_trace/Scope/gallery.md"

static void
display_free (gpointer display)
{
  Display *d = display;

  g_free (d->name);
  g_free (d->tells);
  g_free (d->program);
  g_free (d->view);
  g_strfreev (d->settings);
  g_free (d->cut);
  g_free (d->picture);
  g_free (d);
}

/* "scope draw TRACE --program P --view V --set S ..." */
static void
read_command (Display *d, const char *line)
{
  g_auto (GStrv) words = NULL;
  g_autoptr (GStrvBuilder) settings = g_strv_builder_new ();
  g_autoptr (GString) cut = g_string_new (NULL);

  if (!g_shell_parse_argv (line, NULL, &words, NULL))
    return;
  for (char **w = words; *w && w[1]; ++w) {
    if (strcmp (*w, "--program") == 0)
      d->program = g_strdup (w[1]);
    else if (strcmp (*w, "--view") == 0)
      d->view = g_strdup (w[1]);
    else if (strcmp (*w, "--set") == 0)
      g_strv_builder_add (settings, w[1]);
    else if (strcmp (*w, "--hierarchy") == 0)
      g_string_append_printf (cut, "by %s\n", w[1]);
    else if (strcmp (*w, "--parts") == 0)
      g_string_append_printf (cut, "parts %s\n", w[1]);
    else
      continue;
    ++w;
  }
  d->settings = g_strv_builder_end (settings);
  d->cut = cut->len ? g_strdup (cut->str) : NULL;
}

/* "![Name](gallery/file.png)" */
static void
read_picture (Display *d, const char *line)
{
  const char *begin = strstr (line, "](gallery/"), *end = begin ? strchr (begin, ')') : NULL;

  if (!end)
    return;
  begin += strlen ("](gallery/");
  g_free (d->picture);
  d->picture = g_strndup (begin, (gsize) (end - begin));
}

GPtrArray *
displays_read (void)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (display_free);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (GALLERY, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autofree char *text = bytes ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : g_strdup ("");
  g_auto (GStrv) parts = g_strsplit (text, "\n## ", -1);

  for (guint i = 1; parts[0] && parts[i]; ++i) {
    g_auto (GStrv) lines = g_strsplit (parts[i], "\n", -1);
    Display *d = g_new0 (Display, 1);
    d->name = g_strdup (lines[0]);
    for (char **line = lines + 1; lines[0] && *line; ++line)
      if (g_str_has_prefix (*line, "    scope draw "))
        read_command (d, *line);
      else if (g_str_has_prefix (*line, "!["))
        read_picture (d, *line);
      else if (!d->tells && **line)
        d->tells = g_strdup (*line);
    if (d->tells && d->program && d->view && d->settings)
      g_ptr_array_add (all, d);
    else
      display_free (d);
  }
  return all;
}

/* Whether the file of a program has a box of that name. */
static bool
has_box (const char *path, const char *name)
{
  g_autofree char *text = disk_read (path, NULL, PROGRAM_MOST_BYTES, NULL, NULL),
                  *box = g_markup_printf_escaped ("<component name=\"%s\"", name);

  return text && strstr (text, box);
}

/* Several formats have a program of the same name, as “views”: that of this trace may not have the view. */
const PlacesProgram *
displays_program (const Display *d, const GPtrArray *programs)
{
  for (guint k = 0; k < programs->len; ++k) {
    const PlacesProgram *p = g_ptr_array_index (programs, k);
    g_autofree char *file = g_path_get_basename (p->path);
    if (g_str_has_prefix (file, d->program) && strcmp (file + strlen (d->program), ".eve") == 0
        && has_box (p->path, d->view))
      return p;
  }
  return NULL;
}

/* What programs need that formats share, by the folder that they lie in (session/places.h). */
static const struct {
  const char *folder, *needs;
} needs[] = { { "activity", N_ ("which share of their time tasks work, exchange data and are idle") },
              { "calls", N_ ("the calls or parts of the program that tasks are inside of") },
              { "messages", N_ ("who sends what to whom") },
              { "lines", N_ ("in which lines of the source calls are made") },
              { "memory", N_ ("the memory that is allocated and freed") },
              { "values", N_ ("values that a running program shows") },
              { "heap", N_ ("the blocks that the heap of a program holds") } };

#define MOST_FORMATS 4

char *
displays_why_not (const Display *d, const TraceFormat *format)
{
  g_autofree char *file = g_strconcat (d->program, ".eve", NULL), *folder = NULL;
  g_autoptr (GPtrArray) formats = trace_formats ();
  g_autoptr (GString) others = g_string_new (NULL);
  const char *what = NULL;
  guint n = 0;

  for (guint i = 0; i < formats->len; ++i) {
    const TraceFormat *f = formats->pdata[i];
    g_autofree char *path = places_offered (f->name, file);
    if (!path || !has_box (path, d->view))
      continue;
    g_autofree char *parent = g_path_get_dirname (path);
    if (!folder)
      folder = g_path_get_basename (parent);
    if (n++ < MOST_FORMATS)
      g_string_append_printf (others, "%s%s", n > 1 ? ", " : "", in_words (f->label));
  }
  if (n > MOST_FORMATS)
    g_string_append_printf (others, _ (" and %u more"), n - MOST_FORMATS);
  for (gsize i = 0; folder && i < G_N_ELEMENTS (needs); ++i)
    if (strcmp (needs[i].folder, folder) == 0)
      what = in_words (needs[i].needs);
  return n == 0 ? g_strdup (_ ("Not for this execution: no program on offer has it"))
         : what
             ? g_strdup_printf (_ ("Not for this execution: it needs to know %s, which %s does not tell; these do: %s"),
                                what, in_words (format->label), others->str)
             : g_strdup_printf (_ ("Not for this execution, which is of %s: it is for %s"), in_words (format->label),
                                others->str);
}

/* ---- showing one ------------------------------------------------------------------------------------------------------------- */

static void
set_all (ScopeWindow *w, const Display *display)
{
  ScopeDocument *doc = scope_window_document (w);
  EveProgram *p = scope_document_program (doc);

  for (char **s = display->settings; *s; ++s) {
    g_auto (GStrv) both = g_strsplit (*s, "=", 2);
    char *dot = both[0] ? strrchr (both[0], '.') : NULL;
    g_autoptr (GError) error = NULL;
    if (!dot || !both[1])
      continue;
    *dot = '\0';
    EveComponent *box = eve_find (p, both[0]);
    if (box && !eve_set (box, dot + 1, both[1], &error))
      scope_document_say (doc, SCOPE_SAY_ERROR, "%s", error->message);
  }
}

/* Whether that program is open, by whichever way its folder was reached, and has the view. */
static bool
displays_is_open (ScopeDocument *doc, const char *path, const char *view)
{
  const char *own = scope_document_program_path (doc);
  g_autofree char *file = g_path_get_basename (path), *open = own ? g_path_get_basename (own) : NULL;

  return g_strcmp0 (file, open) == 0 && eve_find (scope_document_program (doc), view);
}

/* One edit: the view of the program that is open is set so, or another one comes into it, with all that feeds it. */
void
displays_show (ScopeWindow *w, const Display *display, const char *path)
{
  ScopeDocument *doc = scope_window_document (w);
  EveProgram *p = scope_document_program (doc);
  const char *formats[] = { scope_document_source (doc) ? scope_document_source (doc)->format->name : NULL, NULL };
  g_autofree char *shown = NULL;
  g_autoptr (GError) error = NULL;

  if (!p || !formats[0])
    return;
  scope_document_begin_edit (doc, in_words (display->name));
  if (displays_is_open (doc, path, display->view)) {
    set_all (w, display);
    shown = g_strdup (display->view);
  } else if (!graft_view (p, path, formats, display->view, display->settings, NULL, &shown, &error)) {
    scope_document_say (doc, SCOPE_SAY_ERROR, "%s", error->message);
  }
  if (shown && display->cut)
    scope_document_set_note (doc, CUT_NOTE, display->cut);
  scope_document_end_edit (doc);
  if (shown)
    g_action_group_activate_action (G_ACTION_GROUP (w), "canvas-show-box", g_variant_new_string (shown));
}
