/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - how a reader opens the files of its bundle. */
#pragma once
#include "eve/disk.h"
#include "readers/reader.h"

/* Opens a plain file of the bundle that holds at most so many bytes (disk_open() of eve/disk.h); -1 and a sentence. */
TRACE_API int trace_source_open (const TraceSource *s, const char *path, uint64_t most, uint64_t *size, GError **error);
