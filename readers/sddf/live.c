/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - PVM's own tracer, while it writes (scope live pvm:): each record becomes a line of the bundle that a tracer
 * of ours would write (readers/tapepvm/README.md, version 2), so that whatever follows such a one follows this.
 *
 * Tasks tell on their own, and the tracer writes what comes first: a record waits HOLD_MS for others with earlier
 * dates. What comes later still gets the date of the line above, and is counted. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "readers/sddf/sddf.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/live-trace.h"
#include "readers/live.h"

#define HOLD_MS 300
#define QUIET_MS 1000     /* so long no task is there: the program has ended */
#define PIECE (64u << 10) /* of the file, read at once */
#define MOST_PIECES 64    /* before what they tell is written */
#define MOST_WORD 65536   /* bytes */
#define MOST_LIST 65536

typedef struct LiveKind { /* of a line */
  char *number, *line;    /* as the table of the bundle has it */
  char **fields;          /* NAME=ROLE */
} LiveKind;

typedef struct LiveCall { /* or an event that is none: `first` alone */
  OpenCall call;          /* the first */
  const LiveKind *kind;
  const Record *first, *last;
  char *begin_text, *end_text; /* their values */
  int64_t tid, date, end;      /* dates as the tracer tells them */
  int64_t begin;               /* as it was written */
  bool written, whole;         /* its begin is written; with its end */
  bool alone;                  /* no end will come */
} LiveCall;

typedef struct Waiting { /* to be written */
  int64_t date, came, order;
  LiveCall *call;
  bool ends;
} Waiting;

struct LiveTrace {
  Sddf sddf;
  TraceSource source; /* tasks, hosts and damages */
  char *bundle, *folder, *file;
  GPid tracer; /* 0: none was started */
  int to_tracer, in, events, live, tries;
  uint64_t at; /* read of the file */
  GString *line, *text, *out;
  GHashTable *kinds;  /* name of a call -> LiveKind */
  GHashTable *living; /* tasks */
  GArray *waiting;    /* of Waiting */
  int64_t origin, reached, order, n_written, n_late, n_strange, heard;
  bool lived;
};

/* Beyond the calls that the tracer of Scope knows. */
#define MORE_KINDS                                                                                                     \
  KIND (301, exit, "function", "result=result")                                                                        \
  KIND (302, gettmask, "function", "result=result")                                                                    \
  KIND (303, settmask, "function", "result=result")                                                                    \
  KIND (304, getinfo, "function", "result=result")                                                                     \
  KIND (305, mhf_invoke, "function", "result=result")                                                                  \
  KIND (306, output, "user instant", "text=word")                                                                      \
  KIND (307, spntask, "user instant", "parent=task")                                                                   \
  KIND (308, user_defined, "user instant", "values=word")

/* Which field of a record a field of a line is; the first that the record of the end has, or else that of the begin. */
static const struct {
  const char *field, *names[5];
} of_fields[] = {
  { "to", { "DST", "MDL" } },
  { "from", { "SRC" } },
  { "tag", { "MC" } },
  { "bytes", { "MNB" } },
  { "asked_from", { "RST" } },
  { "asked_tag", { "RMC" } },
  { "result", { "CC", "MB", "MT", "GI", "TES" } },
  { "program", { "TN", "SE" } },
  { "parent", { "PT" } },
  { "where", { "SW" } },
  { "flags", { "SF" } },
  { "count", { "SC", "PC", "GBC" } },
  { "type", { "PDT" } },
  { "stride", { "PSD" } },
  { "spawned", { "STL" } },
  { "group", { "GN" } },
  { "text", { "OS" } },
};

/* ---- kinds ------------------------------------------------------------------------------------------------------------------- */

/* As records name it: in small letters, without what joins words; of what begins and ends tasks, as PVM does. */
static char *
sddf_live_key (const char *name)
{
  const char *as = strcmp (name, "Enroll") == 0 ? "newtask" : strcmp (name, "Exit") == 0 ? "endtask" : name;
  g_auto (GStrv) words = g_strsplit (as, "_", -1);
  g_autofree char *joined = g_strjoinv ("", words);

  return g_ascii_strdown (joined, -1);
}

static void
sddf_live_free_kind (void *p)
{
  LiveKind *k = p;

  g_strfreev (k->fields);
  g_free (k->number);
  g_free (k->line);
  g_free (k);
}

