/* SPDX-License-Identifier: Apache-2.0 */
/* types.c - types of blocks, from what the compiler noted of the program (scope-cmt, docs/heap-types.md): those of the
 * values of modules are known, and what a typed block refers to has the type of that field.
 *
 * A block gets the type by which it is reached first.  One that does not look as its type says, by tag or size, gets
 * none, and neither does what it refers to.  Nothing in the file is believed. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/heap/private.h"

#define MOST_BYTES (64 * DISK_MIB)
#define MOST_TYPES 1000000u
#define MOST_TERMS 500000u
#define MOST_ARGS 255u
#define MOST_DEPTH 24u       /* of what stands inside of each other in a term */
#define MOST_NAME 200u       /* bytes of the name of a class */
#define MOST_FIELDS 4000000u /* of all types */
#define MOST_NODES 1000u     /* of one term of the file */
#define MOST_FORMS 246u      /* constructors of a type with arguments: each has a tag of its own */
#define UNKNOWN 0u           /* the term of which nothing is known */

typedef enum { TERM_UNKNOWN, TERM_PARAM, TERM_FUNCTION, TERM_TUPLE, TERM_TYPE } TermKind;
/* "(int, string) Hashtbl.t"; one that says the same is there once. */
typedef struct Term {
  uint8_t kind, depth;
  uint32_t number;   /* of a parameter, or a type */
  uint32_t first, n; /* of `args` */
} Term;

typedef enum {
  TYPE_ABSTRACT,
  TYPE_IMMEDIATE,
  TYPE_PLAIN,
  TYPE_ARRAY,
  TYPE_LAZY,
  TYPE_ALIAS,
  TYPE_RECORD,
  TYPE_VARIANT
} TypeKind;
static const char *const type_kinds[] = { "abstract", "immediate", "plain",   "array", "lazy",
                                          "alias",    "record",    "variant", NULL };

typedef struct Form { /* fields of a record, or of one constructor */
  uint32_t tag;
  char *name;     /* of the constructor, or NULL */
  GArray *fields; /* of uint32_t: terms */
} Form;

typedef struct Type {
  char *name;
  TypeKind kind;
  uint32_t is;   /* of an alias: a term */
  GArray *forms; /* of Form */
} Type;

typedef struct Module {
  GArray *fields; /* of uint32_t: terms, by field */
} Module;

/* How blocks of a term with a tag lie. */
typedef struct Shape {
  uint32_t class;   /* or TRACE_NONE: as the runtime says */
  bool fits, same;  /* it can be such a block; all its fields are of one term */
  uint32_t n;       /* fields, unless `same` */
  uint32_t *fields; /* terms; NULL where there are more than FIELDS_KEPT: field_of() finds each when it is met */
  uint32_t term;
  const Form *form;
} Shape;
#define FIELDS_KEPT 64

typedef struct Types {
  HeapGraph *h;
  GArray *terms, *args; /* of Term, uint32_t */
  GHashTable *places;   /* of a term's number + 1, by what it says */
  GArray *types;        /* of Type */
  GHashTable *modules;  /* "Stdlib__List" -> Module */
  GHashTable *closures; /* "LINE CHARACTER FILE" of a function -> Module: what it keeps */
  GHashTable *shapes;   /* term << 8 | tag -> Shape */
  GHashTable *classes;  /* name -> class + 1 */
  uint32_t n_fields;
  /* of which file it is, and what was wrong with that; shapes and classes are of one graph alone */
  char *path;
  GStatBuf is;
  GPtrArray *damage; /* of char * */
} Types;

/* ---- terms ---------------------------------------------------------------------------------------------------------------- */

static inline const Term *
term_at (const Types *t, uint32_t i)
{
  return &g_array_index (t->terms, Term, i);
}

static inline uint32_t
arg_at (const Types *t, const Term *term, uint32_t i)
{
  return g_array_index (t->args, uint32_t, term->first + i);
}

