/* SPDX-License-Identifier: Apache-2.0 */
/* What the canvas does to a program: deleting that heals, inserting, grouping, aligning, and the notes that go with it.
 */
#include "document/clip.h"
#include "document/edits.h"
#include "document/history.h"
#include "document/parts.h"
#include "tests/unit/boxes.h"
#include "views/panel.h"

static EveProgram *
chain (EveComponent **source, EveComponent **pass, EveComponent **sink)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  *source = box (p, &box_source, "Source");
  *pass = box (p, &box_pass, "Pass");
  *sink = box (p, &box_sink, "Sink");
  set_int (*source, "count", 10);
  wire (*source, "out", *pass, "in");
  wire (*pass, "out", *sink, "in");
  return p;
}

static bool
wired (EveProgram *p, const char *from, const char *to)
{
  for (uint32_t i = 0; i < eve_n_wires (p); i++)
    if (!strcmp (eve_name (eve_wire (p, i).from), from) && !strcmp (eve_name (eve_wire (p, i).to), to))
      return true;
  return false;
}

static void
test_delete (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *second = box (p, &box_sink, "Second"), *number = box (p, &box_number, "Number");
  wire (pass, "out", second, "in");
  wire (pass, "out", number, "in");
  edits_delete (p, &pass, 1, true);
  g_assert_cmpuint (eve_n_wires (p), ==, 3);
  g_assert_true (wired (p, "Source", "Sink") && wired (p, "Source", "Second") && wired (p, "Source", "Number"));
  edits_delete (p, &second, 1, true);
  g_assert_cmpuint (eve_n_wires (p), ==, 2);
  run_idle (p);
  g_assert_cmpuint (box_count (sink), ==, 10);
  eve_program_free (p);

  p = chain (&source, &pass, &sink); /* several in a row, and without healing */
  EveComponent *more = box (p, &box_pass, "More");
  g_assert_true (edits_insert (p, more, pass, "out", sink, "in", NULL));
  EveComponent *both[] = { pass, more };
  edits_delete (p, both, 2, true);
  g_assert_true (wired (p, "Source", "Sink") && eve_n_wires (p) == 1);
  eve_program_free (p);
  p = chain (&source, &pass, &sink);
  edits_delete (p, &pass, 1, false);
  g_assert_cmpuint (eve_n_wires (p), ==, 0);
  eve_program_free (p);
}

/* What went past bypassed boxes goes on when they are deleted, and nothing else; nothing passes through one that is
 * off.
 */
static void
test_delete_bypassed (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *more = box (p, &box_pass, "More"), *add = box (p, &box_add, "Add"),
               *other = box (p, &box_source, "Other"), *any = box (p, &box_any, "Anything"),
               *last = box (p, &box_any_sink, "Last");
  g_autoptr (GError) error = NULL;
  set_int (other, "count", 3);
  g_assert_true (edits_insert (p, more, pass, "out", sink, "in", NULL));
  wire (source, "out", add, "a");
  wire (other, "out", add, "b");
  wire (add, "out", any, "in");
  wire (any, "out", last, "in");
  EveComponent *const bypassed[] = { pass, more, add, any };
  for (guint i = 0; i < G_N_ELEMENTS (bypassed); i++)
    g_assert_true (eve_set_use (bypassed[i], EVE_BYPASSED, NULL));
  g_autofree char *text = eve_program_text (p);
  run_idle (p);
  g_assert_cmpuint (box_count (sink), ==, 10);
  edits_delete (p, (EveComponent *const[]){ any, more, add, pass }, 4, true);
  g_assert_cmpuint (eve_n_wires (p), ==, 2); /* the second input of Add led nowhere */
  g_assert_true (wired (p, "Source", "Sink") && wired (p, "Source", "Last"));
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (sink), ==, 10);
  eve_program_free (p);

  EveProgram *q = eve_program_parse (text, -1, "again", NULL,
                                     &error); /* one after the other, neighbours stay bypassed */
  g_assert_no_error (error);
  EveComponent *first = eve_find (q, "Pass");
  edits_delete (q, &first, 1, true);
  g_assert_true (wired (q, "Source", "More") && !wired (q, "Source", "Sink"));
  run_idle (q);
  g_assert_cmpuint (box_count (eve_find (q, "Sink")), ==, 10);
  EditHistory *h = edit_history_new (q); /* it comes back bypassed, with its wires, and goes again */
  g_autofree char *before = eve_program_text (q);
  EveComponent *next = eve_find (q, "More");
  edit_history_begin (h, "Delete", NULL);
  edits_delete (q, &next, 1, true);
  g_assert_true (edit_history_end (h));
  g_assert_true (wired (q, "Source", "Sink"));
  g_assert_true (edit_history_undo (h, NULL));
  g_autofree char *after = eve_program_text (q);
  g_assert_cmpstr (after, ==, before);
  g_assert_cmpint (eve_use (eve_find (q, "More")), ==, EVE_BYPASSED);
  eve_reset (q);
  run_idle (q);
  g_assert_cmpuint (box_count (eve_find (q, "Sink")), ==, 10);
  g_assert_true (edit_history_redo (h, NULL));
  eve_reset (q);
  run_idle (q);
  g_assert_cmpuint (box_count (eve_find (q, "Sink")), ==, 10);
  edit_history_free (h);
  eve_program_free (q);

  p = chain (&source, &pass, &sink);
  g_assert_true (eve_set_use (pass, EVE_OFF, NULL));
  edits_delete (p, &pass, 1, true);
  g_assert_cmpuint (eve_n_wires (p), ==, 0);
  eve_program_free (p);
  p = chain (&source, &pass, &sink); /* the box works, what feeds it is off */
  g_assert_true (eve_set_use (source, EVE_OFF, NULL));
  edits_delete (p, &pass, 1, true);
  g_assert_true (wired (p, "Source", "Sink"));
  eve_program_free (p);
}

