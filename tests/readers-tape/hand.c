/* SPDX-License-Identifier: Apache-2.0 */
#include "hand.h"
#include <stdio.h>
#include <unistd.h>

const char hand_topology[] = "#TAPE 1\n"
                             "# by hand\n"
                             "machine bench\n"
                             "processor 0 p0\nprocessor 1 p%201\nwire 0 1\n"
                             "virtual 0 1\nvirtual 1 0\n"
                             "task 0 0 a first\ntask 1 1 b\n"
                             "thread 0 1 helper\n"
                             "link 0 0 1 ab\nlink 1 1 0 ba\nlink 2 0 1 ab2\n";

Hand *
hand_new (void)
{
  Hand *h = g_new0 (Hand, 1);

  h->top = g_dir_make_tmp ("scope-tape-XXXXXX", NULL);
  g_assert_nonnull (h->top);
  h->bundle = g_build_filename (h->top, "hand.trace", NULL);
  h->folder = g_build_filename (h->bundle, "hand.tape", NULL);
  g_assert_cmpint (g_mkdir_with_parents (h->folder, 0700), ==, 0);
  h->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  h->capacity = 1024;
  hand_text (h, "topology", hand_topology);
  return h;
}

void
hand_free (Hand *h)
{
  for (int i = 0; i < 3; i++) {
    g_autofree char *path = g_build_filename (h->folder, (const char *[]){ "topology", "index", "events" }[i], NULL);
    g_unlink (path);
  }
  g_rmdir (h->folder);
  g_rmdir (h->bundle);
  g_rmdir (h->top);
  g_ptr_array_unref (h->blocks);
  g_free (h->top);
  g_free (h->bundle);
  g_free (h->folder);
  g_free (h);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static TapeBlock *
head (const Hand *h, guint block)
{
  return (TapeBlock *) (void *) ((GByteArray *) h->blocks->pdata[block])->data;
}

static TapeEvent *
event_in (const Hand *h, guint block, uint32_t number)
{
  uint8_t *at = (uint8_t *) head (h, block) + sizeof (TapeBlock);

  while (number-- > 0)
    at += ((TapeEvent *) (void *) at)->length;
  return (TapeEvent *) (void *) at;
}

void
hand_cut (Hand *h, uint32_t task)
{
  GByteArray *bytes = g_byte_array_new ();
  TapeBlock b = { .magic = TAPE_BLOCK_MAGIC, .task = task, .capacity = h->capacity, .length = sizeof b };

  for (guint i = 0; i < h->blocks->len; i++)
    if (head (h, i)->task == task)
      b.before += head (h, i)->count;
  g_byte_array_append (bytes, (const guint8 *) &b, sizeof b);
  g_ptr_array_add (h->blocks, bytes);
}

void
hand_event (Hand *h, uint32_t task, uint16_t thread, TapeType type, TapeType begin, int64_t date, int64_t duration,
            const int64_t *fields, uint32_t n_fields)
{
  guint block = h->blocks->len;
  TapeEvent e = { .length = (uint16_t) (sizeof e + 8 * n_fields),
                  .type = (uint8_t) type,
                  .begin = (uint8_t) begin,
                  .physical = (uint16_t) (1 - task % 2),
                  .date = date,
                  .duration = duration,
                  .task = task,
                  .thread = thread,
                  .virtual_processor = (uint16_t) task };
  GByteArray *bytes;
  TapeBlock *b;

  while (block > 0 && head (h, block - 1)->task != task)
    block--;
  if (block-- == 0) {
    hand_cut (h, task);
    block = h->blocks->len - 1;
  }
  bytes = h->blocks->pdata[block];
  b = head (h, block);
  if (b->count > 0)
    e.previous = event_in (h, block, b->count - 1)->length;
  b->first = b->count > 0 ? b->first : date;
  b->last = date;
  b->tail = b->length;
  b->length += e.length;
  b->count++;
  g_byte_array_append (bytes, (const guint8 *) &e, sizeof e);
  if (n_fields > 0)
    g_byte_array_append (bytes, (const guint8 *) fields, 8 * n_fields);
}

int64_t
hand_word (const char *text)
{
  char bytes[8] = "";
  int64_t v;

  memcpy (bytes, text, MIN (strlen (text), sizeof bytes));
  memcpy (&v, bytes, sizeof v);
  return v;
}

static void
turn16 (uint16_t *v)
{
  *v = __builtin_bswap16 (*v);
}

static void
turn32 (uint32_t *v)
{
  *v = __builtin_bswap32 (*v);
}

static void
turn64 (void *p)
{
  uint64_t v;

  memcpy (&v, p, sizeof v);
  v = __builtin_bswap64 (v);
  memcpy (p, &v, sizeof v);
}

/* Bytes of words are no numbers. */
static void
turn_event (TapeEvent *e)
{
  uint32_t words = (uint32_t) (e->length - sizeof *e) / 8;

  if (e->type == TAPE_ThdBth || e->type == TAPE_SemInit || e->type == TAPE_User || e->type == TAPE_Phase
      || e->type == TAPE_EndPhase)
    words = MIN (words, e->type == TAPE_SemInit ? 3 : 2);
  for (uint32_t i = 0; i < words; i++)
    turn64 (&e->field[i]);
  turn16 (&e->length);
  turn16 (&e->previous);
  turn16 (&e->physical);
  turn64 (&e->date);
  turn64 (&e->duration);
  turn32 (&e->task);
  turn16 (&e->thread);
  turn16 (&e->virtual_processor);
}

static void
turn_block (const Hand *h, guint block)
{
  TapeBlock *b = head (h, block);

  for (uint32_t i = b->count; i-- > 0;)
    turn_event (event_in (h, block, i));
  turn32 (&b->magic);
  turn32 (&b->task);
  turn32 (&b->capacity);
  turn32 (&b->length);
  turn32 (&b->count);
  turn32 (&b->tail);
  turn64 (&b->first);
  turn64 (&b->last);
  turn64 (&b->before);
}

static int
by_task (gconstpointer a, gconstpointer b)
{
  const TapeIndexEntry *x = a, *y = b;

  return x->task != y->task ? (int) x->task - (int) y->task : (x->at > y->at) - (x->at < y->at);
}

static void
write_index (Hand *h)
{
  TapeIndexHeader head_ = {
    .order = TAPE_ORDER, .version = TAPE_VERSION, .run = 77, .complete = 1, .entry_size = sizeof (TapeIndexEntry)
  };
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (TapeIndexEntry));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = g_build_filename (h->folder, "index", NULL);

  memcpy (head_.magic, TAPE_INDEX_MAGIC, 8);
  for (guint i = 0; i < h->blocks->len; i++) {
    const TapeBlock *b = head (h, i);
    TapeIndexEntry e = { .at = hand_block_at (h, i),
                         .length = b->length,
                         .task = b->task,
                         .count = b->count,
                         .tail = b->tail,
                         .first = b->first,
                         .last = b->last,
                         .before = b->before };
    if (e.count > 0)
      g_array_append_val (entries, e);
  }
  g_array_sort (entries, by_task);
  if (h->swap) {
    turn32 (&head_.order);
    turn32 (&head_.version);
    turn64 (&head_.run);
    turn32 (&head_.complete);
    turn32 (&head_.entry_size);
  }
  for (guint i = 0; i < entries->len && h->swap; i++) {
    TapeIndexEntry *e = &g_array_index (entries, TapeIndexEntry, i);
    turn64 (&e->at);
    turn32 (&e->length);
    turn32 (&e->task);
    turn32 (&e->count);
    turn32 (&e->tail);
    turn64 (&e->first);
    turn64 (&e->last);
    turn64 (&e->before);
  }
  g_byte_array_append (bytes, (const guint8 *) &head_, sizeof head_);
  g_byte_array_append (bytes, (const guint8 *) entries->data, entries->len * (guint) sizeof (TapeIndexEntry));
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
}

