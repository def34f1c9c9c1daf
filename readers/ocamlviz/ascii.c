/* SPDX-License-Identifier: Apache-2.0 */
/* ascii.c - the whole state, in the words of the text client of Ocamlviz: by kind, and there in the order of tags. */
#include "eve/visible.h"
#include "readers/ocamlviz/decode.h"

#define MOST_LINES 100000 /* of a tree, whose shared parts are written as often as they are used */

static const char *const kind_names[OVZ_N_KINDS] = { "Point",      "Time",         "Value_int", "Value_float",
                                                     "Value_bool", "Value_string", "Tag_count", "Tag_size",
                                                     "Special",    "Tree",         "Hash",      "Log" };
/* As they follow each other there. */
static const uint8_t order[] = { OVZ_POINT,     OVZ_TIME,        OVZ_TAG_COUNT,    OVZ_TAG_SIZE,
                                 OVZ_VALUE_INT, OVZ_VALUE_FLOAT, OVZ_VALUE_STRING, OVZ_VALUE_BOOL,
                                 OVZ_TREE,      OVZ_HASH,        OVZ_LOG };

typedef struct Print {
  const Ovz *stream;
  GString *to;
  uint8_t kind;
  bool begun;
  int64_t memory[2]; /* total, alive; -1: nobody knows */
} Print;

/* A name, a text: on one line, so that nothing in it looks like a line of ours. */
static void
ascii_put_bytes (const char *bytes, size_t n, GString *to)
{
  g_autofree char *line = visible_line (bytes, n);

  g_string_append_len (to, line ? line : bytes, line ? -1 : (gssize) n);
}

/* As OCaml writes a real number. */
static void
put_real (double v, GString *to)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (v != v) {
    g_string_append (to, "nan");
    return;
  }
  if (v - v != 0) {
    g_string_append (to, v > 0 ? "inf" : "-inf");
    return;
  }
  g_ascii_formatd (text, sizeof text, "%.12g", v);
  g_string_append (to, text);
  if (text[strspn (text, "-0123456789")] == '\0')
    g_string_append_c (to, '.');
}

static void
ascii_put_node (const ValueTreeNode *node, guint depth, GString *to)
{
  g_string_append_printf (to, "%*s-", (int) (2 + 3 * MIN (depth, 10000)), "");
  ascii_put_bytes (node->label, node->n_label, to);
  g_string_append_c (to, '\n');
}

static void
ascii_put_tree (const OvzValue *v, GString *to)
{
  uint32_t n;
  g_autofree ValueTreeNode *nodes = value_tree_nodes (v->bytes, v->n, &n);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (uint64_t)); /* node << 32 | next child */
  uint64_t top = (uint64_t) (n - 1) << 32;
  guint lines = 1;

  g_string_append_c (to, '\n');
  if (n > 0) {
    ascii_put_node (&nodes[n - 1], 0, to);
    g_array_append_val (stack, top);
  }
  while (stack->len > 0 && lines < MOST_LINES) {
    uint64_t *at = &g_array_index (stack, uint64_t, stack->len - 1);
    const ValueTreeNode *node = &nodes[*at >> 32];
    if ((uint32_t) *at == node->n_children) {
      g_array_set_size (stack, stack->len - 1);
      continue;
    }
    uint32_t child = value_tree_child (node, (uint32_t) *at);
    ++*at;
    uint64_t below = (uint64_t) child << 32;
    ascii_put_node (&nodes[child], stack->len, to);
    lines++;
    g_array_append_val (stack, below);
  }
  g_string_append (to, stack->len > 0 ? "  ...\n\n" : "\n");
}

static void
put_log (const Ovz *o, GString *to)
{
  const GQueue *lines = ovz_lines (o);

  g_string_append (to, lines->length > 0 ? "Log\n" : "No_value");
  for (const GList *l = lines->head; l; l = l->next) {
    ascii_put_bytes (l->data, strlen (l->data), to);
    g_string_append (to, " \n");
  }
}

static void
ascii_put_value (const OvzValue *v, GString *to)
{
  switch (v->type) {
  case OVZ_IS_FLOAT:
    g_string_append (to, "Float ");
    put_real (v->real, to);
    break;
  case OVZ_IS_STRING:
    g_string_append (to, "String ");
    ascii_put_bytes ((const char *) v->bytes, v->n, to);
    break;
  case OVZ_IS_BOOL:
    g_string_append_printf (to, "Bool %s", v->i[0] ? "true" : "false");
    break;
  case OVZ_IS_TREE:
    ascii_put_tree (v, to);
    break;
  case OVZ_IS_HASH:
    g_string_append_printf (
        to, "Hashtable (%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " )", v->i[0],
        v->i[1], v->i[2], v->i[3]);
    break;
  default:
    g_string_append_printf (to, "Int %" G_GINT64_FORMAT, v->i[0]);
  }
}

static void
ascii_put_item (void *arg, const OvzItem *item)
{
  Print *p = arg;

  if (item->kind != p->kind)
    return;
  if (!p->begun)
    g_string_append_printf (p->to, "%s:\n", kind_names[p->kind]);
  p->begun = true;
  g_string_append_printf (p->to, "{id:%u name:", item->tag);
  ascii_put_bytes (item->name, item->n_name, p->to);
  g_string_append_printf (p->to, " t:%f value:", item->date);
  if (item->kind == OVZ_LOG)
    put_log (p->stream, p->to);
  else if (item->collected)
    g_string_append (p->to, "Collected");
  else if (item->value)
    ascii_put_value (item->value, p->to);
  else
    g_string_append (p->to, "No_value");
  bool closes = item->kind == OVZ_LOG && ovz_lines (p->stream)->length > 0; /* behind a line feed */
  g_string_append_printf (p->to, "%sstatus:%s }\n", closes ? "" : " ",
                          item->killed      ? "killed"
                          : item->collected ? "collected"
                                            : "active");
}

static void
get_memory (void *arg, const OvzItem *item)
{
  if (item->kind == OVZ_SPECIAL && item->tag <= 1 && item->value)
    ((Print *) arg)->memory[item->tag] = item->value->i[0];
}

void
ovz_print (const Ovz *o, GString *to)
{
  Print p = { .stream = o, .to = to, .memory = { 0, 0 } };

  ovz_each (o, get_memory, &p);
  g_string_append_printf (
      to, "\nGC:\n\nsize:%" G_GINT64_FORMAT "\nalive:%" G_GINT64_FORMAT "\nmax_size:%" G_GINT64_FORMAT "\n\n",
      p.memory[0], p.memory[1], ovz_heap_most (o));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    p.kind = order[i];
    p.begun = false;
    ovz_each (o, ascii_put_item, &p);
    if (p.begun)
      g_string_append_c (to, '\n');
  }
  g_string_append (to, "#######################################\n");
}
