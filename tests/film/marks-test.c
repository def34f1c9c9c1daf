/* SPDX-License-Identifier: Apache-2.0 */
/* marks-test.c - marks kept and read back, refused when they are not what they should be, shown without harm. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include "session/marks-drawing.h"
#include "session/marks-media.h"

static const TraceClock clock_ns = { 1000000000, "s" };
static char *bundle, *file;

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  GRand *r = g_rand_new_with_seed (4);
  static const char *const pieces[] = { "a", " ", "\n", "<",      "&",  "\"", "]]>", "é",
                                        "*", "`", "@",  "[x](y)", "\t", "🜁",  "'" };

  for (int round = 0; round < 30; ++round) {
    g_remove (file);
    Marks *m = marks_load (bundle, &clock_ns, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (m->list->len, ==, 0);
    for (int i = 0; i < 20; ++i) {
      g_autofree char *name = g_strdup_printf ("n%d & <\"é'> %d", i, g_rand_int_range (r, 0, 1000));
      g_autoptr (GString) notes = g_string_new (NULL);
      for (int k = g_rand_int_range (r, 0, 40); k > 0; --k)
        g_string_append (notes, pieces[g_rand_int_range (r, 0, G_N_ELEMENTS (pieces))]);
      g_assert_nonnull (marks_add (m, name, ((int64_t) g_rand_int (r) << 20) - 5000, notes->str, &error));
    }
    g_assert_true (marks_save (m, &error));
    Marks *again = marks_load (bundle, &clock_ns, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (again->list->len, ==, m->list->len);
    for (guint i = 0; i < m->list->len; ++i) {
      const Mark *a = m->list->pdata[i], *b = again->list->pdata[i];
      g_assert_cmpstr (a->name, ==, b->name);
      g_assert_cmpint (a->date, ==, b->date);
      g_assert_cmpstr (a->notes, ==, b->notes);
      if (i)
        g_assert_cmpint (((Mark *) m->list->pdata[i - 1])->date, <=, a->date);
    }
    g_autofree char *x = marks_text (m), *y = marks_text (again);
    g_assert_cmpstr (x, ==, y);
    marks_free (again);
    marks_free (m);
  }
  g_rand_free (r);
  g_remove (file);
}

static void
test_names (void)
{
  Marks *m = marks_load (bundle, &clock_ns, NULL);
  g_autofree char *longest = g_strnfill (39, 'x'), *longer = g_strnfill (40, 'x');
  const char *const wrong[] = { "", "@x", " x", "x ", "a\nb", "a]b", "\xff", longer };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); ++i) {
    g_autoptr (GError) error = NULL;
    g_assert_null (marks_add (m, wrong[i], 0, NULL, &error));
    g_assert_error (error, MARKS_ERROR, MARKS_ERROR_NAME);
  }
  g_assert_nonnull (marks_add (m, longest, 5, NULL, NULL));
  g_assert_null (marks_add (m, longest, 6, NULL, NULL));
  g_assert_null (marks_add (m, "notes", 6, "bell \a", NULL));
  Mark *mark = marks_add (m, "b", 1, NULL, NULL);
  g_assert_false (marks_edit (m, mark, longest, NULL, NULL, NULL));
  g_assert_true (marks_edit (m, mark, "b", &(int64_t){ 9 }, "more", NULL));
  g_assert_true (m->list->pdata[1] == mark);
  Mark *see = marks_add (m, "see", 2, "@b, then @bb or @x; a@b.c, @b\n@", NULL),
       *bb = marks_add (m, "bb", 3, "@b", NULL);
  g_assert_true (marks_edit (m, mark, "a long name", NULL, "of @b", NULL));
  g_assert_cmpstr (see->notes, ==, "@a long name, then @bb or @x; a@a long name.c, @a long name\n@");
  g_assert_cmpstr (bb->notes, ==, "@a long name");
  g_assert_cmpstr (mark->notes, ==, "of @a long name");
  g_assert_true (marks_edit (m, bb, "c", NULL, NULL, NULL));
  g_assert_cmpstr (see->notes, ==, "@a long name, then @c or @x; a@a long name.c, @a long name\n@");
  marks_remove (m, see);
  marks_remove (m, bb);
  marks_remove (m, mark);
  g_assert_cmpuint (m->list->len, ==, 1);
  marks_free (m);
}

static void
test_hostile (void)
{
  static const char *const texts[] = {
    "",
    "marks",
    "<marks version=\"1\">",
    "<other version=\"1\"/>",
    "<marks/>",
    "<marks version=\"3\"/>",
    "<marks version=\"1\"><mark date=\"1\"/></marks>",
    "<marks version=\"1\"><mark name=\"a\"/></marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"soon\"/></marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"1\"/><mark name=\"a\" date=\"2\"/></marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"1\" colour=\"red\"/></marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"1\"><notes><b/></notes></mark></marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"1\"><notes/><notes/></mark></marks>",
    "<marks version=\"1\">words</marks>",
    "<marks version=\"1\"><mark name=\"a\" date=\"1e999999\"/></marks>",
    "<!DOCTYPE marks [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><marks version=\"1\"/>",
    "<!DOCTYPE marks [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><marks version=\"1\"><mark name=\"a\" "
    "date=\"1\"><notes>&f;</notes></mark></marks>",
    "<marks version=\"1\"><mark name=\"\xff\" date=\"1\"/></marks>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); ++i) {
    g_autoptr (GError) error = NULL;
    g_assert_true (g_file_set_contents (file, texts[i], -1, NULL));
    Marks *m = marks_load (bundle, &clock_ns, &error);
    g_assert_null (m);
    g_assert_error (error, MARKS_ERROR, MARKS_ERROR_FILE);
    g_assert_true (g_str_has_prefix (error->message, file));
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    g_autofree char *after = NULL;
    g_assert_true (g_file_get_contents (file, &after, NULL, NULL));
    g_assert_cmpstr (after, ==, texts[i]);
  }
  g_remove (file);
}

static void
test_changed_meanwhile (void)
{
  g_autoptr (GError) error = NULL;
  Marks *a = marks_load (bundle, &clock_ns, NULL), *b = marks_load (bundle, &clock_ns, NULL);

  marks_add (a, "of a", 1, NULL, NULL);
  marks_add (b, "of b", 2, NULL, NULL);
  g_assert_true (marks_save (a, &error));
  g_assert_false (marks_save (b, &error));
  g_assert_error (error, MARKS_ERROR, MARKS_ERROR_CHANGED);
  g_assert_true (marks_save (a, NULL));
  marks_free (a);
  marks_free (b);
  g_remove (file);
}

/* A mark holds from where views are seen; files without one are those of before. */
static void
test_places (void)
{
  static const char *const wrong[] = {
    "<marks version=\"2\"><mark name=\"a\" date=\"1\"><viewpoint>eye</viewpoint></mark></marks>",
    "<marks version=\"2\"><mark name=\"a\" date=\"1\"><viewpoint view=\"\">eye</viewpoint></mark></marks>",
    "<marks version=\"2\"><mark name=\"a\" date=\"1\"><viewpoint view=\"S\"/></mark></marks>",
    "<marks version=\"2\"><mark name=\"a\" date=\"1\"><viewpoint view=\"S\" x=\"1\">eye</viewpoint></mark></marks>",
    "<marks version=\"2\"><mark name=\"a\" date=\"1\"><viewpoint view=\"S\"><b/>eye</viewpoint></mark></marks>",
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *many = g_strnfill (501, 'x');

  g_remove (file);
  Marks *m = marks_load (bundle, &clock_ns, &error);
  g_assert_no_error (error);
  Mark *mark = marks_add (m, "there", 5, "note", NULL), *other = marks_add (m, "plain", 6, "", NULL);
  g_autofree char *before = marks_text (m);
  g_assert_nonnull (strstr (before, "<marks version=\"1\">"));
  g_assert_true (marks_place (m, mark, "Scene", "eye 0 0 0 centre 1 1 1", NULL));
  g_assert_true (marks_place (m, mark, "A & \"B\"", "all <of> it", NULL));
  g_assert_true (marks_place (m, mark, "Scene", "eye 9 9 9 centre 1 1 1", NULL)); /* instead */
  g_assert_true (marks_place (m, other, "Scene", "eye", NULL));
  g_assert_false (marks_place (m, mark, "", "eye", NULL));
  g_assert_false (marks_place (m, mark, "Scene", "", NULL));
  g_assert_false (marks_place (m, mark, "Scene", "two\nlines", NULL));
  g_assert_false (marks_place (m, mark, "Scene", many, NULL));
  for (int i = 1; i < 200; i++) {
    g_autofree char *view = g_strdup_printf ("Scene %d", i);
    g_assert_true (marks_place (m, other, view, "eye", NULL));
  }
  g_assert_false (marks_place (m, other, "Scene 200", "eye", NULL)); /* a file could hold a million */
  g_assert_true (marks_place (m, other, "Scene 199", "eye 1", NULL));
  marks_unplace (m, other);
  g_assert_true (marks_save (m, &error));
  g_assert_no_error (error);
  Marks *again = marks_load (bundle, &clock_ns, &error);
  g_assert_no_error (error);
  mark = marks_find (again, "there");
  g_assert_cmpuint (mark->places->len, ==, 2);
  g_assert_cmpstr (((MarkPlace *) mark->places->pdata[0])->place, ==, "eye 9 9 9 centre 1 1 1");
  g_assert_cmpstr (((MarkPlace *) mark->places->pdata[1])->view, ==, "A & \"B\"");
  g_assert_cmpstr (((MarkPlace *) mark->places->pdata[1])->place, ==, "all <of> it");
  g_assert_cmpstr (mark->notes, ==, "note");
  g_assert_null (marks_find (again, "plain")->places);
  marks_unplace (again, mark);
  g_autofree char *after = marks_text (again);
  g_assert_cmpstr (after, ==, before);
  marks_free (again);
  marks_free (m);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); ++i) {
    g_autoptr (GError) why = NULL;
    g_assert_true (g_file_set_contents (file, wrong[i], -1, NULL));
    g_assert_null (marks_load (bundle, &clock_ns, &why));
    g_assert_error (why, MARKS_ERROR, MARKS_ERROR_FILE);
  }
  g_remove (file);
}

