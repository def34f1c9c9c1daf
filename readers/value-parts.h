/* SPDX-License-Identifier: Apache-2.0 */
/* value-parts.h - the file of values behind events, whose parts have a sum each, in a file beside: who reads values
 * sums up the part that they lie in, once. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define VALUE_PART 65536

typedef struct ValueParts {
  int fd; /* -1: not open */
  uint64_t bytes;
  uint8_t *sums; /* of 8 bytes each, behind the sum of them all */
  uint8_t *room; /* of a part */
  bool *sound;   /* by part: it was read, and is as it was written */
} ValueParts;

/* Opens `values` and `sums` in a folder.  False: they are not there, or not of one another. */
bool value_parts_open (ValueParts *v, const char *folder);
/* n bytes from `at` on, or those up to the end of the file: gives how many; -1: they are not what was written. */
ssize_t value_parts_read (ValueParts *v, void *to, size_t n, uint64_t at);
/* Whether all of them are as they were written. */
bool value_parts_are_sound (ValueParts *v);
void value_parts_close (ValueParts *v);
