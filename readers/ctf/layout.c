/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - reads the metadata of a CTF trace (TSDL): a parser of declarations, as of C, that goes down. */
#include <string.h>

#include "readers/ctf/layout.h"

#define MOST_NODES 300000
#define MOST_MEMBERS 1000
#define MOST_PAIRS 50000000 /* of members or labels that stand together: 10,000 take the library seconds */
#define MOST_INSIDE 40      /* types in each other */

typedef enum { WORD, NUMBER, QUOTED, SIGN, THE_END } TokenIs;
typedef struct Token {
  TokenIs is;
  const char *text;
  size_t n;
  uint64_t number;
} Token;

typedef struct Names {
  GHashTable *types;
  struct Names *outer;
} Names;

typedef struct Parser {
  Layout *to;
  const char *at, *end;
  Token now;
  bool odd; /* something is not understood: nothing is worth anything any more */
  bool big; /* the byte order of the trace */
  uint32_t n_nodes;
  int inside;
  GPtrArray *events; /* of LayoutEvent */
} Parser;

/* ---- words ----------------------------------------------------------------------------------------------------------------- */

static void
layout_skip_space (Parser *p)
{
  while (p->at < p->end) {
    if (g_ascii_isspace (*p->at)) {
      p->at++;
    } else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '*') {
      const char *close = memmem (p->at + 2, (size_t) (p->end - p->at) - 2, "*/", 2);
      p->at = close ? close + 2 : p->end;
    } else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '/') {
      const char *close = memchr (p->at, '\n', (size_t) (p->end - p->at));
      p->at = close ? close : p->end;
    } else {
      return;
    }
  }
}

static void
take_quoted (Parser *p)
{
  const char *from = ++p->at;

  while (p->at < p->end && *p->at != '"') {
    if (*p->at == '\\')
      p->at++;
    p->at += p->at < p->end;
  }
  p->now = (Token){ QUOTED, from, (size_t) (p->at - from), 0 };
  p->odd |= p->at >= p->end;
  p->at += p->at < p->end;
}

static void
layout_take_number (Parser *p)
{
  g_autofree char *text = NULL;
  const char *from = p->at;
  char *rest;

  while (p->at < p->end && g_ascii_isalnum (*p->at))
    p->at++;
  text = g_strndup (from, (size_t) (p->at - from));
  p->now = (Token){ NUMBER, from, (size_t) (p->at - from), g_ascii_strtoull (text, &rest, 0) };
  p->odd |= rest[strspn (rest, "uUlL")] != '\0';
}

static void
next_token (Parser *p)
{
  layout_skip_space (p);
  const char *from = p->at;
  if (from >= p->end || p->odd) {
    p->now = (Token){ .is = THE_END, .text = "" };
  } else if (g_ascii_isalpha (*from) || *from == '_') {
    while (p->at < p->end && (g_ascii_isalnum (*p->at) || *p->at == '_'))
      p->at++;
    p->now = (Token){ WORD, from, (size_t) (p->at - from), 0 };
  } else if (g_ascii_isdigit (*from)) {
    layout_take_number (p);
  } else if (*from == '"') {
    take_quoted (p);
  } else {
    p->at += p->end - from > 2 && memcmp (from, "...", 3) == 0  ? 3
             : p->end - from > 1 && memcmp (from, ":=", 2) == 0 ? 2
                                                                : 1;
    p->now = (Token){ SIGN, from, (size_t) (p->at - from), 0 };
  }
}

static bool
is_word (const Token *t, const char *word)
{
  return (t->is == WORD || t->is == SIGN) && t->n == strlen (word) && memcmp (t->text, word, t->n) == 0;
}

/* Whether it is there; then what follows is at hand. */
static bool
take (Parser *p, const char *word)
{
  bool is = is_word (&p->now, word);

  if (is)
    next_token (p);
  return is;
}

static bool
layout_expect (Parser *p, const char *word)
{
  p->odd |= !take (p, word);
  return !p->odd;
}

