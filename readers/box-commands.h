/* SPDX-License-Identifier: Apache-2.0 */
/* box-commands.h - commands that a component registers: the window lists them with its own (Ctrl+K) as long as the box
 * is in the program, and they may be others at each moment.  One that is privileged (it writes, sends, or ends
 * something) is asked about, once for the content of a program. */
#pragma once
#include "eve/eve.h"

#define BOX_COMMANDS "box-commands/1"

typedef struct BoxCommand {
  const char *name;  /* by which it is done: good as long as the box */
  const char *label; /* for a person */
  bool privileged;
} BoxCommand;

/* Answer to the query BOX_COMMANDS; static.  On the engine's thread, between two firings. */
typedef struct BoxCommands {
  /* The i-th from 0 on; false: there are no more.  What it points to is good until the next call. */
  bool (*at) (EveComponent *self, uint32_t i, BoxCommand *command);
  /* Does one: names each setting that it changes, and its new value as text, together one step to undo.  Gives an order
   * for the application in the words that the component Command takes, good until the next call; NULL: none. */
  const char *(*obey) (EveComponent *self, const char *name,
                       void (*set) (void *arg, const char *setting, const char *value), void *arg);
} BoxCommands;