/* Inputs that are fed by what is off are taken all the same. */
static void
test_replace_beside_what_is_off (void)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  EveComponent *source = box (p, &box_source, "Source"), *other = box (p, &box_source, "Other"),
               *old = box (p, &box_needy, "Old");
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  wire (source, "out", old, "a");
  wire (other, "out", old, "b");
  g_assert_true (eve_set_use (source, EVE_OFF, NULL) && eve_set_use (other, EVE_OFF, NULL));
  guint of;
  g_assert_cmpuint (edits_replace_fit (old, &box_add, &of), ==, 2);
  EveComponent *new = edits_replace (p, old, &box_add, lost, NULL);
  g_assert_cmpuint (lost->len, ==, 0);
  g_assert_cmpuint (eve_n_wires (p), ==, 2);
  g_assert_true (edits_is_taken (new, "a") && edits_is_taken (new, "b"));
  new = edits_replace (p, new, &box_echo, lost,
                       NULL); /* has one input: that of the first, and the second comes beside it */
  g_assert_cmpuint (eve_n_wires (p) + lost->len, ==, 2);
  EveComponent *hold = edits_replace (p, new, &box_add, NULL, NULL);
  g_assert_true (edits_is_taken (hold, "a") && edits_is_taken (hold, "b")); /* not both to the first */
  eve_program_free (p);
}

/* A box that makes something else of what comes in is not gone round. */
static void
test_delete_other_type (void)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  EveComponent *source = box (p, &box_source, "Source"), *gate = box (p, &box_hold, "Hold"),
               *sink = box (p, &box_sink, "Sink");
  EveComponent *text = box (p, &box_text, "Text"), *any = box (p, &box_any_sink, "Any");
  wire (source, "out", gate, "gain"); /* a control: no way through */
  wire (gate, "out", sink, "in");
  wire (text, "out", any, "in");
  edits_delete (p, &gate, 1, true);
  g_assert_false (wired (p, "Source", "Sink"));
  edits_delete (p, &text, 1, true);
  g_assert_cmpuint (eve_n_wires (p), ==, 0);
  eve_program_free (p);
}

