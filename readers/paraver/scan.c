/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - what the records at the beginning of a Paraver trace tell of all of them.
 *
 * Value 0 ends a call.  Calls of one type may be inside of each other, as functions are: then each is ended by a 0 of
 * its own.  Or each is over when the next one begins, as the steps of a lock are: then one 0 ends them all.  No file
 * says which it is, but the records show it: only where calls nest does a 0 follow upon a 0. */
#include <string.h>

#include "eve/disk.h"
#include "readers/paraver/paraver.h"
#include "readers/pair.h"

#define LOOKED_AT (2 * DISK_MIB)

typedef struct Habit {    /* of a type, over all threads */
  uint32_t ends;          /* 0 behind a value */
  uint32_t ends_of_outer; /* 0 behind 0 */
  uint32_t begins_inside; /* a value behind a value */
} Habit;

typedef struct Scan {
  GHashTable *last;   /* thread and type, as 64 bits -> 1: 0, 2: a value */
  GHashTable *habits; /* number of a type -> Habit */
} Scan;

static void
paraver_scan_look_at (Scan *s, uint64_t thread, int64_t type, int64_t value)
{
  gint64 key = (gint64) (thread * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) type);
  guint last = GPOINTER_TO_UINT (g_hash_table_lookup (s->last, &key)), now = value == 0 ? 1 : 2;
  Habit *h = g_hash_table_lookup (s->habits, GINT_TO_POINTER ((gint) type));

  if (!h)
    g_hash_table_insert (s->habits, GINT_TO_POINTER ((gint) type), h = g_new0 (Habit, 1));
  h->ends += last == 2 && now == 1;
  h->ends_of_outer += last == 1 && now == 1;
  h->begins_inside += last == 2 && now == 2;
  if (last != now)
    g_hash_table_insert (s->last, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (now));
}

/* "2:cpu:appl:task:thread:date:type:value..." */
static void
look_at_events (Scan *s, const char *at)
{
  int64_t who[5], type, value;
  uint64_t thread = 0;

  for (int i = 0; i < 5; i++) {
    if (*at != ':' || (at++, !paraver_number (&at, &who[i])))
      return;
    thread = i > 0 && i < 4 ? thread * 1000003 + (uint64_t) who[i] : thread;
  }
  while (*at++ == ':') {
    if (!paraver_number (&at, &type) || *at++ != ':' || !paraver_number (&at, &value))
      return;
    paraver_scan_look_at (s, thread, type, value);
  }
}

bool
paraver_scan (Paraver *p, const char *path)
{
  g_autofree char *head = g_malloc (LOOKED_AT + 1);
  size_t n = input_head (path, head, LOOKED_AT);
  Scan s = { g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL),
             g_hash_table_new_full (NULL, NULL, NULL, g_free) };
  bool has_states = false;
  GHashTableIter iter;
  gpointer number, h;

  head[n] = '\0';
  const char *end = head + strlen (head); /* it may hold a byte 0 */
  for (const char *line = head; line; line = memchr (line, '\n', (size_t) (end - line))) {
    line += *line == '\n';
    has_states = has_states || (line[0] == '1' && line[1] == ':');
    if (line[0] == '2')
      look_at_events (&s, line + 1);
  }
  g_hash_table_iter_init (&iter, s.habits);
  while (g_hash_table_iter_next (&iter, &number, &h)) {
    const Habit *habit = h;
    if (habit->begins_inside > 0 && habit->ends_of_outer == 0 && habit->begins_inside >= habit->ends / 2)
      paraver_type (p->names, GPOINTER_TO_UINT (number))->replaces = true;
    paraver_ended (p->names, GPOINTER_TO_UINT (number), habit->ends);
  }
  g_hash_table_unref (s.last);
  g_hash_table_unref (s.habits);
  return has_states;
}
