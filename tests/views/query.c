/* SPDX-License-Identifier: Apache-2.0 */
/* query.c - what views answer, without a window: for tests that compare it with another computation.
 *
 *     query TRACE PROGRAM FOLDER
 *
 * plays the trace through the program, records the film of its views in FOLDER, then obeys lines from its standard
 * input:
 *
 *     at TICKS                        the state of the program just after the last event dated so, or before
 *     scene WIDTH HEIGHT FROM TO FIRST N    FROM > TO: the whole execution; N 0: all rows
 *     hand LINE|LINE...               groups by hand, for `cut by hand` from now on
 *     cut LINE|LINE...                groups of tasks (views/groups.h); answers the names of its parts, a line each
 *     draw VIEW                       paints it, and answers nothing
 *     hues X Y W H                    how many pixels of a box of what was painted last have a colour: are no grey
 *     csv VIEW
 *     items VIEW MOST                 a line each: x y width height task peer from to number name, tabs between
 *     marks VIEW                      all marks: part index x y width height, then the points of a line
 *     inspect VIEW X Y                the same of one item, then its facts; nothing: nothing is there
 *     find VIEW back|on EVENT TEXT    number and date of the event, or nothing
 *
 * Before each answer stands its length in bytes.  In names of views blanks are underscores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "views/history.h"
#include "session/layers.h"
#include "views/drawing.h"
#include "views/groups.h"

static EveProgram *program;
static ViewScene scene = { .width_px = 1600, .height_px = 1000, .scale = 1, .from = 1, .event = UINT64_MAX };

static _Noreturn void
fail (const char *what, const char *why)
{
  fprintf (stderr, "query: %s: %s\n", what, why);
  exit (1);
}

static EveComponent *
part (char *name)
{
  EveComponent *c = eve_find (program, g_strdelimit (name, "_", ' '));

  if (c == NULL || eve_is_ghost (c))
    fail (name, "there is no such component");
  return c;
}

/* The first component that answers a query; NULL: none does. */
static EveComponent *
who_answers (const char *query)
{
  for (uint32_t i = 0; i < eve_n_components (program); i++)
    if (!eve_is_ghost (eve_component (program, i)) && eve_query (eve_component (program, i), query) != NULL)
      return eve_component (program, i);
  return NULL;
}

static void
play (const TraceCommand *command)
{
  EveComponent *reader = who_answers ("trace-reader/1");

  eve_reset (program);
  if (command != NULL)
    ((const TraceReader *) eve_query (reader, "trace-reader/1"))->command (reader, command);
  EveRun run = eve_run (program, -1);
  if (run != EVE_IDLE)
    fail ("playing", eve_program_failure (program, NULL) ? eve_program_failure (program, NULL) : "it does not end");
  eve_rest (program,
            command != NULL ? command->date : scene.source->last); /* time stands still: all is of this instant */
}

static gint64
task_of (TraceRef r)
{
  return r.type == TRACE_REF_TASK ? (gint64) r.id : -1;
}

static void
put_item (GString *to, const ViewItem *i)
{
  const DrawingTag *tag = &i->mark.tag;

  g_string_append_printf (to, "%.17g\t%.17g\t%.17g\t%.17g\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT, i->x, i->y,
                          i->width, i->height, task_of (tag->what), task_of (tag->other));
  g_string_append_printf (to, "\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%" G_GUINT64_FORMAT "\t%s\n", tag->from,
                          tag->to, tag->event, i->name);
}

static void
put_items (const View *v, EveComponent *c, guint most, GString *to)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (ViewItem));
  g_autoptr (Drawing) d = view_marks (c, v, &scene, most, NULL);

  view_items (c, v, &scene, d, items, most);
  for (guint i = 0; i < items->len; i++) {
    put_item (to, &g_array_index (items, ViewItem, i));
    g_free (g_array_index (items, ViewItem, i).name);
  }
}

static void
put_marks (const View *v, EveComponent *c, GString *to)
{
  g_autoptr (Drawing) d = view_marks (c, v, &scene, 1000000, NULL);

  for (guint i = 0; i < drawing_n_marks (d); i++) {
    const DrawingMark *m = drawing_mark (d, i);
    const double *points = drawing_points (d, m);
    g_string_append_printf (to, "%u\t%u\t%.17g\t%.17g\t%.17g\t%.17g", m->tag.part, m->tag.index, m->left, m->top,
                            m->width, m->height);
    for (guint k = 0; points != NULL && k < 2 * m->n; k++)
      g_string_append_printf (to, "\t%.17g", points[k]);
    g_string_append_c (to, '\n');
  }
}

