/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - where blocks are allocated: the memory profiler of the runtime (Gc.Memprof of OCaml 4.13 and 4.14) is
 * begun with callbacks that are no OCaml.  It takes one word of so many, and calls back with the stack of calls; what
 * it keeps with the block is the number of that stack, and no memory of the program.
 *
 * A program that wants the profiler itself gets it: its call is led here first, sampling ends for good, and the call
 * goes on.  x86-64 alone. */
#include "sites.h"
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_STACKS 65535u
#define DEPTH 16
#define TABLE 131072u /* a power of two */
#define JUMP_BYTES 12
#define BLACK (UINT64_C (3) << 8)
#define UNIT ((Value) 1)

typedef struct Stack {
  uint32_t n, next; /* slots; the next one of its hash, or 0 */
  uintptr_t slots[DEPTH];
} Stack;

/* As caml_debuginfo_location() fills it. */
typedef struct Location {
  int valid, is_raise;
  const char *file, *function;
  int line, from, to, is_inlined;
} Location;

typedef struct Jump { /* the first bytes of a function, and those that lead elsewhere */
  uint8_t *at, was[JUMP_BYTES], jump[JUMP_BYTES];
} Jump;

static struct Sites {
  enum { SITES_NONE, SITES_WAIT, SITES_RUN } state;
  unsigned words; /* one of so many is taken */
  Value (*start) (Value rate, Value depth, Value tracker), (*stop) (Value unit);
  void (*samples) (Scan f);
  void *(*extract) (uintptr_t slot), *(*next) (void *info);
  void (*locate) (void *info, Location *to);
  Jump jumps[2];
  Stack *stacks; /* [MOST_STACKS + 1], from 1 */
  uint32_t *by_hash, n;
} sites;

#if defined(__x86_64__)
/* What OCaml calls: its argument is in rax, its result too; registers that it keeps are those that C keeps. */
Value scope_heap_on_sample (Value info);
Value scope_heap_on_promotion (Value kept);
__asm__(".pushsection .text\n"
        ".type scope_heap_sample, @function\nscope_heap_sample: movq %rax, %rdi\n jmp scope_heap_on_sample\n"
        ".type scope_heap_promotion, @function\nscope_heap_promotion: movq %rax, %rdi\n jmp scope_heap_on_promotion\n"
        ".type scope_heap_end, @function\nscope_heap_end: movl $1, %eax\n ret\n"
        ".popsection\n");
extern const char scope_heap_sample[], scope_heap_promotion[], scope_heap_end[];

/* Blocks of OCaml that lie in no heap of it. */
static uintptr_t some[2] = { 1 << 10 | BLACK, 0 };
static struct {
  uintptr_t header;
  const char *code;
  uintptr_t info;
} closures[3];
static uintptr_t tracker[6] = { 5 << 10 | BLACK };
static struct {
  uintptr_t header;
  double is;
} rate = { 1 << 10 | BLACK | HEAP_TAG_DOUBLE, 0 };

__attribute__ ((visibility ("hidden"))) Value
scope_heap_on_promotion (Value kept)
{
  some[1] = (uintptr_t) kept;
  return (Value) &some[1];
}

/* A record of OCaml: samples, words, source, and the stack of calls as an array of slots, halved and odd. */
__attribute__ ((visibility ("hidden"))) Value
scope_heap_on_sample (Value info)
{
  const Value *slots = (const Value *) ((const Value *) info)[3];
  size_t n = words_in (header_of ((Value) slots));
  uint64_t hash = n;

  n = n < DEPTH ? n : DEPTH;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (uint64_t) slots[i]) * UINT64_C (0x9e3779b97f4a7c15);
  uint32_t *first = &sites.by_hash[(hash >> 40) & (TABLE - 1)], id = *first;
  for (; id != 0; id = sites.stacks[id].next) {
    const Stack *s = &sites.stacks[id];
    size_t k = 0;
    while (s->n == n && k < n && s->slots[k] == (uintptr_t) slots[k])
      k++;
    if (s->n == n && k == n)
      break;
  }
  if (id == 0) {
    if (sites.n == MOST_STACKS || n == 0)
      return UNIT; /* it is not followed */
    Stack *s = &sites.stacks[id = ++sites.n];
    s->n = (uint32_t) n;
    s->next = *first;
    for (size_t k = 0; k < n; k++)
      s->slots[k] = (uintptr_t) slots[k];
    *first = id;
  }
  return scope_heap_on_promotion ((Value) id << 1 | 1);
}

/* ---- who wants the profiler ----------------------------------------------------------------------------------------------- */

