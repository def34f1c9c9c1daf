/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - where blocks are allocated: the memory profiler of the runtime (Gc.Memprof of OCaml 4.13, 4.14 and 5.3) is
 * begun with callbacks that are no OCaml.  It takes one word of so many, and calls back with the stack of calls; what
 * it keeps with the block is the number of that stack, and no memory of the program.
 *
 * A program that wants the profiler itself gets it: its call is led here first, sampling ends for good, and the call
 * goes on.  x86-64 alone. */
#include "sites.h"
#include "five.h"
#include <dlfcn.h>
#include <sched.h>
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
  uintptr_t some[2]; /* a block of OCaml that lies in no heap of it: Some of the number of this stack */
} Stack;

/* As caml_debuginfo_location() fills it. */
typedef struct Location {
  int valid, is_raise;
  const char *file, *function;
  int line, from;
  int rest[4]; /* 4: to, is_inlined; 5: the last line, to (in it), to (from where the first line begins), is_inlined */
} Location;

/* What the profiler keeps of a block, in words from what its callbacks have given. */
enum { KEPT_BLOCK = -3, KEPT_TIMES, KEPT_WORDS };
enum { KEPT_BLOCK_5 = -1, KEPT_TIMES_5 = 1, KEPT_WORDS_5, KEPT_FLAGS_5 = 4 };
#define KEPT_IS_OFFSET 4 /* of the flags: the block is none yet */

/* A profile of OCaml 5, which is a block of the program. */
enum { PROFILE_CALLBACK = 4, PROFILE_WORDS = 9 };

typedef struct Jump { /* the first bytes of a function, and those that lead elsewhere */
  uint8_t *at, was[JUMP_BYTES], jump[JUMP_BYTES];
} Jump;

static struct Sites {
  enum { SITES_NONE, SITES_WAIT, SITES_RUN } state;
  unsigned words; /* one of so many is taken */
  bool is_five;
  const Runtime *runtime;
  Value (*start) (Value rate, Value depth, Value tracker), (*stop) (Value unit);
  Value (*discard) (Value profile); /* of OCaml 5 */
  void (*keep) (Value *root), (*let_go) (Value *root);
  void *(*extract) (uintptr_t slot), *(*next) (void *info);
  void (*locate) (void *info, Location *to);
  Jump jumps[2];
  Stack *stacks; /* [MOST_STACKS + 1], from 1 */
  uint32_t *by_hash, n;
  bool lock; /* of the stacks: domains of OCaml 5 run at once */
} sites;

#if defined(__x86_64__)
/* What OCaml calls: its argument is in rax, its result too; registers that it keeps are those that C keeps.  Stacks of
 * OCaml 5 are small: there caml_c_call of the runtime goes over to that of C first, and back. */
Value scope_heap_on_sample (Value info, const uintptr_t *state);
Value scope_heap_on_promotion (Value kept);
__attribute__ ((visibility ("hidden"))) const void *scope_heap_c_call;
__asm__(".pushsection .text\n"
        ".type scope_heap_sample, @function\nscope_heap_sample: movq %rax, %rdi\n xorl %esi, %esi\n"
        " jmp scope_heap_on_sample\n"
        ".type scope_heap_promotion, @function\nscope_heap_promotion: movq %rax, %rdi\n jmp scope_heap_on_promotion\n"
        ".type scope_heap_sample_5, @function\nscope_heap_sample_5: movq %rax, %rdi\n movq %r14, %rsi\n"
        " leaq scope_heap_on_sample(%rip), %rax\n jmp *scope_heap_c_call(%rip)\n"
        ".type scope_heap_promotion_5, @function\nscope_heap_promotion_5: movq %rax, %rdi\n"
        " leaq scope_heap_on_promotion(%rip), %rax\n jmp *scope_heap_c_call(%rip)\n"
        ".type scope_heap_end, @function\nscope_heap_end: movl $1, %eax\n ret\n"
        ".popsection\n");
extern const char scope_heap_sample[], scope_heap_promotion[], scope_heap_sample_5[], scope_heap_promotion_5[],
    scope_heap_end[];

/* Blocks of OCaml that lie in no heap of it. */
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
  return (Value) &sites.stacks[(uint64_t) kept >> 1].some[1];
}

