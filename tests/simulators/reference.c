/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <string.h>

typedef struct Message {
  int32_t tag;
  int64_t size, arrived; /* number of the event that brought it */
  bool taken;
} Message;

typedef struct Look { /* what is compared before and after an event */
  const char *state;
  char *words;                /* all other attributes that have a Clock to move */
  int64_t clock, in_state[5]; /* ns in each state name of `names` */
} Look;

typedef struct Wire {
  uint32_t from, to;
  Look look;
  GPtrArray *messages; /* of Message *, as sent */
  GHashTable *owed;    /* tag -> how many were received before their send ended */
  int64_t total, received;
} Wire;

typedef struct Part { /* one source of a receive */
  uint32_t from;
  Wire *wire; /* used by it; NULL: none */
  Message *message;
  bool waits, talks;
  int64_t began;
} Part;

typedef struct Open { /* a call that has begun */
  TraceEvent e;
  bool gets;
  uint32_t asked;
  GPtrArray *parts; /* of Part * */
  GArray *to;       /* tasks that get a message when it ends */
} Open;

typedef struct Person {
  bool born, dead;
  Look look;
  GPtrArray *open;   /* of Open *, outermost first */
  GPtrArray *groups; /* of names, in any order */
} Person;

struct Reference {
  Fake *fake;
  TraceSource *source;
  Person *people;
  GPtrArray *wires;
  GPtrArray **members; /* by group: task + 1 as pointers, in order of joining */
  int64_t clock, number;
  uint64_t impossible;
};

static const char *const names[] = { "Busy", "Unused", "Overhead", "Idle", "Talking" };

static const char *
kind_name (const Reference *r, const TraceEvent *e)
{
  return r->source->kinds[e->kind].name;
}

static bool
is (const Reference *r, const TraceEvent *e, const char *list)
{
  g_auto (GStrv) words = g_strsplit (list, " ", -1);

  return g_strv_contains ((const char *const *) words, kind_name (r, e));
}

static void
free_message (gpointer m)
{
  g_free (m);
}

static Wire *
wire (Reference *r, uint32_t from, uint32_t to, bool make)
{
  Wire *w;

  for (guint i = 0; i < r->wires->len; i++) {
    w = r->wires->pdata[i];
    if (w->from == from && w->to == to)
      return w;
  }
  if (!make)
    return NULL;
  w = g_new0 (Wire, 1);
  w->from = from;
  w->to = to;
  w->messages = g_ptr_array_new_with_free_func (free_message);
  w->owed = g_hash_table_new (NULL, NULL);
  w->look.words = g_strdup ("");
  g_ptr_array_add (r->wires, w);
  return w;
}

static void
free_wire (gpointer p)
{
  Wire *w = p;

  g_ptr_array_unref (w->messages);
  g_hash_table_unref (w->owed);
  g_free (w->look.words);
  g_free (w);
}

static void
free_open (gpointer p)
{
  g_ptr_array_unref (((Open *) p)->parts);
  g_array_unref (((Open *) p)->to);
  g_free (p);
}

Reference *
reference_new (Fake *f)
{
  Reference *r = g_new0 (Reference, 1);

  r->fake = f;
  r->source = fake_source (f);
  r->people = g_new0 (Person, r->source->tasks->len);
  for (guint i = 0; i < r->source->tasks->len; i++) {
    r->people[i].open = g_ptr_array_new_with_free_func (free_open);
    r->people[i].groups = g_ptr_array_new ();
    r->people[i].look.words = g_strdup ("");
  }
  r->members = g_new0 (GPtrArray *, r->source->objects->len);
  for (guint i = 0; i < r->source->objects->len; i++)
    r->members[i] = g_ptr_array_new ();
  r->wires = g_ptr_array_new_with_free_func (free_wire);
  return r;
}

