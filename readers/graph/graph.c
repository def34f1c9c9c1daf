/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - graphs in the language of Graphviz or as GraphML, read as executions of one instant: README.md.  Both are
 * read by code of this folder alone, into what is made events of when all of it is known. */
#include <math.h>
#include <string.h>

#include "eve/bytes.h"
#include "eve/words.h"
#include "readers/graph/graph.h"

void
graph_damaged (Graph *g, uint64_t line, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (g->source, g->file, line, line > 0 ? 1 : 0, fmt, args);
  va_end (args);
}

const char *
graph_text (Graph *g, const char *text, size_t n)
{
  if (n > MOST_WORD)
    n = MOST_WORD;
  g_autofree char *copy = g_strndup (text, n), *valid = g_utf8_make_valid (copy, -1);

  return g_string_chunk_insert_const (g->texts, valid);
}

/* ---- what is in the graph ------------------------------------------------------------------------------------------------------ */

uint32_t
graph_attribute (Graph *g, Of of, const char *name)
{
  size_t n = strlen (name);
  uint32_t known = name_table_find (g->attribute_of[of], name, n);

  if (known != NAME_TABLE_NONE)
    return known;
  if (g->attributes[of]->len >= GRAPHS_MOST_ATTRIBUTES) {
    if (!g->too_many_attributes)
      graph_damaged (g, 0, _ ("there are more than %d attributes; “%s” and those behind it are left out"),
                     GRAPHS_MOST_ATTRIBUTES, name);
    g->too_many_attributes = true;
    return TRACE_NONE;
  }
  const Attribute a = { .name = g_strdup (name) };
  g_array_append_val (g->attributes[of], a);
  known = g->attributes[of]->len - 1;
  name_table_set (g->attribute_of[of], name, n, known);
  return known;
}

void
graph_put (Graph *g, Thing *thing, uint32_t attribute, const char *text)
{
  if (attribute == TRACE_NONE)
    return;
  for (uint32_t i = thing->values; i != TRACE_NONE; i = g_array_index (g->values, Value, i).next) {
    Value *v = &g_array_index (g->values, Value, i);
    if (v->attribute == attribute) {
      v->text = text;
      return;
    }
  }
  const Value v = { attribute, thing->values, text };
  thing->values = g->values->len;
  g_array_append_val (g->values, v);
}

const char *
graph_get (const Graph *g, const Thing *thing, uint32_t attribute)
{
  for (uint32_t i = thing->values; i != TRACE_NONE;) {
    const Value *v = &g_array_index (g->values, Value, i);
    if (v->attribute == attribute)
      return *v->text ? v->text : NULL;
    i = v->next;
  }
  return NULL;
}

/* A name that is too long: its beginning, and a sum of all of it. */
static const char *
graph_name_of (Graph *g, const char *name, size_t n)
{
  if (n <= MOST_NAME)
    return graph_text (g, name, n);
  g_autofree char *cut = g_strdup_printf ("%.*s (%016" G_GINT64_MODIFIER "x)", MOST_NAME, name, bytes_fnv (name, n));
  return graph_text (g, cut, strlen (cut));
}

static uint32_t
depth_in (const Graph *g, uint32_t group, uint32_t inside)
{
  return inside != TRACE_NONE  ? graph_node_at (g, inside)->depth + 1
         : group != TRACE_NONE ? g_array_index (g->groups, Thing, group).depth + 1
                               : 0;
}

/* It is put inside of them, unless that would be too deep. */
static void
put_inside (const Graph *g, Thing *t, uint32_t group, uint32_t inside)
{
  uint32_t depth = depth_in (g, group, inside);

  if (depth > MOST_DEPTH)
    return;
  t->group = inside != TRACE_NONE ? TRACE_NONE : group;
  t->inside = inside;
  t->depth = depth;
}

uint32_t
graph_find_node (const Graph *g, const char *name, size_t n)
{
  return name_table_find (g->node_of, name, n);
}

