/* SPDX-License-Identifier: Apache-2.0 */
/* Program files: what is saved comes back, what is not known is kept, what is hostile is refused in a sentence. */
#include <glib/gstdio.h>
#include <unistd.h>
#include "tests/unit/boxes.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static EveProgram *
parse (const char *text, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_parse (text, -1, "test.eve", problems, &error);

  if (p == NULL)
    g_error ("%s", error->message);
  return p;
}

static void
refused (const char *text, gssize len, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  if (eve_program_parse (text, len, "test.eve", problems, &error))
    g_error ("taken, although it should be refused: %.200s", text);
  g_assert_error (error, EVE_ERROR, EVE_ERROR_FILE);
  assert_contains (error->message, "test.eve");
  if (part)
    assert_contains (error->message, part);
  g_assert_cmpuint (strlen (error->message), <, 1000);
}

static bool
told (GPtrArray *problems, const char *part)
{
  for (guint i = 0; i < problems->len; i++)
    if (strstr (problems->pdata[i], part))
      return true;
  return false;
}

/* Text, parsed, is the same text again, and runs the same. */
static void
test_round_trip (void)
{
  EveProgram *p = eve_program_new (), *q;
  EveComponent *from = box (p, &box_source, "From <&\"'>"), *set_ = box (p, &box_settings, "Caf\xc3\xa9");
  EveComponent *hold = box (p, &box_hold, "Hold"), *to = box (p, &box_sink, " To ");
  g_autofree char *one = NULL, *two = NULL, *text = NULL;
  double x, y;

  set_int (from, "count", 123);
  set (set_, "text", "  <two>\n\tlines & more\r\n\"quoted\"  ");
  set (set_, "real", "0.30000000000000004");
  set (set_, "choice", "green");
  set (set_, "truth", "false");
  set (set_, "whole", "-9223372036854775808");
  eve_set_position (hold, -12.25, 1e6);
  wire (from, "out", hold, "value");
  wire (from, "out", hold, "gain");
  wire (hold, "out", to, "in");
  wire (hold, "out", set_, "in");
  one = eve_program_text (p);
  q = parse (one, NULL);
  two = eve_program_text (q);
  g_assert_cmpstr (one, ==, two);
  text = eve_get (eve_find (q, "Caf\xc3\xa9"), "text");
  g_assert_cmpstr (text, ==, "  <two>\n\tlines & more\r\n\"quoted\"  ");
  g_assert_cmpuint (eve_program_plan_hash (p), ==, eve_program_plan_hash (q));
  eve_position (eve_find (q, "Hold"), &x, &y);
  g_assert_true (x == -12.25 && y == 1e6);
  run_idle (p);
  run_idle (q);
  g_assert_cmpuint (eve_program_run_hash (p), ==, eve_program_run_hash (q));
  eve_program_free (p);
  eve_program_free (q);
}

/* Settings at their default are left out; control characters cannot be in XML, so they are refused or kept, not lost.
 */
static void
test_settings_text (void)
{
  EveProgram *p = eve_program_new (), *q;
  EveComponent *c = box (p, &box_settings, "Box");
  g_autofree char *plain = eve_program_text (p), *odd = NULL, *back = NULL;

  g_assert_null (strstr (plain, "<setting"));
  if (eve_set (c, "text", "bell \a end", NULL)) {
    odd = eve_program_text (p);
    q = parse (odd, NULL);
    back = eve_get (eve_find (q, "Box"), "text");
    g_assert_cmpstr (back, ==, "bell \a end");
    eve_program_free (q);
  }
  g_assert_false (eve_set (c, "text", "no \uffff", NULL)); /* nor has it these */
  g_assert_true (eve_set (c, "text", "\ufffd \U0001f600", NULL));
  g_assert_null (eve_add (p, &box_settings, "Box \ufffe", NULL));
  g_autofree char *other = eve_program_text (p);
  q = parse (other, NULL);
  g_autofree char *then = eve_get (eve_find (q, "Box"), "text");
  g_assert_cmpstr (then, ==, "\ufffd \U0001f600");
  eve_program_free (q);
  eve_program_free (p);
}