static void
test_html (void)
{
  Marks *m = marks_load (bundle, &clock_ns, NULL);
  g_autoptr (GString) to = g_string_new (NULL);
  static const char *const cases[][2] = {
    { "a *b* c", "<p>a <em>b</em> c</p>\n" },
    { "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n" },
    { "- a\n- b", "<ul><li>a</li><li>b</li></ul>\n" },
    { "<script>&", "<p>&lt;script&gt;&amp;</p>\n" },
    { "see @there.", "<p>see <a href=\"#mark-there\">there</a>.</p>\n" },
    { "@nowhere", "<p>@nowhere</p>\n" },
    { "[x](@there)", "<p><a href=\"#mark-there\">x</a></p>\n" },
    { "[x](javascript:alert(1))", "<p>x (javascript:alert(1)</p>\n" },
    { "[x](../../etc/passwd)", "<p>x (../../etc/passwd)</p>\n" },
    { "![x](/etc/passwd)", "<p>x (/etc/passwd)</p>\n" },
    { "`a<b`", "<p><code>a&lt;b</code></p>\n" },
    { "2 * 3 * 4", "<p>2 * 3 * 4</p>\n" },
    { "", "" },
  };

  marks_add (m, "there", 1500000000, "note", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); ++i) {
    g_string_truncate (to, 0);
    marks_notes_html (m, cases[i][0], to);
    /* a target ends at the first bracket: what follows it is text */
    if (strstr (cases[i][0], "alert"))
      g_assert_null (strstr (to->str, "href"));
    else
      g_assert_cmpstr (to->str, ==, cases[i][1]);
  }
  g_string_truncate (to, 0);
  marks_html (m, &(MarksReport){ .title = "<T>" }, to);
  g_assert_nonnull (strstr (to->str, "<title>&lt;T&gt;</title>"));
  g_assert_nonnull (strstr (to->str, "<time>1.500000 s</time>"));
  g_assert_null (strstr (to->str, "http"));
  marks_free (m);
}

