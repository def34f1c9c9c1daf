/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - the virtual machine: pvmd, hosts, and the tasks of the run from their first word to their end.
 *
 * tape-pvm is a task of PVM itself.  Each traced task says hello when it enrols; tape-pvm then asks PVM to be
 * told of its end, which dates the death of tasks that do not come to their own Exit. */
#include "order.h"
#include "tape-pvm.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pvm3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "eve/words.h"

static pid_t daemon_pid; /* of the pvmd we started; 0: it ran already */
static char daemon_log[300];
static sigset_t our_signals, old_signals;
static int *strangers; /* tasks that were there before */
static int n_strangers;

/* -- pvmd -- */

/* Is there a daemon to speak to?  Asked of its socket: libpvm would try for minutes to reach one that was
 * killed. A file left by such a one is removed, or no new one would start. */
static bool
daemon_listens (void)
{
  const char *tmp = getenv ("PVM_TMP"), *vmid = getenv ("PVM_VMID");
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  char path[PATH_MAX], text[sizeof address.sun_path + 1] = "";
  bool listens;
  FILE *f;
  int fd;

  snprintf (path, sizeof path, "%s/pvmd.%d%s%s", tmp && *tmp ? tmp : "/tmp", (int) getuid (), vmid ? "." : "",
            vmid ? vmid : "");
  if ((f = fopen (path, "re")) == NULL)
    return false;
  if (!fgets (text, sizeof text, f))
    *text = '\0';
  fclose (f);
  text[strcspn (text, "\n")] = '\0';
  if (*text != '/')
    return *text != '\0'; /* an address of the network: let libpvm try */
  memcpy (address.sun_path, text, strlen (text) < sizeof address.sun_path ? strlen (text) : 0);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  listens = fd >= 0 && connect (fd, (struct sockaddr *) &address, sizeof address) == 0;
  if (fd >= 0)
    close (fd);
  if (!listens && daemon_pid == 0) {
    tape_say (_ ("%s: left by a pvmd that is gone; removed"), path);
    unlink (text);
    unlink (path);
  }
  return listens;
}

/* The whole path of a program as execvp finds it; "" if it does not. */
static void
find_program (const char *name, char out[PATH_MAX])
{
  const char *p = getenv ("PATH");
  char path[PATH_MAX];

  *out = '\0';
  if (strchr (name, '/') || !p) {
    if (!realpath (name, out))
      *out = '\0';
    return;
  }
  for (size_t n; *p; p += n + (p[n] == ':')) {
    n = strcspn (p, ":");
    snprintf (path, sizeof path, "%.*s/%s", (int) n, p, name);
    if (access (path, X_OK) == 0 && realpath (path, out))
      return;
  }
  *out = '\0';
}

