/* SPDX-License-Identifier: Apache-2.0 */
/* open-calls.c - calls that have begun, in order of nesting, and by what they are called. */
#include "readers/open-calls.h"
#include "readers/pair.h"

typedef struct Task {
  OpenCall *innermost, *outermost;
} Task;

struct OpenCalls {
  GArray *tasks;         /* of Task */
  GHashTable *innermost; /* task and name -> the innermost OpenCall of them */
  uint32_t n;
};

OpenCalls *
open_calls_new (void)
{
  OpenCalls *all = g_new0 (OpenCalls, 1);

  all->tasks = g_array_new (FALSE, TRUE, sizeof (Task));
  all->innermost = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  return all;
}

void
open_calls_free (OpenCalls *all, void (*free_call) (OpenCall *call))
{
  if (!all)
    return;
  for (guint i = 0; i < all->tasks->len; i++)
    for (OpenCall *c = g_array_index (all->tasks, Task, i).innermost, *outer; c; c = outer) {
      outer = c->outer;
      free_call (c);
    }
  g_array_unref (all->tasks);
  g_hash_table_unref (all->innermost);
  g_free (all);
}

uint32_t
open_calls_n (const OpenCalls *all)
{
  return all->n;
}

uint32_t
open_calls_tasks (const OpenCalls *all)
{
  return all->tasks->len;
}

static void
set_innermost (OpenCalls *all, uint64_t key, OpenCall *c)
{
  if (c)
    g_hash_table_replace (all->innermost, g_memdup2 (&key, sizeof key), c);
  else
    g_hash_table_remove (all->innermost, &key);
}

void
open_calls_begin (OpenCalls *all, uint32_t task, uint32_t name, OpenCall *call)
{
  uint64_t key = (uint64_t) task << 32 | name;

  if (task >= all->tasks->len)
    g_array_set_size (all->tasks, task + 1);
  Task *t = &g_array_index (all->tasks, Task, task);
  call->name = name;
  call->outer = t->innermost;
  call->inner = NULL;
  call->alike = g_hash_table_lookup (all->innermost, &key);
  *(t->innermost ? &t->innermost->inner : &t->outermost) = call;
  t->innermost = call;
  set_innermost (all, key, call);
  all->n++;
}

static void
readers_open_calls_take_out (OpenCalls *all, uint32_t task, OpenCall *c)
{
  Task *t = &g_array_index (all->tasks, Task, task);

  *(c->inner ? &c->inner->outer : &t->innermost) = c->outer;
  *(c->outer ? &c->outer->inner : &t->outermost) = c->inner;
  all->n--;
}

OpenCall *
open_calls_end (OpenCalls *all, uint32_t task, uint32_t name)
{
  uint64_t key = (uint64_t) task << 32 | name;
  OpenCall *c = g_hash_table_lookup (all->innermost, &key);

  if (!c)
    return NULL;
  set_innermost (all, key, c->alike);
  readers_open_calls_take_out (all, task, c);
  return c;
}

OpenCall *
open_calls_take_all (OpenCalls *all, uint32_t task)
{
  if (task >= all->tasks->len)
    return NULL;
  Task *t = &g_array_index (all->tasks, Task, task);
  OpenCall *outermost = t->outermost;
  for (const OpenCall *c = outermost; c; c = c->inner) {
    set_innermost (all, (uint64_t) task << 32 | c->name, NULL);
    all->n--;
  }
  *t = (Task){ 0 };
  return outermost;
}
