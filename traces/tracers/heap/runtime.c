/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c - the runtime of an OCaml program, found by the names that it exports: native programs are linked so that
 * they do, stripped or not. */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include "inside.h"

#define MOST_STATE 96 /* words of the state of the runtime that are looked at */

static bool
looks_like_version (const char *text)
{
  return isdigit ((unsigned char) text[0]) && (text[1] == '.' || (isdigit ((unsigned char) text[1]) && text[2] == '.'));
}

/* Sys.ocaml_version is a string of the module Sys, once that has begun; a program that does not use Sys has none. */
static void
find_version (Runtime *r)
{
  const Value *sys = dlsym (RTLD_DEFAULT, "camlStdlib__Sys");

  for (size_t i = 0, n = sys ? words_in (header_of ((Value) sys)) : 0; i < n && i < 256; i++) {
    Value v = sys[i];
    if (v == 0 || is_immediate (v) || v % (Value) HEAP_WORD != 0)
      continue;
    for (const struct DataSegment *d = r->data; d->begin; d++) {
      if ((char *) v < d->begin || (char *) v >= d->end || tag_in (header_of (v)) != HEAP_TAG_STRING)
        continue;
      const char *text = (const char *) v;
      if (looks_like_version (text) && words_in (header_of (v)) <= 4) {
        size_t k = 0;
        for (; text[k] && k < sizeof r->version - 1; k++)
          r->version[k] = text[k];
        r->version[k] = '\0';
        return;
      }
    }
  }
}

RuntimeIs
runtime_find (Runtime *r, const char **why)
{
  const struct {
    const char *name;
    void *to;
  } wanted[] = {
    { "caml_heap_start", &r->heap_start },
    { "caml_globals", &r->globals },
    { "caml_data_segments", &r->data },
    { "Caml_state", &r->state },
    { "caml_ephe_list_head", &r->ephemerons },
    { "caml_do_roots", &r->do_roots },
    { "caml_scan_global_roots", &r->scan_c },
    { "caml_final_do_roots", &r->final_roots },
    { "caml_memprof_do_roots", &r->memprof_roots },
    { "caml_scan_roots_hook", &r->scan_hook },
    { "caml_empty_minor_heap", &r->empty_minor_heap },
    { "caml_request_minor_gc", &r->request_minor_gc },
    { "caml_major_gc_hook", &r->major_hook },
    { "caml_minor_gc_end_hook", &r->minor_end_hook },
    { "caml_enter_blocking_section_hook", &r->enter_hook },
    { "caml_leave_blocking_section_hook", &r->leave_hook },
    { "caml_leave_blocking_section", &r->leave_blocking },
    { "caml_enter_blocking_section", &r->enter_blocking },
  };

  if (!dlsym (RTLD_DEFAULT, "caml_startup") && !dlsym (RTLD_DEFAULT, "caml_main"))
    return RUNTIME_NONE;
  *(void **) &r->threads_initialize = dlsym (RTLD_DEFAULT, "caml_thread_initialize");
  *(void **) &r->thread_register = dlsym (RTLD_DEFAULT, "caml_c_thread_register");
  *(void **) &r->thread_unregister = dlsym (RTLD_DEFAULT, "caml_c_thread_unregister");
  r->ephemeron_none = dlsym (RTLD_DEFAULT, "caml_ephe_none");
  r->stats = -1;
  if (dlsym (RTLD_DEFAULT, "caml_domain_spawn") || dlsym (RTLD_DEFAULT, "caml_try_run_on_all_domains"))
    return five_find (r, why);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *at = dlsym (RTLD_DEFAULT, wanted[i].name);
    if (!at) {
      *why = "the program is byte-code, or of an OCaml whose heap is not read: natively compiled programs of OCaml "
             "4.13, 4.14 and 5.3 are";
      return RUNTIME_REFUSED;
    }
    *(void **) wanted[i].to = at;
  }
  Dl_info info;
  const ElfW (Sym) *symbol = NULL;
  r->atoms = dlsym (RTLD_DEFAULT, "caml_atom_table"); /* a variable that leads there, or the table, as its size tells */
  r->atoms_there = r->atoms && dladdr1 (r->atoms, &info, (void **) &symbol, RTLD_DL_SYMENT) != 0 && symbol
                   && symbol->st_size > HEAP_WORD;
  *(void **) &r->page_lookup = dlsym (RTLD_DEFAULT, "caml_page_table_lookup");
  return RUNTIME_FOUND;
}

const char *
runtime_atoms (const Runtime *r)
{
  if (r->is_five)
    return (const char *) r->five.atom (0) - HEAP_WORD;
  return !r->atoms || r->atoms_there ? r->atoms : *(char *const *) r->atoms;
}

Value
runtime_ephemeron_none (const Runtime *r)
{
  return r->ephemeron_none ? *(const Value *) r->ephemeron_none : 0;
}

/* Whether pieces are linked so: gives their number and bytes. */
static bool
try_head (Runtime *r, size_t head, uintptr_t *n, uintptr_t *bytes)
{
  r->chunk_head = head;
  *n = *bytes = 0;
  for (const char *c = *r->heap_start; c; c = chunk_next (r, c)) {
    size_t size = chunk_bytes (r, c);
    if ((uintptr_t) c % 4096 != 0 || size == 0 || size % 4096 != 0 || size > (UINT64_C (1) << 44) || ++*n > 1000000)
      return false;
    *bytes += size;
  }
  return *n > 0;
}

