/* SPDX-License-Identifier: Apache-2.0 */
/* occurring.h - which values an attribute takes in the execution that is open: what rules can be made of. */
#pragma once
#include "document/document.h"
#include "views/associations.h"

typedef struct Occurring {
  GPtrArray *names;   /* what texts and states are called, by the order of tasks; each once; owned */
  bool more;          /* there are others than these */
  double least, most; /* of numbers; NaN: it has none */
} Occurring;

/* Of whom tasks are (host, program, group, id, name) and of messages in the whole execution, as far as it is filmed; of
 * all else at the present instant.  At most `most` names, and of the first MESSAGES_READ messages.  Engine thread;
 * never fails: what nobody knows is empty. */
#define MESSAGES_READ 500000
void occurring_find (ScopeDocument *d, LookKind kind, const char *attribute, guint most, Occurring *to);
void occurring_clear (Occurring *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Occurring, occurring_clear)
