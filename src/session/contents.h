/* SPDX-License-Identifier: Apache-2.0 */
/* contents.h - what is in a large file, told by a sum that is not worked out again while the file is the same.  Any
 * thread, but one at a time for each file. */
#pragma once
#include <glib.h>

/* SHA-256 of a plain file, 64 digits; g_free.  Of a file of more than 4 MiB it is that of the sums, 32 bytes each, of
 * its pieces of 4 MiB, which several threads work out at once.  It is remembered (eve/remember.h), so that a file which
 * nobody has touched is read once.  NULL: it cannot be read. */
char *contents_sum (const char *path);