uint32_t
graph_node (Graph *g, const char *name, size_t n, uint32_t group, uint32_t inside)
{
  uint32_t known = name_table_find (g->node_of, name, n);

  if (known != NAME_TABLE_NONE) {
    Thing *t = graph_node_at (g, known);
    if (t->group == TRACE_NONE && t->inside == TRACE_NONE && inside == TRACE_NONE)
      put_inside (g, t, group, inside);
    return known;
  }
  if (g->nodes->len >= MOST_NODES) {
    if (!g->too_many_nodes)
      graph_damaged (g, 0, _ ("there are more than %d nodes; the others are left out, with their links"), MOST_NODES);
    g->too_many_nodes = true;
    return TRACE_NONE;
  }
  Thing t = { graph_name_of (g, name, n), TRACE_NONE, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0 };
  put_inside (g, &t, group, inside);
  g_array_append_val (g->nodes, t);
  name_table_set (g->node_of, name, n, g->nodes->len - 1);
  return g->nodes->len - 1;
}

uint32_t
graph_group (Graph *g, const char *name, size_t n, uint32_t group)
{
  uint32_t known = n > 0 ? name_table_find (g->group_of, name, n) : NAME_TABLE_NONE;

  if (known != NAME_TABLE_NONE)
    return known;
  if (g->groups->len >= MOST_GROUPS)
    return group;
  Thing t = { graph_name_of (g, name, n), TRACE_NONE, TRACE_NONE, TRACE_NONE, TRACE_NONE, 0 };
  put_inside (g, &t, group, TRACE_NONE);
  g_array_append_val (g->groups, t);
  if (n > 0)
    name_table_set (g->group_of, name, n, g->groups->len - 1);
  return g->groups->len - 1;
}

uint32_t
graph_link (Graph *g, uint32_t from, uint32_t to, const char *key)
{
  const Thing t = { key, TRACE_NONE, from, to, TRACE_NONE, 0 };

  if (g->links->len >= MOST_LINKS) {
    if (!g->too_many_links)
      graph_damaged (g, 0, _ ("there are more than %d links; the others are left out"), MOST_LINKS);
    g->too_many_links = true;
    return TRACE_NONE;
  }
  g_array_append_val (g->links, t);
  return g->links->len - 1;
}

/* ---- as events -------------------------------------------------------------------------------------------------------------------- */

/* A number that is written as this text again: what "007" means, and a number of more digits than a double has, is
 * nobody's guess. */
static bool
graph_is_number (const char *text, double *number)
{
  size_t n = strlen (text), digits = 0;
  char *end;

  if (n == 0 || n > 40 || strspn (text, "+-.0123456789eE") != n)
    return false;
  const char *first = text + (*text == '-' || *text == '+');
  for (const char *p = first; *p && *p != 'e' && *p != 'E'; p++)
    digits += g_ascii_isdigit (*p) != 0;
  if (digits == 0 || digits > 15 || (first[0] == '0' && g_ascii_isdigit (first[1])))
    return false;
  *number = g_ascii_strtod (text, &end);
  return *end == '\0' && isfinite (*number);
}

static void
look_for_text (Graph *g, Of of, const Thing *t)
{
  double number;

  for (uint32_t i = t->values; i != TRACE_NONE; i = g_array_index (g->values, Value, i).next) {
    const Value *v = &g_array_index (g->values, Value, i);
    Attribute *a = &g_array_index (g->attributes[of], Attribute, v->attribute);
    if (!a->text && *v->text)
      a->text = !graph_is_number (v->text, &number);
  }
}

