/* SPDX-License-Identifier: Apache-2.0 */
/* moving.h - several pictures of one size in a file that moves, or as files with numbers.  Main thread only.
 *
 * By the ending of the path: ".gif" by giflib, if Scope was built with it; ".webm" by the program ffmpeg, if it is
 * there; ".png": "turn.png" becomes "turn-001.png", "turn-002.png", ...  A file that moves appears when it is whole. */
#pragma once
#include <cairo.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define MOVING_MOST 10000 /* pictures */

typedef struct Moving Moving;

/* Whether there is something that writes files of this ending; else a sentence in *error. */
bool moving_can (const char *path, GError **error);
/* `n` pictures, `rate` of them a second.  NULL and an error: it cannot be written. */
Moving *moving_begin (const char *path, uint32_t n, double rate, GError **error);
/* Where to write the next picture, as a file; g_free.  NULL: it is given as pixels, to moving_add(). */
char *moving_next_path (Moving *m);
/* The next picture, CAIRO_FORMAT_RGB24; all are as large as the first.  False and an error: it was not taken. */
bool moving_add (Moving *m, cairo_surface_t *picture, GError **error);
/* After the last picture: the file is there now. */
bool moving_end (Moving *m, GError **error);
/* What was not ended leaves no file that moves; pictures with numbers stay. */
void moving_free (Moving *m);
