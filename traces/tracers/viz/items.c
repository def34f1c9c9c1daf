/* SPDX-License-Identifier: Apache-2.0 */
/* items.c - what is shown: made, set, killed, and looked at once a period. */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Viz viz = { .lock = PTHREAD_MUTEX_INITIALIZER,
            .changed = PTHREAD_COND_INITIALIZER,
            .next_tag = VIZ_FIRST_TAG,
            .wake = { -1, -1 },
            .period = VIZ_SECOND / 10,
            .heap_period = VIZ_SECOND };

static Item spare = { .lock = PTHREAD_MUTEX_INITIALIZER, .source = BY_SET, .dead = true }; /* when memory is used up */

static bool
items_add_to (void *array, size_t *n, size_t *room, size_t size)
{
  void **of = array;
  if (*n == *room) {
    size_t more_room = *room ? 2 * *room : 16;
    void *more = realloc (*of, more_room * size);
    if (!more)
      return false;
    *of = more;
    *room = more_room;
  }
  ++*n;
  return true;
}

static char *
items_copy_of (const char *text, size_t length)
{
  char *copy = malloc (length + 1);
  if (copy) {
    memcpy (copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

static VizClass
items_class_of (VizKind kind)
{
  switch (kind) {
  case KIND_POINT:
    return CLASS_POINTS;
  case KIND_TIME:
    return CLASS_TIMES;
  case KIND_COUNT:
  case KIND_SIZE:
    return CLASS_TAGS;
  case KIND_TREE:
    return CLASS_TREES;
  case KIND_HASH:
    return CLASS_HASHES;
  default:
    return CLASS_VALUES;
  }
}

static void
bind_tags (const uint16_t *tags, size_t n)
{
  if (!items_add_to (&viz.binds, &viz.n_binds, &viz.room_binds, sizeof *viz.binds))
    return;
  Bytes *bind = &viz.binds[viz.n_binds - 1];
  *bind = (Bytes){ 0 };
  size_t begun = bytes_begin (bind);
  bytes_u8 (bind, 2);
  bytes_u16 (bind, (unsigned) n);
  for (size_t i = 0; i < n; i++)
    bytes_u16 (bind, tags[i]);
  bytes_end (bind, begun);
}

/* Gives an item its numbers; false: none are left, or no memory is. */
static bool
enrol (Item *item)
{
  static bool said; /* under viz.lock */
  bool fits = viz.next_tag + item->n_tags <= VIZ_TAGS;
  if (!fits && !said) {
    said = true;
    viz_say ("all %d numbers that the protocol has are used; what is made from now on is not shown",
             VIZ_TAGS - VIZ_FIRST_TAG);
  }
  VizClass class = item->class;
  if (!fits || !items_add_to (&viz.of[class], &viz.n_of[class], &viz.room_of[class], sizeof *viz.of[class]))
    return false;
  viz.of[class][viz.n_of[class] - 1] = item;
  for (unsigned i = 0; i < item->n_tags; i++) {
    item->tags[i] = (uint16_t) viz.next_tag;
    viz.by_tag[viz.next_tag++] = item;
  }
  if (item->n_tags > 1)
    bind_tags (item->tags, item->n_tags);
  return true;
}

static ScopevizItem *
item_new (const char *name, Item like)
{
  server_begin ();
  Item *item = NULL;
  if (posix_memalign ((void **) &item, 64, sizeof *item)) /* what threads count in shares no cache line */
    return &spare.face;
  like.class = items_class_of (like.kind);
  like.n_tags = like.n_tags ? like.n_tags : 1;
  like.name_length = strnlen (name, SCOPEVIZ_TEXT_MAX);
  like.name = items_copy_of (name, like.name_length);
  *item = like;
  pthread_mutex_init (&item->lock, NULL);
  pthread_mutex_lock (&viz.lock);
  item->dead = !item->name || !enrol (item);
  pthread_mutex_unlock (&viz.lock);
  return &item->face;
}

ScopevizItem *
scopeviz_point_new (const char *name)
{
  return item_new (name, (Item){ .kind = KIND_POINT, .set = true });
}

ScopevizItem *
scopeviz_time_new (const char *name)
{
  return item_new (name, (Item){ .kind = KIND_TIME, .set = true });
}

ScopevizItem *
scopeviz_time_new_wall (const char *name)
{
  return item_new (name, (Item){ .kind = KIND_TIME, .set = true, .wall = true });
}

ScopevizItem *
scopeviz_tag_new (const char *name, unsigned what)
{
  Item like = { .kind = what & SCOPEVIZ_SIZE ? KIND_SIZE : KIND_COUNT, .set = true };
  like.n_tags = (what & SCOPEVIZ_SIZE) && (what & SCOPEVIZ_COUNT) ? 2 : 1;
  return item_new (name, like);
}

/* The three ways in which an item of one sort can be made. */
#define MAKERS(sort, KIND, type, member, result)                                                                       \
  ScopevizItem *scopeviz_##sort##_new (const char *name)                                                               \
  {                                                                                                                    \
    return item_new (name, (Item){ .kind = KIND });                                                                    \
  }                                                                                                                    \
  ScopevizItem *scopeviz_##sort##_call (const char *name, result, void *data)                                          \
  {                                                                                                                    \
    return item_new (name, (Item){ .kind = KIND, .source = BY_CALL, .from.member = function, .data = data });          \
  }
#define WATCHER(sort, KIND, type, is_wide)                                                                             \
  ScopevizItem *scopeviz_##sort##_watch (const char *name, const type *variable)                                       \
  {                                                                                                                    \
    return item_new (name, (Item){ .kind = KIND, .source = BY_WATCH, .from.variable = variable, .wide = is_wide });    \
  }

MAKERS (int, KIND_INT, int64_t, integer, int64_t (*function) (void *))
MAKERS (float, KIND_FLOAT, double, floating, double (*function) (void *))
MAKERS (bool, KIND_BOOL, bool, boolean, bool (*function) (void *))
MAKERS (string, KIND_STRING, char, string, size_t (*function) (void *, char *, size_t))
MAKERS (hash, KIND_HASH, ScopevizHash, hash, void (*function) (void *, ScopevizHash *))
MAKERS (tree, KIND_TREE, ScopevizTree, tree, void (*function) (void *, ScopevizTree *))
WATCHER (int, KIND_INT, int64_t, true)
WATCHER (int32, KIND_INT, int32_t, false)
WATCHER (float, KIND_FLOAT, double, true)
WATCHER (bool, KIND_BOOL, bool, false)

ScopevizItem *
scopeviz_string_watch (const char *name, const char *array, size_t size)
{
  return item_new (name, (Item){ .kind = KIND_STRING, .source = BY_WATCH, .from.variable = array, .size = size });
}

/* -- values that the program gives --------------------------------------------------------------------------------- */
static void
items_set_number (ScopevizItem *face, int64_t number)
{
  Item *item = (Item *) face;
  __atomic_store_n (&face->number, number, __ATOMIC_RELAXED);
  __atomic_store_n (&item->touched, true, __ATOMIC_RELAXED);
  if (!__atomic_load_n (&item->set, __ATOMIC_RELAXED))
    __atomic_store_n (&item->set, true, __ATOMIC_RELEASE);
}

void
scopeviz_int_set (ScopevizItem *value, int64_t number)
{
  items_set_number (value, number);
}

void
scopeviz_bool_set (ScopevizItem *value, bool yes)
{
  items_set_number (value, yes);
}

void
scopeviz_float_set (ScopevizItem *value, double number)
{
  int64_t bits;
  memcpy (&bits, &number, sizeof bits);
  items_set_number (value, bits);
}

void
scopeviz_tag_add (ScopevizItem *tag, size_t bytes)
{
  __atomic_fetch_add (&tag->number, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&((Item *) tag)->second, (int64_t) bytes, __ATOMIC_RELAXED);
}

void
scopeviz_tag_remove (ScopevizItem *tag, size_t bytes)
{
  __atomic_fetch_sub (&tag->number, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub (&((Item *) tag)->second, (int64_t) bytes, __ATOMIC_RELAXED);
}

void
scopeviz_tag_set (ScopevizItem *tag, int64_t count, int64_t bytes)
{
  __atomic_store_n (&tag->number, count, __ATOMIC_RELAXED);
  __atomic_store_n (&((Item *) tag)->second, bytes, __ATOMIC_RELAXED);
}

/* A value of many bytes: what is in `value` changes places with what was given before, which is freed. */
static void
items_give (ScopevizItem *face, Bytes *value)
{
  Item *item = (Item *) face;
  if (!value->failed && item != &spare) {
    pthread_mutex_lock (&item->lock);
    Bytes old = item->given;
    item->given = *value;
    item->given_new = true;
    *value = old;
    pthread_mutex_unlock (&item->lock);
    __atomic_store_n (&item->touched, true, __ATOMIC_RELAXED);
    __atomic_store_n (&item->set, true, __ATOMIC_RELEASE);
  }
  bytes_free (value);
}

void
scopeviz_string_set_n (ScopevizItem *item, const void *text, size_t length)
{
  Bytes value = { 0 };
  bytes_u8 (&value, VALUE_STRING);
  bytes_text (&value, text, length);
  items_give (item, &value);
}

void
scopeviz_string_set (ScopevizItem *item, const char *text)
{
  scopeviz_string_set_n (item, text, strnlen (text, SCOPEVIZ_TEXT_MAX));
}

static void
put_hash (Bytes *to, const ScopevizHash *figures)
{
  bytes_u8 (to, VALUE_HASH);
  bytes_int (to, VALUE_INT, figures->array);
  bytes_int (to, VALUE_INT, figures->elements);
  bytes_int (to, VALUE_INT, figures->empty);
  bytes_int (to, VALUE_INT, figures->longest);
}

void
scopeviz_hash_set (ScopevizItem *item, const ScopevizHash *figures)
{
  Bytes value = { 0 };
  put_hash (&value, figures);
  items_give (item, &value);
}

void
scopeviz_tree_set (ScopevizItem *item, void (*function) (void *, ScopevizTree *), void *data)
{
  Bytes value = { 0 };
  tree_build (&value, function, data);
  items_give (item, &value);
}

/* -- once a period ---------------------------------------------------------------------------------------------------
 */
/* The value of an item whose variable is read, as it is sent. */
static void
put_watched (const Item *item, Bytes *to)
{
  const void *at = item->from.variable;
  double number;
  switch (item->kind) {
  case KIND_FLOAT:
    __atomic_load ((const double *) at, &number, __ATOMIC_RELAXED);
    bytes_float (to, number);
    return;
  case KIND_BOOL:
    bytes_u8 (to, VALUE_BOOL);
    bytes_u8 (to, __atomic_load_n ((const uint8_t *) at, __ATOMIC_RELAXED) != 0);
    return;
  case KIND_STRING:
    bytes_u8 (to, VALUE_STRING);
    bytes_text (to, at, strnlen (at, item->size));
    return;
  default:
    bytes_int (to, VALUE_INT,
               item->wide ? __atomic_load_n ((const int64_t *) at, __ATOMIC_RELAXED)
                          : __atomic_load_n ((const int32_t *) at, __ATOMIC_RELAXED));
  }
}

/* The value of an item whose function is called; without viz.lock. */
static void
put_called (const Item *item, Bytes *to)
{
  static char room[SCOPEVIZ_TEXT_MAX]; /* of the server's thread */
  ScopevizHash figures = { 0 };
  switch (item->kind) {
  case KIND_FLOAT:
    bytes_float (to, item->from.floating (item->data));
    return;
  case KIND_BOOL:
    bytes_u8 (to, VALUE_BOOL);
    bytes_u8 (to, item->from.boolean (item->data));
    return;
  case KIND_STRING: {
    size_t length = item->from.string (item->data, room, sizeof room);
    bytes_u8 (to, VALUE_STRING);
    bytes_text (to, room, length);
    return;
  }
  case KIND_HASH:
    item->from.hash (item->data, &figures);
    put_hash (to, &figures);
    return;
  case KIND_TREE:
    tree_build (to, item->from.tree, item->data);
    return;
  default:
    bytes_int (to, VALUE_INT, item->from.integer (item->data));
  }
}

/* How long a time is by now, ns. */
static int64_t
time_now (Item *item)
{
  pthread_mutex_lock (&item->lock);
  int64_t total = __atomic_load_n (&item->face.number, __ATOMIC_RELAXED);
  int64_t now = item->running ? viz_now (item->clock) : 0;
  if (now > item->started)
    total += now - item->started;
  pthread_mutex_unlock (&item->lock);
  return total;
}

/* The value of an item that is set, for its i-th number. */
static void
put_set (Item *item, unsigned i, Bytes *to)
{
  int64_t number = __atomic_load_n (&item->face.number, __ATOMIC_RELAXED);
  double floating;
  switch (item->kind) {
  case KIND_TIME:
    bytes_float (to, (double) time_now (item) / (double) VIZ_SECOND);
    return;
  case KIND_FLOAT:
    memcpy (&floating, &number, sizeof floating);
    bytes_float (to, floating);
    return;
  case KIND_BOOL:
    bytes_u8 (to, VALUE_BOOL);
    bytes_u8 (to, number != 0);
    return;
  case KIND_SIZE: /* the size comes first */
    if (i == 0)
      bytes_int (to, VALUE_INT64, __atomic_load_n (&item->second, __ATOMIC_RELAXED));
    else
      bytes_int (to, VALUE_INT, number);
    return;
  case KIND_STRING:
  case KIND_TREE:
  case KIND_HASH:
    bytes_put (to, item->given.data, item->given.size);
    return;
  default:
    bytes_int (to, VALUE_INT, number);
  }
}

static void
put_send (Bytes *to, unsigned tag, const Bytes *value)
{
  size_t begun = bytes_begin (to);
  bytes_u8 (to, 1);
  bytes_u16 (to, tag);
  bytes_put (to, value->data, value->size);
  bytes_end (to, begun);
}

static void
look_at_set (Item *item, Bytes *scratch)
{
  bool many = item->kind == KIND_STRING || item->kind == KIND_TREE || item->kind == KIND_HASH;
  if (!__atomic_load_n (&item->set, __ATOMIC_ACQUIRE))
    return;
  if (many)
    pthread_mutex_lock (&item->lock);
  if (!many || item->given_new) {
    bytes_clear (&item->sent);
    for (unsigned i = 0; i < item->n_tags; i++) {
      bytes_clear (scratch);
      put_set (item, i, scratch);
      put_send (&item->sent, item->tags[i], scratch);
    }
    item->given_new = false;
  }
  if (many)
    pthread_mutex_unlock (&item->lock);
}

bool
item_is_given (const Item *item)
{
  return item->source == BY_SET && item->kind != KIND_POINT && item->kind != KIND_TIME && item->kind != KIND_COUNT
         && item->kind != KIND_SIZE;
}

void
item_look (Item *item, Bytes *scratch, bool calls)
{
  item->stamp = viz.batch;
  if (item->source == BY_SET) {
    look_at_set (item, scratch);
    return;
  }
  if (!calls)
    return;
  bytes_clear (scratch);
  if (item->source == BY_WATCH)
    put_watched (item, scratch);
  else {
    item->calling = true;
    pthread_mutex_unlock (&viz.lock);
    put_called (item, scratch);
    pthread_mutex_lock (&viz.lock);
    item->calling = false;
    pthread_cond_broadcast (&viz.changed);
  }
  if (item->dead || scratch->failed) /* its own function killed it */
    return;
  bytes_clear (&item->sent);
  put_send (&item->sent, item->tags[0], scratch);
}

void
item_declare (Bytes *to, unsigned tag, VizKind kind, const void *name, size_t length)
{
  size_t begun = bytes_begin (to);
  bytes_u8 (to, 0);
  bytes_u16 (to, tag);
  bytes_u8 (to, kind);
  bytes_text (to, name, length);
  bytes_end (to, begun);
}

/* -- the end of an item
 * ------------------------------------------------------------------------------------------------ */
static void
end_item (ScopevizItem *face, bool gone)
{
  Item *item = (Item *) face;
  Bytes scratch = { 0 };
  pthread_mutex_lock (&viz.lock);
  if (!item->dead) {
    if (item->source == BY_SET)
      item_look (item, &scratch, false);
    item->dead = true;
    item->gone = gone;
    bytes_clear (&scratch);
    bytes_u8 (&scratch, gone ? VALUE_COLLECTED : VALUE_KILLED);
    for (unsigned i = 0; i < item->n_tags; i++)
      put_send (&item->farewell, item->tags[i], &scratch);
    if (items_add_to (&viz.dead, &viz.n_dead, &viz.room_dead, sizeof *viz.dead))
      viz.dead[viz.n_dead - 1] = item;
  }
  while (item->calling && !server_is_this_thread ())
    pthread_cond_wait (&viz.changed, &viz.lock);
  pthread_mutex_unlock (&viz.lock);
  bytes_free (&scratch);
}

void
scopeviz_kill (ScopevizItem *item)
{
  end_item (item, false);
}

void
scopeviz_collected (ScopevizItem *item)
{
  end_item (item, true);
}

void
scopeviz_period (ScopevizItem *face, unsigned milliseconds)
{
  Item *item = (Item *) face;
  pthread_mutex_lock (&viz.lock);
  item->period = milliseconds;
  item->due = 0;
  pthread_mutex_unlock (&viz.lock);
}

void
scopeviz_bind (ScopevizItem *const *items, size_t n)
{
  if (n < 2 || n > VIZ_TAGS / 2)
    return;
  uint16_t *tags = malloc (2 * n * sizeof *tags);
  size_t n_tags = 0;
  if (!tags)
    return;
  pthread_mutex_lock (&viz.lock);
  for (size_t i = 0; i < n; i++)
    for (unsigned j = 0; j < ((Item *) items[i])->n_tags; j++)
      if (((Item *) items[i])->tags[j]) /* 0: it is not shown */
        tags[n_tags++] = ((Item *) items[i])->tags[j];
  if (n_tags > 1)
    bind_tags (tags, n_tags);
  pthread_mutex_unlock (&viz.lock);
  free (tags);
}

/* The child has one thread, and locks that others held. */
void
items_after_fork (void)
{
  pthread_mutex_init (&viz.lock, NULL);
  pthread_cond_init (&viz.changed, NULL);
  for (unsigned tag = VIZ_FIRST_TAG; tag < viz.next_tag; tag++) {
    Item *item = viz.by_tag[tag];
    pthread_mutex_init (&item->lock, NULL);
    item->calling = false;
    item->stopped = 0;
  }
}
