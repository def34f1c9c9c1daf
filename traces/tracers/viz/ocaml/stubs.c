/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.c - what Ocamlviz for OCaml asks libscopeviz for.  An item is its address with the lowest bit set: a number to
 * the collector.  Nothing here calls OCaml; what reads OCaml's blocks allocates none, so they do not move. */
#define CAML_INTERNALS /* for the hooks of the collector */
#include "../scopeviz.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <caml/alloc.h>
#include <caml/memory.h>
#include <caml/misc.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

#define ITEM(v) ((ScopevizItem *) ((v) & ~(value) 1))

enum {
  NEW_POINT,
  NEW_TIME,
  NEW_INT,
  NEW_FLOAT,
  NEW_BOOL,
  NEW_STRING,
  NEW_COUNT,
  NEW_SIZE,
  NEW_BOTH,
  NEW_TREE,
  NEW_HASH
};

value scopeviz_ml_start (value unit);
value scopeviz_ml_new (value kind, value name);
value scopeviz_ml_period (value item, value milliseconds);
value scopeviz_ml_kill (value item);
value scopeviz_ml_collected (value item);
value scopeviz_ml_pass (value item);
value scopeviz_ml_time_start (value item);
value scopeviz_ml_time_stop (value item);
value scopeviz_ml_set_int (value item, value number);
value scopeviz_ml_set_float (value item, value number);
value scopeviz_ml_set_bool (value item, value yes);
value scopeviz_ml_set_string (value item, value text);
value scopeviz_ml_set_tag (value item, value count, value bytes);
value scopeviz_ml_set_tree (value item, value root);
value scopeviz_ml_set_hash (value item, value table);
value scopeviz_ml_set_heap (value total, value alive);
value scopeviz_ml_log (value text);
value scopeviz_ml_due (value unit);
value scopeviz_ml_done (value unit);
value scopeviz_ml_now (value unit);
value scopeviz_ml_send (value unit);
value scopeviz_ml_clients (value unit);
value scopeviz_ml_wait (value n);
value scopeviz_ml_wait_for_nobody (value unit);
value scopeviz_ml_elapsed (value unit);
value scopeviz_ml_observe_gc (value name);

value
scopeviz_ml_start (value unit)
{
  scopeviz_start (NULL);
  return Val_unit;
}

value
scopeviz_ml_new (value kind, value name)
{
  const char *text = String_val (name);
  ScopevizItem *item;
  switch (Int_val (kind)) {
  case NEW_POINT:
    item = scopeviz_point_new (text);
    break;
  case NEW_TIME:
    item = scopeviz_time_new (text);
    break;
  case NEW_INT:
    item = scopeviz_int_new (text);
    break;
  case NEW_FLOAT:
    item = scopeviz_float_new (text);
    break;
  case NEW_BOOL:
    item = scopeviz_bool_new (text);
    break;
  case NEW_STRING:
    item = scopeviz_string_new (text);
    break;
  case NEW_COUNT:
    item = scopeviz_tag_new (text, SCOPEVIZ_COUNT);
    break;
  case NEW_SIZE:
    item = scopeviz_tag_new (text, SCOPEVIZ_SIZE);
    break;
  case NEW_BOTH:
    item = scopeviz_tag_new (text, SCOPEVIZ_COUNT | SCOPEVIZ_SIZE);
    break;
  case NEW_TREE:
    item = scopeviz_tree_new (text);
    break;
  default:
    item = scopeviz_hash_new (text);
  }
  return (value) item | 1;
}

value
scopeviz_ml_period (value item, value milliseconds)
{
  scopeviz_period (ITEM (item), (unsigned) Int_val (milliseconds));
  return Val_unit;
}

value
scopeviz_ml_kill (value item)
{
  scopeviz_kill (ITEM (item));
  return Val_unit;
}

value
scopeviz_ml_collected (value item)
{
  scopeviz_collected (ITEM (item));
  return Val_unit;
}

value
scopeviz_ml_pass (value item)
{
  scopeviz_point (ITEM (item));
  return Val_unit;
}

value
scopeviz_ml_time_start (value item)
{
  return Val_bool (scopeviz_time_start (ITEM (item)));
}

value
scopeviz_ml_time_stop (value item)
{
  return Val_bool (scopeviz_time_stop (ITEM (item)));
}

value
scopeviz_ml_set_int (value item, value number)
{
  scopeviz_int_set (ITEM (item), Long_val (number));
  return Val_unit;
}

value
scopeviz_ml_set_float (value item, value number)
{
  scopeviz_float_set (ITEM (item), Double_val (number));
  return Val_unit;
}

value
scopeviz_ml_set_bool (value item, value yes)
{
  scopeviz_bool_set (ITEM (item), Bool_val (yes));
  return Val_unit;
}

value
scopeviz_ml_set_string (value item, value text)
{
  scopeviz_string_set_n (ITEM (item), String_val (text), caml_string_length (text));
  return Val_unit;
}

value
scopeviz_ml_set_tag (value item, value count, value bytes)
{
  scopeviz_tag_set (ITEM (item), Long_val (count), Long_val (bytes));
  return Val_unit;
}

