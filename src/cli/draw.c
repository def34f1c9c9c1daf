/* SPDX-License-Identifier: Apache-2.0 */
/* scope draw: a picture of a view, from the film; one is shot first if there is none. */
#include <stdio.h>
#include <string.h>
#include "cli/draw-figure.h"
#include "cli/draw-moving.h"
#include "cli/draw-table.h"
#include "eve/words.h"
#include "cli/film.h"
#include "cli/marks.h"
#include "session/called.h"
#include "session/places.h"
#include "session/counted.h"
#include "session/cut.h"
#include "session/travel.h"
#include "views/associations.h"
#include "views/history.h"
#include "views/palettes.h"
#include "views/drawing.h"
#include "views/view-camera.h"
#include "eve/disk.h"
#include "eve/nearest.h"
#include "readers/more.h"
#include "simulators/store.h"

#define MARKS_LOOKED_AT 20000
#define VALUES_TOLD 12
#define SELECTED_MOST_BYTES (UINT64_C (1) << 30)
#define POINTS_PER_MM (72 / 25.4) /* a .pdf has a point for each pixel of the picture */
#define PIXELS_PER_MM (96 / 25.4) /* as SVG and CSS have it */
#define PIXELS_MOST 64e6          /* each takes four bytes, and in dense views as many again */

typedef struct DrawOptions {
  char *program, *view, *film, *from, *to, *at, *size, *out, *format, *rows, *edited, *text;
  char *hierarchy, *palette, *range, *selected, *names;
  char **set, **select, **open;
  int parts;
  gint64 event;
  uint64_t at_event; /* UINT64_MAX: `at` is a time */
  double scale;
  char *scaled, *rate; /* as they were typed */
  gboolean dark, csv, heading;
  double width_px, height_px;
  DrawMoving moving;
  bool incomplete; /* the film ends before the execution does */
  bool mended;     /* it was damaged, and shot again; */
  bool again;      /* all is to be read from it anew */
} DrawOptions;

/* By its name in the program, by the id of its class, or by either without regard to case, "scope." and, of a
 * name, what is between letters.  `there` gets
 * the names of all. */
static EveComponent *
look_for_view (Session *s, const char *id, GString *there)
{
  for (int strict = 1; strict >= 0; strict--)
    for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
      EveComponent *c = eve_component (s->program, i);
      const char *klass = eve_class_id (c);
      if (!session_view (c))
        continue;
      if (strict
              ? g_str_equal (id, eve_name (c)) || g_str_equal (id, klass)
              : places_same_letters (id, eve_name (c))
                    || (g_str_has_prefix (klass, "scope.") && g_ascii_strcasecmp (id, klass + strlen ("scope.")) == 0))
        return c;
      if (strict)
        g_string_append_printf (there, "%s%s", there->len ? ", " : "", eve_name (c));
    }
  return NULL;
}

static bool
is_view (Session *s, const char *id)
{
  g_autoptr (GString) there = g_string_new (NULL);

  return look_for_view (s, id, there) != NULL;
}

static void
offer_views (void *session, void (*add) (void *to, const char *name), void *to)
{
  const Session *s = session;

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (session_view (c))
      add (to, eve_name (c));
  }
}

static EveComponent *
find_view (Session *s, const char *id)
{
  g_autoptr (GString) there = g_string_new (NULL);
  EveComponent *c = look_for_view (s, id, there);

  g_autofree char *nearest = c ? NULL : eve_nearest_told (id, offer_views, s);
  if (!c && there->len)
    cli_fail (id, _ ("the program has no such view; it has %s%s"), there->str, nearest);
  else if (!c)
    cli_fail (id, _ ("%s has no view"), s->program_path);
  return c;
}

/* None was named: tells which there are. */
static int
ask_view (Session *s)
{
  g_autoptr (GString) there = g_string_new (NULL);

  look_for_view (s, "", there);
  if (!there->len)
    return cli_fail ("--view", _ ("%s has no view"), s->program_path);
  return cli_usage ("--view", _ ("say which view; %s has %s"), s->program_path, there->str);
}

