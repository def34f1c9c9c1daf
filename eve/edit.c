/* SPDX-License-Identifier: Apache-2.0 */
/* edit.c - boxes and wires: added, removed, connected and disconnected, also while the program runs.
 *
 * An edit changes the structure at once and marks the plan as out of date; the next round of the engine makes a new
 * one.  Data in rings stay; a wire removed drops only what its own consumer had not read.  Edits are made between two
 * firings: inside one, use eve_post(). */
#include "eve/private.h"
#include "eve/words.h"
#include "eve/visible.h"
#include <string.h>

static const EveClass ghost_class = {
  EVE_CLASS_HEAD,
  .id = "",
  .label = "Ghost",
  .category = "Ghosts",
  .version = 0,
  .doc = "Stands for a component that was not found.",
  .instance_size = sizeof (EveBase),
};

void
edit_changed (EveProgram *p)
{
  p->dirty = true;
  p->serial++;
}

static bool
refused (GError **error, char *sentence)
{
  g_set_error_literal (error, EVE_ERROR, EVE_ERROR_REFUSED, sentence);
  g_free (sentence);
  return false;
}

static bool
editable (EveProgram *p, GError **error)
{
  if (!p->calls)
    return true;
  return refused (error, g_strdup (_ ("The program cannot be edited inside a firing: use eve_post()")));
}

char *
edit_free_name (EveProgram *p, const char *wanted)
{
  if (!g_hash_table_contains (p->by_name, wanted))
    return g_strdup (wanted);
  /* "Gate 2" wished again becomes "Gate 3" */
  g_autofree char *stem = g_strdup (wanted);
  char *end = stem + strlen (stem);
  while (end > stem && g_ascii_isdigit (end[-1]))
    end--;
  if (end > stem + 1 && end[-1] == ' ' && *end)
    end[-1] = 0;
  if (!p->numbers)
    p->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (unsigned i = MAX (2, GPOINTER_TO_UINT (g_hash_table_lookup (p->numbers, stem)));; i++) {
    char *name = g_strdup_printf ("%s %u", stem, i);
    if (!g_hash_table_contains (p->by_name, name)) {
      g_hash_table_insert (p->numbers, g_steal_pointer (&stem), GUINT_TO_POINTER (i));
      return name;
    }
    g_free (name);
  }
}

/* A name that was taken is free: it may be given again. */
static void
name_freed (EveProgram *p)
{
  if (p->numbers)
    g_hash_table_remove_all (p->numbers);
}

static bool
name_ok (EveProgram *p, const char *name, GError **error)
{
  if (!*name || !g_utf8_validate (name, -1, NULL))
    return refused (error, g_strdup (_ ("A component needs a name, in UTF-8")));
  for (const char *c = name; *c; c = g_utf8_next_char (c))
    if ((unsigned char) *c < 0x20 || *c == 0x7f || !visible_in_xml (g_utf8_get_char (c)))
      return refused (error,
                      g_strdup (_ ("A component's name cannot contain control characters, nor what XML cannot hold")));
  if (g_hash_table_contains (p->by_name, name))
    return refused (error, g_strdup_printf (_ ("There is a component called '%s' already"), name));
  return true;
}

static void
node_free (Node *n)
{
  EveProgram *p = n->program;
  sched_pause_node (n);
  rest_forget (n);
  if (n->klass->finish) {
    Outer outer = call_enter (n, CALL_FINISH);
    n->klass->finish (n->self);
    call_leave (n, outer);
  }
  watch_box (n, false);
  fields_free (n->klass->settings, n->klass->n_settings, n->self);
  fields_free (n->klass->state, n->klass->n_state, n->self);
  for (uint32_t i = 0; i < n->n_outs; i++) {
    ring_free (&n->outs[i]);
    g_free (n->outs[i].edges);
  }
  for (uint32_t i = 0; i < n->n_ins; i++) {
    g_free (n->ins[i].edges);
    g_free (n->ins[i].kept);
    g_free (n->ins[i].arrivals);
  }
  if (p->failed == n) {
    p->failed = NULL;
    p->mode = p->mode == EVE_FAILED ? EVE_PAUSED : p->mode;
  }
  if (n->failure)
    g_string_free (n->failure, TRUE);
  g_free (n->peers);
  g_free (n->ins);
  g_free (n->outs);
  g_free (n->self);
  g_free (n->name);
  g_free (n->ghost_id);
  g_ptr_array_unref (n->kept);
  g_free (n);
}