static void
test_insert (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *text = box (p, &box_text, "Text"), *hold = box (p, &box_hold, "Hold"), *add = box (p, &box_add, "Add");
  g_autofree char *before = eve_program_text (p);
  g_autoptr (GError) error = NULL;
  g_assert_false (edits_insert (p, text, pass, "out", sink, "in", &error));
  assert_contains (error->message, "Text does not fit");
  g_autofree char *after = eve_program_text (p);
  g_assert_cmpstr (before, ==, after);
  g_assert_true (edits_insert (p, hold, pass, "out", sink, "in", NULL));
  g_assert_true (wired (p, "Pass", "Hold") && wired (p, "Hold", "Sink") && !wired (p, "Pass", "Sink"));
  for (uint32_t i = 0; i < eve_n_wires (p); i++)
    g_assert_cmpstr (eve_wire (p, i).in, !=, "gain");
  wire (source, "out", add, "a"); /* its first input is taken: the second is used */
  g_assert_true (edits_insert (p, add, source, "out", pass, "in", NULL));
  g_assert_cmpuint (eve_n_wires (p), ==, 5);
  g_assert_true (edits_class_fits_wire (&box_pass, source, "out", add, "a"));
  g_assert_false (edits_class_fits_wire (&box_text, source, "out", add, "a"));
  g_assert_cmpstr (edits_class_port (&box_hold, &eve_type_int64, false), ==, "value");
  g_assert_null (edits_class_port (&box_hold, &eve_type_text, false));
  eve_program_free (p);
}

static void
test_connect_first (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *add = box (p, &box_add, "Add"), *text = box (p, &box_text, "Text");
  g_autoptr (GError) error = NULL;
  g_assert_true (edits_connect_first (p, source, "out", add, false, NULL));
  g_assert_true (edits_connect_first (p, source, "out", add, false, NULL)); /* the other input */
  g_assert_false (edits_connect_first (p, source, "out", add, false, &error));
  assert_contains (error->message, "already");
  g_clear_error (&error);
  g_assert_false (edits_connect_first (p, add, "a", text, true, &error));
  assert_contains (error->message, "text");
  g_assert_true (edits_connect_first (p, sink, "in", add, true, NULL));
  eve_program_free (p);
}

/* ---- who names boxes ---------------------------------------------------------------------------------------------- */
typedef struct Naming {
  EveBase base;
  char *boxes;
} Naming;

static const char *
named (EveComponent *c)
{
  return ((Naming *) c)->boxes;
}

static const char *
no_peer (EveComponent *c, uint32_t i)
{
  return NULL;
}

static const void *
query_peers (EveComponent *c, const char *name)
{
  static const EvePeers peers = { "boxes", no_peer, false };
  return strcmp (name, EVE_PEERS) == 0 ? &peers : NULL;
}

static const void *
query_panel (EveComponent *c, const char *name)
{
  static const PanelOf panel = { named };
  return strcmp (name, PANEL_INTERFACE) == 0 ? &panel : NULL;
}

static const EveField naming_settings[] = { { "boxes", EVE_F_STRING, offsetof (Naming, boxes), .doc = "x" } };
#define NAMING_CLASS(id_, query_)                                                                                      \
  {                                                                                                                    \
    EVE_CLASS_HEAD, .id = id_, .label = "Naming", .category = "Test", .doc = "x", .version = 1,                        \
                    .settings = naming_settings, .n_settings = 1, .instance_size = sizeof (Naming), .query = query_    \
  }
static const EveClass box_broker = NAMING_CLASS ("test.naming-peers", query_peers),
                      box_panel = NAMING_CLASS ("test.naming-panel", query_panel),
                      box_plain = NAMING_CLASS ("test.naming-nothing", NULL);

/* Whoever goes by the name of a box goes by its new one. */
static void
test_rename_named (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *who[] = { box (p, &box_broker, "Broker"), box (p, &box_panel, "Panel"), box (p, &box_plain, "Plain") };

  for (int i = 0; i < 3; i++)
    g_assert_true (eve_set (who[i], "boxes", "Sink, Pass, Nobody", NULL));
  g_assert_true (edits_rename (pass, "Pass, or not", NULL));
  for (int i = 0; i < 3; i++) {
    g_autofree char *boxes = eve_get (who[i], "boxes");
    g_assert_cmpstr (boxes, ==, i < 2 ? "Sink, \"Pass, or not\", Nobody" : "Sink, Pass, Nobody");
  }
  eve_program_free (p);
}

