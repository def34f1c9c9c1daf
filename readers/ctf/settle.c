/* SPDX-License-Identifier: Apache-2.0 */
/* settle.c - layouts compared with what the library knows of the same classes, before anything is decoded by them. */
#include <string.h>

#include "readers/ctf/decode.h"

#define MOST_COMPARED 20000000 /* labels with choices, of a trace */
#define MOST_CHOICES 10000     /* that one event may have to be looked up in */

static bool compare_node (Node *n, const bt_field_class *class);

static bool
compare_int (const Node *n, bt_field_class_type type, const bt_field_class *class)
{
  bool has_sign = bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);

  return bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_INTEGER) && has_sign == n->has_sign
         && bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_ENUMERATION) == n->is_enum
         && bt_field_class_integer_get_field_value_range (class) == n->size;
}

/* A member that the library does not tell is a number for the reader alone. */
static bool
compare_struct (Node *n, const bt_field_class *class)
{
  uint64_t count = class ? bt_field_class_structure_get_member_count (class) : 0, at = 0;

  for (uint32_t i = 0; i < n->n_members; i++) {
    NodeMember *m = &n->members[i];
    const bt_field_class_structure_member *theirs = at < count ? bt_field_class_structure_borrow_member_by_index_const (
                                                        class, at)
                                                               : NULL;
    const char *shown = theirs ? bt_field_class_structure_member_get_name (theirs) : NULL;
    if (shown && (strcmp (shown, m->name) == 0 || strcmp (shown, layout_name (m->name)) == 0)) {
      m->shown = shown;
      at++;
      if (!compare_node (m->node, bt_field_class_structure_member_borrow_field_class_const (theirs)))
        return false;
    } else if (m->node->is != NODE_INT || (!m->node->clock && m->node->means == MEANS_NOTHING)) {
      return false;
    }
  }
  return at == count;
}

static bool
compare_choices (Node *n, const bt_field_class *class)
{
  bool same = bt_field_class_variant_get_option_count (class) == n->n_members;

  for (uint32_t i = 0; same && i < n->n_members; i++) {
    NodeMember *m = &n->members[i];
    const bt_field_class_variant_option *theirs = bt_field_class_variant_borrow_option_by_index_const (class, i);
    const char *name = bt_field_class_variant_option_get_name (theirs);
    m->shown = name;
    same = name && (strcmp (name, m->name) == 0 || strcmp (name, layout_name (m->name)) == 0)
           && compare_node (m->node, bt_field_class_variant_option_borrow_field_class_const (theirs));
  }
  return same;
}

static bool
compare_elements (const Node *n, bt_field_class_type type, const bt_field_class *class)
{
  bt_field_class_type as = n->is == NODE_ARRAY ? BT_FIELD_CLASS_TYPE_STATIC_ARRAY : BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY;

  if (node_is_letters (n))
    return type == BT_FIELD_CLASS_TYPE_STRING;
  return bt_field_class_type_is (type, as)
         && (n->is != NODE_ARRAY || bt_field_class_array_static_get_length (class) == n->length)
         && compare_node (n->element, bt_field_class_array_borrow_element_field_class_const (class));
}

static bool
compare_node (Node *n, const bt_field_class *class)
{
  bt_field_class_type type = bt_field_class_get_type (class);

  n->class = class;
  switch (n->is) {
  case NODE_INT:
    return compare_int (n, type, class);
  case NODE_REAL:
    return type
           == (n->size == 32 ? BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL : BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL);
  case NODE_TEXT:
    return type == BT_FIELD_CLASS_TYPE_STRING;
  case NODE_STRUCT:
    return type == BT_FIELD_CLASS_TYPE_STRUCTURE && compare_struct (n, class);
  case NODE_VARIANT:
    return bt_field_class_type_is (type, BT_FIELD_CLASS_TYPE_VARIANT) && compare_choices (n, class);
  default:
    return compare_elements (n, type, class);
  }
}

/* Finds what chooses which member of a variant. */
static bool
settle_choices (Layout *l, Node *variant)
{
  GArray *choices = g_array_new (FALSE, FALSE, sizeof (NodeChoice));

  g_ptr_array_add (l->ranges, choices);
  l->n_compared += (uint64_t) variant->n_members * variant->by->ranges->len;
  if (l->n_compared > MOST_COMPARED)
    return false;
  for (uint32_t i = 0; i < variant->n_members; i++)
    for (guint k = 0; k < variant->by->ranges->len; k++) {
      const NodeRange *r = &g_array_index (variant->by->ranges, NodeRange, k);
      NodeChoice c = { r->low, r->high, i };
      if (strcmp (r->label, variant->members[i].name) == 0)
        g_array_append_val (choices, c);
    }
  variant->choices = choices;
  return choices->len <= MOST_CHOICES;
}

