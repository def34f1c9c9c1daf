/* SPDX-License-Identifier: Apache-2.0 */
/* bytes.h - numbers in files: of fixed width, the least significant byte first on every machine; and a hash of bytes.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

static inline void
bytes_put32 (uint8_t *at, uint32_t v)
{
  for (int i = 0; i < 4; i++)
    at[i] = (uint8_t) (v >> 8 * i);
}

static inline void
bytes_put64 (uint8_t *at, uint64_t v)
{
  for (int i = 0; i < 8; i++)
    at[i] = (uint8_t) (v >> 8 * i);
}

static inline uint32_t
bytes_get32 (const uint8_t *at)
{
  return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

static inline uint64_t
bytes_get64 (const uint8_t *at)
{
  return bytes_get32 (at) | (uint64_t) bytes_get32 (at + 4) << 32;
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
