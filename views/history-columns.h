/* SPDX-License-Identifier: Apache-2.0 */
/* history-columns.h - rows of 32-bit numbers packed to few bits, column by column.
 *
 * Ticks, tasks and sizes are small numbers of many lengths.  A column says which lengths its numbers have in it, eight
 * at most; a number is then the code of its length, and as many bits.  Bits that are zero in all numbers of a column,
 * side by side, are left out.  It costs a tenth of what zstd does, and packs such numbers as well. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define HISTORY_COLUMNS_MOST 16
/* Bytes that packing so many bytes may need. */
uint32_t history_columns_bound (uint32_t bytes, uint32_t columns);
/* `data`: rows of `columns` numbers each, least significant byte first; `bytes` is a whole number of rows.  The bytes
 * written to `to`, which has room for the bound. */
uint32_t history_columns_pack (const void *data, uint32_t bytes, uint32_t columns, uint8_t *to);
/* The same, bit for bit, without vectors, as on machines that have none. */
uint32_t history_columns_pack_plain (const void *data, uint32_t bytes, uint32_t columns, uint8_t *to);
/* False: what is packed is not so many bytes of rows.  Anything may be in it. */
bool history_columns_unpack (const void *packed, uint32_t n, uint32_t columns, void *to, uint32_t bytes);