static void
find (const View *v, EveComponent *c, ViewSearch *search, GString *to)
{
  ViewFound found;
  GError *error = NULL;

  do
    found = v->find (c, &scene, search, 1000000, &error);
  while (found == VIEW_SEARCHING);
  if (error != NULL)
    fail ("searching", error->message);
  if (found == VIEW_FOUND)
    g_string_append_printf (to, "%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT "\n", search->event, search->date);
}

static cairo_surface_t *painted; /* what was drawn last */

static void
count_hues (char **word, GString *to)
{
  int box[4], n = 0, line = cairo_image_surface_get_stride (painted);

  for (int k = 0; k < 4; k++)
    box[k] = atoi (word[1 + k]);
  cairo_surface_flush (painted);
  for (int y = MAX (box[1], 0); y < MIN (box[1] + box[3], cairo_image_surface_get_height (painted)); y++)
    for (int x = MAX (box[0], 0); x < MIN (box[0] + box[2], cairo_image_surface_get_width (painted)); x++) {
      uint32_t rgb = ((uint32_t *) (void *) (cairo_image_surface_get_data (painted) + y * line))[x];
      int r = rgb >> 16 & 255, g = rgb >> 8 & 255, b = rgb & 255;
      n += MAX (r, MAX (g, b)) - MIN (r, MIN (g, b)) > 24;
    }
  g_string_append_printf (to, "%d", n);
}

static void
ask_view (char **word, guint n, const char *rest, GString *to)
{
  EveComponent *c = part (word[1]);
  const View *v = view_get (c);
  GError *error = NULL;

  if (v == NULL)
    fail (word[1], "it is no view");
  if (strcmp (word[0], "draw") == 0) {
    cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) scene.width_px,
                                                         (int) scene.height_px);
    cairo_t *cr = cairo_create (image);
    if (!view_draw (c, v, &scene, cr, &error))
      fail (word[1], error->message);
    cairo_destroy (cr);
    g_clear_pointer (&painted, cairo_surface_destroy);
    painted = image;
  } else if (strcmp (word[0], "csv") == 0) {
    if (!view_csv (c, v, &scene, to, &error))
      fail (word[1], error->message);
  } else if (strcmp (word[0], "items") == 0 && n == 3) {
    put_items (v, c, (guint) atoi (word[2]), to);
  } else if (strcmp (word[0], "marks") == 0 && n == 2) {
    put_marks (v, c, to);
  } else if (strcmp (word[0], "inspect") == 0 && n == 4) {
    ViewItem item = { 0 };
    g_autoptr (GString) facts = g_string_new (NULL);
    g_autoptr (Drawing) d = v->point == NULL || g_ascii_strtod (word[3], NULL) < 34
                                ? view_marks (c, v, &scene, 100000, NULL)
                                : NULL; /* where there is a point(), marks are of what stands beside */
    if (!view_item_at (c, v, &scene, d, g_ascii_strtod (word[2], NULL), g_ascii_strtod (word[3], NULL), &item, facts))
      return;
    put_item (to, &item);
    g_string_append (to, facts->str);
    g_free (item.name);
  } else if (strcmp (word[0], "find") == 0 && n >= 4) {
    find (v, c, &(ViewSearch){ rest, strcmp (word[2], "back") == 0, g_ascii_strtoull (word[3], NULL, 10), 0 }, to);
  } else {
    fail (word[0], "no such command");
  }
}

/* Where the only states of the film lie; NULL: it has none. */
static StatesReader *
open_states (void)
{
  g_autoptr (GDir) folder = g_dir_open (scene.film, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, ".states.index")) {
      g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".index")),
                      *base = g_build_filename (scene.film, stem, NULL);
      return states_reader_open (base, NULL);
    }
  return NULL;
}

static char *by_hand;

static void
hand (const char *said)
{
  g_free (by_hand);
  by_hand = g_strdelimit (g_strdup (said), "|", '\n');
}

