/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run-out.h"
#include "eve/words.h"
#include <errno.h>
#include <string.h>
#include "eve/disk.h"
#include "session/extend.h"
#include "session/film-drive.h"
#include "session/film.h"
#include "session/layers.h"
#include "session/marks.h"
#include "session/places.h"
#include "statistics/order.h"
#include "views/view.h"

#define SAVED "checkpoints"
#define MOST_ORDERS 1000 /* kept; the rest is counted */
#define ORDERS_SHOWN 20
#define WIDTH_PX 1200
#define HEIGHT_PX 750

typedef struct Order {
  uint64_t event;
  int64_t date;  /* where time stood */
  int64_t since; /* of what it is about: not after that */
  TraceCommand command;
  char *words, *by, *because; /* NULL: it came without words */
  const char *became;         /* NULL: obeyed */
} Order;

struct RunOut {
  Session *s;
  char *out;       /* NULL: nothing is written */
  char *histories; /* folder for the histories of views, while it runs; NULL: none are kept */
  Layers *layers;
  GPtrArray *orders;
  uint64_t n_orders;
  guint done; /* of `orders`, acted upon */
  bool paused;
  int64_t instant; /* with has_instant: whose pictures are drawn already */
  bool has_instant;
  bool lost;  /* something that was to be kept could not be written, which was told */
  char *part; /* ordered, and not there yet: the run is to begin again with it */
  DriveStop stop;
};

static void
order_free (void *p)
{
  Order *o = p;

  g_free (o->words);
  g_free (o->by);
  g_free (o->because);
  g_free (o);
}

void
run_out_forget_saved (const char *out)
{
  disk_remove_below (out, SAVED);
}

/* Inside a firing: note it; what is for readers goes on to them. */
static bool
run_out_on_heard (void *arg, const TraceCommand *command)
{
  RunOut *r = arg;
  const TraceSession *face = r->s->controller_face;
  const char *text = face->order ? face->order (r->s->controller) : NULL;

  if (r->part) /* of the program without it: will not be */
    return false;
  if ((r->part = extend_wanted (r->s, command, text))) {
    eve_pause (r->s->program);
    return false;
  }
  extend_answer (r->s, text);
  if (command->verb <= TRACE_STOP)
    r->paused = command->verb >= TRACE_PAUSE;
  if (r->n_orders++ >= MOST_ORDERS)
    return true;
  Order *o = g_new0 (Order, 1);
  drive_place_heard (r->s, &r->stop, (TraceVerb) command->verb, &o->event, &o->date);
  o->command = *command;
  o->since = stats_order_date (text, &r->s->source->clock, o->date);
  o->words = text ? stats_order_command (text) : NULL;
  o->by = text ? stats_order_tells (text, "by") : NULL;
  o->because = text ? stats_order_tells (text, "because") : NULL;
  g_ptr_array_add (r->orders, o);
  if (command->verb == TRACE_SAVE || command->verb == TRACE_GO_MARK)
    eve_pause (r->s->program); /* at this very instant */
  return true;
}

/* The folder of histories is inside the other, so that both are on the same disk. */
static void
begin_histories (RunOut *r)
{
  g_autoptr (GError) error = NULL;

  if (!layers_identity (r->s->program, false))
    return;
  r->histories = places_scratch (r->out, ".histories");
  if (!r->histories)
    cli_note (r->out, _ ("no folder for the histories of views can be made: %s"), g_strerror (errno));
  else if (!(r->layers = layers_new (r->s->program, &(LayersOptions){ .folder = r->histories }, &error)))
    cli_note (r->out, "%s", error->message);
  r->lost |= !r->layers;
}

static void
end_histories (RunOut *r)
{
  g_clear_pointer (&r->layers, layers_free);
  g_clear_pointer (&r->histories, places_scratch_end);
}

static void
run_out_listen (RunOut *r)
{
  if (r->s->controller)
    r->s->controller_face->listen (r->s->controller, run_out_on_heard, r);
  if (r->out)
    begin_histories (r);
}

static void
end_listening (RunOut *r)
{
  if (r->s->controller)
    r->s->controller_face->listen (r->s->controller, NULL, NULL);
  end_histories (r);
}

RunOut *
run_out_new (Session *s, const char *out)
{
  RunOut *r = g_new0 (RunOut, 1);

  r->s = s;
  r->out = g_strdup (out);
  r->orders = g_ptr_array_new_with_free_func (order_free);
  run_out_listen (r);
  return r;
}

void
run_out_free (RunOut *r)
{
  if (!r)
    return;
  end_listening (r);
  g_ptr_array_unref (r->orders);
  g_free (r->part);
  g_free (r->out);
  g_free (r);
}

