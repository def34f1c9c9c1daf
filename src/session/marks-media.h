/* SPDX-License-Identifier: Apache-2.0 */
/* marks-media.h - pictures, sounds and films that belong to the notes of marks.  Of the thread that the marks belong
 * to. */
#pragma once
#include "session/marks.h"

#define MARKS_MEDIUM_BYTES (8 << 20) /* at most */
typedef enum { MARKS_PICTURE, MARKS_SOUND, MARKS_FILM } MarksMediumIs;
typedef struct MarksMedium {
  const char *ending, *type; /* ".wav", "audio/wav" */
  MarksMediumIs is;
  const char *begins; /* how such a file begins, from `at` on; NULL: in many ways */
  gsize at;
} MarksMedium;
/* What a file is by its name; static; NULL: none of these. */
const MarksMedium *marks_medium (const char *name);
/* The file of the bundle that a note names; g_free; NULL: it is not there, or lies outside. */
char *marks_file_of (const Marks *m, const char *name);
/* Names of the sounds and films in notes, as these have them: of char *, g_ptr_array_unref; what is not
 * in the bundle too. */
GPtrArray *marks_played (const Marks *m, const char *notes);
/* Copies a picture, sound or film into the folder "marks" of the bundle; its name for notes, "marks/said.wav"; g_free.
 * What is there already, the same byte for byte, is taken once; drawings (.svg) are not, as they may be changed.
 * NULL and a sentence: it is none, too large, damaged, or the bundle takes none. */
char *marks_attach (const Marks *m, const char *path, GError **error);
/* The mark that had these notes is there no more: what they show of the folder "marks", and no mark shows any more, is
 * removed.  Files that cannot be removed stay. */
void marks_forget_media (const Marks *m, const char *notes);
/* The notes with a line more, which shows what is copied so; g_free.  NULL and a sentence, as above. */
char *marks_attach_to_notes (const Marks *m, const char *notes, const char *path, GError **error);
/* A name that no file of the folder "marks" has, "marks/STEM.wav" or "marks/STEM-2.wav"...; g_free; NULL: all of some
 * hundred are taken. */
char *marks_free_name (const Marks *m, const char *stem, const char *ending);
/* A file of the folder "marks" of the bundle, named "marks/NAME", is put there, or what was there replaced. */
bool marks_put (const Marks *m, const char *name, const char *bytes, gsize n, GError **error);
