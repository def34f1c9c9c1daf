/* SPDX-License-Identifier: Apache-2.0 */
/* five.c - the runtime of OCaml 5.3, of programs that run one domain.  What it does not export is as five.h says, which
 * is tried: the heap must say whose it is, and its pieces sum up to what functions of the runtime tell. */
#include <dlfcn.h>
#include "five.h"

const unsigned char five_class_words[FIVE_CLASSES] = {
  1,  2,  3,  4,  5,  6,  7,  8,  10, 12, 14, 16, 17, 19,  22,  25,
  28, 32, 33, 37, 42, 47, 53, 59, 65, 73, 81, 89, 99, 108, 118, 128
};
const unsigned char five_class_lost[FIVE_CLASSES] = { 0, 0,  0, 0,  2,  0, 4,  4,  2,  0, 4,  12, 12, 7,  0,  17,
                                                      4, 28, 0, 22, 18, 3, 11, 21, 62, 4, 42, 87, 33, 96, 80, 124 };

RuntimeIs
five_find (Runtime *r, const char **why)
{
  Five *f = &r->five;
  const struct {
    const char *name;
    void *to;
  } wanted[] = {
    { "caml_globals", &r->globals },
    { "caml_data_segments", &r->data },
    { "caml_scan_global_roots", &f->scan_c },
    { "caml_do_local_roots", &f->local_roots },
    { "caml_final_do_roots", &f->final_roots },
    { "caml_memprof_scan_roots", &f->memprof_roots }, /* since 5.3 */
    { "caml_scan_roots_hook", &f->scan_hook },
    { "caml_scan_stack", &f->scan_stack },
    { "caml_heap_size", &f->heap_size },
    { "caml_heap_blocks", &f->heap_blocks },
    { "caml_top_heap_words", &f->top_heap_words },
    { "caml_accum_orphan_heap_stats", &f->add_orphans },
    { "caml_init_domain_self", &f->be_domain },
    { "caml_atom", &f->atom },
    { "caml_num_domains_running", &f->n_domains },
    { "caml_major_cycles_completed", &f->cycles },
    { "caml_minor_collections_count", &f->minors },
    { "caml_compactions_count", &f->compactions },
    { "caml_empty_minor_heaps_once", &r->empty_minor_heap },
    { "caml_minor_gc_end_hook", &r->minor_end_hook },
    { "caml_major_slice_begin_hook", &f->slice_hook },
    { "caml_enter_blocking_section_hook", &r->enter_hook },
    { "caml_leave_blocking_section_hook", &r->leave_hook },
    { "caml_leave_blocking_section", &r->leave_blocking },
    { "caml_enter_blocking_section", &r->enter_blocking },
  };

  r->is_five = true;
  r->state = &f->domain;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *at = dlsym (RTLD_DEFAULT, wanted[i].name);
    if (!at) {
      *why = "the program is byte-code, or of an OCaml 5 whose heap is not read: natively compiled programs of OCaml "
             "4.13, 4.14 and 5.3 are";
      return RUNTIME_REFUSED;
    }
    *(void **) wanted[i].to = at;
  }
  return RUNTIME_FOUND;
}

/* A thread has its state only while it runs OCaml, but it is the same for all of a domain. */
void
five_learn (Runtime *r)
{
  uintptr_t **of_this_thread = dlsym (RTLD_DEFAULT, "caml_state");

  if (of_this_thread)
    r->five.domain = *of_this_thread;
}

void *
five_heap (const Runtime *r)
{
  return (void *) (*r->state)[FIVE_HEAP];
}

bool
five_layout (Runtime *r)
{
  const FiveHeap *heap = five_heap (r);
  uintptr_t words = 0;

  if (r->version[0] && strncmp (r->version, "5.3.", 4) != 0)
    return false;
  if (!heap || (uintptr_t) heap % HEAP_WORD != 0 || heap->owner != *r->state)
    return false;
  for (int kind = 0; kind < 4; kind++)
    for (unsigned class = 0; class < FIVE_CLASSES; class ++)
      for (const FivePool *p = heap->pools[kind][class]; p; p = p->next) {
        if (p->class != class || p->owner != heap->owner)
          return false;
        words += FIVE_POOL_WORDS;
      }
  return words == (uintptr_t) heap->stats.pool
         && words + (uintptr_t) heap->stats.large == r->five.heap_size ((void *) heap) / HEAP_WORD
         && (uintptr_t) (heap->stats.pool_blocks + heap->stats.large_blocks) == r->five.heap_blocks ((void *) heap);
}

/* The heaps of other domains cannot be walked: neither of those that run, nor what those that have ended left behind.
 */
const char *
five_hinders (const Runtime *r)
{
  FiveStats left = { 0 };

  if (*r->five.n_domains > 1)
    return "no snapshot is taken while the program runs several domains: heaps of one domain are read";
  r->five.add_orphans (&left);
  if (left.pool > 0 || left.large > 0)
    return "no snapshot is taken when domains of the program have left blocks behind: heaps of one domain are read";
  return NULL;
}

/* As the runtime does for itself; what it sets may be set so at any time. */
void
five_ask_minor (const Runtime *r)
{
  uintptr_t *state = *r->state;

  *(volatile uintptr_t *) &state[FIVE_MINOR_WANTED] = 1;
  __atomic_store_n (&state[FIVE_YOUNG_LIMIT], UINTPTR_MAX, __ATOMIC_SEQ_CST);
}

/* The profiler of OCaml 5 wants two words of the minor heap when it begins, where nothing may be collected.  There must
 * be room, and the limit at which collecting begins is put aside: the profiler sets it anew itself, as everything that
 * is due says. */
bool
five_may_allocate (const Runtime *r)
{
  uintptr_t *state = *r->state;

  if (*r->five.n_domains != 1 || state[FIVE_YOUNG_POINTER] - state[FIVE_YOUNG_BEGIN] < FIVE_ROOM * HEAP_WORD)
    return false;
  __atomic_store_n (&state[FIVE_YOUNG_LIMIT], state[FIVE_YOUNG_BEGIN], __ATOMIC_SEQ_CST);
  return true;
}
