/* SPDX-License-Identifier: Apache-2.0 */
/* file-write.c - programs, and parts of them, as text (docs/program-format.md), written with libxml2. */
#include "eve/private.h"
#include "eve/words.h"
#include "eve/visible.h"
#include <libxml/xmlwriter.h>
#include <string.h>

static void
write_attribute (xmlTextWriter *w, const char *name, const char *value)
{
  xmlTextWriterWriteAttribute (w, BAD_CAST name, BAD_CAST value);
}

static void
write_number (xmlTextWriter *w, const char *name, double value)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  write_attribute (w, name, g_ascii_formatd (buf, sizeof buf, "%.10g", value));
}

/* XML cannot hold control characters and some others, nor text that is not UTF-8: they are replaced. */
static char *
printable (const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);
  for (char *c = valid, *next; *c; c = next) {
    next = g_utf8_next_char (c);
    if (!visible_in_xml (g_utf8_get_char (c)))
      memset (c, ' ', (size_t) (next - c));
  }
  return valid;
}

static void
write_setting (xmlTextWriter *w, const char *name, const char *value)
{
  g_autofree char *text = printable (value);
  xmlTextWriterStartElement (w, BAD_CAST "setting");
  write_attribute (w, "name", name);
  xmlTextWriterWriteString (w, BAD_CAST text);
  xmlTextWriterEndElement (w);
}

static void
write_component (xmlTextWriter *w, Node *n)
{
  char version[8];
  xmlTextWriterStartElement (w, BAD_CAST "component");
  write_attribute (w, "name", n->name);
  write_attribute (w, "class", eve_class_id (n->self));
  g_snprintf (version, sizeof version, "%u", n->ghost_id ? n->saved_version : n->klass->version);
  write_attribute (w, "version", version);
  write_number (w, "x", n->x);
  write_number (w, "y", n->y);
  if (n->use != EVE_WORKS)
    write_attribute (w, "use", eve_use_name (n->use));
  for (uint32_t i = 0; i < n->klass->n_settings; i++) {
    const EveField *f = &n->klass->settings[i];
    const void *at = (char *) n->self + f->offset;
    if (field_is_default (f, at))
      continue;
    g_autofree char *text = eve_field_text (f, at);
    write_setting (w, f->name, text);
  }
  for (guint i = 0; i + 1 < n->kept->len; i += 2)
    write_setting (w, n->kept->pdata[i], n->kept->pdata[i + 1]);
  xmlTextWriterEndElement (w);
}

static gboolean
write_note (void *name, void *value, void *writer)
{
  xmlTextWriter *w = writer;
  g_autofree char *text = printable (value);

  xmlTextWriterStartElement (w, BAD_CAST "note");
  write_attribute (w, "name", name);
  xmlTextWriterWriteString (w, BAD_CAST text);
  xmlTextWriterEndElement (w);
  return FALSE;
}

static void
write_wire (xmlTextWriter *w, const char *const end[4])
{
  static const char *const names[] = { "from", "out", "to", "in" };
  xmlTextWriterStartElement (w, BAD_CAST "wire");
  for (int i = 0; i < 4; i++)
    write_attribute (w, names[i], end[i]);
  xmlTextWriterEndElement (w);
}

/* Wires to components that are not in the program; of those that are gone too there is nothing to write. */
static void
write_outer (xmlTextWriter *w, EveProgram *p, GHashTable *chosen)
{
  for (guint i = 0; p->outer && i < p->outer->len; i++) {
    g_auto (GStrv) end = edit_outer_ends (p->outer->pdata[i]);
    const Node *from = g_hash_table_lookup (p->by_name, end[0]), *to = g_hash_table_lookup (p->by_name, end[2]);
    if (!from != !to && g_hash_table_contains (chosen, from ? from : to))
      write_wire (w, (const char *const *) end);
  }
}

typedef enum { WRITE_PROGRAM, WRITE_COPY, WRITE_PART } What;

static char *
file_write_text (EveProgram *p, Node **nodes, uint32_t n_nodes, What what)
{
  bool heading = what == WRITE_PROGRAM;
  xmlBuffer *buffer = xmlBufferCreate ();
  xmlTextWriter *w = xmlNewTextWriterMemory (buffer, 0);
  xmlTextWriterSetIndent (w, 1);
  xmlTextWriterSetIndentString (w, BAD_CAST "  ");
  xmlTextWriterStartDocument (w, NULL, "UTF-8", NULL);
  xmlTextWriterStartElement (w, BAD_CAST "eve");
  write_attribute (w, "version", G_STRINGIFY (PROGRAM_FORMAT));
  for (int i = 0; heading && i < 2; i++) {
    g_autofree char *text = printable (i ? (p->doc ? p->doc : "") : p->title ? p->title : "");
    if (*text)
      xmlTextWriterWriteElement (w, BAD_CAST (i ? "doc" : "title"), BAD_CAST text);
  }
  if (heading && p->notes)
    g_tree_foreach (p->notes, write_note, w);
  g_autoptr (GHashTable) chosen = g_hash_table_new (NULL, NULL);
  for (uint32_t i = 0; i < n_nodes; i++) {
    g_hash_table_add (chosen, nodes[i]);
    write_component (w, nodes[i]);
  }
  for (guint i = 0; i < p->wires->len; i++) {
    const Wire *wire = p->wires->pdata[i];
    int n = g_hash_table_contains (chosen, wire->from) + g_hash_table_contains (chosen, wire->to);
    if (n == 2 || (n == 1 && what == WRITE_PART))
      write_wire (w, (const char *const[]){ wire->from->name, wire->out, wire->to->name, wire->in });
  }
  if (what != WRITE_COPY)
    write_outer (w, p, chosen);
  xmlTextWriterEndDocument (w);
  xmlFreeTextWriter (w);
  char *text = g_strdup ((char *) xmlBufferContent (buffer));
  xmlBufferFree (buffer);
  return text;
}

char *
eve_program_text (EveProgram *p)
{
  return file_write_text (p, (Node **) p->nodes->pdata, p->nodes->len, WRITE_PROGRAM);
}

static char *
write_some (EveProgram *p, EveComponent *const *which, uint32_t n, What what)
{
  g_autofree Node **nodes = g_new (Node *, n + 1);
  for (uint32_t i = 0; i < n; i++)
    nodes[i] = node_of (which[i]);
  return file_write_text (p, nodes, n, what);
}

char *
eve_copy (EveProgram *p, EveComponent *const *which, uint32_t n)
{
  return write_some (p, which, n, WRITE_COPY);
}

char *
eve_part (EveProgram *p, EveComponent *const *which, uint32_t n)
{
  return write_some (p, which, n, WRITE_PART);
}

bool
eve_program_save (EveProgram *p, const char *path, GError **error)
{
  g_autofree char *text = eve_program_text (p), *shown = g_filename_display_name (path);
  g_autoptr (GError) cause = NULL;
  if (!g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                                 &cause)) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, _ ("The program cannot be saved as %s: %s"), shown, cause->message);
    return false;
  }
  eve_program_set_file (p, path);
  program_set_content (p, text, -1);
  return true;
}