static int
read_size (DrawOptions *d)
{
  char rest[4] = "";

  d->width_px = 1600;
  d->height_px = 1000;
  bool whole = !d->size || sscanf (d->size, "%lfx%lf%3s", &d->width_px, &d->height_px, rest) >= 2;
  if (g_str_equal (rest, "mm")) {
    bool pdf = d->out && g_str_has_suffix (d->out, ".pdf");
    if (!pdf && !(d->out && g_str_has_suffix (d->out, ".svg")))
      return cli_usage ("--size", _ ("\"%s\": millimetres are for a .pdf or .svg; a size without them is in pixels"),
                        d->size);
    d->width_px *= pdf ? POINTS_PER_MM : PIXELS_PER_MM;
    d->height_px *= pdf ? POINTS_PER_MM : PIXELS_PER_MM;
  } else if (*rest) {
    whole = false;
  }
  if (!whole || !(d->width_px >= 50) || !(d->height_px >= 50) || !(d->width_px <= 20000) || !(d->height_px <= 20000))
    return cli_usage ("--size",
                      _ ("\"%s\" is no size; sizes are WIDTHxHEIGHT in pixels, 50x50 to 20000x20000, or in millimetres "
                         "for a .pdf or .svg, as 160x90mm"),
                      d->size);
  if (!(d->scale >= 0.25 && d->scale <= 8))
    return cli_usage ("--scale", _ ("%g is not between 0.25 and 8"), d->scale);
  if (d->width_px * d->scale > 32000 || d->height_px * d->scale > 32000)
    return cli_usage ("--size", _ ("a picture has at most 32000 pixels a side"));
  if (d->width_px * d->height_px * MAX (d->scale, 1) * MAX (d->scale, 1) > PIXELS_MOST)
    return cli_usage ("--size", _ ("%g by %g pixels are more than the 64 million that a picture has at most%s"),
                      d->width_px * MAX (d->scale, 1), d->height_px * MAX (d->scale, 1),
                      d->scale > 1 ? _ ("; a smaller --scale may do") : "");
  return CLI_OK;
}

/* What shows an instant needs the state at it.  NULL and an error: it cannot be reached. */
static Travel *
draw_go (Session *s, const DrawOptions *d, ViewScene *scene, int64_t date, GError **error)
{
  TravelOptions options = { .film = scene->film, .progress = cli_progress () };
  g_autofree char *folder = film_folder (s, &options.trace, &options.plan, error);
  Travel *t = folder ? travel_new (s, &options) : NULL;
  bool by_event = d->at_event != UINT64_MAX;
  bool ok = t && (by_event ? travel_to_event (t, d->at_event, error) : travel_to_date (t, date, error));
  ok = ok && travel_extend (t, cli_tell_part, NULL, error); /* of what no film was shot of */

  if (ok && by_event)
    scene->at = MAX (travel_date (t), s->first);
  session_watch (s, cli_progress ());
  if (ok)
    session_rest (s, by_event ? scene->at : date);
  else if (t)
    g_clear_pointer (&t, travel_free);
  return t;
}

/* What charts of an instant count of a range of dates alone, which then is the instant: a session of its own could not
 * be more alone. */
static bool
go_range (Session *s, EveComponent *c, ViewScene *scene, GError **error)
{
  if (!counted_shows (c)) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_SETTING,
                 _ ("--range: what %s shows is not counted by a component that can count a range alone"), eve_name (c));
    return false;
  }
  Counted *counted = counted_new (s);
  counted_begin (counted, scene->counted_from, scene->counted_to);
  bool ok = counted_go (counted, cli_progress (), error);
  counted_free (counted);
  return ok;
}

static int
read_rows (const DrawOptions *d, ViewScene *scene)
{
  guint first = 0, last = 0;
  char rest;

  if (d->rows
      && (sscanf (d->rows, "%u-%u%c", &first, &last, &rest) != 2 || first < 1 || last < first || last > G_MAXINT))
    return cli_usage ("--rows", _ ("\"%s\" are no rows; rows are FIRST-LAST, the first is 1"), d->rows);
  if (d->rows) {
    scene->first_row = first - 1;
    scene->n_rows = last - first + 1;
  }
  return CLI_OK;
}

/* Rows that are not there would give a picture of nothing. */
static int
draw_check_rows (const DrawOptions *d, EveComponent *c, const View *view, const ViewScene *scene)
{
  uint32_t n = view->rows ? view->rows (c, scene) : 0;

  if (!view->rows)
    return cli_usage ("--rows", _ ("%s has no rows to choose from"), eve_name (c));
  if (n > 0 && scene->first_row >= n)
    return cli_usage ("--rows", P_ ("\"%s\": there is only %u row", "\"%s\": there are only %u rows", n), d->rows, n);
  return CLI_OK;
}