static const char *
keep_text (Parser *p, const Token *t)
{
  return g_string_chunk_insert_len (p->to->texts, t->text, (gssize) t->n);
}

/* ---- types ----------------------------------------------------------------------------------------------------------------- */

static Node *parse_type (Parser *p, Names *names);
static bool parse_named (Parser *p, Names *names);

static Node *
layout_new_node (Parser *p, NodeIs is)
{
  Node *n = g_new0 (Node, 1);

  n->is = is;
  n->align = 1;
  n->ref = NODE_NO_REF;
  g_ptr_array_add (p->to->kept, n);
  p->odd |= ++p->n_nodes > MOST_NODES;
  return n;
}

static NodeMember *
keep_members (Parser *p, const GArray *list)
{
  NodeMember *members = g_memdup2 (list->data, (size_t) list->len * sizeof (NodeMember) + (list->len == 0));

  if (members)
    g_ptr_array_add (p->to->kept, members);
  return members;
}

/* What is known of a node is known of one place alone, so each use of a type that has a name has its own. */
static Node *
copy_node (Parser *p, const Node *of)
{
  if (!of || p->odd || ++p->inside > MOST_INSIDE) {
    p->odd = true;
    return NULL;
  }
  Node *n = layout_new_node (p, of->is);
  *n = *of;
  if (n->n_members > 0) {
    n->members = g_memdup2 (of->members, n->n_members * sizeof *n->members);
    g_ptr_array_add (p->to->kept, n->members);
    for (uint32_t i = 0; i < n->n_members && !p->odd; i++)
      n->members[i].node = copy_node (p, of->members[i].node);
  }
  if (n->element)
    n->element = copy_node (p, of->element);
  p->inside--;
  return n;
}

static const Node *
layout_find_type (const Names *names, const char *name)
{
  for (; names; names = names->outer) {
    const Node *n = g_hash_table_lookup (names->types, name);
    if (n)
      return n;
  }
  return NULL;
}

static Names
names_below (Names *outer)
{
  return (Names){ g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), outer };
}

static void
name_type (Parser *p, Names *names, char *name, Node *n)
{
  p->odd |= !n || g_hash_table_contains (names->types, name); /* the library refuses what is told twice */
  g_hash_table_insert (names->types, name, n);
}

/* What stands behind `KEY =` in the braces of a type: the words of it side by side. */
static char *
take_value (Parser *p)
{
  GString *value = g_string_new (NULL);

  while (p->now.is != THE_END && !is_word (&p->now, ";") && !is_word (&p->now, "}") && value->len < 1000) {
    g_string_append_len (value, p->now.text, (gssize) p->now.n);
    next_token (p);
  }
  p->odd |= !take (p, ";");
  return g_string_free (value, FALSE);
}

static bool
is_power_of_two (uint64_t n)
{
  return n > 0 && (n & (n - 1)) == 0;
}

static uint32_t
layout_number_in (Parser *p, const char *value, uint64_t most)
{
  char *rest;
  uint64_t n = g_ascii_strtoull (value, &rest, 0);

  p->odd |= rest == value || *rest || n > most;
  return p->odd ? 0 : (uint32_t) n;
}

static bool
order_in (Parser *p, const char *value)
{
  if (strcmp (value, "be") == 0 || strcmp (value, "network") == 0)
    return true;
  if (strcmp (value, "native") == 0)
    return p->big;
  p->odd |= strcmp (value, "le") != 0;
  return false;
}

static bool
yes_in (Parser *p, const char *value)
{
  bool yes = strcmp (value, "true") == 0 || strcmp (value, "TRUE") == 0 || strcmp (value, "1") == 0;

  p->odd |= !yes && strcmp (value, "false") != 0 && strcmp (value, "FALSE") != 0 && strcmp (value, "0") != 0;
  return yes;
}

