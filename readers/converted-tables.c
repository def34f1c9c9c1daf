/* SPDX-License-Identifier: Apache-2.0 */
/* converted-tables.c - what a converted trace keeps beside events, as typed values; and where it is kept.
 *
 * What is read may have been written by anybody: each number is checked before it is used. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "readers/converted-code.h"
#include "readers/converted-private.h"

#define MOST_FIELDS 64
#define MOST_FILES 100000 /* of a trace that is a folder */
#define MOST_LEVELS 8     /* folders in folders */
#define CACHE_MOST_BYTES (UINT64_C (32) << 30)
#define CACHE_MOST_AGE_S (90 * 24 * 3600)

bool
converted_is_behind (TraceRole role)
{
  return role == TRACE_ROLE_INT || role == TRACE_ROLE_WORD || role == TRACE_ROLE_TASK || role == TRACE_ROLE_TASKS
         || role == TRACE_ROLE_PEERS || role == TRACE_ROLE_OBJECTS;
}

uint8_t *
converted_read_small (const char *folder, const char *name, size_t *n)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  uint8_t *bytes = (uint8_t *) disk_read (path, folder, MOST_TABLES, n, NULL);

  if (bytes && *n >= 8 && bytes_get64 (bytes) == bytes_fnv (bytes + 8, *n - 8)) {
    *n -= 8;
    return bytes;
  }
  g_free (bytes);
  return NULL;
}

char *
converted_file_in (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  g_autofree char *found = NULL;
  guint n = 0;

  if (!dir)
    return NULL;
  for (const char *name; (name = g_dir_read_name (dir));)
    if (*name != '.' && n++ == 0)
      found = g_build_filename (folder, name, NULL);
  if (n == 1)
    return g_steal_pointer (&found);
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, _ ("%s holds %u files; it must be the one file of the trace"),
               folder, n);
  return NULL;
}

/* ---- kinds ---------------------------------------------------------------------------------------------------------------- */

/* Names come from files: what is shown is text. */
static char *
valid (const char *text)
{
  return text ? g_utf8_make_valid (text, -1) : NULL;
}

TraceKind
converted_copy_kind (const TraceKind *k)
{
  TraceKind copy = *k;
  TraceField *fields = g_new0 (TraceField, MAX (k->n_fields, 1));

  for (uint32_t i = 0; i < k->n_fields; i++)
    fields[i] = (TraceField){ valid (k->fields[i].name), k->fields[i].role, valid (k->fields[i].unit) };
  copy.name = valid (k->name);
  copy.end_name = valid (k->end_name ? k->end_name : k->name);
  copy.category = valid (k->category);
  copy.fields = fields;
  return copy;
}

void
converted_free_kinds (TraceKind *kinds, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t f = 0; f < kinds[i].n_fields; f++) {
      g_free ((char *) kinds[i].fields[f].name);
      g_free ((char *) kinds[i].fields[f].unit);
    }
    g_free ((TraceField *) kinds[i].fields);
    g_free ((char *) kinds[i].name);
    g_free ((char *) kinds[i].end_name);
    g_free ((char *) kinds[i].category);
  }
  g_free (kinds);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------------- */

static void
put_index (EveBlob *to, uint32_t i)
{
  eve_put_int (to, i == TRACE_NONE ? -1 : (int64_t) i);
}

static void
put_kind (const TraceKind *k, EveBlob *to)
{
  eve_put_text (to, k->name);
  eve_put_text (to, k->end_name);
  eve_put_text (to, k->category);
  eve_put_int (to, k->instant);
  eve_put_int (to, k->acts);
  eve_put_int (to, k->n_fields);
  for (uint32_t i = 0; i < k->n_fields; i++) {
    eve_put_text (to, k->fields[i].name);
    eve_put_int (to, k->fields[i].role);
    eve_put_text (to, k->fields[i].unit);
  }
}

/* In the order of their names, as what is kept of a file is the same each time. */
static void
put_colours (const TraceSource *s, EveBlob *to)
{
  g_autoptr (GList) names = s->colours ? g_list_sort (g_hash_table_get_keys (s->colours), (GCompareFunc) strcmp) : NULL;

  eve_put_int (to, g_list_length (names));
  for (const GList *l = names; l; l = l->next) {
    eve_put_text (to, l->data);
    eve_put_int (to, GPOINTER_TO_UINT (g_hash_table_lookup (s->colours, l->data)) - 1);
  }
}

