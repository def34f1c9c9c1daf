/* SPDX-License-Identifier: Apache-2.0 */
/* graphml.c - GraphML, by GLib's parser of simple markup, which knows no entities but the five of XML, and opens no
 * other file.  A graph inside of a node puts its nodes inside of that one. */
#include <string.h>

#include "eve/words.h"
#include "readers/graph/graph.h"

#define CHUNK 65536
#define MOST_PIECE (64 << 20) /* bytes of one tag, text, comment or CDATA */

typedef struct Key {
  uint32_t attribute[N_OF]; /* or TRACE_NONE */
} Key;

typedef struct Open {
  Of of;
  uint32_t thing; /* node or link; or TRACE_NONE: it is left out */
} Open;

typedef struct Ml {
  Graph *g;
  GMarkupParseContext *context;
  GHashTable *keys; /* id -> Key */
  GArray *open;     /* of Open: graph, nodes and links around what is read */
  const Key *key;   /* of the data, or declaration, that is being read; or NULL */
  bool in_data, in_default, in_label;
  bool given; /* the parser gave a piece, and keeps no byte before its end */
  GString *text;
  uint64_t n_links;
  GArray *ends; /* of const char *: the names of both ends of each link */
  uint64_t lost;
  const char *first_lost;
  guint n_hyper;
} Ml;

static uint64_t
graphml_line_of (const Ml *m)
{
  int line = 0, character = 0;

  g_markup_parse_context_get_position (m->context, &line, &character);
  return line > 0 ? (uint64_t) line : 0;
}

/* The name of an element without the prefix of its namespace. */
static const char *
local_name (const char *name)
{
  const char *colon = strrchr (name, ':');

  return colon ? colon + 1 : name;
}

static const char *
graphml_value_of (const char **names, const char **values, const char *name)
{
  for (; *names; names++, values++)
    if (strcmp (*names, name) == 0)
      return *values;
  return NULL;
}

static Thing *
graphml_innermost (Ml *m, Of *of)
{
  const Open *o = m->open->len > 0 ? &g_array_index (m->open, Open, m->open->len - 1) : NULL;

  *of = o ? o->of : OF_GRAPH;
  if (!o || (o->of != OF_GRAPH && o->thing == TRACE_NONE))
    return NULL;
  return o->of == OF_GRAPH  ? &m->g->whole
         : o->of == OF_NODE ? graph_node_at (m->g, o->thing)
                            : graph_link_at (m->g, o->thing);
}

/* The node around what is read. */
static uint32_t
node_around (const Ml *m)
{
  for (guint i = m->open->len; i-- > 0;)
    if (g_array_index (m->open, Open, i).of == OF_NODE)
      return g_array_index (m->open, Open, i).thing;
  return TRACE_NONE;
}

static void
begin_key (Ml *m, const char **names, const char **values)
{
  static const char *const of_whom[N_OF] = { [OF_GRAPH] = "graph", [OF_NODE] = "node", [OF_LINK] = "edge" };
  const char *id = graphml_value_of (names, values, "id"), *of = graphml_value_of (names, values, "for"),
             *name = graphml_value_of (names, values, "attr.name"),
             *type = graphml_value_of (names, values, "attr.type");
  Key *k = g_new (Key, 1);

  for (Of i = 0; i < N_OF; i++) {
    k->attribute[i] = TRACE_NONE;
    if (!name || (of && strcmp (of, "all") != 0 && strcmp (of, of_whom[i]) != 0))
      continue;
    g_autofree char *valid = g_strdup (graph_text (m->g, name, MIN (strlen (name), MOST_NAME)));
    k->attribute[i] = graph_attribute (m->g, i, valid);
    if (k->attribute[i] != TRACE_NONE && type && (strcmp (type, "string") == 0 || strcmp (type, "boolean") == 0))
      g_array_index (m->g->attributes[i], Attribute, k->attribute[i]).text = true;
  }
  g_hash_table_replace (m->keys, g_strdup (id ? id : ""), k);
  m->key = k;
}

static void
begin_node (Ml *m, const char **names, const char **values)
{
  const char *id = graphml_value_of (names, values, "id");
  Open o = { OF_NODE, TRACE_NONE };

  if (id)
    o.thing = graph_node (m->g, id, strlen (id), TRACE_NONE, node_around (m));
  else
    graph_damaged (m->g, graphml_line_of (m), _ ("a node has no id; it is left out"));
  g_array_append_val (m->open, o);
}

