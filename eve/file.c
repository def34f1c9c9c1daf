/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - programs as text (docs/program-format.md), read and written with libxml2. */
#include "eve/private.h"
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlwriter.h>
#include <math.h>
#include <string.h>

#define FORMAT_VERSION 1
#define MAX_FILE_BYTES (64u << 20)

struct EveRenames {
  GPtrArray *pairs;             /* name, value, ... */
};

/* ---- old settings on their way through `upgrade` ------------------------------------------------------------------ */
static int
renames_find (EveRenames *s, const char *name)
{
  for (guint i = 0; i + 1 < s->pairs->len; i += 2)
    if (!strcmp (s->pairs->pdata[i], name))
      return (int) i;
  return -1;
}

const char *
eve_renames_get (EveRenames *s, const char *name)
{
  int i = renames_find (s, name);
  return i < 0 ? NULL : s->pairs->pdata[i + 1];
}

void
eve_renames_set (EveRenames *s, const char *name, const char *value)
{
  int i = renames_find (s, name);
  if (i >= 0) {
    g_free (s->pairs->pdata[i + 1]);
    s->pairs->pdata[i + 1] = g_strdup (value);
  } else {
    g_ptr_array_add (s->pairs, g_strdup (name));
    g_ptr_array_add (s->pairs, g_strdup (value));
  }
}