void
hand_write (Hand *h)
{
  TapeEventsHeader first = {
    .order = TAPE_ORDER, .version = TAPE_VERSION, .run = 77, .ticks_per_second = 1000, .first_block = sizeof first
  };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = g_build_filename (h->folder, "events", NULL);

  if (!h->no_index)
    write_index (h);
  memcpy (first.magic, TAPE_EVENTS_MAGIC, 8);
  if (h->swap) {
    turn32 (&first.order);
    turn32 (&first.version);
    turn64 (&first.run);
    turn64 (&first.ticks_per_second);
    turn64 (&first.first_block);
  }
  g_byte_array_append (bytes, (const guint8 *) &first, sizeof first);
  for (guint i = 0; i < h->blocks->len; i++) {
    GByteArray *b = h->blocks->pdata[i];
    g_assert_cmpuint (b->len, <=, h->capacity);
    if (h->swap)
      turn_block (h, i);
    g_byte_array_append (bytes, b->data, b->len);
    if (i + 1 < h->blocks->len) { /* behind the last one the file ends */
      g_autofree uint8_t *rest = g_malloc0 (h->capacity);
      g_byte_array_append (bytes, rest, h->capacity - b->len);
    }
    if (h->swap) { /* what is asked for later is in our order */
      TapeBlock *mine = head (h, i);
      turn32 (&mine->count);
    }
  }
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
}

