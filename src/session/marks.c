/* SPDX-License-Identifier: Apache-2.0 */
#include "session/marks.h"
#include "eve/words.h"
#include "readers/reader.h"
#include "session/places.h"
#include "eve/disk.h"
#include "eve/visible.h"
#include <errno.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (16u << 20)
#define VERSION "1"
#define VERSION_PLACES "2" /* where a mark holds viewpoints */
#define PLACE_BYTES 500    /* of a view's name, or of a viewpoint */
#define MOST_PLACES 200    /* of a mark: each is looked for among those before it */

static void
place_free (void *place)
{
  g_free (((MarkPlace *) place)->view);
  g_free (((MarkPlace *) place)->place);
  g_free (place);
}

static void
mark_free (void *mark)
{
  Mark *m = mark;

  g_free (m->name);
  g_free (m->notes);
  g_clear_pointer (&m->places, g_ptr_array_unref);
  g_free (m);
}

void
marks_free (Marks *m)
{
  if (!m)
    return;
  g_ptr_array_unref (m->list);
  g_free (m->path);
  g_free (m->bundle);
  g_free (m->read);
  g_free (m);
}

static int
session_marks_by_date (gconstpointer a, gconstpointer b)
{
  const Mark *x = *(Mark *const *) a, *y = *(Mark *const *) b;

  return x->date != y->date ? (x->date > y->date) - (x->date < y->date) : strcmp (x->name, y->name);
}

Mark *
marks_find (const Marks *m, const char *name)
{
  for (guint i = 0; i < m->list->len; ++i)
    if (g_str_equal (((Mark *) m->list->pdata[i])->name, name))
      return m->list->pdata[i];
  return NULL;
}

/* ---- checking ------------------------------------------------------------------------------------------------------- */

/* Why a character may stand in no name; NULL: it may. */
static const char *
wrong_in_name (gunichar c)
{
  return c < ' ' || c == 0x7f || c == '[' || c == ']' ? _ ("it holds a control character or a bracket")
         : !visible_in_xml (c)                        ? _ ("it holds a character that XML cannot hold")
                                                      : NULL;
}

const char *
marks_wrong_name (const char *name)
{
  const char *why = NULL;

  if (!*name)
    why = _ ("a mark needs a name");
  else if (strlen (name) >= MARK_NAME_BYTES)
    why = _ ("it is longer than 39 bytes");
  else if (!g_utf8_validate (name, -1, NULL))
    why = _ ("it is not UTF-8");
  else if (*name == '@' || *name == ' ' || g_str_has_suffix (name, " "))
    why = _ ("it begins with @ or a blank, or ends with a blank");
  for (const char *c = name; !why && *c; c = g_utf8_next_char (c))
    why = wrong_in_name (g_utf8_get_char (c));
  return why;
}

static bool
session_marks_check_name (const char *name, GError **error)
{
  const char *why = marks_wrong_name (name);

  if (why)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME, _ ("\"%s\" is no name for a mark: %s"), name, why);
  return !why;
}

static bool
check_notes (const char *notes, GError **error)
{
  const char *why = g_utf8_validate (notes, -1, NULL) ? NULL : _ ("they are not UTF-8");

  for (const char *c = notes; !why && *c; c = g_utf8_next_char (c))
    if (!visible_in_xml (g_utf8_get_char (c)) || *c == '\r')
      why = _ ("they hold control characters, or others, that XML cannot");
  if (why)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME, _ ("these notes cannot be kept: %s"), why);
  return !why;
}

/* At the end, which may be out of order.  `taken`: there is one of this name. */
static Mark *
session_marks_append (Marks *m, const char *name, int64_t date, const char *notes, bool taken, GError **error)
{
  if (!session_marks_check_name (name, error) || !check_notes (notes ? notes : "", error))
    return NULL;
  if (taken) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME, _ ("there is a mark called %s already"), name);
    return NULL;
  }
  Mark *mark = g_new0 (Mark, 1);
  mark->name = g_strdup (name);
  mark->date = date;
  mark->notes = g_strdup (notes ? notes : "");
  g_ptr_array_add (m->list, mark);
  return mark;
}

Mark *
marks_add (Marks *m, const char *name, int64_t date, const char *notes, GError **error)
{
  Mark *mark = session_marks_append (m, name, date, notes, marks_find (m, name) != NULL, error);

  if (mark)
    g_ptr_array_sort (m->list, session_marks_by_date);
  return mark;
}