/* What was said of groups, over what the program says. */
static void
choose_cut (Session *s, const DrawOptions *d)
{
  g_autofree char *own = groups_hierarchy_of (session_cut (s));
  const char *hierarchy = d->hierarchy ? d->hierarchy : own;
  g_autoptr (GString) cut = g_string_new (NULL);

  if (!d->hierarchy && !d->open && d->parts == 0)
    return;
  if (d->hierarchy && g_str_equal (d->hierarchy, "none")) {
    session_set_cut (s, "");
    return;
  }
  g_string_printf (cut, "by %s\n", hierarchy ? hierarchy : groups_hierarchies[0]);
  for (char **group = d->open; group && *group; ++group)
    g_string_append_printf (cut, g_str_equal (*group, "all") ? "all open\n" : "open %s\n", *group);
  if (d->parts > 0)
    g_string_append_printf (cut, "parts %d\n", d->parts);
  session_set_cut (s, cut->str);
}

/* Groups that cannot be made, or are not there, were asked for in vain. */
static int
check_cut (Session *s, const DrawOptions *d, const ViewScene *scene)
{
  const char *problem = session_cut_problem (s);

  if (problem && !session_cut_is_whole (s) && (d->hierarchy || d->open || d->parts > 0))
    return cli_fail (d->open && scene->groups ? "--open" : "--hierarchy", "%s", problem);
  if (problem)
    cli_note ("groups", "%s", problem);
  if (d->parts > 0 && scene->groups && scene->groups->n_parts > (uint32_t) d->parts)
    cli_note ("--parts", _ ("there are %u parts by %s even when all groups are closed, more than %d; they are shown"),
              scene->groups->n_parts, scene->groups->hierarchy, d->parts);
  return CLI_OK;
}

typedef struct Values { /* that can be selected, and what they are of */
  const StateGraph *graph;
  EveComponent *c;
  const View *view;
  const ViewScene *scene;
  const char *attribute; /* whose values are offered; NULL: attributes are */
} Values;

/* Of the model, and of what is in the picture. */
static void
offer_values (void *values, void (*add) (void *to, const char *name), void *to)
{
  const Values *v = values;
  const StateModel *m = v->graph ? v->graph->model : NULL;

  for (uint32_t i = 0; m && i < m->n_attributes; i++) {
    const StateAttribute *a = &m->attributes[i];
    if (a->kind != STATE_ENUM && a->kind != STATE_VALUE)
      continue;
    if (!v->attribute)
      add (to, a->name);
    for (uint32_t k = 0; v->attribute && g_str_equal (v->attribute, a->name) && k < a->n_values; k++)
      add (to, a->values[k].name);
  }
  g_autoptr (Drawing) marks = view_marks (v->c, v->view, v->scene, MARKS_LOOKED_AT, NULL);
  const DrawingMark *mark = NULL;
  for (guint i = 0; (mark = drawing_next_thing (marks, &i, mark));)
    if (mark->tag.attribute && mark->tag.value && (!v->attribute || g_str_equal (v->attribute, mark->tag.attribute)))
      add (to, v->attribute ? mark->tag.value : mark->tag.attribute);
}

static void
draw_list_value (void *list, const char *name)
{
  GPtrArray *l = list;

  if (l->len <= VALUES_TOLD && !g_ptr_array_find_with_equal_func (l, name, g_str_equal, NULL))
    g_ptr_array_add (l, g_strdup (name));
}

/* "; it may be Busy, Idle", where none is near. */
static char *
may_be (const Values *v)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);

  offer_values ((void *) v, draw_list_value, list);
  bool more = list->len > VALUES_TOLD;
  if (more)
    g_ptr_array_set_size (list, VALUES_TOLD);
  g_ptr_array_add (list, NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) list->pdata);
  return g_strdup_printf (_ ("; it may be %s%s"), all, more ? _ (", or others") : "");
}

typedef struct Sought {
  const char *name;
  bool found;
} Sought;

static void
draw_seek (void *sought, const char *name)
{
  Sought *s = sought;

  s->found |= g_str_equal (s->name, name);
}