/* Sounds and films: in the bundle, in notes, in the page; and what is none. */
static void
test_media (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *said = g_build_filename (bundle, "..", "it is (said).wav", NULL),
                  *bad = g_build_filename (bundle, "..", "bad.ogg", NULL),
                  *copy = g_build_filename (bundle, "marks", "it-is--said-.wav", NULL);
  static const char wave[] = "RIFF\x24\0\0\0WAVEfmt and so on";
  Marks *m = marks_load (bundle, &clock_ns, NULL);

  g_assert_true (g_file_set_contents (said, wave, sizeof wave - 1, NULL));
  g_assert_true (g_file_set_contents (bad, "no sound", -1, NULL));
  g_autofree char *name = marks_attach (m, said, &error), *other = marks_attach (m, said, NULL);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "marks/it-is--said-.wav");
  g_assert_cmpstr (other, ==, name); /* it is there already */
  g_assert_true (g_file_set_contents (said, wave, sizeof wave - 2, NULL));
  g_autofree char *another = marks_attach (m, said, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (another, ==, "marks/it-is--said--2.wav");
  g_autofree char *there = NULL, *lies = marks_file_of (m, name);
  gsize n;
  g_assert_true (g_file_get_contents (copy, &there, &n, NULL));
  g_assert_cmpmem (there, n, wave, sizeof wave - 1);
  g_assert_nonnull (lies);
  g_assert_null (marks_attach (m, bad, &error));
  g_assert_nonnull (strstr (error->message, "damaged"));
  g_clear_error (&error);
  g_assert_null (marks_attach (m, "/etc/hostname", &error));
  g_assert_nonnull (strstr (error->message, "no picture, sound or film"));
  g_clear_error (&error);
  g_assert_null (marks_attach (m, "/nowhere/x.wav", &error));
  g_assert_nonnull (error);

  g_autoptr (GPtrArray) played = marks_played (m, "a ![x](marks/x.png) ![y](marks/y.wav)\n![z](z.MP4) ![w](w.wav");
  g_assert_cmpuint (played->len, ==, 2);
  g_assert_cmpstr (played->pdata[0], ==, "marks/y.wav");
  g_assert_cmpstr (played->pdata[1], ==, "z.MP4");
  g_autoptr (GString) many = g_string_new (NULL); /* sixteen MiB that a stranger may have written */
  while (many->len < (16 << 20))
    g_string_append (many, "![");
  g_autoptr (GPtrArray) none = marks_played (m, many->str);
  g_assert_cmpuint (none->len, ==, 0);
  g_string_append (many, "](a.wav)");
  g_autoptr (GPtrArray) one = marks_played (m, many->str);
  g_assert_cmpuint (one->len, ==, 1);
  g_autoptr (GString) to = g_string_new (NULL);
  g_autofree char *notes = g_strdup_printf ("![what \"he\" said](%s) ![gone](marks/gone.wav)", name);
  marks_notes_html (m, notes, to);
  g_assert_nonnull (
      strstr (to->str, "<audio controls title=\"what &quot;he&quot; said\" src=\"data:audio/wav;base64,UklGRi"));
  g_assert_nonnull (strstr (to->str, "gone (marks/gone.wav)"));
  m->beside = true;
  g_assert_null (marks_attach (m, said, NULL));
  marks_free (m);
}

