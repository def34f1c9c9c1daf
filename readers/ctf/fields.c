/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - the fields of CTF events: what is whole, real or text is kept as such, structures member by member, all
 * else as text. */
#include <string.h>

#include "readers/ctf/ctf.h"
#include "eve/words.h"

const bt_field_class *
ctf_scope_class (const bt_event_class *class, Scope scope)
{
  const bt_stream_class *s = bt_event_class_borrow_stream_class_const (class);

  switch (scope) {
  case IN_PACKET:
    return bt_stream_class_supports_packets (s) ? bt_stream_class_borrow_packet_context_field_class_const (s) : NULL;
  case IN_COMMON:
    return bt_stream_class_borrow_event_common_context_field_class_const (s);
  case IN_SPECIFIC:
    return bt_event_class_borrow_specific_context_field_class_const (class);
  case IN_PAYLOAD:
    return bt_event_class_borrow_payload_field_class_const (class);
  default:
    return NULL;
  }
}

static bool
fields_is (bt_field_class_type type, bt_field_class_type of)
{
  return bt_field_class_type_is (type, of);
}

static uint32_t
list_members (const bt_field_class *of, const char *prefix, int depth, TraceField *to, uint32_t n, uint32_t most,
              GPtrArray *keep)
{
  uint64_t members = bt_field_class_structure_get_member_count (of);

  for (uint64_t i = 0; i < members && n < most; i++) {
    const bt_field_class_structure_member *m = bt_field_class_structure_borrow_member_by_index_const (of, i);
    const bt_field_class *class = bt_field_class_structure_member_borrow_field_class_const (m);
    bt_field_class_type type = bt_field_class_get_type (class);
    char *name = g_strconcat (prefix, bt_field_class_structure_member_get_name (m), NULL);
    g_ptr_array_add (keep, name);
    if (type == BT_FIELD_CLASS_TYPE_STRUCTURE && depth < DEEPEST) {
      g_autofree char *inner = g_strconcat (name, ".", NULL);
      n = list_members (class, inner, depth + 1, to, n, most, keep);
    } else {
      bool number = (fields_is (type, BT_FIELD_CLASS_TYPE_INTEGER)
                     && !fields_is (type, BT_FIELD_CLASS_TYPE_ENUMERATION))
                    || fields_is (type, BT_FIELD_CLASS_TYPE_REAL) || fields_is (type, BT_FIELD_CLASS_TYPE_BOOL);
      to[n++] = (TraceField){ name, number ? TRACE_ROLE_INT : TRACE_ROLE_WORD, NULL };
    }
  }
  return n;
}

uint32_t
ctf_list_fields (const bt_event_class *class, TraceField *to, uint32_t most, GPtrArray *keep)
{
  uint32_t n = 0;

  for (Scope s = 0; s < N_SCOPES; s++) {
    const bt_field_class *top = ctf_scope_class (class, s);
    if (top && bt_field_class_get_type (top) == BT_FIELD_CLASS_TYPE_STRUCTURE)
      n = list_members (top, "", 0, to, n, most, keep);
  }
  return n;
}

/* ---- as text ------------------------------------------------------------------------------------------------------------- */

static void fields_put_text (GString *to, const bt_field *f, int depth);

static void
put_enumeration (GString *to, const bt_field_class *class, int64_t v)
{
  bt_field_class_enumeration_mapping_label_array labels = NULL;
  bool has_sign = fields_is (bt_field_class_get_type (class), BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
  uint64_t n = 0;

  if (has_sign)
    bt_field_class_enumeration_signed_get_mapping_labels_for_value (class, v, &labels, &n);
  else
    bt_field_class_enumeration_unsigned_get_mapping_labels_for_value (class, (uint64_t) v, &labels, &n);
  if (n > 0)
    g_string_append (to, labels[0]);
  else if (has_sign)
    g_string_append_printf (to, "%" G_GINT64_FORMAT, v);
  else
    g_string_append_printf (to, "%" G_GUINT64_FORMAT, (uint64_t) v);
}

/* A whole number, of an enumeration too; one without a sign is a uint64_t. */
void
ctf_put_whole (GString *to, const bt_field_class *class, int64_t v)
{
  bt_field_class_type type = bt_field_class_get_type (class);

  if (fields_is (type, BT_FIELD_CLASS_TYPE_ENUMERATION))
    put_enumeration (to, class, v);
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
    g_string_append_printf (to, "%" G_GINT64_FORMAT, v);
  else if (bt_field_class_integer_get_preferred_display_base (class)
           == BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL)
    g_string_append_printf (to, "0x%" G_GINT64_MODIFIER "x", (uint64_t) v);
  else
    g_string_append_printf (to, "%" G_GUINT64_FORMAT, (uint64_t) v);
}

void
ctf_put_real (GString *to, double v)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (to, g_ascii_dtostr (digits, sizeof digits, v));
}