/* The number of a stack, or 0: there is no room for one more. */
static uint32_t
heap_sites_number_of (const Value *slots, size_t n)
{
  uint64_t hash = n;

  for (size_t i = 0; i < n; i++)
    hash = (hash ^ (uint64_t) slots[i]) * UINT64_C (0x9e3779b97f4a7c15);
  uint32_t *first = &sites.by_hash[(hash >> 40) & (TABLE - 1)], id = *first;
  for (; id != 0; id = sites.stacks[id].next) {
    const Stack *s = &sites.stacks[id];
    size_t k = 0;
    while (s->n == n && k < n && s->slots[k] == (uintptr_t) slots[k])
      k++;
    if (s->n == n && k == n)
      return id;
  }
  if (sites.n == MOST_STACKS)
    return 0;
  Stack *s = &sites.stacks[id = ++sites.n];
  *s = (Stack){ .n = (uint32_t) n, .next = *first, .some = { 1 << 10 | BLACK, (uintptr_t) id << 1 | 1 } };
  for (size_t k = 0; k < n; k++)
    s->slots[k] = (uintptr_t) slots[k];
  *first = id;
  return id;
}

#define INFO_WORDS 4

/* OCaml 5.3 forgets the stack of a block that the runtime itself has allocated when it collects as it allocates `info`,
 * as it does when another domain waits for that: what it gives then lies where the minor heap has been emptied.  A
 * stack that is in it was allocated before `info`, which is above it; behind a collection nothing is. */
static bool
is_forgotten (const uintptr_t *state, Value info, Value slots)
{
  uintptr_t end = (uintptr_t) info + INFO_WORDS * HEAP_WORD, at = (uintptr_t) slots;

  return at >= state[FIVE_YOUNG_BEGIN] && at < state[FIVE_YOUNG_END] && (at <= end || end == state[FIVE_YOUNG_END]);
}

/* A record of OCaml: samples, words, source, and the stack of calls as an array of slots, halved and odd.  `state`: of
 * the domain, of OCaml 5; else NULL. */
__attribute__ ((visibility ("hidden"))) Value
scope_heap_on_sample (Value info, const uintptr_t *state)
{
  const Value *slots = (const Value *) ((const Value *) info)[3];

  if (state && is_forgotten (state, info, (Value) slots))
    return UNIT;
  size_t n = words_in (header_of ((Value) slots));

  while (__atomic_test_and_set (&sites.lock, __ATOMIC_ACQUIRE))
    sched_yield ();
  uint32_t id = n > 0 ? heap_sites_number_of (slots, n < DEPTH ? n : DEPTH) : 0;
  __atomic_clear (&sites.lock, __ATOMIC_RELEASE);
  return id > 0 ? (Value) &sites.stacks[id].some[1] : UNIT; /* unit: it is not followed */
}

/* ---- who wants the profiler ----------------------------------------------------------------------------------------------- */

static bool
heap_sites_put_bytes (uint8_t *at, const uint8_t *bytes)
{
  uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE), from = (uintptr_t) at & ~(page - 1);
  size_t n = (uintptr_t) at + JUMP_BYTES - from;

  if (mprotect ((void *) from, n, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  memcpy (at, bytes, JUMP_BYTES);
  return mprotect ((void *) from, n, PROT_READ | PROT_EXEC) == 0;
}

static bool
heap_sites_lead (bool here)
{
  bool ok = true;

  for (int i = 0; i < 2; i++)
    ok = heap_sites_put_bytes (sites.jumps[i].at, here ? sites.jumps[i].jump : sites.jumps[i].was) && ok;
  return ok;
}

/* The profile is among what the profiler keeps alive. */
static void
on_profile (void *found, Value v, Value *at)
{
  if (!is_immediate (v) && words_in (header_of (v)) == PROFILE_WORDS
      && ((const Value *) v)[PROFILE_CALLBACK] == (Value) &closures[0].code)
    *(Value *) found = v;
}

static void
heap_sites_give_up (void)
{
  Value profile = UNIT;

  heap_sites_lead (false);
  if (sites.state == SITES_RUN) {
    sites.stop (UNIT);
    if (sites.is_five && *sites.runtime->five.n_domains == 1) {
      sites.runtime->five.memprof_roots (on_profile, 0, &profile, *sites.runtime->state, false);
      if (profile != UNIT)
        sites.discard (profile);
    }
  }
  sites.state = SITES_NONE;
}

/* The end of sampling may collect, and move what the program has given. */
static Value
on_start (Value lambda, Value depth, Value tracks)
{
  sites.keep (&lambda);
  sites.keep (&tracks);
  heap_sites_give_up ();
  sites.let_go (&lambda);
  sites.let_go (&tracks);
  return sites.start (lambda, depth, tracks);
}

static Value
on_stop (Value unit)
{
  heap_sites_give_up ();
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
    { "caml_memprof_start", &sites.start },
    { "caml_memprof_stop", &sites.stop },
    { "caml_debuginfo_extract", &sites.extract },
    { "caml_debuginfo_location", &sites.locate },
    { "caml_debuginfo_next", &sites.next },
    { "caml_register_generational_global_root", &sites.keep },
    { "caml_remove_generational_global_root", &sites.let_go },
    { "caml_memprof_discard", &sites.discard }, /* the last two: of OCaml 5 alone */
    { "caml_c_call", &scope_heap_c_call },
  };
  const size_t n = sizeof wanted / sizeof *wanted - (r->is_five ? 0 : 2);

  if (words == 0)
    return;
  for (size_t i = 0; i < n; i++)
    if (!(*(void **) wanted[i].to = dlsym (RTLD_DEFAULT, wanted[i].name)))
      return;
  sites.runtime = r;
  sites.is_five = r->is_five;
  sites.stacks = out_pages ((MOST_STACKS + 1) * sizeof *sites.stacks);
  sites.by_hash = out_pages (TABLE * sizeof *sites.by_hash);
  out_pages_keep ();
  if (!sites.stacks || !sites.by_hash)
    return;
  prepare_jump (&sites.jumps[0], *(void **) &sites.start, (uintptr_t) on_start);
  prepare_jump (&sites.jumps[1], *(void **) &sites.stop, (uintptr_t) on_stop);
  sites.words = words;
  if (heap_sites_lead (true))
    sites.state = SITES_WAIT;
  else
    heap_sites_lead (false);
}