static uint32_t
add_term (Types *t, TermKind kind, uint32_t number, const uint32_t *args, uint32_t n)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  const uint32_t head[] = { kind, number };
  uint8_t depth = 0;

  for (uint32_t i = 0; i < n; i++)
    depth = MAX (depth, term_at (t, args[i])->depth);
  if (kind == TERM_UNKNOWN || depth >= MOST_DEPTH || t->terms->len >= MOST_TERMS)
    return UNKNOWN;
  g_byte_array_append (key, (const guint8 *) head, sizeof head);
  g_byte_array_append (key, (const guint8 *) args, n * (guint) sizeof *args);
  GBytes *says = g_bytes_new (key->data, key->len);
  gpointer found = g_hash_table_lookup (t->places, says);
  if (found) {
    g_bytes_unref (says);
    return GPOINTER_TO_UINT (found) - 1;
  }
  Term term = { .kind = (uint8_t) kind, .depth = depth + 1, .number = number, .first = t->args->len, .n = n };
  g_array_append_vals (t->args, args, n);
  g_array_append_val (t->terms, term);
  g_hash_table_insert (t->places, says, GUINT_TO_POINTER (t->terms->len));
  return t->terms->len - 1;
}

/* A term with these in the place of its parameters. */
static uint32_t
put_in (Types *t, uint32_t i, const uint32_t *params, uint32_t n)
{
  const Term term = *term_at (t, i);
  uint32_t args[MOST_ARGS];

  if (term.kind == TERM_PARAM)
    return term.number < n ? params[term.number] : UNKNOWN;
  if (term.n == 0)
    return i;
  for (uint32_t k = 0; k < term.n; k++)
    args[k] = put_in (t, arg_at (t, &term, k), params, n); /* at most MOST_DEPTH deep */
  return add_term (t, term.kind, term.number, args, term.n);
}

static const Type *
heap_types_of_term (const Types *t, const Term *term)
{
  return term->kind == TERM_TYPE && term->number < t->types->len ? &g_array_index (t->types, Type, term->number) : NULL;
}

static uint32_t
put_args (Types *t, uint32_t i, const Term *of)
{
  uint32_t args[MOST_ARGS];

  for (uint32_t k = 0; k < of->n; k++)
    args[k] = arg_at (t, of, k);
  return put_in (t, i, args, of->n);
}

/* What it is another name for. */
static uint32_t
heap_types_look_through (Types *t, uint32_t i)
{
  for (int n = 0; n < 32; n++) {
    const Term term = *term_at (t, i);
    const Type *type = heap_types_of_term (t, &term);
    if (!type || type->kind != TYPE_ALIAS)
      return i;
    i = put_args (t, type->is, &term);
  }
  return UNKNOWN;
}

static void
write_term (const Types *t, uint32_t i, GString *to)
{
  const Term *term = term_at (t, i);
  const Type *type = heap_types_of_term (t, term);

  if (to->len > MOST_NAME) {
    if (!g_str_has_suffix (to->str, "\u2026"))
      g_string_append (to, "\u2026");
    return;
  }
  if (term->kind == TERM_TUPLE) {
    for (uint32_t k = 0; k < term->n; k++) {
      bool inner = term_at (t, arg_at (t, term, k))->kind == TERM_TUPLE;
      g_string_append (to, k > 0 ? inner ? " * (" : " * " : inner ? "(" : "");
      write_term (t, arg_at (t, term, k), to);
      g_string_append (to, inner ? ")" : "");
    }
  } else if (type) {
    bool around = term->n > 1 || (term->n == 1 && term_at (t, arg_at (t, term, 0))->kind == TERM_TUPLE);
    g_string_append (to, around ? "(" : "");
    for (uint32_t k = 0; k < term->n; k++) {
      g_string_append (to, k > 0 ? ", " : "");
      write_term (t, arg_at (t, term, k), to);
    }
    g_string_append (to, around ? ") " : term->n > 0 ? " " : "");
    g_string_append (to, type->name);
  } else {
    g_string_append (to, term->kind == TERM_FUNCTION ? "function" : "?");
  }
}