void
converted_put_tables (const TraceSource *s, EveBlob *to)
{
  eve_put_int (to, CONVERTED_VERSION);
  eve_put_int (to, s->clock.ticks_per_second);
  eve_put_text (to, s->clock.units);
  eve_put_text (to, s->reference);
  eve_put_int (to, (int64_t) s->n_records);
  eve_put_int (to, (int64_t) s->n_events);
  eve_put_int (to, (int64_t) s->n_damaged);
  eve_put_int (to, s->n_kinds);
  for (uint32_t i = 0; i < s->n_kinds; i++)
    put_kind (&s->kinds[i], to);
  eve_put_int (to, s->types->len);
  for (guint i = 0; i < s->types->len; i++) {
    const TraceType *t = s->types->pdata[i];
    eve_put_text (to, t->name);
    eve_put_text (to, t->unit);
    eve_put_int (to, t->kind);
    put_index (to, t->parent);
    eve_put_int (to, t->object);
    eve_put_int (to, t->does);
    eve_put_int (to, t->own);
  }
  eve_put_int (to, s->hosts->len);
  for (guint i = 0; i < s->hosts->len; i++) {
    const TraceHost *h = s->hosts->pdata[i];
    eve_put_text (to, h->name);
    eve_put_text (to, h->arch);
    eve_put_int (to, h->speed);
  }
  eve_put_int (to, s->tasks->len);
  for (guint i = 0; i < s->tasks->len; i++) {
    const TraceTask *t = s->tasks->pdata[i];
    eve_put_text (to, t->id);
    eve_put_text (to, t->program);
    eve_put_text (to, g_hash_table_lookup (s->nicknames, t->id) ? NULL : t->nickname);
    eve_put_int (to, t->raw);
    put_index (to, t->host);
    put_index (to, t->type);
    put_index (to, t->parent);
    eve_put_int (to, t->once_more);
  }
  eve_put_int (to, s->objects->len);
  for (guint i = 0; i < s->objects->len; i++) {
    const TraceObject *o = s->objects->pdata[i];
    eve_put_text (to, o->id);
    put_index (to, o->from);
    put_index (to, o->to);
    put_index (to, o->type);
    eve_put_int (to, o->does);
  }
  eve_put_int (to, s->damage->len);
  for (guint i = 0; i < s->damage->len; i++) {
    const TraceDamage *d = s->damage->pdata[i];
    eve_put_text (to, d->file);
    eve_put_int (to, (int64_t) d->line);
    eve_put_int (to, (int64_t) d->column);
    eve_put_text (to, d->reason);
  }
  put_colours (s, to);
  eve_put_int (to, s->parts->len);
  for (guint i = 0; i < s->parts->len; i++) {
    const TracePart *part = &g_array_index (s->parts, TracePart, i);
    eve_put_text (to, part->name);
    eve_put_int (to, (int64_t) part->n);
    eve_put_int (to, (int64_t) part->whole);
  }
  const int64_t clocks[] = { s->clocks.by,
                             s->clocks.n_tasks,
                             (int64_t) s->clocks.n_offsets,
                             (int64_t) s->clocks.n_checked,
                             (int64_t) s->clocks.n_before,
                             (int64_t) s->clocks.n_after,
                             s->clocks.worst_before,
                             s->clocks.worst_after,
                             s->clocks.moved };
  eve_put_ints (to, clocks, G_N_ELEMENTS (clocks));
}

/* ---- reading ---------------------------------------------------------------------------------------------------------------- */

static int64_t
converted_tables_get (EveBlobView *b, int64_t low, int64_t high, bool *ok)
{
  int64_t v = eve_get_int (b);

  if (v < low || v > high || !eve_get_ok (b))
    *ok = false;
  return *ok ? v : low;
}

/* An index below n, or TRACE_NONE. */
static uint32_t
converted_tables_get_index (EveBlobView *b, uint64_t n, bool *ok)
{
  int64_t v = converted_tables_get (b, -1, (int64_t) n - 1, ok);

  return v < 0 ? TRACE_NONE : (uint32_t) v;
}

static const char *
get_text_or_null (EveBlobView *b)
{
  const char *text = eve_get_text (b);

  return *text ? text : NULL;
}