static void
test_groups (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *other = box (p, &box_sink, "Other"), *two[] = { pass, sink }, *three[] = { source, pass, sink };
  g_autofree char *inner = edits_group (p, two, 2, "Inner"), *outer = edits_group (p, three, 3, "Inner");
  g_assert_cmpstr (inner, ==, "Inner");
  g_assert_cmpstr (outer, ==, "Inner 2");
  g_autoptr (GError) error = NULL;
  g_assert_false (edits_rename_group (p, outer, "Inner", &error));
  g_assert_true (edits_rename_group (p, outer, "Outer", NULL));
  edits_fold (p, "Inner", true);
  g_assert_true (edits_rename (pass, "Passage", NULL));
  {
    g_autoptr (Notes) n = notes_read (p);
    Group *a = notes_group (n, "Inner"), *b = notes_group (n, "Outer");
    g_assert_true (a && b && a->open && !b->open);
    g_assert_cmpstr (a->parent, ==, "Outer");
    g_assert_true (notes_group_of (n, "Passage") == a && notes_group_of (n, "Source") == b
                   && !notes_group_of (n, "Other"));
    g_autoptr (GPtrArray) all = notes_all_boxes (n, b);
    g_assert_cmpuint (all->len, ==, 3);
    g_assert_true (notes_inside (n, a, b) && !notes_inside (n, b, a));
  }
  g_free (edits_group (p, &source, 1, "Third")); /* inside Outer, beside Inner */
  {
    g_autoptr (Notes) n = notes_read (p);
    g_assert_cmpstr (notes_group (n, "Third")->parent, ==, "Outer");
    notes_move_frame (notes_add_frame (n, 0, 0, 64, 64, "Of Third"), notes_group (n, "Third"));
    notes_move_frame (notes_add_frame (n, 0, 0, 64, 64, "Of Inner"), notes_group (n, "Inner"));
    notes_write (p, n);
  }
  g_assert_true (edits_rename_group (p, "Inner", "Core", NULL));
  {
    g_autoptr (Notes) n = notes_read (p);
    const Frame *first = n->frames->pdata[0], *second = n->frames->pdata[1];
    g_assert_cmpstr (first->group, ==, "Third");
    g_assert_cmpstr (second->group, ==, "Core");
    g_assert_true (notes_folded (n, notes_group (n, second->group)) == notes_group (n, "Outer"));
  }
  edits_ungroup (p, "Core"); /* what was in it is in the outer one */
  {
    g_autoptr (Notes) n = notes_read (p);
    g_assert_cmpstr (((Frame *) n->frames->pdata[1])->group, ==, "Outer");
  }
  g_free (edits_group (p, (EveComponent *[]){ pass, sink }, 2, "Inner"));
  edits_delete (p, &source, 1, true); /* the last box of a group takes it along */
  edits_ungroup (p, "Outer");
  {
    g_autoptr (Notes) n = notes_read (p);
    g_assert_null (notes_group (n, "Third"));
    g_assert_cmpstr (((Frame *) n->frames->pdata[0])->group, ==, "");
    g_assert_cmpstr (((Frame *) n->frames->pdata[1])->group, ==, "");
    g_assert_cmpstr (notes_group (n, "Inner")->parent, ==, "");
  }
  edits_ungroup (p, "Inner");
  g_assert_cmpstr (eve_program_note (p, "groups"), ==, "");
  g_assert_nonnull (eve_find (p, "Other"));
  (void) other;
  eve_program_free (p);
}

