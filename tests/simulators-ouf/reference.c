/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

typedef struct Open { /* a call that has begun */
  uint32_t task;
  int32_t thread;
  char *name;              /* of its kind, without the T of a limit */
  const TraceObject *link; /* NULL: none */
  GPtrArray *listens;      /* of TraceObject *, of an alternative; NULL: none */
  int64_t size;
  bool talks, waits;
  struct Met *met; /* of one that talks */
} Open;

typedef struct Met { /* the size of the message; the sides that have not ended; which meeting it is */
  int64_t size;
  int open;
  uint64_t number;
} Met;

typedef struct Thing { /* a task or a link */
  GArray *dates;       /* of int64_t: when it took ... */
  GPtrArray *states;   /* ... this state */
  int64_t traffic, total, messages;
} Thing;

struct Reference {
  GPtrArray *mets; /* of Met: all there were, also those that never ended */
  TraceSource *s;
  GPtrArray *open; /* of Open *, in the order they began */
  bool *born, *dead;
  Thing *tasks, *links;
  uint64_t impossible, meetings;
  int64_t now;
};

static void
free_open (gpointer p)
{
  Open *o = p;

  if (o->listens != NULL)
    g_ptr_array_unref (o->listens);
  g_free (o->name);
  g_free (o);
}

static void
thing_init (Thing *t, int64_t date)
{
  t->dates = g_array_new (FALSE, FALSE, sizeof date);
  t->states = g_ptr_array_new ();
  g_array_append_val (t->dates, date);
  g_ptr_array_add (t->states, (gpointer) "Unused");
}

static void
thing_clear (Thing *t)
{
  g_array_unref (t->dates);
  g_ptr_array_unref (t->states);
}

Reference *
reference_new (TraceSource *s)
{
  Reference *r = g_new0 (Reference, 1);

  r->s = s;
  r->open = g_ptr_array_new_with_free_func (free_open);
  r->mets = g_ptr_array_new_with_free_func (g_free);
  r->born = g_new0 (bool, s->tasks->len);
  r->dead = g_new0 (bool, s->tasks->len);
  r->tasks = g_new0 (Thing, s->tasks->len);
  r->links = g_new0 (Thing, s->objects->len);
  for (guint i = 0; i < s->tasks->len; i++)
    thing_init (&r->tasks[i], s->first);
  for (guint i = 0; i < s->objects->len; i++)
    thing_init (&r->links[i], s->first);
  return r;
}

void
reference_free (Reference *r)
{
  for (guint i = 0; i < r->s->tasks->len; i++)
    thing_clear (&r->tasks[i]);
  for (guint i = 0; i < r->s->objects->len; i++)
    thing_clear (&r->links[i]);
  g_ptr_array_unref (r->open);
  g_ptr_array_unref (r->mets);
  g_free (r->born);
  g_free (r->dead);
  g_free (r->tasks);
  g_free (r->links);
  g_free (r);
}

uint64_t
reference_impossible (const Reference *r)
{
  return r->impossible;
}

/* ---- who is where ------------------------------------------------------------------------------------------------ */

static Thing *
thing_of (const Reference *r, const TraceObject *link)
{
  guint i = 0;

  g_assert_true (g_ptr_array_find (r->s->objects, link, &i));
  return &r->links[i];
}

static bool
is (const Open *o, const char *name)
{
  return strcmp (o->name, name) == 0;
}

static const char *
opposite (const Open *o)
{
  return is (o, "Send") ? "Receive" : "Send";
}

/* The first that began of those at one end of a link. */
static Open *
first (const Reference *r, const TraceObject *link, const char *name, bool talks)
{
  for (guint i = 0; i < r->open->len; i++) {
    Open *o = r->open->pdata[i];
    if (o->link == link && is (o, name) && o->talks == talks)
      return o;
  }
  return NULL;
}

static void
meet (Reference *r, Open *o)
{
  Open *other = first (r, o->link, opposite (o), false);

  if (other == NULL)
    return;
  Open *send = is (o, "Send") ? o : other, *receive = is (o, "Send") ? other : o;
  send->met = receive->met = g_new (Met, 1);
  g_ptr_array_add (r->mets, send->met);
  *send->met = (Met){ send->size, 2, ++r->meetings };
  o->talks = other->talks = true;
  thing_of (r, o->link)->traffic += send->size;
}

/* Whoever ends last in a meeting takes its size out of Traffic. */
static void
leave (Reference *r, Open *o)
{
  if (o->met != NULL && --o->met->open == 0) {
    thing_of (r, o->link)->traffic -= o->met->size;
    thing_of (r, o->link)->total += o->met->size;
  }
  o->met = NULL;
}

static void
close_call (Reference *r, Open *o)
{
  leave (r, o);
  g_ptr_array_remove (r->open, o);
}