void
sites_begin (const Runtime *r)
{
  const char *codes[] = { r->is_five ? scope_heap_sample_5 : scope_heap_sample,
                          r->is_five ? scope_heap_promotion_5 : scope_heap_promotion, scope_heap_end };
  static const int of_field[] = { 0, 0, 1, 2, 2 };

  if (sites.state != SITES_WAIT || !runtime_has_begun (r) || (r->is_five && !five_may_allocate (r)))
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
  if (!heap_sites_lead (false)) {
    if (r->is_five)
      runtime_ask_minor (r); /* which sets its limit anew */
    return;
  }
  sites.start ((Value) &rate.is, (Value) DEPTH << 1 | 1, (Value) &tracker[1]);
  if (heap_sites_lead (true))
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

static void
keep_sample (Value kept, Value block, Value times, Value words)
{
  uint64_t id = (uint64_t) kept >> 1;
  unsigned nothing;

  if (put.n == put.room || !is_immediate (kept) || id == 0 || id > sites.n || block == 0 || is_immediate (block))
    return;
  uint32_t number = walk_number (put.walk, block, &nothing);
  if (number < put.walk->n_heap && words_in (header_of (block)) == (size_t) words && times > 0)
    put.samples[put.n++] = (Sample){ number, (uint32_t) id, (uint32_t) times };
}

/* `at` is inside of what the profiler keeps of a block. */
static void
on_kept (Value kept, Value *at)
{
  keep_sample (kept, at[KEPT_BLOCK], at[KEPT_TIMES], at[KEPT_WORDS]);
}

static void
on_counted_5 (void *data, Value kept, Value *at)
{
  put.counted++;
}

/* The same of OCaml 5; profiles come too, which are blocks. */
static void
on_kept_5 (void *data, Value kept, Value *at)
{
  if (is_immediate (kept) && !(at[KEPT_FLAGS_5] & KEPT_IS_OFFSET))
    keep_sample (kept, at[KEPT_BLOCK_5], at[KEPT_TIMES_5], at[KEPT_WORDS_5]);
}

static void
for_samples (Scan f, Scan5 f5)
{
  const Runtime *r = sites.runtime;

  if (sites.is_five)
    r->five.memprof_roots (f5, 0, NULL, *r->state, false);
  else
    r->memprof_roots (f);
}

static void
heap_sites_put_text (Out *o, const char *text)
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
heap_sites_slot_of (uintptr_t value)
{
  return value >> 1 << 1; /* halved, and odd */
}

static void
heap_sites_put_frames (const Stack *s, uint32_t *count)
{
  Out *o = &put.walk->out;

  for (uint32_t i = 0; i < s->n; i++)
    for (void *info = sites.extract (heap_sites_slot_of (s->slots[i])); info; info = sites.next (info)) {
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
      out_number (o, l.valid ? (uint64_t) (unsigned) l.rest[sites.is_five ? 2 : 0] : 0);
      heap_sites_put_text (o, l.valid ? l.function : NULL);
      heap_sites_put_text (o, l.valid ? l.file : NULL);
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
      for (void *info = sites.extract (heap_sites_slot_of (s->slots[i])); info; info = sites.next (info)) {
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
heap_sites_put_all (Walk *w)
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
    heap_sites_put_frames (&sites.stacks[order[i]], &count);
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
  for_samples (on_counted, on_counted_5);
  put.room = put.counted;
  put.samples = out_pages ((put.room + 1) * sizeof *put.samples);
  put.number = out_pages ((sites.n + 1) * sizeof *put.number);
  if (!put.samples || !put.number)
    return;
  for_samples (on_kept, on_kept_5);
  heap_sites_put_all (w);
}