static const char ghostly[] = HEAD "<eve version=\"1\">\n"
                                   "  <title>Ghosts</title>\n"
                                   "  <doc>With parts that nobody knows.</doc>\n"
                                   "  <component name=\"From\" class=\"test.source\" version=\"1\" x=\"1\" y=\"2\">\n"
                                   "    <setting name=\"colour\">blue &amp; green</setting>\n"
                                   "    <setting name=\"count\">7</setting>\n"
                                   "  </component>\n"
                                   "  <component name=\"Spirit\" class=\"gone.away\" version=\"3\" x=\"3\" y=\"4\">\n"
                                   "    <setting name=\"power\">9000</setting>\n"
                                   "  </component>\n"
                                   "  <component name=\"To\" class=\"test.sink\" version=\"1\" x=\"5\" y=\"6\"/>\n"
                                   "  <wire from=\"From\" out=\"out\" to=\"Spirit\" in=\"ears\"/>\n"
                                   "  <wire from=\"Spirit\" out=\"mouth\" to=\"To\" in=\"in\"/>\n"
                                   "  <wire from=\"From\" out=\"nothing\" to=\"To\" in=\"in\"/>\n"
                                   "  <wire from=\"From\" out=\"out\" to=\"To\" in=\"in\"/>\n"
                                   "</eve>\n";

/* Notes are kept, sorted, and are no part of what runs or is copied. */
static void
test_notes (void)
{
  EveProgram *p = parse (HEAD
                         "<eve version=\"1\"><title>T</title><note name=\"window\">a &lt; b\nc</note><note>x</note>"
                         "<component name=\"To\" class=\"test.sink\"/></eve>",
                         NULL);
  uint64_t plan = eve_program_plan_hash (p);

  g_assert_cmpstr (eve_program_title (p), ==, "T");
  g_assert_cmpstr (eve_program_note (p, "window"), ==, "a < b\nc");
  g_assert_cmpstr (eve_program_note (p, "frames"), ==, "");
  eve_program_set_note (p, "frames", "one");
  g_assert_cmpuint (eve_program_plan_hash (p), ==, plan);
  g_autofree char *text = eve_program_text (p);
  assert_contains (text, "<note name=\"frames\">one</note>\n  <note name=\"window\">a &lt; b\nc</note>");
  EveProgram *q = parse (text, NULL);
  g_assert_cmpstr (eve_program_note (q, "window"), ==, "a < b\nc");
  eve_program_free (q);
  EveComponent *to = eve_find (p, "To");
  g_autofree char *copied = eve_copy (p, &to, 1);
  g_assert_null (strstr (copied, "<note"));
  eve_program_set_note (p, "frames", NULL);
  g_assert_cmpstr (eve_program_note (p, "frames"), ==, "");
  eve_program_free (p);
}

static void
test_ghosts (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = parse (ghostly, problems), *q;
  EveComponent *ghost = eve_find (p, "Spirit"), *to = eve_find (p, "To");
  g_autofree char *text = NULL, *again = NULL;
  uint32_t broken = 0;

  g_assert_true (eve_is_ghost (ghost));
  g_assert_cmpstr (eve_class_id (ghost), ==, "gone.away");
  g_assert_true (told (problems, "gone.away"));
  g_assert_true (told (problems, "colour"));
  g_assert_true (told (problems, "nothing"));
  g_assert_true (told (problems, "test.eve:9:")); /* file and line */
  g_assert_cmpuint (eve_n_wires (p), ==, 4);
  for (uint32_t i = 0; i < 4; i++)
    broken += eve_wire (p, i).broken;
  g_assert_cmpuint (broken, ==, 3);
  run_idle (p); /* what can work works */
  g_assert_cmpuint (box_count (to), ==, 7);
  text = eve_program_text (p);
  assert_contains (text, "<title>Ghosts</title>");
  assert_contains (text, "<doc>With parts that nobody knows.</doc>");
  assert_contains (text, "<setting name=\"colour\">blue &amp; green</setting>");
  assert_contains (text, "<setting name=\"power\">9000</setting>");
  assert_contains (text, "class=\"gone.away\" version=\"3\"");
  assert_contains (text, "out=\"mouth\"");
  assert_contains (text, "in=\"ears\"");
  assert_contains (text, "out=\"nothing\"");
  q = parse (text, NULL);
  again = eve_program_text (q);
  g_assert_cmpstr (text, ==, again);
  eve_reset (p);
  eve_rename (eve_find (p, "From"), "Start", NULL); /* broken wires follow too */
  g_free (text);
  text = eve_program_text (p);
  g_assert_null (strstr (text, "\"From\""));
  eve_remove (p, ghost);
  g_assert_cmpuint (eve_n_wires (p), ==, 2);
  eve_program_free (p);
  eve_program_free (q);
}

