/* SPDX-License-Identifier: Apache-2.0 */
/* story-compare.c - two ranges beside each other: what of messages and waits differs, in all and by row. */
#include <math.h>
#include <string.h>
#include "document/story.h"
#include "eve/number.h"
#include "eve/words.h"
#include "views/paint.h"

#define NAMED_MOST 3 /* rows that one of the two has alone */

static bool
story_row_does (const StoryRow *row)
{
  bool does = row->sent > 0 || row->received > 0;

  for (guint i = 0; i <= STORY_STATES && !does; ++i)
    does = row->time[i] > 0;
  return does;
}

GPtrArray *
story_rows (const Story *s, const Story *beside)
{
  g_autoptr (GHashTable) there = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *listed = g_ptr_array_new ();

  for (guint i = 0; beside && i < beside->rows->len; ++i) {
    StoryRow *row = beside->rows->pdata[i];
    if (story_row_does (row))
      g_hash_table_add (there, row->name);
  }
  for (guint i = 0; i < s->rows->len; ++i) {
    StoryRow *row = s->rows->pdata[i];
    if (story_row_does (row) || g_hash_table_contains (there, row->name))
      g_ptr_array_add (listed, row);
  }
  return listed;
}

static double
story_seconds (const Story *s, double ticks)
{
  return ticks / (double) s->clock.ticks_per_second;
}

static double
waits_more (const Story *s, const StoryRow *now, const Story *kept, const StoryRow *before)
{
  return (now ? story_seconds (s, now->waits) : 0) - (before ? story_seconds (kept, before->waits) : 0);
}

static double
received_more (const StoryChange *c)
{
  return (c->now ? (double) c->now->received : 0) - (c->before ? (double) c->before->received : 0);
}

/* Those whose waits differ most, then whose messages do. */
static int
story_compare_order (const void *a, const void *b)
{
  const StoryChange *x = *(StoryChange *const *) a, *y = *(StoryChange *const *) b;
  double by_waits = fabs (y->waits) - fabs (x->waits),
         by_received = fabs (received_more (y)) - fabs (received_more (x));

  return by_waits != 0      ? (by_waits > 0) - (by_waits < 0)
         : by_received != 0 ? (by_received > 0) - (by_received < 0)
                            : strcmp (x->name, y->name);
}

static void
story_compare_add (GPtrArray *to, const Story *s, const StoryRow *now, const Story *kept, const StoryRow *before)
{
  StoryChange *c = g_new0 (StoryChange, 1);

  *c = (StoryChange){ now ? now->name : before->name, now, before, waits_more (s, now, kept, before) };
  g_ptr_array_add (to, c);
}

GPtrArray *
story_changes (const Story *s, const Story *kept)
{
  g_autoptr (GHashTable) before = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *changes = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < kept->rows->len; ++i) {
    StoryRow *row = kept->rows->pdata[i];
    if (story_row_does (row))
      g_hash_table_insert (before, row->name, row);
  }
  for (guint i = 0; i < s->rows->len; ++i) {
    const StoryRow *row = s->rows->pdata[i], *then = g_hash_table_lookup (before, row->name);
    if (then || story_row_does (row))
      story_compare_add (changes, s, row, kept, then);
    if (then)
      g_hash_table_remove (before, row->name);
  }
  for (guint i = 0; i < kept->rows->len; ++i) /* whom this range does not know */
    if (g_hash_table_lookup (before, ((StoryRow *) kept->rows->pdata[i])->name) == kept->rows->pdata[i])
      story_compare_add (changes, s, NULL, kept, kept->rows->pdata[i]);
  g_ptr_array_sort (changes, story_compare_order);
  return changes;
}

/* ---- in words ---------------------------------------------------------------------------------------------------------- */

/* A minus as people write it; what comes to nothing has no sign. */
static char *
story_compare_signed (double by, const char *size)
{
  return g_strconcat (by < 0 ? "\u2212" : by > 0 ? "+" : "", size, NULL);
}

