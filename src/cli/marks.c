/* SPDX-License-Identifier: Apache-2.0 */
/* scope marks: lists, adds, edits, removes and exports the marks of a trace. */
#include "cli/cli.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "cli/film.h"
#include "cli/marks.h"
#include "cli/text.h"
#include "session/marks-drawing.h"
#include "session/marks-media.h"
#include "session/places.h"
#include "session/travel.h"
#include "views/view-camera.h"

typedef struct Options {
  char *at, *note, *rename, *format, *program, **viewpoints, **attached;
  gboolean json, no_pictures;
} Options;

static void
cli_marks_on_warn (void *arg, const char *component, const char *sentence)
{
}

/* `trace`: of which of several it is, else NULL. */
static void
list_one (const Marks *m, const TraceSource *s, const char *trace, Table *t, Json *j)
{
  for (guint i = 0; i < m->list->len; ++i) {
    const Mark *mark = m->list->pdata[i];
    if (j) {
      json_open (j, NULL, '{');
      if (trace)
        json_text (j, "trace", trace);
      json_text (j, "name", mark->name);
      json_date (j, "t", &s->clock, mark->date);
      json_text (j, "notes", mark->notes);
      if (mark->places)
        json_open (j, "viewpoints", '{');
      for (guint k = 0; mark->places && k < mark->places->len; k++) {
        const MarkPlace *p = mark->places->pdata[k];
        json_text (j, p->view, p->place);
      }
      if (mark->places)
        json_close (j, '}');
      json_close (j, '}');
    } else {
      g_autofree char *date = text_date (&s->clock, mark->date), *name = text_clean (g_strdup (mark->name));
      g_autofree char *first = g_strndup (mark->notes, strcspn (mark->notes, "\n"));
      g_autofree char *note = text_clean (g_steal_pointer (&first)), *of = text_clean (g_strdup (trace ? trace : ""));
      if (trace)
        table_cell (t, "%s", of);
      table_cell (t, "%s", date);
      table_cell (t, "%s", name);
      table_cell (t, "%s", note);
    }
  }
}

/* The marks of each trace by themselves, in the order of the traces. */
static int
cli_marks_list (char **traces, int n, const Options *o)
{
  g_autoptr (GString) to = g_string_new (NULL);
  Json j = { to, false };
  Table *t = table_new (n > 1 ? "lrll" : "rll");
  int status = CLI_OK;

  if (o->json)
    json_open (&j, NULL, '[');
  for (int i = 0; i < n && !status; ++i) {
    TraceOptions options = { .progress = cli_progress () };
    GError *error = NULL;
    TraceSource *s = trace_open (traces[i], o->format, &options, &error);
    Marks *m = s ? marks_load (s->path, &s->clock, &error) : NULL;
    if (m)
      list_one (m, s, n > 1 ? s->name : NULL, t, o->json ? &j : NULL);
    else
      status = cli_fail_error (traces[i], error);
    marks_free (m);
    trace_close (s);
  }
  if (o->json) {
    json_close (&j, ']');
    g_string_append_c (to, '\n');
  }
  table_print (t, 0, to);
  if (!status)
    cli_out (to);
  return status;
}

/* ---- pictures for the report --------------------------------------------------------------------------------------- */

typedef struct Pictures {
  const Marks *marks;
  Session *session;
  Travel *travel;
  const char *film;
  ViewColours *colours;
  char *folder;
  bool lost;    /* the film has lost something that pictures show */
  bool missing; /* some could not be made */
} Pictures;

void
marks_see_from (Session *s, const Mark *mark, const char *const *set)
{
  for (guint i = 0; mark->places && i < mark->places->len; i++) {
    const MarkPlace *at = mark->places->pdata[i];
    EveComponent *c = eve_find (s->program, at->view),
                 *keeper = c && view_camera (c) ? view_camera (c)->keeper (c) : NULL;
    g_autofree char *own = keeper ? g_strdup_printf ("%s.camera=", eve_name (keeper)) : NULL;
    bool told = false;
    for (const char *const *one = set; keeper && one && *one; one++)
      told |= g_str_has_prefix (*one, own);
    if (keeper && !told)
      eve_set (keeper, "camera", at->place, NULL);
  }
}

