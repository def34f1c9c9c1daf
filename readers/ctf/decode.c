/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - takes fields of CTF from where they lie: numbers of any bits in either byte order, texts, what is in each
 * other. */
#include <string.h>

#include "readers/ctf/decode.h"

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

static uint64_t
bits_from (const uint8_t *bytes, uint64_t at, uint32_t size, bool big)
{
  uint64_t v = 0;
  uint32_t n = 0;

  while (n < size) {
    uint32_t in = (uint32_t) ((at + n) & 7), some = MIN (8 - in, size - n);
    uint8_t byte = bytes[(at + n) >> 3];
    if (big)
      v = v << some | (uint64_t) ((byte >> (8 - in - some)) & ((1u << some) - 1));
    else
      v |= (uint64_t) ((byte >> in) & ((1u << some) - 1)) << n;
    n += some;
  }
  return v;
}

static inline uint64_t
whole_from (const uint8_t *bytes, uint64_t at, uint32_t size, bool big)
{
  const uint8_t *from = bytes + (at >> 3);

  if (G_UNLIKELY (at & 7))
    return bits_from (bytes, at, size, big);
  if (size == 32) {
    uint32_t v;
    memcpy (&v, from, sizeof v);
    return big ? GUINT32_FROM_BE (v) : GUINT32_FROM_LE (v);
  }
  if (size == 64) {
    uint64_t v;
    memcpy (&v, from, sizeof v);
    return big ? GUINT64_FROM_BE (v) : GUINT64_FROM_LE (v);
  }
  if (size == 16) {
    uint16_t v;
    memcpy (&v, from, sizeof v);
    return big ? GUINT16_FROM_BE (v) : GUINT16_FROM_LE (v);
  }
  return size == 8 ? *from : bits_from (bytes, at, size, big);
}

/* A clock is told in part: its lowest bits, which may have gone round once. */
static inline void
decode_set_clock (Place *p, uint64_t v, uint32_t size)
{
  uint64_t mask = size == 64 ? UINT64_MAX : (UINT64_C (1) << size) - 1;

  if (size < 64 && v < (p->clock & mask))
    p->clock += mask + 1;
  p->clock = (p->clock & ~mask) | v;
}

static inline bool
has_order (Place *p, const Node *n)
{
  bool other = (p->at & 7) != 0 && p->order == (n->big ? LITTLE : BIG);

  p->order = n->big ? BIG : LITTLE;
  return !other;
}

static inline bool
take_whole (Place *p, Node *n)
{
  if (G_UNLIKELY (!place_align (p, n->align) || n->size > p->end - p->at || !has_order (p, n)))
    return false;
  uint64_t v = whole_from (p->bytes, p->at, n->size, n->big);
  p->at += n->size;
  if (n->has_sign && n->size < 64)
    v = (uint64_t) ((int64_t) (v << (64 - n->size)) >> (64 - n->size));
  n->last = v;
  if (n->clock)
    decode_set_clock (p, v, n->size);
  if (n->means != MEANS_NOTHING)
    p->means[n->means] = v;
  return true;
}

static inline bool
take_real (Place *p, const Node *n, double *to)
{
  if (!place_align (p, n->align) || n->size > p->end - p->at || !has_order (p, n))
    return false;
  uint64_t v = whole_from (p->bytes, p->at, n->size, n->big);
  p->at += n->size;
  if (n->size == 64) {
    memcpy (to, &v, sizeof *to);
  } else {
    uint32_t half = (uint32_t) v;
    float single;
    memcpy (&single, &half, sizeof single);
    *to = (double) single;
  }
  return true;
}

/* ---- fields ---------------------------------------------------------------------------------------------------------------- */

static bool
take_text (Place *p, Cell *to)
{
  if (!place_align (p, 8))
    return false;
  const char *from = (const char *) p->bytes + p->at / 8, *end = memchr (from, 0, (p->end - p->at) / 8);
  if (!end)
    return false;
  p->at += (uint64_t) (end + 1 - from) * 8;
  if (to) {
    to->is = CELL_TEXT;
    to->text = from;
    to->n = (size_t) (end - from);
  }
  return true;
}

static bool
take_elements (Place *p, Node *n, Cell *to)
{
  uint64_t length = n->is == NODE_ARRAY ? n->length : n->by->last;
  Node *e = n->element;

  if (place_align (p, e->align) && length > p->end - p->at) /* each takes a bit at least */
    p->lie = length > LIE ? length : 0;
  if (p->at > p->end || length > p->end - p->at)
    return false;
  if (node_is_letters (n)) {
    const char *from = (const char *) p->bytes + p->at / 8;
    if (length > (p->end - p->at) / 8)
      return false;
    if (to) {
      to->is = CELL_TEXT;
      to->text = from;
      to->n = strnlen (from, length);
    }
    p->at += length * 8;
    return true;
  }
  if (e->is == NODE_INT && e->size % e->align == 0 && length > 0) {
    if (length > (p->end - p->at) / e->size || !has_order (p, e))
      return false;
    p->at += length * e->size;
    return true;
  }
  for (uint64_t i = 0; i < length; i++)
    if (!ctf_take_node (p, e, NULL))
      return false;
  return true;
}

/* Which choice of a variant its tag tells; NULL: none. */
static const NodeMember *
decode_choice (const Node *variant)
{
  const uint64_t tag = variant->by->last;
  const bool has_sign = variant->by->has_sign;

  for (guint i = 0; i < variant->choices->len; i++) {
    const NodeChoice *c = &g_array_index (variant->choices, NodeChoice, i);
    if (has_sign ? (int64_t) tag >= c->low && (int64_t) tag <= c->high
                 : tag >= (uint64_t) c->low && tag <= (uint64_t) c->high)
      return &variant->members[c->member];
  }
  return NULL;
}