const Mark *
marks_named_at (const Marks *m, const char *at, gsize n)
{
  const Mark *best = NULL;

  for (guint i = 0; i < m->list->len; ++i) {
    const Mark *mark = m->list->pdata[i];
    gsize len = strlen (mark->name);
    if (len <= n && memcmp (mark->name, at, len) == 0 && (!best || len > strlen (best->name))
        && (len == n || !(g_ascii_isalnum (at[len]) && g_ascii_isalnum (at[len - 1]))))
      best = mark;
  }
  return best;
}

/* The notes of all marks lead to it under its new name. */
static void
follow_rename (Marks *m, const Mark *mark, const char *name)
{
  for (guint i = 0; i < m->list->len; ++i) {
    Mark *of = m->list->pdata[i];
    GString *notes = g_string_new (NULL);
    for (const char *at = of->notes, *end = at + strlen (at); at < end;) {
      /* names do not go on in the next line */
      if (*at == '@' && marks_named_at (m, at + 1, strcspn (at + 1, "\n")) == mark) {
        g_string_append_printf (notes, "@%s", name);
        at += 1 + strlen (mark->name);
      } else {
        g_string_append_c (notes, *at++);
      }
    }
    g_free (of->notes);
    of->notes = g_string_free (notes, FALSE);
  }
}

bool
marks_edit (Marks *m, Mark *mark, const char *name, const int64_t *date, const char *notes, GError **error)
{
  const Mark *other = name ? marks_find (m, name) : NULL;

  if ((name && !session_marks_check_name (name, error)) || (notes && !check_notes (notes, error)))
    return false;
  if (other && other != mark) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME, _ ("there is a mark called %s already"), name);
    return false;
  }
  if (date)
    mark->date = *date;
  if (notes) {
    char *copy = g_strdup (notes);
    g_free (mark->notes);
    mark->notes = copy;
  }
  if (name && other != mark) {
    follow_rename (m, mark, name);
    g_free (mark->name);
    mark->name = g_strdup (name);
  }
  g_ptr_array_sort (m->list, session_marks_by_date);
  return true;
}

bool
marks_place (Marks *m, Mark *mark, const char *view, const char *place, GError **error)
{
  const char *const texts[] = { view, place };

  for (int i = 0; i < 2; i++) {
    bool ok = *texts[i] != '\0' && strlen (texts[i]) <= PLACE_BYTES && g_utf8_validate (texts[i], -1, NULL);
    for (const char *c = texts[i]; ok && *c; c = g_utf8_next_char (c))
      ok = visible_in_xml (g_utf8_get_char (c)) && *c != '\n' && *c != '\r';
    if (!ok) {
      g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME,
                   _ ("a viewpoint of a mark is of a view, and a place, each a line of at most %d bytes"), PLACE_BYTES);
      return false;
    }
  }
  if (!mark->places)
    mark->places = g_ptr_array_new_with_free_func (place_free);
  for (guint i = 0; i < mark->places->len; i++) {
    MarkPlace *p = mark->places->pdata[i];
    if (g_str_equal (p->view, view)) {
      g_free (p->place);
      p->place = g_strdup (place);
      return true;
    }
  }
  if (mark->places->len == MOST_PLACES) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_NAME, _ ("a mark holds viewpoints of at most %d views"), MOST_PLACES);
    return false;
  }
  MarkPlace *p = g_new0 (MarkPlace, 1);
  p->view = g_strdup (view);
  p->place = g_strdup (place);
  g_ptr_array_add (mark->places, p);
  return true;
}

void
marks_unplace (Marks *m, Mark *mark)
{
  g_clear_pointer (&mark->places, g_ptr_array_unref);
}

void
marks_remove (Marks *m, Mark *mark)
{
  g_ptr_array_remove (m->list, mark);
}

/* ---- reading -------------------------------------------------------------------------------------------------------- */

static bool G_GNUC_PRINTF (4, 5)
    session_marks_wrong (const Marks *m, const xmlNode *at, GError **error, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *why = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_autofree char *valid = g_utf8_make_valid (why, -1);
  g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s:%ld: %s; mend the file, or move it away"), m->path,
               at ? xmlGetLineNo (at) : 0L, valid);
  return false;
}

static bool
session_marks_is (const xmlNode *n, const char *name)
{
  return n->type == XML_ELEMENT_NODE && xmlStrEqual (n->name, BAD_CAST name) && !n->ns;
}

