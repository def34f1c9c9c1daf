/* SPDX-License-Identifier: Apache-2.0 */
/* name-table.h - what the names in a trace stand for: a number for each, found by the name's bytes, without a copy of
 * them. For readers, which meet a name again with each record.  Not two threads at once. */
#pragma once
#include "readers/event.h"

#define NAME_TABLE_NONE UINT32_MAX

typedef struct NameTable NameTable;

TRACE_API NameTable *name_table_new (void);
TRACE_API void name_table_free (NameTable *names); /* may be NULL */
/* The number of a name of n bytes; NAME_TABLE_NONE: it has none.  `names` may be NULL: nobody has one. */
TRACE_API uint32_t name_table_find (const NameTable *names, const char *name, size_t n);
/* Gives a name a number, whether it has one or not. */
TRACE_API void name_table_set (NameTable *names, const char *name, size_t n, uint32_t number);
/* A number that names of these bytes share, and hardly any others; another one in each process, so that nobody can
 * write a file of names that share one. */
TRACE_API uint64_t name_table_hash (const char *name, size_t n);