void
reference_free (Reference *r)
{
  for (guint i = 0; i < r->source->tasks->len; i++) {
    g_ptr_array_unref (r->people[i].open);
    g_ptr_array_unref (r->people[i].groups);
    g_free (r->people[i].look.words);
  }
  for (guint i = 0; i < r->source->objects->len; i++)
    g_ptr_array_unref (r->members[i]);
  g_ptr_array_unref (r->wires);
  g_free (r->members);
  g_free (r->people);
  g_free (r);
}

uint64_t
reference_impossible (const Reference *r)
{
  return r->impossible;
}

/* ---- who sends to whom --------------------------------------------------------------------------------------- */

static bool
is_root (const TraceEvent *e)
{
  return e->peer == e->task;
}

/* Tasks that get a message when the call ends: the members of a group are those of its begin. */
static GArray *
receivers (const Reference *r, const TraceEvent *e)
{
  GArray *to = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  if (is (r, e, "Send PSend") || (is (r, e, "Gather Reduce") && !is_root (e)))
    g_array_append_val (to, e->peer);
  if (is (r, e, "Mcast")) {
    uint32_t n;
    const uint32_t *list = trace_list (e, &n);
    for (uint32_t i = 0; i < n; i++)
      if (list[i] != e->task)
        g_array_append_val (to, list[i]);
  }
  if (is (r, e, "Bcast") || (is (r, e, "Scatter") && is_root (e)))
    for (guint i = 0; i < r->members[e->object]->len; i++) {
      uint32_t task = GPOINTER_TO_UINT (r->members[e->object]->pdata[i]) - 1;
      if (task != e->task && !r->people[task].dead)
        g_array_append_val (to, task);
    }
  return to;
}

static guint
sends_in_progress (Reference *r, uint32_t from, uint32_t to, int32_t tag)
{
  guint n = 0;

  for (guint i = 0; i < r->people[from].open->len; i++) {
    const Open *o = r->people[from].open->pdata[i];
    for (guint k = 0; k < o->to->len; k++)
      if (o->e.tag == tag && g_array_index (o->to, uint32_t, k) == to) {
        n++;
        break;
      }
  }
  return n;
}

static Message *
first_message (Wire *w, int32_t tag)
{
  for (guint i = 0; w != NULL && i < w->messages->len; i++) {
    Message *m = w->messages->pdata[i];
    if (m->tag == tag && !m->taken)
      return m;
  }
  return NULL;
}

static void
arrive (Reference *r, const TraceEvent *e, uint32_t to)
{
  Wire *w = wire (r, e->task, to, e->result >= 0);
  gpointer tag = GINT_TO_POINTER (e->tag);
  guint owed = w != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (w->owed, tag)) : 0;
  Message *m;

  if (owed > 0) {
    g_hash_table_insert (w->owed, tag, GUINT_TO_POINTER (owed - 1));
    r->impossible += e->result < 0; /* received, and yet it failed */
    return;
  }
  if (e->result < 0)
    return;
  m = g_new0 (Message, 1);
  *m = (Message){ .tag = e->tag, .size = e->size, .arrived = r->number };
  g_ptr_array_add (w->messages, m);
  for (guint i = 0; i < r->people[to].open->len; i++) {
    Open *o = r->people[to].open->pdata[i];
    for (guint k = 0; k < o->parts->len; k++) {
      Part *part = o->parts->pdata[k];
      if (part->wire == w && part->waits && o->gets && part->message == NULL && o->e.tag == e->tag) {
        part->message = m;
        part->talks = m->taken = true;
        return;
      }
    }
  }
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

static void
add_part (Reference *r, Open *o, uint32_t from, bool blocking)
{
  Part *part = g_new0 (Part, 1);

  part->from = from;
  part->began = r->number;
  g_ptr_array_add (o->parts, part);
  if (o->gets)
    part->message = first_message (wire (r, from, o->e.task, false), o->e.tag);
  if (part->message != NULL) {
    part->wire = wire (r, from, o->e.task, false);
    part->message->taken = true;
  } else if (blocking || o->gets) {
    part->wire = wire (r, from, o->e.task, true);
    part->waits = blocking;
  }
}

