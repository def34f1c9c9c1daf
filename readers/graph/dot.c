/* SPDX-License-Identifier: Apache-2.0 */
/* dot.c - the language of Graphviz.  What makes no sense is told with its line, and what follows it up to the end of
 * the statement is left out. */
#include <string.h>

#include "eve/words.h"
#include "readers/graph/graph.h"
#include "readers/pair.h"

#define BUFFER 65536
#define MOST_SPLIT 5         /* words that may be meant as one, told */
#define MOST_SET 65536       /* nodes of a subgraph that a link goes to */
#define KEY (TRACE_NONE - 1) /* in the place of an attribute: the name of a link */

/* Tokens; others are their character. */
enum { END = 256, ID, DIRECTED, UNDIRECTED };

typedef struct Preset {
  uint32_t attribute;
  const char *text;
} Preset;

/* What a part of the file says of what stands in it from here on. */
typedef struct Scope {
  const struct Scope *outer;
  GArray *presets[N_OF]; /* of Preset: of nodes and links */
  GArray *nodes;         /* of uint32_t: all that it names; or NULL */
  uint32_t group;
  uint32_t depth;
} Scope;

typedef struct Dot {
  Graph *g;
  char buffer[BUFFER];
  size_t at, n;
  uint64_t line, statements, tokens;
  bool line_begins;
  GError *why; /* the file cannot be read on */

  int token;
  uint64_t token_line;
  GString *text; /* of an ID */
  bool plain;    /* it is neither quoted nor markup */
  bool directed, strict;
  GHashTable *pairs; /* of gint64 -> link + 1, of a strict graph */
  bool stopped;      /* the person has cancelled */
  GError **error;
  guint n_split;
} Dot;

/* ---- characters --------------------------------------------------------------------------------------------------------------- */

static int
peek (Dot *d)
{
  if (d->at >= d->n && !d->why) {
    d->n = input_read (d->g->in, d->buffer, BUFFER, &d->why);
    d->at = 0;
  }
  return d->at < d->n ? (unsigned char) d->buffer[d->at] : -1;
}

/* What comes behind that. */
static int
peek_second (Dot *d)
{
  if (peek (d) >= 0 && d->at + 1 >= d->n && !d->why) {
    d->buffer[0] = d->buffer[d->at];
    d->n = 1 + input_read (d->g->in, d->buffer + 1, BUFFER - 1, &d->why);
    d->at = 0;
  }
  return d->at + 1 < d->n ? (unsigned char) d->buffer[d->at + 1] : -1;
}

static int
graph_dot_get (Dot *d)
{
  int c = peek (d);

  if (c >= 0)
    d->at++;
  d->line += c == '\n';
  return c;
}

static void
graph_dot_skip_line (Dot *d)
{
  for (int c = peek (d); c >= 0 && c != '\n'; c = peek (d))
    graph_dot_get (d);
}

static void
skip_remark (Dot *d)
{
  for (int c = graph_dot_get (d); c >= 0; c = graph_dot_get (d))
    if (c == '*' && peek (d) == '/') {
      graph_dot_get (d);
      return;
    }
}

/* The first character of what comes next; blanks and remarks are gone.  A line that begins with # is one of the
 * preprocessor. */
static int
next_character (Dot *d)
{
  for (;;) {
    int c = graph_dot_get (d);
    if (c == '\n')
      d->line_begins = true;
    else if (c == '#' && d->line_begins)
      graph_dot_skip_line (d);
    else if (c == '/' && peek (d) == '/')
      graph_dot_skip_line (d);
    else if (c == '/' && peek (d) == '*') {
      graph_dot_get (d);
      skip_remark (d);
    } else if (c != ' ' && c != '\t' && c != '\r' && c != 0xef && c != 0xbb && c != 0xbf) {
      d->line_begins = false;
      return c;
    } else if (c >= 0x80 && d->statements > 0) /* no mark of the order of bytes, but a letter */
      return c;
  }
}