static bool
letters_in (Parser *p, const char *value)
{
  bool letters = g_ascii_strcasecmp (value, "UTF8") == 0 || g_ascii_strcasecmp (value, "UTF-8") == 0
                 || g_ascii_strcasecmp (value, "ASCII") == 0;

  p->odd |= !letters && g_ascii_strcasecmp (value, "none") != 0;
  return letters;
}

typedef struct Scalar {
  uint32_t size, align, exponent, mantissa;
} Scalar;

static void
take_property (Parser *p, Node *n, Scalar *s)
{
  g_autofree char *key = p->now.is == WORD ? g_strndup (p->now.text, p->now.n) : NULL;

  next_token (p);
  if (!key || !layout_expect (p, "=")) {
    p->odd = true;
    return;
  }
  g_autofree char *value = take_value (p);
  if (strcmp (key, "align") == 0)
    s->align = layout_number_in (p, value, 1 << 20);
  else if (strcmp (key, "byte_order") == 0)
    n->big = order_in (p, value);
  else if (n->is == NODE_INT && strcmp (key, "size") == 0)
    s->size = layout_number_in (p, value, 64);
  else if (n->is == NODE_INT && strcmp (key, "signed") == 0)
    n->has_sign = yes_in (p, value);
  else if (n->is == NODE_INT && strcmp (key, "encoding") == 0)
    n->is_letter = letters_in (p, value);
  else if (n->is == NODE_INT && strcmp (key, "map") == 0)
    n->clock = true;
  else if (n->is == NODE_REAL && strcmp (key, "exp_dig") == 0)
    s->exponent = layout_number_in (p, value, 64);
  else if (n->is == NODE_REAL && strcmp (key, "mant_dig") == 0)
    s->mantissa = layout_number_in (p, value, 64);
  else
    p->odd |= n->is != NODE_INT || strcmp (key, "base") != 0; /* how it is shown is what the library tells */
}

static Node *
parse_number (Parser *p, NodeIs is)
{
  Node *n = layout_new_node (p, is);
  Scalar s = { 0 };

  n->big = p->big;
  layout_expect (p, "{");
  while (!p->odd && !take (p, "}"))
    take_property (p, n, &s);
  if (is == NODE_REAL) {
    bool is_known = (s.exponent == 8 && s.mantissa == 24) || (s.exponent == 11 && s.mantissa == 53);
    p->odd |= !is_known;
    s.size = s.exponent + s.mantissa;
  }
  n->size = s.size;
  n->align = s.align > 0 ? s.align : s.size % 8 == 0 ? 8 : 1;
  n->shortest = n->size;
  p->odd |= n->size == 0 || !is_power_of_two (n->align);
  return n;
}

static Node *
parse_text (Parser *p)
{
  Node *n = layout_new_node (p, NODE_TEXT);

  n->align = n->shortest = 8;
  if (take (p, "{")) {
    while (!p->odd && !take (p, "}")) {
      p->odd |= !take (p, "encoding") || !layout_expect (p, "=");
      g_autofree char *value = take_value (p);
      letters_in (p, value);
    }
  }
  return n;
}

/* A name behind struct, enum or variant: of a type that is told here, or was before. */
static char *
take_name (Parser *p, const char *word)
{
  char *name = NULL;

  if (p->now.is == WORD) {
    name = g_strdup_printf ("%s %.*s", word, (int) p->now.n, p->now.text);
    next_token (p);
  }
  return name;
}

static uint32_t
member_called (const GArray *members, const char *name)
{
  for (guint i = 0; i < members->len; i++)
    if (strcmp (g_array_index (members, NodeMember, i).name, name) == 0)
      return i;
  return NODE_NO_REF;
}