static void
open_call (Reference *r, const TraceEvent *e)
{
  Open *o = g_new0 (Open, 1);
  bool came = e->peer != TRACE_NONE && e->result >= 0 && !(e->flags & TRACE_UNFINISHED);

  o->e = *e;
  o->asked = TRACE_NONE;
  o->parts = g_ptr_array_new_with_free_func (g_free);
  o->to = receivers (r, e);
  g_ptr_array_add (r->people[e->task].open, o);
  if (is (r, e, "Recv TRecv NRecv PRecv")) {
    bool blocking = !is (r, e, "NRecv");
    o->gets = came && (e->result != 0 || is (r, e, "PRecv"));
    TraceValue asked = trace_value (e, 0);
    if (o->gets)
      o->asked = e->peer;
    else if (asked.kind == TRACE_VALUE_TASK)
      o->asked = (uint32_t) asked.i;
    if (o->asked != TRACE_NONE && (o->gets || blocking))
      add_part (r, o, o->asked, blocking);
  } else if (is (r, e, "Scatter") && !is_root (e)) {
    o->gets = came;
    o->asked = e->peer;
    add_part (r, o, e->peer, true);
  } else if (is (r, e, "Gather Reduce") && is_root (e)) {
    o->gets = came;
    for (guint i = 0; i < r->members[e->object]->len; i++) {
      uint32_t from = GPOINTER_TO_UINT (r->members[e->object]->pdata[i]) - 1;
      if (from != e->task && (!r->people[from].dead || first_message (wire (r, from, e->task, false), e->tag)))
        add_part (r, o, from, true);
    }
  }
}

static void
finish_part (Reference *r, const TraceEvent *e, Part *part)
{
  Wire *w = wire (r, part->from, e->task, false);
  gpointer tag = GINT_TO_POINTER (e->tag);
  guint owed = w != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (w->owed, tag)) : 0;
  Message *m = part->message != NULL ? part->message : first_message (w, e->tag);

  if (m != NULL) {
    w->total += m->size;
    w->received++;
    g_ptr_array_remove (w->messages, m);
  } else if (sends_in_progress (r, part->from, e->task, e->tag) > owed) {
    w = wire (r, part->from, e->task, true);
    g_hash_table_insert (w->owed, tag, GUINT_TO_POINTER (owed + 1));
    w->total += e->size;
    w->received++;
  } else {
    r->impossible++;
  }
}

static void
close_call (Reference *r, const TraceEvent *e)
{
  Person *who = &r->people[e->task];
  Open *o = NULL;
  guint at;

  for (at = 0; at < who->open->len; at++) {
    o = who->open->pdata[at];
    if (o->e.record == e->record)
      break;
  }
  g_assert_cmpuint (at, <, who->open->len);
  g_ptr_array_steal_index (who->open, at);
  for (guint i = 0; i < o->to->len; i++)
    arrive (r, e, g_array_index (o->to, uint32_t, i));
  for (guint i = 0; i < o->parts->len && o->gets; i++)
    finish_part (r, e, o->parts->pdata[i]);
  if (is (r, e, "JoinGroup LvGroup") && e->result >= 0) {
    gpointer name = r->source->objects->pdata[e->object], task = GUINT_TO_POINTER (e->task + 1);
    bool in = g_ptr_array_find (who->groups, name, NULL);
    if (in == is (r, e, "JoinGroup")) {
      r->impossible++;
    } else if (in) {
      g_ptr_array_remove (who->groups, name);
      g_ptr_array_remove (r->members[e->object], task);
    } else {
      g_ptr_array_add (who->groups, name);
      g_ptr_array_add (r->members[e->object], task);
    }
  }
  free_open (o);
}

/* ---- the state, from scratch --------------------------------------------------------------------------------- */

