/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - the parts of recordings of values, and the files they are made of: README.md. */
#pragma once
#include <string.h>
#include "eve/bytes.h"
#include "readers/values.h"

#define VALUES_VERSION 1
#define VALUES_HEAD 24 /* bytes in front of each of the three files: magic, version, when it began */
#define VALUES_RECORDS_MAGIC "scopeval"
#define VALUES_NAMES_MAGIC "scopenam"
#define VALUES_TEXTS_MAGIC "scopetxt"
#define VALUES_MOST_NAMES (UINT32_C (1) << 20) /* that are read: recordings of other versions may have more */
#define VALUES_NAME_HEAD 20                    /* u32 bytes of the name, u32 parent, u32 kind, i64 tag */

extern const TraceKind values_kinds[N_VALUE_RECORDS];
/* Its value is a place in `texts`. */
bool values_has_bytes (uint8_t type);