static void
graph_dot_add (Dot *d, int c)
{
  if (d->text->len < MOST_WORD)
    g_string_append_c (d->text, (char) c);
}

/* A quotation mark and the end of a line are written with a backslash; what else has one is for who shows it. */
static void
read_quoted (Dot *d)
{
  uint64_t line = d->line;

  for (int c = graph_dot_get (d); c != '"'; c = graph_dot_get (d)) {
    if (c < 0) {
      graph_damaged (d->g, line, _ ("a text in quotation marks has no end"));
      return;
    }
    if (c == '\\' && peek (d) == '"')
      c = graph_dot_get (d);
    else if (c == '\\' && peek (d) == '\\') {
      graph_dot_add (d, c);
      c = graph_dot_get (d);
    } else if (c == '\\' && peek (d) == '\n') {
      graph_dot_get (d);
      continue;
    }
    graph_dot_add (d, c);
  }
}

static void
add_meant (Dot *d, const char *name)
{
  static const char *const names[] = { "lt", "<", "gt", ">", "amp", "&", "quot", "\"", "nbsp", " " };

  for (size_t i = 0; i < G_N_ELEMENTS (names); i += 2)
    if (strcmp (names[i], name) == 0) {
      graph_dot_add (d, names[i + 1][0]);
      return;
    }
}

/* Markup: the words in it. */
static void
read_markup (Dot *d)
{
  uint64_t line = d->line;
  char name[12];
  size_t n = 0;
  bool in_name = false;

  for (int c = graph_dot_get (d), depth = 1; depth > 0; c = graph_dot_get (d)) {
    if (c < 0) {
      graph_damaged (d->g, line, _ ("markup between < and > has no end"));
      return;
    }
    if (c == '<') {
      if (d->text->len > 0 && d->text->str[d->text->len - 1] != ' ')
        graph_dot_add (d, ' ');
      depth++;
    } else if (c == '>')
      depth--;
    else if (depth > 1)
      continue;
    else if (c == '&') {
      in_name = true;
      n = 0;
    } else if (in_name && c == ';') {
      name[n] = '\0';
      add_meant (d, name);
      in_name = false;
    } else if (in_name && n < sizeof name - 1 && g_ascii_isalnum (c))
      name[n++] = (char) c;
    else {
      in_name = false;
      if (c == '\n' || c == '\t')
        c = ' ';
      if (c != ' ' || (d->text->len > 0 && d->text->str[d->text->len - 1] != ' '))
        graph_dot_add (d, c);
    }
    if (depth == 0)
      break;
  }
  while (d->text->len > 0 && d->text->str[d->text->len - 1] == ' ')
    g_string_truncate (d->text, d->text->len - 1);
}

static bool
is_letter (int c)
{
  return c >= 0x80 || c == '_' || g_ascii_isalnum (c);
}

/* The sign of an exponent: "1e-05" is no word of the language, but many write so. */
static bool
is_sign (Dot *d)
{
  const char *text = d->text->str;
  size_t n = d->text->len;

  return (peek (d) == '-' || peek (d) == '+') && n > 1 && g_ascii_tolower (text[n - 1]) == 'e'
         && strspn (text, "-.0123456789") == n - 1 && g_ascii_isdigit (peek_second (d));
}

static void
read_word (Dot *d, int c)
{
  bool number = c == '-' || c == '.' || g_ascii_isdigit (c);

  graph_dot_add (d, c);
  while (is_letter (peek (d)) || (number && (peek (d) == '.' || is_sign (d))))
    graph_dot_add (d, graph_dot_get (d));
  int after = peek (d) == '-' ? peek_second (d) : -1;
  if (number && (g_ascii_isdigit (after) || after == '.') && d->n_split++ < MOST_SPLIT)
    trace_source_remark (d->g->source, d->g->file, d->line, 0,
                         _ ("“%.60s” and the “-%c” behind it are read as two words, as Graphviz does; one word that "
                            "is no number stands between quotation marks"),
                         d->text->str, after);
}