/* [NUMBER] or [FIELD] behind the name of a member. */
static Node *
parse_length (Parser *p, Node *element)
{
  if (!take (p, "["))
    return element;
  bool fixed = p->now.is == NUMBER;
  Node *n = layout_new_node (p, fixed ? NODE_ARRAY : NODE_SEQUENCE);
  n->element = element;
  n->align = element ? element->align : 1;
  if (fixed)
    n->length = p->now.number;
  else
    n->named = keep_text (p, &p->now);
  p->odd |= (!fixed && p->now.is != WORD) || !element || element->shortest == 0;
  next_token (p);
  layout_expect (p, "]");
  p->odd |= is_word (&p->now, "["); /* one more dimension */
  if (!p->odd && fixed && __builtin_mul_overflow (n->length, element->shortest, &n->shortest))
    p->odd = true;
  return n;
}

static void
parse_member (Parser *p, Names *names, GArray *members)
{
  Node *type = parse_type (p, names);
  bool first = true;

  do {
    Token name = p->now;
    p->odd |= name.is != WORD;
    next_token (p);
    Node *n = p->odd ? NULL : parse_length (p, first ? type : copy_node (p, type));
    if (p->odd)
      return;
    NodeMember m = { .name = keep_text (p, &name), .node = n };
    p->odd |= members->len >= MOST_MEMBERS || member_called (members, m.name) != NODE_NO_REF;
    if (n->named) {
      n->ref = member_called (members, n->named);
      p->odd |= n->ref == NODE_NO_REF || g_array_index (members, NodeMember, n->ref).node->is != NODE_INT;
      n->named = NULL;
    }
    g_array_append_val (members, m);
    first = false;
  } while (take (p, ","));
  layout_expect (p, ";");
}

static void
parse_members (Parser *p, Names *outer, Node *n)
{
  g_autoptr (GArray) members = g_array_new (FALSE, TRUE, sizeof (NodeMember));
  Names names = names_below (outer);

  while (!p->odd && !take (p, "}"))
    if (!parse_named (p, &names))
      parse_member (p, &names, members);
  g_hash_table_unref (names.types);
  n->n_members = members->len;
  n->members = keep_members (p, members);
}

/* struct or variant: told here, or by its name. */
static Node *
parse_compound (Parser *p, Names *names, NodeIs is)
{
  const char *word = is == NODE_STRUCT ? "struct" : "variant";
  g_autofree char *name = take_name (p, word);
  const char *tag = NULL;
  Node *n;

  if (is == NODE_VARIANT && take (p, "<")) {
    tag = keep_text (p, &p->now);
    p->odd |= p->now.is != WORD;
    next_token (p);
    layout_expect (p, ">");
  }
  if (take (p, "{")) {
    n = layout_new_node (p, is);
    parse_members (p, names, n);
    if (is == NODE_STRUCT && take (p, "align")) {
      layout_expect (p, "(");
      n->align = (uint32_t) MIN (p->now.number, 1 << 20);
      p->odd |= p->now.is != NUMBER || !is_power_of_two (n->align);
      next_token (p);
      layout_expect (p, ")");
    }
    for (uint32_t i = 0; is == NODE_STRUCT && i < n->n_members && !p->odd; i++) {
      n->align = MAX (n->align, n->members[i].node->align);
      n->shortest += MIN (n->members[i].node->shortest, UINT32_MAX);
    }
    if (name)
      name_type (p, names, g_strdup (name), n);
    n = name ? copy_node (p, n) : n;
  } else {
    n = name ? copy_node (p, layout_find_type (names, name)) : NULL;
  }
  p->odd |= !n;
  if (!p->odd && tag)
    n->named = tag;
  return n;
}

static int64_t
take_signed (Parser *p)
{
  bool minus = take (p, "-");
  int64_t v = (int64_t) (minus ? -p->now.number : p->now.number);

  if (!minus)
    take (p, "+");
  p->odd |= p->now.is != NUMBER;
  next_token (p);
  return v;
}

