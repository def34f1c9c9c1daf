/* SPDX-License-Identifier: Apache-2.0 */
/* contents.h - what is in a large file, told by a sum that is not worked out again while the file is the same.  Any
 * thread, but one at a time for each file. */
#pragma once
#include <glib.h>

/* SHA-256 of a plain file, 64 digits; g_free.  Of a file of more than 4 MiB it is that of the sums, 32 bytes each, of
 * its pieces of 4 MiB, which several threads work out at once.  It is remembered (eve/remember.h), so that a file which
 * nobody has touched is read once.  NULL: it cannot be read. */
char *contents_sum (const char *path);
/* The trace of this folder or file will be asked for in a moment: what of it is large is summed up meanwhile, beside
 * the caller, and remembered as if it had been asked for; contents_sum() waits for that.  Once a process, from the
 * thread that calls contents_sum().  Nothing happens where there is no such trace. */
void contents_sum_early (const char *trace);
/* Nobody has asked, and nobody will. */
void contents_sum_early_end (void);
