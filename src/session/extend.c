/* SPDX-License-Identifier: Apache-2.0 */
#include "session/extend.h"
#include "eve/words.h"
#include <string.h>
#include "eve/disk.h"
#include "session/film-drive.h"
#include "session/places.h"
#include "statistics/order.h"

#define NOTE "parts" /* in the program: the names of those that it has added, a line each */

/* The name after `add`; g_free; NULL: another order. */
static char *
extend_name_of (const char *order)
{
  g_autofree char *words = order ? stats_order_command (order) : NULL;

  return words && g_str_has_prefix (words, "add ") ? g_strdup (g_strstrip (words + strlen ("add "))) : NULL;
}

static guint
added (const Session *s, const char *name, bool *is_there)
{
  g_auto (GStrv) lines = g_strsplit (eve_program_note (s->program, NOTE), "\n", -1);
  guint n = 0;

  for (char **line = lines; *line; ++line) {
    n += **line != 0;
    *is_there |= g_str_equal (*line, name);
  }
  return n;
}

bool
extend_is_add (const char *order)
{
  g_autofree char *name = extend_name_of (order);

  return name != NULL;
}

char *
extend_wanted (const Session *s, const TraceCommand *command, const char *order)
{
  g_autofree char *bare = order ? NULL : g_strndup (command->name, sizeof command->name);
  g_autofree char *name = command->verb == TRACE_OTHER ? extend_name_of (order ? order : bare) : NULL;
  bool is_there = false;

  if (!name || (s->refused && g_hash_table_contains (s->refused, name)))
    return NULL;
  added (s, name, &is_there);
  return is_there ? NULL : g_steal_pointer (&name);
}

const char *
extend_refused (const Session *s, const char *order)
{
  g_autofree char *name = extend_name_of (order);

  return name && s->refused ? g_hash_table_lookup (s->refused, name) : NULL;
}

char *
extend_became (const Session *s, const char *order)
{
  g_autofree char *name = extend_name_of (order);
  const char *refused = extend_refused (s, order);
  bool is_there = false;

  if (!name)
    return NULL;
  added (s, name, &is_there);
  return is_there ? g_strdup ("added") : refused ? g_strconcat ("refused: ", refused, NULL) : NULL;
}

void
extend_refuse (Session *s, const char *name, const char *why)
{
  if (!s->refused)
    s->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_insert (s->refused, g_strdup (name), g_strdup (why));
}

void
extend_ask_again (Session *s)
{
  g_clear_pointer (&s->refused, g_hash_table_unref);
}

/* Beside the program, or below its folder; else among the person's own, which lie in one folder.  NULL: nowhere. */
static char *
extend_find (const Session *s, const char *name)
{
  g_autofree char *file = g_str_has_suffix (name, ".eve") ? g_strdup (name) : g_strconcat (name, ".eve", NULL);
  g_autofree char *folder = g_path_get_dirname (s->program_path), *here = g_canonicalize_filename (folder, NULL);
  g_autofree char *beside = g_canonicalize_filename (file, here), *parts = places_parts ();
  g_autofree char *own = g_build_filename (parts, file, NULL);

  if (g_file_test (beside, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK))
    return g_steal_pointer (&beside);
  return !strchr (file, '/') && g_file_test (own, G_FILE_TEST_EXISTS) ? g_steal_pointer (&own) : NULL;
}

static bool
is_own (const char *path)
{
  g_autofree char *parts = places_parts (), *folder = g_path_get_dirname (path);

  return g_str_equal (parts, folder);
}

static char *
read_part (Session *s, const char *name, char **path, GError **error)
{
  bool is_there = false;

  if (!*name || strpbrk (name, "\n\r")) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM, _ ("the order names no part"));
    return NULL;
  }
  if (added (s, name, &is_there) >= EXTEND_MOST) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("the program has added %d parts to itself, and may add no more"), EXTEND_MOST);
    return NULL;
  }
  *path = extend_find (s, name);
  if (!*path) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
                 _ ("there is no such file beside the program, nor among your own parts"));
    return NULL;
  }
  if (!is_own (*path) && !eve_program_may_read (s->program, *path)) {
    g_set_error (
        error, SESSION_ERROR, SESSION_ERROR_PROGRAM,
        _ ("%s lies outside the folder of the program, which may not read it. If you trust the program, allow it: "
           "--allow %s on the command line"),
        *path, *path);
    return NULL;
  }
  return disk_read (*path, NULL, DISK_PROGRAM, NULL, error);
}