bool
runtime_has_begun (const Runtime *r)
{
  return *r->state && (r->is_five || *r->heap_start);
}

void
runtime_learn (Runtime *r)
{
  if (r->is_five && !r->five.domain)
    five_learn (r);
}

void
runtime_ask_minor (const Runtime *r)
{
  if (r->is_five)
    five_ask_minor (r);
  else
    r->request_minor_gc ();
}

void
runtime_be_main (const Runtime *r)
{
  if (r->is_five)
    r->five.be_domain (0);
}

uint64_t
runtime_cycles (const Runtime *r)
{
  return r->is_five ? *r->five.cycles : 0;
}

const char *
runtime_hinders (const Runtime *r)
{
  return r->is_five ? five_hinders (r) : NULL;
}

size_t
runtime_heap_words (const Runtime *r)
{
  return r->is_five ? r->five.heap_size (five_heap (r)) / HEAP_WORD : (*r->state)[r->stats];
}

bool
runtime_layout (Runtime *r)
{
  if (r->stats >= 0)
    return true;
  if (r->stats == -2 || !runtime_has_begun (r))
    return false;
  find_version (r);
  if (r->is_five) {
    r->stats = five_layout (r) ? 0 : -2;
    return r->stats == 0;
  }
  if (r->version[0] && strncmp (r->version, "4.13.", 5) != 0 && strncmp (r->version, "4.14.", 5) != 0) {
    r->stats = -2;
    return false;
  }
  for (size_t head = 48; head <= 56; head += 8) { /* 4.13 and 4.14 differ in what is in front of a piece */
    uintptr_t n, bytes;
    /* what is wrongly taken for the size of a piece is a pointer: no number of words that the state has */
    if (!try_head (r, head, &n, &bytes))
      continue;
    const uintptr_t *state = *r->state;
    for (int i = 5; i < MOST_STATE - 4; i++)
      if (state[i] == bytes / HEAP_WORD && state[i + 1] >= state[i] && state[i + 4] == n) {
        r->stats = i;
        return true;
      }
  }
  r->stats = -2;
  return false;
}

/* ---- names -------------------------------------------------------------------------------------------------------------- */

static int
by_address (const void *a, const void *b)
{
  uintptr_t x = ((const Symbol *) a)->at, y = ((const Symbol *) b)->at;

  return x < y ? -1 : x > y;
}

static size_t
count_names (const uint32_t *gnu, const uint32_t *sysv)
{
  if (sysv)
    return sysv[1];
  if (!gnu)
    return 0;
  uint32_t n_buckets = gnu[0], first = gnu[1], n_bloom = gnu[2], last = 0;
  const uint32_t *buckets = (const uint32_t *) ((const char *) (gnu + 4) + n_bloom * sizeof (ElfW (Addr))),
                 *chain = buckets + n_buckets;
  for (uint32_t i = 0; i < n_buckets; i++)
    last = buckets[i] > last ? buckets[i] : last;
  if (last < first)
    return first;
  while (!(chain[last - first] & 1))
    last++;
  return last + 1;
}

/* The program itself comes first. */
static int
on_object (struct dl_phdr_info *info, size_t size, void *arg)
{
  Symbols *s = arg;
  const ElfW (Dyn) *dynamic = NULL;
  const ElfW (Sym) *names = NULL;
  const char *text = NULL;
  const uint32_t *gnu = NULL, *sysv = NULL;

  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW (Dyn) *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    const void *at = (const void *) dynamic->d_un.d_ptr; /* the loader has made it an address */
    names = dynamic->d_tag == DT_SYMTAB ? at : names;
    text = dynamic->d_tag == DT_STRTAB ? at : text;
    gnu = dynamic->d_tag == DT_GNU_HASH ? at : gnu;
    sysv = dynamic->d_tag == DT_HASH ? at : sysv;
  }
  size_t n = names && text ? count_names (gnu, sysv) : 0;
  s->all = n > 0 ? out_pages (n * sizeof *s->all) : NULL;
  for (size_t i = 0; s->all && i < n; i++) {
    const char *name = text + names[i].st_name;
    if (names[i].st_value != 0 && names[i].st_shndx != SHN_UNDEF && strncmp (name, "caml", 4) == 0
        && !strstr (name, "__code_begin") && !strstr (name, "__data_begin"))
      s->all[s->n++] = (Symbol){ info->dlpi_addr + names[i].st_value, name, 0 };
  }
  if (s->n > 0)
    qsort (s->all, s->n, sizeof *s->all, by_address);
  return 1;
}

void
symbols_find (Symbols *s)
{
  dl_iterate_phdr (on_object, s);
  out_pages_keep ();
}

Symbol *
symbols_at (const Symbols *s, uintptr_t at, bool inside)
{
  size_t low = 0, high = s->n;

  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->all[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && (inside || s->all[low - 1].at == at) ? &s->all[low - 1] : NULL;
}