/* -- trees: the children of a node are a list, of which a place is kept for each node that is being walked ------------
 */
typedef struct Place {
  const void *node;
  value rest;
} Place;

static Place *places; /* under OCaml's lock */
static size_t n_places, room_places;

static size_t
label_of (const void *node, char *room, size_t size)
{
  value text = Field ((value) node, 0);
  size_t length = caml_string_length (text);
  memcpy (room, String_val (text), length < size ? length : size);
  return length;
}

static bool
add_place (const void *node)
{
  if (n_places == room_places) {
    size_t room = room_places ? 2 * room_places : 64;
    Place *more = realloc (places, room * sizeof *more);
    if (!more)
      return false;
    places = more;
    room_places = room;
  }
  places[n_places++] = (Place){ node, Field ((value) node, 1) };
  return true;
}

static const void *
child_of (const void *node, size_t i)
{
  if (i == 0 && !add_place (node))
    return NULL;
  Place *place = &places[n_places - 1];
  if (!Is_block (place->rest)) {
    n_places--;
    return NULL;
  }
  const void *child = (const void *) Field (place->rest, 0);
  place->rest = Field (place->rest, 1);
  return child;
}

static void
build (void *root, ScopevizTree *tree)
{
  n_places = 0;
  scopeviz_tree_walk (tree, root, label_of, child_of);
}

value
scopeviz_ml_set_tree (value item, value root)
{
  scopeviz_tree_set (ITEM (item), build, (void *) root);
  return Val_unit;
}

/* -- hash tables: { size; data; ... }, data an array of buckets, a bucket 0 or a block whose third field is the next
 * --- */
static bool
measure (value table, ScopevizHash *to)
{
  if (!Is_block (table) || Tag_val (table) != 0 || Wosize_val (table) < 2 || !Is_long (Field (table, 0)))
    return false;
  value data = Field (table, 1);
  if (!Is_block (data) || Tag_val (data) != 0)
    return false;
  *to = (ScopevizHash){ .array = (int64_t) Wosize_val (data), .elements = Long_val (Field (table, 0)) };
  for (mlsize_t i = 0; i < Wosize_val (data); i++) {
    int64_t n = 0;
    value bucket = Field (data, i);
    for (; Is_block (bucket); bucket = Field (bucket, 2), n++)
      if (Tag_val (bucket) != 0 || Wosize_val (bucket) != 3)
        return false;
    if (bucket != Val_int (0))
      return false;
    to->empty += n == 0;
    to->longest = n > to->longest ? n : to->longest;
  }
  return true;
}

value
scopeviz_ml_set_hash (value item, value table)
{
  ScopevizHash figures;
  if (!measure (table, &figures))
    return Val_false;
  scopeviz_hash_set (ITEM (item), &figures);
  return Val_true;
}

value
scopeviz_ml_set_heap (value total, value alive)
{
  scopeviz_heap_set (Long_val (total), Long_val (alive));
  return Val_unit;
}

value
scopeviz_ml_log (value text)
{
  scopeviz_log_n (String_val (text), caml_string_length (text));
  return Val_unit;
}

value
scopeviz_ml_due (value unit)
{
  return Val_bool (scopeviz_due ());
}

value
scopeviz_ml_done (value unit)
{
  scopeviz_done ();
  return Val_unit;
}

value
scopeviz_ml_now (value unit)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return Val_long (now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

value
scopeviz_ml_send (value unit)
{
  caml_enter_blocking_section ();
  scopeviz_send_now ();
  caml_leave_blocking_section ();
  return Val_unit;
}

value
scopeviz_ml_clients (value unit)
{
  return Val_int (scopeviz_clients ());
}

value
scopeviz_ml_wait (value n)
{
  unsigned clients = (unsigned) Int_val (n);
  caml_enter_blocking_section ();
  scopeviz_wait_for_clients (clients, -1);
  caml_leave_blocking_section ();
  return Val_unit;
}

value
scopeviz_ml_wait_for_nobody (value unit)
{
  caml_enter_blocking_section ();
  scopeviz_wait_for_no_clients (-1);
  caml_leave_blocking_section ();
  return Val_unit;
}

value
scopeviz_ml_elapsed (value unit)
{
  return caml_copy_double (scopeviz_elapsed ());
}

/* ---- the collector, which calls these itself: they must touch nothing of OCaml's ---------------------------------------- */

static ScopevizItem *collector;
static __thread unsigned inside; /* a collection of the young may be part of a slice */

static void
collector_begins (void)
{
  if (inside++ == 0)
    scopeviz_time_start (collector);
}

static void
collector_ends (void)
{
  if (inside > 0 && --inside == 0)
    scopeviz_time_stop (collector);
}

value
scopeviz_ml_observe_gc (value name)
{
  if (collector)
    return Val_unit;
  collector = scopeviz_time_new_wall (String_val (name)); /* it does not wait, and the clock on the wall is cheap */
  caml_minor_gc_begin_hook = caml_major_slice_begin_hook = collector_begins;
  caml_minor_gc_end_hook = caml_major_slice_end_hook = collector_ends;
  return Val_unit;
}
