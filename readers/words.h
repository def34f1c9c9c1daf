/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - numbers in the sentences of events, by the locale (eve/number.h).  Any thread. */
#pragma once
#include "readers/event.h"
#include <glib.h>

/* "262,144" */
TRACE_API void words_add_number (GString *to, int64_t value);
/* "1 byte", "262,144 bytes"; both forms are marked for translation where they stand (NP_). */
TRACE_API void words_add_counted (GString *to, int64_t n, const char *one, const char *many);
/* "16.3 µs": three digits that count. */
TRACE_API void words_add_duration (GString *to, double seconds);
