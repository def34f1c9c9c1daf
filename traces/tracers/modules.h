/* SPDX-License-Identifier: Apache-2.0 */
/* modules.h - which executable files a recorded process had, and where: from an address to a place in one of them.  One
 * thread. */
#ifndef TAPE_MODULES_H
#define TAPE_MODULES_H

#include <glib.h>
#include <stdint.h>

typedef struct Module {
  uint64_t begin, end, offset; /* addresses, the last one not in it; where in the file `begin` lies */
  int file;                    /* of lines.h */
} Module;

/* Adds those that a text names, a line each: "BEGIN END OFFSET PATH", numbers in base 16; what is no file is passed
 * over. `modules`: of Module. */
void modules_read (GArray *modules, const char *text);
/* The one that an address lies in; NULL: in none. */
const Module *modules_find (const GArray *modules, uint64_t address);

#endif
