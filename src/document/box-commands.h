/* SPDX-License-Identifier: Apache-2.0 */
/* box-commands.h - does what components have registered as commands (readers/box-commands.h).  Main thread. */
#pragma once
#include "document/document.h"

/* Asks first, where it is privileged and was not agreed to.  What goes wrong is said. */
void box_command_do (ScopeDocument *d, const char *box, const char *name);