/* What is shown is that of the mark's instant, as `draw --at` shows it: not of the last event before it. */
static bool
cli_marks_go (Pictures *p, const Mark *mark, GError **error)
{
  if (!travel_to_date (p->travel, mark->date, error))
    return false;
  session_watch (p->session, cli_progress ());
  session_rest (p->session, mark->date);
  marks_see_from (p->session, mark, NULL);
  return true;
}

/* What was drawn over the view by hand, at the dates that it was drawn at. */
static void
append_drawing (Pictures *p, EveComponent *c, const View *view, const Mark *mark, const ViewScene *scene, GString *to)
{
  g_autoptr (GError) error = NULL;
  MarkDrawing *d = mark_drawing_load (p->marks, mark, eve_name (c), &error);
  double left = 0, top = 0, width = scene->width_px, height = scene->height_px;
  cairo_rectangle_t plot;
  int64_t from, until;

  if (error)
    cli_note (mark->name, "%s", error->message);
  if (d && d->dated && view->plot && view->plot (c, scene, &plot, &from, &until) && until > from) {
    double per_tick = plot.width / ((double) until - (double) from);
    left = plot.x + ((double) d->from - (double) from) * per_tick;
    width = ((double) d->to - (double) d->from) * per_tick;
    top = plot.y;
    height = plot.height;
  }
  if (d)
    mark_drawing_svg (d, scene->width_px, scene->height_px, left, top, width, height, to);
  mark_drawing_free (d);
}

static void
append_picture (Pictures *p, EveComponent *c, const View *view, const Mark *mark, GString *to)
{
  g_autofree char *path = g_build_filename (p->folder, "view.png", NULL);
  g_autoptr (GError) error = NULL;
  ViewScene scene = { .width_px = 960,
                      .height_px = 540,
                      .scale = 2,
                      .from = 1,
                      .to = 0,
                      .at = mark->date,
                      .film = p->film,
                      .colours = p->colours,
                      .event = UINT64_MAX };

  bool ok = session_scene (p->session, c, &scene, &error) && view_to_file (c, &scene, path, &error), lost = false;
  if (ok && film_cli_mend (p->session, c, p->film, &lost)) {
    ok = cli_marks_go (p, mark, &error) && view_to_file (c, &scene, path, &error);
    if (view->damage)
      view->damage (c, &lost);
  }
  p->lost |= lost;
  if (!ok) {
    cli_note (eve_name (c), _ ("no picture at the mark %s: %s"), mark->name, error->message);
    p->missing |= g_error_matches (error, TRACE_ERROR, TRACE_ERROR_IO); /* else it has nothing to show */
    return;
  }
  g_autofree char *title = g_markup_escape_text (view->title ? view->title : eve_name (c), -1);
  g_string_append_printf (to, "<figure><div style=\"position:relative\"><img alt=\"%s\" src=\"", title);
  marks_data_uri (path, to);
  g_string_append (to, "\">");
  append_drawing (p, c, view, mark, &scene, to);
  g_string_append_printf (to, "</div><figcaption>%s</figcaption></figure>\n", title);
  g_remove (path);
}

static void
append_pictures (void *arg, const Mark *mark, GString *to)
{
  Pictures *p = arg;
  g_autoptr (GError) error = NULL;

  if (!cli_marks_go (p, mark, &error)) {
    cli_note (mark->name, _ ("no pictures: %s"), error->message);
    p->missing = true;
    return;
  }
  for (uint32_t i = 0; i < eve_n_components (p->session->program); ++i) {
    EveComponent *c = eve_component (p->session->program, i);
    const View *view = session_view (c);
    if (view)
      append_picture (p, c, view, mark, to);
  }
}

static bool
has_views (const Session *s)
{
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i)
    if (session_view (eve_component (s->program, i)))
      return true;
  return false;
}