/* What is told of a whole column: whether all of its values are numbers. */
static void
graph_find_numbers (Graph *g)
{
  double number;

  for (guint i = 0; i < g->nodes->len; i++)
    look_for_text (g, OF_NODE, graph_node_at (g, i));
  for (guint i = 0; i < g->groups->len; i++)
    look_for_text (g, OF_NODE, &g_array_index (g->groups, Thing, i));
  for (guint i = 0; i < g->links->len; i++)
    look_for_text (g, OF_LINK, graph_link_at (g, i));
  for (guint i = 0; i < g->attributes[OF_GRAPH]->len; i++)
    g_array_index (g->attributes[OF_GRAPH], Attribute, i).text = true;
  for (Of of = 0; of < N_OF; of++)
    for (guint i = 0; i < g->attributes[of]->len; i++) {
      Attribute *a = &g_array_index (g->attributes[of], Attribute, i);
      a->text |= (a->otherwise && !graph_is_number (a->otherwise, &number)) || strcmp (a->name, "State") == 0;
    }
}

/* What only tells how a picture of it looks stands behind all else. */
static bool
is_of_drawing (const char *name)
{
  static const char *const names[] = { "arrowhead", "arrowsize", "bb",        "bgcolor",     "class",    "color",
                                       "fillcolor", "fixedsize", "fontcolor", "fontname",    "fontsize", "height",
                                       "label",     "labelloc",  "layout",    "len",         "lheight",  "lp",
                                       "lwidth",    "margin",    "mindist",   "outputorder", "overlap",  "pad",
                                       "penwidth",  "pos",       "rects",     "sep",         "shape",    "splines",
                                       "style",     "tooltip",   "width",     "xlabel",      NULL };

  return g_strv_contains (names, name);
}

/* Whether an attribute says of everything what it is called anyway, as in graphs that Scope has written. */
static bool
says_the_name (const Graph *g, Of of, uint32_t attribute)
{
  const GArray *things = of == OF_NODE ? g->nodes : g->links;
  bool same = of != OF_GRAPH && strcmp (g_array_index (g->attributes[of], Attribute, attribute).name, "Name") == 0;

  for (guint i = 0; i < things->len && same; i++) {
    const Thing *t = &g_array_index (things, Thing, i);
    same = g_strcmp0 (graph_get (g, t, attribute), t->name) == 0;
  }
  return same;
}

static void
order_attributes (Graph *g)
{
  for (Of of = 0; of < N_OF; of++) {
    g_array_set_size (g->order[of], 0);
    for (int drawing = 0; drawing <= 1; drawing++)
      for (guint i = 0; i < g->attributes[of]->len; i++)
        if (is_of_drawing (g_array_index (g->attributes[of], Attribute, i).name) == drawing
            && !says_the_name (g, of, i))
          g_array_append_val (g->order[of], i);
  }
}

static const Attribute *
graph_shown (const Graph *g, Of of, guint place)
{
  return &g_array_index (g->attributes[of], Attribute, g_array_index (g->order[of], uint32_t, place));
}

static void
graph_give_values (Graph *g, Of of, const Thing *t)
{
  const char *texts[GRAPHS_MOST_ATTRIBUTES];
  double number;

  for (guint i = 0; i < g->attributes[of]->len; i++)
    texts[i] = g_array_index (g->attributes[of], Attribute, i).otherwise;
  for (uint32_t i = t->values; i != TRACE_NONE;) {
    const Value *v = &g_array_index (g->values, Value, i);
    texts[v->attribute] = v->text;
    i = v->next;
  }
  for (guint i = 0; i < g->order[of]->len; i++) {
    const char *text = texts[g_array_index (g->order[of], uint32_t, i)];
    if (!text || !*text)
      converter_none (g->to);
    else if (!graph_shown (g, of, i)->text && graph_is_number (text, &number))
      converter_real (g->to, number);
    else
      converter_text (g->to, text, strlen (text));
  }
}

