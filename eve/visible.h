/* SPDX-License-Identifier: Apache-2.0 */
/* visible.h - text of a stranger on its way to a terminal, which obeys some characters (docs/security.md).  Any thread.
 */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

/* Whether a character is obeyed rather than shown: control characters except line feed and tab, and marks that turn the
 * direction of what is written. */
bool visible_is_obeyed (gunichar c);
/* Whether XML 1.0 can hold a character (2.2 of its recommendation): a file that holds another cannot be read again. */
bool visible_in_xml (gunichar c);
/* The text with such characters, those that XML cannot hold, and bytes that are no UTF-8, written as \x1b or \u202e;
 * g_free.  NULL: it has none. */
char *visible_text (const char *text, size_t n);
/* The same for what stands on one line, as a name does: what ends lines, and tabs, are written as \n, \r and \t. */
char *visible_line (const char *text, size_t n);

#pragma GCC visibility pop