Node *
edit_add (EveProgram *p, const EveClass *klass, const char *ghost_id, const char *name, GError **error)
{
  static gint64 ids; /* atomic enough: programs of several threads only need different numbers */
  if (!klass)
    klass = &ghost_class;
  g_autofree char *chosen = name ? g_strdup (name) : edit_free_name (p, klass->label);
  if (!editable (p, error) || !name_ok (p, chosen, error))
    return NULL;
  Node *n = g_new0 (Node, 1);
  n->program = p;
  n->klass = klass;
  n->id = (uint64_t) __atomic_add_fetch (&ids, 1, __ATOMIC_RELAXED);
  n->name = g_steal_pointer (&chosen);
  n->ghost_id = g_strdup (ghost_id);
  n->kept = g_ptr_array_new_with_free_func (g_free);
  n->n_ins = klass->n_ins;
  n->n_outs = klass->n_outs;
  n->ins = g_new0 (EveIn, n->n_ins + 1);
  n->outs = g_new0 (EveOut, n->n_outs + 1);
  n->self = g_malloc0 (MAX (klass->instance_size, sizeof (EveBase)));
  n->burst = 1;
  n->stood_in = INT64_MIN;
  EveBase *base = eve_base (n->self);
  base->engine_private = n;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    n->ins[i] = (EveIn){ .node = n, .spec = &klass->ins[i], .type = klass->ins[i].type };
    base->in[i] = &n->ins[i];
  }
  for (uint32_t i = 0; i < n->n_outs; i++) {
    const EveOutSpec *spec = &klass->outs[i];
    n->outs[i] = (EveOut){ .node = n, .spec = spec, .type = spec->type, .per_fire = MAX (spec->per_fire, 1) };
    base->out[i] = &n->outs[i];
  }
  fields_reset (klass->settings, klass->n_settings, n->self);
  fields_reset (klass->state, klass->n_state, n->self);
  watch_box (n, true);
  Outer outer = call_enter (n, CALL_INIT);
  bool ok = !klass->init || klass->init (n->self);
  call_leave (n, outer);
  if (!ok) {
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("%s cannot be made: %s"), klass->label,
                 n->failure ? n->failure->str : _ ("its init failed without saying why"));
    node_free (n);
    return NULL;
  }
  n->inited = true;
  g_ptr_array_add (p->nodes, n);
  g_hash_table_insert (p->by_name, n->name, n);
  g_hash_table_insert (p->by_id, &n->id, n);
  p->all_started = false;
  edit_changed (p);
  return n;
}

EveComponent *
eve_add (EveProgram *p, const EveClass *klass, const char *name, GError **error)
{
  Node *n = edit_add (p, klass, NULL, name, error);
  return n ? n->self : NULL;
}

void
edit_free_wire (Wire *w)
{
  g_free (w->out);
  g_free (w->in);
  g_free (w);
}

static void
sweep_wires (EveProgram *p)
{
  guint kept = 0;
  /* the youngest first: it is the last of its ports */
  for (guint i = p->wires->len; i-- > 0;) {
    Wire *w = p->wires->pdata[i];
    w->going |= w->from->going || w->to->going;
    if (w->going && w->edge)
      ring_detach (w->edge);
  }
  for (guint i = 0; i < p->wires->len; i++) {
    Wire *w = p->wires->pdata[i];
    if (w->going) {
      g_hash_table_remove (p->by_ends, w);
      edit_free_wire (w);
    } else {
      p->wires->pdata[kept++] = w;
    }
  }
  g_ptr_array_set_size (p->wires, (gint) kept);
}

/* Of an old plan, those who stay; `place` follows the one that it names, or who comes after him. */
static uint32_t
keep_staying (Node **nodes, uint32_t n, uint32_t *place)
{
  uint32_t kept = 0, at = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i == *place)
      at = kept;
    if (!nodes[i]->going)
      nodes[kept++] = nodes[i];
  }
  *place = at;
  return kept;
}