static void
begin_link (Ml *m, const char **names, const char **values)
{
  const char *from = graphml_value_of (names, values, "source"), *to = graphml_value_of (names, values, "target"),
             *id = graphml_value_of (names, values, "id");
  Open o = { OF_LINK, TRACE_NONE };

  if (from && to)
    o.thing = graph_link (m->g, 0, 0, id ? graph_text (m->g, id, MIN (strlen (id), MOST_NAME)) : NULL);
  else
    graph_damaged (m->g, graphml_line_of (m), _ ("an edge does not name both of its ends; it is left out"));
  if (o.thing != TRACE_NONE) {
    const char *both[2] = { g_string_chunk_insert_const (m->g->texts, from),
                            g_string_chunk_insert_const (m->g->texts, to) };
    g_array_append_vals (m->ends, both, 2);
  }
  g_array_append_val (m->open, o);
}

static void
begin_graph (Ml *m, const char **names, const char **values)
{
  const char *id = graphml_value_of (names, values, "id"), *way = graphml_value_of (names, values, "edgedefault");
  const Open o = { OF_GRAPH, TRACE_NONE };

  if (!m->g->whole.name && m->open->len == 0) {
    m->g->whole.name = id ? graph_text (m->g, id, MIN (strlen (id), MOST_NAME)) : "";
    m->g->undirected = way && strcmp (way, "undirected") == 0;
  }
  if (m->open->len == 0)
    g_array_append_val (m->open, o);
}

static void
begin_element (GMarkupParseContext *context, const char *element, const char **names, const char **values,
               gpointer data, GError **error)
{
  Ml *m = data;
  const char *name = local_name (element);

  m->given = true;
  if (m->in_data) {
    /* what an editor of drawings keeps of a node: the words on it are worth having */
    m->in_label = strcmp (name, "NodeLabel") == 0 || strcmp (name, "EdgeLabel") == 0;
    if (m->in_label)
      g_string_truncate (m->text, 0);
  } else if (strcmp (name, "key") == 0)
    begin_key (m, names, values);
  else if (strcmp (name, "graph") == 0)
    begin_graph (m, names, values);
  else if (strcmp (name, "node") == 0)
    begin_node (m, names, values);
  else if (strcmp (name, "edge") == 0)
    begin_link (m, names, values);
  else if (strcmp (name, "hyperedge") == 0)
    m->n_hyper++;
  else if (strcmp (name, "data") == 0) {
    const char *key = graphml_value_of (names, values, "key");
    m->key = key ? g_hash_table_lookup (m->keys, key) : NULL;
    m->in_data = true;
    g_string_truncate (m->text, 0);
    if (!m->key)
      graph_damaged (m->g, graphml_line_of (m), _ ("data of a key “%s”, which no <key> before declares; left out"),
                     key ? key : "");
  } else if (strcmp (name, "default") == 0 && m->key) {
    m->in_default = true;
    g_string_truncate (m->text, 0);
  }
}

static void
graphml_put_text (Ml *m, bool label)
{
  Of of;
  Thing *t = graphml_innermost (m, &of);
  g_autofree char *stripped = g_strstrip (g_strndup (m->text->str, m->text->len));

  if (!t || *stripped == '\0')
    return;
  uint32_t attribute = label ? graph_attribute (m->g, of, "label") : m->key ? m->key->attribute[of] : TRACE_NONE;
  graph_put (m->g, t, attribute, graph_text (m->g, stripped, strlen (stripped)));
}

static void
put_default (Ml *m)
{
  g_autofree char *stripped = g_strstrip (g_strndup (m->text->str, m->text->len));

  for (Of of = 0; of < N_OF; of++)
    if (m->key->attribute[of] != TRACE_NONE)
      g_array_index (m->g->attributes[of], Attribute, m->key->attribute[of]).otherwise = graph_text (m->g, stripped,
                                                                                                     strlen (stripped));
  m->in_default = false;
}