static TraceKind
get_kind (EveBlobView *b, bool *ok)
{
  TraceField fields[MOST_FIELDS];
  TraceKind k = { .name = eve_get_text (b) }; /* the rest of a list may be read in any order */

  k.end_name = eve_get_text (b);
  k.category = eve_get_text (b);
  k.instant = converted_tables_get (b, 0, 1, ok);
  k.acts = (uint16_t) converted_tables_get (b, 0, UINT16_MAX, ok);
  k.n_fields = (uint32_t) converted_tables_get (b, 0, MOST_FIELDS, ok);
  for (uint32_t i = 0; i < k.n_fields; i++) {
    fields[i].name = eve_get_text (b);
    fields[i].role = (TraceRole) converted_tables_get (b, 0, TRACE_ROLE_KEY, ok);
    fields[i].unit = get_text_or_null (b);
  }
  k.fields = fields;
  return converted_copy_kind (&k);
}

static void
get_kinds (TraceSource *s, EveBlobView *b, bool *ok)
{
  uint32_t n = (uint32_t) converted_tables_get (b, 0, UINT16_MAX, ok);
  TraceKind *kinds = g_new0 (TraceKind, MAX (n, 1));

  s->kinds = kinds;
  for (s->n_kinds = 0; s->n_kinds < n && *ok; s->n_kinds++)
    kinds[s->n_kinds] = get_kind (b, ok);
}

static void
get_types (TraceSource *s, EveBlobView *b, bool *ok)
{
  for (int64_t n = converted_tables_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    TraceType *t = g_new0 (TraceType, 1);
    t->name = g_strdup (eve_get_text (b));
    t->unit = g_strdup (get_text_or_null (b));
    t->kind = (TraceTypeKind) converted_tables_get (b, 0, TRACE_MARKS, ok);
    t->parent = converted_tables_get_index (b, s->types->len, ok);
    t->object = (uint32_t) converted_tables_get (b, 0, UINT32_MAX - 1, ok);
    t->does = (TraceDoes) converted_tables_get (b, 0, TRACE_RESTS, ok);
    t->own = converted_tables_get (b, 0, 1, ok) != 0;
    g_ptr_array_add (s->types, t);
  }
}

static void
get_tasks (TraceSource *s, EveBlobView *b, bool *ok)
{
  for (int64_t n = converted_tables_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    const char *id = eve_get_text (b), *program = get_text_or_null (b), *nickname = get_text_or_null (b);
    int64_t raw = eve_get_int (b);
    uint32_t host = converted_tables_get_index (b, s->hosts->len, ok),
             type = converted_tables_get_index (b, s->types->len, ok);
    uint32_t task = trace_source_add_task_in (s, id, raw, type, converted_tables_get_index (b, s->tasks->len, ok));
    trace_task (s, task)->program = g_strdup (program);
    trace_task (s, task)->host = host;
    trace_task (s, task)->once_more = converted_tables_get (b, 0, 1, ok);
    if (!trace_task (s, task)->nickname)
      trace_task (s, task)->nickname = g_strdup (nickname);
  }
}

static void
get_objects (TraceSource *s, EveBlobView *b, bool *ok)
{
  for (int64_t n = converted_tables_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    uint32_t object = trace_source_add_object (s, eve_get_text (b));
    TraceObject *o = s->objects->pdata[object];
    o->from = converted_tables_get_index (b, s->tasks->len, ok);
    o->to = converted_tables_get_index (b, s->tasks->len, ok);
    o->type = converted_tables_get_index (b, s->types->len, ok);
    o->does = (TraceDoes) converted_tables_get (b, 0, TRACE_RESTS, ok);
  }
  for (guint i = 0; i < s->types->len && *ok; i++)
    *ok = ((const TraceType *) s->types->pdata[i])->object < s->objects->len;
}

static bool
get_clocks (TraceSource *s, EveBlobView *b)
{
  int64_t v[9];

  if (eve_get_ints (b, v, G_N_ELEMENTS (v)) != G_N_ELEMENTS (v) || v[0] < 0 || v[0] >= N_TRACE_CLOCKS)
    return false;
  s->clocks = (TraceClocks){ (TraceClocksBy) v[0],
                             (uint32_t) v[1],
                             (uint64_t) v[2],
                             (uint64_t) v[3],
                             (uint64_t) v[4],
                             (uint64_t) v[5],
                             v[6],
                             v[7],
                             v[8] };
  return true;
}