/* ---- upgrade ---- */
static bool
upgrade (EveComponent *c, uint16_t from, EveRenames *s)
{
  const char *old = eve_renames_get (s, "divisor");

  if (from < 2) {
    eve_renames_move (s, "divisor", "n");
    if (old == NULL)
      eve_renames_set (s, "n", "9");
  }
  g_assert_null (eve_renames_get (s, "never was"));
  return true;
}

static void
test_upgrade (void)
{
  static EveClass newer;
  g_autofree char *a = NULL, *b = NULL, *d = NULL, *text = NULL;
  EveProgram *p;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  newer = box_every;
  newer.id = "test.newer";
  newer.version = 2;
  newer.upgrade = upgrade;
  g_assert_true (eve_registry_add (&newer, NULL));
  p = parse (
      HEAD "<eve version=\"1\">"
           "<component name=\"A\" class=\"test.newer\" version=\"1\"><setting name=\"divisor\">5</setting></component>"
           "<component name=\"B\" class=\"test.newer\" version=\"1\"/>"
           "<component name=\"C\" class=\"test.newer\" version=\"2\"><setting name=\"n\">6</setting></component>"
           "</eve>",
      problems);
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpstr (a = eve_get (eve_find (p, "A"), "n"), ==, "5");
  g_assert_cmpstr (b = eve_get (eve_find (p, "B"), "n"), ==, "9");
  g_assert_cmpstr (d = eve_get (eve_find (p, "C"), "n"), ==, "6");
  text = eve_program_text (p);
  g_assert_null (strstr (text, "divisor"));
  g_assert_null (strstr (text, "version=\"1\" x")); /* written by the newer class now */
  eve_program_free (p);
}

/* ---- what must be refused ---- */
static void
test_hostile (void)
{
  g_autoptr (GString) deep = g_string_new (HEAD "<eve version=\"1\">");

  refused ("", 0, NULL);
  refused ("hello", -1, NULL);
  refused ("<eve", -1, NULL);
  refused ("\0\0\0\0", 4, NULL);
  refused (HEAD "<program version=\"1\"/>", -1, "program");
  refused (HEAD "<eve version=\"99\"/>", -1, "99");
  refused (HEAD "<!DOCTYPE eve [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
                "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">"
                "<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">]>"
                "<eve version=\"1\"><title>&f;&f;&f;&f;&f;&f;&f;&f;&f;</title></eve>",
           -1, NULL);
  refused (HEAD "<!DOCTYPE eve SYSTEM \"file:///etc/passwd\"><eve version=\"1\"/>", -1, NULL);
  refused (HEAD "<!DOCTYPE eve [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><eve version=\"1\"><title>&x;</title></eve>",
           -1, NULL);
  refused (HEAD "<eve version=\"1\"><title>&unknown;</title></eve>", -1, NULL);
  refused (HEAD "<eve version=\"1\"></eve><eve version=\"1\"></eve>", -1, NULL);
  refused ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><eve version=\"1\"><title>\xff\xfe</title></eve>", -1, NULL);
  refused ("<?xml version=\"1.0\" encoding=\"klingon\"?><eve version=\"1\"/>", -1, NULL);
  for (int i = 0; i < 100000; i++)
    g_string_append (deep, "<a>");
  refused (deep->str, -1, NULL);
}

/* Cut anywhere: a refusal with the line, or for cuts that only lose white space the whole program. */
static void
test_cut (void)
{
  size_t n = strlen (ghostly);

  for (size_t i = 0; i < n - 1; i++) {
    g_autofree char *cut = g_strndup (ghostly, i);
    g_autoptr (GError) error = NULL;
    EveProgram *p = eve_program_parse (cut, (gssize) i, "test.eve", NULL, &error);

    g_assert_null (p);
    assert_contains (error->message, "test.eve");
  }
}