/* The table; gives it as text too, in the order of its numbers. */
static GString *
sddf_live_kinds (LiveTrace *l)
{
  static const struct {
    const char *number, *name, *category, *fields;
  } list[] = {
#define KIND(number, name, category, fields) { #number, #name, category, fields },
#include "readers/tapepvm/kinds.def"
    MORE_KINDS
#undef KIND
  };
  GString *text = g_string_new (NULL);

  l->kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, sddf_live_free_kind);
  for (size_t i = 0; i < G_N_ELEMENTS (list); i++) {
    LiveKind *k = g_new0 (LiveKind, 1);
    k->number = g_strdup (list[i].number);
    k->fields = g_strsplit (list[i].fields, " ", -1);
    g_string_append_printf (text, "kind %s %s \"%s\" \"%s\"\n", k->number, list[i].name, list[i].category,
                            list[i].fields);
    g_hash_table_insert (l->kinds, sddf_live_key (list[i].name), k);
  }
  return text;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------------- */

static void
sddf_live_word (GString *to, const char *at, size_t n)
{
  g_autofree char *valid = g_utf8_make_valid (at, (gssize) MIN (n, MOST_WORD));

  if (!*valid)
    g_string_append_c (to, '-');
  for (const char *c = valid; *c; c++)
    if ((unsigned char) *c <= ' ' || *c == 0x7f || *c == '%' || (*c == '-' && c == valid))
      g_string_append_printf (to, "%%%02x", (unsigned char) *c);
    else
      g_string_append_c (to, *c);
}

static void
sddf_live_words (GString *to, const char *text)
{
  sddf_live_word (to, text, strlen (text));
}

/* A task; daemons have the top bit, and other numbers below 0 stand for none, or any. */
static void
sddf_live_task (GString *to, int64_t tid)
{
  uint32_t id = (uint32_t) tid;

  g_string_append_printf (to, "%lld", id == 0 || id > 0xf0000000u ? -1 : (long long) id);
}

static void
sddf_live_list (GString *to, const Value *v)
{
  g_autofree char *text = v ? g_strndup (v->at, v->n) : NULL;
  g_autoptr (GString) tasks = g_string_new (NULL);
  const char *at = text;
  unsigned n = 0;
  int64_t tid;

  while (at && n < MOST_LIST && sddf_next_number (&at, &tid))
    if (tid > 0) {
      g_string_append_printf (tasks, " %lld", (long long) tid);
      n++;
    }
  g_string_append_printf (to, "%u%s", n, tasks->str);
}

static const Value *
sddf_live_find (const Record *r, const Value *values, const char *name, char type)
{
  uint32_t at = r ? sddf_find_field (r, name) : TRACE_NONE;

  return at != TRACE_NONE && values[at].type == type ? &values[at] : NULL;
}

typedef struct Both { /* both records of a call, or one */
  const LiveCall *call;
  Value first[MOST_FIELDS], last[MOST_FIELDS];
} Both;

static const Value *
sddf_live_value (const Both *t, const char *field, char type)
{
  for (size_t i = 0; i < G_N_ELEMENTS (of_fields); i++) {
    if (strcmp (of_fields[i].field, field) != 0)
      continue;
    for (const char *const *name = of_fields[i].names; *name; name++) {
      const Value *v = sddf_live_find (t->call->last, t->last, *name, type);
      v = v ? v : sddf_live_find (t->call->first, t->first, *name, type);
      if (v)
        return v;
    }
  }
  return NULL;
}

/* Bytes of a message: what is told, or as many as its items take. */
static int64_t
sddf_live_bytes (const Both *t)
{
  static const int sizes[] = { 1, 1, 2, 4, 4, 8, 8, 16, 8, 2, 4, 8 }; /* of PVM's types */
  const Value *bytes = sddf_live_value (t, "bytes", 'i'), *count = sddf_live_value (t, "count", 'i'),
              *type = sddf_live_value (t, "type", 'i'), *to = sddf_live_value (t, "to", 'i');

  if (!bytes && to && count && type && count->whole > 0 && count->whole <= INT32_MAX && type->whole >= 0
      && type->whole < (int64_t) G_N_ELEMENTS (sizes))
    return count->whole * sizes[type->whole];
  return bytes ? MAX (bytes->whole, 0) : 0;
}

