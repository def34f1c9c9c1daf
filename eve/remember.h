/* SPDX-License-Identifier: Apache-2.0 */
/* remember.h - what reading all of a large file has told, so that it need not be read again.
 *
 * A store is one small text file of the user's cache, scope/STORE: a line a file, the newest last.  A line begins with
 * what makes a file the same (device, inode, size, both dates of change, to which no program can put an earlier one)
 * and ends with a sum of itself: one that is damaged is nobody's line.  The store is replaced as a whole; of two
 * processes that do so at once one loses its line, and reads its file another time.  Where nothing can be written
 * nothing is remembered.  Any thread. */
#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* The beginning of the line of an open file, which has `size` bytes; g_free.  NULL if it is not to be remembered: small
 * files are soon read, and one that was changed just now may change again within the same tick of the clock.  *same:
 * how many bytes of it stay when the file changes. */
char *remember_file (int fd, uint64_t size, size_t *same);
/* The rest of the line that begins so, g_free; NULL: there is none. */
char *remember_recall (const char *store, const char *begin);
/* Keeps a line, in the place of the others that have its first `same` bytes: `rest` has no line feed. */
void remember_keep (const char *store, const char *begin, size_t same, const char *rest);

#pragma GCC visibility pop
