/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - what may be meant by a name that nothing has: the name that is nearest to it.  Any thread. */
#pragma once

#pragma GCC visibility push(default)

/* Gives `add` each of the names that there are, one by one; it may be asked several times. */
typedef void (*EveOffer) (void *arg, void (*add) (void *to, const char *name), void *to);

/* The nearest of the names to one that is none of them: that which it becomes by the fewest letters left out, added or
 * changed (Levenshtein's distance), whatever the case.  g_free; NULL: none is near. */
char *eve_nearest (const char *wanted, EveOffer offer, void *arg);
/* The end of a sentence about a missing name: "; the nearest name is “fft 2”", empty if there is none; g_free. */
char *eve_nearest_told (const char *wanted, EveOffer offer, void *arg);
/* The same of a name that was found already; NULL: none. */
char *eve_nearest_words (const char *nearest);

#pragma GCC visibility pop