/* Notes go through the program's file; what makes no sense in them is left out. */
static void
test_notes (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  {
    g_autoptr (Notes) n = notes_read (p);
    notes_add_frame (n, -8, 16, 320, 200, "Erste Zeile\n\tzw\303\266lf \"zwei\"")->colour = 3;
    notes_add_probe (n, "Source", "out", "Pass", "in");
    notes_add_probe (n, "Source", "out", "Pass", "in");
    notes_write (p, n);
  }
  g_autofree char *text = eve_program_text (p);
  g_autoptr (GError) error = NULL;
  EveProgram *again = eve_program_parse (text, -1, "again", NULL, &error);
  g_assert_no_error (error);
  {
    g_autoptr (Notes) n = notes_read (again);
    g_assert_cmpuint (n->frames->len, ==, 1);
    g_assert_cmpuint (n->probes->len, ==, 1);
    Frame *f = n->frames->pdata[0];
    g_assert_cmpstr (f->text, ==, "Erste Zeile\n\tzw\303\266lf \"zwei\"");
    g_assert_true (f->x == -8 && f->y == 16 && f->width == 320 && f->height == 200 && f->colour == 3);
  }
  edits_delete (again, (EveComponent *[]){ eve_find (again, "Pass") }, 1, true);
  g_assert_cmpstr (eve_program_note (again, "probes"), ==, "");
  eve_program_set_note (again, "groups",
                        "group\ta\tb\topen\ngroup\tb\ta\tfolded\ngroup\ta\t\topen\nbox\ta\tSource\n"
                        "box\tb\tSource\nbox\tc\tSink\nnonsense\ngroup\n");
  eve_program_set_note (again, "frames", "frame\tx\t1e999\t-3\t1\t77\t\\303\nframe\t1\n");
  {
    g_autoptr (Notes) n = notes_read (again);
    g_assert_cmpuint (n->groups->len, ==, 2);
    g_assert_true (notes_group_of (n, "Source") == notes_group (n, "a") && !notes_group_of (n, "Sink"));
    for (guint i = 0; i < 2; i++) /* walking up comes to an end */
      notes_inside (n, n->groups->pdata[i], NULL);
    g_assert_cmpuint (n->frames->len, ==, 1);
    g_assert_true (g_utf8_validate (((Frame *) n->frames->pdata[0])->text, -1, NULL));
  }
  eve_program_free (again);
  eve_program_free (p);
}

/* So many lines of a kind are all there when they were read. */
static void
read_many (int kind, const char *begin, const char *format, guint n)
{
  g_autoptr (GString) text = g_string_new (begin);
  const char *lines[NOTES_KINDS] = { NULL };
  for (guint i = 0; i < n; i++) {
    g_autofree char *number = g_strdup_printf ("%u", i);
    g_auto (GStrv) parts = g_strsplit (format, "%", -1);
    g_autofree char *line = g_strjoinv (number, parts);
    g_string_append (text, line);
  }
  lines[kind] = text->str;
  g_autoptr (Notes) notes = notes_parse (lines);
  const GPtrArray *const read[] = { NULL, notes->frames, notes->probes, notes->bends, notes->bookmarks };
  const Group *g = kind == 0 ? notes->groups->pdata[0] : NULL;
  g_assert_cmpuint (g ? MAX (MAX (g->boxes->len, g->faces->len), notes->groups->len) : read[kind]->len, ==, n);
}

static void
test_notes_many (void)
{
  static const struct {
    int kind;
    const char *begin, *line;
  } all[] = {
    { 0, "group\tg\t\topen\n", "face\tg\tbox %\tn\n" },
    { 0, "group\tg\t\topen\n", "box\tg\tbox %\n" },
    { 0, "", "group\tg %\t\topen\n" },
    { 1, "", "frame\t1\t2\t64\t64\t1\ttext %\n" },
    { 2, "", "probe\ta %\tout\tb\tin\n" },
    { 3, "", "bend\ta\tout\tb\tin\t1\t%\n" },
    { 4, "", "bookmark\tb %\t1\t2\t1\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    read_many (all[i].kind, all[i].begin, all[i].line, 10000);
}

/* A wire of the box to itself stays if it can, and is told if it cannot. */
static void
test_replace_loop (void)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  EveComponent *loop = box (p, &box_loop, "Turn"), *sink = box (p, &box_sink, "Sink");
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  guint of;

  wire (loop, "again", loop, "in");
  wire (loop, "done", sink, "in");
  g_assert_cmpuint (edits_replace_fit (loop, &box_echo_loop, &of), ==, 2);
  g_assert_cmpuint (of, ==, 2);
  EveComponent *echo = edits_replace (p, loop, &box_echo_loop, lost, &error);
  g_assert_no_error (error);
  g_assert_true (wired (p, "Turn", "Turn") && wired (p, "Turn", "Sink") && lost->len == 0);
  g_assert_cmpuint (edits_replace_fit (echo, &box_pass, &of), ==, 1);
  g_assert_nonnull (edits_replace (p, echo, &box_pass, lost, &error));
  g_assert_true (!wired (p, "Turn", "Turn") && wired (p, "Turn", "Sink") && lost->len == 1);
  g_assert_cmpstr (lost->pdata[0], ==, "Turn.again \u2192 Turn.in");
  eve_program_free (p);
}

/* By its type a wire of texts fits what takes any; that the box refuses them is known when it is tried. */
static void
test_replace_refused (void)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  EveComponent *text = box (p, &box_text, "Text"), *any = box (p, &box_any, "Any"),
               *sink = box (p, &box_any_sink, "Sink");
  guint of;

  wire (text, "out", any, "in");
  wire (any, "out", sink, "in");
  g_assert_cmpuint (edits_replace_fit (sink, &box_picky, &of), ==, 1);
  g_assert_cmpuint (edits_replace_try (sink, &box_picky), ==, 0);
  g_assert_cmpuint (edits_replace_try (sink, &box_number), ==, 0);
  g_assert_cmpuint (edits_replace_try (sink, &box_any_sink), ==, 1);
  g_assert_cmpuint (edits_replace_try (any, &box_any), ==, 2);
  g_assert_cmpuint (eve_n_components (p), ==, 3);
  g_assert_cmpuint (eve_n_wires (p), ==, 2);
  eve_program_free (p);
}