static void
graph_add_kind (Graph *g, const char *name, Of of)
{
  TraceField fields[GRAPHS_MOST_ATTRIBUTES + GRAPH_LINK_FIELDS];
  uint32_t n = 0, own;

  if (of == OF_LINK) {
    fields[n++] = (TraceField){ "to", TRACE_ROLE_PEER, NULL };
    fields[n++] = (TraceField){ "name", TRACE_ROLE_WORD, NULL };
  }
  own = n;
  for (guint i = 0; i < g->order[of]->len; i++) {
    const Attribute *a = graph_shown (g, of, i);
    fields[n++] = (TraceField){ converted_field_name (a->name, strlen (a->name)),
                                a->text ? TRACE_ROLE_WORD : TRACE_ROLE_INT, NULL };
  }
  converter_kind (g->to, &(TraceKind){ .name = name,
                                       .category = "graph",
                                       .fields = fields,
                                       .n_fields = n,
                                       .instant = true,
                                       .acts = TRACE_ACT_MARK });
  while (n > own)
    g_free ((char *) fields[--n].name);
}

static TraceEvent
graph_event_of (uint32_t task, uint16_t kind)
{
  return (TraceEvent){
    .task = task, .peer = TRACE_NONE, .object = TRACE_NONE, .tag = -1, .kind = kind, .flags = TRACE_INSTANT
  };
}

static void
graph_add_types (Graph *g)
{
  static const struct {
    uint32_t type;
    Of of;
  } has[] = { { GRAPH_OF_GRAPH, OF_GRAPH }, { GRAPH_OF_NODE, OF_NODE }, { GRAPH_OF_LINK, OF_LINK } };
  TraceSource *s = g->source;

  trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Graph"), NULL, TRACE_NONE);
  trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Group"), NULL, TRACE_NONE);
  trace_source_add_own_type (s, TRACE_ENTITY, N_ ("Node"), NULL, TRACE_NONE);
  trace_source_add_type (s, TRACE_LINKS, "Link", NULL, TRACE_NONE);
  for (uint32_t i = 0; i < N_GRAPH_TYPES; i++)
    ((TraceType *) s->types->pdata[i])->does = TRACE_RESTS;
  for (size_t i = 0; i < G_N_ELEMENTS (has); i++)
    for (guint k = 0; k < g->order[has[i].of]->len; k++)
      trace_source_add_type (s, TRACE_VARIABLE, graph_shown (g, has[i].of, k)->name, NULL, has[i].type);
  graph_add_kind (g, "Graph", OF_GRAPH);
  graph_add_kind (g, "Group", OF_NODE);
  graph_add_kind (g, "Node", OF_NODE);
  graph_add_kind (g, "Link", OF_LINK);
}

/* A name that no other task has: what people call a group, or its name in the file. */
static char *
graph_free_name (const Graph *g, Unlike *taken, const char *label, const char *name)
{
  const char *wanted = label && *label ? label : *name ? name : _ ("a group");
  char *free = unlike_others (taken, wanted, " (", ")");

  while (graph_find_node (g, free, strlen (free)) != NAME_TABLE_NONE) {
    g_free (free);
    free = unlike_others (taken, wanted, " (", ")");
  }
  return free;
}

/* "\N" stands for the name, and a backslash and a letter for the end of a line; g_free.  NULL: there is none. */
static char *
graph_label_of (const Graph *g, const Thing *t)
{
  static const char *const names[] = { "Nickname", "label" };
  const char *label = NULL;

  for (size_t i = 0; i < G_N_ELEMENTS (names) && !label; i++) {
    uint32_t attribute = name_table_find (g->attribute_of[OF_NODE], names[i], strlen (names[i]));
    label = attribute != NAME_TABLE_NONE ? graph_get (g, t, attribute) : NULL;
  }
  if (!label)
    return NULL;
  g_autoptr (GString) shown = g_string_new (NULL);
  for (const char *c = label; *c; c++)
    if (*c != '\\' || !c[1])
      g_string_append_c (shown, (guint8) *c < ' ' ? ' ' : *c);
    else if (*++c == 'N')
      g_string_append (shown, t->name);
    else
      g_string_append_c (shown, strchr ("nlr", *c) ? ' ' : *c);
  char *text = g_strstrip (g_utf8_make_valid (shown->str, -1));
  return *text ? text : (g_free (text), NULL);
}

