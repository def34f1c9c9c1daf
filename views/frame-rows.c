/* SPDX-License-Identifier: Apache-2.0 */
#include "views/frame-rows.h"
#include "eve/words.h"

#include <string.h>

#define HEAD "calls 1\n" /* the first line of the file */

void
frame_rows_init (FrameRows *f)
{
  *f = (FrameRows){ .rows = g_array_new (FALSE, FALSE, sizeof (FrameRow)),
                    .first = g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
}

void
frame_rows_clear (FrameRows *f)
{
  if (f->rows == NULL)
    return;
  g_array_unref (f->rows);
  g_array_unref (f->first);
  *f = (FrameRows){ NULL, NULL, 0 };
}

static uint32_t
frame_rows_add (FrameRows *f, uint32_t task, uint32_t depth)
{
  FrameRow row = { task, depth, FRAME_NO_ROW };

  if (f->rows->len >= FRAME_ROWS)
    return FRAME_NO_ROW;
  g_array_append_val (f->rows, row);
  return f->rows->len - 1;
}

uint32_t
frame_rows_of (FrameRows *f, uint32_t task, uint32_t depth)
{
  const uint32_t none = FRAME_NO_ROW;

  if (depth >= FRAME_DEPTHS || task >= FRAME_ROWS)
    return FRAME_NO_ROW;
  while (f->first->len <= task)
    g_array_append_val (f->first, none);
  uint32_t *first = &g_array_index (f->first, uint32_t, task);
  if (*first == FRAME_NO_ROW)
    *first = frame_rows_add (f, task, 0);
  uint32_t row = *first;
  for (uint32_t d = 1; d <= depth && row != FRAME_NO_ROW; d++) {
    uint32_t deeper = g_array_index (f->rows, FrameRow, row).deeper;
    if (deeper == FRAME_NO_ROW && (deeper = frame_rows_add (f, task, d)) != FRAME_NO_ROW)
      g_array_index (f->rows, FrameRow, row).deeper = deeper;
    row = deeper;
  }
  return row;
}

/* Rows come in the order of their numbers: each is one deeper than one of its task that is there. */
static bool
frame_rows_add_known (FrameRows *f, uint64_t task, uint64_t depth)
{
  uint32_t n = f->rows->len;

  return task < FRAME_ROWS && depth < FRAME_DEPTHS && frame_rows_of (f, (uint32_t) task, (uint32_t) depth) == n;
}

bool
frame_rows_write (const FrameRows *f, const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new (HEAD);

  for (guint i = 0; i < f->rows->len; i++) {
    const FrameRow *r = &g_array_index (f->rows, FrameRow, i);
    g_string_append_printf (text, "%u %u\n", r->task, r->depth);
  }
  if (f->beyond > 0)
    g_string_append_printf (text, _ ("beyond %" PRIu64 "\n"), f->beyond);
  return names_file_write (path, text, error);
}

bool
frame_rows_read (FrameRows *f, const char *path, char **problem)
{
  g_autofree char *text = names_file_read (path, problem);
  bool ok = text != NULL && g_str_has_prefix (text, HEAD);
  const char *stop = ok ? text + strlen (text) : NULL;

  for (const char *line = ok ? text + strlen (HEAD) : NULL; ok && line < stop;) {
    char *end;
    if (g_str_has_prefix (line, "beyond "))
      f->beyond = g_ascii_strtoull (line + strlen ("beyond "), &end, 10);
    else {
      uint64_t task = g_ascii_strtoull (line, &end, 10);
      ok = *end == ' ' && frame_rows_add_known (f, task, g_ascii_strtoull (end + 1, &end, 10));
    }
    ok = ok && *end == '\n';
    line = end + 1;
  }
  return ok;
}

void
frame_rows_save (const FrameRows *f, EveBlob *to)
{
  eve_put_int (to, (int64_t) f->beyond);
  eve_put_int (to, f->rows->len);
  for (guint i = 0; i < f->rows->len; i++) {
    const FrameRow *r = &g_array_index (f->rows, FrameRow, i);
    eve_put_int (to, (int64_t) r->task << 8 | r->depth);
  }
}

bool
frame_rows_load (FrameRows *f, EveBlobView *from)
{
  f->beyond = (uint64_t) eve_get_int (from);
  for (int64_t n = eve_get_int (from); n > 0; n--) {
    int64_t row = eve_get_int (from);
    if (!eve_get_ok (from) || row < 0 || !frame_rows_add_known (f, (uint64_t) row >> 8, (uint64_t) row & 255))
      return false;
  }
  return eve_get_ok (from);
}