static void
sddf_live_field (LiveTrace *l, const Both *t, const char *name, size_t n_name, const char *role)
{
  g_autofree char *field = g_strndup (name, n_name);
  const LiveCall *c = t->call;
  const TraceTask *task = trace_task (&l->source, pvm_task_of (&l->sddf, c->tid));
  const TraceHost *host = task->host != TRACE_NONE ? l->source.hosts->pdata[task->host] : NULL;
  const Value *v;

  g_string_append_c (l->out, ' ');
  if (strcmp (role, "word") == 0 || strcmp (role, "group") == 0) {
    v = sddf_live_value (t, field, 't');
    if (strcmp (field, "values") == 0)
      sddf_live_words (l->out, c->begin_text);
    else if (strcmp (field, "host") == 0 || strcmp (field, "arch") == 0)
      sddf_live_words (l->out, !host ? "" : *field == 'h' ? host->name : host->arch);
    else if (!v || (v->n == 1 && *v->at == '-' && strcmp (field, "program") == 0)) /* nobody knows */
      sddf_live_words (l->out, "");
    else
      sddf_live_word (l->out, v->at, v->n);
  } else if (strcmp (role, "peers") == 0 || strcmp (role, "tasks") == 0) {
    sddf_live_list (l->out, sddf_live_value (t, field, 'l'));
  } else if (strcmp (role, "peer") == 0 || strcmp (role, "task") == 0) {
    v = sddf_live_value (t, field, 'i');
    sddf_live_task (l->out, v ? v->whole : -1);
  } else {
    v = sddf_live_value (t, field, 'i');
    int64_t whole = strcmp (role, "size") == 0                     ? sddf_live_bytes (t)
                    : v                                            ? v->whole
                    : strcmp (role, "tag") == 0                    ? -1
                    : strcmp (field, "speed") == 0 && host != NULL ? host->speed
                                                                   : 0;
    if (strcmp (role, "result") == 0 && c->last == NULL && whole != 0)
      whole = -1; /* of a task that ended with this status: it died */
    if (strcmp (role, "int") != 0 && strcmp (role, "size") != 0)
      whole = CLAMP (whole, INT32_MIN, INT32_MAX);
    g_string_append_printf (l->out, "%lld", (long long) whole);
  }
}

/* Parsed again from their texts: a record that waits is small. */
static void
sddf_live_put (LiveTrace *l, const LiveCall *c, int64_t duration)
{
  g_autofree Both *t = g_new0 (Both, 1);
  const char *behind;

  t->call = c;
  sddf_values (c->first, c->begin_text, c->begin_text + strlen (c->begin_text), t->first, &behind);
  if (c->last)
    sddf_values (c->last, c->end_text, c->end_text + strlen (c->end_text), t->last, &behind);
  g_string_append_printf (l->out, "%s %lld %lld %lld 0", c->kind->number, (long long) c->begin, (long long) c->tid,
                          (long long) duration);
  for (char **f = c->kind->fields; *f; f++) {
    const char *equals = strchr (*f, '=');
    if (equals)
      sddf_live_field (l, t, *f, (size_t) (equals - *f), equals + 1);
  }
  g_string_append_c (l->out, '\n');
}

/* ---- what comes -------------------------------------------------------------------------------------------------------------- */

static void
sddf_live_free (void *p)
{
  LiveCall *c = p;

  g_free (c->begin_text);
  g_free (c->end_text);
  g_free (c);
}

static void
sddf_live_free_open (OpenCall *call)
{
  sddf_live_free (call);
}

static void
sddf_live_wait (LiveTrace *l, LiveCall *c, int64_t date, bool ends)
{
  g_array_append_val (l->waiting, ((Waiting){ date, g_get_monotonic_time (), l->order++, c, ends }));
}

static void
sddf_live_end (LiveTrace *l, LiveCall *c, const Record *r, char *text, int64_t date)
{
  c->last = r;
  c->end_text = text;
  c->end = MAX (date, c->date);
  sddf_live_wait (l, c, c->end, true);
}

/* The task is gone.  That ends pvm_exit(), whose end nobody tells; other calls never end. */
static void
sddf_live_leave (LiveTrace *l, LiveCall *c, int64_t date)
{
  if (strcmp (c->first->call, "exit") == 0)
    sddf_live_end (l, c, c->first, g_strdup (c->begin_text), date);
  else if (c->written)
    sddf_live_free (c);
  else
    c->alone = true;
}

