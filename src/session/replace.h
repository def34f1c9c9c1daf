/* SPDX-License-Identifier: Apache-2.0 */
/* replace.h - a box of another class in the place of one, with what fits of its settings and wires.  No GTK; engine
 * thread. */
#pragma once
#include "eve/eve-host.h"

/* A wire goes to the input, also one that carries nothing as an end of it is off. */
bool edits_is_taken (EveComponent *c, const char *in);
/* A box of another class takes the place of one: its name if a person gave it, its settings of the same names, its
 * wires as far as they fit.  NULL: it could not be made, nothing was changed.  `lost` gets those that did not fit, as
 * text
 * ("A.out → B.in"), to g_free. */
EveComponent *edits_replace (EveProgram *p, EveComponent *old, const EveClass *k, GPtrArray *lost, GError **error);
/* How many of the wires a box of that class would keep, as far as types tell, of how many. */
guint edits_replace_fit (EveComponent *old, const EveClass *k, guint *of);
/* The same, tried out in the program of `twin`, which nobody shows: only a component itself knows what it refuses. */
guint edits_replace_try (EveComponent *twin, const EveClass *k);
