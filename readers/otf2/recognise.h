/* SPDX-License-Identifier: Apache-2.0 */
/* recognise.h - what an OTF2 archive is known by. */
#pragma once
#include <glib.h>
#include <stdbool.h>

/* As TraceFormat.recognise. */
int otf2_recognise (const char *path, const void *head, size_t n, char **whole);
/* The anchor file in a folder, the first by its name of *n; g_free.  NULL: none. */
char *otf2_anchor_in (const char *folder, unsigned *n);