/* What lengths and choices are told by.  False: by nothing that is beside them, or by no number that can. */
static bool
settle (Layout *l, Node *n, const NodeMember *beside)
{
  bool is_sequence = n->is == NODE_SEQUENCE, is_variant = n->is == NODE_VARIANT;

  if (is_sequence || is_variant) {
    n->by = beside && n->ref != NODE_NO_REF ? beside[n->ref].node : NULL;
    if (!n->by || (is_sequence && n->by->has_sign) || (is_variant && !n->by->ranges))
      return false;
    if (is_variant && !settle_choices (l, n))
      return false;
  }
  for (uint32_t i = 0; i < n->n_members; i++)
    if (!settle (l, n->members[i].node, is_variant ? NULL : n->members))
      return false;
  return !n->element || settle (l, n->element, NULL);
}

/* A structure of events; `class`: what the library has of it, or NULL. */
static bool
settle_scope (Layout *l, Node *n, const bt_field_class *class)
{
  if (!n || (class && bt_field_class_get_type (class) != BT_FIELD_CLASS_TYPE_STRUCTURE))
    return !n && !class;
  n->class = class;
  return settle (l, n, NULL) && compare_struct (n, class);
}

/* What fields of headers mean, by their names: at the top, or anywhere. */
typedef struct Meaning {
  const char *name;
  NodeMeans means;
} Meaning;

static void
give_meanings (Node *n, const Meaning *meanings, size_t count)
{
  for (uint32_t i = 0; n && i < n->n_members; i++)
    for (size_t k = 0; k < count; k++) {
      Node *member = n->members[i].node;
      if (member->is == NODE_INT && !member->has_sign
          && strcmp (layout_name (n->members[i].name), meanings[k].name) == 0)
        member->means = meanings[k].means;
    }
}

/* The header of events has its id and its date also in what a variant has in it. */
static void
give_header (Node *n)
{
  static const Meaning meanings[] = { { "id", MEANS_EVENT } };

  if (n->is == NODE_STRUCT)
    give_meanings (n, meanings, G_N_ELEMENTS (meanings));
  for (uint32_t i = 0; i < n->n_members; i++) {
    Node *member = n->members[i].node;
    if (member->is == NODE_INT && !member->has_sign && strcmp (layout_name (n->members[i].name), "timestamp") == 0)
      member->clock = true;
    give_header (member);
  }
}

static bool
has_lengths (const Node *n)
{
  bool has = n->is == NODE_SEQUENCE || n->is == NODE_VARIANT;

  for (uint32_t i = 0; !has && i < n->n_members; i++)
    has = has_lengths (n->members[i].node);
  return has || (n->element && has_lengths (n->element));
}

/* What the context of a packet tells of it. */
static bool
settle_packet (Layout *l, LayoutStream *s, const bt_stream_class *class)
{
  static const Meaning meanings[] = { { "timestamp_begin", MEANS_BEGIN },      { "timestamp_end", MEANS_END },
                                      { "content_size", MEANS_CONTENT },       { "packet_size", MEANS_PACKET },
                                      { "events_discarded", MEANS_DISCARDED }, { "packet_seq_num", MEANS_SEQUENCE } };

  if (!s->packet || has_lengths (s->packet))
    return false;
  give_meanings (s->packet, meanings, G_N_ELEMENTS (meanings));
  for (uint32_t i = 0; i < s->packet->n_members; i++) {
    Node *n = s->packet->members[i].node;
    if (n->means == MEANS_BEGIN)
      n->clock = true;
    else if (n->means == MEANS_END)
      n->clock = false; /* it is set when the packet ends */
  }
  return bt_stream_class_supports_packets (class)
         && settle_scope (l, s->packet, bt_stream_class_borrow_packet_context_field_class_const (class));
}

bool
ctf_settle_stream (Layout *l, LayoutStream *s, const bt_stream_class *class)
{
  if (s->compared)
    return true;
  if (!s->header || !settle (l, s->header, NULL))
    return false;
  give_header (s->header);
  s->compared = settle_packet (l, s, class)
                && settle_scope (l, s->context, bt_stream_class_borrow_event_common_context_field_class_const (class));
  return s->compared;
}

bool
ctf_settle_header (Layout *l, Node *n)
{
  static const Meaning meanings[] = { { "magic", MEANS_MAGIC },
                                      { "stream_id", MEANS_STREAM },
                                      { "stream_instance_id", MEANS_INSTANCE } };

  if (!n || !settle (l, n, NULL))
    return !n;
  give_meanings (n, meanings, G_N_ELEMENTS (meanings));
  for (uint32_t i = 0; i < n->n_members; i++) {
    Node *member = n->members[i].node;
    if (strcmp (layout_name (n->members[i].name), "uuid") != 0)
      continue;
    member->is_uuid = member->is == NODE_ARRAY && member->length == 16 && member->element->is == NODE_INT
                      && member->element->size == 8 && member->element->align == 8;
    if (!member->is_uuid)
      return false;
  }
  return true;
}

bool
ctf_settle_event (Layout *l, LayoutEvent *e, const bt_stream_class *stream)
{
  const bt_event_class *class = bt_stream_class_borrow_event_class_by_id_const (stream, e->id);
  bool same = class && settle_scope (l, e->context, bt_event_class_borrow_specific_context_field_class_const (class))
              && settle_scope (l, e->fields, bt_event_class_borrow_payload_field_class_const (class));

  e->class = same ? class : NULL;
  return same;
}