static char *
sddf_live_text (const Record *r, const char *text, const char *end)
{
  Value values[MOST_FIELDS];
  const char *behind = text;

  return sddf_values (r, text, end, values, &behind) ? g_strndup (text, (gsize) (behind - text)) : g_strdup ("");
}

static void
sddf_live_take (void *live, const Record *r, const char *text, const char *end, int64_t date, int64_t tid)
{
  LiveTrace *l = live;
  g_autofree char *key = sddf_live_key (r->call);
  const LiveKind *kind = g_hash_table_lookup (l->kinds, key);
  uint32_t task = pvm_task_of (&l->sddf, tid);

  l->heard = g_get_monotonic_time ();
  if (strcmp (key, "newtask") == 0) {
    g_hash_table_add (l->living, GUINT_TO_POINTER ((guint) tid));
    l->lived = true;
  } else if (strcmp (key, "endtask") == 0) {
    g_hash_table_remove (l->living, GUINT_TO_POINTER ((guint) tid));
    for (OpenCall *c = open_calls_take_all (l->sddf.held, task), *inner; c; c = inner) {
      inner = c->inner;
      sddf_live_leave (l, (LiveCall *) c, date);
    }
  }
  if (r->phase == ENDS) {
    LiveCall *c = (LiveCall *) open_calls_end (l->sddf.held, task, r->called);
    if (!c) {
      l->sddf.alone++;
      return;
    }
    sddf_live_end (l, c, r, sddf_live_text (r, text, end), date);
    return;
  }
  if (!kind || tid <= 0 || tid > INT32_MAX) {
    l->n_strange++;
    return;
  }
  LiveCall *c = g_new0 (LiveCall, 1);
  c->kind = kind;
  c->first = r;
  c->begin_text = sddf_live_text (r, text, end);
  c->tid = tid;
  c->date = date;
  if (r->phase == BEGINS && open_calls_n (l->sddf.held) < MOST_HELD)
    open_calls_begin (l->sddf.held, task, r->called, &c->call);
  else
    c->alone = true;
  sddf_live_wait (l, c, date, false);
}

/* ---- what is written --------------------------------------------------------------------------------------------------------- */

static int
sddf_live_by_date (const void *a, const void *b)
{
  const Waiting *x = a, *y = b;

  return x->date != y->date ? (x->date > y->date) - (x->date < y->date) : (x->order > y->order) - (x->order < y->order);
}

static void
sddf_live_put_begin (LiveTrace *l, LiveCall *c)
{
  if (l->n_written++ == 0)
    l->origin = c->date;
  l->n_late += c->date - l->origin < l->reached;
  l->reached = c->begin = MAX (c->date - l->origin, l->reached);
  c->written = true;
  c->whole = c->last != NULL;
  sddf_live_put (l, c, c->whole ? MAX (c->end - l->origin - c->begin, 0) : c->first->phase == BEGINS ? -1 : 0);
  if (c->alone)
    sddf_live_free (c);
}

static void
sddf_live_put_end (LiveTrace *l, LiveCall *c)
{
  if (!c->whole) {
    l->n_late += c->end - l->origin < l->reached;
    l->reached = MAX (c->end - l->origin, l->reached);
    g_string_append_printf (l->out, "0 %lld ", (long long) l->reached);
    sddf_live_put (l, c, l->reached - c->begin);
  }
  sddf_live_free (c);
}

/* What has waited so long, and all dated before it; `last`: all. */
static bool
sddf_live_write (LiveTrace *l, bool last, GError **error)
{
  int64_t now = g_get_monotonic_time (), until = INT64_MIN;
  guint n = 0;

  for (guint i = 0; i < l->waiting->len; i++) {
    const Waiting *w = &g_array_index (l->waiting, Waiting, i);
    if (last || now - w->came >= HOLD_MS * 1000)
      until = MAX (until, w->date);
  }
  if (until == INT64_MIN)
    return true;
  g_array_sort (l->waiting, sddf_live_by_date);
  for (; n < l->waiting->len && g_array_index (l->waiting, Waiting, n).date <= until; n++) {
    const Waiting *w = &g_array_index (l->waiting, Waiting, n);
    (w->ends ? sddf_live_put_end : sddf_live_put_begin) (l, w->call);
  }
  g_array_remove_range (l->waiting, 0, n);
  if (n > 0) /* so that what is written is certain */
    g_string_append_printf (l->out, "0 %lld\n", (long long) ++l->reached);
  bool ok = disk_write (l->events, l->out->str, l->out->len);
  if (!ok)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), l->bundle, g_strerror (errno));
  g_string_truncate (l->out, 0);
  return ok;
}