bool
converted_get_tables (TraceSource *s, EveBlobView *b)
{
  bool ok = true;

  converted_tables_get (b, CONVERTED_VERSION, CONVERTED_VERSION, &ok);
  s->clock.ticks_per_second = converted_tables_get (b, 1, INT64_C (1) << 60, &ok);
  s->clock.units = g_intern_string (eve_get_text (b));
  g_free (s->reference);
  s->reference = g_strdup (get_text_or_null (b));
  s->n_records = (uint64_t) converted_tables_get (b, 0, INT64_MAX, &ok);
  s->n_events = (uint64_t) converted_tables_get (b, 0, INT64_MAX, &ok);
  uint64_t n_damaged = (uint64_t) converted_tables_get (b, 0, INT64_MAX, &ok);
  get_kinds (s, b, &ok);
  get_types (s, b, &ok);
  for (int64_t n = converted_tables_get (b, 0, UINT32_MAX - 1, &ok); n > 0 && ok; n--) {
    const char *name = eve_get_text (b), *arch = get_text_or_null (b);
    trace_source_add_host (s, name, arch, eve_get_int (b));
  }
  get_tasks (s, b, &ok);
  get_objects (s, b, &ok);
  for (int64_t n = converted_tables_get (b, 0, TRACE_DAMAGE_KEPT, &ok); n > 0 && ok; n--) {
    const char *file = eve_get_text (b);
    uint64_t line = (uint64_t) eve_get_int (b), column = (uint64_t) eve_get_int (b);
    trace_source_damage (s, file, line, column, "%s", eve_get_text (b));
  }
  for (int64_t n = converted_tables_get (b, 0, TRACE_COLOURS_KEPT, &ok); n > 0 && ok; n--) {
    const char *name = eve_get_text (b);
    trace_source_set_colour (s, name, (uint32_t) converted_tables_get (b, 0, 0xffffff, &ok));
  }
  s->n_damaged = n_damaged;
  for (int64_t n = converted_tables_get (b, 0, TRACE_PARTS_MOST, &ok); n > 0 && ok; n--) {
    const char *name = eve_get_text (b);
    uint64_t all = (uint64_t) converted_tables_get (b, 0, INT64_MAX, &ok);
    trace_source_part (s, name, all, (uint64_t) converted_tables_get (b, 0, INT64_MAX, &ok));
  }
  return ok && get_clocks (s, b) && eve_get_ok (b);
}

/* ---- the cache ---------------------------------------------------------------------------------------------------------------- */

static char *
home (void)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", "converted", NULL);
}

/* With the date of its last change, which nobody can set back: else another file of the same size and date is told as
 * the one that was. */
static void
converted_tables_add_file (GChecksum *sum, const char *path, const struct stat *st)
{
  g_autofree char *line = g_strdup_printf (
      "%s\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT ".%09ld\n%" G_GINT64_FORMAT ".%09ld\n", path, (gint64) st->st_size,
      (gint64) st->st_mtim.tv_sec, (long) st->st_mtim.tv_nsec, (gint64) st->st_ctim.tv_sec, (long) st->st_ctim.tv_nsec);

  g_checksum_update (sum, (const guchar *) line, -1);
}

static int
converted_tables_by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
add_folder (GChecksum *sum, const char *folder, int level, int *n_files)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir && (name = g_dir_read_name (dir)) && ++*n_files < MOST_FILES;)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, converted_tables_by_text);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    struct stat st;
    if (lstat (path, &st) != 0)
      continue;
    if (S_ISREG (st.st_mode))
      converted_tables_add_file (sum, path, &st);
    else if (S_ISDIR (st.st_mode) && level < MOST_LEVELS)
      add_folder (sum, path, level + 1, n_files);
  }
}

/* Of what the reader is made that converts files of this format; 0: it is from elsewhere, and says its version. */
static uint64_t
code_of (const char *format)
{
  for (size_t i = 0; i < G_N_ELEMENTS (converted_codes); i++)
    if (strcmp (converted_codes[i].format, format) == 0)
      return converted_codes[i].code;
  return 0;
}

