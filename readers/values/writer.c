/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - takes in what a program tells, and appends it to the three files of a recording.  What is behind a record
 * (its text, its entity's name) is always written before the record itself, so whoever reads meanwhile, or after a
 * crash, finds all that a record speaks of. */
#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/visible.h"
#include "readers/live.h"
#include "readers/values/private.h"

#define BUFFER (256 * 1024) /* bytes of one file that wait to be written */
#define MOST_TAPS 4
#define SMALL 256 /* bytes of a text that are kept to be compared with the next one; longer ones are read again */
#define DAMAGE_KEPT 100

typedef struct Out {
  int fd; /* -1: nothing is kept */
  uint64_t written;
  GByteArray *waits;
} Out;

/* What an entity's text was last. */
typedef struct Last {
  int64_t ref;
  uint32_t n;
  uint8_t *small; /* or NULL */
} Last;

struct ValuesRecorder {
  Out records, names, texts;
  int live, damage; /* descriptors, or -1 */
  GArray *entities; /* of ValuesEntity */
  GArray *last;     /* of Last, by entity */
  int64_t now;
  uint64_t n_damaged;
  char *last_damage;
  bool told_full, failed;
  char *why; /* the disk refuses: what is told by the next flush */
  struct {
    ValuesTap tap;
    void *arg;
  } taps[MOST_TAPS];
  int n_taps;
};

static int
values_writer_open_in (const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return disk_open_write (path, error);
}

static void
values_writer_put_head (Out *o, const char *magic)
{
  uint8_t head[VALUES_HEAD] = { 0 };

  memcpy (head, magic, 8);
  bytes_put32 (head + 8, VALUES_VERSION);
  bytes_put64 (head + 16, (uint64_t) g_get_real_time () * 1000);
  g_byte_array_append (o->waits, head, sizeof head);
}

static bool
begin_files (ValuesRecorder *w, const char *folder, const char *who, GError **error)
{
  if (g_mkdir_with_parents (folder, 0777) < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be made: %s", folder, g_strerror (errno));
    return false;
  }
  w->live = values_writer_open_in (folder, TRACE_LIVE_FILE, error);
  if (w->live < 0)
    return false;
  if (flock (w->live, LOCK_EX | LOCK_NB) < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s is being written by another program", folder);
    return false;
  }
  g_autofree char *line = g_strdup_printf ("%s\n", who);
  if (ftruncate (w->live, 0) < 0 || !disk_write (w->live, line, strlen (line))) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", folder, g_strerror (errno));
    return false;
  }
  if ((w->damage = values_writer_open_in (folder, "damage", error)) < 0
      || (w->texts.fd = values_writer_open_in (folder, "texts", error)) < 0
      || (w->names.fd = values_writer_open_in (folder, "names", error)) < 0
      || (w->records.fd = values_writer_open_in (folder, "records", error)) < 0)
    return false;
  values_writer_put_head (&w->texts, VALUES_TEXTS_MAGIC);
  values_writer_put_head (&w->names, VALUES_NAMES_MAGIC);
  values_writer_put_head (&w->records, VALUES_RECORDS_MAGIC);
  return values_flush (w, error);
}

static void
free_entity (gpointer p)
{
  g_free (((ValuesEntity *) p)->name);
  g_free (((ValuesEntity *) p)->raw);
}

static void
free_last (gpointer p)
{
  g_free (((Last *) p)->small);
}

ValuesRecorder *
values_recorder_new (const char *folder, const char *who, GError **error)
{
  ValuesRecorder *w = g_new0 (ValuesRecorder, 1);

  for (Out *const *o = (Out *const[]){ &w->records, &w->names, &w->texts, NULL }; *o; o++) {
    (*o)->fd = -1;
    (*o)->waits = g_byte_array_new ();
  }
  w->live = w->damage = -1;
  w->entities = g_array_new (FALSE, TRUE, sizeof (ValuesEntity));
  g_array_set_clear_func (w->entities, free_entity);
  w->last = g_array_new (FALSE, TRUE, sizeof (Last));
  g_array_set_clear_func (w->last, free_last);
  if (!folder || begin_files (w, folder, who, error))
    return w;
  values_recorder_free (w, false);
  return NULL;
}

static void
close_out (Out *o)
{
  if (o->fd >= 0)
    close (o->fd);
  g_byte_array_unref (o->waits);
}

void
values_recorder_free (ValuesRecorder *w, bool done)
{
  if (!w)
    return;
  values_flush (w, NULL);
  if (w->n_damaged > DAMAGE_KEPT && w->damage >= 0 && !w->failed) {
    g_autofree char *line = g_strdup_printf ("%" G_GUINT64_FORMAT " more of what was received made no sense\n",
                                             w->n_damaged - DAMAGE_KEPT);
    disk_write (w->damage, line, strlen (line));
  }
  if (w->live >= 0) {
    if (done && !w->failed)
      disk_write (w->live, "ended\n", 6);
    close (w->live);
  }
  if (w->damage >= 0)
    close (w->damage);
  close_out (&w->records);
  close_out (&w->names);
  close_out (&w->texts);
  g_array_unref (w->entities);
  g_array_unref (w->last);
  g_free (w->last_damage);
  g_free (w->why);
  g_free (w);
}

