/* SPDX-License-Identifier: Apache-2.0 */
/* unlike.h - names that are to be unlike each other, such as those of tasks: a trace may call a million of them alike.
 * For readers; not two threads at once. */
#pragma once
#include "readers/event.h"

typedef struct Unlike Unlike; /* the names that are taken */
TRACE_API Unlike *unlike_new (void);
TRACE_API void unlike_free (Unlike *taken); /* may be NULL */
TRACE_API bool unlike_is_free (const Unlike *taken, const char *name);
/* This name, or with a number behind it, from 2 on, which nobody has; it is taken then.  "NAME (2)" with " (" and ")";
 * g_free. */
TRACE_API char *unlike_others (Unlike *taken, const char *name, const char *before, const char *behind);
/* Nobody has this name any more. */
TRACE_API void unlike_release (Unlike *taken, const char *name);
