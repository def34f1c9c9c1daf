/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - a component and a view that do harm in one of their functions, chosen by the environment:
 * FAULT=FUNCTION:DEED[:N], at the N-th call of that function; for tests. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "readers/event.h"
#include "views/view.h"

typedef struct Fault {
  EveBase base;
  int64_t seen;
  double level;
} Fault;

static volatile int zero;
static int *volatile nowhere;

static void
do_harm (const char *deed)
{
  if (!strcmp (deed, "exit"))
    exit (0);
  if (!strcmp (deed, "_exit"))
    _exit (0);
  if (!strcmp (deed, "abort"))
    abort ();
  if (!strcmp (deed, "reach"))
    *nowhere = 1;
  if (!strcmp (deed, "divide"))
    zero = 7 / zero;
  if (!strcmp (deed, "close"))
    for (int fd = 0; fd < 256; fd++)
      close (fd);
  if (!strcmp (deed, "busy") || !strcmp (deed, "busier")) /* seven seconds of work, or work without an end */
    for (int i = 0; i < 70 || deed[4] == 'e'; i++) {
      eve_alive ();
      usleep (100 * 1000);
    }
  if (!strcmp (deed, "spin"))
    while (!zero) {
    }
  if (!strcmp (deed, "loop")) /* and leaves the processor to the other tests */
    while (!zero)
      usleep (1000);
  if (!strcmp (deed, "fork") && fork () == 0) { /* and leaves it behind */
    sleep (60);
    _exit (0);
  }
  if (!strcmp (deed, "deaf")) { /* and hears no signal */
    sigset_t all;
    sigfillset (&all);
    sigprocmask (SIG_BLOCK, &all, NULL);
    while (!zero)
      usleep (1000);
  }
}

static void
at (const char *function)
{
  static long calls;
  const char *fault = getenv ("FAULT");
  size_t n = strlen (function);
  char deed[16] = "";
  long when = 1;

  if (!fault || strncmp (fault, function, n) != 0 || fault[n] != ':')
    return;
  sscanf (fault + n + 1, "%15[a-z_]:%ld", deed, &when);
  if (++calls == when)
    do_harm (deed);
}

__attribute__ ((constructor)) static void
loaded (void)
{
  at ("constructor");
}

static bool
init (EveComponent *c)
{
  at ("init");
  return true;
}

static void
finish (EveComponent *c)
{
  at ("finish");
}

static void
start (EveComponent *c)
{
  at ("start");
}

static void
pause_ (EveComponent *c)
{
  at ("pause");
}

static void
reset (EveComponent *c)
{
  at ("reset");
}

static bool
changed (EveComponent *c, uint32_t setting)
{
  at ("changed");
  return true;
}

static void
fire (EveComponent *c)
{
  eve_take (eve_base (c)->in[0]);
  ((Fault *) c)->seen++;
  at ("fire");
}

static bool
at_end (EveComponent *c)
{
  at ("at_end");
  return true;
}

static const char *
refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  at ("refuse");
  return NULL;
}

static void
save (EveComponent *c, EveBlob *to)
{
  at ("save");
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  at ("load");
  return true;
}

static const void *
query (EveComponent *c, const char *name)
{
  at ("query");
  return NULL;
}

static bool
build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  at ("draw");
  return true;
}

static const void *
query_view (EveComponent *c, const char *name)
{
  static const View view = { .title = "Fault", .spans = VIEW_OF_EXECUTION, .build = build };

  at ("query");
  return strcmp (name, VIEW_INTERFACE) ? NULL : &view;
}

#define FUNCTIONS                                                                                                      \
  .version = 1, .ins = ins, .n_ins = EVE_N (ins), .settings = settings, .n_settings = EVE_N (settings),                \
  .state = state, .n_state = EVE_N (state), .instance_size = sizeof (Fault), .init = init, .finish = finish,           \
  .start = start, .pause = pause_, .reset = reset, .changed = changed, .fire = fire, .at_end = at_end,                 \
  .refuse = refuse, .save = save, .load = load

static const EveInSpec ins[] = { { "in", &trace_type_event, EVE_SYNC, .doc = "Events." } };
static const EveField settings[] = { { "level", EVE_F_DOUBLE, offsetof (Fault, level), .doc = "A number." } };
static const EveField state[] = { { "seen", EVE_F_INT64, offsetof (Fault, seen), .doc = "Events seen." } };
static const EveClass fault = { EVE_CLASS_HEAD,   .id = "test.fault",
                                .label = "Fault", .category = "Tests",
                                .query = query,   .doc = "Does harm in one of its functions.",
                                FUNCTIONS };
static const EveClass fault_view = { EVE_CLASS_HEAD,
                                     .id = "test.fault-view",
                                     .label = "Fault view",
                                     .category = "Tests",
                                     .query = query_view,
                                     .doc = "Does harm when it is drawn.",
                                     FUNCTIONS };
EVE_PLUGIN (&fault, &fault_view);