void
values_recorder_tap (ValuesRecorder *w, ValuesTap tap, void *arg)
{
  g_return_if_fail (w->n_taps < MOST_TAPS);
  w->taps[w->n_taps].tap = tap;
  w->taps[w->n_taps++].arg = arg;
}

void
values_date (ValuesRecorder *w, int64_t ns)
{
  w->now = MAX (w->now, ns);
}

int64_t
values_now (const ValuesRecorder *w)
{
  return w->now;
}

/* ---- to the disk -------------------------------------------------------------------------------------------------------- */

/* The rest of a piece that was written in part is left out by who reads; nothing comes behind it. */
static void
values_writer_write_out (ValuesRecorder *w, Out *o)
{
  if (o->fd >= 0 && !w->failed && o->waits->len > 0) {
    if (disk_pwrite (o->fd, o->waits->data, o->waits->len, o->written)) {
      o->written += o->waits->len;
    } else {
      w->failed = true;
      w->why = g_strdup_printf ("the recording ends here, for it cannot be written: %s", g_strerror (errno));
    }
  }
  g_byte_array_set_size (o->waits, 0);
}

static void
values_writer_write_all (ValuesRecorder *w)
{
  values_writer_write_out (w, &w->texts);
  values_writer_write_out (w, &w->names);
  values_writer_write_out (w, &w->records);
}

bool
values_flush (ValuesRecorder *w, GError **error)
{
  values_writer_write_all (w);
  if (!w->why)
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s", w->why);
  g_clear_pointer (&w->why, g_free);
  return false;
}

static void
values_writer_put_record (ValuesRecorder *w, const ValueRecord *r, const void *bytes, size_t n)
{
  uint8_t b[sizeof (ValueRecord)];

  if (w->records.fd >= 0) {
    bytes_put64 (b, (uint64_t) r->date);
    bytes_put64 (b + 8, (uint64_t) r->value);
    bytes_put32 (b + 16, r->entity);
    b[20] = r->type;
    b[21] = r->variable;
    b[22] = r->real;
    b[23] = 0;
    g_byte_array_append (w->records.waits, b, sizeof b);
    if (G_UNLIKELY (w->records.waits->len >= BUFFER))
      values_writer_write_all (w);
  }
  for (int i = 0; i < w->n_taps; i++)
    w->taps[i].tap (w->taps[i].arg, r, bytes, n);
}

/* Where these bytes are, written now: a u32 of their number before them. */
static int64_t
values_writer_put_bytes (ValuesRecorder *w, const void *bytes, size_t n)
{
  Out *o = &w->texts;
  uint64_t at = o->written + o->waits->len;
  uint8_t length[4];

  if (o->fd < 0) { /* places differ all the same */
    o->written += 4 + n;
    return (int64_t) at + 1;
  }
  bytes_put32 (length, (uint32_t) n);
  g_byte_array_append (o->waits, length, 4);
  g_byte_array_append (o->waits, bytes, (guint) n);
  if (o->waits->len >= BUFFER)
    values_writer_write_out (w, o);
  return (int64_t) at;
}

/* ---- things ---------------------------------------------------------------------------------------------------------------- */

const ValuesEntity *
values_entity (const ValuesRecorder *w, uint32_t entity)
{
  return entity < w->entities->len ? &g_array_index (w->entities, ValuesEntity, entity) : NULL;
}

uint32_t
values_n_entities (const ValuesRecorder *w)
{
  return w->entities->len;
}

uint32_t
values_declare (ValuesRecorder *w, uint32_t program, ValueKind kind, const char *name, size_t n, int64_t tag)
{
  uint32_t entity = w->entities->len, kept = (uint32_t) MIN (n, VALUES_MOST_NAME);
  uint8_t head[VALUES_NAME_HEAD];

  if (entity >= VALUES_MOST_ENTITIES) {
    if (!w->told_full)
      values_damage (w, "more than %u things are declared; no more of them are taken", VALUES_MOST_ENTITIES);
    w->told_full = true;
    return TRACE_NONE;
  }
  if (n > kept)
    values_damage (w, "a name of more than %u bytes; its first %u are kept", VALUES_MOST_NAME, VALUES_MOST_NAME);
  g_autofree char *valid = g_utf8_make_valid (name, kept), *line = visible_line (valid, strlen (valid));
  ValuesEntity e = { .name = g_strdup (line ? line : valid), /* as whoever reads the recording calls it */
                     .raw = g_memdup2 (name, kept),
                     .n_raw = kept,
                     .parent = program,
                     .kind = kind,
                     .tag = tag };
  g_array_append_val (w->entities, e);
  g_array_set_size (w->last, entity + 1);
  bytes_put32 (head, kept);
  bytes_put32 (head + 4, program);
  bytes_put32 (head + 8, kind);
  bytes_put64 (head + 12, (uint64_t) tag);
  if (w->names.fd >= 0) {
    g_byte_array_append (w->names.waits, head, sizeof head);
    g_byte_array_append (w->names.waits, (const uint8_t *) name, kept);
    if (w->names.waits->len >= BUFFER)
      values_writer_write_out (w, &w->names);
  }
  values_writer_put_record (w, &(ValueRecord){ .date = w->now, .entity = entity, .type = VALUE_DECLARED }, NULL, 0);
  return entity;
}