static void
end_element (GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
  Ml *m = data;
  const char *name = local_name (element);

  m->given = true;
  if (m->in_data && strcmp (name, "data") == 0) {
    graphml_put_text (m, false);
    m->in_data = false;
    m->key = NULL;
  } else if (m->in_data && m->in_label) {
    graphml_put_text (m, true);
    g_string_truncate (m->text, 0);
    m->in_label = false;
  } else if (m->in_default && strcmp (name, "default") == 0)
    put_default (m);
  else if (strcmp (name, "key") == 0)
    m->key = NULL;
  else if ((strcmp (name, "node") == 0 || strcmp (name, "edge") == 0) && !m->in_data && m->open->len > 0)
    g_array_set_size (m->open, m->open->len - 1);
}

static void
graphml_add_text (GMarkupParseContext *context, const char *text, gsize n, gpointer data, GError **error)
{
  Ml *m = data;

  m->given = true;
  if ((m->in_data || m->in_default) && m->text->len < MOST_WORD)
    g_string_append_len (m->text, text, (gssize) MIN (n, MOST_WORD));
}

/* A comment, or an instruction: nothing for us. */
static void
graphml_pass_over (GMarkupParseContext *context, const char *text, gsize n, gpointer data, GError **error)
{
  ((Ml *) data)->given = true;
}

/* Now that all nodes are known: an edge may stand before the nodes that it names. */
static void
join_links (Ml *m)
{
  GArray *links = m->g->links;
  guint kept = 0;

  for (guint i = 0; i < links->len; i++) {
    const char *from = g_array_index (m->ends, const char *, 2 * i),
               *to = g_array_index (m->ends, const char *, 2 * i + 1);
    Thing *t = graph_link_at (m->g, i);
    t->group = graph_find_node (m->g, from, strlen (from));
    t->to = graph_find_node (m->g, to, strlen (to));
    if (t->group != NAME_TABLE_NONE && t->to != NAME_TABLE_NONE)
      *graph_link_at (m->g, kept++) = *t;
    else if (m->lost++ == 0)
      m->first_lost = t->group == NAME_TABLE_NONE ? from : to;
  }
  g_array_set_size (links, kept);
  if (m->lost > 0 && !m->g->too_many_nodes)
    graph_damaged (
        m->g, 0,
        _ ("edges that are left out, as they name a node that is not there: %" PRIu64 "; the first names “%.60s”"),
        m->lost, m->first_lost);
}

bool
graphml_read (Graph *g, GError **error)
{
  static const GMarkupParser parser = { begin_element, end_element, graphml_add_text, graphml_pass_over, NULL };
  Ml m = { .g = g, .text = g_string_new (NULL) };
  g_autofree char *chunk = g_malloc (CHUNK);
  g_autoptr (GError) why = NULL;
  bool ok = true;
  size_t n, since = 0; /* the parser gave something, in bytes */

  m.keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  m.open = g_array_new (FALSE, FALSE, sizeof (Open));
  m.ends = g_array_new (FALSE, FALSE, sizeof (const char *));
  m.context = g_markup_parse_context_new (&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &m, NULL);
  while (ok && !why && (n = input_read (g->in, chunk, CHUNK, &why)) > 0) {
    since = m.given ? n : since + n;
    m.given = false;
    if (since > MOST_PIECE) { /* which the parser keeps whole until then */
      g_set_error (&why, TRACE_ERROR, TRACE_ERROR_DATA, _ ("more than %d MiB come without a tag"), MOST_PIECE >> 20);
      break;
    }
    if (g_markup_parse_context_parse (m.context, chunk, (gssize) n, &why))
      ok = converter_progress (g->to, input_share (g->in), error);
  }
  if (ok && !why)
    g_markup_parse_context_end_parse (m.context, &why);
  if (ok && why)
    graph_damaged (g, graphml_line_of (&m), _ ("%s; what was read before it is kept"), why->message);
  if (ok && m.n_hyper > 0)
    graph_damaged (g, 0, _ ("links of more than two nodes (hyperedge) that are left out: %u"), m.n_hyper);
  if (ok && !g->whole.name) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s has no graph in it; it is cut or damaged"), g->file);
    ok = false;
  }
  if (ok)
    join_links (&m);
  g_markup_parse_context_free (m.context);
  g_hash_table_unref (m.keys);
  g_array_unref (m.open);
  g_array_unref (m.ends);
  g_string_free (m.text, TRUE);
  return ok;
}
