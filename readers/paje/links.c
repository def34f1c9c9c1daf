/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - the links of a Pajé trace.  Who gets one is known when it ends, so its begin is given only then, at the
 * place that it has among the events of its date. */
#include "readers/paje/paje.h"

static void
free_link (void *l)
{
  g_free (((Link *) l)->value);
  g_free (l);
}

void
paje_free_queue (void *q)
{
  g_queue_free_full (q, free_link);
}

/* One half of a link; `other` is the other one, if it is known. */
static void
give_half (Paje *p, Link *l, const Link *other)
{
  converter_text (p->to, l->value, strlen (l->value));
  for (uint32_t i = 0; i < l->n_others; i++)
    converter_none (p->to);
  l->event.peer = other ? other->event.task : TRACE_NONE;
  converter_event_at (p->to, &l->event, l->place);
}

static uint32_t
n_others (const Definition *d)
{
  uint32_t n = 0;

  for (int i = 0; i < d->n_fields; i++)
    n += d->names[i] == OTHER;
  return n;
}

void
paje_link (Paje *p, const Definition *d, const Container *c, int64_t date)
{
  bool starts = d->verb == START_LINK;
  const char *type = paje_field (p, d, TYPE), *value = paje_field (p, d, VALUE), *key = paje_field (p, d, KEY);
  const char *size = paje_field (p, d, SIZE);
  g_autofree char *name = g_strconcat (type, "\n", value ? value : "", "\n", key ? key : "", NULL);
  GHashTable *others = starts ? p->ends : p->starts, *mine = starts ? p->starts : p->ends;
  GQueue *waiting = g_hash_table_lookup (others, name);
  Link *l = g_new0 (Link, 1), *partner = waiting ? g_queue_pop_head (waiting) : NULL;
  l->value = g_strdup (value ? value : "");
  l->line = input_line_number (p->in);
  l->place = converter_place (p->to);
  l->event = (TraceEvent){ .date = date,
                           .task = c->task,
                           .kind = (uint16_t) d->kind,
                           .flags = TRACE_INSTANT,
                           .size = size ? g_ascii_strtoll (size, NULL, 10) : 0,
                           .object = TRACE_NONE };
  l->n_others = n_others (d);
  if (!partner) {
    GQueue *q = g_hash_table_lookup (mine, name);
    if (!q)
      g_hash_table_insert (mine, g_strdup (name), q = g_queue_new ());
    g_queue_push_tail (q, l);
    return;
  }
  if (g_queue_is_empty (waiting))
    g_hash_table_remove (others, name);
  Link *start = starts ? l : partner, *end = starts ? partner : l;
  start->event.tag = end->event.tag = (int32_t) (p->n_links++ & INT32_MAX);
  end->event.size = start->event.size;
  give_half (p, start, end);
  give_half (p, end, start);
  free_link (l);
  free_link (partner);
}

/* Nobody got these, or nobody sent them. */
void
paje_half_links (Paje *p)
{
  GHashTableIter iter;
  gpointer q;
  uint64_t n = 0, line = UINT64_MAX;

  for (int side = 0; side < 2; side++) {
    g_hash_table_iter_init (&iter, side == 0 ? p->starts : p->ends);
    while (g_hash_table_iter_next (&iter, NULL, &q))
      for (Link *l; (l = g_queue_pop_head (q)); free_link (l), n++) {
        line = MIN (line, l->line);
        l->event.tag = -1;
        give_half (p, l, NULL);
      }
  }
  if (n > 0) {
    trace_source_damage (p->source, p->file, line, 1,
                         "%" G_GUINT64_FORMAT " link%s began or ended alone, the first here: it is not known who %s", n,
                         n == 1 ? "" : "s", "got or sent it");
    p->source->n_damaged--; /* the lines themselves are sound */
  }
}