static void
same_drawing (const MarkDrawing *a, const MarkDrawing *b)
{
  g_assert_cmpstr (a->view, ==, b->view);
  g_assert_cmpint (a->from, ==, b->from);
  g_assert_cmpint (a->to, ==, b->to);
  g_assert_cmpuint (a->strokes->len, ==, b->strokes->len);
  for (guint i = 0; i < a->strokes->len; ++i) {
    const MarkStroke *x = a->strokes->pdata[i], *y = b->strokes->pdata[i];
    g_assert_cmpint (x->shape, ==, y->shape);
    g_assert_cmpuint (x->points->len, ==, y->points->len);
    for (guint k = 0; k < x->points->len; ++k) {
      const MarkPoint *p = &g_array_index (x->points, MarkPoint, k), *q = &g_array_index (y->points, MarkPoint, k);
      g_assert_cmpfloat_with_epsilon (p->x, q->x, 1e-5);
      g_assert_cmpfloat_with_epsilon (p->y, q->y, 1e-5);
    }
  }
}

/* Random strokes are read as they were written; what is none is told. */
static void
test_drawing (void)
{
  static const char *const bad[] = {
    "",
    "<svg/>",
    "<p data-scope-drawing='1' data-view='V'/>",
    "<svg data-scope-drawing='1' data-view='V'><path data-shape='star' data-points='0 0 1 1'/></svg>",
    "<svg data-scope-drawing='1' data-view='V'><path data-shape='arrow' data-points='0 0 1'/></svg>",
    "<svg data-scope-drawing='1' data-view='V'><path data-shape='arrow' data-points='0 0 1 nan'/></svg>",
    "<svg data-scope-drawing='1' data-view='V'><path data-shape='freehand' data-points='0 0 1 1e9'/></svg>",
    "<svg data-scope-drawing='1' data-view='V' data-from='2' data-to='1'/>",
    "<svg data-scope-drawing='1' data-view='V'><path data-shape='arrow' data-points='0 0 1 1'/>"
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *broken = g_build_filename (bundle, "marks", "drawing-0.svg", NULL);
  Marks *m = marks_load (bundle, &clock_ns, NULL);
  Mark *mark = marks_add (m, "drawn on", 1500000000, "Look:", NULL);
  MarkDrawing *d = mark_drawing_new ("View <1> [x]");
  const char *seed = g_getenv ("SCOPE_SEED");
  GRand *at = g_rand_new_with_seed (seed ? (guint32) g_ascii_strtoull (seed, NULL, 10) : 1);

  d->dated = true;
  d->from = 1000000000;
  d->to = 2500000000;
  for (int i = 0; i < 40; ++i) {
    MarkPoint points[20];
    guint n = i % 3 ? 2 : (guint) g_rand_int_range (at, 2, 21);
    for (guint k = 0; k < n; ++k)
      points[k] = (MarkPoint){ g_rand_double_range (at, -1, 2), g_rand_double_range (at, -1, 2) };
    g_assert_true (mark_drawing_add (d, (MarkShape) (i % 3), points, n));
  }
  g_assert_false (mark_drawing_add (d, MARK_ARROW, &(MarkPoint){ 0, 0 }, 1));
  g_assert_true (mark_drawing_save (m, mark, d, &error));
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (mark->notes, "Look:\n\n![View <1>  x ](marks/drawing-"));
  MarkDrawing *again = mark_drawing_load (m, mark, "View <1> [x]", &error);
  g_assert_no_error (error);
  same_drawing (d, again);
  g_assert_null (mark_drawing_load (m, mark, "another", &error));
  g_assert_no_error (error);
  g_ptr_array_set_size (again->strokes, 0);
  g_assert_true (mark_drawing_save (m, mark, again, NULL));
  g_assert_cmpstr (mark->notes, ==, "Look:");
  g_autofree char *still = marks_file_of (m, again->file);
  g_assert_nonnull (still); /* until the marks are saved */
  mark_drawing_drop (m, again->file);
  g_assert_false (g_file_test (still, G_FILE_TEST_EXISTS));
  mark_drawing_free (again);
  mark_drawing_free (d);
  g_rand_free (at);
  marks_edit (m, mark, NULL, NULL, "![V](marks/drawing-0.svg)", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bad); ++i) {
    g_assert_true (g_file_set_contents (broken, bad[i], -1, NULL));
    g_assert_null (mark_drawing_load (m, mark, "V", &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, "drawing-0.svg is not shown"));
    g_clear_error (&error);
  }
  marks_free (m);
}