void
eve_renames_move (EveRenames *s, const char *from, const char *to)
{
  int i = renames_find (s, from);
  if (i < 0 || !strcmp (from, to))
    return;
  g_autofree char *value = g_strdup (s->pairs->pdata[i + 1]);
  g_ptr_array_remove_range (s->pairs, (guint) i, 2);
  eve_renames_set (s, to, value);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */
typedef struct Reading {
  EveProgram *p;
  const char *name;             /* of the file, for sentences */
  GPtrArray *problems;
  GHashTable *names;            /* paste: name in the text -> Node */
  bool pasting;
  double dx, dy;
  GPtrArray *added;
} Reading;

static void G_GNUC_PRINTF (3, 4)
problem (Reading *r, const xmlNode *at, const char *fmt, ...)
{
  if (!r->problems)
    return;
  va_list args;
  va_start (args, fmt);
  g_autofree char *what = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_ptr_array_add (r->problems, g_strdup_printf ("%s:%ld: %s", r->name, xmlGetLineNo (at), what));
}

static char *
attribute (const xmlNode *e, const char *name)
{
  xmlChar *value = xmlGetNoNsProp (e, BAD_CAST name);
  char *copy = g_strdup ((char *) value);
  xmlFree (value);
  return copy;
}

static bool
is (const xmlNode *e, const char *name)
{
  return e->type == XML_ELEMENT_NODE && !strcmp ((const char *) e->name, name);
}

static char *
content (const xmlNode *e)
{
  xmlChar *text = xmlNodeGetContent (e);
  char *copy = g_strdup (text ? (char *) text : "");
  xmlFree (text);
  return copy;
}

static double
coordinate (Reading *r, const xmlNode *e, const char *name)
{
  g_autofree char *text = attribute (e, name);
  if (!text)
    return 0;
  char *end;
  double v = g_ascii_strtod (text, &end);
  if (end == text || *end || !isfinite (v) || fabs (v) > 1e6) {
    problem (r, e, "%s='%s' is no position: 0 is taken", name, text);
    return 0;
  }
  return v;
}

static void
read_settings (Reading *r, const xmlNode *e, Node *n, uint16_t version)
{
  EveRenames renames = { n->kept };
  for (const xmlNode *s = e->children; s; s = s->next) {
    if (s->type != XML_ELEMENT_NODE)
      continue;
    g_autofree char *name = is (s, "setting") ? attribute (s, "name") : NULL;
    if (!name) {
      problem (r, s, is (s, "setting") ? "A setting needs a name" : "<%s> has no meaning inside <component>",
               (const char *) s->name);
      continue;
    }
    if (renames_find (&renames, name) >= 0) {
      problem (r, s, "%s has the setting '%s' twice: the first is taken", n->name, name);
      continue;
    }
    g_autofree char *value = content (s);
    eve_renames_set (&renames, name, value);
  }
  if (n->ghost_id)
    return;
  if (version < n->klass->version && n->klass->upgrade) {
    n->in_call = CALL_OTHER;
    bool ok = n->klass->upgrade (n->self, version, &renames);
    n->in_call = CALL_NONE;
    if (!ok)
      problem (r, e, "%s: the settings of version %u could not be brought to version %u: %s", n->name, version,
               n->klass->version, n->failure ? n->failure->str : "no reason was given");
    if (n->failure)
      g_string_free (g_steal_pointer (&n->failure), TRUE);
  } else if (version > n->klass->version) {
    problem (r, e, "%s was saved with version %u of %s, this is version %u: what it does not know is kept as it is",
             n->name, version, n->klass->id, n->klass->version);
  }
  for (guint i = 0; i + 1 < n->kept->len;) {
    const char *name = n->kept->pdata[i];
    g_autoptr (GError) error = NULL;
    if (eve_class_setting (n->klass, name) < 0) {
      problem (r, e, "%s has no setting '%s': it is kept as it is", n->name, name);
      i += 2;
      continue;
    }
    if (!eve_set (n->self, name, n->kept->pdata[i + 1], &error))
      problem (r, e, "%s; the default is taken", error->message);
    g_ptr_array_remove_range (n->kept, i, 2);
  }
}

static void
read_component (Reading *r, const xmlNode *e)
{
  g_autofree char *name = attribute (e, "name"), *id = attribute (e, "class");
  g_autofree char *version_text = attribute (e, "version");
  if (!name || !id) {
    problem (r, e, "A component needs a name and a class: this one is left out");
    return;
  }
  if (g_hash_table_contains (r->names, name)) {
    problem (r, e, "There is a component called '%s' already: this one is left out, and its wires go to the first",
             name);
    return;
  }
  guint64 version = version_text ? g_ascii_strtoull (version_text, NULL, 10) : 1;
  g_autofree char *free_name = r->pasting ? edit_free_name (r->p, name) : g_strdup (name);
  g_autoptr (GError) error = NULL;
  const EveClass *klass = eve_registry_find (id);
  Node *n = edit_add (r->p, klass, klass ? NULL : id, free_name, &error);
  if (!n && klass) {            /* its init failed: a ghost keeps what was saved */
    problem (r, e, "%s: %s", name, error->message);
    g_clear_error (&error);
    n = edit_add (r->p, NULL, id, free_name, &error);
  } else if (!klass) {
    problem (r, e, "There is no component of class '%s': %s is kept as a ghost", id, name);
  }
  if (!n) {
    problem (r, e, "%s: %s", name, error->message);
    return;
  }
  n->saved_version = (uint16_t) MIN (version, G_MAXUINT16);
  n->x = coordinate (r, e, "x") + r->dx;
  n->y = coordinate (r, e, "y") + r->dy;
  g_hash_table_insert (r->names, g_strdup (name), n);
  if (r->added)
    g_ptr_array_add (r->added, n->self);
  read_settings (r, e, n, n->saved_version);
}

static void
read_wire (Reading *r, const xmlNode *e)
{
  g_autofree char *from = attribute (e, "from"), *out = attribute (e, "out");
  g_autofree char *to = attribute (e, "to"), *in = attribute (e, "in");
  if (!from || !out || !to || !in) {
    problem (r, e, "A wire needs from, out, to and in: this one is left out");
    return;
  }
  Node *a = g_hash_table_lookup (r->names, from), *b = g_hash_table_lookup (r->names, to);
  if (!a || !b) {
    problem (r, e, "There is no component called '%s': the wire is left out", a ? to : from);
    return;
  }
  for (guint i = 0; i < r->p->wires->len; i++) {
    const Wire *w = r->p->wires->pdata[i];
    if (w->from == a && w->to == b && !strcmp (w->out, out) && !strcmp (w->in, in)) {
      problem (r, e, "%s.%s feeds %s.%s already: the second wire is left out", from, out, to, in);
      return;
    }
  }
  g_autofree char *sentence = edit_attach (r->p, edit_wire (r->p, a, out, b, in));
  if (sentence)
    problem (r, e, "%s: the wire is kept, but carries nothing", sentence);
}

static void
read_note (Reading *r, const xmlNode *e)
{
  g_autofree char *name = attribute (e, "name"), *text = content (e);

  if (!name || !*name)
    problem (r, e, "a note needs a name: it is left out");
  else
    eve_program_set_note (r->p, name, text);
}

static void
read_tree (Reading *r, const xmlNode *eve)
{
  /* wires may stand before the components they name */
  for (const xmlNode *e = eve->children; e; e = e->next) {
    if (is (e, "component"))
      read_component (r, e);
    else if (is (e, "title") && !r->pasting && !r->p->title)
      r->p->title = content (e);
    else if (is (e, "doc") && !r->pasting && !r->p->doc)
      r->p->doc = content (e);
    else if (is (e, "note") && !r->pasting)
      read_note (r, e);
    else if (e->type == XML_ELEMENT_NODE && !is (e, "wire"))
      problem (r, e, "<%s> has no meaning here: it is left out", (const char *) e->name);
  }
  for (const xmlNode *e = eve->children; e; e = e->next)
    if (is (e, "wire"))
      read_wire (r, e);
}

static void
silent (void *arg, const char *fmt, ...)
{
}

static bool
parse (Reading *r, const char *text, gssize len, GError **error)
{
  if (len < 0)
    len = (gssize) strlen (text);
  if (len > MAX_FILE_BYTES) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "%s is too large for a program: %" G_GSSIZE_FORMAT " MB",
                 r->name, len >> 20);
    return false;
  }
  /* some messages of the library, of its decoders above all, do not go through the context */
  xmlSetGenericErrorFunc (NULL, silent);
  xmlParserCtxt *context = xmlNewParserCtxt ();
  context->sax->warning = context->sax->error = silent;
  context->vctxt.error = context->vctxt.warning = silent;
  xmlDoc *doc = xmlCtxtReadMemory (context, text, (int) len, r->name, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR
                                   | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
  bool ok = false;
  const xmlNode *root = doc ? xmlDocGetRootElement (doc) : NULL;
  const xmlError *why = xmlCtxtGetLastError (context);
  g_autofree char *version = root ? attribute (root, "version") : NULL;
  if (doc && (doc->intSubset || doc->extSubset))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE,
                 "%s has a document type declaration, which programs may not have: take it out", r->name);
  else if (!root && why && why->message) {
    g_autofree char *what = g_utf8_make_valid (why->message, (gssize) strcspn (why->message, "\n"));
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "%s:%d:%d is not XML: %s", r->name, why->line, why->int2, what);
  } else if (!root)
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "%s is empty: it is no program", r->name);
  else if (!is (root, "eve"))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "%s:%ld is no program: it begins with <%s>, not <eve>", r->name,
                 xmlGetLineNo (root), (const char *) root->name);
  else if (!version || strcmp (version, "1"))
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "%s:%ld is written in version %s of the format, this Scope reads %d",
                 r->name, xmlGetLineNo (root), version ? version : "(none)", FORMAT_VERSION);
  else {
    read_tree (r, root);
    ok = true;
  }
  xmlFreeDoc (doc);
  xmlFreeParserCtxt (context);
  xmlSetGenericErrorFunc (NULL, NULL);
  return ok;
}