static int
check_value (const Values *all, const char *name, TraceRef value)
{
  const char *attribute, *of = trace_ref_named_by (value, &attribute);
  Values v = *all;
  Sought a = { attribute }, b = { of };

  offer_values (&v, draw_seek, &a);
  if (!a.found) {
    g_autofree char *near = eve_nearest_told (attribute, offer_values, &v);
    return cli_fail ("--select", _ ("%s: nothing in the picture has an attribute \"%s\" with such values%s"), name,
                     attribute, near);
  }
  v.attribute = attribute;
  offer_values (&v, draw_seek, &b);
  if (b.found)
    return CLI_OK;
  g_autofree char *near = eve_nearest_told (of, offer_values, &v), *list = *near ? g_strdup ("") : may_be (&v);
  return cli_fail ("--select", _ ("%s: %s has no value \"%s\"%s%s"), name, attribute, of, near, list);
}

/* What a file names, one a line, as names_put() writes it; g_strfreev.  NULL and a sentence: it cannot be read. */
static char **
read_selected (const char *path)
{
  g_autoptr (GError) error = NULL;
  size_t n;
  g_autofree char *text = disk_read (path, NULL, SELECTED_MOST_BYTES, &n, &error);

  if (!text) {
    cli_fail ("--select-from", "%s", error->message);
    return NULL;
  }
  char **names = g_strsplit (text, "\n", -1);
  for (char **name = names; *name; name++) {
    g_autofree char *escaped = *name;
    escaped[strcspn (escaped, "\r")] = '\0';
    *name = g_strcompress (escaped);
  }
  return names;
}

typedef struct Selecting {
  Session *s;
  const ViewScene *scene;
  const Names *names;
  GHashTable *tasks; /* by id, of many */
  Values values;
  TraceRefs *refs;
} Selecting;

static int
draw_select_named (const Selecting *l, const char *name)
{
  const TraceSource *source = l->scene->source;
  uint32_t task = l->tasks ? GPOINTER_TO_UINT (g_hash_table_lookup (l->tasks, name)) : 0;
  TraceRef r = task ? trace_ref_task (source->number, task - 1) : ref_called (l->names, source, name);
  int status = CLI_OK;

  if (r.type == TRACE_REF_NONE)
    status = cli_fail ("--select", _ ("there is no task %s; `scope info` lists the tasks"), name);
  else if (r.type == TRACE_REF_VALUE && !session_knows (l->s, r))
    status = check_value (&l->values, name, r);
  trace_refs_add (l->refs, r);
  return status;
}

static int
find_selected (Session *s, const DrawOptions *d, EveComponent *c, const View *view, const ViewScene *scene,
               TraceRefs *refs)
{
  Names *names = d->select || d->selected ? names_read (view_tasks (scene)) : NULL;
  Selecting l = { s, scene, names, NULL, { scene->graph, c, view, scene, NULL }, refs };
  g_auto (GStrv) lines = d->selected ? read_selected (d->selected) : NULL;
  int status = d->selected && !lines ? CLI_FAILED : CLI_OK;

  for (char **name = d->select; name && *name && !status; name++)
    status = draw_select_named (&l, *name);
  l.tasks = lines && !status ? names_tasks_by_id (names, scene->source) : NULL;
  for (char **name = lines; name && *name && !status; name++)
    status = **name ? draw_select_named (&l, *name) : CLI_OK;
  g_clear_pointer (&l.tasks, g_hash_table_unref);
  if (names)
    names_free (names);
  return status;
}

static void
draw_tell_unseen (void *arg, const char *sentence)
{
  cli_note ("associations", "%s", sentence);
}