bool
run_out_extend (RunOut *r)
{
  g_autofree char *part = g_steal_pointer (&r->part);

  if (!part)
    return false;
  end_listening (r);
  eve_program_print_on (r->s->program);
  if (r->out)
    run_out_forget_saved (r->out);
  extend_tell (r->s, part, _ ("the run begins again with it"), cli_tell_part, NULL);
  eve_program_clear_failure (r->s->program); /* also of one that was refused */
  eve_reset (r->s->program);
  g_ptr_array_set_size (r->orders, 0);
  r->n_orders = r->done = 0;
  r->paused = false;
  r->stop = (DriveStop){ 0 };
  run_out_listen (r);
  return true;
}

/* ---- commands -------------------------------------------------------------------------------------------------------- */

static void
save_checkpoint (RunOut *r, Order *o)
{
  Session *s = r->s;
  g_autoptr (GError) error = NULL;
  if (!r->out) {
    o->became = "no folder was given for checkpoints: add --out DIR";
    return;
  }
  g_autofree char *path = g_build_filename (r->out, SAVED, NULL);
  uint64_t trace = film_traces_identity (s, &error);
  Checkpoints *c = error ? NULL : checkpoints_open (path, film_plan_identity (s), trace, true, NULL, &error);
  EveBlob *state = eve_blob_new ();
  Checkpoint what = { .event = o->event, .date = o->date, .kind = CHECKPOINT_BY_HAND, .when_us = g_get_real_time () };
  size_t n;

  g_strlcpy (what.name, o->command.name, sizeof what.name);
  if (c) {
    eve_program_save_run (s->program, state);
    const uint8_t *bytes = eve_blob_data (state, &n);
    checkpoints_append (c, &what, bytes, n, &error);
    checkpoints_free (c);
  }
  eve_blob_free (state);
  if (error) {
    o->became = "the checkpoint cannot be written";
    cli_note (path, "%s", error->message);
    r->lost = true;
  }
}

bool
run_out_more (RunOut *r, int64_t *until)
{
  bool stopped = false;

  *until = INT64_MAX;
  for (; r->done < r->orders->len; r->done++) {
    Order *o = r->orders->pdata[r->done];
    g_autoptr (GError) error = NULL;
    if (o->command.verb == TRACE_SAVE) {
      save_checkpoint (r, o);
      stopped = true;
    } else if (o->command.verb == TRACE_GO_MARK) {
      g_autofree char *name = g_strndup (o->command.name, sizeof o->command.name);
      Marks *marks = marks_load (r->s->source->path, &r->s->source->clock, &error);
      const Mark *m = marks ? marks_find (marks, name) : NULL;
      if (!m)
        o->became = "there is no such mark";
      else if (m->date < o->date)
        o->became = "the mark lies in the past, and a run only goes forward";
      else
        *until = m->date;
      if (marks)
        marks_free (marks);
      stopped = true;
    }
  }
  return stopped && !r->paused;
}

bool
run_out_paused (const RunOut *r)
{
  return r->paused;
}

/* What a mark of an order is called: the same name again and again gets each time its number.  g_free. */
static char *
mark_name (const Marks *marks, const Order *o)
{
  g_autofree char *given = g_strndup (o->command.name, sizeof o->command.name);
  const char *end;

  if (!g_utf8_validate (given, -1, &end)) /* a long one was cut within a character */
    given[end - given] = '\0';
  char *name = g_strdup (*given ? given : o->by ? o->by : "mark");
  for (guint k = 2; marks_find (marks, name); k++) {
    g_autofree char *stem = g_strndup (*given ? given : "mark", MARK_NAME_BYTES - 8);
    if (!g_utf8_validate (stem, -1, &end))
      stem[end - stem] = '\0';
    g_free (name);
    name = g_strdup_printf ("%s %u", stem, k);
  }
  return name;
}

/* Marks go to the bundle; with a folder to write to, there, and nothing else is touched.  One that cannot be kept is
 * told with its order, and takes no other along. */
static void
run_out_write_marks (RunOut *r)
{
  g_autoptr (GError) error = NULL;
  Marks *marks = NULL;
  guint added = 0;

  for (guint i = 0; i < r->orders->len; i++) {
    Order *o = r->orders->pdata[i];
    g_autoptr (GError) why = NULL;
    if (o->command.verb != TRACE_MARK)
      continue;
    if (!marks && !(marks = marks_load (r->s->source->path, &r->s->source->clock, &error)))
      break;
    g_autofree char *name = mark_name (marks, o);
    if (marks_add (marks, name, o->since, o->because ? o->because : "", &why))
      added++;
    else
      o->became = "the name is none for a mark";
  }
  if (added && r->out) {
    g_autofree char *text = marks_text (marks);
    disk_write_below (r->out, "marks.xml", text, strlen (text), &error);
  } else if (added) {
    marks_save (marks, &error);
  }
  if (error)
    cli_note ("marks", "%s", error->message);
  r->lost |= error != NULL;
  if (marks)
    marks_free (marks);
}

