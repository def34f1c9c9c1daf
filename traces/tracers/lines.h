/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - from addresses in executable files to source file, line and function.  One thread; what is opened stays
 * open until the process ends. */
#ifndef TAPE_LINES_H
#define TAPE_LINES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Line {
  int line;
  char *file, *function; /* free () both; function may be NULL */
} Line;

/* The number of an executable file. */
int lines_file (const char *path);
/* What lies at an offset of it: of a call give the return address less one, as that may belong to the next line.
 * False: no line is known (built without elfutils, or the file without -g), but `function` may be. */
bool lines_find (int file, uint64_t offset, Line *out);
/* The name of a variable that lies at `distance` bytes from what is at an offset of the file; free () it.  NULL: none.
 */
char *lines_object (int file, uint64_t offset, int64_t distance);

#endif
