/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - the table of kinds and the lists of events a person writes. */
#include "local.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const TapeKind tape_kinds[] = {
#define KIND(number, name, category, fields) { number, #name, category, fields },
#include "kinds.def"
#undef KIND
};
const unsigned tape_n_kinds = sizeof tape_kinds / sizeof *tape_kinds;

const TapeKind *
tape_kind (unsigned number)
{
  for (unsigned i = 0; i < tape_n_kinds; i++)
    if (tape_kinds[i].number == number)
      return &tape_kinds[i];
  return NULL;
}

static bool
pvm_kinds_same_word (const char *word, size_t length, const char *list)
{
  /* A category may carry the word "instant" behind it. */
  size_t first = strcspn (list, " ");

  return first == length && strncasecmp (word, list, length) == 0;
}

bool
tape_events_parse (const char *list, bool mask[TAPE_KIND_MAX], char *bad, size_t bad_size)
{
  const char *p = list ? list : "";

  /* A list that only leaves things out starts from everything. */
  p += strspn (p, ", ");
  memset (mask, *p == '\0' || *p == '-', TAPE_KIND_MAX * sizeof *mask);
  while (*p) {
    bool on = *p != '-';
    size_t length = strcspn (p += !on, ", ");
    bool found = pvm_kinds_same_word (p, length, "all");

    if (found)
      memset (mask, on, TAPE_KIND_MAX * sizeof *mask);
    for (unsigned i = 0; i < tape_n_kinds; i++)
      if (pvm_kinds_same_word (p, length, tape_kinds[i].name)
          || pvm_kinds_same_word (p, length, tape_kinds[i].category)) {
        mask[tape_kinds[i].number] = on;
        found = true;
      }
    if (!found) {
      if (bad)
        snprintf (bad, bad_size, "%.*s", (int) length, p);
      return false;
    }
    p += length;
    p += strspn (p, ", ");
  }
  mask[TAPE_Enroll] = mask[TAPE_Exit] = true;
  mask[TAPE_MODULES] = false;
  return true;
}