static bool
session_marks_is_blank (const xmlNode *n)
{
  return n->type == XML_COMMENT_NODE || n->type == XML_PI_NODE || (n->type == XML_TEXT_NODE && xmlIsBlankNode (n));
}

static bool
is_text_alone (const xmlNode *n)
{
  for (const xmlNode *c = n->children; c; c = c->next)
    if (c->type != XML_TEXT_NODE && c->type != XML_CDATA_SECTION_NODE && c->type != XML_COMMENT_NODE)
      return false;
  return true;
}

/* At most one element `notes`, which holds text alone, and any number of viewpoints, which are read later. */
static bool
read_notes (const Marks *m, const xmlNode *mark, xmlChar **notes, GError **error)
{
  for (const xmlNode *n = mark->children; n; n = n->next) {
    if (session_marks_is_blank (n) || session_marks_is (n, "viewpoint"))
      continue;
    if (!session_marks_is (n, "notes") || *notes || n->properties)
      return session_marks_wrong (
          m, n, error, _ ("a mark holds one element notes without attributes, elements viewpoint, and nothing else"));
    if (!is_text_alone (n))
      return session_marks_wrong (m, n, error, _ ("notes hold text alone; their formatting is within it"));
    *notes = xmlNodeGetContent (n);
  }
  return true;
}

static bool
read_places (Marks *m, const xmlNode *node, Mark *mark, GError **error)
{
  bool ok = true;

  for (const xmlNode *n = node->children; n && ok; n = n->next) {
    if (!session_marks_is (n, "viewpoint"))
      continue;
    xmlChar *view = xmlGetNoNsProp (n, BAD_CAST "view"), *place = xmlNodeGetContent (n);
    g_autoptr (GError) why = NULL;
    g_autofree char *text = g_strstrip (g_strdup (place ? (const char *) place : ""));
    if (!view || n->properties->next || !is_text_alone (n))
      ok = session_marks_wrong (m, n, error, _ ("a viewpoint has the attribute view, and is a text"));
    else if (!marks_place (m, mark, (const char *) view, text, &why))
      ok = session_marks_wrong (m, n, error, "%s", why->message);
    xmlFree (view);
    xmlFree (place);
  }
  return ok;
}

static bool
read_mark (Marks *m, const xmlNode *n, GHashTable *names, GError **error)
{
  xmlChar *name = xmlGetNoNsProp (n, BAD_CAST "name"), *date = xmlGetNoNsProp (n, BAD_CAST "date"), *notes = NULL;
  g_autoptr (GError) why = NULL;
  int64_t ticks = 0;
  bool ok = true;

  for (const xmlAttr *a = n->properties; a && ok; a = a->next)
    if (!xmlStrEqual (a->name, BAD_CAST "name") && !xmlStrEqual (a->name, BAD_CAST "date"))
      ok = session_marks_wrong (m, n, error, _ ("a mark has no attribute %s"), (const char *) a->name);
  if (ok && (!name || !date))
    ok = session_marks_wrong (m, n, error, _ ("a mark has a name and a date"));
  if (ok && !trace_clock_parse (&m->clock, (const char *) date, &ticks))
    ok = session_marks_wrong (m, n, error, _ ("\"%s\" is no date; dates are decimal seconds, as 1.25"),
                              (const char *) date);
  if (ok && __builtin_add_overflow (ticks, m->clock.offset, &ticks))
    ok = session_marks_wrong (m, n, error, _ ("%s\u2009s lies too far from the beginning to be shifted"),
                              (const char *) date);
  ok = ok && read_notes (m, n, &notes, error);
  Mark *mark = NULL;
  if (ok) {
    mark = session_marks_append (m, (const char *) name, ticks, (const char *) notes,
                                 g_hash_table_contains (names, name), &why);
    ok = mark ? g_hash_table_add (names, mark->name) : session_marks_wrong (m, n, error, "%s", why->message);
  }
  ok = ok && read_places (m, n, mark, error);
  xmlFree (name);
  xmlFree (date);
  xmlFree (notes);
  return ok;
}

