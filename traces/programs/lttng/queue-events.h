/* SPDX-License-Identifier: Apache-2.0 */
/* queue-events.h - tracepoints of queue.c, for LTTng. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER queue
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "queue-events.h"

#if !defined(QUEUE_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define QUEUE_EVENTS_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT (queue, work_begin, LTTNG_UST_TP_ARGS (const char *, name, int, item),
                            LTTNG_UST_TP_FIELDS (lttng_ust_field_string (name, name)
                                                     lttng_ust_field_integer (int, item, item)))
LTTNG_UST_TRACEPOINT_EVENT (queue, work_end, LTTNG_UST_TP_ARGS (int, item),
                            LTTNG_UST_TP_FIELDS (lttng_ust_field_integer (int, item, item)))
LTTNG_UST_TRACEPOINT_EVENT (queue, put, LTTNG_UST_TP_ARGS (int, item, int, bytes, int, to),
                            LTTNG_UST_TP_FIELDS (lttng_ust_field_integer (int, item, item)
                                                     lttng_ust_field_integer (int, bytes, bytes)
                                                         lttng_ust_field_integer (int, to, to)))
LTTNG_UST_TRACEPOINT_EVENT (queue, take, LTTNG_UST_TP_ARGS (int, item, int, bytes, int, from),
                            LTTNG_UST_TP_FIELDS (lttng_ust_field_integer (int, item, item)
                                                     lttng_ust_field_integer (int, bytes, bytes)
                                                         lttng_ust_field_integer (int, from, from)))
LTTNG_UST_TRACEPOINT_EVENT (queue, tick, LTTNG_UST_TP_ARGS (int, i),
                            LTTNG_UST_TP_FIELDS (lttng_ust_field_integer (int, i, i)))

#endif

#include <lttng/tracepoint-event.h>
