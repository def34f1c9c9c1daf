/* SPDX-License-Identifier: Apache-2.0 */
/* travel-parts.c - parts that the program has ordered itself to add by the present (extend.h).  Travel obeys no order;
 * it knows which there were: those heard on its way, and of what lies before the state it started from, those of the
 * film. */
#include <string.h>
#include <sys/stat.h>
#include "session/extend.h"
#include "eve/words.h"
#include "session/travel-private.h"

#define MOST 256 /* orders that are kept: many more than a program may follow */

typedef struct Ordered {
  char *order;
  uint64_t event; /* given by then */
} Ordered;

static void
ordered_clear (void *ordered)
{
  g_free (((Ordered *) ordered)->order);
}

void
travel_parts_new (Travel *t)
{
  t->ordered = g_array_new (FALSE, TRUE, sizeof (Ordered));
  g_array_set_clear_func (t->ordered, ordered_clear);
}

void
travel_parts_forget (Travel *t)
{
  g_array_set_size (t->ordered, 0);
  t->film_commands = 0;
}

/* Each order once, where it first came. */
static void
travel_parts_keep (Travel *t, const char *order, uint64_t event)
{
  if (!extend_is_add (order))
    return;
  for (guint i = 0; i < t->ordered->len; ++i) {
    Ordered *o = &g_array_index (t->ordered, Ordered, i);
    if (g_str_equal (o->order, order)) {
      o->event = MIN (o->event, event);
      return;
    }
  }
  if (t->ordered->len < MOST)
    g_array_append_vals (t->ordered, &(Ordered){ g_strdup (order), event }, 1);
}

void
travel_parts_heard (Travel *t)
{
  for (guint i = 0; i < t->listener.heard->len; ++i) {
    const DriveHeard *h = &g_array_index (t->listener.heard, DriveHeard, i);
    g_autofree char *bare = g_strndup (h->command.name, sizeof h->command.name);
    if (h->command.verb == TRACE_OTHER)
      travel_parts_keep (t, h->order ? h->order : bare, h->event);
  }
}

/* The film grows while it is shot. */
static void
read_film (Travel *t)
{
  struct stat st;

  if (!t->film_folder || !t->film)
    return;
  g_autofree char *path = g_build_filename (t->film_folder, "commands", NULL);
  if (stat (path, &st) != 0 || st.st_size == t->film_commands)
    return;
  t->film_commands = st.st_size;
  g_autoptr (GPtrArray) all = film_commands_read (t->film_folder, &t->s->source->clock, G_MAXUINT);
  for (guint i = 0; i < all->len; ++i) {
    const FilmCommand *c = all->pdata[i];
    if (g_str_equal (c->verb, "other") && (c->order || c->name))
      travel_parts_keep (t, c->order ? c->order : c->name, c->event);
  }
}

char *
travel_part (Travel *t)
{
  uint64_t given = drive_given (t->s), first = UINT64_MAX;
  char *part = NULL;

  if (!t->s->controller)
    return NULL;
  read_film (t);
  for (guint i = 0; i < t->ordered->len; ++i) {
    const Ordered *o = &g_array_index (t->ordered, Ordered, i);
    if (o->event > given || o->event >= first)
      continue;
    char *wanted = extend_wanted (t->s, &(TraceCommand){ .verb = TRACE_OTHER }, o->order);
    if (wanted) {
      g_free (part);
      part = wanted;
      first = o->event;
    }
  }
  return part;
}

bool
travel_extend (Travel *t, void (*tell) (void *arg, const char *sentence), void *arg, GError **error)
{
  for (char *part; (part = travel_part (t)); g_free (part)) {
    uint64_t trace, plan;
    Target goal = t->goal;
    extend_tell (t->s, part, _ ("all is worked out with it"), tell, arg);
    eve_program_clear_failure (t->s->program);
    g_autofree char *folder = film_folder (t->s, &trace, &plan, error);
    bool ok = folder != NULL;
    if (ok)
      travel_use_film (t, NULL, trace, plan);
    ok = ok && travel_go (t, &goal, error);
    if (!ok) {
      g_free (part);
      return false;
    }
  }
  return true;
}