char *
extend_read (Session *s, const char *name, char **path, GError **error)
{
  GError *why = NULL;
  g_autofree char *found = NULL, *text = read_part (s, name, &found, &why);

  if (text) {
    *path = g_steal_pointer (&found);
    return g_steal_pointer (&text);
  }
  extend_refuse (s, name, why->message);
  g_propagate_prefixed_error (error, why, _ ("The part “%s” is not added: "), name);
  return NULL;
}

void
extend_done (Session *s, const char *name)
{
  const char *before = eve_program_note (s->program, NOTE);
  g_autofree char *now = *before ? g_strconcat (before, "\n", name, NULL) : g_strdup (name);

  eve_program_set_note (s->program, NOTE, now);
  session_grown (s);
}

bool
extend_add_file (Session *s, const char *path, GPtrArray *said, GError **error)
{
  g_autofree char *text = disk_read (path, NULL, DISK_PROGRAM, NULL, error),
                  *shown = g_filename_display_basename (path);

  if (!text || !eve_add_part (s->program, text, shown, 0, 0, NULL, said, error))
    return false;
  session_grown (s);
  eve_reset (s->program);
  return true;
}

bool
extend_add (Session *s, const char *name, GPtrArray *said, GError **error)
{
  g_autofree char *path = NULL, *text = extend_read (s, name, &path, error), *shown = NULL;
  GError *why = NULL;

  if (!text)
    return false;
  shown = g_filename_display_basename (path);
  if (!eve_add_part (s->program, text, shown, 0, 0, NULL, said, &why)) {
    extend_refuse (s, name, why->message);
    g_propagate_prefixed_error (error, why, _ ("The part “%s” is not added: "), name);
    return false;
  }
  extend_done (s, name);
  eve_program_clear_failure (s->program);
  eve_reset (s->program);
  return true;
}

void
extend_answer (Session *s, const char *order)
{
  g_autofree char *became = extend_became (s, order);

  if (became)
    s->controller_face->became (s->controller, became);
}

void
extend_tell (Session *s, const char *name, const char *added, void (*tell) (void *arg, const char *sentence), void *arg)
{
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (extend_add (s, name, said, &error))
    g_ptr_array_insert (said, 0, g_strdup_printf (_ ("“%s” is added to the program; %s"), name, added));
  else
    g_ptr_array_insert (said, 0, g_strdup (error->message));
  for (guint i = 0; tell && i < said->len; ++i)
    tell (arg, said->pdata[i]);
}

/* Of one way. */
typedef struct Listener {
  Session *s;
  char *part; /* that it asked for; NULL: none */
} Listener;

/* Inside a firing. */
static bool
on_order (void *arg, const TraceCommand *command)
{
  Listener *listener = arg;
  Session *s = listener->s;
  const char *order = s->controller_face->order ? s->controller_face->order (s->controller) : NULL;

  if (listener->part) /* said by a program that is no more */
    return false;
  listener->part = extend_wanted (s, command, order);
  if (listener->part)
    eve_pause (s->program);
  else
    extend_answer (s, order);
  return false;
}

bool
extend_go (Session *s, int64_t until, void (*tell) (void *arg, const char *sentence), void *arg, bool *again,
           GError **error)
{
  for (;;) {
    Listener listener = { s, NULL };
    GError *why = NULL;
    if (s->controller)
      s->controller_face->listen (s->controller, on_order, &listener);
    bool ok = until < INT64_MAX ? session_go_until (s, until, &why) : session_go_end (s, &why);
    if (s->controller)
      s->controller_face->listen (s->controller, NULL, NULL);
    g_autofree char *part = listener.part;
    if (!part) {
      if (why)
        g_propagate_error (error, why);
      return ok;
    }
    g_clear_error (&why);
    extend_tell (s, part, _ ("all is worked out with it"), tell, arg);
    eve_program_clear_failure (s->program);
    eve_reset (s->program);
    if (again)
      *again = true;
  }
}
