/* SPDX-License-Identifier: Apache-2.0 */
/* quick.c - changes of states, in lines as nearly all of them are: words of at most eight bytes with one blank between.
 * Such a word is a number, by which what it stands for is found at once.  All other lines are read by paje.c. */
#include <string.h>

#include "readers/paje/paje.h"
#include "readers/vectors.h"

void
paje_quick_define (Definition *d)
{
  bool has[N_KNOWN] = { false }, needs_value = d->verb == SET_STATE || d->verb == PUSH_STATE;

  if (!needs_value && d->verb != POP_STATE && d->verb != RESET_STATE)
    return;
  for (int i = 0; i < d->n_fields; i++) {
    if ((d->names[i] != TIME && d->names[i] != TYPE && d->names[i] != CONTAINER && d->names[i] != VALUE)
        || has[d->names[i]])
      return;
    has[d->names[i]] = true;
  }
  d->quick = has[TIME] && has[TYPE] && has[CONTAINER] && (has[VALUE] || !needs_value);
}

/* A word as a number; no bytes: it is none that can be read here. */
static inline uint64_t
quick_word (char **at, size_t *n)
{
  const uint64_t ones = UINT64_C (0x0101010101010101), tops = ones << 7;
  uint64_t w = digits_load (*at), small = (w - ones * 0x21) & ~w & tops;

  *n = small ? (size_t) __builtin_ctzll (small) >> 3 : 8;
  if (*n == 0 || **at == '"' || **at == '\'')
    return 0;
  *at += *n;
  return *n == 8 ? w : w & ((UINT64_C (1) << 8 * *n) - 1);
}

static inline PajeKnown *
paje_quick_known (Paje *p, uint64_t bytes, const void *of)
{
  uint64_t h = (bytes ^ (uintptr_t) of) * UINT64_C (0x9e3779b97f4a7c15);

  return &p->known[h >> (64 - KNOWN_BITS)];
}

/* What names stand for never changes once it is known. */
static inline PajeType *
quick_type (Paje *p, uint64_t bytes, Word word)
{
  PajeKnown *k = paje_quick_known (p, bytes, p->types);

  if (G_UNLIKELY (k->bytes != bytes || k->of != p->types)) {
    PajeType *t = paje_find_type (p, word);
    if (!t)
      return NULL;
    *k = (PajeKnown){ .bytes = bytes, .of = p->types, .type = t };
  }
  return k->type;
}

static inline Container *
quick_container (Paje *p, uint64_t bytes, Word word)
{
  PajeKnown *k = paje_quick_known (p, bytes, p->containers);

  if (G_UNLIKELY (k->bytes != bytes || k->of != p->containers)) {
    Container *c = paje_find_container (p, word);
    if (!c)
      return NULL;
    *k = (PajeKnown){ .bytes = bytes, .of = p->containers, .container = c };
  }
  return k->container;
}

static inline uint32_t
quick_value (Paje *p, PajeType *t, uint64_t bytes, Word word)
{
  PajeKnown *k = paje_quick_known (p, bytes, t);

  if (G_UNLIKELY (k->bytes != bytes || k->of != t))
    *k = (PajeKnown){ .bytes = bytes, .of = t, .object = paje_value_of (p, t, word) };
  return k->object;
}

/* The line at *from, which goes on behind it.  False: it is another one, and nothing has come of it. */
static inline __attribute__ ((always_inline)) bool
paje_quick_line (Paje *p, char **from)
{
  char *at = *from;
  Word words[N_KNOWN];
  uint64_t bytes[N_KNOWN];
  int64_t date = 0;
  unsigned number = (unsigned) (at[0] - '0');

  if (number > 9 || p->unit != PAJE_SECOND)
    return false;
  if (at[1] >= '0' && at[1] <= '9')
    number = number * 10 + (unsigned) (*++at - '0');
  const Definition *d = p->numbered[number];
  if (!d || !d->quick)
    return false;
  at++;
  for (int i = 0; i < d->n_fields; i++) {
    Name name = (Name) d->names[i];
    if (*at++ != ' ')
      return false;
    if (name == TIME) {
      if (!paje_plain_date (&at, &date))
        return false;
    } else {
      words[name].at = at;
      bytes[name] = quick_word (&at, &words[name].n);
      if (bytes[name] == 0)
        return false;
    }
  }
  at += *at == '\r';
  PajeType *t = *at == '\n' ? quick_type (p, bytes[TYPE], words[TYPE]) : NULL;
  Container *c = t && t->kind == TRACE_STATES ? quick_container (p, bytes[CONTAINER], words[CONTAINER]) : NULL;
  if (!c)
    return false;
  uint32_t object = d->verb == RESET_STATE ? ((const TraceType *) p->source->types->pdata[t->type])->object
                    : d->verb == POP_STATE ? TRACE_NONE
                                           : quick_value (p, t, bytes[VALUE], words[VALUE]);
  uint32_t task = paje_task_of_states (p, c, t);
  paje_note_state (p, c, t, d->verb, object, date);
  TraceEvent *e = converter_room (p->to);
  *e = (TraceEvent){ .date = date,
                     .task = task,
                     .peer = TRACE_NONE,
                     .object = object,
                     .tag = -1,
                     .kind = (uint16_t) d->kind,
                     .flags = TRACE_INSTANT };
  converter_event (p->to, e);
  *from = at + 1;
  return true;
}

static inline __attribute__ ((always_inline)) char *
paje_quick_lines (Paje *p, char *at, const char *end)
{
  for (p->n_ahead = 1; at < end && paje_quick_line (p, &at); p->n_ahead++)
    ;
  p->n_ahead--;
  return at;
}

/* The same with shifts and searches for bits in one step. */
static WIDE char *
paje_quick_lines_wide (Paje *p, char *at, const char *end)
{
  return paje_quick_lines (p, at, end);
}

static char *
paje_quick_lines_plain (Paje *p, char *at, const char *end)
{
  return paje_quick_lines (p, at, end);
}

void
paje_quick (Paje *p)
{
  char *end, *at = input_ahead (p->in, &end);

  at = (has_vectors () ? paje_quick_lines_wide : paje_quick_lines_plain) (p, at, end);
  input_skip (p->in, at, p->n_ahead);
  p->n_ahead = 0;
}