uint64_t
hand_block_at (const Hand *h, uint32_t block)
{
  return sizeof (TapeEventsHeader) + (uint64_t) block * h->capacity;
}

uint64_t
hand_event_at (const Hand *h, uint32_t block, uint32_t event)
{
  return hand_block_at (h, block) + (uint64_t) ((uint8_t *) event_in (h, block, event) - (uint8_t *) head (h, block));
}

void
hand_patch (Hand *h, const char *file, uint64_t at, const void *bytes, size_t n)
{
  g_autofree char *path = g_build_filename (h->folder, file, NULL);
  FILE *f = fopen (path, "r+");

  g_assert_nonnull (f);
  g_assert_cmpint (fseek (f, (long) at, SEEK_SET), ==, 0);
  g_assert_cmpuint (fwrite (bytes, 1, n, f), ==, n);
  g_assert_cmpint (fclose (f), ==, 0);
}

void
hand_truncate (Hand *h, const char *file, uint64_t size)
{
  g_autofree char *path = g_build_filename (h->folder, file, NULL);

  g_assert_cmpint (truncate (path, (off_t) size), ==, 0);
}

void
hand_text (Hand *h, const char *file, const char *text)
{
  g_autofree char *path = g_build_filename (h->folder, file, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

TraceSource *
hand_open (Hand *h)
{
  g_autoptr (GError) error = NULL;
  TraceSource *s = tape_format.open (h->bundle, h->folder, NULL, &error);

  g_assert_no_error (error);
  return s;
}

static GArray *
read_all (TraceSource *s, size_t (*read_some) (TraceSource *, TraceEvent *, size_t, GError **))
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  TraceEvent some[7];
  g_autoptr (GError) error = NULL;
  size_t n;

  while ((n = read_some (s, some, G_N_ELEMENTS (some), &error)) > 0)
    g_array_append_vals (all, some, (guint) n);
  g_assert_no_error (error);
  return all;
}

GArray *
hand_read (TraceSource *s)
{
  return read_all (s, s->format->next);
}

GArray *
hand_read_back (TraceSource *s)
{
  return read_all (s, s->format->previous);
}

char *
hand_names (const GArray *events)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < events->len; i++) {
    const TraceEvent *e = &g_array_index (events, TraceEvent, i);
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " %s", i > 0 ? ", " : "", e->date, trace_event_name (e));
  }
  return g_string_free (text, FALSE);
}

bool
hand_same (const TraceEvent *a, const TraceEvent *b)
{
  return a->date == b->date && a->duration == b->duration && a->number == b->number && a->record == b->record
         && a->size == b->size && a->task == b->task && a->peer == b->peer && a->object == b->object && a->tag == b->tag
         && a->result == b->result && a->kind == b->kind && a->flags == b->flags;
}

char *
hand_damage (const TraceSource *s, guint i)
{
  const TraceDamage *d = i < s->damage->len ? s->damage->pdata[i] : NULL;

  if (d == NULL)
    return NULL;
  if (d->line > 0)
    return g_strdup_printf ("%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ": %s", d->file, d->line, d->column,
                            d->reason);
  return g_strdup_printf ("%s: %" G_GUINT64_FORMAT ": %s", d->file, d->column, d->reason);
}