/* ---- words ----------------------------------------------------------------------------------------------------------------------- */

static void
graph_dot_next (Dot *d)
{
  int c = next_character (d);

  d->tokens++;
  d->token_line = d->line;
  d->token = c < 0 ? END : c;
  d->plain = false;
  if (c == '"') {
    g_string_truncate (d->text, 0);
    read_quoted (d);
    d->token = ID;
    /* pieces of one text are joined by a plus sign */
    for (int more = next_character (d); more >= 0; more = next_character (d)) {
      if (more == '+' && (more = next_character (d)) == '"') {
        read_quoted (d);
        continue;
      }
      d->at--; /* it was just taken from there */
      break;
    }
  } else if (c == '<') {
    g_string_truncate (d->text, 0);
    read_markup (d);
    d->token = ID;
  } else if (c == '-' && (peek (d) == '>' || peek (d) == '-')) {
    d->token = graph_dot_get (d) == '>' ? DIRECTED : UNDIRECTED;
  } else if (c >= 0 && (is_letter (c) || c == '-' || c == '.')) {
    g_string_truncate (d->text, 0);
    read_word (d, c);
    d->token = ID;
    d->plain = true;
  }
}

static bool
graph_dot_is_word (const Dot *d, const char *word)
{
  return d->token == ID && d->plain && g_ascii_strcasecmp (d->text->str, word) == 0;
}

/* A word of the language begins a statement, or a piece of it: no node is called so without quotation marks. */
static void
makes_no_sense (Dot *d)
{
  if (d->token == END)
    return;
  if (d->token == ID)
    graph_damaged (d->g, d->token_line, _ ("“%.60s” makes no sense here; the rest of the statement is left out"),
                   d->text->str);
  else
    graph_damaged (d->g, d->token_line, _ ("“%s” makes no sense here; the rest of the statement is left out"),
                   d->token == DIRECTED     ? "->"
                   : d->token == UNDIRECTED ? "--"
                                            : (char[]){ (char) d->token, '\0' });
  while (d->token != END && d->token != ';' && d->token != '}' && d->token != '{')
    graph_dot_next (d);
}

/* ---- attributes -------------------------------------------------------------------------------------------------------------------- */

static void
preset (GArray *to, uint32_t attribute, const char *text)
{
  for (guint i = 0; i < to->len; i++)
    if (g_array_index (to, Preset, i).attribute == attribute) {
      g_array_index (to, Preset, i).text = text;
      return;
    }
  const Preset p = { attribute, text };
  g_array_append_val (to, p);
}

/* "[a=b, c=d][e=f]", as many as there are. */
static void
read_attributes (Dot *d, Of of, GArray *to)
{
  while (d->token == '[') {
    graph_dot_next (d);
    while (d->token == ID) {
      g_autofree char *name = g_strdup (graph_text (d->g, d->text->str, MIN (d->text->len, MOST_NAME)));
      const char *text = "true";
      graph_dot_next (d);
      if (d->token == '=') {
        graph_dot_next (d);
        if (d->token != ID)
          break;
        text = graph_text (d->g, d->text->str, d->text->len);
        graph_dot_next (d);
      }
      uint32_t attribute = of == OF_LINK && strcmp (name, "key") == 0 ? KEY : graph_attribute (d->g, of, name);
      if (attribute != TRACE_NONE)
        preset (to, attribute, text);
      if (d->token == ',' || d->token == ';')
        graph_dot_next (d);
    }
    if (d->token != ']') {
      makes_no_sense (d);
      return;
    }
    graph_dot_next (d);
  }
}

