/* SPDX-License-Identifier: Apache-2.0 */
/* film-serve.c - films that serve other programs than the one they were shot of. */
#include <string.h>
#include <sys/stat.h>
#include "session/film.h"
#include "eve/words.h"
#include "session/layers.h"
#include "session/plugins.h"

/* Most checkpoints of the film serve, and the last one is that of the end. */
static bool
has_parts (const Parts *p, uint64_t trace, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "checkpoints", NULL);
  Checkpoints *c = checkpoints_open_parts (path, p->plan, trace, p, NULL, NULL);
  guint n = c ? checkpoints_n (c) : 0;
  bool has = n && checkpoints_nth (c, n - 1)->ended && checkpoints_n_others (c) <= n;

  checkpoints_free (c);
  return has;
}

/* Where orders were heard hangs on who else works, if somebody sees the order of data. */
static bool
has_commands (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "commands", NULL);
  struct stat st;

  return stat (path, &st) != 0 || st.st_size > 0;
}

/* As far as can quickly be seen: who shoots looks again. */
static bool
film_serve_is_sound (const char *folder, const FilmManifest *m)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  return film_check (folder, m, &(FilmCheck){ 0 }, problems) && !problems->len;
}

bool
film_serves (Session *s, const Parts *p, uint64_t trace, const char *folder, const FilmManifest *m)
{
  if (m->torn || m->state != FILM_COMPLETE || m->trace != trace)
    return false;
  return m->plan == p->plan
         || (m->side == p->side && m->plugins == plugins_identity (s->program) && !(m->said && *m->said)
             && !(p->in_order && has_commands (folder)) && has_parts (p, trace, folder)
             && layers_are_whole (s->program, true, folder) && film_serve_is_sound (folder, m));
}

typedef struct Serving {
  Session *s;
  const Parts *parts;
  uint64_t trace;
  char *folder; /* the first by name: always the same one */
} Serving;

static void
film_serve_serves (void *arg, const char *folder, uint64_t plan)
{
  Serving *v = arg;
  FilmManifest m;

  if ((!v->folder || strcmp (folder, v->folder) < 0) && film_manifest_read (folder, &m, NULL)) {
    if (film_serves (v->s, v->parts, v->trace, folder, &m)) {
      g_free (v->folder);
      v->folder = g_strdup (folder);
    }
    film_manifest_clear (&m);
  }
}

char *
film_that_serves (Session *s, const Parts *p, const char *own, uint64_t trace)
{
  Serving v = { s, p, trace, NULL };

  film_each_beside (own, film_serve_serves, &v);
  return v.folder;
}

char *
film_folder (Session *s, uint64_t *trace, uint64_t *plan, GError **error)
{
  char *own = film_own_folder (s, trace, plan, error), *other = NULL;
  FilmManifest m;
  bool there = own && film_manifest_read (own, &m, NULL) && m.state == FILM_COMPLETE;

  if (own)
    film_manifest_clear (&m);
  if (own && !there) {
    Parts *p = parts_new (s);
    other = film_that_serves (s, p, own, *trace);
    parts_free (p);
  }
  if (other)
    g_free (own);
  return other ? other : own;
}

static void
film_serve_say (const FilmOptions *o, const char *sentence)
{
  if (o->say)
    o->say (o->arg, sentence);
}

char *
film_of_another (Session *s, const Parts *p, uint64_t trace, const char *own, const FilmOptions *o, uint64_t *events,
                 GError **error)
{
  const char *first = o->folder ? o->folder : own;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  FilmManifest m;
  bool there = film_manifest_read (first, &m, NULL), is_own = m.plan == p->plan && m.state == FILM_COMPLETE;
  bool here = there && o->folder && !is_own && film_serves (s, p, trace, first, &m);
  char *found = here ? g_strdup (first) : is_own || o->folder ? NULL : film_that_serves (s, p, own, trace);

  film_manifest_clear (&m);
  if (!found)
    return NULL;
  FilmCheck how = { .data = o->look_through, .progress = o->progress };
  bool going = film_manifest_read (found, &m, NULL) && film_check (found, &m, &how, problems);
  *events = m.events;
  film_manifest_clear (&m);
  if (!going)
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_CANCELLED, "interrupted");
  for (guint i = 0; i < problems->len; ++i) {
    g_autofree char *sentence = g_strdup_printf (_ ("%s; the film of another program is not used"),
                                                 (char *) problems->pdata[i]);
    film_serve_say (o, sentence);
  }
  if (problems->len || !going) {
    g_free (found);
    return NULL;
  }
  film_touch (found);
  film_serve_say (o, _ ("nothing is shot: the film of another program of this trace has all of it"));
  return found;
}