static Node *
parse_enumeration (Parser *p, Names *names)
{
  g_autofree char *name = take_name (p, "enum");
  Node *n = NULL;
  int64_t next = 0;

  if (take (p, ":"))
    n = parse_type (p, names);
  else if (is_word (&p->now, "{"))
    n = copy_node (p, layout_find_type (names, "int"));
  if (!is_word (&p->now, "{"))
    return name && !n ? copy_node (p, layout_find_type (names, name)) : NULL;
  layout_expect (p, "{");
  if (p->odd || !n || n->is != NODE_INT || n->is_enum) {
    p->odd = true;
    return NULL;
  }
  n->is_enum = true;
  n->is_letter = false;
  n->ranges = g_array_new (FALSE, FALSE, sizeof (NodeRange));
  g_ptr_array_add (p->to->ranges, n->ranges);
  while (!p->odd && !take (p, "}")) {
    NodeRange r = { .label = keep_text (p, &p->now), .low = next, .high = next };
    p->odd |= p->now.is != WORD && p->now.is != QUOTED;
    next_token (p);
    if (take (p, "=")) {
      r.low = r.high = take_signed (p);
      if (take (p, "..."))
        r.high = take_signed (p);
    }
    next = (int64_t) ((uint64_t) r.high + 1);
    g_array_append_val (n->ranges, r);
    if (!take (p, ",") && !is_word (&p->now, "}"))
      p->odd = true;
  }
  if (name)
    name_type (p, names, g_strdup (name), n);
  return name ? copy_node (p, n) : n;
}

/* Types of C have several words. */
static char *
layout_take_words (Parser *p)
{
  static const char *const words[] = {
    "unsigned", "signed", "long", "int", "short", "char", "float", "double", "_Bool"
  };
  GString *name = g_string_new (NULL);
  bool more = true;

  while (more && p->now.is == WORD) {
    bool is_c = false;
    for (size_t i = 0; i < G_N_ELEMENTS (words); i++)
      is_c = is_c || is_word (&p->now, words[i]);
    if (!is_c && name->len > 0)
      break;
    more = is_c;
    g_string_append_printf (name, "%s%.*s", name->len > 0 ? " " : "", (int) p->now.n, p->now.text);
    next_token (p);
  }
  return g_string_free (name, FALSE);
}

static Node *
parse_type (Parser *p, Names *names)
{
  Node *n = NULL;

  if (++p->inside > MOST_INSIDE)
    p->odd = true;
  if (p->odd)
    n = NULL;
  else if (take (p, "integer"))
    n = parse_number (p, NODE_INT);
  else if (take (p, "floating_point"))
    n = parse_number (p, NODE_REAL);
  else if (take (p, "string"))
    n = parse_text (p);
  else if (take (p, "struct"))
    n = parse_compound (p, names, NODE_STRUCT);
  else if (take (p, "variant"))
    n = parse_compound (p, names, NODE_VARIANT);
  else if (take (p, "enum"))
    n = parse_enumeration (p, names);
  else {
    g_autofree char *name = layout_take_words (p);
    n = copy_node (p, layout_find_type (names, name));
  }
  p->inside--;
  p->odd |= !n;
  return p->odd ? NULL : n;
}

/* typealias TYPE := NAME; typedef TYPE NAME; struct NAME { ... }; and alike, which only give a name.  False: it is
 * none.
 */