/* Names that are taken, missing, empty; numbers that are none: told with the line; the rest still works. */
static void
test_odd (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = parse (HEAD "<eve version=\"1\">\n"
                              "<component name=\"A\" class=\"test.source\" x=\"nan\" y=\"1e999\"/>\n"
                              "<component name=\"A\" class=\"test.sink\"/>\n"
                              "<component class=\"test.sink\"/>\n"
                              "<component name=\"B\"/>\n"
                              "<component name=\"\" class=\"test.sink\"/>\n"
                              "<component name=\"C\" class=\"test.source\"><setting>5</setting>"
                              "<setting name=\"first\">many</setting><setting name=\"count\">3</setting><setting "
                              "name=\"count\">5</setting></component>\n"
                              "<component name=\"To\" class=\"test.sink\" version=\"-7\"/>\n"
                              "<wire/>\n"
                              "<wire from=\"A\" out=\"out\" to=\"Nobody\" in=\"in\"/>\n"
                              "<wire from=\"C\" out=\"out\" to=\"To\" in=\"in\"/>\n"
                              "<wire from=\"C\" out=\"out\" to=\"To\" in=\"in\"/>\n"
                              "<unknown><deep/></unknown>\n"
                              "</eve>",
                         problems);
  g_autofree char *text = NULL, *again = NULL;
  EveProgram *q;

  g_assert_cmpuint (problems->len, >=, 6);
  for (guint i = 0; i < problems->len; i++)
    assert_contains (problems->pdata[i], "test.eve");
  run_idle (p);
  g_assert_cmpuint (box_count (eve_find (p, "To")), ==, 3);
  text = eve_program_text (p);
  q = parse (text, NULL);
  again = eve_program_text (q);
  g_assert_cmpstr (text, ==, again);
  eve_program_free (p);
  eve_program_free (q);
}

/* A name of 100 MB: within reason in time and memory, taken or refused in a short sentence. */
static void
test_huge (void)
{
  gsize n = 100u << 20;
  g_autoptr (GString) text = g_string_sized_new (n + 200);
  g_autoptr (GError) error = NULL;
  EveProgram *p;
  gint64 begin = g_get_monotonic_time ();

  g_string_append (text, HEAD "<eve version=\"1\"><component class=\"test.sink\" name=\"");
  g_string_set_size (text, text->len + n);
  memset (text->str + text->len - n, 'a', n);
  g_string_append (text, "\"/></eve>");
  p = eve_program_parse (text->str, (gssize) text->len, "test.eve", NULL, &error);
  if (p)
    eve_program_free (p);
  else
    g_assert_cmpuint (strlen (error->message), <, 1000);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 20 * G_USEC_PER_SEC);
}

static void
test_encodings (void)
{
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_parse ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><eve version=\"1\">"
                                     "<component name=\"Caf\xe9\" class=\"test.sink\"/></eve>",
                                     -1, "test.eve", NULL, &error);

  if (p) { /* another encoding, if it is taken, is understood */
    g_assert_nonnull (eve_find (p, "Caf\xc3\xa9"));
    eve_program_free (p);
  } else
    assert_contains (error->message, "test.eve");
}