/* What the tracer has written since; true: there may be more. */
static bool
sddf_live_read (LiveTrace *l)
{
  g_autofree char *piece = g_malloc (PIECE);
  ssize_t n = 0;

  if (l->in < 0)
    l->in = disk_open (l->file, NULL, DISK_DATA, NULL, NULL);
  for (int i = 0; i < MOST_PIECES && l->in >= 0 && (n = disk_pread (l->in, piece, PIECE, l->at)) > 0; i++) {
    const char *end = piece + n;
    l->at += (uint64_t) n;
    for (const char *p = piece, *stop; p < end; p = stop + 1) {
      stop = memchr (p, '\n', (size_t) (end - p));
      if (l->line->len <= DISK_MIB)
        g_string_append_len (l->line, p, (stop ? stop : end) - p);
      if (!stop)
        break;
      l->sddf.lines++;
      if (l->sddf.lines > 1 || !g_str_has_prefix (l->line->str, "SDDFA"))
        sddf_line (&l->sddf, l->text, l->line->str, l->line->len, l->line->len > DISK_MIB, &l->tries, false);
      g_string_truncate (l->line, 0);
    }
  }
  return n > 0;
}

/* ---- the tracer -------------------------------------------------------------------------------------------------------------- */

/* Ctrl+C is for who records: the tracer quits when nobody can tell it anything any more. */
static void
sddf_live_apart (gpointer unused)
{
  setpgid (0, 0);
}

static bool
sddf_live_start (LiveTrace *l, GError **error)
{
  char *argv[] = { (char *) "tracer", (char *) "-T", l->file, NULL };
  g_autoptr (GError) why = NULL;

  if (g_spawn_async_with_pipes (NULL, argv, NULL,
                                G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
                                sddf_live_apart, NULL, &l->tracer, &l->to_tracer, NULL, NULL, &why))
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("PVM’s tracer cannot be started (%s); it is in the package pvm"),
               why->message);
  return false;
}

static bool
sddf_live_is_over (LiveTrace *l)
{
  int status;

  if (l->tracer && waitpid (l->tracer, &status, WNOHANG) == l->tracer)
    l->tracer = 0;
  return l->to_tracer >= 0 && l->tracer == 0;
}

/* It has a second to write what it has; all is taken then. */
static void
sddf_live_stop (LiveTrace *l)
{
  if (l->to_tracer >= 0)
    close (l->to_tracer);
  for (int i = 0; l->tracer && i < 100; i++) {
    if (waitpid (l->tracer, NULL, WNOHANG) == l->tracer)
      l->tracer = 0;
    else
      g_usleep (10000);
  }
  if (l->tracer) {
    kill (l->tracer, SIGTERM);
    waitpid (l->tracer, NULL, 0);
  }
  l->tracer = 0;
  l->to_tracer = -1;
}

/* ---- the bundle -------------------------------------------------------------------------------------------------------------- */

static int
sddf_live_open (LiveTrace *l, const char *name, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename (l->folder, name, NULL);
  int fd = disk_open_write (path, error);

  if (fd >= 0 && !disk_write (fd, text, strlen (text))) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
    close (fd);
    return -1;
  }
  return fd;
}

static bool
sddf_live_begin (LiveTrace *l, GError **error)
{
  g_autoptr (GString) kinds = sddf_live_kinds (l);
  int fd;

  if (g_mkdir_with_parents (l->folder, 0777) < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be made: %s"), l->folder, g_strerror (errno));
    return false;
  }
  if ((l->live = sddf_live_open (l, TRACE_LIVE_FILE, "scope live\n", error)) < 0 || flock (l->live, LOCK_EX) < 0
      || (fd = sddf_live_open (l, "kinds", kinds->str, error)) < 0)
    return false;
  close (fd);
  return (l->events = sddf_live_open (l, "events", "#TAPE/PVM 2\n", error)) >= 0;
}

