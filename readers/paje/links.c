/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - the links of a Pajé trace.  Who gets one is known when it ends, so its begin is given only then, at the
 * place that it has among the events of its date. */
#include <string.h>

#include "readers/paje/paje.h"
#include "eve/words.h"

struct Link {
  TraceEvent event;
  uint64_t line, place;
  Link *other_key;   /* of the same bucket; only the oldest link of a key has it */
  Link *younger;     /* of the same key, */
  Link *youngest;    /* and the last of them; only the oldest one knows it */
  uint64_t hash;     /* of the key: type, value and key of the line, with a 0 between */
  uint32_t n_others; /* fields that only this file has: not kept of links */
  uint32_t n_key;
  uint32_t value, n_value; /* where the value is in it */
  char key[];
};

/* ---- links that wait, by their key, the oldest first ---------------------------------------------------------------------- */

/* What leads to the oldest link of a key, or to NULL. */
static Link **
links_place_of (const Links *l, const char *key, size_t n, uint64_t hash)
{
  Link **at = &l->buckets[hash & (l->size - 1)];

  while (*at && !((*at)->hash == hash && (*at)->n_key == n && memcmp ((*at)->key, key, n) == 0))
    at = &(*at)->other_key;
  return at;
}

static void
links_grow (Links *l)
{
  Links larger = { .size = l->size ? 2 * l->size : 64, .used = l->used };

  larger.buckets = g_new0 (Link *, larger.size);
  for (size_t i = 0; i < l->size; i++)
    for (Link *next, *link = l->buckets[i]; link; link = next) {
      Link **to = &larger.buckets[link->hash & (larger.size - 1)];
      next = link->other_key;
      link->other_key = *to;
      *to = link;
    }
  g_free (l->buckets);
  *l = larger;
}

static void
links_keep (Links *l, Link *link)
{
  if (l->used >= l->size)
    links_grow (l);
  Link **at = links_place_of (l, link->key, link->n_key, link->hash);
  link->other_key = link->younger = NULL;
  link->youngest = link;
  if (*at) {
    (*at)->youngest->younger = link;
    (*at)->youngest = link;
  } else {
    *at = link;
    l->used++; /* keys */
  }
}

/* The oldest link of a key, which waits no more; NULL: none does. */
static Link *
links_take (Links *l, const char *key, size_t n, uint64_t hash)
{
  Link **at = l->size > 0 ? links_place_of (l, key, n, hash) : NULL, *link = at ? *at : NULL;

  if (!link)
    return NULL;
  if (link->younger) {
    link->younger->other_key = link->other_key;
    link->younger->youngest = link->youngest;
    *at = link->younger;
  } else {
    *at = link->other_key;
    l->used--;
  }
  return link;
}

void
paje_free_links (Links *l)
{
  for (size_t i = 0; i < l->size; i++)
    for (Link *key = l->buckets[i], *next_key; key; key = next_key) {
      next_key = key->other_key;
      for (Link *link = key, *next; link; link = next) {
        next = link->younger;
        g_free (link);
      }
    }
  g_free (l->buckets);
  *l = (Links){ NULL, 0, 0 };
}

/* ---- lines ------------------------------------------------------------------------------------------------------------------- */

/* One half of a link; `other` is the other one, if it is known. */
static void
give_half (Paje *p, Link *l, const Link *other)
{
  converter_text (p->to, l->key + l->value, l->n_value);
  for (uint32_t i = 0; i < l->n_others; i++)
    converter_none (p->to);
  l->event.peer = other ? other->event.task : TRACE_NONE;
  converter_event_at (p->to, &l->event, l->place);
}

/* The place of the end of a link among the events of its date.  SimGrid writes what MPI_Wait has received behind the
 * end of that call, at its date: it is received in that call. */
static uint64_t
paje_place_of_end (Paje *p, const Container *c, int64_t date)
{
  bool in_it = c->ended == date && c->last != TRACE_NONE
               && trace_word_does (trace_object_id (p->source, c->last)) == TRACE_WAITS;

  return in_it ? c->place : converter_place (p->to);
}

void
paje_link (Paje *p, const Definition *d, const Container *c, int64_t date)
{
  bool starts = d->verb == START_LINK;
  Word type = paje_word (p, d, TYPE), value = paje_word (p, d, VALUE), key = paje_word (p, d, KEY);
  const char *size = paje_field (p, d, SIZE);

  g_string_truncate (p->key, 0);
  g_string_append_len (p->key, type.at, (gssize) type.n + 1); /* each with the 0 behind it */
  g_string_append_len (p->key, value.at ? value.at : "", (gssize) value.n + 1);
  g_string_append_len (p->key, key.at ? key.at : "", (gssize) key.n + 1);
  uint64_t hash = name_table_hash (p->key->str, p->key->len);
  Link *partner = links_take (starts ? &p->ends : &p->starts, p->key->str, p->key->len, hash);
  Link *l = g_malloc (sizeof *l + p->key->len);
  *l = (Link){ .event = { .date = date,
                          .task = c->task,
                          .kind = (uint16_t) d->kind,
                          .flags = TRACE_INSTANT,
                          .size = size ? g_ascii_strtoll (size, NULL, 10) : 0,
                          .object = TRACE_NONE },
               .line = paje_line (p),
               .place = starts ? converter_place (p->to) : paje_place_of_end (p, c, date),
               .hash = hash,
               .n_others = (uint32_t) d->n_others,
               .n_key = (uint32_t) p->key->len,
               .value = (uint32_t) type.n + 1,
               .n_value = (uint32_t) value.n };
  memcpy (l->key, p->key->str, p->key->len);
  if (!partner) {
    links_keep (starts ? &p->starts : &p->ends, l);
    return;
  }
  Link *start = starts ? l : partner, *end = starts ? partner : l;
  start->event.tag = end->event.tag = (int32_t) (p->n_links++ & INT32_MAX);
  end->event.size = start->event.size;
  give_half (p, start, end);
  give_half (p, end, start);
  g_free (l);
  g_free (partner);
}

static gint
links_by_place (gconstpointer a, gconstpointer b)
{
  const Link *x = *(const Link *const *) a, *y = *(const Link *const *) b;

  return (x->place > y->place) - (x->place < y->place);
}

/* Nobody got these, or nobody sent them.  Keys stand in buckets by chance; what is given is in the order of the file,
 * so that it is the same each time. */
void
paje_half_links (Paje *p)
{
  g_autoptr (GPtrArray) halves = g_ptr_array_new ();
  uint64_t line = UINT64_MAX;

  for (int side = 0; side < 2; side++) {
    const Links *l = side == 0 ? &p->starts : &p->ends;
    for (size_t i = 0; i < l->size; i++)
      for (Link *key = l->buckets[i]; key; key = key->other_key)
        for (Link *link = key; link; link = link->younger)
          g_ptr_array_add (halves, link);
  }
  g_ptr_array_sort (halves, links_by_place);
  for (guint i = 0; i < halves->len; i++) {
    Link *link = halves->pdata[i];
    line = MIN (line, link->line);
    link->event.tag = -1;
    give_half (p, link, NULL);
  }
  if (halves->len > 0) {
    uint64_t n = halves->len;
    trace_source_remark (
        p->source, p->file, line, 1,
        P_ ("%" PRIu64 " link began or ended alone, the first here: it is not known who got or sent it",
            "%" PRIu64 " links began or ended alone, the first here: it is not known who got or sent it", n),
        n);
  }
}
