/* SPDX-License-Identifier: Apache-2.0 */
/* reload.h - classes that come, or come anew, while programs are open: of an object that is built or dropped there. For
 * the application; engine thread. */
#pragma once
#include "eve/eve-host.h"

#pragma GCC visibility push(default)
/* eve_registry_load_file() of a path that was not loaded before.  Its classes take the place of those of other objects
 * in the same folder, which stay in memory for the boxes that have them. */
bool eve_registry_replace (const char *path, const EveClass *const **classes, GError **error);
/* Boxes whose class is there now, or is there anew, take it, with their settings, places and wires; what they held is
 * gone.  Gives how many; what cannot be taken over is a sentence in `problems` (of char *). */
guint eve_program_take_classes (EveProgram *p, GPtrArray *problems);
#pragma GCC visibility pop
