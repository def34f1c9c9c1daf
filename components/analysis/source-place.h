/* SPDX-License-Identifier: Apache-2.0 */
/* source-place.h - a kind of call at a line of the source, what it is known by, and its texts, which are its own. */
#pragma once
#include <glib.h>
#include <stdint.h>
#include <string.h>

#define OTHERS UINT16_MAX /* in the place of a kind */

/* A kind of call at a line. */
typedef struct Place {
  char *file, *function; /* function: NULL where nobody knows it; file: NULL at calls that have no line */
  char *call;            /* what is called, or the name that the program gave to a phase */
  uint32_t line;
  uint16_t kind;                /* of its first event; OTHERS: of many */
  int64_t time, alone, longest; /* ticks; alone: without the calls inside of it */
  int64_t calls;
} Place;

static inline guint
hash_place (gconstpointer at)
{
  const Place *p = at;

  return (p->file ? g_str_hash (p->file) : 0) ^ p->line * 2654435761u ^ g_str_hash (p->call) * 40503u;
}

static inline gboolean
same_place (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  return x->line == y->line && strcmp (x->call, y->call) == 0 && g_strcmp0 (x->file, y->file) == 0
         && g_strcmp0 (x->function, y->function) == 0;
}

static inline char *
source_place_text (const char *name)
{
  return name && *name ? g_strdup (name) : NULL;
}

static inline void
clear_place (gpointer place)
{
  Place *p = place;

  g_free (p->file);
  g_free (p->function);
  g_free (p->call);
}