/* ---- the file -------------------------------------------------------------------------------------------------------------- */

static char *
heap_types_next_word (char **at)
{
  char *word = *at, *end = word + strcspn (word, " ");

  *at = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

static bool
get_whole (char **at, uint32_t most, uint32_t *v)
{
  const char *word = heap_types_next_word (at);
  uint64_t n;

  if (!g_ascii_string_to_unsigned (word, 10, 0, most, &n, NULL))
    return false;
  *v = (uint32_t) n;
  return true;
}

/* `?`, `>`, `$PARAMETER`, `* N TERM...`, `@ TYPE N TERM...` */
static bool
get_term (Types *t, char **at, uint32_t deep, uint32_t *nodes, uint32_t *term)
{
  const char *word = heap_types_next_word (at);
  uint32_t number = 0, n = 0, args[MOST_ARGS];
  TermKind kind = *word == '>'   ? TERM_FUNCTION
                  : *word == '$' ? TERM_PARAM
                  : *word == '*' ? TERM_TUPLE
                  : *word == '@' ? TERM_TYPE
                                 : TERM_UNKNOWN;

  if (kind == TERM_UNKNOWN && *word != '?')
    return false;
  if (kind == TERM_PARAM)
    number = (uint32_t) g_ascii_strtoull (word + 1, NULL, 10);
  if (deep > MOST_DEPTH || ++*nodes > MOST_NODES || (kind == TERM_TYPE && !get_whole (at, MOST_TYPES - 1, &number))
      || (kind >= TERM_TUPLE && !get_whole (at, MOST_ARGS, &n)))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!get_term (t, at, deep + 1, nodes, &args[i]))
      return false;
  *term = add_term (t, kind, number, args, n);
  return true;
}

static void
clear_form (gpointer form)
{
  g_free (((Form *) form)->name);
  g_array_unref (((Form *) form)->fields);
}

static void
clear_type (gpointer type)
{
  g_free (((Type *) type)->name);
  g_array_unref (((Type *) type)->forms);
}

static GArray *
new_forms (void)
{
  GArray *forms = g_array_new (FALSE, TRUE, sizeof (Form));

  g_array_set_clear_func (forms, clear_form);
  return forms;
}

static void
free_module (gpointer module)
{
  g_array_unref (((Module *) module)->fields);
  g_free (module);
}

static bool
heap_types_put_field (Types *t, GArray *fields, uint32_t i, uint32_t term)
{
  const uint32_t unknown = UNKNOWN;

  if (i >= fields->len && (t->n_fields += i + 1 - fields->len) > MOST_FIELDS)
    return false;
  while (fields->len < i)
    g_array_append_val (fields, unknown);
  if (fields->len == i)
    g_array_append_val (fields, term);
  return true;
}

typedef struct Parsing {
  Types *t;
  Type *type; /* that lines are of */
  Module *module;
} Parsing;

static char *
short_name (const char *text)
{
  return g_utf8_make_valid (text, (gssize) strnlen (text, MOST_NAME));
}

static bool
get_type (Parsing *p, char *at)
{
  Types *t = p->t;
  uint32_t number, arity, kind = 0;

  p->module = NULL;
  p->type = NULL;
  if (!get_whole (&at, MOST_TYPES - 1, &number) || !get_whole (&at, MOST_ARGS, &arity))
    return false;
  const char *is = heap_types_next_word (&at);
  while (type_kinds[kind] && strcmp (type_kinds[kind], is) != 0)
    kind++;
  if (!type_kinds[kind] || *at == '\0' || number > t->types->len)
    return false;
  if (number < t->types->len)
    clear_type (&g_array_index (t->types, Type, number));
  else
    g_array_set_size (t->types, number + 1);
  p->type = &g_array_index (t->types, Type, number);
  *p->type = (Type){ .name = short_name (at), .kind = (TypeKind) kind, .forms = new_forms () };
  if (kind == TYPE_RECORD)
    g_array_append_val (p->type->forms, ((Form){ .fields = g_array_new (FALSE, FALSE, sizeof (uint32_t)) }));
  return true;
}