/* ---- files ---- */
static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("file-XXXXXX", NULL), *path = g_build_filename (folder, "p.eve", NULL);
  g_autofree char *missing = g_build_filename (folder, "no", "such.eve", NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  EveProgram *p = parse (ghostly, NULL), *q;
  GDir *dir;
  int n = 0;

  g_assert_true (eve_program_save (p, path, &error));
  g_assert_true (eve_program_save (p, path, &error)); /* over the old one */
  q = eve_program_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (eve_program_plan_hash (p), ==, eve_program_plan_hash (q));
  eve_program_free (q);
  g_assert_null (eve_program_load (missing, NULL, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_FILE);
  assert_contains (error->message, "such.eve");
  g_clear_error (&error);
  g_assert_false (eve_program_save (p, missing, &error));
  assert_contains (error->message, "such.eve");
  g_clear_error (&error);
  g_assert_null (eve_program_load (folder, NULL, &error)); /* a folder */
  g_clear_error (&error);
  if (geteuid () != 0) { /* a save that fails leaves the old file */
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_chmod (folder, 0500);
    g_assert_false (eve_program_save (p, path, NULL));
    g_chmod (folder, 0700);
  }
  dir = g_dir_open (folder, 0, NULL);
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  g_assert_cmpint (n, ==, 1); /* no half-written leftovers */
  g_unlink (path);
  g_rmdir (folder);
  eve_program_free (p);
}

/* ---- copy and paste ---- */
static void
test_copy_paste (void)
{
  EveProgram *p = parse (ghostly, NULL), *q = eve_program_new ();
  EveComponent *which[] = { eve_find (p, "From"), eve_find (p, "Spirit"), eve_find (p, "To") };
  g_autofree char *text = eve_copy (p, which, 3), *part = eve_copy (p, which + 1, 1), *a = NULL, *kept = NULL;
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  double x, y;
  EveComponent *to2;

  g_assert_true (eve_paste (p, text, 10, 20, added, NULL, &error));
  g_assert_cmpuint (added->len, ==, 3);
  g_assert_cmpuint (eve_n_components (p), ==, 6);
  g_assert_cmpuint (eve_n_wires (p), ==, 8);
  to2 = added->pdata[2];
  g_assert_cmpstr (eve_name (to2), !=, "To");
  eve_position (to2, &x, &y);
  g_assert_true (x == 15 && y == 26);
  g_assert_cmpstr (a = eve_get (added->pdata[0], "count"), ==, "7");
  g_assert_true (eve_is_ghost (added->pdata[1]));
  run_idle (p);
  g_assert_cmpuint (box_count (to2), ==, 7);
  g_assert_true (eve_paste (q, part, 0, 0, NULL, NULL, &error)); /* wires to the outside stay behind */
  g_assert_cmpuint (eve_n_wires (q), ==, 0);
  g_assert_nonnull (eve_find (q, "Spirit"));
  kept = eve_program_text (q);
  assert_contains (kept, "9000");
  g_assert_false (eve_paste (q, "nonsense", 0, 0, added, NULL, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_FILE);
  g_assert_cmpuint (eve_n_components (q), ==, 1);
  g_clear_error (&error);
  for (int i = 0; i < 5; i++)
    g_assert_true (eve_paste (q, part, 1, 1, NULL, NULL, NULL));
  g_assert_cmpuint (eve_n_components (q), ==, 6);
  eve_program_free (p);
  eve_program_free (q);
}

/* A part keeps its wires to the outside: they go to the boxes of these names where it is added. */
static void
test_part (void)
{
  EveProgram *p = eve_program_new (), *q = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_pass, "Pass"), *to = box (p, &box_sink, "To");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free), added = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  set_int (from, "count", 5);
  wire (from, "out", pass, "in");
  wire (pass, "out", to, "in");
  g_autofree char *part = eve_part (p, &pass, 1), *copy = eve_copy (p, &pass, 1);
  assert_contains (part, "<wire from=\"From\" out=\"out\" to=\"Pass\" in=\"in\"/>");
  assert_contains (part, "<wire from=\"Pass\" out=\"out\" to=\"To\" in=\"in\"/>");
  g_assert_null (strstr (copy, "<wire"));
  /* both ends are there: what it makes comes twice */
  g_assert_true (eve_add_part (p, part, "part.eve", 0, 0, added, problems, &error));
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (eve_n_wires (p), ==, 4);
  g_assert_cmpstr (eve_name (added->pdata[0]), ==, "Pass 2");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  /* one of them does not fit, the other is not there: both are told, the box and the rest come */
  box (q, &box_text, "From");
  box (q, &box_sink, "Elsewhere");
  g_assert_true (eve_add_part (q, part, "part.eve", 0, 0, NULL, problems, &error));
  g_assert_cmpuint (problems->len, ==, 2);
  assert_contains (problems->pdata[0], "part.eve:");
  assert_contains (problems->pdata[0], "The wire from From.out to Pass.in is not made: ");
  assert_contains (problems->pdata[0], "text");
  assert_contains (problems->pdata[1],
                   "The wire from Pass.out to To.in is not made: the program has no component called 'To'");
  g_assert_cmpuint (eve_n_wires (q), ==, 0);
  g_assert_nonnull (eve_find (q, "Pass"));
  g_ptr_array_set_size (problems, 0);
  /* a port that is not there; a wire twice */
  const char *odd = HEAD "<eve version=\"1\"><title>T</title><doc>D</doc><note name=\"n\">N</note>"
                         "<wire from=\"Elsewhere\" out=\"none\" to=\"New\" in=\"in\"/>"
                         "<wire from=\"New\" out=\"out\" to=\"Elsewhere\" in=\"in\"/>"
                         "<wire from=\"New\" out=\"out\" to=\"Elsewhere\" in=\"in\"/>"
                         "<component name=\"New\" class=\"test.pass\"/></eve>";
  g_assert_true (eve_add_part (q, odd, "odd.eve", 0, 0, NULL, problems, &error));
  g_assert_cmpuint (problems->len, ==, 2);
  assert_contains (problems->pdata[0], "Elsewhere has no output called 'none'");
  assert_contains (problems->pdata[1], "New.out feeds Elsewhere.in already");
  g_assert_cmpuint (eve_n_wires (q), ==, 1);
  g_assert_cmpstr (eve_program_title (q), ==, "");
  /* a box of the text that got another name is not taken for one of the program */
  const char *twice = HEAD "<eve version=\"1\"><component name=\"New\" class=\"test.pass\"/>"
                           "<wire from=\"New 2\" out=\"out\" to=\"New\" in=\"in\"/></eve>";
  g_ptr_array_set_size (problems, 0);
  g_assert_true (eve_add_part (q, twice, "twice.eve", 0, 0, NULL, problems, &error));
  g_assert_nonnull (eve_find (q, "New 2"));
  g_assert_cmpuint (problems->len, ==, 1);
  assert_contains (problems->pdata[0], "the program has no component called 'New 2'");
  eve_program_free (p);
  eve_program_free (q);
}

