/* SPDX-License-Identifier: Apache-2.0 */
/* frame-rows.h - what tasks are inside of, as rows of a history of states: one for each task and depth.  Engine thread
 * only. */
#pragma once
#include "views/history.h"

#define FRAME_DEPTHS 64       /* deeper ones have no rows */
#define FRAME_ROWS (1u << 20) /* nor have tasks beyond so many */
#define FRAME_NO_ROW UINT32_MAX

typedef struct FrameRow {
  uint32_t task, depth;
  uint32_t deeper; /* the row of the same task one deeper, or FRAME_NO_ROW */
} FrameRow;

typedef struct FrameRows {
  GArray *rows;    /* of FrameRow, in the order in which they came */
  GArray *first;   /* uint32_t, by task: its row of depth 0, or FRAME_NO_ROW */
  uint64_t beyond; /* frames that have no row */
} FrameRows;

TRACE_API void frame_rows_init (FrameRows *f);
TRACE_API void frame_rows_clear (FrameRows *f);
/* The row of a depth of a task, made with those above it; FRAME_NO_ROW: there are too many. */
TRACE_API uint32_t frame_rows_of (FrameRows *f, uint32_t task, uint32_t depth);
/* The small file beside the history that says what its rows are. */
TRACE_API bool frame_rows_write (const FrameRows *f, const char *path, GError **error);
/* Into an empty one; false: it is not there, or damaged: *problem is a sentence then, g_free, or NULL. */
TRACE_API bool frame_rows_read (FrameRows *f, const char *path, char **problem);
/* For run states: the same in few bytes. */
TRACE_API void frame_rows_save (const FrameRows *f, EveBlob *to);
TRACE_API bool frame_rows_load (FrameRows *f, EveBlobView *from);