static bool
put_bytes (uint8_t *at, const uint8_t *bytes)
{
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), from = (uintptr_t) at & ~(page - 1);
  size_t n = (uintptr_t) at + JUMP_BYTES - from;

  if (mprotect ((void *) from, n, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  memcpy (at, bytes, JUMP_BYTES);
  return mprotect ((void *) from, n, PROT_READ | PROT_EXEC) == 0;
}

static bool
lead (bool here)
{
  bool ok = true;

  for (int i = 0; i < 2; i++)
    ok = put_bytes (sites.jumps[i].at, here ? sites.jumps[i].jump : sites.jumps[i].was) && ok;
  return ok;
}

static void
give_up (void)
{
  lead (false);
  if (sites.state == SITES_RUN)
    sites.stop (UNIT);
  sites.state = SITES_NONE;
}

static Value
on_start (Value lambda, Value depth, Value tracks)
{
  give_up ();
  return sites.start (lambda, depth, tracks);
}

static Value
on_stop (Value unit)
{
  give_up ();
  return sites.stop (unit);
}

static void
prepare_jump (Jump *j, void *at, uintptr_t target)
{
  j->at = at;
  memcpy (j->was, at, JUMP_BYTES);
  memcpy (j->jump, "\x48\xb8--------\xff\xe0", JUMP_BYTES); /* movabs $target, %rax; jmp *%rax */
  memcpy (j->jump + 2, &target, sizeof target);
}

void
sites_prepare (const Runtime *r, unsigned words)
{
  const struct {
    const char *name;
    void *to;
  } wanted[] = {
    { "caml_memprof_start", &sites.start },       { "caml_memprof_stop", &sites.stop },
    { "caml_memprof_do_roots", &sites.samples },  { "caml_debuginfo_extract", &sites.extract },
    { "caml_debuginfo_location", &sites.locate }, { "caml_debuginfo_next", &sites.next },
  };

  if (words == 0 || r->is_five)
    return;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*(void **) wanted[i].to = dlsym (RTLD_DEFAULT, wanted[i].name)))
      return;
  sites.stacks = out_pages ((MOST_STACKS + 1) * sizeof *sites.stacks);
  sites.by_hash = out_pages (TABLE * sizeof *sites.by_hash);
  out_pages_keep ();
  if (!sites.stacks || !sites.by_hash)
    return;
  prepare_jump (&sites.jumps[0], *(void **) &sites.start, (uintptr_t) on_start);
  prepare_jump (&sites.jumps[1], *(void **) &sites.stop, (uintptr_t) on_stop);
  sites.words = words;
  if (lead (true))
    sites.state = SITES_WAIT;
  else
    lead (false);
}

void
sites_begin (const Runtime *r)
{
  const char *codes[] = { scope_heap_sample, scope_heap_promotion, scope_heap_end };
  static const int of_field[] = { 0, 0, 1, 2, 2 };

  if (sites.state != SITES_WAIT || !runtime_has_begun (r))
    return;
  for (int i = 0; i < 3; i++) {
    closures[i].header = 2 << 10 | BLACK | HEAP_TAG_CLOSURE;
    closures[i].code = codes[i];
    closures[i].info = UINT64_C (1) << 56 | 2 << 1 | 1; /* one argument, nothing else behind */
  }
  for (int i = 0; i < 5; i++)
    tracker[1 + i] = (uintptr_t) &closures[of_field[i]].code;
  rate.is = 1.0 / sites.words;
  sites.state = SITES_NONE;
  if (!lead (false))
    return;
  sites.start ((Value) &rate.is, (Value) DEPTH << 1 | 1, (Value) &tracker[1]);
  if (lead (true))
    sites.state = SITES_RUN;
  else
    sites.stop (UNIT);
}
#else
void
sites_prepare (const Runtime *r, unsigned words)
{
}

void
sites_begin (const Runtime *r)
{
}
#endif

unsigned
sites_words (void)
{
  return sites.state == SITES_RUN ? sites.words : 0;
}

/* ---- into the file ------------------------------------------------------------------------------------------------------------ */

typedef struct Sample {
  uint32_t block, stack, n;
} Sample;

/* Actions of the runtime have no argument. */
static struct Putting {
  Walk *walk;
  Sample *samples;
  uint32_t n, room, counted;
  uint32_t *number; /* [sites.n + 1]: of a stack in the file, or 0 */
  struct Frame {
    void *info;
    uint32_t number;
  } * frames; /* a hash table */
  uint32_t n_frames, frames_room, n_stacks;
} put;

static void
on_counted (Value kept, Value *at)
{
  put.counted++;
}

/* `at` is inside of what the profiler keeps of a block: in front of it are the block, how often it was taken, and its
 * words. */
static void
on_kept (Value kept, Value *at)
{
  Value block = at[-3];
  uint64_t id = (uint64_t) kept >> 1;
  unsigned nothing;

  if (put.n == put.room || !is_immediate (kept) || id == 0 || id > sites.n || block == 0 || is_immediate (block))
    return;
  uint32_t number = walk_number (put.walk, block, &nothing);
  if (number < put.walk->n_heap && words_in (header_of (block)) == (size_t) at[-1] && at[-2] > 0)
    put.samples[put.n++] = (Sample){ number, (uint32_t) id, (uint32_t) at[-2] };
}