/* False: the line makes no sense. */
static bool
heap_types_get_line (Parsing *p, char *at)
{
  const char *what = heap_types_next_word (&at);
  uint32_t i, term, nodes = 0;

  if (strcmp (what, "type") == 0)
    return get_type (p, at);
  if (strcmp (what, "unit") == 0) {
    p->type = NULL;
    p->module = g_new (Module, 1);
    *p->module = (Module){ g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
    g_hash_table_replace (p->t->modules, g_strdup (at), p->module);
    return *at != '\0';
  }
  if (strcmp (what, "closure") == 0) {
    p->type = NULL;
    p->module = g_new (Module, 1);
    *p->module = (Module){ g_array_new (FALSE, FALSE, sizeof (uint32_t)) };
    g_hash_table_replace (p->t->closures, g_strdup (at), p->module);
    return *at != '\0';
  }
  if (strcmp (what, "is") == 0)
    return p->type && p->type->kind == TYPE_ALIAS && get_term (p->t, &at, 0, &nodes, &p->type->is);
  if (strcmp (what, "block") == 0) {
    if (!p->type || p->type->kind != TYPE_VARIANT || p->type->forms->len >= MOST_FORMS || !get_whole (&at, 245, &i))
      return false;
    g_array_append_val (
        p->type->forms,
        ((Form){ .tag = i, .name = short_name (at), .fields = g_array_new (FALSE, FALSE, sizeof (uint32_t)) }));
    return true;
  }
  GArray *fields = strcmp (what, "at") == 0 && p->module ? p->module->fields
                   : strcmp (what, "field") == 0 && p->type && p->type->forms->len > 0
                       ? g_array_index (p->type->forms, Form, p->type->forms->len - 1).fields
                       : NULL;
  if (!fields || !get_whole (&at, UINT16_MAX, &i) || !get_term (p->t, &at, 0, &nodes, &term))
    return false;
  return heap_types_put_field (p->t, fields, i, term);
}

static bool
heap_types_parse (Types *t, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_path_get_dirname (path), *text = disk_read (path, folder, MOST_BYTES, NULL, &error);
  Parsing p = { .t = t };
  uint64_t number = 1, bad = 0, first_bad = 0;

  if (!text) {
    heap_damaged (t->h, _ ("types are not known: %s"), error->message);
    return false;
  }
  if (!g_str_has_prefix (text, "scope-types 1\n")) {
    heap_damaged (t->h, _ ("%s is no file of types: scope-cmt writes them"), path);
    return false;
  }
  for (char *line = strchr (text, '\n') + 1; *line; number++) {
    char *end = line + strcspn (line, "\n"), *next = *end ? end + 1 : end;
    *end = '\0';
    if (*line && !heap_types_get_line (&p, line)) {
      first_bad = bad++ == 0 ? number + 1 : first_bad;
      p.type = NULL; /* what follows would be of something else */
      p.module = NULL;
    }
    line = next;
  }
  if (bad > 0)
    heap_damaged (t->h, _ ("%s, line %" PRIu64 ": it makes no sense, as %" PRIu64 " in all; they are left out"), path,
                  first_bad, bad);
  return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------------ */

static void
free_shape (gpointer shape)
{
  g_free (((Shape *) shape)->fields);
  g_free (shape);
}

static uint32_t
class_called (Types *t, uint32_t term, const char *constructor)
{
  g_autoptr (GString) name = g_string_new (NULL);

  write_term (t, term, name);
  if (constructor)
    g_string_append_printf (name, ", %s", constructor);
  gpointer found = g_hash_table_lookup (t->classes, name->str);
  if (!found) {
    found = GUINT_TO_POINTER (heap_class_add (t->h, g_strdup (name->str), HEAP_INFERRED) + 1);
    g_hash_table_insert (t->classes, g_strdup (name->str), found);
  }
  return GPOINTER_TO_UINT (found) - 1;
}

/* `i` is looked through already. */
static Shape *
make_shape (Types *t, uint32_t i, unsigned tag)
{
  const Term term = *term_at (t, i);
  const Type *type = heap_types_of_term (t, &term);
  Shape *s = g_new0 (Shape, 1);
  const Form *form = NULL;

  s->class = TRACE_NONE;
  if (term.kind == TERM_TUPLE) {
    s->fits = tag == 0;
    s->n = term.n;
    s->fields = g_new (uint32_t, MAX (s->n, 1));
    for (uint32_t k = 0; k < s->n; k++)
      s->fields[k] = arg_at (t, &term, k);
  } else if (type && type->kind == TYPE_ARRAY && term.n == 1) {
    s->fits = tag == 0;
    s->same = true;
    s->fields = g_new (uint32_t, 1);
    s->fields[0] = arg_at (t, &term, 0);
  } else if (type && (type->kind == TYPE_RECORD || type->kind == TYPE_VARIANT)) {
    for (guint k = 0; k < type->forms->len && !form; k++)
      if (g_array_index (type->forms, Form, k).tag == tag)
        form = &g_array_index (type->forms, Form, k);
    s->fits = form != NULL;
    s->n = form ? form->fields->len : 0;
    s->term = i;
    s->form = form;
    s->fields = s->n <= FIELDS_KEPT ? g_new (uint32_t, MAX (s->n, 1)) : NULL;
    for (uint32_t k = 0; k < s->n && s->fields; k++)
      s->fields[k] = put_args (t, g_array_index (form->fields, uint32_t, k), &term);
  }
  if (s->fits)
    s->class = class_called (t, i, form ? form->name : NULL);
  return s;
}

/* Of a block with many fields, in many instances, those that refer to something are few. */
static uint32_t
heap_types_field_of (Types *t, const Shape *s, uint32_t k)
{
  if (s->same || s->fields)
    return s->fields[s->same ? 0 : k];
  const Term term = *term_at (t, s->term);
  return put_args (t, g_array_index (s->form->fields, uint32_t, k), &term);
}

static const Shape *
heap_types_shape_of (Types *t, uint32_t term, unsigned tag)
{
  uint64_t key = (uint64_t) term << 8 | tag;
  Shape *s = g_hash_table_lookup (t->shapes, &key);

  if (!s) {
    s = make_shape (t, heap_types_look_through (t, term), tag);
    g_hash_table_insert (t->shapes, g_memdup2 (&key, sizeof key), s);
  }
  return s;
}

typedef struct Typing {
  Types *t;
  const uint16_t *field; /* by reference: which of its block it is */
  uint32_t *term;        /* by block: its term, UNKNOWN: not met */
  uint32_t *queue;
  uint32_t n;
} Typing;

static inline void
heap_types_meet (Typing *y, uint32_t block, uint32_t term)
{
  if (term == UNKNOWN || y->term[block] != UNKNOWN || block >= y->t->h->n_blocks)
    return;
  y->term[block] = term;
  y->queue[y->n++] = block;
}

/* What is not known better than by its shape gets its class. */
static void
heap_types_spread (Typing *y, uint32_t block)
{
  HeapGraph *h = y->t->h;
  const HeapClass *is = &g_array_index (h->classes, HeapClass, h->class_of[block]);
  bool open = h->tag[block] < HEAP_TAG_LAZY && (is->sure == HEAP_UNKNOWN || is->sure == HEAP_GUESSED);

  if (!open)
    return;
  const Shape *s = heap_types_shape_of (y->t, y->term[block], h->tag[block]);
  if (!s->fits || (!s->same && h->words[block] != s->n + 1))
    return;
  if (s->class != TRACE_NONE)
    h->class_of[block] = s->class;
  for (uint32_t e = h->first[block]; e < h->first[block + 1]; e++)
    if (s->same || y->field[e] < s->n)
      heap_types_meet (y, h->to[e], heap_types_field_of (y->t, s, y->field[e]));
}

/* Values of modules: of the globals' blocks. */
static void
begin_at_modules (Typing *y)
{
  HeapGraph *h = y->t->h;

  for (uint32_t i = 0; i < h->n_roots; i++) {
    const HeapRoot *r = &h->roots[i];
    const char *symbol = r->symbol > 0 && r->symbol < h->symbols->len ? h->symbols->pdata[r->symbol] : NULL;
    if (r->category > HEAP_ROOT_DYNAMIC || !symbol || !g_str_has_prefix (symbol, "caml"))
      continue;
    const Module *m = g_hash_table_lookup (y->t->modules, symbol + strlen ("caml"));
    const HeapClass *is = &g_array_index (h->classes, HeapClass, h->class_of[r->block]);
    if (m && h->tag[r->block] == 0 && is->sure == HEAP_UNKNOWN) {
      g_autofree char *name = heap_module_name (symbol);
      h->class_of[r->block] = heap_class_add (h, g_strdup_printf ("module %s", name), HEAP_INFERRED);
    }
    for (uint32_t e = h->first[r->block]; m && e < h->first[r->block + 1]; e++)
      if (y->field[e] < m->fields->len)
        heap_types_meet (y, h->to[e], g_array_index (m->fields, uint32_t, y->field[e]));
  }
}

/* Words of a closure in front of what it keeps: its code, how many arguments it takes, and, of two and more, the code
 * of all of them at once. */
static bool
keeps_so_many (const HeapGraph *h, uint32_t block, uint32_t n)
{
  return h->words[block] == 1 + 2 + n || h->words[block] == 1 + 3 + n;
}

/* What closures keep.  Where one of a function was sampled, it is known where that function stands in the source, and
 * so what the compiler has noted of it. */
static void
begin_at_closures (Typing *y)
{
  HeapGraph *h = y->t->h;
  const HeapSites *s = h->sites;
  g_autoptr (GHashTable) of_class = g_hash_table_new (NULL, NULL); /* class -> Module; of no use: itself */

  for (guint i = 0; s && i < s->samples->len; i++) {
    const HeapSample *sample = &g_array_index (s->samples, HeapSample, i);
    const HeapFrame *f = heap_call (s, sample->stack, 0);
    if (h->tag[sample->block] != HEAP_TAG_CLOSURE || !f || !f->file)
      continue;
    g_autofree char *key = g_strdup_printf ("%u %u %s", f->line, f->from, f->file);
    Module *m = g_hash_table_lookup (y->t->closures, key);
    gpointer class = GUINT_TO_POINTER (h->class_of[sample->block] + 1), known = g_hash_table_lookup (of_class, class);
    if (!m || !keeps_so_many (h, sample->block, m->fields->len) || (known && known != m))
      g_hash_table_insert (of_class, class, of_class); /* two functions of one name, or not as it is written */
    else
      g_hash_table_insert (of_class, class, m);
  }
  for (uint32_t b = 0; g_hash_table_size (of_class) > 0 && b < h->n_blocks; b++) {
    const Module *m = h->tag[b] == HEAP_TAG_CLOSURE
                          ? g_hash_table_lookup (of_class, GUINT_TO_POINTER (h->class_of[b] + 1))
                          : NULL;
    if (!m || (gconstpointer) m == of_class || !keeps_so_many (h, b, m->fields->len))
      continue;
    for (uint32_t e = h->first[b]; e < h->first[b + 1]; e++)
      if (y->field[e] < m->fields->len)
        heap_types_meet (y, h->to[e], g_array_index (m->fields, uint32_t, y->field[e]));
  }
}

static bool
spread_all (Typing *y, uint32_t *next, const TraceProgress *progress, GError **error)
{
  for (; *next < y->n; ++*next) {
    heap_types_spread (y, y->queue[*next]);
    if ((*next & 0xffff) == 0xffff
        && heap_is_cancelled (progress, "types of blocks", (double) *next / y->t->h->n_blocks, error))
      return false;
  }
  return true;
}

static void
types_free (Types *t)
{
  if (!t)
    return;
  g_hash_table_unref (t->classes);
  g_hash_table_unref (t->shapes);
  g_hash_table_unref (t->modules);
  g_hash_table_unref (t->closures);
  g_array_unref (t->types);
  g_hash_table_unref (t->places);
  g_array_unref (t->args);
  g_array_unref (t->terms);
  g_ptr_array_unref (t->damage);
  g_free (t->path);
  g_free (t);
}

/* Types of a file; NULL: there are none, which is told of the graph. */
static Types *
types_read (HeapGraph *h, const char *path)
{
  Types *t = g_new0 (Types, 1);
  guint told = h->damage->len;

  t->h = h;
  t->path = g_strdup (path);
  t->terms = g_array_new (FALSE, FALSE, sizeof (Term));
  t->args = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  t->places = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  t->types = g_array_new (FALSE, TRUE, sizeof (Type));
  g_array_set_clear_func (t->types, clear_type);
  t->modules = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_module);
  t->closures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_module);
  t->shapes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, free_shape);
  t->classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  t->damage = g_ptr_array_new_with_free_func (g_free);
  g_array_append_val (t->terms, ((Term){ .kind = TERM_UNKNOWN }));
  if (g_stat (path, &t->is) != 0)
    memset (&t->is, 0, sizeof t->is);
  if (!heap_types_parse (t, path)) {
    types_free (t);
    return NULL;
  }
  for (guint i = told; i < h->damage->len; i++)
    g_ptr_array_add (t->damage, g_strdup (h->damage->pdata[i]));
  return t;
}