static const Open *
deciding_call (const Reference *r, uint32_t task)
{
  const GPtrArray *open = r->people[task].open;

  for (guint i = open->len; i-- > 0;) {
    const Open *o = open->pdata[i];
    if (!is (r, &o->e, "Phase JoinGroup LvGroup"))
      return o;
  }
  return NULL;
}

static const char *
task_state (const Reference *r, uint32_t task)
{
  const Open *o = deciding_call (r, task);
  bool waits = false, talks = false;

  if (r->people[task].dead)
    return "Dead";
  if (o == NULL)
    return "Busy";
  if (is (r, &o->e, "Barrier"))
    return "Idle";
  for (guint i = 0; i < o->parts->len; i++) {
    const Part *part = o->parts->pdata[i];
    waits |= part->waits;
    talks |= part->talks;
  }
  if (talks)
    return "Talking";
  if (waits || (is (r, &o->e, "Recv PRecv TRecv") && !o->gets)
      || (is (r, &o->e, "Gather Reduce") && is_root (&o->e) && !o->gets))
    return "Idle";
  return "Overhead";
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(TraceObject *const *) a)->id, (*(TraceObject *const *) b)->id);
}

/* `clocked`: with what moves the Clock beside the text: the number of phases, and which call it is that has several
 * protagonists. */
static char *
task_words (const Reference *r, uint32_t task, bool clocked)
{
  const Open *o = r->people[task].dead ? NULL : deciding_call (r, task);
  g_autoptr (GString) words = g_string_new ("Groups=");
  g_autoptr (GArray) to = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  const char *before = "";

  g_ptr_array_sort (r->people[task].groups, by_name);
  for (guint i = 0; i < r->people[task].groups->len; i++, before = ", ")
    g_string_append_printf (words, "%s%s", before, ((TraceObject *) r->people[task].groups->pdata[i])->id);
  g_string_append (words, " Protagonists=");
  before = "";
  if (o != NULL)
    g_array_append_vals (to, o->to->data, o->to->len);
  for (guint i = 0; o != NULL && is (r, &o->e, "Gather Reduce") && i < o->parts->len; i++)
    g_array_append_val (to, ((Part *) o->parts->pdata[i])->from);
  if (o != NULL && o->asked != TRACE_NONE)
    g_array_append_val (to, o->asked);
  for (guint i = 0; i < to->len; i++, before = ", ")
    g_string_append_printf (words, "%st%u", before, g_array_index (to, uint32_t, i));
  if (clocked && o != NULL
      && (is (r, &o->e, "Mcast Bcast") || (is (r, &o->e, "Scatter Gather Reduce") && is_root (&o->e))))
    g_string_append_printf (words, " of %" G_GUINT64_FORMAT, (uint64_t) o->e.record);
  for (guint i = 0, phases = 0; clocked && i < r->people[task].open->len; i++)
    if (is (r, &((Open *) r->people[task].open->pdata[i])->e, "Phase"))
      g_string_append_printf (words, " %u", ++phases);
  return g_string_free (g_steal_pointer (&words), FALSE);
}

static const Part *
part_on (const Reference *r, const Wire *w, const Open **call)
{
  const GPtrArray *open = r->people[w->to].open;

  for (guint i = 0; i < open->len && !r->people[w->to].dead; i++)
    for (guint k = 0; k < ((Open *) open->pdata[i])->parts->len; k++) {
      const Part *part = ((Open *) open->pdata[i])->parts->pdata[k];
      if (part->wire == w) {
        *call = open->pdata[i];
        return part;
      }
    }
  return NULL;
}