uint32_t
values_program (ValuesRecorder *w, const char *name)
{
  return values_declare (w, TRACE_NONE, VALUE_PROGRAM, name, strlen (name), -1);
}

/* ---- values ---------------------------------------------------------------------------------------------------------------- */

void
values_int (ValuesRecorder *w, uint32_t entity, ValueVariable variable, int64_t v)
{
  if (entity < w->entities->len)
    values_writer_put_record (
        w,
        &(ValueRecord){
            .date = w->now, .value = v, .entity = entity, .type = VALUE_IS, .variable = (uint8_t) variable },
        NULL, 0);
}

void
values_real (ValuesRecorder *w, uint32_t entity, ValueVariable variable, double v)
{
  ValueRecord r = { .date = w->now, .entity = entity, .type = VALUE_IS, .variable = (uint8_t) variable, .real = 1 };

  memcpy (&r.value, &v, sizeof v);
  if (entity < w->entities->len)
    values_writer_put_record (w, &r, NULL, 0);
}

/* The entity's text is these bytes already. */
static bool
is_last (ValuesRecorder *w, const Last *l, const uint8_t *bytes, size_t n)
{
  uint8_t there[16384];

  if (l->ref == 0 || l->n != n)
    return false;
  if (n <= SMALL)
    return memcmp (l->small, bytes, n) == 0;
  if (w->texts.fd < 0)
    return bytes_fnv (bytes, n) == bytes_get64 (l->small);
  values_writer_write_out (w, &w->texts);
  for (size_t at = 0; at < n;) {
    size_t some = MIN (sizeof there, n - at);
    if (disk_pread (w->texts.fd, there, some, (uint64_t) l->ref + 4 + at) != (ssize_t) some
        || memcmp (there, bytes + at, some) != 0)
      return false;
    at += some;
  }
  return true;
}

static void
values_writer_put_text (ValuesRecorder *w, uint32_t entity, ValueRecordType type, ValueVariable variable,
                        const void *bytes, size_t n)
{
  if (entity >= w->entities->len)
    return;
  n = MIN (n, VALUES_MOST_TEXT);
  Last *l = &g_array_index (w->last, Last, entity);
  if (!is_last (w, l, bytes, n)) {
    l->ref = values_writer_put_bytes (w, bytes, n);
    l->n = (uint32_t) n;
    l->small = g_realloc (l->small, SMALL);
    if (n <= SMALL)
      memcpy (l->small, bytes, n);
    else
      bytes_put64 (l->small, w->texts.fd < 0 ? bytes_fnv (bytes, n) : 0);
  }
  values_writer_put_record (
      w,
      &(ValueRecord){
          .date = w->now, .value = l->ref, .entity = entity, .type = (uint8_t) type, .variable = (uint8_t) variable },
      bytes, n);
}

void
values_text (ValuesRecorder *w, uint32_t entity, const char *text, size_t n)
{
  values_writer_put_text (w, entity, VALUE_TEXT_IS, VAR_STRING, text, n);
}

void
values_tree (ValuesRecorder *w, uint32_t entity, const void *bytes, size_t n)
{
  values_writer_put_text (w, entity, VALUE_TREE_IS, VAR_TREE, bytes, n);
}

void
values_log (ValuesRecorder *w, uint32_t entity, double seconds, const char *text, size_t n)
{
  if (entity >= w->entities->len)
    return;
  n = MIN (n, VALUES_MOST_TEXT);
  g_autofree uint8_t *line = g_malloc (8 + n);
  uint64_t bits;
  memcpy (&bits, &seconds, 8);
  bytes_put64 (line, bits);
  memcpy (line + 8, text, n);
  int64_t ref = values_writer_put_bytes (w, line, 8 + n);
  values_writer_put_record (
      w,
      &(ValueRecord){
          .date = w->now, .value = ref, .entity = entity, .type = VALUE_LOGGED, .variable = (uint8_t) VAR_LOG },
      line, 8 + n);
}

void
values_note (ValuesRecorder *w, uint32_t entity, ValueRecordType what)
{
  if (entity < w->entities->len)
    values_writer_put_record (w, &(ValueRecord){ .date = w->now, .entity = entity, .type = (uint8_t) what }, NULL, 0);
}

void
values_damage (ValuesRecorder *w, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_free (w->last_damage);
  w->last_damage = g_utf8_make_valid (text, -1);
  if (w->n_damaged++ < DAMAGE_KEPT && w->damage >= 0 && !w->failed) {
    g_autofree char *line = g_strdup_printf ("%s\n", g_strdelimit (text, "\n", ' '));
    disk_write (w->damage, line, strlen (line));
  }
}

uint64_t
values_n_damaged (const ValuesRecorder *w)
{
  return w->n_damaged;
}

const char *
values_last_damage (const ValuesRecorder *w)
{
  return w->last_damage;
}
