/* SPDX-License-Identifier: Apache-2.0 */
/* threads-tricks.c CASE - what is hard for a tracer of threads. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t posted;

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                      \
      exit (3);                                                                                                        \
    }                                                                                                                  \
  } while (0)

/* The program's own malloc takes a lock, as some do. */
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static bool own_malloc;
void *__libc_malloc (size_t n);

void *
malloc (size_t n)
{
  if (!own_malloc)
    return __libc_malloc (n);
  pthread_mutex_lock (&heap_lock);
  void *p = __libc_malloc (n);
  pthread_mutex_unlock (&heap_lock);
  return p;
}

static void *
takes_once (void *lock)
{
  pthread_mutex_lock (lock);
  pthread_mutex_unlock (lock);
  return lock;
}

static void
run_one (void *(*routine) (void *), void *arg)
{
  pthread_t t;
  void *result = NULL;

  CHECK (pthread_create (&t, NULL, routine, arg) == 0);
  CHECK (pthread_join (t, &result) == 0);
}

/* ---- fork, exec ---- */

static void
case_fork (void)
{
  pthread_mutex_lock (&first);
  pthread_mutex_unlock (&first);
  pid_t pid = fork ();
  if (pid == 0) {
    pthread_mutex_lock (&second);
    pthread_mutex_unlock (&second);
    run_one (takes_once, &second);
    _exit (0);
  }
  int status;
  CHECK (waitpid (pid, &status, 0) == pid && status == 0);
  run_one (takes_once, &first);
}

static void
case_exec (char *self)
{
  pthread_mutex_lock (&first);
  execl (self, self, "once", (char *) NULL);
  CHECK (false);
}

/* ---- ends ---- */

static void
unlock_first (void *nothing)
{
  pthread_mutex_unlock (&first);
}

static void *
waits_for_ever (void *ready)
{
  pthread_mutex_lock (&first);
  pthread_cleanup_push (unlock_first, NULL);
  sem_post (ready);
  for (;;)
    pthread_cond_wait (&never, &first);
  pthread_cleanup_pop (1);
  return NULL;
}

static void
case_cancel (void)
{
  pthread_t t;
  void *result;
  sem_t ready;

  sem_init (&ready, 0, 0);
  CHECK (pthread_create (&t, NULL, waits_for_ever, &ready) == 0);
  CHECK (sem_wait (&ready) == 0);
  pthread_mutex_lock (&first); /* it waits now */
  pthread_mutex_unlock (&first);
  CHECK (pthread_cancel (t) == 0 && pthread_join (t, &result) == 0 && result == PTHREAD_CANCELED);
  run_one (takes_once, &first);
}

static void *
keeps_it (void *lock)
{
  pthread_mutex_lock (lock);
  pthread_exit (NULL);
}

static void
case_keeps (void)
{
  run_one (keeps_it, &first);
  CHECK (pthread_mutex_trylock (&first) == EBUSY);
}

static pthread_key_t key;

static void
at_end_of_thread (void *value)
{
  takes_once (&second);
}

static void *
has_value (void *nothing)
{
  pthread_setspecific (key, &key);
  return NULL;
}

static void
at_exit (void)
{
  takes_once (&second);
}

static void
case_destructors (void)
{
  pthread_key_create (&key, at_end_of_thread);
  run_one (has_value, NULL);
  atexit (at_exit);
}

/* ---- signals ---- */

static void
on_signal (int number)
{
  sem_post (&posted);
}

static volatile bool enough;

static void *
works (void *nothing)
{
  uintptr_t n = 0;

  for (; !enough; n++) {
    pthread_mutex_lock (&first);
    pthread_mutex_unlock (&first);
    if (n % 50 == 0)
      usleep (20);
  }
  return (void *) n;
}

static void
case_signals (void)
{
  struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
  pthread_t t;

  sem_init (&posted, 0, 0);
  sigaction (SIGUSR1, &act, NULL);
  CHECK (pthread_create (&t, NULL, works, NULL) == 0);
  for (int i = 0; i < 100; i++) {
    CHECK (pthread_kill (t, SIGUSR1) == 0);
    while (sem_wait (&posted) != 0)
      CHECK (errno == EINTR);
  }
  enough = true;
  void *n;
  CHECK (pthread_join (t, &n) == 0);
  printf ("%lu\n", (unsigned long) (uintptr_t) n);
}

/* ---- others ---- */

static mtx_t c11_lock;
static cnd_t c11_changed;
static int c11_value;

static int
c11_thread (void *nothing)
{
  CHECK (mtx_lock (&c11_lock) == thrd_success);
  c11_value = 1;
  CHECK (cnd_signal (&c11_changed) == thrd_success && mtx_unlock (&c11_lock) == thrd_success);
  return -7;
}