static bool
parse_named (Parser *p, Names *names)
{
  const Parser was = *p;

  if (take (p, "typealias")) {
    Node *n = parse_type (p, names);
    layout_expect (p, ":=");
    name_type (p, names, layout_take_words (p), n);
    return layout_expect (p, ";");
  }
  if (take (p, "typedef")) {
    Node *n = parse_type (p, names);
    name_type (p, names, layout_take_words (p), n);
    return layout_expect (p, ";");
  }
  if (is_word (&p->now, "struct") || is_word (&p->now, "variant") || is_word (&p->now, "enum")) {
    next_token (p);
    bool has_name = p->now.is == WORD;
    if (has_name)
      next_token (p);
    bool is_told = has_name && (is_word (&p->now, "{") || is_word (&p->now, ":"));
    p->at = was.at;
    p->now = was.now;
    if (!is_told)
      return false;
    parse_type (p, names);
    return layout_expect (p, ";"); /* a member of that type, here at once, is left to the library */
  }
  return false;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------------- */

/* What stands in the braces of trace, stream and event. */
typedef struct Block {
  GHashTable *values; /* key -> text */
  GHashTable *types;  /* key -> Node */
} Block;

static char *
take_key (Parser *p)
{
  GString *key = g_string_new (NULL);

  while (p->now.is != THE_END && !is_word (&p->now, "=") && !is_word (&p->now, ":=") && key->len < 200) {
    p->odd |= p->now.is != WORD && !is_word (&p->now, ".");
    g_string_append_len (key, p->now.text, (gssize) p->now.n);
    next_token (p);
  }
  return g_string_free (key, FALSE);
}

static void
parse_block (Parser *p, Names *outer, Block *to)
{
  Names names = names_below (outer);

  to->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  to->types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  layout_expect (p, "{");
  while (!p->odd && !take (p, "}")) {
    if (parse_named (p, &names))
      continue;
    char *key = take_key (p);
    if (take (p, ":=")) {
      Node *n = parse_type (p, &names);
      p->odd |= !n || n->is != NODE_STRUCT || g_hash_table_contains (to->types, key);
      g_hash_table_replace (to->types, key, n);
      layout_expect (p, ";");
    } else {
      layout_expect (p, "=");
      p->odd |= g_hash_table_contains (to->values, key);
      g_hash_table_replace (to->values, key, take_value (p));
    }
  }
  take (p, ";");
  g_hash_table_unref (names.types);
}

static void
layout_end_block (Block *b)
{
  g_hash_table_unref (b->values);
  g_hash_table_unref (b->types);
}

static uint64_t
id_in (Parser *p, const Block *b, const char *key)
{
  const char *value = g_hash_table_lookup (b->values, key);
  char *rest = NULL;
  uint64_t id = value ? g_ascii_strtoull (value, &rest, 0) : 0;

  p->odd |= value && (rest == value || *rest);
  return id;
}

static void
free_layout_stream (void *p)
{
  LayoutStream *s = p;

  g_hash_table_unref (s->events);
  g_free (s);
}

static void
layout_add_stream (Parser *p, const Block *b)
{
  LayoutStream *s = g_new0 (LayoutStream, 1);

  s->id = id_in (p, b, "id");
  s->packet = g_hash_table_lookup (b->types, "packet.context");
  s->header = g_hash_table_lookup (b->types, "event.header");
  s->context = g_hash_table_lookup (b->types, "event.context");
  s->events = g_hash_table_new (g_int64_hash, g_int64_equal);
  p->odd |= g_hash_table_contains (p->to->streams, &s->id);
  g_hash_table_replace (p->to->streams, &s->id, s);
}

static void
layout_add_event (Parser *p, const Block *b)
{
  LayoutEvent *e = g_new0 (LayoutEvent, 1);

  g_ptr_array_add (p->to->kept, e);
  e->id = id_in (p, b, "id");
  e->stream = id_in (p, b, "stream_id");
  e->context = g_hash_table_lookup (b->types, "context");
  e->fields = g_hash_table_lookup (b->types, "fields");
  g_ptr_array_add (p->events, e);
}

/* env, clock and callsite say nothing of how something lies. */
static void
skip_block (Parser *p)
{
  int depth = 0;

  do {
    depth += is_word (&p->now, "{") ? 1 : is_word (&p->now, "}") ? -1 : 0;
    next_token (p);
  } while (depth > 0 && p->now.is != THE_END);
  p->odd |= depth != 0;
  take (p, ";");
}

static void
parse_top (Parser *p, Names *names)
{
  Block b = { NULL, NULL };

  if (take (p, "trace")) {
    parse_block (p, names, &b);
    p->odd |= p->to->packet_header != NULL;
    p->to->packet_header = g_hash_table_lookup (b.types, "packet.header");
  } else if (take (p, "stream")) {
    parse_block (p, names, &b);
    layout_add_stream (p, &b);
  } else if (take (p, "event")) {
    parse_block (p, names, &b);
    layout_add_event (p, &b);
  } else if (take (p, "env") || take (p, "clock") || take (p, "callsite")) {
    skip_block (p);
  } else if (!take (p, ";") && !parse_named (p, names)) {
    p->odd = true;
  }
  if (b.values)
    layout_end_block (&b);
}

/* The byte order of the trace is told in its block, which types that have no other may stand before. */
static void
find_order (Parser *p)
{
  const char *from = p->at;
  int depth = 0;
  bool in_trace = false, found = false;

  for (next_token (p); p->now.is != THE_END && !found; next_token (p)) {
    if (depth == 0 && is_word (&p->now, "trace"))
      in_trace = true;
    depth += is_word (&p->now, "{") ? 1 : is_word (&p->now, "}") ? -1 : 0;
    if (in_trace && depth == 1 && is_word (&p->now, "byte_order")) {
      next_token (p);
      next_token (p);
      p->big = is_word (&p->now, "be") || is_word (&p->now, "network");
      p->odd |= !p->big && !is_word (&p->now, "le");
      found = true;
    }
  }
  p->odd |= !found;
  p->at = from;
  next_token (p);
}

/* Events may be told before their stream. */
static void
put_events (Parser *p)
{
  for (guint i = 0; i < p->events->len; i++) {
    LayoutEvent *e = p->events->pdata[i];
    LayoutStream *s = g_hash_table_lookup (p->to->streams, &e->stream);
    p->odd |= !s || g_hash_table_contains (s->events, &e->id);
    if (s)
      g_hash_table_insert (s->events, &e->id, e);
  }
}

bool
layout_is_light (const char *folder, uint64_t *most)
{
  g_autoptr (GString) text = ctf_metadata_text (folder);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (uint64_t)); /* of each brace, what stands in it so far */
  Parser p = { .at = text->str, .end = text->str + text->len };
  uint64_t pairs = 0, none = 0;
  bool unended = false;

  *most = 0;
  for (next_token (&p); p.now.is != THE_END; p.odd = false, next_token (&p)) {
    uint64_t *n = open->len > 0 ? &g_array_index (open, uint64_t, open->len - 1) : NULL;
    if (is_word (&p.now, "{")) {
      g_array_append_val (open, none);
    } else if (n && is_word (&p.now, "}")) {
      *most = MAX (*most, *n + unended);
      g_array_set_size (open, open->len - 1);
    } else if (n && (is_word (&p.now, ";") || is_word (&p.now, ","))) {
      pairs += (*n)++;
    }
    unended = p.now.is != SIGN || is_word (&p.now, "}"); /* the last label needs no comma */
  }
  return pairs <= MOST_PAIRS;
}

Layout *
layout_read (const char *folder)
{
  g_autoptr (GString) text = ctf_metadata_text (folder);
  Layout *l = g_new0 (Layout, 1);

  l->streams = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_layout_stream);
  l->kept = g_ptr_array_new_with_free_func (g_free);
  l->ranges = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  l->texts = g_string_chunk_new (4096);
  g_autoptr (GPtrArray) events = g_ptr_array_new ();
  Parser p = { .to = l, .at = text->str, .end = text->str + text->len, .events = events };
  Names names = names_below (NULL);
  p.odd = memchr (text->str, '\0', text->len) != NULL;
  find_order (&p);
  while (!p.odd && p.now.is != THE_END)
    parse_top (&p, &names);
  g_hash_table_unref (names.types);
  put_events (&p);
  if (p.odd) {
    layout_free (l);
    return NULL;
  }
  return l;
}

void
layout_free (Layout *l)
{
  g_hash_table_unref (l->streams);
  g_ptr_array_unref (l->kept);
  g_ptr_array_unref (l->ranges);
  g_string_chunk_free (l->texts);
  g_free (l);
}
