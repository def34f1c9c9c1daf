/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - which component was at work when a process died.
 *
 * A process that dies inside a component, or never comes back from one, cannot say so itself.  So the engine notes, in
 * memory that the process shares with the one that watches it, whose function it calls: one word, written before and
 * after.  Functions that a component gave out by `query` are called by others than the engine: there the stack tells,
 * by the first return address that lies in the shared object of a component. */
#include "eve/private.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

static EveWatch unwatched; /* what is written when nobody watches */
EveWatch *watch = &unwatched;

EveWatch *
eve_watch_new (void)
{
  void *w = mmap (NULL, sizeof (EveWatch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return w == MAP_FAILED ? NULL : w;
}

void
eve_watch_free (EveWatch *w)
{
  if (w)
    munmap (w, sizeof *w);
}

void
eve_watch_use (EveWatch *w)
{
  watch = w ? w : &unwatched;
}

/* ---- what the engine notes ---------------------------------------------------------------------------------------- */

void
watch_loading (const char *path)
{
  if (path)
    g_strlcpy (watch->loading, path, sizeof watch->loading);
  else
    watch->loading[0] = 0;
}

void
watch_object (uint32_t index, const char *path, const void *inside)
{
  Dl_info info;
  if (index >= WATCH_OBJECTS || !dladdr (inside, &info))
    return;
  watch->objects[index].base = info.dli_fbase;
  g_strlcpy (watch->objects[index].path, path, sizeof watch->objects[index].path);
  watch->n_objects = MAX (watch->n_objects, index + 1);
}

void
watch_box (const Node *n, bool there)
{
  WatchBox *b = &watch->boxes[n->id % WATCH_BOXES];
  if (!there) {
    if (b->id == n->id)
      b->id = 0;
    return;
  }
  b->id = n->id;
  b->object = registry_object (n->klass);
  g_strlcpy (b->name, n->name, sizeof b->name);
  g_strlcpy (b->class_id, n->klass->id, sizeof b->class_id);
}

void
eve_alive (void)
{
  atomic_fetch_add_explicit (&watch->signs, 1, memory_order_relaxed);
}

bool
eve_watch_stack (EveWatch *w, void *const *frames, int n)
{
  Dl_info info;
  for (int i = 0; i < n; i++) {
    if (!dladdr (frames[i], &info))
      continue;
    for (uint32_t k = 0; k < w->n_objects; k++)
      if (w->objects[k].base == info.dli_fbase) {
        w->blamed = k + 1;
        return true;
      }
  }
  return false;
}

void
eve_watch_forget (EveWatch *w)
{
  w->blamed = 0;
}

/* ---- what is read from it ----------------------------------------------------------------------------------------- */

uint64_t
eve_watch_calls (const EveWatch *w)
{
  return w->calls;
}

uint64_t
eve_watch_signs (const EveWatch *w)
{
  return w->signs;
}

static const char *
eve_watch_function_name (Call call)
{
  static const char *const names[] = {
    [CALL_FIRE] = "fire",       [CALL_HANDLER] = "the handler of an input",
    [CALL_PRODUCE] = "produce", [CALL_END] = "at_end",
    [CALL_REST] = "at_rest",    [CALL_INIT] = "init",
    [CALL_FINISH] = "finish",   [CALL_START] = "start",
    [CALL_PAUSE] = "pause",     [CALL_RESET] = "reset",
    [CALL_CHANGED] = "changed", [CALL_CAN_FIRE] = "can_fire",
    [CALL_REFUSE] = "refuse",   [CALL_UPGRADE] = "upgrade",
    [CALL_SAVE] = "save",       [CALL_LOAD] = "load",
    [CALL_QUERY] = "query",
  };
  return call < G_N_ELEMENTS (names) && names[call] ? names[call] : "";
}

/* What is read may be half-written: the process may have died of a stray pointer. */
static void
copy_text (char *to, const char *from, size_t n)
{
  memcpy (to, from, n);
  to[n - 1] = 0;
  for (char *c = to; *c; c++)
    if ((unsigned char) *c < ' ')
      *c = '?';
  char *valid = g_utf8_make_valid (to, -1);
  g_strlcpy (to, valid, n);
  g_free (valid);
}

static void
tell_box (const EveWatch *w, const WatchBox *b, EveWatched *who)
{
  copy_text (who->box, b->name, sizeof who->box);
  copy_text (who->class_id, b->class_id, sizeof who->class_id);
  if (b->object && b->object <= WATCH_OBJECTS)
    copy_text (who->object, w->objects[b->object - 1].path, sizeof who->object);
}

bool
eve_watch_who (const EveWatch *w, EveWatched *who)
{
  uint64_t running = w->running;
  uint32_t blamed = w->blamed;
  const WatchBox *b = &w->boxes[(running >> 8) % WATCH_BOXES], *only = NULL;
  *who = (EveWatched){ .function = "" };
  if (w->loading[0]) {
    copy_text (who->object, w->loading, sizeof who->object);
    return true;
  }
  if (running && b->id == running >> 8 && (!blamed || b->object == blamed)) {
    tell_box (w, b, who);
    who->function = eve_watch_function_name (running & 0xff);
    return true;
  }
  if (!blamed || blamed > WATCH_OBJECTS)
    return false;
  for (uint32_t i = 0; i < WATCH_BOXES; i++)
    if (w->boxes[i].id && w->boxes[i].object == blamed) {
      if (!only)
        tell_box (w, only = &w->boxes[i], who);
      else if (!strstr (who->box, w->boxes[i].name)) {
        g_strlcat (who->box, " or ", sizeof who->box);
        g_strlcat (who->box, w->boxes[i].name, sizeof who->box);
      }
    }
  copy_text (who->object, w->objects[blamed - 1].path, sizeof who->object);
  return true;
}