/* A sentence for each, the first ones; what could not be done is said. */
static void
tell_orders (RunOut *r)
{
  g_autoptr (GHashTable) added = g_hash_table_new (g_str_hash, g_str_equal);
  static const char *const verbs[] = { "step", "go", "pause", "stop", "mark", "save", "go to mark", "other" };

  for (guint i = 0; i < r->orders->len && i < ORDERS_SHOWN; i++) {
    const Order *o = r->orders->pdata[i];
    const char *what = o->words ? o->words : verbs[MIN (o->command.verb, TRACE_OTHER)], *became = o->became;
    char seconds[64], date[80] = "the beginning";
    if (o->since != INT64_MIN) {
      trace_clock_print (&r->s->source->clock, o->since, seconds, sizeof seconds);
      g_snprintf (date, sizeof date, "%s s", seconds);
    }
    /* Messages are said by this very line. */
    bool message = g_str_has_prefix (what, "message ") || g_str_has_prefix (what, "alarm ");
    const char *because = message ? NULL : o->because;
    bool again = extend_is_add (what) && !g_hash_table_add (added, (void *) what);
    if (extend_is_add (what))
      became = extend_refused (r->s, what);
    else if (o->command.verb == TRACE_OTHER && !message)
      became = "a run without a window cannot do that";
    cli_note (o->by ? o->by : eve_name (r->s->controller), _ ("at %s, event %" PRIu64 ": %s%s%s%s%s%s"), date, o->event,
              what, because ? _ (", because ") : "", because ? because : "",
              became  ? _ (" (not obeyed: ")
              : again ? _ (" (it is there already")
                      : "",
              became ? became : "", became || again ? ")" : "");
  }
  if (r->n_orders > ORDERS_SHOWN)
    cli_note (r->s->source->name,
              P_ ("%" PRIu64 " more command of components", "%" PRIu64 " more commands of components",
                  r->n_orders - ORDERS_SHOWN),
              r->n_orders - ORDERS_SHOWN);
}

/* ---- pictures -------------------------------------------------------------------------------------------------------- */

/* Those of the instant alone, or those of the whole execution, in which `at` is where the cursor stands. */
static void
draw_views (RunOut *r, int64_t at, ViewSpan which)
{
  Session *s = r->s;
  ViewColours *colours = view_colours_load ();
  g_autoptr (GError) why = NULL;

  r->lost |= cli_associate (s, colours) != CLI_OK;
  if (r->layers && !layers_flush (r->layers, drive_ended (s) ? INT64_MAX : INT64_MIN, &why))
    cli_note (r->histories, "%s", why->message);
  r->lost |= why != NULL;
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    const View *view = session_view (c);
    g_autoptr (GError) error = NULL;
    if (!view || (view->spans & VIEW_OF_EXECUTION ? VIEW_OF_EXECUTION : VIEW_OF_INSTANT) != which)
      continue;
    ViewScene scene = { .width_px = WIDTH_PX,
                        .height_px = HEIGHT_PX,
                        .scale = 1,
                        .from = 1,
                        .to = 0,
                        .at = at,
                        .film = r->histories,
                        .colours = colours,
                        .event = UINT64_MAX };
    g_autofree char *path = view_file_name (c, r->out, ".png");
    if (session_scene (s, c, &scene, &error) && view_to_file (c, &scene, path, &error))
      continue;
    cli_note (eve_name (c), "%s", error ? error->message : _ ("it cannot be drawn"));
    r->lost |= error && g_error_matches (error, TRACE_ERROR, TRACE_ERROR_IO); /* else it has nothing to show */
  }
  view_colours_free (colours);
}

void
run_out_instant (RunOut *r, int64_t at)
{
  session_rest (r->s, at);
  eve_pause (r->s->program);
  if (r->out)
    draw_views (r, at, VIEW_OF_INSTANT);
  r->instant = at;
  r->has_instant = true;
}

bool
run_out_end (RunOut *r, int64_t at, bool pictures)
{
  run_out_write_marks (r);
  tell_orders (r);
  if (r->out && pictures && !r->has_instant)
    draw_views (r, at, VIEW_OF_INSTANT);
  if (r->out && pictures)
    draw_views (r, r->has_instant ? r->instant : at, VIEW_OF_EXECUTION);
  return !r->lost;
}
