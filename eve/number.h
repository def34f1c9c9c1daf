/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - how numbers are written where a person reads them: by the locale.
 *
 * The process itself stays in LC_NUMERIC "C", so that printf() and strtod() are those of files.  What is shown goes
 * through number_local() last; what is typed goes through number_typed() first. */
#pragma once

#pragma GCC visibility push(default)

/* At the start of a program, behind setlocale() and bindtextdomain(), before there are threads.  The decimal point and
 * the mark between thousands are those of LC_NUMERIC; where that names no country ("C", "C.UTF-8") those of the
 * language of the texts.  A program that does not call it writes as in English.  LC_NUMERIC is "C" behind it. */
void number_by_locale (void);
/* '.' or ','.  Any thread. */
char number_point (void);
/* "," in English, a narrow space that breaks no line elsewhere. */
const char *number_thousands (void);
/* Text as printf() writes it, with a number in it: each point between two digits becomes that of the locale, in place;
 * gives the text. */
char *number_local (char *text);
/* "48.5 %", "48,5 %": a share of a hundred, with a thin space; g_free. */
char *number_percent (double percent, int decimals);
/* The same of a share of one.  What is there is not told as nothing: "< 0.1 %".  `space`: what is before the sign, in
 * columns of text a plain one. */
char *number_share (double of_one, int decimals, const char *space);
/* A number, perhaps with a unit behind it, as a person types it: with a point or a comma, with spaces between digits.
 * As strtod() reads it; g_free.  What may be meant in two ways, "1,500" in English, stays as it is. */
char *number_typed (const char *text);

#pragma GCC visibility pop