static int
draw_there (Session *s, const DrawOptions *d, EveComponent *c, const View *view, ViewScene *scene, Travel *t)
{
  g_autoptr (TraceRefs) selection = trace_refs_new ();
  GError *error = NULL;
  int status = CLI_OK;

  scene->groups = session_groups (s, scene); /* of all tasks that are known by now */
  if ((status = check_cut (s, d, scene)))
    return status;
  if ((status = find_selected (s, d, c, view, scene, selection)))
    return status;
  if (d->rows && (status = draw_check_rows (d, c, view, scene)))
    return status;
  scene->selection = selection;
  if (session_select (s, selection))
    session_rest (s, scene->at);
  cli_progress_clear ();
  if (draw_moving_asked (&d->moving)) {
    status = draw_moving (s, &d->moving, c, view, scene, t, d->out);
  } else if (d->csv || g_str_has_suffix (d->out, ".csv")) {
    g_autoptr (GString) text = g_string_new (NULL);
    if (!draw_table (s, c, view, scene, text, &error))
      status = cli_fail_error (d->view, error);
    else if (!places_write (d->out, text->str, (gssize) text->len, &error))
      status = cli_fail_error (d->out, error);
  } else {
    g_autofree char *heading = d->heading ? draw_heading (s, c, view, scene) : NULL;
    scene->heading = heading;
    if (!view_to_file (c, scene, d->out, &error))
      status = cli_fail_error (d->view, error);
    scene->heading = NULL;
  }
  scene->selection = NULL;
  const StateGraph *graph = scene->graph    ? scene->graph
                            : !s->simulator ? NULL
                                            : eve_query (s->simulator, "state-graph/1");
  if (!status)
    looks_tell_unseen (scene, eve_name (c), graph ? graph->model : NULL, draw_tell_unseen, NULL);
  return status;
}

/* `--at @mark`: from where the mark holds that scenes are seen. */
static void
look_from_mark (Session *s, const DrawOptions *d)
{
  Marks *m = d->at && d->at[0] == '@' ? marks_load (s->source->path, &s->source->clock, NULL) : NULL;
  const Mark *mark = m ? marks_find (m, d->at + 1) : NULL;

  if (mark)
    marks_see_from (s, mark, (const char *const *) d->set);
  marks_free (m);
}

static void
ask_of_component (void *asks, const AssociationsRule *r)
{
  bool own = r->kind != LOOK_MESSAGE;

  for (const char *const *name = look_of_kind[LOOK_MESSAGE]; !own && *name; name++)
    own = g_ascii_strcasecmp (*name, r->attribute) == 0;
  *(bool *) asks |= !own;
}

/* What components add to messages they know at an instant, and of that the film knows nothing. */
static bool
asks_components (Session *s, const ViewScene *scene)
{
  bool asks = false;

  associations_each_rule (view_associations (scene->colours), ask_of_component, &asks);
  return asks && session_more (s)->n > 0;
}

static int
draw_asked (Session *s, const DrawOptions *d, EveComponent *c, const View *view, ViewScene *scene)
{
  bool instant = view->spans & VIEW_OF_INSTANT,
       travels = instant || d->at_event != UINT64_MAX || asks_components (s, scene);
  int64_t date = instant || d->at ? scene->at : s->last;
  Travel *t = NULL;
  GError *error = NULL;

  if (!session_scene (s, c, scene, &error)
      || (d->range ? !go_range (s, c, scene, &error) : travels && !(t = draw_go (s, d, scene, date, &error))))
    return cli_fail_error (d->view, error);
  int status = draw_there (s, d, c, view, scene, t);
  if (t)
    travel_free (t);
  return status;
}

/* If the film turned out to be damaged, and could be shot again, all is to be read anew: in a session of its own, as
 * this one holds much of what was read before.  The picture of a film that was damaged twice has its damage marked. */
static int
draw_sound (Session *s, DrawOptions *d, EveComponent *c, const View *view, ViewScene *scene)
{
  int status = draw_asked (s, d, c, view, scene);
  bool lost = false;

  d->again = false;
  if (!status && d->mended && view->damage)
    view->damage (c, &lost);
  else if (!status && film_cli_mend (s, c, scene->film, &lost)) {
    d->again = d->mended = true;
    return CLI_OK;
  }
  if (!status && (lost || (d->incomplete && view->damage)))
    return cli_fail (d->out, _ ("some of what is to be shown is missing in the film; it is marked"));
  return status;
}

static bool
is_picture (const char *path)
{
  static const char *const endings[] = { ".png", ".svg", ".pdf", ".csv", ".gif", ".webm" };
  bool is = false;

  for (size_t i = 0; i < G_N_ELEMENTS (endings); ++i)
    is |= g_str_has_suffix (path, endings[i]);
  return is;
}

/* A film that cannot be completed, since a component fails or the disk is full, is shown as far as it goes. */
static int
draw_shoot (Session *s, DrawOptions *d, FilmStats *film)
{
  g_autoptr (GError) error = NULL;

  if (film_cli_shoot (s, d->film, INT64_MAX, NULL, FILM_CLI_QUIET, film, &error))
    return CLI_OK;
  if (cli_interrupted () || !film->folder)
    return cli_fail ("film", "%s", error->message);
  cli_note ("film", _ ("%s; drawing what there is of it"), error->message);
  eve_program_clear_failure (s->program);
  d->incomplete = true;
  return CLI_OK;
}

