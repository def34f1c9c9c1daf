/* SPDX-License-Identifier: Apache-2.0 */
/* select.h - a part of what is sorted, without sorting the rest: the hundred rows that are seen of a million. */
#pragma once
#include <glib.h>
#include <stdint.h>
#include "readers/event.h"

/* Puts indices so that those at the places from `from` up to `to` (behind the last) stand there as if all n were
 * sorted; the others stand on their side of them, in any order.  `compare` is given pointers to two indices and `data`,
 * and makes no two of them equal.  Any thread. */
TRACE_API void stats_sort_part (uint32_t *index, uint32_t n, uint32_t from, uint32_t to, GCompareDataFunc compare,
                                void *data);
