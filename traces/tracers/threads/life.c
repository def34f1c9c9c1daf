/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - threads: made, named, waited for; how a process ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "wrap.h"

#define FROM __builtin_return_address (0)

typedef struct Start {
  void *(*run) (void *);
  int (*run_c11) (void *);
  void *arg;
  uint32_t number, creator;
} Start;

REAL (int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *) );
REAL (int, pthread_join, (pthread_t, void **) );
REAL (int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *) );
REAL (int, pthread_setname_np, (pthread_t, const char *) );

static void *
life_run (void *start)
{
  Start s = *(Start *) start;

  free (start);
  tape_thread_begins (s.number, s.creator, s.run ? (void *) (uintptr_t) s.run : (void *) (uintptr_t) s.run_c11);
  return s.run ? s.run (s.arg) : (void *) (intptr_t) s.run_c11 (s.arg);
}

static int
life_create (pthread_t *thread, const pthread_attr_t *how, Start start, void *from)
{
  ThreadLane *l = tape_here ();
  Start *s = l ? malloc (sizeof *s) : NULL;

  if (!s) {
    /* of a C11 function the result is all that differs, and it is handed on in the same place */
    return REAL_OF (pthread_create) (
        thread, how, start.run ? start.run : (void *(*) (void *) ) (uintptr_t) start.run_c11, start.arg);
  }
  *s = start;
  s->number = tape_next_thread ();
  s->creator = l->thread;
  TAPE_NOTE (l, THREADS_CREATE, 0, 0, tape_date (), s->number, (uint64_t) (uintptr_t) from);
  uint32_t number = s->number;
  int result = real_pthread_create (thread, how, life_run, s);
  if (result != 0) {
    free (s);
    TAPE_NOTE (l, THREADS_CREATE, (unsigned) result & 0xffff, 0, tape_date (), number, (uint64_t) (uintptr_t) from);
  }
  return result;
}

PUBLIC int
pthread_create (pthread_t *thread, const pthread_attr_t *how, void *(*routine) (void *), void *arg)
{
  return life_create (thread, how, (Start){ .run = routine, .arg = arg }, FROM);
}

PUBLIC int
thrd_create (thrd_t *thread, thrd_start_t routine, void *arg)
{
  pthread_t made;
  int result = life_create (&made, NULL, (Start){ .run_c11 = routine, .arg = arg }, FROM);

  if (result == 0)
    *thread = (thrd_t) made;
  return result == 0 ? thrd_success : result == EAGAIN || result == ENOMEM ? thrd_nomem : thrd_error;
}

static int
life_join (pthread_t thread, void **result, void *from)
{
  ThreadLane *l = tape_here ();

  if (!l)
    return REAL_OF (pthread_join) (thread, result);
  tape_ask (l, WAIT_JOIN, false, NULL, from, (uint64_t) thread);
  int error = real_pthread_join (thread, result);
  tape_got (l, error);
  return error;
}

PUBLIC int
pthread_join (pthread_t thread, void **result)
{
  return life_join (thread, result, FROM);
}

PUBLIC int
thrd_join (thrd_t thread, int *result)
{
  void *value = NULL;
  int error = life_join ((pthread_t) thread, &value, FROM);

  if (error == 0 && result)
    *result = (int) (intptr_t) value;
  return error == 0 ? thrd_success : thrd_error;
}

PUBLIC int
pthread_timedjoin_np (pthread_t thread, void **result, const struct timespec *until)
{
  ThreadLane *l = tape_here ();

  if (!l)
    return REAL_OF (pthread_timedjoin_np) (thread, result, until);
  tape_ask (l, WAIT_JOIN, true, NULL, FROM, (uint64_t) thread);
  int error = real_pthread_timedjoin_np (thread, result, until);
  tape_got (l, error);
  return error;
}

PUBLIC int
pthread_setname_np (pthread_t thread, const char *name)
{
  int result = REAL_OF (pthread_setname_np) (thread, name);
  ThreadLane *l = result == 0 ? tape_here () : NULL;

  if (l) {
    tape_begin (l);
    tape_text (&l->lane, THREADS_NAME, 0, (uint64_t) thread, true, name, strnlen (name, 32));
    l->hold = NULL;
    tape_end (l);
  }
  return result;
}

/* Ends that run no destructors: what was recorded is in the files already. */
REAL (void, _exit, (int) );
REAL (void, _Exit, (int) );

PUBLIC void
_exit (int status)
{
  tape_process_ends (status);
  REAL_OF (_exit) (status);
  __builtin_unreachable ();
}

PUBLIC void
_Exit (int status)
{
  tape_process_ends (status);
  REAL_OF (_Exit) (status);
  __builtin_unreachable ();
}