static void
case_c11 (void)
{
  thrd_t t;
  int result = 0;

  CHECK (mtx_init (&c11_lock, mtx_plain) == thrd_success && cnd_init (&c11_changed) == thrd_success);
  CHECK (mtx_lock (&c11_lock) == thrd_success && mtx_trylock (&c11_lock) == thrd_busy);
  CHECK (thrd_create (&t, c11_thread, NULL) == thrd_success);
  while (c11_value == 0)
    CHECK (cnd_wait (&c11_changed, &c11_lock) == thrd_success);
  CHECK (mtx_unlock (&c11_lock) == thrd_success && thrd_join (t, &result) == thrd_success && result == -7);
}

static void
case_kinds (void)
{
  pthread_mutexattr_t how;
  pthread_mutex_t recursive, checked;
  pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin;
  struct timespec past = { 1, 0 };

  pthread_mutexattr_init (&how);
  pthread_mutexattr_settype (&how, PTHREAD_MUTEX_RECURSIVE);
  CHECK (pthread_mutex_init (&recursive, &how) == 0);
  pthread_mutexattr_settype (&how, PTHREAD_MUTEX_ERRORCHECK);
  CHECK (pthread_mutex_init (&checked, &how) == 0);
  CHECK (pthread_mutex_lock (&recursive) == 0 && pthread_mutex_lock (&recursive) == 0);
  CHECK (pthread_mutex_unlock (&recursive) == 0 && pthread_mutex_unlock (&recursive) == 0);
  CHECK (pthread_mutex_unlock (&recursive) == EPERM);
  CHECK (pthread_mutex_lock (&checked) == 0 && pthread_mutex_lock (&checked) == EDEADLK
         && pthread_mutex_unlock (&checked) == 0);
  CHECK (pthread_rwlock_rdlock (&rw) == 0 && pthread_rwlock_rdlock (&rw) == 0);
  CHECK (pthread_rwlock_trywrlock (&rw) == EBUSY && pthread_rwlock_timedwrlock (&rw, &past) == ETIMEDOUT);
  CHECK (pthread_rwlock_unlock (&rw) == 0 && pthread_rwlock_unlock (&rw) == 0);
  CHECK (pthread_spin_init (&spin, 0) == 0 && pthread_spin_lock (&spin) == 0 && pthread_spin_trylock (&spin) == EBUSY);
  CHECK (pthread_spin_unlock (&spin) == 0 && pthread_spin_destroy (&spin) == 0);
  CHECK (pthread_mutex_lock (&first) == 0 && pthread_cond_timedwait (&never, &first, &past) == ETIMEDOUT);
  CHECK (pthread_mutex_timedlock (&second, &past) == 0 && pthread_mutex_unlock (&second) == 0);
  CHECK (pthread_mutex_unlock (&first) == 0);
  CHECK (pthread_mutex_destroy (&recursive) == 0 && pthread_mutex_destroy (&checked) == 0);
}

static void
case_malloc (void)
{
  own_malloc = true;
  for (int i = 0; i < 3; i++)
    run_one (takes_once, &first);
  free (malloc (10));
  own_malloc = false;
}

static void
case_dlopen (const char *library)
{
  void *lib = dlopen (library, RTLD_NOW);
  void (*both) (void) = lib ? (void (*) (void)) (uintptr_t) dlsym (lib, "take_in_library") : NULL;

  CHECK (both != NULL);
  both ();
  dlclose (lib);
}

/* For the test: it may be killed from now on. */
static void
case_for_ever (void)
{
  pthread_mutex_lock (&first);
  pthread_mutex_lock (&second);
  pthread_mutex_unlock (&second);
  puts ("ready");
  fflush (stdout);
  for (;;)
    pause ();
}

static void
case_much (void)
{
  for (int i = 0; i < 50000; i++) {
    pthread_mutex_lock (&first);
    pthread_mutex_unlock (&first);
  }
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";

  if (strcmp (name, "fork") == 0)
    case_fork ();
  else if (strcmp (name, "exec") == 0)
    case_exec (argv[0]);
  else if (strcmp (name, "once") == 0)
    takes_once (&second);
  else if (strcmp (name, "cancel") == 0)
    case_cancel ();
  else if (strcmp (name, "keeps") == 0)
    case_keeps ();
  else if (strcmp (name, "destructors") == 0)
    case_destructors ();
  else if (strcmp (name, "signals") == 0)
    case_signals ();
  else if (strcmp (name, "c11") == 0)
    case_c11 ();
  else if (strcmp (name, "kinds") == 0)
    case_kinds ();
  else if (strcmp (name, "malloc") == 0)
    case_malloc ();
  else if (strcmp (name, "dlopen") == 0 && argc > 2)
    case_dlopen (argv[2]);
  else if (strcmp (name, "for-ever") == 0)
    case_for_ever ();
  else if (strcmp (name, "much") == 0)
    case_much ();
  else
    return 2;
  return 0;
}
