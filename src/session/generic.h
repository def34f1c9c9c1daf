/* SPDX-License-Identifier: Apache-2.0 */
/* generic.h - programs that formats share: their readers and simulators are named when they are
 * opened.  In such a file the class `any.reader` stands for the reader of the trace, `any.simulator` for the simulator
 * of the default program of its format.  Where names hold "{n}", all boxes but the session are there once for each
 * trace, "{n}" being its place from 1. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

/* What the file says, if it is one of these; g_free.  NULL: it is not, or cannot be read. */
char *generic_read (const char *path);
/* The text of such a program for traces of these formats, NULL-terminated; g_free.  `text`: what generic_read() gave
 * for `path`.  NULL and an error: it is no program, or nobody reads a format.  Components must have been loaded. */
char *generic_text (const char *text, const char *path, const char *const *formats, GError **error);
/* The text as it is for the first format that has the program on offer, or else for any, without a trace of it; g_free.
 * *format: its name, static.  NULL and an error as above. */
char *generic_example (const char *text, const char *path, const char **format, GError **error);
/* The program that compares traces of these formats: that of their format, if it is one, has such a program and two are
 * enough; else the one for any; g_free. */
char *generic_comparing (const char *const *formats);
/* What simulates traces of a format by its default program; NULL: nothing does. */
const EveClass *generic_simulator (const char *format);
