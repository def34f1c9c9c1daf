/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - runs work that runs components in a process of its own, watched over by this one: when a component crashes,
 * calls exit() or never comes back, the work dies alone and the component is named. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

/* How a process that was watched over ended badly. */
typedef struct GuardFault {
  char *sentence; /* who did what, without a full stop; NULL: it ended as it should */
  bool component; /* a component did it: `who` says which */
  EveWatched who;
  char subject[256]; /* what guard_about() said; "" */
  char film[1024];   /* what guard_film() said; "" */
} GuardFault;
void guard_fault_clear (GuardFault *f);

typedef struct GuardOptions {
  bool (*interrupted) (void);                    /* turns true: the child is asked to end; may be NULL */
  void (*say) (void *arg, const char *sentence); /* who is at work without a sign of life, ...; may be NULL */
  void *arg;
} GuardOptions;

/* Runs `work` in a child process and waits for it; gives what `work` gave (0..255), 128 + n when signal n ended it, or
 * 1 with a fault.  No other thread may run yet.  A component that shows no sign of life for SCOPE_PATIENCE seconds
 * (60), without those for which it has no processor, is ended.  With SCOPE_NO_GUARD set, as for a debugger, `work` runs
 * in this process. */
int guard_over (int (*work) (void *arg), void *arg, const GuardOptions *options, GuardFault *fault);

int guard_patience_s (void); /* SCOPE_PATIENCE */

/* In the process that works; without a guard these do nothing. */
void guard_beat (void);                                       /* a sign of life; calls of components are signs too */
void guard_about (const char *subject);                       /* what the work is about, as the trace */
void guard_doing (const char *fmt, ...) G_GNUC_PRINTF (1, 2); /* ends the sentence of a fault: ", near event 17" */
void guard_suspects (const char *boxes);                      /* who may have closed what is not theirs */
void guard_film (const char *folder);                         /* the film that is being shot */
void guard_may_exit (bool may);                               /* exit() is called on purpose from here on, or no more */