static void
graph_dot_put_all (Dot *d, Thing *t, const GArray *presets)
{
  for (guint i = 0; i < presets->len; i++)
    if (g_array_index (presets, Preset, i).attribute != KEY)
      graph_put (d->g, t, g_array_index (presets, Preset, i).attribute, g_array_index (presets, Preset, i).text);
}

/* ---- nodes and links ---------------------------------------------------------------------------------------------------------------- */

static void
note_node (Scope *s, uint32_t node)
{
  if (s->nodes && s->nodes->len < MOST_SET
      && (s->nodes->len == 0 || g_array_index (s->nodes, uint32_t, s->nodes->len - 1) != node))
    g_array_append_val (s->nodes, node);
}

/* By the name that was read.  One that is new has what is preset here. */
static uint32_t
node_here (Dot *d, Scope *s)
{
  guint before = d->g->nodes->len;
  uint32_t node = graph_node (d->g, d->text->str, d->text->len, s->group, TRACE_NONE);

  if (node == TRACE_NONE)
    return node;
  if (d->g->nodes->len > before)
    graph_dot_put_all (d, graph_node_at (d->g, node), s->presets[OF_NODE]);
  note_node (s, node);
  return node;
}

/* A port of a node: where on its outline a link ends. */
static void
skip_port (Dot *d)
{
  while (d->token == ':') {
    graph_dot_next (d);
    if (d->token == ID)
      graph_dot_next (d);
  }
}

static void
link_two (Dot *d, const Scope *s, uint32_t from, uint32_t to, const GArray *presets)
{
  gint64 pair = d->directed || from < to ? (gint64) from << 32 | to : (gint64) to << 32 | from;
  uint32_t link = d->strict ? GPOINTER_TO_UINT (g_hash_table_lookup (d->pairs, &pair)) : 0;
  const char *name = NULL;

  for (guint i = 0; i < presets->len; i++)
    if (g_array_index (presets, Preset, i).attribute == KEY)
      name = g_array_index (presets, Preset, i).text;
  if (link == 0) {
    link = graph_link (d->g, from, to, name);
    if (link++ == TRACE_NONE)
      return;
    if (d->strict)
      g_hash_table_insert (d->pairs, g_memdup2 (&pair, sizeof pair), GUINT_TO_POINTER (link));
    graph_dot_put_all (d, graph_link_at (d->g, link - 1), s->presets[OF_LINK]);
  }
  graph_dot_put_all (d, graph_link_at (d->g, link - 1), presets);
}

static void
link_sets (Dot *d, const Scope *s, const GArray *from, const GArray *to, const GArray *presets)
{
  for (guint i = 0; i < from->len && !d->g->too_many_links; i++)
    for (guint k = 0; k < to->len && !d->g->too_many_links; k++)
      link_two (d, s, g_array_index (from, uint32_t, i), g_array_index (to, uint32_t, k), presets);
}

static void read_subgraph (Dot *d, Scope *s, GArray *nodes);

static GArray *
graph_dot_read_end (Dot *d, Scope *s)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  if (d->token == '{' || graph_dot_is_word (d, "subgraph")) {
    read_subgraph (d, s, nodes);
  } else if (d->token == ID) {
    uint32_t node = node_here (d, s);
    if (node != TRACE_NONE)
      g_array_append_val (nodes, node);
    graph_dot_next (d);
    skip_port (d);
  } else
    makes_no_sense (d);
  return nodes;
}

/* "-> b -> {c d} [x=y]", behind its first end. */
static void
read_links (Dot *d, Scope *s, GArray *first)
{
  g_autoptr (GPtrArray) ends = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GArray) presets = g_array_new (FALSE, FALSE, sizeof (Preset));

  g_ptr_array_add (ends, g_array_ref (first));
  while (d->token == DIRECTED || d->token == UNDIRECTED) {
    graph_dot_next (d);
    g_ptr_array_add (ends, graph_dot_read_end (d, s));
  }
  read_attributes (d, OF_LINK, presets);
  for (guint i = 1; i < ends->len; i++)
    link_sets (d, s, ends->pdata[i - 1], ends->pdata[i], presets);
}