static void
draw_on_warn (void *arg, const char *component, const char *sentence)
{
  cli_note (component, "%s", sentence);
}

static int
draw_run_session (DrawOptions *d, const char *trace, const char *const *more)
{
  g_autofree char *program = g_strdup (d->program);
  GError *error = NULL;
  FilmStats film = { 0 };
  int status;

  SessionOptions options = { .trace = trace,
                             .more = more,
                             .format = d->format,
                             .program = program,
                             .text = d->text,
                             .set = (const char *const *) d->set,
                             .warn = draw_on_warn,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };
  if (!program && !more) { /* the default program of the format has no views; this one has */
    SessionOptions bare = options;
    bare.set = NULL;
    Session *probe = session_open (&bare, &error);
    if (!probe)
      return cli_fail_error (trace, error);
    options.program = program = places_offered (probe->format, "views.eve");
    session_free (probe);
  }
  Session *s = session_open (&options, &error);
  if (!s)
    return cli_fail_error (trace, error);
  cli_note_program (s);
  if (!d->view) {
    status = ask_view (s);
    session_free (s);
    return status;
  }
  choose_cut (s, d);
  /* it may be in a part that the program adds to itself: then the film knows */
  status = is_view (s, d->view) ? CLI_OK : draw_shoot (s, d, &film);
  EveComponent *c = status ? NULL : find_view (s, d->view);
  const View *view = c ? session_view (c) : NULL;
  ViewScene scene = { .width_px = d->width_px,
                      .height_px = d->height_px,
                      .scale = d->scale,
                      .dark = d->dark,
                      .from = 1,
                      .to = 0,
                      .at = INT64_MIN,
                      .source = s->source,
                      .event = d->event < 0 ? UINT64_MAX : (uint64_t) d->event - 1 };
  status = status ? status : c ? CLI_OK : CLI_FAILED;
  if (!status && (d->from || d->to)) {
    scene.from = s->first;
    scene.to = s->last;
    if (d->from)
      status = cli_time (s->source, "--from", d->from, &scene.from);
    if (!status && d->to)
      status = cli_time (s->source, "--to", d->to, &scene.to);
    if (!status && d->from && s->first <= s->last && scene.from > s->last)
      status = cli_fail ("--from", _ ("%s lies after the end of the execution; `scope info` tells when that is"),
                         d->from);
    if (!status && scene.from > scene.to)
      status = cli_usage (d->to ? "--to" : "--from",
                          d->to ? _ ("%s lies before the beginning of the picture")
                                : _ ("%s lies after the end of the picture"),
                          d->to ? d->to : d->from);
  }
  if (!status)
    status = read_rows (d, &scene);
  if (!status && d->at)
    status = cli_instant (s->source, "--at", d->at, &d->at_event, &scene.at);
  if (!status)
    status = draw_moving_instants (&d->moving, s);
  if (!status && d->moving.play)
    scene.at = d->moving.from;
  if (!status && d->range)
    status = cli_range (s->source, "--range", d->range, s->first, s->last, &scene.counted_from, &scene.counted_to);
  if (!status && d->range)
    scene.at = scene.counted_to;
  if (!status && !d->at && !d->moving.play && view->spans & VIEW_OF_INSTANT)
    scene.at = s->last;
  if (!status && !film.folder)
    status = draw_shoot (s, d, &film);
  if (!status) {
    ViewColours *colours = view_colours_load ();
    status = cli_associate (s, colours);
    if (d->palette)
      view_colours_set_palette (colours, d->palette);
    scene.film = film.folder;
    /* a picture of the whole names states that nobody has come to yet */
    g_autofree char *unread = film_schema_read (film.folder, s);
    if (unread) {
      cli_note ("film", _ ("%s; states have no names"), unread);
      d->incomplete = true;
    }
    scene.colours = colours;
    look_from_mark (s, d);
    const ViewCamera *camera = view_camera (c);
    const char *wrong = camera ? camera->wrong (c, NULL) : NULL;
    if (wrong)
      cli_note (eve_name (c), "%s", wrong);
    if (!status)
      status = draw_sound (s, d, c, view, &scene);
    cli_note_damaged (trace, s->source);
    view_colours_free (colours);
  }
  if (!status)
    status = film.missing ? CLI_FAILED : cli_missing (s->program, s->problems);
  g_free (film.folder);
  session_free (s);
  return !status && d->again ? draw_run_session (d, trace, more) : status;
}