char *
converted_folder (const ConvertedFormat *f, const char *path, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *real = disk_real_path (path), *top = home ();
  struct stat st;
  int n_files = 0;

  if (!real || stat (real, &st) != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be read: %s"), path, g_strerror (errno));
    return NULL;
  }
  g_autofree char *version = g_strdup_printf ("%s %u %d %016" PRIx64 "\n", f->format.name, f->version,
                                              CONVERTED_VERSION, code_of (f->format.name));
  g_checksum_update (sum, (const guchar *) version, -1);
  converted_tables_add_file (sum, real, &st);
  if (S_ISDIR (st.st_mode))
    add_folder (sum, real, 0, &n_files);
  g_autofree char *beside = f->beside ? g_strconcat (real, f->beside, NULL) : NULL;
  if (beside && stat (beside, &st) == 0)
    converted_tables_add_file (sum, beside, &st);
  g_autofree char *name = g_strndup (g_checksum_get_string (sum), 24);
  return g_build_filename (top, name, NULL);
}

typedef struct Kept {
  char *path;
  gint64 used_s;
  uint64_t bytes;
} Kept;

static void
free_kept (void *p)
{
  g_free (((Kept *) p)->path);
  g_free (p);
}

static int
converted_tables_by_use (gconstpointer a, gconstpointer b)
{
  gint64 x = (*(Kept *const *) a)->used_s, y = (*(Kept *const *) b)->used_s;

  return (x > y) - (x < y);
}

static const char *const parts[] = { "events", "order", "events0", "events1", "numbers", "values",
                                     "sums",   "index", "counts",  "early",   "tables" };

void
converted_remove (const char *folder)
{
  for (size_t i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree char *path = g_build_filename (folder, parts[i], NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
}

/* Of a process that is no more. */
static bool
is_left_behind (const char *name)
{
  const char *at = strstr (name, ".new-");
  long pid = at ? strtol (at + 5, NULL, 10) : 0;

  return pid > 0 && kill ((pid_t) pid, 0) != 0 && errno == ESRCH;
}

void
converted_clean (const char *keep)
{
  g_autofree char *top = home ();
  g_autoptr (GDir) dir = g_dir_open (top, 0, NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (free_kept);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  uint64_t bytes = 0;

  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (top, name, NULL), *tables = g_build_filename (path, "tables", NULL);
    struct stat st;
    if (lstat (path, &st) != 0 || !S_ISDIR (st.st_mode))
      continue;
    if (strchr (name, '.')) {
      if (is_left_behind (name))
        converted_remove (path);
      continue;
    }
    Kept *k = g_new0 (Kept, 1);
    k->path = g_strdup (path);
    k->used_s = lstat (tables, &st) == 0 ? st.st_mtim.tv_sec : 0;
    for (size_t i = 0; i < G_N_ELEMENTS (parts); i++) {
      g_autofree char *part = g_build_filename (path, parts[i], NULL);
      k->bytes += lstat (part, &st) == 0 ? (uint64_t) st.st_size : 0;
    }
    bytes += k->bytes;
    g_ptr_array_add (all, k);
  }
  g_ptr_array_sort (all, converted_tables_by_use);
  for (guint i = 0; i < all->len; i++) {
    const Kept *k = all->pdata[i];
    if ((bytes <= CACHE_MOST_BYTES && now - k->used_s <= CACHE_MOST_AGE_S) || strcmp (k->path, keep) == 0)
      continue;
    bytes -= k->bytes;
    converted_remove (k->path);
  }
}

/* ---- where an event is from ---------------------------------------------------------------------------------------------------------- */

bool
converted_site (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line, const char **function)
{
  static __thread char path[4096];
  const TraceKind *k = &s->kinds[e->kind];

  if (k->n_fields < 2 || strcmp (k->fields[k->n_fields - 1].name, "called_at") != 0)
    return false;
  TraceValue v = trace_value (e, k->n_fields - 1);
  const char *colon = v.kind == TRACE_VALUE_TEXT ? strrchr (v.text, ':') : NULL;
  if (!colon)
    return false;
  g_strlcpy (path, v.text, MIN (sizeof path, (size_t) (colon - v.text) + 1));
  *file = path;
  *line = (uint32_t) g_ascii_strtoull (colon + 1, NULL, 10);
  *function = NULL;
  return true;
}
