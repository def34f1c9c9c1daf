/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h - settings of a view that show what comes to one of its inputs, and so nothing while none is wired to it. */
#pragma once
#include <string.h>
#include "eve/eve.h"

#define VIEW_IDLE "view-idle/1"

/* Answer to the query VIEW_IDLE; static. */
typedef struct ViewIdle {
  const char *setting;
  uint32_t in;
} ViewIdle;

/* The input to which something must be wired before the setting shows anything; static; NULL: it is of use. */
static inline const char *
view_idle_port (EveComponent *c, const char *setting)
{
  const EveClass *k = eve_class (c);
  const ViewIdle *idle = k->query != NULL ? k->query (c, VIEW_IDLE) : NULL;

  return idle != NULL && strcmp (idle->setting, setting) == 0 && !eve_in_connected (eve_base (c)->in[idle->in])
             ? k->ins[idle->in].name
             : NULL;
}