void
edit_sweep (EveProgram *p)
{
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();
  guint kept = 0;

  bind_forget (p);
  bypass_forget (p);
  sweep_wires (p);
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (!n->going) {
      p->nodes->pdata[kept++] = n;
      continue;
    }
    if (p->order && p->sweep < p->n_order && p->order[p->sweep] == n)
      p->burst_left = 0;
    p->n_unused -= n->use != EVE_WORKS;
    g_hash_table_remove (p->by_name, n->name);
    g_hash_table_remove (p->by_id, &n->id);
    g_ptr_array_add (gone, n);
  }
  g_ptr_array_set_size (p->nodes, (gint) kept);
  if (gone->len) {
    name_freed (p);
    p->n_order = keep_staying (p->order, p->n_order, &p->sweep);
    p->n_sources = keep_staying (p->sources, p->n_sources, &p->turn);
  }
  for (guint i = gone->len; i-- > 0;)
    node_free (gone->pdata[i]);
  edit_changed (p);
  bypass_update (p);
  if (!p->freeing)
    bind_ports (p); /* ports that they had bound are free again */
}

void
edit_hold (EveProgram *p)
{
  p->held++;
}

void
edit_release (EveProgram *p)
{
  if (--p->held)
    return;
  bypass_update (p);
  bind_ports (p);
}

static void
remove_later (EveComponent *c, void *arg)
{
  eve_remove (arg, c);
}

void
eve_remove (EveProgram *p, EveComponent *c)
{
  Node *n = node_of (c);
  if (p->calls) {
    eve_post (c, remove_later, p, NULL);
    return;
  }
  n->going = true;
  edit_sweep (p);
}

/* ---- wires of a part whose other end is elsewhere ---------------------------------------------------------------- */
#define BETWEEN "\x1f" /* ends of such a wire; XML cannot hold it, so no name does */

char **
edit_outer_ends (const char *outer)
{
  return g_strsplit (outer, BETWEEN, 4);
}

void
edit_forget_outer (EveProgram *p)
{
  g_clear_pointer (&p->outer_set, g_hash_table_unref);
  g_clear_pointer (&p->outer, g_ptr_array_unref);
}

void
edit_keep_outer (EveProgram *p, const char *const end[4])
{
  char *outer = g_strjoin (BETWEEN, end[0], end[1], end[2], end[3], NULL);
  if (!p->outer) {
    p->outer = g_ptr_array_new_with_free_func (g_free);
    p->outer_set = g_hash_table_new (g_str_hash, g_str_equal);
  }
  if (g_hash_table_contains (p->outer_set, outer)) {
    g_free (outer);
    return;
  }
  g_hash_table_add (p->outer_set, outer);
  g_ptr_array_add (p->outer, outer);
}

uint32_t
eve_n_open_ends (const EveProgram *p)
{
  return p->outer ? p->outer->len : 0;
}

/* They go where the component goes that they are wired to. */
static void
rename_outer (EveProgram *p, const char *before, const char *name)
{
  GPtrArray *outer = g_steal_pointer (&p->outer);
  edit_forget_outer (p);
  for (guint i = 0; outer && i < outer->len; i++) {
    g_auto (GStrv) end = edit_outer_ends (outer->pdata[i]);
    for (int k = 0; k < 4; k += 2)
      if (!strcmp (end[k], before)) {
        g_free (end[k]);
        end[k] = g_strdup (name);
      }
    edit_keep_outer (p, (const char *const *) end);
  }
  g_clear_pointer (&outer, g_ptr_array_unref);
}

bool
eve_rename (EveComponent *c, const char *name, GError **error)
{
  Node *n = node_of (c);
  EveProgram *p = n->program;
  if (!strcmp (n->name, name))
    return true;
  if (!name_ok (p, name, error))
    return false;
  g_hash_table_remove (p->by_name, n->name);
  rename_outer (p, n->name, name);
  g_free (n->name);
  n->name = g_strdup (name);
  g_hash_table_insert (p->by_name, n->name, n);
  name_freed (p);
  watch_box (n, true);
  p->serial++;
  return true;
}

/* ---- wires ------------------------------------------------------------------------------------------------------ */
guint
edit_ends_hash (gconstpointer wire)
{
  const Wire *w = wire;
  guint h = g_direct_hash (w->from);
  h = h * 31 + g_direct_hash (w->to);
  h = h * 31 + g_str_hash (w->out);
  return h * 31 + g_str_hash (w->in);
}

gboolean
edit_same_ends (gconstpointer a, gconstpointer b)
{
  const Wire *x = a, *y = b;
  return x->from == y->from && x->to == y->to && !strcmp (x->out, y->out) && !strcmp (x->in, y->in);
}