bool
live_trace_claims (const char *where)
{
  return g_str_has_prefix (where, "pvm:");
}

LiveTrace *
live_trace_new (const char *where, const char *bundle, GError **error)
{
  static const TraceFormat format = { .name = "tapepvm" };
  LiveTrace *l = g_new0 (LiveTrace, 1);
  g_autofree char *base = g_path_get_basename (bundle), *stem = g_strndup (base, strlen (base) - strlen (".trace"));
  g_autofree char *data = g_strconcat (stem, ".tapepvm", NULL);
  const char *file = where + strlen ("pvm:");

  l->bundle = g_strdup (bundle);
  l->folder = g_build_filename (bundle, data, NULL);
  l->file = *file ? g_strdup (file) : g_build_filename (l->folder, "tracer.sddf", NULL);
  l->to_tracer = l->in = l->events = l->live = -1;
  l->line = g_string_new (NULL);
  l->text = g_string_new (NULL);
  l->out = g_string_new (NULL);
  l->living = g_hash_table_new (NULL, NULL);
  l->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  trace_source_setup (&l->source, &format, bundle, NULL);
  l->sddf = (Sddf){ .source = &l->source, .file = l->file, .take = sddf_live_take, .live = l };
  sddf_begin (&l->sddf);
  if ((!*file || (l->in = disk_open (l->file, NULL, DISK_DATA, NULL, error)) >= 0) && sddf_live_begin (l, error)
      && (*file || sddf_live_start (l, error)))
    return l;
  live_trace_end (l, NULL);
  return NULL;
}

bool
live_trace_go (LiveTrace *l, int timeout_ms, GError **error)
{
  bool over = sddf_live_is_over (l), more = sddf_live_read (l);

  if (!sddf_live_write (l, false, error))
    return false;
  if (more)
    return true;
  if (over && !l->lived)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
                 _ ("PVM’s tracer has ended before any task was there: it needs a PVM that runs (PVM_ROOT, PVM_TMP)"));
  if (over || (l->lived && g_hash_table_size (l->living) == 0 && g_get_monotonic_time () - l->heard > QUIET_MS * 1000))
    return false;
  g_usleep ((gulong) timeout_ms * 1000);
  return true;
}

static void
sddf_live_remove (const LiveTrace *l)
{
  static const char *const names[] = { TRACE_LIVE_FILE, "kinds", "events", "tracer.sddf", "." };

  for (size_t i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (l->folder, names[i], NULL);
    if (*names[i] == '.')
      rmdir (l->folder);
    else
      unlink (path);
  }
  rmdir (l->bundle);
}

bool
live_trace_end (LiveTrace *l, char **told)
{
  bool some;

  sddf_live_stop (l);
  for (bool more = l->events >= 0; more;) {
    more = sddf_live_read (l);
    sddf_live_write (l, !more, NULL);
  }
  some = l->n_written > 0;
  if (told)
    *told = l->n_late + l->n_strange + (int64_t) l->sddf.alone + (int64_t) l->source.n_damaged == 0
                ? NULL
                : g_strdup_printf (_ ("records that came too late, and have a later date: %" PRId64
                                      "; left out are those of kinds that are not known: %" PRId64
                                      ", ends of what had not begun: %" PRIu64 ", and damaged ones: %" PRIu64),
                                   l->n_late, l->n_strange, l->sddf.alone, l->source.n_damaged);
  if (some && l->live >= 0)
    disk_write (l->live, "ended\n", 6);
  for (size_t i = 0; i < 3; i++) {
    int fd = ((const int[]){ l->in, l->events, l->live })[i];
    if (fd >= 0)
      close (fd);
  }
  if (!some && l->events >= 0)
    sddf_live_remove (l);
  sddf_end (&l->sddf, sddf_live_free_open);
  trace_source_clear (&l->source);
  g_clear_pointer (&l->kinds, g_hash_table_unref);
  g_hash_table_unref (l->living);
  g_array_unref (l->waiting);
  g_string_free (l->line, TRUE);
  g_string_free (l->text, TRUE);
  g_string_free (l->out, TRUE);
  g_free (l->bundle);
  g_free (l->folder);
  g_free (l->file);
  g_free (l);
  return some;
}