static bool
graph_goes_on (Graph *g, guint done, GError **error)
{
  return done % 4096 != 0 || converter_progress (g->to, 1, error);
}

static bool
graph_give (Graph *g, GError **error)
{
  TraceSource *s = g->source;
  Unlike *taken = unlike_new ();
  uint32_t first = 1 + g->groups->len;

  graph_colours (g);
  graph_find_numbers (g);
  order_attributes (g);
  graph_add_types (g);
  g_autofree char *whole = graph_free_name (g, taken, NULL, g->whole.name && *g->whole.name ? g->whole.name : s->name);
  trace_source_add_task_in (s, whole, 0, GRAPH_OF_GRAPH, TRACE_NONE);
  for (guint i = 0; i < g->groups->len; i++) {
    const Thing *t = &g_array_index (g->groups, Thing, i);
    g_autofree char *label = graph_label_of (g, t), *name = graph_free_name (g, taken, label, t->name);
    trace_source_add_task_in (s, name, i + 1, GRAPH_OF_GROUP, t->group != TRACE_NONE ? 1 + t->group : TRACE_NONE);
  }
  unlike_free (taken);
  for (guint i = 0; i < g->nodes->len; i++) {
    const Thing *t = graph_node_at (g, i);
    uint32_t around = t->inside != TRACE_NONE ? first + t->inside : t->group != TRACE_NONE ? 1 + t->group : TRACE_NONE;
    TraceTask *task = trace_task (s, trace_source_add_task_in (s, t->name, first + i, GRAPH_OF_NODE, around));
    g_autofree char *label = graph_label_of (g, t);
    if (!task->nickname && label && strcmp (label, t->name) != 0)
      task->nickname = g_steal_pointer (&label);
  }
  graph_give_values (g, OF_GRAPH, &g->whole);
  TraceEvent e = graph_event_of (0, GRAPH_IS);
  converter_event (g->to, &e);
  for (guint i = 0; i < g->groups->len; i++) {
    e = graph_event_of (1 + i, GRAPH_GROUP_IS);
    graph_give_values (g, OF_NODE, &g_array_index (g->groups, Thing, i));
    converter_event (g->to, &e);
  }
  for (guint i = 0; i < g->nodes->len && graph_goes_on (g, i, error); i++) {
    e = graph_event_of (first + i, GRAPH_NODE_IS);
    graph_give_values (g, OF_NODE, graph_node_at (g, i));
    converter_event (g->to, &e);
  }
  for (guint i = 0; i < g->links->len && graph_goes_on (g, i, error); i++) {
    const Thing *t = graph_link_at (g, i);
    e = graph_event_of (first + t->group, GRAPH_LINK_IS);
    e.peer = first + t->to;
    if (t->name && *t->name)
      converter_text (g->to, t->name, strlen (t->name));
    else
      converter_none (g->to);
    graph_give_values (g, OF_LINK, t);
    converter_event (g->to, &e);
  }
  return converter_progress (g->to, 1, error);
}

/* ---- the format -------------------------------------------------------------------------------------------------------------------- */

/* The first word that is no blank and no comment. */
static const char *
first_word (const char *text)
{
  for (;;) {
    text += strspn (text, " \t\r\n");
    if (g_str_has_prefix (text, "\xef\xbb\xbf"))
      text += 3;
    else if (*text == '#' || g_str_has_prefix (text, "//"))
      text += strcspn (text, "\n");
    else if (g_str_has_prefix (text, "/*")) {
      const char *end = strstr (text + 2, "*/");
      if (!end)
        return "";
      text = end + 2;
    } else
      return text;
  }
}

static bool
takes_word (const char **text, const char *word)
{
  size_t n = strlen (word);

  if (g_ascii_strncasecmp (*text, word, n) != 0 || g_ascii_isalnum ((*text)[n]) || (*text)[n] == '_')
    return false;
  *text = first_word (*text + n);
  return true;
}

