/* SPDX-License-Identifier: Apache-2.0 */
/* four.h - four numbers that are reckoned with together; compilers make vectors of them, or do them one by one. */
#pragma once
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float Four __attribute__ ((vector_size (16)));
typedef int32_t FourWhole __attribute__ ((vector_size (16)));
typedef uint32_t FourNumbers __attribute__ ((vector_size (16)));
typedef uint64_t TwoBits __attribute__ ((vector_size (16)));

/* The lower and the upper halves of two and two. */
static inline FourNumbers
four_lower (TwoBits a, TwoBits b)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_shufflevector ((FourNumbers) a, (FourNumbers) b, 0, 2, 4, 6);
#else
  return __builtin_shufflevector ((FourNumbers) a, (FourNumbers) b, 1, 3, 5, 7);
#endif
}

static inline FourNumbers
four_upper (TwoBits a, TwoBits b)
{
  return four_lower (a >> 32, b >> 32);
}

/* The four from there on, which need no alignment. */
static inline Four
four_at (const float *from)
{
  Four f;

  memcpy (&f, from, sizeof f);
  return f;
}

/* Each of them within [0, 1]. */
static inline Four
four_part (Four f)
{
#if defined(__SSE2__)
  return (Four) _mm_min_ps (_mm_max_ps ((__m128) f, _mm_setzero_ps ()), _mm_set1_ps (1));
#else
  for (int i = 0; i < 4; i++)
    f[i] = f[i] < 0 ? 0 : f[i] > 1 ? 1 : f[i];
  return f;
#endif
}
