/* SPDX-License-Identifier: Apache-2.0 */
/* agreements.h - what the person has allowed programs to do, each by its content and the exact act (docs/security.md).
 * Main thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>

/* `content` is eve_program_content(), `act` a sentence such as "start the tool gnuplot x.gp". */
bool agreements_has (const char *content, const char *act);
/* False and an error: it cannot be kept, and will be asked again. */
bool agreements_add (const char *content, const char *act, GError **error);
/* The person saved a program under a new content: it may do what it might before. */
void agreements_carry (const char *from, const char *to);
