/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h - a program for traces of one format becomes one for those of another: all boxes stay, but for what reads
 * and what simulates one model alone.  No GTK; engine thread. */
#pragma once
#include "session/session.h"

/* The text of the program at `path`, or of `text` (may be NULL) in its place, for traces of `format`; g_free.  Readers
 * that have a trace of their own stay.  `lost` (may be NULL) gets the wires that did not fit, as text, to g_free.  NULL
 * and a sentence: it cannot be read, or has no reader that could be exchanged. */
char *exchange_text (const char *path, const char *text, const char *format, GPtrArray *lost, GError **error);

/* Opens again, with such a text, what could not be opened as its program reads no traces of the format; its `warn`
 * hears of it.  NULL: it cannot be exchanged either, or, with a sentence, not be opened. */
Session *exchange_open (const Session *s, GError **error);
