/* SPDX-License-Identifier: Apache-2.0 */
/* traces.h - small bundles made on the spot, for the tests of readers. */
#pragma once
#include "eve/eve-host.h"
#include "readers/tapepvm/tapepvm.h"

extern const EveClass *const eve_plugin[]; /* of the reader, linked into the test */

/* A new bundle NAME.trace in a folder of its own; `kinds` and `sites` NULL: the file is not there.  g_free the path;
 * everything is removed by traces_finish(). */
char *traces_make (const char *events, gssize n, const char *kinds, const char *sites);
char *traces_folder (const char *bundle);                                   /* of the data */
TraceSource *traces_open (const char *bundle, const TraceOptions *options); /* fails the test if it cannot */
/* Writes the events, opens. */
TraceSource *traces_of (const char *events);
/* All events that are left; of TraceEvent. */
GArray *traces_read (TraceSource *s);
/* "60@1250 ...": name, task, date of each, for comparing. */
char *traces_outline (TraceSource *s);
EveBlob *traces_save (TraceSource *s);
bool traces_load (TraceSource *s, EveBlob *b);
void traces_finish (void);