char *
story_points_text (double share)
{
  double tenths = round (1000 * share);
  g_autofree char *n = number_local (g_strdup_printf ("%.1f", fabs (tenths) / 10)),
                  *more = story_compare_signed (tenths, n);

  return g_strdup_printf (_ ("%s pp"), more);
}

/* "+12", "−3" */
static char *
more_count (uint64_t now, uint64_t before)
{
  g_autofree char *n = scope_number (now > before ? now - before : before - now);

  return story_compare_signed (now < before ? -1 : now > before, n);
}

static char *
more_bytes (int64_t now, int64_t before)
{
  g_autofree char *n = paint_bytes (fabs ((double) now - (double) before));

  return story_compare_signed (now < before ? -1 : now > before, n);
}

static char *
more_time (const Story *s, double seconds)
{
  g_autofree char *n = axis_duration (&s->clock, fabs (seconds) * (double) s->clock.ticks_per_second);

  return story_compare_signed (seconds, n);
}

char *
story_change_text (const Story *s, const StoryChange *c)
{
  g_autofree char *waits = more_time (s, c->waits),
                  *received = more_count (c->now ? c->now->received : 0, c->before ? c->before->received : 0);

  if (!s->has_messages)
    return g_strdup_printf (_ ("waits %s"), waits);
  return g_strdup_printf (_ ("waits %s, received %s"), waits, received);
}

/* Three digits that count. */
static char *
story_compare_rate (double n)
{
  return n >= 100 ? scope_number ((uint64_t) llround (n)) : number_local (g_strdup_printf ("%.3g", n));
}

static void
put_rates (GString *to, const Story *s, const Story *kept)
{
  double now = story_seconds (s, (double) s->to - (double) s->from),
         before = story_seconds (kept, (double) kept->to - (double) kept->from);

  if (now <= 0 || before <= 0 || fabs (now - before) <= 1e-3 * before) /* as long: the counts say it */
    return;
  g_autofree char *a = story_compare_rate ((double) s->all->received / now),
                  *b = story_compare_rate ((double) kept->all->received / before);
  g_string_append_printf (to, _ ("Received per second: %s, before %s\n"), a, b);
}

/* "Only here: fft 2, fft 3 +4" */
static void
put_alone (GString *to, const GPtrArray *changes, bool here)
{
  guint n = 0;

  for (guint i = 0; i < changes->len; ++i) {
    const StoryChange *c = changes->pdata[i];
    bool now = c->now && story_row_does (c->now);
    if (here ? !now || c->before != NULL : now || c->before == NULL)
      continue;
    if (n++ < NAMED_MOST)
      g_string_append_printf (to, "%s%s", n > 1 ? ", " : here ? _ ("Only here: ") : _ ("Only before: "), c->name);
  }
  if (n > NAMED_MOST)
    g_string_append_printf (to, " +%u", n - NAMED_MOST);
  if (n > 0)
    g_string_append_c (to, '\n');
}

char *
story_changes_text (const Story *s, const Story *kept, const GPtrArray *changes)
{
  GString *to = g_string_new (NULL);
  const StoryRow *now = s->all, *before = kept->all;

  if (s->has_messages && kept->has_messages) {
    g_autofree char *received = more_count (now->received, before->received),
                    *bytes = more_bytes (now->received_bytes, before->received_bytes),
                    *sent = more_count (now->sent, before->sent);
    g_string_append_printf (to, _ ("Messages received %s, %s; sent %s\n"), received, bytes, sent);
    put_rates (to, s, kept);
  }
  if (now->lives > 0 && before->lives > 0 && (now->waits > 0 || before->waits > 0)) {
    g_autofree char *waits = more_time (s, waits_more (s, now, kept, before)),
                    *points = story_points_text (now->waits / now->lives - before->waits / before->lives);
    g_string_append_printf (to, _ ("Waits %s, %s of life\n"), waits, points);
  }
  if (s->by == kept->by) {
    put_alone (to, changes, true);
    put_alone (to, changes, false);
  }
  if (to->len > 0)
    g_string_truncate (to, to->len - 1);
  return g_string_free (to, FALSE);
}