static void
put_text (Out *o, const char *text)
{
  size_t n = 0;

  while (text && text[n] && n < 1000)
    n++;
  out_number (o, n);
  for (size_t i = 0; i < n; i++)
    out_byte (o, (uint8_t) text[i]);
}

static struct Frame *
find_frame (void *info)
{
  uint32_t k = (uint32_t) ((uintptr_t) info * UINT64_C (0x9e3779b97f4a7c15) >> 32) & (put.frames_room - 1);

  while (put.frames[k].info && put.frames[k].info != info)
    k = (k + 1) & (put.frames_room - 1);
  return &put.frames[k];
}

static uintptr_t
slot_of (uintptr_t value)
{
  return value >> 1 << 1; /* halved, and odd */
}

static void
put_frames (const Stack *s, uint32_t *count)
{
  Out *o = &put.walk->out;

  for (uint32_t i = 0; i < s->n; i++)
    for (void *info = sites.extract (slot_of (s->slots[i])); info; info = sites.next (info)) {
      struct Frame *f = find_frame (info);
      Location l = { 0 };
      if (f->info || 2 * put.n_frames >= put.frames_room)
        continue;
      sites.locate (info, &l);
      *f = (struct Frame){ info, ++put.n_frames };
      if (o->n >= OUT_BYTES) {
        out_section (o, HEAP_FRAMES, 0, 0, *count);
        *count = 0;
      }
      out_number (o, f->number);
      out_number (o, l.valid ? (uint64_t) (unsigned) l.line : 0);
      out_number (o, l.valid ? (uint64_t) (unsigned) l.from : 0);
      out_number (o, l.valid ? (uint64_t) (unsigned) l.to : 0);
      put_text (o, l.valid ? l.function : NULL);
      put_text (o, l.valid ? l.file : NULL);
      ++*count;
    }
}

static void
put_stack (const Stack *s)
{
  Out *o = &put.walk->out;
  uint32_t n = 0;

  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < s->n; i++)
      for (void *info = sites.extract (slot_of (s->slots[i])); info; info = sites.next (info)) {
        uint32_t number = find_frame (info)->number;
        if (number == 0)
          continue;
        if (pass == 1)
          out_number (o, number);
        else
          n++;
      }
    if (pass == 0)
      out_number (o, n);
  }
}

static void
put_all (Walk *w)
{
  uint32_t count = 0, depths = 0, last = 0;

  for (uint32_t i = 0; i < put.n; i++) {
    uint32_t *number = &put.number[put.samples[i].stack];
    if (*number == 0) {
      *number = ++put.n_stacks;
      depths += sites.stacks[put.samples[i].stack].n;
    }
  }
  for (put.frames_room = 1024; put.frames_room < 8 * (depths + 1);)
    put.frames_room *= 2;
  uint32_t *order = out_pages ((put.n_stacks + 1) * sizeof *order);
  put.frames = out_pages (put.frames_room * sizeof *put.frames);
  if (!order || !put.frames)
    return;
  for (uint32_t id = 1; id <= sites.n; id++)
    order[put.number[id]] = id;
  for (uint32_t i = 1; i <= put.n_stacks; i++)
    put_frames (&sites.stacks[order[i]], &count);
  out_section (&w->out, HEAP_FRAMES, 0, 0, count);
  count = 0;
  for (uint32_t i = 1; i <= put.n_stacks; i++, count++) {
    if (w->out.n >= OUT_BYTES) {
      out_section (&w->out, HEAP_STACKS, 0, i - 1 - count, count);
      count = 0;
    }
    put_stack (&sites.stacks[order[i]]);
  }
  out_section (&w->out, HEAP_STACKS, 0, put.n_stacks - count, count);
  count = 0;
  for (uint32_t i = 0; i < put.n; i++, count++) {
    const Sample *s = &put.samples[i];
    if (w->out.n >= OUT_BYTES) {
      out_section (&w->out, HEAP_SITES, 0, 0, count);
      count = last = 0;
    }
    int64_t delta = (int64_t) s->block - (int64_t) last;
    out_number (&w->out, (uint64_t) delta << 1 ^ (uint64_t) (delta >> 63));
    out_number (&w->out, put.number[s->stack]);
    out_number (&w->out, s->n);
    last = s->block;
  }
  out_section (&w->out, HEAP_SITES, 0, 0, count);
}

void
sites_put (Walk *w)
{
  if (sites.state != SITES_RUN)
    return;
  put = (struct Putting){ .walk = w };
  sites.samples (on_counted);
  put.room = put.counted;
  put.samples = out_pages ((put.room + 1) * sizeof *put.samples);
  put.number = out_pages ((sites.n + 1) * sizeof *put.number);
  if (!put.samples || !put.number)
    return;
  sites.samples (on_kept);
  put_all (w);
}
