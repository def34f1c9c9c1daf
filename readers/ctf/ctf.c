/* SPDX-License-Identifier: Apache-2.0 */
/* ctf.c - reads traces in the Common Trace Format 1.8 by libbabeltrace2: README.md. */
#include <string.h>
#include <sys/stat.h>

#include "readers/ctf/ctf.h"
#include "eve/words.h"

static guint
hash_who (gconstpointer p)
{
  const Who *w = p;
  uint64_t h = (uint64_t) w->id * UINT64_C (0x9e3779b97f4a7c15) ^ ((uint64_t) w->place << 8 | w->what);

  return (guint) (h ^ h >> 29);
}

static gboolean
equal_who (gconstpointer a, gconstpointer b)
{
  const Who *x = a, *y = b;

  return x->id == y->id && x->place == y->place && x->what == y->what;
}

static void
free_later (void *p)
{
  g_free (((Later *) p)->table);
  g_free (p);
}

static void
ctf_begin (Ctf *c)
{
  c->source->clock = (TraceClock){ 1000000000, "s" };
  c->rules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, ctf_free_rule);
  c->classes = g_hash_table_new_full (NULL, NULL, NULL, ctf_free_class);
  c->kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  c->names = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  c->tasks = g_hash_table_new_full (hash_who, equal_who, g_free, NULL);
  c->processors = g_hash_table_new_full (hash_who, equal_who, g_free, g_free);
  c->ids = unlike_new ();
  c->states = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  c->hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  c->tables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  c->later = g_ptr_array_new_with_free_func (free_later);
  c->text = g_string_new (NULL);
  c->first = INT64_MAX;
  ctf_together_begin (c);
  ctf_declare (c);
  ctf_read_maps (c);
}

static void
ctf_end (Ctf *c)
{
  g_hash_table_unref (c->classes);
  g_hash_table_unref (c->rules);
  g_free (c->task);
  g_hash_table_unref (c->kinds);
  g_hash_table_unref (c->names);
  g_hash_table_unref (c->tasks);
  g_hash_table_unref (c->processors);
  unlike_free (c->ids);
  g_hash_table_unref (c->states);
  g_hash_table_unref (c->hosts);
  g_hash_table_unref (c->tables);
  g_clear_pointer (&c->symbols, g_hash_table_unref);
  ctf_together_end (c);
  g_ptr_array_unref (c->later);
  g_string_free (c->text, TRUE);
  g_free (c->why);
  for (Scope s = 0; s < N_SCOPES; s++)
    g_free (c->cells[s]);
}

static uint64_t
bytes_in (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  uint64_t bytes = 0;
  const char *name;

  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat st;
    bytes += stat (path, &st) == 0 && S_ISREG (st.st_mode) ? (uint64_t) st.st_size : 0;
  }
  return bytes;
}

/* Folders whose traces have one id are parts of one: it was rotated. */
static GPtrArray *
ctf_group (Ctf *c, const GPtrArray *folders, int *newer)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GHashTable) of_id = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < folders->len; i++) {
    g_autofree char *id = NULL;
    int version;
    if (ctf_is_trace (folders->pdata[i], &version, &id) && version != 1) {
      ++*newer;
      continue;
    }
    GPtrArray *of = id ? g_hash_table_lookup (of_id, id) : NULL;
    if (!of) {
      g_ptr_array_add (groups, of = g_ptr_array_new ());
      if (id)
        g_hash_table_insert (of_id, g_steal_pointer (&id), of);
    }
    g_ptr_array_add (of, folders->pdata[i]);
    c->has_threads = c->has_threads || ctf_is_of_programs (folders->pdata[i]);
    c->total_bytes += bytes_in (folders->pdata[i]);
  }
  return groups;
}

