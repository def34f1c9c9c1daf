/* SPDX-License-Identifier: Apache-2.0 */
/* dot.c - the program graph in Graphviz's language. */
#include "eve/private.h"
#include <string.h>

/* Text inside a record label: what has a meaning there is escaped. */
static void
append_label (GString *s, const char *text)
{
  for (; *text; text++) {
    if (strchr ("{}|<>\\\" ", *text))
      g_string_append_c (s, '\\');
    g_string_append_c (s, *text);
  }
}

static void
append_ports (GString *s, Node *n, bool outs)
{
  uint32_t count = outs ? n->n_outs : n->n_ins;
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf (s, "%s<%c%u> ", i ? "|" : "", outs ? 'o' : 'i', i);
    append_label (s, outs ? n->outs[i].spec->name : n->ins[i].spec->name);
  }
}

char *
eve_program_dot (const EveProgram *p)
{
  GString *s = g_string_new ("digraph eve {\n  rankdir=LR;\n  node [shape=record, fontname=\"sans-serif\", "
                             "fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9];\n");
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    g_string_append_printf (s, "  n%u [label=\"{{", i);
    append_ports (s, n, false);
    g_string_append (s, "}|");
    append_label (s, n->name);
    g_string_append (s, "\\n");
    append_label (s, eve_class_id (n->self));
    g_string_append (s, "|{");
    append_ports (s, n, true);
    g_string_append_printf (s, "}}\"%s];\n", n->ghost_id ? ", style=dashed" : n->failure ? ", color=red" : "");
  }
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    guint from = 0, to = 0;
    g_ptr_array_find (p->nodes, w->from, &from);
    g_ptr_array_find (p->nodes, w->to, &to);
    if (w->edge)
      g_string_append_printf (s, "  n%u:o%u -> n%u:i%u [color=\"#%06x\"%s];\n", from,
                              (guint) (w->edge->out - w->from->outs), to, (guint) (w->edge->in - w->to->ins),
                              w->edge->out->type ? w->edge->out->type->colour : 0,
                              w->edge->in->spec->arrival == EVE_ASYNC ? ", style=dashed" : "");
    else
      g_string_append_printf (s, "  n%u -> n%u [color=red, style=dotted];\n", from, to);
  }
  g_string_append (s, "}\n");
  return g_string_free (s, FALSE);
}

/* SCOPE_DOT_DIR: a file for each plan. */
void
dot_dump (EveProgram *p, const char *why)
{
  const char *folder = g_getenv ("SCOPE_DOT_DIR");
  if (!folder)
    return;
  static int count;
  g_autofree char *name = g_strdup_printf ("%04d-%s.dot", g_atomic_int_add (&count, 1), why);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = eve_program_dot (p);
  g_autoptr (GError) error = NULL;
  if (!g_file_set_contents (path, text, -1, &error))
    LOG ("plan", 1, "%s", error->message);
}
