/* SPDX-License-Identifier: Apache-2.0 */
/* recognise.h - what recognise.c tells of a folder, for which it needs no library. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int ctf_recognise (const char *path, const void *head, size_t n, char **whole);
/* Whether the file `metadata` of a folder is one of CTF; *version: 1 or 2; *id (g_free) what tells traces apart, or
 * NULL. */
bool ctf_is_trace (const char *folder, int *version, char **id);
/* Whether its packets lie one behind the other, if it has packets; else *at is the first that does not. */
bool ctf_has_sound_packets (const char *folder, uint64_t *at);
/* Whether programs were traced, not the kernel. */
bool ctf_is_of_programs (const char *folder);
/* All folders with a trace in a tree, of char *, sorted. */
GPtrArray *ctf_traces_in (const char *top);
/* All that a folder's metadata say, without the packets that it may lie in. */
GString *ctf_metadata_text (const char *folder);