/* ---- statements -------------------------------------------------------------------------------------------------------------------- */

/* Of the graph, or of the group that this is. */
static void
put_here (Dot *d, const Scope *s, const char *name, const char *text)
{
  if (s->group != TRACE_NONE) {
    uint32_t attribute = graph_attribute (d->g, OF_NODE, name);
    graph_put (d->g, &g_array_index (d->g->groups, Thing, s->group), attribute, text);
  } else if (!s->outer)
    graph_put (d->g, &d->g->whole, graph_attribute (d->g, OF_GRAPH, name), text);
}

/* "graph [x=y]": what is said of a group is known as attributes of nodes. */
static void
read_own (Dot *d, const Scope *s)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Preset));
  Of of = s->outer ? OF_NODE : OF_GRAPH;

  read_attributes (d, of, all);
  for (guint i = 0; i < all->len; i++)
    put_here (d, s, g_array_index (d->g->attributes[of], Attribute, g_array_index (all, Preset, i).attribute).name,
              g_array_index (all, Preset, i).text);
}

static void
read_named (Dot *d, Scope *s)
{
  g_autofree char *name = g_strndup (d->text->str, d->text->len);
  size_t n = d->text->len;
  g_autoptr (GArray) nodes = NULL;

  graph_dot_next (d);
  if (d->token == '=') {
    graph_dot_next (d);
    if (d->token != ID) {
      makes_no_sense (d);
      return;
    }
    g_autofree char *valid = g_strdup (graph_text (d->g, name, MIN (n, MOST_NAME)));
    put_here (d, s, valid, graph_text (d->g, d->text->str, d->text->len));
    graph_dot_next (d);
    return;
  }
  skip_port (d);
  nodes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  guint before = d->g->nodes->len;
  uint32_t node = graph_node (d->g, name, n, s->group, TRACE_NONE);
  if (node != TRACE_NONE) {
    if (d->g->nodes->len > before)
      graph_dot_put_all (d, graph_node_at (d->g, node), s->presets[OF_NODE]);
    note_node (s, node);
    g_array_append_val (nodes, node);
  }
  if (d->token == DIRECTED || d->token == UNDIRECTED) {
    read_links (d, s, nodes);
    return;
  }
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (Preset));
  read_attributes (d, OF_NODE, own);
  if (node != TRACE_NONE)
    graph_dot_put_all (d, graph_node_at (d->g, node), own);
}

static void
read_statement (Dot *d, Scope *s)
{
  if (graph_dot_is_word (d, "graph")) {
    graph_dot_next (d);
    read_own (d, s);
  } else if (graph_dot_is_word (d, "node")) {
    graph_dot_next (d);
    read_attributes (d, OF_NODE, s->presets[OF_NODE]);
  } else if (graph_dot_is_word (d, "edge")) {
    graph_dot_next (d);
    read_attributes (d, OF_LINK, s->presets[OF_LINK]);
  } else if (d->token == '{' || graph_dot_is_word (d, "subgraph")) {
    g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    read_subgraph (d, s, nodes);
    if (d->token == DIRECTED || d->token == UNDIRECTED)
      read_links (d, s, nodes);
  } else if (d->token == ID)
    read_named (d, s);
  else
    makes_no_sense (d);
}

static void
read_statements (Dot *d, Scope *s)
{
  while (d->token != END && d->token != '}' && !d->stopped) {
    uint64_t before = d->tokens;
    read_statement (d, s);
    while (d->token == ';' || d->token == ',')
      graph_dot_next (d);
    if (d->tokens == before && d->token != END && d->token != '}')
      graph_dot_next (d);
    if (++d->statements % 1024 == 0)
      d->stopped = !converter_progress (d->g->to, input_share (d->g->in), d->error);
  }
}