Wire *
edit_find_wire (EveProgram *p, Node *from, const char *out, Node *to, const char *in)
{
  const Wire ends = { .from = from, .to = to, .out = (char *) out, .in = (char *) in };
  return g_hash_table_lookup (p->by_ends, &ends);
}

static char *
no_port (const Node *n, bool output, const char *name, bool list)
{
  const EveClass *k = n->klass;
  GString *said = g_string_new (NULL);
  g_string_printf (said, _ ("%s has no %s called '%s'"), n->name, output ? "output" : "input", name);
  for (uint32_t i = 0; list && i < (output ? k->n_outs : k->n_ins); i++)
    g_string_append_printf (said, "%s%s", i ? ", " : _ ("; it has: "), output ? k->outs[i].name : k->ins[i].name);
  return g_string_free (said, FALSE);
}

/* The same sentence, and what of the program gives data of that type. */
static char *
who_gives (EveProgram *p, char *sentence, const Node *from, const EveOut *out, const Node *to, const EveType *takes)
{
  for (guint i = 0; takes && i < p->nodes->len; i++) {
    const Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; n != from && n != to && !n->ghost_id && k < n->n_outs; k++) {
      const EveOutSpec *other = n->outs[k].spec;
      if (other->type != takes || other->role == EVE_CONTROL)
        continue;
      /* what takes any gives on what it gets */
      char *more = out->spec->type ? g_strdup_printf (_ ("%s; %s.%s gives that"), sentence, n->name, other->name)
                                   : g_strdup_printf (_ ("%s; %s.%s gives that: wire it to %s"), sentence, n->name,
                                                      other->name, from->name);
      g_free (sentence);
      return more;
    }
  }
  return sentence;
}

static char *
edit_why_not (EveProgram *p, Node *from, const char *out, Node *to, const char *in, bool list)
{
  int o = eve_class_out (from->klass, out), i = eve_class_in (to->klass, in);
  if (from->ghost_id)
    return g_strdup_printf (_ ("%s is a ghost: its class %s was not found, so nothing is known of its output %s"),
                            from->name, from->ghost_id, out);
  if (to->ghost_id)
    return g_strdup_printf (_ ("%s is a ghost: its class %s was not found, so nothing is known of its input %s"),
                            to->name, to->ghost_id, in);
  if (o < 0)
    return no_port (from, true, out, list);
  if (i < 0)
    return no_port (to, false, in, list);
  EveOut *output = &from->outs[o];
  EveIn *input = &to->ins[i];
  char *sentence = bind_why_not (p, output, input);
  if (sentence)
    return list ? who_gives (p, sentence, from, output, to, bind_type (p, input->spec->type, to)) : sentence;
  const EveType *gives = bind_type (p, output->spec->type, from), *takes = bind_type (p, input->spec->type, to);
  gives = gives ? gives : takes;
  takes = takes ? takes : gives;
  const char *no = NULL;
  if (from->klass->refuse && takes) {
    uint64_t outer = watch_enter (from, CALL_REFUSE);
    no = from->klass->refuse (from->self, NULL, output->spec, takes);
    watch_leave (outer);
  }
  if (!no && to->klass->refuse && gives) {
    uint64_t outer = watch_enter (to, CALL_REFUSE);
    no = to->klass->refuse (to->self, input->spec, NULL, gives);
    watch_leave (outer);
  }
  return no ? g_strdup_printf (_ ("%s.%s cannot feed %s.%s: %s"), from->name, out, to->name, in, no) : NULL;
}

char *
eve_why_not (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  Node *a = node_of (from), *b = node_of (to);
  if (edit_find_wire (p, a, out, b, in))
    return g_strdup_printf (_ ("%s.%s feeds %s.%s already"), a->name, out, b->name, in);
  return edit_why_not (p, a, out, b, in, true);
}

Wire *
edit_new_wire (Node *from, const char *out, Node *to, const char *in)
{
  Wire *w = g_new (Wire, 1);
  *w = (Wire){ .from = from, .to = to, .out = g_strdup (out), .in = g_strdup (in) };
  return w;
}

Wire *
edit_wire (EveProgram *p, Node *from, const char *out, Node *to, const char *in)
{
  Wire *w = edit_new_wire (from, out, to, in);
  g_ptr_array_add (p->wires, w);
  g_hash_table_add (p->by_ends, w);
  edit_changed (p);
  return w;
}

