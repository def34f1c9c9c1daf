/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h - fields where they lie in the packets of a stream, for who decodes them without the library (quick.c). */
#pragma once
#include "readers/ctf/ctf.h"

#define UNKNOWN UINT64_MAX
#define LIE (1u << 20) /* elements, of more than there is room for */

/* A place in a packet, and what was told there. */
typedef struct Place {
  const uint8_t *bytes;
  uint64_t at, end; /* bits */
  uint64_t clock;
  uint64_t means[N_MEANS]; /* UNKNOWN: it did not tell */
  const uint8_t *uuid;
  uint64_t lie;                          /* a length that cannot be in the packet, by far; 0: none */
  enum { ANY_ORDER, LITTLE, BIG } order; /* of the number before: within a byte it cannot change */
} Place;

static inline bool
place_align (Place *p, uint32_t align)
{
  p->at = (p->at + align - 1) & ~(uint64_t) (align - 1);
  return p->at <= p->end;
}

/* An array of letters is a text, up to its first 0. */
static inline bool
node_is_letters (const Node *n)
{
  const Node *e = n->element;

  return e->is == NODE_INT && e->is_letter && e->size == 8 && e->align == 8;
}

/* ---- decode.c ---------------------------------------------------------------------------------------------------------------- */
/* Takes a field from a place, and goes behind it; `to`: its value, or NULL.  False: it is not as it must be. */
bool ctf_take_node (Place *p, Node *n, Cell *to);
/* The members of a structure of an event, those that the library tells as cells. */
bool ctf_take_scope (Place *p, Node *n, Cell *cells);

/* ---- settle.c: layouts compared with what the library knows ----------------------------------------------------------------- */
/* Each finds what lengths and choices are told by, what fields of headers mean, and whether the library tells the same
 * of it.  False: it does not, or this cannot be decoded here. */
bool ctf_settle_header (Layout *l, Node *n); /* of packets */
bool ctf_settle_stream (Layout *l, LayoutStream *s, const bt_stream_class *class);
bool ctf_settle_event (Layout *l, LayoutEvent *e, const bt_stream_class *class);
