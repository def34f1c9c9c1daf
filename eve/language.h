/* SPDX-License-Identifier: Apache-2.0 */
/* language.h - the start of a program that speaks the language of the person (words.h, number.h). */
#pragma once

#pragma GCC visibility push(default)

/* First in main(), before there are threads.  `catalogues`: the folder with LANGUAGE/LC_MESSAGES/scope.mo; one that is
 * not there leaves everything in English; a locale that the machine has not made is no reason to.  What is typed and
 * told is UTF-8, also where the environment does not say so, as in a job of cron.  LC_NUMERIC is "C" behind it. */
void language_begin (const char *catalogues);

#pragma GCC visibility pop