char *
edit_attach (EveProgram *p, Wire *w, bool list)
{
  char *sentence = edit_why_not (p, w->from, w->out, w->to, w->in, list);
  if (sentence || w->from->use != EVE_WORKS || w->to->use != EVE_WORKS)
    return sentence;
  EveOut *out = &w->from->outs[eve_class_out (w->from->klass, w->out)];
  EveIn *in = &w->to->ins[eve_class_in (w->to->klass, w->in)];
  w->edge = g_new0 (Edge, 1);
  w->edge->wire = w;
  w->born = out->head;
  ring_attach (out, in, w->edge);
  bind_wire (p, w->edge);
  edit_changed (p);
  return NULL;
}

bool
eve_connect (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in, GError **error)
{
  if (!editable (p, error))
    return false;
  char *sentence = eve_why_not (p, from, out, to, in);
  if (sentence)
    return refused (error, sentence);
  edit_attach (p, edit_wire (p, node_of (from), out, node_of (to), in), true);
  bypass_update (p);
  return true;
}

bool
eve_disconnect (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  Wire *w = p->calls ? NULL : edit_find_wire (p, node_of (from), out, node_of (to), in);
  if (!w)
    return false;
  w->going = true;
  edit_sweep (p);
  return true;
}

/* ---- program ------------------------------------------------------------------------------------------------------ */
EveProgram *
eve_program_new (void)
{
  EveProgram *p = g_new0 (EveProgram, 1);
  p->nodes = g_ptr_array_new ();
  p->wires = g_ptr_array_new ();
  p->through = g_ptr_array_new ();
  p->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  p->by_id = g_hash_table_new (g_int64_hash, g_int64_equal);
  p->by_ends = g_hash_table_new (edit_ends_hash, edit_same_ends);
  g_mutex_init (&p->lock);
  g_queue_init (&p->posts);
  p->dirty = true;
  return p;
}

void
eve_program_free (EveProgram *p)
{
  if (!p)
    return;
  eve_pause (p);
  p->freeing = true;
  for (guint i = 0; i < p->nodes->len; i++)
    ((Node *) p->nodes->pdata[i])->going = true;
  edit_sweep (p);
  for (Post *post; (post = g_queue_pop_head (&p->posts)); g_free (post))
    if (post->drop)
      post->drop (post->arg);
  g_ptr_array_unref (p->nodes);
  g_ptr_array_unref (p->wires);
  g_ptr_array_unref (p->through);
  g_hash_table_unref (p->by_name);
  g_hash_table_unref (p->by_id);
  g_hash_table_unref (p->by_ends);
  g_clear_pointer (&p->numbers, g_hash_table_unref);
  g_mutex_clear (&p->lock);
  if (p->failure)
    g_string_free (p->failure, TRUE);
  g_free (p->order);
  g_free (p->ready);
  g_free (p->sources);
  g_free (p->stall);
  g_free (p->output_folder);
  g_free (p->content);
  g_clear_pointer (&p->allowed, g_ptr_array_unref);
  g_free (p->folder);
  g_free (p->title);
  g_clear_pointer (&p->notes, g_tree_unref);
  edit_forget_outer (p);
  g_free (p->doc);
  g_clear_pointer (&p->missing, g_ptr_array_unref);
  g_clear_pointer (&p->unheard, g_ptr_array_unref);
  g_free (p);
}

/* ---- notes ---------------------------------------------------------------------------------------------------- */

static int
edit_by_name (gconstpointer a, gconstpointer b, gpointer unused)
{
  return strcmp (a, b);
}

void
eve_program_set_note (EveProgram *p, const char *name, const char *text)
{
  if (!p->notes)
    p->notes = g_tree_new_full (edit_by_name, NULL, g_free, g_free); /* sorted: saved the same each time */
  if (text && *text)
    g_tree_replace (p->notes, g_strdup (name), g_strdup (text));
  else
    g_tree_remove (p->notes, name);
}

const char *
eve_program_note (const EveProgram *p, const char *name)
{
  const char *text = p->notes ? g_tree_lookup (p->notes, name) : NULL;

  return text ? text : "";
}

void
eve_program_describe (EveProgram *p, const char *title, const char *doc)
{
  char *old_title = p->title, *old_doc = p->doc;

  p->title = g_strdup (title);
  if (doc)
    p->doc = g_strdup (doc);
  g_free (old_title);
  if (doc)
    g_free (old_doc);
}

const char *
eve_program_title (const EveProgram *p)
{
  return p->title ? p->title : "";
}