/* Opened alone it says what is missing, and loses nothing: not by saving, renaming or undoing. */
static void
test_part_alone (void)
{
  const char *text = HEAD "<eve version=\"1\"><component name=\"Pass\" class=\"test.pass\"/>"
                          "<component name=\"Last\" class=\"test.pass\"/>"
                          "<wire from=\"From\" out=\"out\" to=\"Pass\" in=\"in\"/>"
                          "<wire from=\"From\" out=\"out\" to=\"Pass\" in=\"in\"/>" /* twice: kept once */
                          "<wire from=\"Pass\" out=\"out\" to=\"Last\" in=\"in\"/>"
                          "<wire from=\"Last\" out=\"out\" to=\"To\" in=\"in\"/>"
                          "<wire from=\"Here\" out=\"out\" to=\"There\" in=\"in\"/></eve>";
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = parse (text, problems);
  EveComponent *pass = eve_find (p, "Pass");

  g_assert_cmpuint (problems->len, ==, 4);
  assert_contains (problems->pdata[0],
                   "There is no component called 'From': the wire from From.out to Pass.in is made when");
  assert_contains (problems->pdata[2], "'To'");
  assert_contains (problems->pdata[3], "There is no component called 'Here': the wire is left out");
  g_assert_cmpuint (eve_n_wires (p), ==, 1);
  g_assert_true (eve_rename (pass, "First", NULL));
  g_autofree char *saved = eve_program_text (p);
  assert_contains (saved, "<wire from=\"From\" out=\"out\" to=\"First\" in=\"in\"/>");
  assert_contains (saved, "<wire from=\"Last\" out=\"out\" to=\"To\" in=\"in\"/>");
  g_autofree char *part = eve_part (p, &pass, 1); /* of the part a part */
  assert_contains (part, "<wire from=\"From\" out=\"out\" to=\"First\" in=\"in\"/>");
  assert_contains (part, "<wire from=\"First\" out=\"out\" to=\"Last\" in=\"in\"/>");
  g_assert_null (strstr (part, "\"To\""));
  eve_remove (p, eve_find (p, "Last"));
  g_autofree char *less = eve_program_text (p);
  g_assert_null (strstr (less, "\"To\""));
  g_assert_true (eve_program_update (p, saved, NULL, NULL)); /* undone */
  g_autofree char *again = eve_program_text (p);
  g_assert_cmpstr (again, ==, saved);
  eve_program_free (p);
}