static MarkDrawing *
drawn (const char *view, guint strokes, guint points)
{
  MarkDrawing *d = mark_drawing_new (view);
  g_autofree MarkPoint *p = g_new (MarkPoint, points);

  for (guint k = 0; k < points; ++k)
    p[k] = (MarkPoint){ 0.123456 + k * 1e-6, 0.654321 - k * 1e-6 };
  for (guint i = 0; i < strokes; ++i)
    g_assert_true (mark_drawing_add (d, MARK_FREEHAND, p, points));
  return d;
}

/* No drawing takes the file of another, hides another, or is too large to be read again. */
static void
test_drawings_kept (void)
{
  g_autoptr (GError) error = NULL;
  Marks *m = marks_load (bundle, &clock_ns, NULL);
  Mark *first = marks_add (m, "Mark 1", 1500000000, "![picture](marks/drawing-1.svg)", NULL);
  MarkDrawing *a = drawn ("V", 1, 3), *b = drawn ("V", 2, 3), *large = drawn ("L", 300, 1000);
  g_autofree char *other = g_build_filename (bundle, "marks", "drawing-1.svg", NULL);

  g_assert_true (g_file_set_contents (other, "<svg/>", -1, NULL));
  g_assert_true (mark_drawing_save (m, first, a, &error));
  g_assert_true (marks_edit (m, first, "renamed", NULL, NULL, &error));
  Mark *second = marks_add (m, "Mark 1", 1600000000, "", NULL);
  g_assert_true (mark_drawing_save (m, second, b, &error));
  g_assert_cmpstr (a->file, !=, b->file);
  MarkDrawing *of_first = mark_drawing_load (m, marks_find (m, "renamed"), "V", &error);
  g_assert_no_error (error);
  same_drawing (a, of_first);
  mark_drawing_drop (m, b->file); /* notes name it */
  MarkDrawing *of_second = mark_drawing_load (m, marks_find (m, "Mark 1"), "V", &error);
  g_assert_no_error (error);
  same_drawing (b, of_second);

  g_autofree char *notes = g_strdup (second->notes);
  g_assert_false (mark_drawing_save (m, second, large, &error));
  g_assert_nonnull (strstr (error->message, "too much is drawn over L"));
  g_assert_null (large->file);
  g_assert_cmpstr (second->notes, ==, notes);
  MarkDrawing *const all[] = { a, b, large, of_first, of_second };
  for (guint i = 0; i < G_N_ELEMENTS (all); ++i)
    mark_drawing_free (all[i]);
  marks_free (m);
}