/* One that is too deep is passed over, brace by brace. */
static void
skip_braces (Dot *d)
{
  uint64_t depth = 0;

  graph_damaged (d->g, d->token_line, _ ("subgraphs are inside of more than %d others; this one is left out"),
                 MOST_DEPTH);
  do {
    depth += d->token == '{';
    depth -= d->token == '}';
    graph_dot_next (d);
  } while (depth > 0 && d->token != END);
}

/* "subgraph name { ... }", a group if its name begins with "cluster".  Its nodes are added to `nodes`. */
static void
read_subgraph (Dot *d, Scope *s, GArray *nodes)
{
  Scope own = { s, { NULL }, nodes, s->group, s->depth + 1 };

  if (graph_dot_is_word (d, "subgraph")) {
    graph_dot_next (d);
    if (d->token == ID) {
      if (g_str_has_prefix (d->text->str, "cluster"))
        own.group = graph_group (d->g, d->text->str, d->text->len, s->group);
      graph_dot_next (d);
    }
  }
  if (d->token != '{')
    return;
  if (own.depth > MOST_DEPTH) {
    skip_braces (d);
    return;
  }
  for (Of of = OF_NODE; of < N_OF; of++) {
    own.presets[of] = g_array_new (FALSE, FALSE, sizeof (Preset));
    g_array_append_vals (own.presets[of], s->presets[of]->data, s->presets[of]->len);
  }
  graph_dot_next (d);
  read_statements (d, &own);
  if (d->token == '}')
    graph_dot_next (d);
  for (guint i = 0; i < nodes->len && s->nodes; i++)
    note_node (s, g_array_index (nodes, uint32_t, i));
  for (Of of = OF_NODE; of < N_OF; of++)
    g_array_unref (own.presets[of]);
}

static void
read_graph (Dot *d)
{
  Scope s = { .group = TRACE_NONE };

  for (Of of = OF_NODE; of < N_OF; of++)
    s.presets[of] = g_array_new (FALSE, FALSE, sizeof (Preset));
  graph_dot_next (d);
  read_statements (d, &s);
  if (d->why)
    graph_damaged (d->g, d->line, _ ("%s; what was read before it is kept"), d->why->message);
  else if (d->token != '}' && !d->stopped)
    graph_damaged (d->g, d->line, _ ("the file ends inside of the graph; what was read before is kept"));
  for (Of of = OF_NODE; of < N_OF; of++)
    g_array_unref (s.presets[of]);
}

bool
dot_read (Graph *g, GError **error)
{
  Dot *d = g_new0 (Dot, 1);
  bool is_graph;

  d->g = g;
  d->line = 1;
  d->line_begins = true;
  d->text = g_string_new (NULL);
  d->error = error;
  d->pairs = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  graph_dot_next (d);
  d->strict = graph_dot_is_word (d, "strict");
  if (d->strict)
    graph_dot_next (d);
  d->directed = graph_dot_is_word (d, "digraph");
  g->undirected = graph_dot_is_word (d, "graph");
  if (d->directed || g->undirected)
    graph_dot_next (d);
  if (d->token == ID) {
    g->whole.name = graph_text (g, d->text->str, MIN (d->text->len, MOST_NAME));
    graph_dot_next (d);
  }
  is_graph = (d->directed || g->undirected) && d->token == '{';
  if (is_graph) {
    d->statements = 1;
    read_graph (d);
    if (!d->stopped && d->token == '}') {
      graph_dot_next (d);
      if (d->token != END)
        trace_source_remark (g->source, g->file, d->token_line, 1,
                             _ ("there is more behind the graph, which is left out: a file is one graph"));
    }
  } else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s does not begin as a graph, with the word digraph or graph and a brace"), g->file);
  is_graph = is_graph && !d->stopped;
  g_clear_error (&d->why);
  g_string_free (d->text, TRUE);
  g_hash_table_unref (d->pairs);
  g_free (d);
  return is_graph;
}
