/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - numbers in files: of fixed width, the least significant byte first on every machine; and a hash of bytes.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Written so that compilers make one move of each. */
static inline void
bytes_put16 (uint8_t *at, uint16_t v)
{
  at[0] = (uint8_t) v;
  at[1] = (uint8_t) (v >> 8);
}

static inline void
bytes_put32 (uint8_t *at, uint32_t v)
{
  at[0] = (uint8_t) v;
  at[1] = (uint8_t) (v >> 8);
  at[2] = (uint8_t) (v >> 16);
  at[3] = (uint8_t) (v >> 24);
}

static inline void
bytes_put64 (uint8_t *at, uint64_t v)
{
  at[0] = (uint8_t) v;
  at[1] = (uint8_t) (v >> 8);
  at[2] = (uint8_t) (v >> 16);
  at[3] = (uint8_t) (v >> 24);
  at[4] = (uint8_t) (v >> 32);
  at[5] = (uint8_t) (v >> 40);
  at[6] = (uint8_t) (v >> 48);
  at[7] = (uint8_t) (v >> 56);
}

static inline uint16_t
bytes_get16 (const uint8_t *at)
{
  return (uint16_t) (at[0] | at[1] << 8);
}

static inline uint32_t
bytes_get32 (const uint8_t *at)
{
  return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

static inline uint64_t
bytes_get64 (const uint8_t *at)
{
  return (uint64_t) at[0] | (uint64_t) at[1] << 8 | (uint64_t) at[2] << 16 | (uint64_t) at[3] << 24
         | (uint64_t) at[4] << 32 | (uint64_t) at[5] << 40 | (uint64_t) at[6] << 48 | (uint64_t) at[7] << 56;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine.  For headers and identities, not for large blocks. */
static inline uint64_t
bytes_fnv (const void *from, size_t n)
{
  const uint8_t *at = from;
  uint64_t h = UINT64_C (14695981039346656037);

  for (size_t i = 0; i < n; i++)
    h = (h ^ at[i]) * UINT64_C (1099511628211);
  return h;
}