/* The program whose views are shown: the one told, else the one of the format that has views, else the default. */
static Session *
open_for_report (const char *trace, const Options *o)
{
  SessionOptions options = {
    .trace = trace, .format = o->format, .program = o->program, .warn = cli_marks_on_warn, .progress = cli_progress ()
  };
  GError *error = NULL;
  Session *s = session_open (&options, &error);

  if (s && !o->program) {
    g_autofree char *path = places_offered (s->format, "views.eve");
    if (path) {
      session_free (s);
      options.program = path;
      s = session_open (&options, &error);
    }
  }
  if (s)
    cli_note_program (s);
  else
    cli_fail_error (trace, error);
  return s;
}

static int
cli_marks_write_report (const char *path, const GString *html)
{
  g_autoptr (GError) error = NULL;

  if (places_write (path, html->str, (gssize) html->len, &error))
    return CLI_OK;
  return cli_fail (path, "%s", error->message);
}

static int export(const Marks *m, const char *trace, const char *path, const Options *o)
{
  g_autoptr (GString) html = g_string_new (NULL);
  Session *s = o->no_pictures ? NULL : open_for_report (trace, o);
  g_autofree char *base = g_path_get_basename (m->bundle), *title = g_strdup_printf (_ ("Marks of %s"), base);
  MarksReport report = { .title = title };

  if (!o->no_pictures && !s)
    return CLI_FAILED;
  if (!s || !has_views (s)) {
    marks_html (m, &report, html);
    int missing = s ? cli_missing (s->program, s->problems) : CLI_OK, status = cli_marks_write_report (path, html);
    session_free (s);
    return status ? status : missing;
  }
  g_autoptr (GError) error = NULL;
  FilmStats stats = { 0 };
  uint64_t trace_id, plan;
  bool shot = film_cli_shoot (s, NULL, INT64_MAX, NULL, FILM_CLI_QUIET, &stats, &error);
  g_autofree char *home = film_folder (s, &trace_id, &plan,
                                       shot ? &error : NULL); /* the program may have extended itself */
  if (error)
    cli_note ("film", _ ("%s; the pictures show what there is of it"), error->message);
  TravelOptions to = { .film = home, .trace = trace_id, .plan = plan, .progress = cli_progress () };
  Pictures p = { .marks = m,
                 .session = s,
                 .travel = travel_new (s, &to),
                 .film = home,
                 .colours = view_colours_load (),
                 .folder = places_scratch (NULL, "scope-marks") };
  session_declare_colours (s, p.colours);
  if (!p.folder)
    cli_note (path, _ ("no pictures: no folder can be made for them in %s: %s"), g_get_tmp_dir (), g_strerror (errno));
  p.missing = !p.folder;
  report.pictures = p.folder ? append_pictures : NULL;
  report.arg = &p;
  marks_html (m, &report, html);
  travel_free (p.travel);
  view_colours_free (p.colours);
  places_scratch_end (p.folder);
  g_free (stats.folder);
  int missing = cli_missing (s->program, s->problems), status = cli_marks_write_report (path, html);
  session_free (s);
  if (!status && p.lost)
    status = cli_fail (path, _ ("the film has lost some of what its pictures show; it is marked"));
  return status ? status : p.missing ? CLI_FAILED : missing;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

/* Whether each VIEW=PLACE of --viewpoint is of a view that is seen from places, and can be read, as the program knows.
 */
static int
check_viewpoints (const char *trace, const Options *o)
{
  Session *s = open_for_report (trace, o);
  int status = s ? CLI_OK : CLI_FAILED;

  for (char **one = o->viewpoints; !status && *one; one++) {
    const char *place = strchr (*one, '=');
    if (!place || place == *one || !place[1]) {
      status = cli_usage ("--viewpoint", _ ("\"%s\" is not VIEW=PLACE, as \"Scene=eye 1 -5 4 centre 0 0 0\""), *one);
      break;
    }
    g_autofree char *view = g_strndup (*one, (gsize) (place - *one));
    EveComponent *c = eve_find (s->program, view);
    const ViewCamera *camera = c ? view_camera (c) : NULL;
    const char *why = camera ? camera->wrong (c, place + 1) : NULL;
    if (!c)
      status = cli_fail (view, _ ("the program has no such view; --program says which program is meant"));
    else if (!camera)
      status = cli_fail (view, _ ("is no scene: nobody looks at it from a place"));
    else if (why)
      status = cli_fail (view, "%s: %s", place + 1, why);
  }
  session_free (s);
  return status;
}

static bool
cli_marks_place (Marks *m, Mark *mark, const Options *o, GError **error)
{
  bool ok = true;

  for (char **one = o->viewpoints; ok && one && *one; one++) {
    g_auto (GStrv) halves = g_strsplit (*one, "=", 2);
    ok = marks_place (m, mark, halves[0], halves[1], error);
  }
  return ok;
}

/* The notes with a line for each file that is attached, which the bundle has then; g_free.  NULL and an error. */
static char *
cli_marks_attach (const Marks *m, const char *notes, const Options *o, GError **error)
{
  char *all = g_strdup (notes);

  for (char **one = o->attached; all && one && *one; one++) {
    g_autofree char *before = all;
    all = marks_attach_to_notes (m, before, *one, error);
  }
  return all;
}

static int
cli_marks_change (Marks *m, const TraceSource *s, const char *verb, const char *name, const Options *o)
{
  GError *error = NULL;
  Mark *mark = marks_find (m, name);
  int64_t date = 0;
  bool ok;

  if (!g_str_equal (verb, "add") && !mark)
    return cli_fail (name, _ ("the trace %s has no mark of this name"), s->name);
  int status = o->at ? cli_time (s, "--at", o->at, &date) : CLI_OK;
  if (status)
    return status;
  if (o->at && s->n_events > 0 && date < s->first)
    return cli_fail (o->at, _ ("the execution has not begun by then; `scope info` tells from when to when it lasts"));
  g_autofree char *note = NULL, *removed = NULL;
  if (g_str_equal (verb, "remove")) {
    removed = g_strdup (mark->notes);
    marks_remove (m, mark);
    ok = true;
  } else if (g_str_equal (verb, "add")) {
    if (!o->at)
      return cli_usage ("add", _ ("say when with --at T"));
    mark = marks_add (m, name, date, o->note, &error); /* refused before anything is copied */
    ok = mark != NULL && cli_marks_place (m, mark, o, &error)
         && (!o->attached || (note = cli_marks_attach (m, mark->notes, o, &error)))
         && (!note || marks_edit (m, mark, NULL, NULL, note, &error));
  } else {
    if (!o->at && !o->note && !o->rename && !o->viewpoints && !o->attached)
      return cli_usage (
          "edit", _ ("say what with --at T, --note TEXT, --rename NAME, --attach FILE or --viewpoint VIEW=PLACE"));
    if (o->attached && !(note = cli_marks_attach (m, o->note ? o->note : mark->notes, o, &error)))
      return cli_fail_error (name, error);
    ok = marks_edit (m, mark, o->rename, o->at ? &date : NULL, note ? note : o->note, &error)
         && cli_marks_place (m, marks_find (m, o->rename ? o->rename : name), o, &error);
  }
  if (!ok || !marks_save (m, &error))
    return cli_fail_error (name, error);
  if (removed)
    marks_forget_media (m, removed);
  if (m->beside)
    cli_note (name, _ ("nothing is written into this trace; its marks are kept in %s"), m->path);
  return CLI_OK;
}

static void
options_clear (Options *o)
{
  char *const texts[] = { o->at, o->note, o->rename, o->format, o->program };

  for (guint i = 0; i < G_N_ELEMENTS (texts); ++i)
    g_free (texts[i]);
  g_strfreev (o->viewpoints);
  g_strfreev (o->attached);
}

/* Waits for another process that changes the marks of a trace, and says so. */
static void
take_turn (int lock, const char *trace)
{
  if (flock (lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return;
  cli_note (trace, _ ("another program is changing the marks; waiting for it"));
  flock (lock, LOCK_EX);
}

/* What the words say, when the options are known. */
static int
cli_marks_obey (Options *o, int argc, char **argv)
{
  static const char *const verbs[] = { "list", "add", "edit", "remove", "export", NULL };
  GError *error = NULL;
  int status = CLI_OK;
  int n = 1; /* traces: the words before the verb */
  while (n + 1 < argc && !g_strv_contains (verbs, argv[n + 1]) && g_file_test (argv[n + 1], G_FILE_TEST_IS_DIR))
    ++n;
  const char *verb = argc > n + 1 ? argv[n + 1] : "list", *what = argc > n + 2 ? argv[n + 2] : NULL;
  if (!g_strv_contains (verbs, verb))
    return cli_usage (verb,
                      _ ("marks can be listed, added, edited, removed and exported: list, add, edit, remove, export"));
  if (argc > n + 3)
    return cli_usage (argv[n + 3], _ ("is one word too many"));
  if (!what != g_str_equal (verb, "list"))
    return cli_usage (verb, what                           ? _ ("takes no name")
                            : g_str_equal (verb, "export") ? _ ("say to which FILE.html")
                                                           : _ ("say which mark"));
  if (n > 1 && what)
    return cli_usage (verb, _ ("is for the marks of one trace; name that one alone"));
  cli_load_components ();
  if (!what)
    return cli_marks_list (argv + 1, n, o);
  if (o->viewpoints && !g_str_equal (verb, "add") && !g_str_equal (verb, "edit"))
    return cli_usage ("--viewpoint", _ ("is for `add` and `edit`"));
  if (o->attached && !g_str_equal (verb, "add") && !g_str_equal (verb, "edit"))
    return cli_usage ("--attach", _ ("is for `add` and `edit`"));
  if (o->viewpoints && (status = check_viewpoints (argv[1], o)))
    return status;
  if (g_str_equal (verb, "export") && !places_may_write (what, &error))
    return cli_fail_error (what, error);
  TraceOptions options = { .progress = cli_progress () };
  TraceSource *s = trace_open (argv[1], o->format, &options, &error);
  if (!s)
    return cli_fail_error (argv[1], error);
  /* Two that change marks at once take turns. */
  int lock = open (s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0 && !g_str_equal (verb, "export"))
    take_turn (lock, argv[1]);
  Marks *m = marks_load (s->path, &s->clock, &error);
  if (!m)
    status = cli_fail_error (argv[1], error);
  else if (g_str_equal (verb, "export"))
    status = export(m, argv[1], what, o);
  else
    status = cli_marks_change (m, s, verb, what, o);
  marks_free (m);
  if (lock >= 0)
    close (lock);
  trace_close (s);
  return status;
}

static int
marks_command (const CliCommand *self, int argc, char **argv)
{
  Options o = { 0 };
  const GOptionEntry entries[] = {
    { "at", 0, 0, G_OPTION_ARG_STRING, &o.at, _ ("The instant of the mark"), "T" },
    { "note", 0, 0, G_OPTION_ARG_STRING, &o.note, _ ("Its notes; docs/marks-format.md tells how they are formatted"),
      "TEXT" },
    { "attach", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.attached,
      _ ("add, edit: a sound, film or picture that its notes then show; may be repeated"), "FILE" },
    { "rename", 0, 0, G_OPTION_ARG_STRING, &o.rename, _ ("edit: another name"), "NAME" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, _ ("list: as JSON"), NULL },
    { "program", 0, 0, G_OPTION_ARG_FILENAME, &o.program, _ ("export, --viewpoint: the program whose views are meant"),
      "FILE" },
    { "viewpoint", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.viewpoints,
      _ ("add, edit: from where a scene is seen at the mark; may be repeated"), "VIEW=PLACE" },
    { "no-pictures", 0, 0, G_OPTION_ARG_NONE, &o.no_pictures, _ ("export: without pictures of the views"), NULL },
    { "format", 0, 0, G_OPTION_ARG_STRING, &o.format, _ ("Which data of a bundle that holds several formats"), "F" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES + 2))
    return CLI_USAGE;
  int status = cli_marks_obey (&o, argc, argv);
  options_clear (&o);
  return status;
}

const CliCommand cli_marks = {
  "marks",
  "TRACE... [list | add NAME | edit NAME | remove NAME | export FILE.html]",
  N_ ("Lists, adds, edits, removes and exports the marks of a trace."),
  "  scope marks traces/ring.trace add \"slow start\" --at 0.012 --note \"Why does *t40003* wait?\"\n"
  "  scope marks traces/ring.trace export out/marks.html\n",
  marks_command,
};