/* Its partner; NULL: has ended. */
static Open *
partner (const Reference *r, const Open *o)
{
  for (guint i = 0; i < r->open->len; i++) {
    Open *other = r->open->pdata[i];
    if (other != o && other->met == o->met)
      return other;
  }
  return NULL;
}

/* The call takes the place of another of its task at its end of the link, and the other its own. */
static void
swap (Reference *r, Open *o, Open *other)
{
  Met *met = o->met;
  bool talks = o->talks;

  o->met = other->met;
  o->talks = other->talks;
  other->met = met;
  other->talks = talks;
  for (int i = 0; i < 2; i++) {
    Open *send = i == 0 ? o : other;
    if (!is (send, "Send") || send->met == NULL || send->met->open < 2)
      continue;
    thing_of (r, send->link)->traffic += send->size - send->met->size;
    send->met->size = send->size;
  }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void
begin (Reference *r, const TraceEvent *e, const char *name)
{
  Open *o = g_new0 (Open, 1);
  uint32_t n;
  const uint32_t *list = trace_objects (e, &n);

  *o = (Open){ .task = e->task, .thread = e->tag, .name = g_strdup (name) };
  if (is (o, "Send") || is (o, "Receive")) {
    o->link = r->s->objects->pdata[e->object];
    o->size = is (o, "Send") ? e->size : 0;
    meet (r, o);
    o->waits = true;
  } else if (is (o, "Alt") || is (o, "NAlt")) {
    o->waits = is (o, "Alt");
    o->listens = g_ptr_array_new ();
    for (uint32_t i = 0; i < n; i++) {
      const TraceObject *link = r->s->objects->pdata[list[i]];
      g_ptr_array_add (o->listens, (gpointer) link);
      if (first (r, link, "Send", false) != NULL)
        o->waits = false;
    }
  }
  g_ptr_array_add (r->open, o);
}

static void
time_out (Reference *r, Open *o)
{
  Open *other = o->talks ? partner (r, o) : NULL, *served = first (r, o->link, o->name, false);

  if (o->talks && other == NULL && served != NULL) {
    swap (r, o, served);
  } else if (o->talks && other == NULL) {
    r->impossible++;
  } else if (o->talks) {
    thing_of (r, o->link)->traffic -= o->met->size;
    o->met = other->met = NULL;
    other->talks = false;
  }
  close_call (r, o);
  if (other != NULL)
    meet (r, other);
}

/* The thread that seemed to be served in place of this one: in the oldest meeting that nobody has ended, else in one
 * that the other side has. */
static Open *
served (const Reference *r, const Open *o)
{
  Open *found = NULL;

  for (guint i = 0; i < r->open->len; i++) {
    Open *other = r->open->pdata[i];
    if (other->link == o->link && is (other, o->name) && other->talks
        && (found == NULL || other->met->open > found->met->open
            || (other->met->open == found->met->open && other->met->number < found->met->number)))
      found = other;
  }
  return found;
}

static void
end_communication (Reference *r, const TraceEvent *e, Open *o)
{
  Thing *link = thing_of (r, o->link);

  if (!o->talks && served (r, o) != NULL) /* another thread of the task, as it seemed */
    swap (r, o, served (r, o));
  if (o->talks) {
    link->traffic += e->size - o->met->size;
    o->met->size = e->size;
    if (is (o, "Receive") && e->result != -1)
      link->messages++;
  } else if (e->result != -1) {
    r->impossible++;
  }
  close_call (r, o);
}

static Open *
call_of (const Reference *r, uint32_t task, int32_t thread)
{
  for (guint i = 0; i < r->open->len; i++) {
    Open *o = r->open->pdata[i];
    if (o->task == task && (o->thread == thread || thread < 0))
      return o;
  }
  return NULL;
}

static void
end (Reference *r, const TraceEvent *e, const char *name)
{
  Open *o = call_of (r, e->task, e->tag);

  if (o == NULL || !(is (o, name) || (strcmp (name, "Timeout") == 0 && o->link != NULL)))
    r->impossible++;
  else if (strcmp (name, "Timeout") == 0)
    time_out (r, o);
  else if (o->link != NULL)
    end_communication (r, e, o);
  else
    close_call (r, o);
}

static void
apply (Reference *r, const TraceEvent *e)
{
  const char *name = r->s->kinds[e->kind].name;
  static const char *const calls[] = { "Send", "Receive", "Alt", "NAlt", "Wait", "SemP", NULL };

  if (strcmp (name, "TSend") == 0 || strcmp (name, "TReceive") == 0)
    name++;
  if (r->dead[e->task] || (r->born[e->task] && strcmp (name, "TskBth") == 0)) {
    r->impossible++;
    return;
  }
  if (!r->born[e->task] && strcmp (name, "TskBth") != 0)
    r->impossible++;
  r->born[e->task] = true;
  if (strcmp (name, "TskDth") == 0) {
    r->dead[e->task] = true;
    for (Open *o; (o = call_of (r, e->task, -1)) != NULL;)
      close_call (r, o);
  } else if (e->flags & TRACE_END) {
    if (strcmp (name, "Phase") != 0)
      end (r, e, name);
  } else if (g_strv_contains (calls, name)) {
    Open *before = call_of (r, e->task, e->tag);
    if (before != NULL) {
      r->impossible++;
      close_call (r, before);
    }
    begin (r, e, name);
  }
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const char *
task_state (const Reference *r, uint32_t task)
{
  bool talks = false, waits = false;

  for (guint i = 0; i < r->open->len; i++) {
    const Open *o = r->open->pdata[i];
    talks = talks || (o->task == task && o->talks);
    waits = waits || (o->task == task && o->waits);
  }
  return r->dead[task] ? "Dead" : !r->born[task] ? "Unused" : talks ? "Talking" : waits ? "Idle" : "Busy";
}

static uint32_t
usage (const Reference *r, const TraceObject *link)
{
  uint32_t n = 0;

  for (guint i = 0; i < r->open->len; i++)
    n += ((const Open *) r->open->pdata[i])->link == link;
  return n;
}

static const char *
link_state (const Reference *r, const TraceObject *link)
{
  bool awaited = usage (r, link) > 0;

  for (guint i = 0; i < r->open->len; i++) {
    const Open *o = r->open->pdata[i];
    awaited = awaited || (o->listens != NULL && g_ptr_array_find (o->listens, link, NULL));
  }
  if (r->dead[link->from])
    return "Dead";
  if (first (r, link, "Send", true) != NULL || first (r, link, "Receive", true) != NULL)
    return "Talking";
  return awaited ? "Idle" : "Unused";
}

static void
note (Reference *r, Thing *t, const char *state)
{
  if (strcmp (state, t->states->pdata[t->states->len - 1]) == 0)
    return;
  g_ptr_array_add (t->states, (gpointer) state);
  g_array_append_val (t->dates, r->now);
}

void
reference_step (Reference *r, const TraceEvent *e)
{
  r->now = e->date;
  apply (r, e);
  for (guint i = 0; i < r->s->tasks->len; i++)
    note (r, &r->tasks[i], task_state (r, i));
  for (guint i = 0; i < r->s->objects->len; i++)
    note (r, &r->links[i], link_state (r, r->s->objects->pdata[i]));
}

/* Share of the time that counts, one decimal. */
static void
put_percent (const Thing *t, const char *state, bool unused_counts, int64_t at, GString *to)
{
  int64_t all = 0, in = 0;

  for (guint i = 0; i < t->states->len; i++) {
    const char *s = t->states->pdata[i];
    int64_t from = g_array_index (t->dates, int64_t, i);
    int64_t until = i + 1 < t->states->len ? g_array_index (t->dates, int64_t, i + 1) : at;
    if (strcmp (s, "Dead") == 0 || (strcmp (s, "Unused") == 0 && !unused_counts))
      continue;
    all += until - from;
    in += strcmp (s, state) == 0 ? until - from : 0;
  }
  g_string_append_printf (to, " %s=%.1f", state, all > 0 ? 100.0 * (double) in / (double) all : 0);
}

static void
put_protagonist (const Reference *r, uint32_t task, GString *to)
{
  for (guint i = r->open->len; i-- > 0;) {
    const Open *o = r->open->pdata[i];
    if (o->task != task)
      continue;
    if (o->link != NULL) {
      g_string_append (to, trace_task_id (r->s, o->link->from == task ? o->link->to : o->link->from));
      return;
    }
    for (guint k = 0; o->listens != NULL && k < o->listens->len; k++)
      g_string_append_printf (to, "%s%s", k > 0 ? ", " : "",
                              trace_task_id (r->s, ((const TraceObject *) o->listens->pdata[k])->from));
    if (o->listens != NULL && o->listens->len > 0)
      return;
  }
}

char *
reference_text (const Reference *r, int64_t at)
{
  GString *to = g_string_new (NULL);

  for (guint i = 0; i < r->s->tasks->len; i++) {
    g_string_append_printf (to, "%s %s with ", trace_task_id (r->s, i), task_state (r, i));
    put_protagonist (r, i, to);
    put_percent (&r->tasks[i], "Busy", false, at, to);
    put_percent (&r->tasks[i], "Idle", false, at, to);
    put_percent (&r->tasks[i], "Talking", false, at, to);
    g_string_append_c (to, '\n');
  }
  for (guint i = 0; i < r->s->objects->len; i++) {
    const TraceObject *link = r->s->objects->pdata[i];
    g_string_append_printf (to, "%s %s used %u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, link->id,
                            link_state (r, link), usage (r, link), r->links[i].traffic, r->links[i].total,
                            r->links[i].messages);
    put_percent (&r->links[i], "Unused", true, at, to);
    put_percent (&r->links[i], "Idle", true, at, to);
    put_percent (&r->links[i], "Talking", true, at, to);
    g_string_append_c (to, '\n');
  }
  return g_string_free (to, FALSE);
}