/* The types that were read last: those of one bundle are asked for with each of its snapshots. */
static GMutex kept_lock;
static Types *kept;

static bool
heap_types_is_same (const GStatBuf *a, const GStatBuf *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
         && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* For types_done(); NULL: there are none, which is told of the graph. */
static Types *
types_take (HeapGraph *h, const char *path)
{
  GStatBuf is;

  g_mutex_lock (&kept_lock);
  Types *t = g_steal_pointer (&kept);
  g_mutex_unlock (&kept_lock);
  if (t && g_str_equal (t->path, path) && g_stat (path, &is) == 0 && heap_types_is_same (&is, &t->is)) {
    t->h = h;
    for (guint i = 0; i < t->damage->len; i++)
      heap_damaged (h, "%s", (const char *) t->damage->pdata[i]);
    return t;
  }
  types_free (t);
  return types_read (h, path);
}

static void
types_done (Types *t)
{
  t->h = NULL;
  g_hash_table_remove_all (t->shapes);
  g_hash_table_remove_all (t->classes);
  g_mutex_lock (&kept_lock);
  Types *before = kept;
  kept = t;
  g_mutex_unlock (&kept_lock);
  types_free (before);
}

bool
heap_types_apply (HeapGraph *h, const char *path, const uint16_t *field, const TraceProgress *progress, GError **error)
{
  Typing y = { .field = field };
  bool ok = true, room = heap_room (&y.term, h->n_blocks, sizeof *y.term, NULL)
                         && heap_room (&y.queue, h->n_blocks, sizeof *y.queue, NULL);

  if (!room)
    heap_damaged (h, _ ("types are not known: there is not enough memory for them"));
  if (room && (y.t = types_take (h, path))) {
    uint32_t next = 0;
    begin_at_modules (&y);
    ok = spread_all (&y, &next, progress, error);
    begin_at_closures (&y);
    ok = ok && spread_all (&y, &next, progress, error);
    types_done (y.t);
  }
  g_free (y.term);
  g_free (y.queue);
  return ok;
}