static int
draw_take_names (const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = disk_read (file, NULL, DISK_PROGRAM, NULL, &error);

  if (!text)
    return cli_fail ("--name-colours", "%s", error->message);
  uint32_t line = store_names_give (text);
  return line == 0
             ? 0
             : cli_fail ("--name-colours",
                         _ ("%s, line %u: it is no place from 1 to %d, attribute and name, with tabs between them"),
                         file, line, STATE_PLACES);
}

static int
draw_command (const CliCommand *self, int argc, char **argv)
{
  DrawOptions d = { .scale = 1, .event = -1, .at_event = UINT64_MAX };
  const GOptionEntry entries[] = {
    { "view", 0, 0, G_OPTION_ARG_STRING, &d.view, _ ("Which view: its name in the program, or the id of its class"),
      "ID" },
    { "program", 0, 0, G_OPTION_ARG_FILENAME, &d.program,
      _ ("The program; otherwise the one of the format that has views"), "FILE" },
    { "edited", 0, 0, G_OPTION_ARG_FILENAME, &d.edited,
      _ ("What the program holds now, instead of its own file: names of files in it stay relative to that"), "FILE" },
    { "name-colours", 0, 0, G_OPTION_ARG_FILENAME, &d.names,
      _ ("Places that names have among the colours, as a window gave them: lines of place, attribute and name"),
      "FILE" },
    { "film", 0, 0, G_OPTION_ARG_FILENAME, &d.film, _ ("Folder of the film; otherwise where films are kept"), "DIR" },
    { "from", 0, 0, G_OPTION_ARG_STRING, &d.from, _ ("Where the picture begins; otherwise at the beginning"), "T" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &d.to, _ ("Where it ends; otherwise at the end"), "T" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &d.at, _ ("The present instant, or #N: just after the event of this number"),
      "T" },
    { "range", 0, 0, G_OPTION_ARG_STRING, &d.range,
      _ ("Charts count what is dated between these alone, and are of its end"), "FROM..TO" },
    { "rows", 0, 0, G_OPTION_ARG_STRING, &d.rows, _ ("Of what stands in rows, these alone; the first is 1"),
      "FIRST-LAST" },
    { "select", 0, 0, G_OPTION_ARG_STRING_ARRAY, &d.select,
      _ ("What stands out: a task, a link TASK->TASK, a state as State=Idle, a kind of event; may be repeated"), "ID" },
    { "select-from", 0, 0, G_OPTION_ARG_FILENAME, &d.selected,
      _ ("The same from a file, one a line; a backslash in a name is written twice"), "FILE" },
    { "hierarchy", 0, 0, G_OPTION_ARG_STRING, &d.hierarchy,
      _ ("Groups of tasks, shown as one: host, program, group, type, inside, spawn, topology, blocks, behaviour, hand; "
         "none"),
      "NAME" },
    { "open", 0, 0, G_OPTION_ARG_STRING_ARRAY, &d.open,
      _ ("A group whose members are shown, as \"node12\" or \"rack3 / node7\"; all: every one; may be repeated"),
      "GROUP" },
    { "parts", 0, 0, G_OPTION_ARG_INT, &d.parts,
      _ ("Opens groups where least is lost by it, so that no more than N parts are shown"), "N" },
    { "event", 0, 0, G_OPTION_ARG_INT64, &d.event, _ ("The first event of a text, by number, from 1"), "N" },
    { "turn", 0, 0, G_OPTION_ARG_NONE, &d.moving.turn,
      _ ("The camera of a scene goes once round: .gif, .webm, or .png for each"), NULL },
    { "play", 0, 0, G_OPTION_ARG_STRING, &d.moving.play, _ ("The instant goes on, in a picture that moves: the same"),
      "FROM..TO" },
    { "pictures", 0, 0, G_OPTION_ARG_INT, &d.moving.pictures,
      _ ("Of how many pictures these are made; 72 and 100 if left out"), "N" },
    { "rate", 0, 0, G_OPTION_ARG_STRING, &d.rate, _ ("Pictures a second; 12 if left out"), "R" },
    CLI_ASSOCIATIONS,
    { "size", 0, 0, G_OPTION_ARG_STRING, &d.size,
      _ ("Size in pixels; 1600x1000 if left out. Those of a .pdf are points, 72 to the inch; or, of a .pdf or .svg, "
         "millimetres, as 160x90mm"),
      "WxH" },
    { "scale", 0, 0, G_OPTION_ARG_STRING, &d.scaled, _ ("Pixels of the file for each of the picture; 1 if left out"),
      "S" },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &d.dark, _ ("Light on dark"), NULL },
    { "palette", 0, 0, G_OPTION_ARG_STRING, &d.palette,
      _ ("Colours: standard, scope (not those of the trace), colour-blind (safe for such readers), print (greys and "
         "patterns); otherwise those that the window has"),
      "NAME" },
    { "heading", 0, 0, G_OPTION_ARG_NONE, &d.heading,
      _ ("What is shown, of which trace and when stands above the picture, and what its legend leaves out below it"),
      NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &d.csv, _ ("Write what the picture shows as a table"), NULL },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &d.set, _ ("A setting of a component; may be repeated"),
      "COMPONENT.SETTING=VALUE" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &d.format, _ ("Which data of a bundle that holds several formats"), "F" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &d.out, _ ("The picture: .png, .svg, .pdf, .gif, .webm; or .csv"),
      "FILE" },
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autoptr (GError) error = NULL;
  int status = cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES) ? CLI_OK : CLI_USAGE;

  if (!status)
    status = cli_number ("--scale", d.scaled, &d.scale);
  if (!status)
    status = cli_number ("--rate", d.rate, &d.moving.rate);
  if (!status && !d.out)
    status = cli_usage (self->name, _ ("say where to with -o FILE.png, .svg, .pdf or .csv"));
  if (!status && !d.csv && !is_picture (d.out))
    status = cli_usage (
        "-o", _ ("%s: pictures end in .png, .svg or .pdf, those that move in .gif or .webm, tables in .csv"), d.out);
  if (!status && d.csv && draw_moving_asked (&d.moving))
    status = cli_usage ("--csv", _ ("a table does not move: leave --turn and --play out"));
  if (!status && d.range && (d.at || draw_moving_asked (&d.moving)))
    status = cli_usage ("--range", _ ("it says of which instant the chart is: leave --at, --turn and --play out"));
  if (!status && d.at && d.moving.play)
    status = cli_usage ("--at", _ ("--play says at which instants"));
  if (!status)
    status = draw_moving_check (&d.moving, d.out);
  if (!status && d.parts < 0)
    status = cli_usage ("--parts", _ ("%d is no number of parts"), d.parts);
  if (!status && d.event == 0)
    status = cli_usage ("--event", _ ("events are numbered from 1"));
  if (!status && d.palette)
    status = draw_check_palette (d.palette);
  if (!status)
    status = read_size (&d);
  if (!status && d.edited && !(d.text = disk_read (d.edited, NULL, DISK_PROGRAM, NULL, &error)))
    status = cli_fail ("--edited", "%s", error->message);
  if (!status && d.names)
    status = draw_take_names (d.names);
  if (!status) {
    cli_load_components ();
    if (!places_may_write (d.out, &error))
      status = cli_fail_error (d.out, error);
  }
  if (!status)
    status = draw_run_session (&d, argv[1], cli_more (argc, argv));
  char *const texts[] = { d.program,     d.view,   d.film, d.from,   d.to,       d.at,        d.size,
                          d.out,         d.format, d.rows, d.edited, d.text,     d.hierarchy, d.palette,
                          d.moving.play, d.scaled, d.rate, d.range,  d.selected, d.names };
  for (size_t i = 0; i < G_N_ELEMENTS (texts); ++i)
    g_free (texts[i]);
  g_strfreev (d.set);
  g_strfreev (d.select);
  g_strfreev (d.open);
  return status;
}

const CliCommand cli_draw = {
  "draw",
  "TRACE [TRACE...]",
  N_ ("Draws a view of an execution."),
  "  scope draw traces/fft2d-s16.trace --view Space-time --at 0.2 -o out/space-time.png\n"
  "  scope draw traces/fft2d-s16.trace --view \"State graph\" --at 0.2 --dark -o out/state.svg\n",
  draw_command,
};
