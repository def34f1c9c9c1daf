/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what the files share that tell in sentences what was found. */
#pragma once
#include "components/waits/component.h"
#include "eve/number.h"
#include "eve/words.h"

#define WORTH_UNTOLD 0.02 /* of the time of all tasks */

typedef struct Telling {
  const Component *self;
  void (*add) (void *to, const char *sentence);
  void *to;
  Efficiency e, inner;                /* the latter without set-up, */
  bool sets_up;                       /* which is worth a sentence */
  double waited[N_WAITS], all_waited; /* seconds */
  double lanes;                       /* tasks, each as many as it has threads that wait by themselves */
  bool threads;                       /* there are such */
  bool alone;                         /* no task does anything with another, as far as is told */
} Telling;

/* limits.c: how efficient the program is and what limits it most; false: that cannot be told.  Where it can: who
 * computes more than others, and what communication costs apart. */
bool limits_tell (const Telling *t);
void limits_tell_more (const Telling *t);

/* Clocks that cannot be right, and what to do; nothing, if they can. */
void findings_tell_clocks (const Telling *t);

static inline void G_GNUC_PRINTF (2, 3) finding (const Telling *t, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  t->add (t->to, text);
}

static inline const char *
span (double seconds, char buf[32])
{
  trace_write_span (seconds, buf, 32);
  return buf;
}

/* "56.6 %", "0.04 %" */
static inline const char *
per_cent (double of_one, char buf[32])
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (number, sizeof number, of_one < 0.01 ? "%.2g" : "%.3g", 100 * of_one);
  g_snprintf (buf, 32, "%s\u00a0%%", number_local (number));
  return buf;
}

static inline const char *
who_is (const Telling *t, const WaitTask *task)
{
  return trace_task_name (t->self->waits.source, (uint32_t) task->task);
}