static bool
read_document (Marks *m, xmlDoc *doc, GError **error)
{
  const xmlNode *root = xmlDocGetRootElement (doc);
  xmlChar *version = root ? xmlGetNoNsProp (root, BAD_CAST "version") : NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal); /* of the marks in the list */
  bool ok = true;

  if (doc->intSubset || doc->extSubset)
    ok = session_marks_wrong (m, root, error, _ ("it declares a document type, which marks never do"));
  else if (!root || !session_marks_is (root, "marks"))
    ok = session_marks_wrong (m, root, error, _ ("this is no file of marks"));
  else if (!xmlStrEqual (version, BAD_CAST VERSION) && !xmlStrEqual (version, BAD_CAST VERSION_PLACES))
    ok = session_marks_wrong (m, root, error, _ ("it is of version %s; this Scope knows versions 1 and 2"),
                              version ? (char *) version : "\"\"");
  for (const xmlNode *n = ok ? root->children : NULL; n && ok; n = n->next)
    if (session_marks_is (n, "mark"))
      ok = read_mark (m, n, names, error);
    else if (!session_marks_is_blank (n))
      ok = session_marks_wrong (m, n, error, _ ("a file of marks holds elements mark and nothing else"));
  g_ptr_array_sort (m->list, session_marks_by_date);
  xmlFree (version);
  return ok;
}

static void
be_quiet (void *arg, const char *fmt, ...)
{
}

static bool
session_marks_read_text (Marks *m, const char *text, gsize n, GError **error)
{
  if (n > MOST_BYTES)
    return session_marks_wrong (m, NULL, error, _ ("it is larger than 16 MiB, which no file of marks is"));
  xmlParserCtxt *parser = xmlNewParserCtxt ();
  xmlSetGenericErrorFunc (NULL, be_quiet);
  xmlDoc *doc = xmlCtxtReadMemory (parser, text, (int) n, NULL, NULL,
                                   XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  bool ok;
  if (!doc) {
    const xmlError *e = xmlCtxtGetLastError (parser);
    g_autofree char *said = g_strdup (e && e->message ? e->message : _ ("it is no XML"));
    g_autofree char *valid = g_utf8_make_valid (g_strstrip (said), -1);
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s:%d: %s; mend the file, or move it away"), m->path,
                 e ? e->line : 0, valid);
    ok = false;
  } else {
    ok = read_document (m, doc, error);
    xmlFreeDoc (doc);
  }
  xmlFreeParserCtxt (parser);
  return ok;
}

/* The place for the marks of a bundle that cannot be written. */
static char *
marks_place_beside (const char *bundle)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, bundle, -1);
  g_autofree char *base = g_path_get_basename (bundle);
  g_autofree char *name = g_strdup_printf ("%.60s-%.16s.xml", base, sum);

  return g_build_filename (g_get_user_data_dir (), "scope", "marks", name, NULL);
}

/* What was installed, or lies in a clone of the source, is not the person's to write to. */
static bool
is_sample (const char *bundle)
{
  g_auto (GStrv) samples = places_samples ();
  bool found = false;

  for (char **s = samples; *s && !found; ++s) {
    g_autofree char *real = disk_real_path (*s);
    found = real && g_str_equal (real, bundle);
  }
  return found;
}

/* Where the file must lie: it may have come with the bundle. */
static const char *
below (const Marks *m)
{
  return g_str_has_prefix (m->path, m->bundle) ? m->bundle : NULL;
}

Marks *
marks_load (const char *bundle, const TraceClock *clock, GError **error)
{
  char *real = disk_real_path (bundle);
  Marks *m = g_new0 (Marks, 1);
  g_autoptr (GError) why = NULL;
  g_autofree char *text = NULL;
  gsize n;

  m->list = g_ptr_array_new_with_free_func (mark_free);
  m->bundle = real ? real : g_strdup (bundle);
  m->clock = *clock;
  m->path = g_build_filename (m->bundle, "marks.xml", NULL);
  bool foreign = trace_is_foreign (m->bundle);
  if (foreign || access (m->bundle, W_OK) != 0 || is_sample (m->bundle)) {
    g_autofree char *own = marks_place_beside (m->bundle);
    m->beside = true;
    if (foreign || g_file_test (own, G_FILE_TEST_EXISTS)) {
      g_free (m->path);
      m->path = g_steal_pointer (&own);
    }
  }
  if (!(text = disk_read (m->path, below (m), MOST_BYTES, &n, &why))) {
    if (g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return m;
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, "%s", why->message);
    marks_free (m);
    return NULL;
  }
  m->read = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, n);
  if (session_marks_read_text (m, text, n, error))
    return m;
  marks_free (m);
  return NULL;
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

