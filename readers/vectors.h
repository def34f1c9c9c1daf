/* SPDX-License-Identifier: Apache-2.0 */
/* vectors.h - vectors of 32 bytes, where the processor has them: a function marked WIDE is compiled for them, and is
 * called only where has_vectors() is true.  For other processors it is a function as any.  Any thread. */
#pragma once
#include <stdbool.h>
#if defined(__x86_64__)
#include <immintrin.h>

#define WIDE __attribute__ ((target ("avx2,bmi,bmi2,popcnt")))
#else
#define WIDE
#endif

static inline bool
has_vectors (void)
{
#if defined(__x86_64__)
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
         && __builtin_cpu_supports ("popcnt");
#else
  return false;
#endif
}
