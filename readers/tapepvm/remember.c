/* SPDX-License-Identifier: Apache-2.0 */
/* remember.c - what the check of a large file found is remembered, so that opening it again need not read it
 * (eve/remember.h).  Its line goes on with the table of kinds, on which the check depends, and what was found. */
#include "readers/tapepvm/tapepvm.h"
#include "eve/words.h"
#include "eve/remember.h"
#include <inttypes.h>
#include <stdio.h>

#define STORE "tapepvm-checks"
enum { VERSION = 3 }; /* of the grammar and of the line: raise it when either changes */

static uint64_t
tapepvm_remember_sum (uint64_t h, const void *bytes, size_t n)
{
  for (const uint8_t *p = bytes; n--; p++) /* FNV-1a */
    h = (h ^ *p) * UINT64_C (0x100000001b3);
  return h;
}
#define SUM_BEGIN UINT64_C (0xcbf29ce484222325)

/* All that the check depends on. */
static uint64_t
sum_of_table (const TpTable *t)
{
  uint64_t h = tapepvm_remember_sum (SUM_BEGIN, t->header, t->n_header);
  h = tapepvm_remember_sum (h, &t->ticks_per_second, sizeof t->ticks_per_second);
  for (uint32_t i = 0; i < t->n_kinds; i++) {
    const TraceKind *k = &t->kinds[i];
    const uint8_t what[] = { (uint8_t) t->details[i].number, (uint8_t) (t->details[i].number >> 8), k->instant,
                             t->details[i].enroll, (uint8_t) k->n_fields };
    h = tapepvm_remember_sum (h, what, sizeof what);
    for (uint32_t f = 0; f < k->n_fields; f++) {
      uint8_t role = (uint8_t) k->fields[f].role;
      h = tapepvm_remember_sum (h, &role, 1);
    }
  }
  return h;
}

/* The beginning of the file's line; NULL if it is not to be remembered.  *same: how much of it stays when the file
 * changes. */
static char *
tapepvm_remember_identity (const TpTable *t, int fd, uint64_t size, size_t *same)
{
  g_autofree char *file = remember_file (fd, size, same);

  return file ? g_strdup_printf ("%s%d %016" G_GINT64_MODIFIER "x ", file, VERSION, (guint64) sum_of_table (t)) : NULL;
}

/* What no check of a file of that size can have found is not believed, whoever wrote it. */
static bool
can_be (const TpCheck *c, uint64_t size)
{
  return c->n_records <= size && c->n_events <= 2 * size
         && (c->n_events == 0 || (c->first <= c->last && c->reached <= c->last));
}

#define NUMBERS 6 /* of the line */

static bool
tapepvm_remember_recall (const char *file, uint64_t size, TpCheck *c)
{
  g_autofree char *rest = remember_recall (STORE, file);
  char more;
  int ordered = 0;

  *c = TP_CHECK_NOTHING;
  int n = rest ? sscanf (rest, "%d %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64 "%c", &ordered,
                         &c->n_records, &c->n_events, &c->first, &c->last, &c->reached, &more)
               : 0;
  c->ordered = ordered != 0;
  return n == NUMBERS && can_be (c, size);
}

static void
tapepvm_remember_keep (const char *file, size_t same, const TpCheck *c)
{
  g_autofree char *rest = g_strdup_printf ("%d %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64, c->ordered,
                                           c->n_records, c->n_events, c->first, c->last, c->reached);

  remember_keep (STORE, file, same, rest);
}

bool
tp_check_once (const TpTable *t, int fd, uint64_t size, const TraceProgress *progress, TpCheck *c, GError **error)
{
  size_t same = 0;
  g_autofree char *file = tapepvm_remember_identity (t, fd, size, &same);
  if (file && tapepvm_remember_recall (file, size, c)) {
    eve_log ("reader.tapepvm", 3, "the check of the events is known");
    return tp_report (progress, _ ("checking the events"), 1, error);
  }
  if (!tp_check (t, fd, size, progress, c, error))
    return false;
  g_autofree char *after = tapepvm_remember_identity (t, fd, size, &same);
  if (file && g_strcmp0 (file, after) == 0) /* nobody wrote to it meanwhile */
    tapepvm_remember_keep (file, same, c);
  return true;
}