char *
marks_text (const Marks *m)
{
  GString *to = g_string_new (NULL);
  bool places = false;

  for (guint i = 0; i < m->list->len; ++i)
    places |= ((const Mark *) m->list->pdata[i])->places != NULL;
  g_string_printf (to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<marks version=\"%s\">\n",
                   places ? VERSION_PLACES : VERSION);

  for (guint i = 0; i < m->list->len; ++i) {
    const Mark *mark = m->list->pdata[i];
    char date[64];
    trace_clock_print (&m->clock, mark->date - m->clock.offset, date, sizeof date);
    g_autofree char *name = g_markup_escape_text (mark->name, -1), *notes = g_markup_escape_text (mark->notes, -1);
    g_string_append_printf (to, "  <mark name=\"%s\" date=\"%s\"", name, date);
    g_string_append (to, *mark->notes || mark->places ? ">\n" : "/>\n");
    if (*mark->notes)
      g_string_append_printf (to, "    <notes>%s</notes>\n", notes);
    for (guint k = 0; mark->places && k < mark->places->len; k++) {
      const MarkPlace *p = mark->places->pdata[k];
      g_autofree char *view = g_markup_escape_text (p->view, -1), *place = g_markup_escape_text (p->place, -1);
      g_string_append_printf (to, "    <viewpoint view=\"%s\">%s</viewpoint>\n", view, place);
    }
    if (*mark->notes || mark->places)
      g_string_append (to, "  </mark>\n");
  }
  g_string_append (to, "</marks>\n");
  return g_string_free (to, FALSE);
}

static bool
is_unchanged (const Marks *m)
{
  g_autofree char *text = NULL;
  gsize n;

  if (!(text = disk_read (m->path, below (m), MOST_BYTES, &n, NULL)))
    return !m->read;
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, n);
  return g_strcmp0 (sum, m->read) == 0;
}

bool
marks_changed (const Marks *m)
{
  g_autofree char *own = m->beside ? marks_place_beside (m->bundle) : NULL;

  if (own && !g_str_equal (own, m->path) && g_file_test (own, G_FILE_TEST_EXISTS))
    return true;
  return !is_unchanged (m);
}

char *
marks_beside (const Marks *m)
{
  return marks_place_beside (m->bundle);
}

static gboolean
tell_drawing (const GMatchInfo *found, GString *to, gpointer arg)
{
  g_autofree char *view = g_match_info_fetch (found, 1);

  g_string_append_printf (to, _ ("a drawing over %s"), in_words (view));
  return FALSE;
}

char *
marks_notes_told (const char *notes)
{
  g_autoptr (GRegex) drawing = g_regex_new ("!\\[([^]\n]*)\\]\\(marks/drawing-[^)\n]*\\.svg\\)", 0, 0, NULL);
  char *told = g_regex_replace_eval (drawing, notes, -1, 0, 0, tell_drawing, NULL, NULL);

  return told ? told : g_strdup (notes);
}

/* Nothing is saved that cannot be read again: names and notes are looked at one by one, a file as a whole only here. */
static bool
reads_back (const Marks *m, const char *text, GError **error)
{
  Marks *again = g_new0 (Marks, 1);
  g_autoptr (GError) why = NULL;

  again->list = g_ptr_array_new_with_free_func (mark_free);
  again->path = g_strdup (m->path);
  again->clock = m->clock;
  bool ok = session_marks_read_text (again, text, strlen (text), &why) && again->list->len == m->list->len;
  marks_free (again);
  if (!ok)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE,
                 _ ("the marks cannot be saved, as they could not be read again: %s"),
                 why ? why->message : _ ("some would be missing"));
  return ok;
}

bool
marks_save (Marks *m, GError **error)
{
  g_autofree char *text = marks_text (m), *own = marks_place_beside (m->bundle);
  g_autoptr (GError) why = NULL;

  if (!reads_back (m, text, error))
    return false;

  if (!is_unchanged (m)) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_CHANGED, _ ("%s was changed meanwhile; load it again"), m->path);
    return false;
  }
  bool ok = !m->beside
            && g_file_set_contents_full (m->path, text, -1,
                                         G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666, &why);
  if (!ok
      && (m->beside || g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_ACCES)
          || g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_ROFS)
          || g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_PERM))) {
    g_autofree char *folder = g_path_get_dirname (own);
    g_clear_error (&why);
    g_mkdir_with_parents (folder, 0700);
    ok = g_file_set_contents_full (own, text, -1, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0666,
                                   &why);
    if (ok) {
      g_free (m->path);
      m->path = g_strdup (own);
      m->beside = true;
    }
  }
  if (!ok) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("the marks cannot be saved: %s"), why->message);
    return false;
  }
  g_free (m->read);
  m->read = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return true;
}