static bool
read_text (Reading *r, const char *text, gssize len, GError **error)
{
  r->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  bool ok = parse (r, text, len, error);
  g_hash_table_unref (r->names);
  return ok;
}

EveProgram *
eve_program_parse (const char *text, gssize len, const char *name, GPtrArray *problems, GError **error)
{
  EveProgram *p = eve_program_new ();
  Reading r = { .p = p, .name = name, .problems = problems };
  if (!read_text (&r, text, len, error)) {
    eve_program_free (p);
    return NULL;
  }
  return p;
}

EveProgram *
eve_program_load (const char *path, GPtrArray *problems, GError **error)
{
  g_autofree char *text = NULL, *shown = g_filename_display_name (path);
  gsize len;
  g_autoptr (GError) cause = NULL;
  if (!g_file_get_contents (path, &text, &len, &cause)) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "The program %s cannot be read: %s", shown,
                 g_strerror (cause->code == G_FILE_ERROR_NOENT ? 2 : cause->code == G_FILE_ERROR_ACCES ? 13
                             : cause->code == G_FILE_ERROR_ISDIR ? 21 : 5));
    return NULL;
  }
  EveProgram *p = eve_program_parse (text, (gssize) len, shown, problems, error);
  if (p)
    eve_program_set_file (p, path);
  return p;
}

