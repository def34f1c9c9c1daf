/* SPDX-License-Identifier: Apache-2.0 */
/* film-watch.c - a process that shoots and one that watches over it: when a component crashes or loops, the shooting
 * dies alone and the component is named.
 *
 * Which component it was is read off the stack: the first return address that lies in the shared object of a component
 * of the program. */
#include "session/film-watch.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OBJECTS 256
#define FRAMES 64

typedef struct Object {
  void *base;
  char names[sizeof ((FilmWatch *) NULL)->component];
} Object;

/* What the handler needs; made before, for it may not allocate. */
static FilmWatch *watch;
static Object objects[OBJECTS];
static guint n_objects;
static uint8_t stack[64 * 1024]; /* the program's own may be what overflowed */

static void
on_crash (int sig)
{
  void *frames[FRAMES];
  Dl_info info;

  signal (sig, SIG_DFL);
  alarm (2); /* should the stack be past reading */
  watch->signal = sig;
  int n = backtrace (frames, FRAMES);
  for (int i = 0; i < n; ++i)
    for (guint k = 0; dladdr (frames[i], &info) && k < n_objects; ++k)
      if (objects[k].base == info.dli_fbase) {
        memcpy (watch->component, objects[k].names, sizeof watch->component);
        _exit (128 + sig);
      }
  _exit (128 + sig);
}

void
film_watch_components (FilmWatch *w, const EveProgram *p)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR1 };
  struct sigaction act = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER };
  stack_t alternative = { .ss_sp = stack, .ss_size = sizeof stack };
  void *frames[4];

  watch = w;
  n_objects = 0;
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    Dl_info info;
    if (eve_is_ghost (c) || !dladdr (eve_class (c), &info))
      continue;
    guint k = 0;
    while (k < n_objects && objects[k].base != info.dli_fbase)
      ++k;
    if (k == OBJECTS)
      continue;
    if (k == n_objects) {
      objects[n_objects++].base = info.dli_fbase;
      g_strlcpy (objects[k].names, eve_name (c), sizeof objects[k].names);
    } else {
      g_strlcat (objects[k].names, " or ", sizeof objects[k].names);
      g_strlcat (objects[k].names, eve_name (c), sizeof objects[k].names);
    }
  }
  backtrace (frames, 4); /* loads what it needs, now */
  sigaltstack (&alternative, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (signals); ++i)
    sigaction (signals[i], &act, NULL);
}

static const char *
how (int sig)
{
  switch (sig) {
  case SIGSEGV:
  case SIGBUS:
    return "reached for memory that is not its own";
  case SIGFPE:
    return "divided by zero";
  case SIGABRT:
    return "gave up (abort)";
  case SIGUSR1:
    return "does not come back";
  default:
    return g_strsignal (sig);
  }
}

/* Notes in the film why it ends here. */
static void
note_failure (const FilmWatch *w, const char *sentence)
{
  FilmManifest m;

  if (*w->folder && film_manifest_read (w->folder, &m, NULL)) {
    m.state = FILM_FAILED;
    g_free (m.said);
    m.said = g_strdup (sentence);
    film_manifest_write (w->folder, &m, NULL);
    film_manifest_clear (&m);
  }
}

int
film_watch_over (int (*work) (FilmWatch *watch, void *arg), void *arg, bool (*interrupted) (void), int patience_s,
                 char **sentence)
{
  FilmWatch *w = mmap (NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  uint64_t beats = 0;
  int64_t last = g_get_monotonic_time ();
  int status = 0, end[2] = { -1, -1 }; /* a pipe that nobody writes to: it is broken when the child is gone */
  pid_t parent = getpid ();

  *sentence = NULL;
  if (w == MAP_FAILED)
    return work (NULL, arg);
  memset (w, 0, sizeof *w);
  if (pipe2 (end, O_CLOEXEC) != 0)
    end[0] = end[1] = -1;
  pid_t child = fork ();
  if (child != 0 && end[1] >= 0)
    close (end[1]);
  if (child < 0) {
    if (end[0] >= 0)
      close (end[0]);
    munmap (w, sizeof *w);
    return work (NULL, arg);
  }
  if (child == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for it any more */
    if (getppid () != parent)
      _exit (1);
    exit (work (w, arg));
  }
  bool told = false;
  for (;;) {
    pid_t got = waitpid (child, &status, WNOHANG);
    if (got == child || (got < 0 && errno != EINTR))
      break;
    if (interrupted () && !told) {
      kill (child, SIGTERM);
      told = true;
      last = g_get_monotonic_time ();
    }
    if (w->beats != beats) {
      beats = w->beats;
      last = g_get_monotonic_time ();
    } else if (g_get_monotonic_time () - last > (int64_t) patience_s * G_USEC_PER_SEC) {
      kill (child, w->signal ? SIGKILL : SIGUSR1);
      last = g_get_monotonic_time ();
    }
    struct pollfd until = { .fd = end[0], .events = POLLIN };
    if (poll (&until, 1, 50) > 0) /* a signal ends it too */
      g_usleep (1000);            /* it is going */
  }
  if (end[0] >= 0)
    close (end[0]);
  int result = WIFEXITED (status) ? WEXITSTATUS (status) : 1, sig = w->signal;
  if (sig || WIFSIGNALED (status)) {
    result = 1;
    if (sig && *w->component)
      *sentence = g_strdup_printf ("the component %s %s, near event %" G_GUINT64_FORMAT
                                   "; the film ends at its last checkpoint",
                                   w->component, how (sig), (uint64_t) w->events);
    else
      *sentence = g_strdup_printf ("the shooting %s, near event %" G_GUINT64_FORMAT
                                   ", not inside a component; the film ends at its last checkpoint",
                                   sig ? how (sig) : g_strsignal (WTERMSIG (status)), (uint64_t) w->events);
    note_failure (w, *sentence);
  }
  munmap (w, sizeof *w);
  return result;
}