/* "digraph name {" or without a name: no other text begins so. */
static bool
looks_like_dot (const char *text)
{
  text = first_word (text);
  takes_word (&text, "strict");
  if (!takes_word (&text, "digraph") && !takes_word (&text, "graph"))
    return false;
  if (*text == '"') {
    for (text++; *text && *text != '"'; text += *text == '\\' && text[1] ? 2 : 1)
      ;
    text += *text == '"';
  } else if (*text == '<')
    return true;
  else
    while (g_ascii_isalnum (*text) || *text == '_' || *text == '.' || *text == '-' || (unsigned char) *text >= 0x80)
      text++;
  return *first_word (text) == '{';
}

static bool
looks_like_graphml (const char *text)
{
  text += strspn (text, " \t\r\n\xef\xbb\xbf");
  return *text == '<' && strstr (text, "<graphml") != NULL;
}

static int
graph_recognise (const char *path, const void *head, size_t n, char **whole)
{
  g_autofree char *text = head ? g_strndup (head, n) : NULL;

  return !text ? 0 : looks_like_graphml (text) ? 90 : looks_like_dot (text) ? 80 : 0;
}

static void
graph_clear (Graph *g)
{
  for (Of of = 0; of < N_OF; of++) {
    for (guint i = 0; i < g->attributes[of]->len; i++)
      g_free (g_array_index (g->attributes[of], Attribute, i).name);
    g_array_unref (g->attributes[of]);
    g_array_unref (g->order[of]);
    name_table_free (g->attribute_of[of]);
  }
  g_array_unref (g->groups);
  g_array_unref (g->nodes);
  g_array_unref (g->links);
  g_array_unref (g->values);
  name_table_free (g->node_of);
  name_table_free (g->group_of);
  g_string_chunk_free (g->texts);
  input_close (g->in);
}

static bool
graph_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path), *head = g_malloc0 (65537);
  Graph g = { .to = to, .source = converter_source (to), .file = file, .whole = { .values = TRACE_NONE } };

  head[input_head (path, head, 65536)] = '\0';
  g.in = input_open (path, error);
  if (!g.in)
    return false;
  g.source->clock = (TraceClock){ TRACE_TICKS, "s" };
  g.texts = g_string_chunk_new (65536);
  g.groups = g_array_new (FALSE, FALSE, sizeof (Thing));
  g.nodes = g_array_new (FALSE, FALSE, sizeof (Thing));
  g.links = g_array_new (FALSE, FALSE, sizeof (Thing));
  g.values = g_array_new (FALSE, FALSE, sizeof (Value));
  g.node_of = name_table_new ();
  g.group_of = name_table_new ();
  for (Of of = 0; of < N_OF; of++) {
    g.attributes[of] = g_array_new (FALSE, FALSE, sizeof (Attribute));
    g.attribute_of[of] = name_table_new ();
    g.order[of] = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  }
  bool ok = looks_like_graphml (head) ? graphml_read (&g, error) : dot_read (&g, error);
  ok = ok && graph_give (&g, error);
  if (ok && g.undirected && g.links->len > 0)
    trace_source_remark (g.source, file, 0, 0,
                         _ ("its links have no direction: each is shown from the node that is named first"));
  graph_clear (&g);
  return ok;
}

static const ConvertedFormat graph;
CONVERTED_OPEN (graph_open, &graph)
static const ConvertedFormat graph = {
  .format = { .name = "graph",
              .label = N_ ("DOT or GraphML"),
              .model = GRAPHS_MODEL,
              .open = graph_open,
              .recognise = graph_recognise,
              CONVERTED_FUNCTIONS },
  .convert = graph_convert,
};

TRACE_READER_PLUGIN (graph.format, "scope.graph-reader", "Graph reader", "reader:graph",
                     "Reads graphs that programs write in Graphviz's language (DOT) or as GraphML, as one instant.");