bool
ctf_take_node (Place *p, Node *n, Cell *to)
{
  if (to) {
    to->is = CELL_OTHER;
    to->node = n;
    to->bytes = p->bytes;
    to->at = p->at;
    to->end = p->end;
  }
  if (G_LIKELY (n->is == NODE_INT)) {
    if (!take_whole (p, n))
      return false;
    if (to) {
      to->is = n->is_enum || (!n->has_sign && n->last > INT64_MAX) ? CELL_NAMED : CELL_INT;
      to->whole = (int64_t) n->last;
    }
    return true;
  }
  double real;
  switch (n->is) {
  case NODE_REAL:
    if (!take_real (p, n, to ? &to->real : &real))
      return false;
    if (to)
      to->is = CELL_REAL;
    return true;
  case NODE_TEXT:
    return take_text (p, to);
  case NODE_STRUCT:
    if (to)
      to->is = CELL_STRUCT;
    if (!place_align (p, n->align))
      return false;
    for (uint32_t i = 0; i < n->n_members; i++)
      if (!ctf_take_node (p, n->members[i].node, NULL))
        return false;
    return true;
  case NODE_VARIANT: {
    const NodeMember *m = decode_choice (n);
    return m && ctf_take_node (p, m->node, NULL);
  }
  default:
    return take_elements (p, n, to);
  }
}

bool
ctf_take_scope (Place *p, Node *n, Cell *cells)
{
  uint32_t at = 0;

  if (!place_align (p, n->align))
    return false;
  for (uint32_t i = 0; i < n->n_members; i++) {
    const NodeMember *m = &n->members[i];
    if (!ctf_take_node (p, m->node, m->shown ? &cells[at++] : NULL))
      return false;
  }
  return true;
}

/* ---- as text, the same as fields.c has it of the library ---------------------------------------------------------------------- */

static void quick_put (GString *to, Place *p, Node *n, int depth);

static void
quick_put_members (GString *to, Place *p, const Node *n, int depth)
{
  bool first = true;

  place_align (p, n->align);
  g_string_append_c (to, '{');
  for (uint32_t i = 0; i < n->n_members; i++) {
    const NodeMember *m = &n->members[i];
    if (m->shown && to->len < LONGEST_TEXT) {
      g_string_append_printf (to, "%s%s = ", first ? "" : ", ", m->shown);
      quick_put (to, p, m->node, depth + 1);
      first = false;
    } else {
      ctf_take_node (p, m->node, NULL);
    }
  }
  g_string_append_c (to, '}');
}

static void
quick_put_elements (GString *to, Place *p, const Node *n, int depth)
{
  uint64_t length = n->is == NODE_ARRAY ? n->length : n->by->last;

  place_align (p, n->element->align);
  g_string_append_c (to, '[');
  for (uint64_t i = 0; i < length; i++) {
    if (to->len >= LONGEST_TEXT) {
      g_string_append_printf (to, ", ... %" G_GUINT64_FORMAT " in all", length);
      for (; i < length; i++)
        ctf_take_node (p, n->element, NULL);
      break;
    }
    g_string_append (to, i > 0 ? ", " : "");
    quick_put (to, p, n->element, depth + 1);
  }
  g_string_append_c (to, ']');
}

/* What was taken from here before, so it is whole. */
static void
quick_put (GString *to, Place *p, Node *n, int depth)
{
  bool is_array = n->is == NODE_ARRAY || n->is == NODE_SEQUENCE;
  const NodeMember *choice;
  Cell cell;

  if (depth > DEEPEST || to->len > LONGEST_TEXT) {
    g_string_append (to, "...");
    ctf_take_node (p, n, NULL);
  } else if (n->is == NODE_STRUCT) {
    quick_put_members (to, p, n, depth);
  } else if (is_array && !node_is_letters (n)) {
    quick_put_elements (to, p, n, depth);
  } else if (n->is == NODE_VARIANT) {
    choice = decode_choice (n);
    if (choice)
      quick_put (to, p, choice->node, depth + 1);
  } else if (ctf_take_node (p, n, &cell)) {
    if (cell.is == CELL_TEXT)
      g_string_append_len (to, cell.text, (gssize) cell.n);
    else if (cell.is == CELL_REAL)
      ctf_put_real (to, cell.real);
    else
      ctf_put_whole (to, n->class, cell.whole);
  }
}

static Place
decode_place_of (const Cell *cell)
{
  return (Place){ .bytes = cell->bytes, .at = cell->at, .end = cell->end };
}

void
ctf_put_cell (GString *to, const Cell *cell)
{
  Place p = decode_place_of (cell);

  quick_put (to, &p, (Node *) cell->node, 0);
}

static uint32_t
give_inner (Ctf *c, Place *p, const Node *of, int depth, uint32_t n)
{
  place_align (p, of->align);
  for (uint32_t i = 0; i < of->n_members && n < MOST_FIELDS; i++) {
    const NodeMember *m = &of->members[i];
    Cell cell = { .field = NULL };
    if (m->shown && m->node->is == NODE_STRUCT && depth < DEEPEST) {
      n = give_inner (c, p, m->node, depth + 1, n);
      continue;
    }
    ctf_take_node (p, m->node, &cell);
    if (m->shown) {
      ctf_give_cell (c, &cell);
      n++;
    }
  }
  return n;
}

uint32_t
ctf_give_inner (Ctf *c, const Cell *cell, int depth, uint32_t n)
{
  Place p = decode_place_of (cell);

  return give_inner (c, &p, cell->node, depth, n);
}