void
eve_program_set_file (EveProgram *p, const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL);

  g_free (p->folder);
  p->folder = g_path_get_dirname (full);
}

bool
eve_paste (EveProgram *p, const char *text, double dx_px, double dy_px, GPtrArray *added, GPtrArray *problems,
           GError **error)
{
  if (p->calls) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, "The program cannot be edited inside a firing: use eve_post()");
    return false;
  }
  Reading r = { .p = p, .name = "clipboard", .problems = problems, .pasting = true, .dx = dx_px, .dy = dy_px,
                .added = added };
  return read_text (&r, text, -1, error);
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */
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

/* XML cannot hold control characters, nor text that is not UTF-8: they are replaced. */
static char *
printable (const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);
  for (char *c = valid; *c; c++)
    if ((unsigned char) *c < 0x20 && !strchr ("\t\n\r", *c))
      *c = ' ';
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

static char *
write_text (EveProgram *p, Node **nodes, uint32_t n_nodes, bool heading)
{
  xmlBuffer *buffer = xmlBufferCreate ();
  xmlTextWriter *w = xmlNewTextWriterMemory (buffer, 0);
  xmlTextWriterSetIndent (w, 1);
  xmlTextWriterSetIndentString (w, BAD_CAST "  ");
  xmlTextWriterStartDocument (w, NULL, "UTF-8", NULL);
  xmlTextWriterStartElement (w, BAD_CAST "eve");
  write_attribute (w, "version", G_STRINGIFY (FORMAT_VERSION));
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
    if (!g_hash_table_contains (chosen, wire->from) || !g_hash_table_contains (chosen, wire->to))
      continue;
    xmlTextWriterStartElement (w, BAD_CAST "wire");
    write_attribute (w, "from", wire->from->name);
    write_attribute (w, "out", wire->out);
    write_attribute (w, "to", wire->to->name);
    write_attribute (w, "in", wire->in);
    xmlTextWriterEndElement (w);
  }
  xmlTextWriterEndDocument (w);
  xmlFreeTextWriter (w);
  char *text = g_strdup ((char *) xmlBufferContent (buffer));
  xmlBufferFree (buffer);
  return text;
}

char *
eve_program_text (EveProgram *p)
{
  return write_text (p, (Node **) p->nodes->pdata, p->nodes->len, true);
}

char *
eve_copy (EveProgram *p, EveComponent *const *which, uint32_t n)
{
  g_autofree Node **nodes = g_new (Node *, n + 1);
  for (uint32_t i = 0; i < n; i++)
    nodes[i] = node_of (which[i]);
  return write_text (p, nodes, n, false);
}

bool
eve_program_save (EveProgram *p, const char *path, GError **error)
{
  g_autofree char *text = eve_program_text (p), *shown = g_filename_display_name (path);
  g_autoptr (GError) cause = NULL;
  if (!g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                                 &cause)) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_FILE, "The program cannot be saved as %s: %s", shown, cause->message);
    return false;
  }
  eve_program_set_file (p, path);
  return true;
}