/* Pasting while it runs disturbs nothing. */
static void
test_paste_running (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");
  EveComponent *which[] = { from, to };
  g_autofree char *text = NULL;

  set_int (from, "count", 3000);
  wire (from, "out", to, "in");
  text = eve_copy (p, which, 2);
  for (int i = 0; i < 10; i++) {
    eve_run (p, 0);
    g_assert_true (eve_paste (p, text, 0, 0, NULL, NULL, NULL));
  }
  run_idle (p);
  for (uint32_t i = 0; i < eve_n_components (p); i++)
    if (eve_class (eve_component (p, i)) == &box_sink)
      g_assert_cmpuint (box_count (eve_component (p, i)), ==, 3000);
  eve_program_free (p);
}

static bool
ask (void *left, double share)
{
  int *n = left;
  g_assert_cmpfloat (share, >=, 0);
  g_assert_cmpfloat (share, <=, 1);
  return --*n > 0;
}

/* Who reads a large program is asked now and then, and can break off. */
static void
test_asked (void)
{
  g_autoptr (GString) text = g_string_new ("<eve version=\"1\">");
  for (int i = 0; i < 3000; i++)
    g_string_append_printf (text, "<component name=\"Box %d\" class=\"test.pass\"/>", i);
  for (int i = 1; i < 3000; i++)
    g_string_append_printf (text, "<wire from=\"Box %d\" out=\"out\" to=\"Box %d\" in=\"in\"/>", i - 1, i);
  g_string_append (text, "</eve>");
  int most = 1000000, left = most;
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_parse_asking (text->str, -1, "large.eve", NULL, ask, &left, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (eve_n_wires (p), ==, 2999);
  eve_program_free (p);
  g_assert_cmpint (most - left, >=, 20);
  for (int i = 1; i < most - left; i += 3) {
    int n = i;
    g_assert_null (eve_program_parse_asking (text->str, -1, "large.eve", NULL, ask, &n, &error));
    g_assert_error (error, EVE_ERROR, EVE_ERROR_CANCELLED);
    g_assert_cmpint (n, ==, 0); /* it is not asked again */
    g_clear_error (&error);
  }
}

/* Many attributes are refused before the library compares each with each; what only looks like them is not counted. */
static void
test_attributes (void)
{
  for (int kind = 0; kind < 5; kind++) {
    static const char *const begin[] = { "<eve version=\"1\">\n<component ", "<eve version=\"1\"><!-- <a ",
                                         "<eve version=\"1\"><title><![CDATA[<a ", "<eve version=\"1\"><?x <a ",
                                         "<eve version=\"1\"><note name=\"n\">x &lt; " };
    static const char *const end[] = { "/></eve>", "> --></eve>", ">]]></title></eve>", "> ?></eve>", "</note></eve>" };
    g_autoptr (GString) text = g_string_new (begin[kind]);
    g_autoptr (GError) error = NULL;
    for (int i = 0; i < 100000; i++) /* no '<' in a value that is none */
      g_string_append_printf (text, "a%d='%c&gt;=\"' ", i, kind ? '.' : '<');
    g_string_append (text, end[kind]);
    EveProgram *p = eve_program_parse (text->str, -1, "wide.eve", NULL, &error);
    g_assert_true ((p != NULL) == (kind != 0));
    if (kind == 0)
      assert_contains (error->message, "wide.eve:2 has an element with more than 256 attributes");
    else
      g_assert_no_error (error);
    eve_program_free (p);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  boxes_register ();
  g_test_add_func ("/file/round-trip", test_round_trip);
  g_test_add_func ("/file/settings-text", test_settings_text);
  g_test_add_func ("/file/ghosts", test_ghosts);
  g_test_add_func ("/file/upgrade", test_upgrade);
  g_test_add_func ("/file/hostile", test_hostile);
  g_test_add_func ("/file/cut", test_cut);
  g_test_add_func ("/file/odd", test_odd);
  g_test_add_func ("/file/huge", test_huge);
  g_test_add_func ("/file/encodings", test_encodings);
  g_test_add_func ("/file/files", test_files);
  g_test_add_func ("/file/notes", test_notes);
  g_test_add_func ("/file/copy-paste", test_copy_paste);
  g_test_add_func ("/file/part", test_part);
  g_test_add_func ("/file/part-alone", test_part_alone);
  g_test_add_func ("/file/paste-running", test_paste_running);
  g_test_add_func ("/file/asked", test_asked);
  g_test_add_func ("/file/attributes", test_attributes);
  return g_test_run ();
}