static void
test_align (void)
{
  Place q[] = { { .x = 200, .y = 0, .width = 100, .height = 50 },
                { .x = 0, .y = 30, .width = 50, .height = 20 },
                { .x = 90, .y = 60, .width = 60, .height = 40 } };
  Place left[3], right[3], row[3];
  memcpy (left, q, sizeof q);
  memcpy (right, q, sizeof q);
  memcpy (row, q, sizeof q);
  g_assert_true (edits_align (left, 3, "left") && edits_align (right, 3, "right") && edits_align (row, 3, "row"));
  g_assert_false (edits_align (q, 3, "nowhere"));
  for (int i = 0; i < 3; i++) {
    g_assert_cmpfloat (left[i].x, ==, 0);
    g_assert_cmpfloat (right[i].x + right[i].width, ==, 300);
    g_assert_cmpfloat (row[i].y, ==, 0);
  }
  g_assert_true (row[0].x == 0 && row[1].x == 95 && row[2].x == 200); /* gaps of 45 */
}

/* What a group has as parent, boxes in all and whether it is open: "Outer 3 folded". */
static char *
tell (const Notes *n, const char *group)
{
  const Group *g = notes_group (n, group);
  g_autoptr (GPtrArray) all = g ? notes_all_boxes (n, g) : NULL;
  return g ? g_strdup_printf ("%s %u %s", g->parent, all->len, g->open ? "open" : "folded") : g_strdup ("gone");
}

static void
assert_group (const Notes *n, const char *group, const char *wanted)
{
  g_autofree char *is = tell (n, group);
  g_assert_cmpstr (is, ==, wanted);
}