static const char *
wire_state (const Reference *r, const Wire *w, char **words)
{
  const Open *call = NULL;
  const Part *part = part_on (r, w, &call);
  const char *state = w->messages->len > 0 ? "Overhead" : "Unused";
  int64_t volume = 0, traffic;
  bool unexpected = false;

  for (guint i = 0; i < w->messages->len; i++) {
    const Message *m = w->messages->pdata[i];
    volume += m->size;
    unexpected |= part != NULL && m->arrived > part->began;
  }
  traffic = volume;
  if (r->people[w->from].dead) {
    state = "Dead";
  } else if (part != NULL && part->talks) {
    state = "Talking";
    traffic = part->message->size;
  } else if (part != NULL && part->waits && !unexpected) {
    state = "Idle";
    traffic = call->gets ? call->e.size : 0;
  }
  *words = g_strdup_printf ("Usage=%u Traffic=%" G_GINT64_FORMAT " TotalTraffic=%" G_GINT64_FORMAT
                            " Messages=%" G_GINT64_FORMAT,
                            w->messages->len + (part != NULL), traffic, w->total, w->received);
  return state;
}

/* Time passes in the states as they were; then the new ones are looked at. */
static void
pass (Look *look, int64_t from, int64_t to)
{
  for (size_t i = 0; look->state != NULL && i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], look->state) == 0)
      look->in_state[i] += to - from;
}

static void
renew (Look *look, const char *state, char *words, int64_t date)
{
  if (look->state == NULL || strcmp (look->state, state) != 0 || strcmp (look->words, words) != 0)
    look->clock = date;
  look->state = state;
  g_free (look->words);
  look->words = words;
}

void
reference_step (Reference *r, const TraceEvent *e)
{
  char *words;

  for (guint i = 0; i < r->source->tasks->len; i++)
    pass (&r->people[i].look, r->clock, e->date);
  for (guint i = 0; i < r->wires->len; i++)
    pass (&((Wire *) r->wires->pdata[i])->look, r->clock, e->date);
  r->clock = e->date;
  r->number++;
  if (is (r, e, "Enroll"))
    r->people[e->task].born = true;
  else if (is (r, e, "Exit"))
    r->people[e->task].dead = true;
  else if (e->flags & TRACE_END)
    close_call (r, e);
  else if (!is (r, e, "User"))
    open_call (r, e);
  for (guint i = 0; i < r->source->tasks->len; i++)
    if (r->people[i].born) {
      words = task_words (r, i, true);
      renew (&r->people[i].look, task_state (r, i), words, e->date);
    }
  for (guint i = 0; i < r->wires->len; i++) {
    Wire *w = r->wires->pdata[i];
    const char *state = wire_state (r, w, &words);
    renew (&w->look, state, words, e->date);
  }
}

static char *
look_text (const Reference *r, const char *name, const Look *look, const char *first, int64_t at)
{
  GString *to = g_string_new (name);
  int64_t all = 0;
  char clock[64];
  Look now = *look;

  pass (&now, r->clock, at);
  trace_clock_print (&r->source->clock, look->clock, clock, sizeof clock);
  g_string_append_printf (to, " Clock=%s State=%s %s", clock, look->state, look->words);
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    all += now.in_state[i];
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    if (i > 1 || strcmp (names[i], first) == 0)
      g_string_append_printf (to, " Percent%s=%.1f", names[i],
                              all > 0 ? 100.0 * (double) now.in_state[i] / (double) all : 0.0);
  return g_string_free (to, FALSE);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char *
reference_text (const Reference *r, int64_t at)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < r->source->tasks->len; i++)
    if (r->people[i].born) {
      g_autofree char *name = g_strdup_printf ("t%u", i);
      Look look = r->people[i].look;
      look.words = task_words (r, i, false);
      g_ptr_array_add (lines, look_text (r, name, &look, "Busy", at));
      g_free (look.words);
    }
  for (guint i = 0; i < r->wires->len; i++) {
    const Wire *w = r->wires->pdata[i];
    g_autofree char *name = g_strdup_printf ("t%u->t%u", w->from, w->to);
    if (r->people[w->from].born && r->people[w->to].born)
      g_ptr_array_add (lines, look_text (r, name, &w->look, "Unused", at));
  }
  g_ptr_array_sort (lines, by_text);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}
