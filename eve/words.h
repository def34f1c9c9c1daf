/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - texts in the language of the person, from the catalogues of po/ (gettext); numbers: number.h.
 *
 * _("text") is the text in that language; N_("text") marks one that stands in a table and goes through in_words() where
 * it is shown.  A program that asks for no locale has them as they are written.  Any thread. */
#pragma once
#ifndef GETTEXT_PACKAGE
#define GETTEXT_PACKAGE "scope"
#endif
#include <glib/gi18n-lib.h>
#include <inttypes.h>

/* What somebody else has written down, as a table of texts, or a component that describes itself; NULL: NULL.  Texts
 * that no catalogue knows come back as they are. */
static inline const char *
in_words (const char *text)
{
  return text && *text ? g_dgettext (GETTEXT_PACKAGE, text) : text;
}
/* The form that the number asks for: P_ ("%u wire", "%u wires", n). */
#define P_(one, many, n) g_dngettext (GETTEXT_PACKAGE, one, many, n)
/* Both forms, marked, as two arguments or entries of a table: they go through P_ where they are shown. */
#define NP_(one, many) one, many