/* Sub-programs, nested, frames and pinned values go along, into the same program and into another. */
static void
test_clip (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *inner[] = { pass, sink }, *all[] = { source, pass, sink };
  eve_set_position (source, 40, 40);
  g_free (edits_group (p, inner, 2, "Half & half"));
  g_free (edits_group (p, all, 3, "Whole"));
  edits_fold (p, "Whole", true);
  g_autoptr (Notes) before = notes_read (p);
  notes_add_frame (before, 16, 24, 200, 100, "Two\nlines <of> it")->colour = 3;
  notes_move_frame (before->frames->pdata[0], notes_group (before, "Whole"));
  notes_add_frame (before, 1000, 0, 64, 64, "Another");
  notes_add_probe (before, "Pass", "out", "Sink", "in");
  notes_write (p, before);
  g_autoptr (GPtrArray) frames = g_ptr_array_new (), added = g_ptr_array_new ();
  g_ptr_array_add (frames, before->frames->pdata[0]);
  g_autofree char *text = clip_copy (p, all, 3, frames);
  g_autoptr (GError) error = NULL;
  guint n_frames = 0;

  g_assert_true (clip_paste (p, text, NULL, &(ClipPlace){ .x = 8, .y = 16 }, added, &n_frames, NULL, &error));
  g_assert_cmpuint (added->len, ==, 3);
  g_assert_cmpuint (n_frames, ==, 1);
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Whole", " 3 open");
    assert_group (n, "Whole 2", " 3 open");
    assert_group (n, "Half & half 2", "Whole 2 2 folded");
    g_assert_cmpstr (notes_group_of (n, "Pass 2")->name, ==, "Half & half 2");
    g_assert_cmpstr (notes_group_of (n, "Source 2")->name, ==, "Whole 2");
    g_assert_nonnull (notes_probe (n, "Pass 2", "out", "Sink 2", "in"));
    g_assert_cmpuint (n->frames->len, ==, 3);
    const Frame *f = n->frames->pdata[2];
    g_assert_cmpstr (f->text, ==, "Two\nlines <of> it");
    g_assert_true (f->x == 24 && f->y == 40 && f->width == 200 && f->colour == 3);
    g_assert_cmpstr (f->group, ==, "Whole 2");
  }
  /* a part of a sub-program is no sub-program, but may be put into the one that it is from */
  g_autofree char *part = clip_copy (p, &pass, 1, NULL), *outer = edits_outer_group (p, &pass, 1);
  g_assert_cmpstr (outer, ==, "Half & half");
  g_ptr_array_set_size (added, 0);
  g_assert_true (clip_paste (p, part, NULL, &(ClipPlace){ .group = outer }, added, &n_frames, NULL, &error));
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Half & half", "Whole 3 folded");
    assert_group (n, "Half & half 3", "gone");
    g_assert_cmpuint (n_frames, ==, 0);
  }
  /* the inner one alone, into the outer: "Half & half 3" */
  g_autofree char *half = clip_copy (p, inner, 2, NULL);
  g_ptr_array_set_size (added, 0);
  g_assert_true (clip_paste (p, half, NULL, &(ClipPlace){ .group = "Whole 2" }, added, &n_frames, NULL, &error));
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Whole 2", " 5 open");
  }

  EveProgram *q = eve_program_new ();
  g_ptr_array_set_size (added, 0);
  g_assert_true (
      clip_paste (q, text, NULL, &(ClipPlace){ .corner = true, .x = 500, .y = 300 }, added, &n_frames, NULL, &error));
  g_autoptr (Notes) there = notes_read (q);
  assert_group (there, "Half & half", "Whole 2 folded");
  const Frame *f = there->frames->pdata[0];
  double x, y;
  eve_position (eve_find (q, "Source"), &x, &y);
  g_assert_true (f->x == x - 24 && f->y == y - 16); /* what lay on the frame lies on it */
  eve_position (eve_find (q, "Sink"), &x, &y);      /* the upper left corner of all */
  g_assert_true (x == 500 && y == 300);
  /* it is a program file too */
  EveProgram *file = eve_program_parse (text, -1, "mail", NULL, &error);
  g_assert_no_error (error);
  g_autoptr (Notes) read = notes_read (file);
  assert_group (read, "Half & half", "Whole 2 folded");

  g_autofree char *bare = clip_copy (p, NULL, 0, frames); /* a frame alone */
  g_ptr_array_set_size (added, 0);
  g_assert_true (clip_paste (q, bare, NULL, &(ClipPlace){ 0 }, added, &n_frames, NULL, &error));
  g_assert_true (added->len == 0 && n_frames == 1);
  g_autoptr (Notes) alone = notes_read (q);
  g_assert_cmpstr (((Frame *) alone->frames->pdata[1])->group, ==, "");
  g_assert_false (clip_paste (q, "no program", NULL, &(ClipPlace){ 0 }, added, &n_frames, NULL, &error));
  g_assert_nonnull (error);
  eve_program_free (file);
  eve_program_free (q);
  eve_program_free (p);
}

