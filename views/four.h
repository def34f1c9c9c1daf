/* SPDX-License-Identifier: Apache-2.0 */
/* four.h - four numbers that are reckoned with together; compilers make vectors of them, or do them one by one. */
#pragma once
#include <string.h>

typedef float Four __attribute__ ((vector_size (16)));

/* The four from there on, which need no alignment. */
static inline Four
four_at (const float *from)
{
  Four f;

  memcpy (&f, from, sizeof f);
  return f;
}