static void
cut (const char *said, GString *to)
{
  static Names *names;
  g_autofree char *text = g_strdelimit (g_strdup (said), "|", '\n'), *hierarchy = groups_hierarchy_of (text);
  StatesReader *states = open_states ();
  GError *error = NULL;

  names = names != NULL ? names : names_read (scene.film);
  names_read_groups (names, scene.film); /* if whoever asks has put the file there that a film has */
  if (states != NULL)
    states_reader_set_end (states, scene.source->last);
  const GroupsFrom from = { names, scene.source, states, by_hand };
  groups_free ((Groups *) scene.groups);
  Groups *g = hierarchy != NULL ? groups_new (&from, hierarchy, &error) : NULL;
  if (error != NULL)
    fail (said, error->message);
  if (g != NULL)
    groups_cut (g, &from, text, NULL);
  for (uint32_t i = 0; g != NULL && i < g->n_parts; i++) {
    g_autofree char *name = groups_part_name (g, i);
    for (uint32_t k = 0; k < g->parts[i].n; k++)
      g_string_append_printf (to, "%s%u", k > 0 ? "," : "", g->order[g->parts[i].first + k]);
    g_string_append_printf (to, "\t%s\n", name != NULL ? name : "");
  }
  scene.groups = g;
  states_reader_free (states);
}

static void
obey (const char *line, GString *to)
{
  g_auto (GStrv) word = g_strsplit (line, " ", 5);
  g_auto (GStrv) all = g_strsplit (line, " ", -1);
  guint n = g_strv_length (word);

  if (strcmp (word[0], "at") == 0 && n == 2) {
    scene.at = g_ascii_strtoll (word[1], NULL, 10);
    play (&(TraceCommand){ .verb = TRACE_GO_UNTIL, .date = scene.at });
  } else if (strcmp (word[0], "scene") == 0 && g_strv_length (all) == 7) {
    scene.width_px = g_ascii_strtod (all[1], NULL);
    scene.height_px = g_ascii_strtod (all[2], NULL);
    scene.from = g_ascii_strtoll (all[3], NULL, 10);
    scene.to = g_ascii_strtoll (all[4], NULL, 10);
    scene.first_row = (uint32_t) atoi (all[5]);
    scene.n_rows = (uint32_t) atoi (all[6]);
  } else if (strcmp (word[0], "hues") == 0 && g_strv_length (all) == 5 && painted != NULL) {
    count_hues (all, to);
  } else if (strcmp (word[0], "cut") == 0) {
    cut (n > 1 ? line + 4 : "", to);
  } else if (strcmp (word[0], "hand") == 0) {
    hand (n > 1 ? line + 5 : "");
  } else if (n >= 2) {
    ask_view (word, n, n == 5 ? word[4] : "", to);
  } else {
    fail (line, "no such command");
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;
  char line[4096];

  if (argc != 4)
    fail ("usage", "query TRACE PROGRAM FOLDER");
  eve_registry_add_folder (g_getenv ("SCOPE_TEST_COMPONENTS"));
  if (g_getenv ("SCOPE_TEST_PLUGINS") != NULL)
    eve_registry_add_folder (g_getenv ("SCOPE_TEST_PLUGINS"));
  eve_registry_load_all (problems);
  program = eve_program_load (argv[2], problems, &error);
  if (program == NULL || problems->len > 0)
    fail (argv[2], error != NULL ? error->message : problems->pdata[0]);
  EveComponent *reader = who_answers ("trace-reader/1");
  if (reader == NULL || !eve_set (reader, "trace", argv[1], &error))
    fail (argv[1], error != NULL ? error->message : "nobody reads it");
  scene.source = ((const TraceReader *) eve_query (reader, "trace-reader/1"))->source (reader);
  if (scene.source == NULL)
    fail (argv[1], eve_program_failure (program, NULL));
  EveComponent *simulator = who_answers ("state-graph/1");
  scene.graph = simulator != NULL ? eve_query (simulator, "state-graph/1") : NULL;
  scene.colours = view_colours_load ();
  scene.bundle = argv[1];
  scene.film = argv[3];
  scene.at = INT64_MIN;
  Layers *layers = layers_new (program, &(LayersOptions){ .folder = argv[3] }, &error);
  if (layers == NULL)
    fail (argv[3], error->message);
  play (NULL);
  if (!layers_flush (layers, INT64_MAX, &error))
    fail (argv[3], error->message);
  layers_free (layers);
  if (!names_write (argv[3], scene.source, &error))
    fail (argv[3], error->message);
  while (fgets (line, sizeof line, stdin) != NULL) {
    g_autoptr (GString) answer = g_string_new (NULL);
    line[strcspn (line, "\n")] = '\0';
    obey (line, answer);
    printf ("%" G_GSIZE_FORMAT "\n", answer->len);
    fwrite (answer->str, 1, answer->len, stdout);
    fflush (stdout);
  }
  groups_free ((Groups *) scene.groups);
  g_free (by_hand);
  view_colours_free ((ViewColours *) scene.colours);
  eve_program_free (program);
  return 0;
}