/* Into a group and out of it: a group that goes as a whole stays one. */
static void
test_into (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  EveComponent *other = box (p, &box_sink, "Other"), *more = box (p, &box_sink, "More");
  g_free (edits_group (p, (EveComponent *[]){ pass, sink }, 2, "Inner"));
  g_free (edits_group (p, (EveComponent *[]){ other, more }, 2, "Outer"));
  edits_into (p, (EveComponent *[]){ source, pass, sink }, 3, "Outer");
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Inner", "Outer 2 folded");
    assert_group (n, "Outer", " 5 folded");
    g_assert_cmpstr (notes_group_of (n, "Source")->name, ==, "Outer");
  }
  edits_into (p, &pass, 1, "Outer"); /* a part of one leaves it */
  edits_into (p, (EveComponent *[]){ sink, other }, 2, "");
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Inner", " 1 folded");
    assert_group (n, "Outer", " 3 folded");
    g_assert_null (notes_group_of (n, "Other"));
    g_assert_cmpstr (notes_group_of (n, "Pass")->name, ==, "Outer");
  }
  edits_into (p, (EveComponent *[]){ source, pass, more }, 3, "Outer"); /* into itself: as it was */
  {
    g_autoptr (Notes) n = notes_read (p);
    assert_group (n, "Outer", " 3 folded");
  }
  eve_program_free (p);
}

/* A box that the engine leaves out puts nothing into the wrong sub-program. */
static void
test_clip_damaged (void)
{
  boxes_register ();
  EveProgram *p = eve_program_new ();
  const char *text =
      "<eve version=\"1\"><note name=\"groups\">group\tA\t\tfolded\nbox\tA\tSink\nbox\tA\tNobody\n</note>"
      "<note name=\"frames\">frame\tx</note><note name=\"other\">left aside</note>"
      "<component name=\"Lost\"/><component class=\"box.sink\" name=\"Sink\"/>"
      "<component class=\"box.sink\" name=\"Sink\"/><component class=\"nobody.knows\" name=\"Ghost\"/></eve>";
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  guint n_frames = 9;
  g_assert_true (clip_paste (p, text, NULL, &(ClipPlace){ 0 }, added, &n_frames, NULL, NULL));
  g_assert_cmpuint (added->len, ==, 2);
  g_assert_cmpuint (n_frames, ==, 0);
  g_autoptr (Notes) n = notes_read (p);
  assert_group (n, "A", " 1 folded");
  g_assert_nonnull (notes_group_of (n, "Sink"));
  g_assert_null (notes_group_of (n, "Ghost"));
  g_assert_cmpstr (eve_program_note (p, "other"), ==, "");
  eve_program_free (p);
}

static void
test_parts (void)
{
  EveComponent *source, *pass, *sink;
  EveProgram *p = chain (&source, &pass, &sink);
  g_autofree char *name = part_of_wire (source, "out", pass, "in"), *frame = part_of_frame (1);
  EveWire w;
  guint number;
  g_assert_true (part_wire (p, name, &w) && w.from == source && w.to == pass);
  g_assert_false (part_wire (p, frame, &w));
  g_assert_false (part_wire (p, "wire\tSource\tout\tSink\tin", &w));
  g_autoptr (Notes) n = notes_read (p);
  notes_add_frame (n, 0, 0, 64, 64, "");
  g_assert_false (part_frame (n, frame, &number));
  notes_add_frame (n, 0, 0, 64, 64, "");
  g_assert_true (part_frame (n, frame, &number) && number == 1);
  g_assert_false (part_frame (n, name, &number));
  eve_disconnect (p, source, "out", pass, "in");
  g_assert_false (part_wire (p, name, &w));
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edits/delete", test_delete);
  g_test_add_func ("/edits/delete-bypassed", test_delete_bypassed);
  g_test_add_func ("/edits/replace-beside-what-is-off", test_replace_beside_what_is_off);
  g_test_add_func ("/edits/delete-other-type", test_delete_other_type);
  g_test_add_func ("/edits/insert", test_insert);
  g_test_add_func ("/edits/connect-first", test_connect_first);
  g_test_add_func ("/edits/rename-named", test_rename_named);
  g_test_add_func ("/edits/groups", test_groups);
  g_test_add_func ("/edits/notes", test_notes);
  g_test_add_func ("/edits/notes-many", test_notes_many);
  g_test_add_func ("/edits/replace-loop", test_replace_loop);
  g_test_add_func ("/edits/replace-refused", test_replace_refused);
  g_test_add_func ("/edits/align", test_align);
  g_test_add_func ("/edits/into", test_into);
  g_test_add_func ("/edits/clip", test_clip);
  g_test_add_func ("/edits/clip-damaged", test_clip_damaged);
  g_test_add_func ("/edits/parts", test_parts);
  return g_test_run ();
}