static bool
start_pvmd (TapeRun *run)
{
  char hostfile[300], program[PATH_MAX] = "", exe[PATH_MAX] = "";
  const char *root = getenv ("PVM_ROOT"), *slash;
  FILE *f;

  snprintf (hostfile, sizeof hostfile, "%s/hostfile", run->dir);
  snprintf (daemon_log, sizeof daemon_log, "%s/pvmd.log", run->dir);
  if ((f = fopen (hostfile, "we")) != NULL) {
    /* Where spawned programs are looked for: PVM's own place, then beside the traced program and tape-pvm;
     * and /usr/bin, where the group server is. */
    fputs ("* ep=$HOME/pvm3/bin/$PVM_ARCH:$PVM_ROOT/bin/$PVM_ARCH", f);
    find_program (run->argv[0], program);
    if ((slash = strrchr (program, '/')) != NULL)
      fprintf (f, ":%.*s", (int) (slash - program), program);
    if (readlink ("/proc/self/exe", exe, sizeof exe - 1) > 0 && (slash = strrchr (exe, '/')))
      fprintf (f, ":%.*s", (int) (slash - exe), exe);
    fprintf (f, ":/usr/bin:%s/lib\n", root);
    rewind (f);
    fclose (f);
    /* The line of the master itself does not take the defaults. */
    if ((f = fopen (hostfile, "r+e")) != NULL) {
      char line[3 * PATH_MAX];

      if (fgets (line, sizeof line, f)) {
        fseek (f, 0, SEEK_END);
        fprintf (f, "127.0.0.1%s", line + 1);
      }
      fclose (f);
    }
  }
  daemon_pid = fork ();
  if (daemon_pid == 0) {
    int in = open ("/dev/null", O_RDONLY), out = open (daemon_log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    sigprocmask (SIG_SETMASK, &old_signals, NULL);
    setsid (); /* Ctrl-C is for tape-pvm and the program, which still need the daemon then */
    dup2 (in, 0);
    dup2 (out, 1);
    dup2 (out, 2);
    execlp ("pvmd", "pvmd", "-n127.0.0.1", hostfile, (char *) NULL);
    snprintf (program, sizeof program, "%s/lib/pvmd", root);
    execl (program, "pvmd", "-n127.0.0.1", hostfile, (char *) NULL);
    dprintf (2, "pvmd: %s\n", strerror (errno));
    _exit (127);
  }
  for (int i = 0; i < 500; i++) {
    int status;

    usleep (10000);
    if (waitpid (daemon_pid, &status, WNOHANG) == daemon_pid) {
      daemon_pid = 0;
      break;
    }
    if (daemon_listens () && pvm_mytid () > 0)
      return true;
  }
  return false;
}

static void
show_log (void)
{
  FILE *f = fopen (daemon_log, "re");
  char line[512];

  while (f && fgets (line, sizeof line, f))
    fprintf (stderr, "  %s", line);
  if (f)
    fclose (f);
}

static void
read_hosts (TapeRun *run)
{
  struct pvmhostinfo *infos;
  int n = 0, archs;

  if (pvm_config (&n, &archs, &infos) < 0)
    return;
  for (int i = 0; i < n; i++) {
    int k = 0;

    while (k < run->n_hosts && run->host[k].dtid != infos[i].hi_tid)
      k++;
    if (k < run->n_hosts)
      continue;
    run->host = realloc (run->host, (size_t) (k + 1) * sizeof *run->host);
    memset (&run->host[k], 0, sizeof *run->host);
    run->n_hosts++;
    run->host[k].dtid = infos[i].hi_tid;
    run->host[k].speed = infos[i].hi_speed;
    run->host[k].clock = -1;
    snprintf (run->host[k].name, sizeof run->host->name, "%s", infos[i].hi_name);
    snprintf (run->host[k].arch, sizeof run->host->arch, "%s", infos[i].hi_arch);
    /* Our own host needs no agent: its clock is ours, and its files are here. */
    if (infos[i].hi_tid != pvm_tidtohost (pvm_mytid ()))
      estimate_host (run, &run->host[k]);
  }
}

TapeHost *
machine_host_of (TapeRun *run, int tid)
{
  int part = tid & 0x3ffc0000; /* the bits of the host, as in the tid of its daemon */

  for (int i = 0; i < run->n_hosts; i++)
    if ((run->host[i].dtid & 0x3ffc0000) == part)
      return &run->host[i];
  return NULL;
}

bool
machine_open (TapeRun *run)
{
  struct pvmtaskinfo *infos;
  char domain[96];
  int me, n = 0, out, own, saved_err = -1;
  bool listens;

  setenv ("PVM_ROOT", "/usr/lib/pvm3", 0);
  if (geteuid () == 0)
    setenv ("PVM_ALLOW_ROOT", "1", 0);
  sigemptyset (&our_signals);
  for (const int *s = (const int[]){ SIGCHLD, SIGINT, SIGTERM, SIGHUP, 0 }; *s; s++)
    sigaddset (&our_signals, *s);
  sigprocmask (SIG_BLOCK, &our_signals, &old_signals);
  signal (SIGPIPE, SIG_IGN);
  listens = daemon_listens ();
  /* libpvm writes its complaints to standard error by itself; no daemon is not an error here. */
  pvm_setopt (PvmAutoErr, 0);
  fflush (stderr);
  if ((out = open ("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0) {
    saved_err = fcntl (2, F_DUPFD_CLOEXEC, 3);
    dup2 (out, 2);
    close (out);
  }
  me = listens ? pvm_mytid () : -1;
  if (!listens && start_pvmd (run))
    me = pvm_mytid ();
  if (saved_err >= 0) {
    dup2 (saved_err, 2);
    close (saved_err);
  }
  if (me <= 0) {
    tape_say (_ ("pvmd: cannot be started or reached; what it said:"));
    show_log ();
    return false;
  }
  pvm_setopt (PvmAutoErr, 0);
  pvm_setopt (PvmRoute, PvmRouteDirect); /* to the agents: shorter and more even round trips */
  tape_clock_domain (domain, sizeof domain);
  own = tape_clock_number (run, domain);
  run->clock[own].own = run->clock[own].known = true;
  if (pvm_tasks (0, &n, &infos) >= 0 && n > 0) {
    strangers = calloc ((size_t) n, sizeof *strangers);
    for (n_strangers = 0; n_strangers < n; n_strangers++)
      strangers[n_strangers] = infos[n_strangers].ti_tid;
  }
  read_hosts (run);
  pvm_notify (PvmHostAdd, TAPE_TAG_HOST, -1, NULL);
  return true;
}

void
machine_close (TapeRun *run)
{
  if (daemon_pid > 0) {
    int status, i;

    kill (daemon_pid, SIGTERM);
    for (i = 0; i < 200 && waitpid (daemon_pid, &status, WNOHANG) == 0; i++)
      usleep (10000);
    if (i == 200) {
      kill (daemon_pid, SIGKILL);
      waitpid (daemon_pid, &status, 0);
    }
    daemon_pid = 0;
  } else {
    pvm_exit ();
  }
  free (strangers);
  strangers = NULL;
}

/* -- the tasks of the run -- */

static void
task_said_hello (TapeRun *run, int tid)
{
  run->known = realloc (run->known, (size_t) (run->n_known + 1) * sizeof *run->known);
  run->known[run->n_known++] = (TapeDeath){ tid, 0 };
  pvm_notify (PvmTaskExit, TAPE_TAG_EXIT, 1, &tid);
  if (!machine_host_of (run, tid))
    read_hosts (run);
}

static void
read_messages (TapeRun *run)
{
  int id, tid = 0, pid, tag;

  while ((id = pvm_nrecv (-1, -1)) > 0) {
    pvm_bufinfo (id, NULL, &tag, NULL);
    switch (tag) {
    case TAPE_TAG_HELLO:
      pid = 0;
      pvm_upkint (&tid, 1, 1);
      pvm_upkint (&pid, 1, 1);
      task_said_hello (run, tid);
      sample_watch (run, tid, pid);
      break;
    case TAPE_TAG_EXIT:
      pvm_upkint (&tid, 1, 1);
      for (int i = 0; i < run->n_known; i++)
        if (run->known[i].tid == tid && !run->known[i].at)
          run->known[i].at = tape_now ();
      break;
    case TAPE_TAG_HOST:
      read_hosts (run);
      break;
    }
  }
}

static bool
machine_is_known (const TapeRun *run, int tid)
{
  for (int i = 0; i < run->n_known; i++)
    if (run->known[i].tid == tid)
      return true;
  return false;
}

/* The tasks of the run that PVM still has: those that said hello, and those born of them that did not yet.
 * Calls f for each; returns their number, or -1 when PVM is gone. */
static int
for_living (TapeRun *run, void (*f) (int tid, int how), int how)
{
  struct pvmtaskinfo *infos;
  int n = 0, living = 0;

  if (pvm_tasks (0, &n, &infos) < 0)
    return -1;
  for (int i = 0; i < n; i++) {
    const char *name = infos[i].ti_a_out ? infos[i].ti_a_out : "", *base = strrchr (name, '/');
    bool ours = machine_is_known (run, infos[i].ti_tid) || machine_is_known (run, infos[i].ti_ptid);

    for (int k = 0; k < n_strangers; k++)
      if (strangers[k] == infos[i].ti_tid)
        ours = false;
    if (!ours || strcmp (base ? base + 1 : name, "pvmgs") == 0)
      continue;
    living++;
    if (f)
      f (infos[i].ti_tid, how);
  }
  return living;
}

static void
end_task (int tid, int sig)
{
  if (sig == SIGTERM)
    pvm_kill (tid);
  else
    pvm_sendsig (tid, sig);
}

/* -- the run -- */

static char *
with_path (const char *before, const char *after, char separator)
{
  char *all;

  if (!before || !*before)
    return strdup (after);
  return asprintf (&all, "%s%c%s", before, separator, after) < 0 ? strdup (after) : all;
}

static char *
find_library (void)
{
  /* Beside the command, in the build tree; where both were installed, wherever that was moved; where they
   * were to be installed. */
  static const char *const places[] = { "libtape-pvm.so", "../" TAPE_PVM_RELDIR "/libtape-pvm.so", NULL };
  char exe[PATH_MAX] = "", path[PATH_MAX + 256];
  const char *asked = getenv (TAPE_ENV_LIBRARY);

  if (asked && *asked)
    return access (asked, R_OK) == 0 ? realpath (asked, NULL) : NULL;
  if (readlink ("/proc/self/exe", exe, sizeof exe - 1) > 0 && strrchr (exe, '/')) {
    *strrchr (exe, '/') = '\0';
    for (int i = 0; places[i]; i++) {
      snprintf (path, sizeof path, "%s/%s", exe, places[i]);
      if (access (path, R_OK) == 0)
        return realpath (path, NULL);
    }
  }
  return access (TAPE_PVM_LIBDIR "/libtape-pvm.so", R_OK) == 0 ? strdup (TAPE_PVM_LIBDIR "/libtape-pvm.so") : NULL;
}

static long long
calibrate (TapeRun *run, const char *library)
{
  void *handle;
  long long (*measure) (const char *, int), cost = -1;

  /* The library must lie idle in this process when loaded. */
  unsetenv (TAPE_ENV_DIR);
  unsetenv (TAPE_ENV_ORDER);
  handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return -1;
  *(void **) &measure = dlsym (handle, "tape_calibrate");
  if (measure)
    cost = measure (run->dir, 50000);
  unsetenv (TAPE_ENV_DIR);
  return cost;
}

static pid_t
start_program (TapeRun *run, const char *library)
{
  char number[32];
  int report[2], why = 0;
  pid_t pid;

  snprintf (number, sizeof number, "%d", pvm_mytid ());
  if (pipe2 (report, O_CLOEXEC) != 0)
    return -1;
  run->began = tape_now ();
  pid = fork ();
  if (pid == 0) {
    setenv ("LD_PRELOAD", with_path (getenv ("LD_PRELOAD"), library, ':'), 1);
    setenv (TAPE_ENV_DIR, run->dir, 1);
    setenv (TAPE_ENV_EVENTS, run->events ? run->events : "", 1);
    setenv (TAPE_ENV_HOME, number, 1);
    if (run->order)
      setenv (TAPE_ENV_ORDER, with_path (run->dir, "order", '/'), 1);
    else
      unsetenv (TAPE_ENV_ORDER);
    setenv ("PVM_EXPORT",
            with_path (getenv ("PVM_EXPORT"),
                       "LD_PRELOAD:" TAPE_ENV_DIR ":" TAPE_ENV_EVENTS ":" TAPE_ENV_HOME ":" TAPE_ENV_ORDER
                       ":" TAPE_ENV_SKEW ":PVM_EXPORT",
                       ':'),
            1);
    signal (SIGPIPE, SIG_DFL);
    sigprocmask (SIG_SETMASK, &old_signals, NULL);
    execvp (run->argv[0], run->argv);
    why = errno;
    if (write (report[1], &why, sizeof why) < 0)
      _exit (126);
    _exit (127);
  }
  close (report[1]);
  if (pid > 0 && read (report[0], &why, sizeof why) == sizeof why) {
    tape_say ("%s: %s", run->argv[0], strerror (why));
    waitpid (pid, NULL, 0);
    pid = -1;
  }
  close (report[0]);
  return pid;
}

static void
stop_all (TapeRun *run, pid_t pid, int sig)
{
  if (pid > 0)
    kill (pid, sig);
  for_living (run, end_task, sig);
}

bool
machine_run (TapeRun *run)
{
  char *library = find_library ();
  int signals, stage = 0; /* of stopping: 0 no, 1 asked, 2 killed */
  int64_t deadline = INT64_MAX, patience = INT64_MAX;
  bool said = false, away = false;
  pid_t pid;

  if (!library) {
    tape_say (_ ("%s: not found beside tape-pvm nor in %s; set %s"), "libtape-pvm.so", TAPE_PVM_LIBDIR,
              TAPE_ENV_LIBRARY);
    return false;
  }
  run->cost_ps = calibrate (run, library);
  signals = signalfd (-1, &our_signals, SFD_CLOEXEC | SFD_NONBLOCK);
  pid = start_program (run, library);
  free (library);
  if (pid < 0)
    return false;
  if (run->timeout_s > 0)
    deadline = run->began + (int64_t) (run->timeout_s * 1e9);
  for (;;) {
    struct signalfd_siginfo info;
    struct pollfd fds[2] = { { signals, POLLIN, 0 }, { -1, POLLIN, 0 } };
    int *pvm_fds, status, living;
    int64_t now = tape_now ();

    read_messages (run);
    sample_step (run);
    if (run->live)
      live_step (run, false);
    while (read (signals, &info, sizeof info) == sizeof info)
      if (info.ssi_signo != SIGCHLD) {
        run->interrupted = true;
        deadline = now;
        if (stage == 1)
          patience = now; /* asked twice */
      }
    if (pid > 0 && waitpid (pid, &status, WNOHANG) == pid) {
      run->status = WIFSIGNALED (status) ? 128 + WTERMSIG (status) : WEXITSTATUS (status);
      if (WIFSIGNALED (status) && stage == 0)
        tape_say (_ ("%s: ended by signal %d (%s)"), run->argv[0], WTERMSIG (status), strsignal (WTERMSIG (status)));
      pid = 0;
      patience = stage ? patience : now + 5000000000;
    }
    if (daemon_pid > 0 && waitpid (daemon_pid, &status, WNOHANG) == daemon_pid)
      daemon_pid = 0; /* the program halted PVM */
    if (pid == 0) {
      living = for_living (run, NULL, 0);
      if (living <= 0 || stage == 3)
        break;
      if (!stage && !said && now > patience) {
        said = true;
        tape_say (_ ("%s: has ended, but %d of its tasks live on; waiting (Ctrl-C stops them)"), run->argv[0], living);
      }
    }
    if (now >= deadline && stage == 0) {
      run->timed_out = !run->interrupted;
      stage = 1;
      stop_all (run, pid, SIGTERM);
      patience = now + 1000000000;
    } else if (stage == 1 && now >= patience) {
      stage = 2;
      stop_all (run, pid, SIGKILL);
      patience = now + 3000000000;
    } else if (stage == 2 && now >= patience) {
      stage = 3;
    }
    if (!away && pvm_getfds (&pvm_fds) > 0)
      fds[1].fd = pvm_fds[0];
    poll (fds, 2, sample_wait_ms (pid == 0 || stage ? 20 : run->live ? 100 : 200));
    if (fds[1].revents & (POLLHUP | POLLERR))
      away = true; /* no daemon any more: never wait for it */
  }
  read_messages (run);
  run->ended = tape_now ();
  close (signals);
  return true;
}