static void
tell_the_rest (Ctf *c, int newer)
{
  trace_source_part (c->source, N_ ("streams"), c->begun, c->ended);
  trace_source_part (c->source, N_ ("packets"), c->packets, c->whole_packets);
  trace_source_part (c->source, N_ ("times of silence"), c->n_silent, c->n_silent);
  if (c->n_lost > 0)
    trace_source_remark (c->source, c->source->name, 0, 0,
                         P_ ("%" PRIu64 " event was discarded while it was traced: it is not in it",
                             "%" PRIu64 " events were discarded while it was traced: they are not in it", c->n_lost),
                         c->n_lost);
  if (c->n_lost_packets > 0)
    trace_source_remark (c->source, c->source->name, 0, 0,
                         P_ ("%" PRIu64 " packet was lost: its events are not in it",
                             "%" PRIu64 " packets were lost: their events are not in it", c->n_lost_packets),
                         c->n_lost_packets);
  if (c->n_undated > 0)
    trace_source_remark (
        c->source, c->source->name, 0, 0,
        P_ ("%" PRIu64 " event has a date beyond what can be counted, and that of the one before instead",
            "%" PRIu64 " events have a date beyond what can be counted, and that of the one before instead",
            c->n_undated),
        c->n_undated);
  if (c->n_before > 0)
    trace_source_remark (
        c->source, c->source->name, 0, 0,
        P_ ("%" PRIu64 " event without a date tells what was there before perf began: it gives names to "
            "tasks alone",
            "%" PRIu64 " events without a date tell what was there before perf began: they give names to "
            "tasks alone",
            c->n_before),
        c->n_before);
  if (c->n_without_date > 0)
    trace_source_remark (c->source, c->source->name, 0, 0,
                         c->some_clock
                             ? P_ ("%" PRIu64 " event has no date, as its stream has no clock: it has that of "
                                   "the one before",
                                   "%" PRIu64 " events have no date, as their streams have no clock: they "
                                   "have those of the ones before",
                                   c->n_without_date)
                             : P_ ("the trace has no clock: its %" PRIu64 " event is dated 0",
                                   "the trace has no clock: its %" PRIu64 " events are dated a second apart, "
                                   "in their order, which is no time that passed",
                                   c->n_without_date),
                         c->n_without_date);
  if (newer > 0)
    trace_source_remark (c->source, c->source->name, 0, 0,
                         P_ ("%d of its traces is of CTF 2, which libbabeltrace2 2.0 cannot read",
                             "%d of its traces are of CTF 2, which libbabeltrace2 2.0 cannot read", (gulong) newer),
                         newer);
}

static bool
ctf_convert (Converter *to, const char *path, GError **error)
{
  g_autoptr (GPtrArray) folders = ctf_traces_in (path);
  Ctf c = { .to = to, .source = converter_source (to), .top = path };
  int newer = 0;

  ctf_begin (&c);
  g_autoptr (GPtrArray) groups = ctf_group (&c, folders, &newer);
  for (guint i = 0; i < groups->len && !c.stopped; i++)
    ctf_read (&c, groups->pdata[i]);
  bool ok = converter_progress (to, 0.99, error);
  if (ok && groups->len == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 newer > 0
                     ? _ ("%s is a trace of CTF 2, which libbabeltrace2 2.0 cannot read; babeltrace2 2.1 makes one "
                          "of CTF 1.8 of it: babeltrace2 %s --component sink.ctf.fs --params "
                          "'path=\"NEW\",ctf-version=\"1\"'")
                     : _ ("%s has no CTF trace: no folder in it has a file “metadata”%.0s"),
                 path, path);
    ok = false;
  }
  if (ok && c.n_failed > 0 && c.source->n_events == 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("nothing of %s can be read: %s"), path, c.why);
    ok = false;
  }
  if (ok) {
    ctf_give_names (&c);
    converter_order_tasks (to, NULL);
    tell_the_rest (&c, newer);
  }
  ctf_end (&c);
  return ok;
}

static const ConvertedFormat ctf;
CONVERTED_OPEN (ctf_open, &ctf)
static const ConvertedFormat ctf = {
  .format = { .name = "ctf",
              .label = "CTF",
              .model = "CTF",
              .open = ctf_open,
              .recognise = ctf_recognise,
              CONVERTED_FUNCTIONS },
  .folder = true,
  .convert = ctf_convert,
};

TRACE_READER_PLUGIN (ctf.format, "scope.ctf-reader", "CTF reader", "reader:ctf",
                     "Reads traces in the Common Trace Format 1.8, as LTTng, barectf and others write them.");