static void
test_read_only (void)
{
  g_autoptr (GError) error = NULL;

  if (geteuid () == 0) {
    g_test_skip ("root may write everywhere");
    return;
  }
  g_assert_cmpint (g_chmod (bundle, 0500), ==, 0);
  Marks *m = marks_load (bundle, &clock_ns, NULL);
  marks_add (m, "kept", 7, "beside", NULL);
  g_assert_true (marks_save (m, &error));
  g_assert_true (m->beside);
  marks_free (m);
  m = marks_load (bundle, &clock_ns, &error);
  g_assert_no_error (error);
  g_assert_nonnull (marks_find (m, "kept"));
  marks_free (m);
  g_assert_cmpint (g_chmod (bundle, 0700), ==, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("scope-marks-XXXXXX", NULL),
                  *data = g_build_filename (folder, "data", NULL);

  g_setenv ("XDG_DATA_HOME", data, TRUE);
  g_test_init (&argc, &argv, NULL);
  bundle = g_build_filename (folder, "t.trace", NULL);
  g_mkdir (bundle, 0700);
  file = g_build_filename (bundle, "marks.xml", NULL);
  g_test_add_func ("/marks/round-trip", test_round_trip);
  g_test_add_func ("/marks/names", test_names);
  g_test_add_func ("/marks/hostile", test_hostile);
  g_test_add_func ("/marks/changed-meanwhile", test_changed_meanwhile);
  g_test_add_func ("/marks/places", test_places);
  g_test_add_func ("/marks/html", test_html);
  g_test_add_func ("/marks/media", test_media);
  g_test_add_func ("/marks/drawing", test_drawing);
  g_test_add_func ("/marks/drawings-kept", test_drawings_kept);
  g_test_add_func ("/marks/read-only", test_read_only);
  int status = g_test_run ();
  g_remove (file);
  g_rmdir (bundle);
  g_rmdir (folder);
  g_free (file);
  g_free (bundle);
  return status;
}