static void
put_members (GString *to, const bt_field *f, int depth)
{
  const bt_field_class *class = bt_field_borrow_class_const (f);
  uint64_t n = bt_field_class_structure_get_member_count (class);

  g_string_append_c (to, '{');
  for (uint64_t i = 0; i < n && to->len < LONGEST_TEXT; i++) {
    const bt_field_class_structure_member *m = bt_field_class_structure_borrow_member_by_index_const (class, i);
    g_string_append_printf (to, "%s%s = ", i > 0 ? ", " : "", bt_field_class_structure_member_get_name (m));
    fields_put_text (to, bt_field_structure_borrow_member_field_by_index_const (f, i), depth + 1);
  }
  g_string_append_c (to, '}');
}

static void
put_elements (GString *to, const bt_field *f, int depth)
{
  uint64_t n = bt_field_array_get_length (f);

  g_string_append_c (to, '[');
  for (uint64_t i = 0; i < n; i++) {
    if (to->len >= LONGEST_TEXT) {
      g_string_append_printf (to, ", ... %" PRIu64 " in all", n);
      break;
    }
    g_string_append (to, i > 0 ? ", " : "");
    fields_put_text (to, bt_field_array_borrow_element_field_by_index_const (f, i), depth + 1);
  }
  g_string_append_c (to, ']');
}

static void
fields_put_number (GString *to, const bt_field *f, bt_field_class_type type)
{
  if (fields_is (type, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
    ctf_put_real (to, (double) bt_field_real_single_precision_get_value (f));
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_REAL))
    ctf_put_real (to, bt_field_real_double_precision_get_value (f));
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
    ctf_put_whole (to, bt_field_borrow_class_const (f), bt_field_integer_signed_get_value (f));
  else
    ctf_put_whole (to, bt_field_borrow_class_const (f), (int64_t) bt_field_integer_unsigned_get_value (f));
}

static void
fields_put_text (GString *to, const bt_field *f, int depth)
{
  bt_field_class_type type = bt_field_get_class_type (f);

  if (depth > DEEPEST || to->len > LONGEST_TEXT)
    g_string_append (to, "...");
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_BOOL))
    g_string_append (to, bt_field_bool_get_value (f) ? "true" : "false");
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_BIT_ARRAY))
    g_string_append_printf (to, "0x%" G_GINT64_MODIFIER "x", bt_field_bit_array_get_value_as_integer (f));
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_STRING))
    /* as long as it is: of one that is empty the library leaves the text that was there before */
    g_string_append_len (to, bt_field_string_get_value (f), (gssize) bt_field_string_get_length (f));
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_STRUCTURE))
    put_members (to, f, depth);
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_ARRAY))
    put_elements (to, f, depth);
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_VARIANT))
    fields_put_text (to, bt_field_variant_borrow_selected_option_field_const (f), depth + 1);
  else if (fields_is (type, BT_FIELD_CLASS_TYPE_OPTION)) {
    const bt_field *inner = bt_field_option_borrow_field_const (f);
    if (inner)
      fields_put_text (to, inner, depth + 1);
  } else
    fields_put_number (to, f, type);
}

const char *
ctf_text (Ctf *c, const Cell *cell)
{
  if (!cell)
    return "";
  g_string_truncate (c->text, 0);
  if (cell->field)
    fields_put_text (c->text, cell->field, 0);
  else
    ctf_put_cell (c->text, cell);
  if (!g_utf8_validate (c->text->str, -1, NULL)) {
    g_autofree char *valid = g_utf8_make_valid (c->text->str, -1);
    g_string_assign (c->text, valid);
  }
  return c->text->str;
}

bool
ctf_int (const Cell *cell, int64_t *v)
{
  if (!cell || cell->is > CELL_NAMED)
    return false;
  *v = cell->whole;
  return true;
}

/* ---- values of the library ------------------------------------------------------------------------------------------------------- */

void
ctf_take_cell (const bt_field *f, bt_field_class_type type, Cell *to)
{
  to->field = f;
  to->is = CELL_OTHER;
  if (fields_is (type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
    to->whole = bt_field_integer_signed_get_value (f);
    to->is = type == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER ? CELL_INT : CELL_NAMED;
  } else if (fields_is (type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
    to->whole = (int64_t) bt_field_integer_unsigned_get_value (f);
    to->is = type == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER && to->whole >= 0 ? CELL_INT : CELL_NAMED;
  } else if (type == BT_FIELD_CLASS_TYPE_STRING) {
    to->text = bt_field_string_get_value (f);
    to->n = bt_field_string_get_length (f);
    to->is = CELL_TEXT;
  } else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
    to->whole = bt_field_bool_get_value (f);
    to->is = CELL_BOOL;
  } else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
    to->real = (double) bt_field_real_single_precision_get_value (f);
    to->is = CELL_REAL;
  } else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
    to->real = bt_field_real_double_precision_get_value (f);
    to->is = CELL_REAL;
  } else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
    to->is = CELL_STRUCT;
  }
}

void
ctf_take_cells (Ctf *c, const Class *k, const bt_field *const *fields, const Cell **scopes)
{
  for (Scope s = 0; s < N_SCOPES; s++) {
    const Plan *plan = fields[s] ? k->plans[s] : NULL;
    scopes[s] = NULL;
    if (!plan)
      continue;
    if (plan->n >= c->room[s]) {
      c->room[s] = plan->n + 16;
      c->cells[s] = g_renew (Cell, c->cells[s], c->room[s]);
    }
    for (uint32_t i = 0; i < plan->n; i++)
      ctf_take_cell (bt_field_structure_borrow_member_field_by_index_const (fields[s], i), plan->types[i],
                     &c->cells[s][i]);
    scopes[s] = c->cells[s];
  }
}

/* ---- into the trace ---------------------------------------------------------------------------------------------------------- */

void
ctf_give_cell (Ctf *c, const Cell *cell)
{
  if (cell->is == CELL_INT || cell->is == CELL_BOOL) {
    converter_int (c->to, cell->whole);
  } else if (cell->is == CELL_TEXT) {
    converter_text (c->to, cell->text, cell->n);
  } else if (cell->is == CELL_REAL) {
    converter_real (c->to, cell->real);
  } else {
    const char *text = ctf_text (c, cell);
    converter_text (c->to, text, strlen (text));
  }
}

static uint32_t
give_members (Ctf *c, const bt_field *of, int depth, uint32_t n)
{
  uint64_t members = bt_field_class_structure_get_member_count (bt_field_borrow_class_const (of));

  for (uint64_t i = 0; i < members && n < MOST_FIELDS; i++) {
    const bt_field *f = bt_field_structure_borrow_member_field_by_index_const (of, i);
    Cell cell;
    ctf_take_cell (f, bt_field_get_class_type (f), &cell);
    if (cell.is == CELL_STRUCT && depth < DEEPEST) {
      n = give_members (c, f, depth + 1, n);
    } else {
      ctf_give_cell (c, &cell);
      n++;
    }
  }
  return n;
}

Plan *
ctf_plan (const bt_event_class *class, Scope scope)
{
  const bt_field_class *top = ctf_scope_class (class, scope);

  if (!top || bt_field_class_get_type (top) != BT_FIELD_CLASS_TYPE_STRUCTURE)
    return NULL;
  uint64_t n = bt_field_class_structure_get_member_count (top);
  Plan *plan = g_malloc0 (sizeof *plan + n * sizeof plan->types[0]);
  plan->is_deep = n > MOST_FIELDS / N_SCOPES;
  for (plan->n = 0; plan->n < n; plan->n++) {
    const bt_field_class *member = bt_field_class_structure_member_borrow_field_class_const (
        bt_field_class_structure_borrow_member_by_index_const (top, plan->n));
    plan->types[plan->n] = bt_field_class_get_type (member);
    plan->is_deep |= plan->types[plan->n] == BT_FIELD_CLASS_TYPE_STRUCTURE;
  }
  return plan;
}

void
ctf_give_fields (Ctf *c, const Class *k, const Cell *const *scopes)
{
  uint32_t n = 0;

  for (Scope s = 0; s < N_SCOPES; s++) {
    const Plan *plan = scopes[s] ? k->plans[s] : NULL;
    for (uint32_t i = 0; plan && i < plan->n && (!plan->is_deep || n < MOST_FIELDS); i++) {
      const Cell *cell = &scopes[s][i];
      if (G_LIKELY (cell->is != CELL_STRUCT)) {
        ctf_give_cell (c, cell);
        n++;
      } else if (cell->field) {
        n = give_members (c, cell->field, 1, n);
      } else {
        n = ctf_give_inner (c, cell, 1, n);
      }
    }
  }
}
