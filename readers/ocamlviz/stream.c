/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - messages in any pieces, and what they mean: tags become things of the recording, what is sent becomes
 * their values.  README.md says in which order they come, and why some of them wait. */
#include "readers/ocamlviz/decode.h"
#include "eve/words.h"

#define N_TAGS 65536
#define PAGE 256 /* tags: few programs have more */
#define MOST_GROUPS (1 << 18)
#define MOST_LINE 4096 /* bytes of a line of the log, for ovz_print() */
#define MOST_WAITING                                                                                                   \
  (8 << 20) /* bytes of messages that wait: for their declaration, or for the date of their batch                      \
             */

enum { DECLARE, SEND, BIND };

typedef struct Tag {
  bool declared, killed, collected, has_value, stopped;
  uint8_t kind;
  uint32_t thing; /* the entity that it is + 1; 0: none yet */
  uint32_t group; /* tags of one group are one thing; 0: none */
  char *name;
  uint32_t n_name;
  OvzValue value; /* the one that was sent last, for ovz_each() */
  void *kept;     /* its bytes */
  double date;    /* processor time of its batch */
  int64_t count;  /* of a break point, */
  bool counted;   /* if there was one */
} Tag;

/* Tags that are bound together. */
typedef struct Group {
  uint32_t thing; /* that they are, as in Tag */
  uint16_t kinds; /* bits: those that it has */
} Group;

struct Ovz {
  ValuesRecorder *to;
  uint32_t program;
  bool cpu_dates, keeps, listens, told_waiting;
  Tag **pages;         /* of PAGE tags each, made when one of them is asked for */
  GArray *used;        /* of uint16_t: tags that have a name */
  GArray *groups;      /* of Group; the first is none */
  GArray *unmade;      /* of uint16_t: declared, and no thing yet */
  GByteArray *unknown; /* messages to tags that are not declared yet: u32 bytes, message */
  GByteArray *head;    /* with cpu_dates: what waits for the date of its batch, likewise */
  GByteArray *part;    /* a message that is not whole yet, with its length */
  uint64_t offset;     /* in the stream, of `part` */
  uint64_t n_good;     /* messages of it that made sense */
  uint64_t log_hash;   /* and what it is */
  bool log_again;      /* the next history may hold what is known */
  bool unsettled;      /* something was declared since the last value */
  int64_t cpu_from;    /* date at which this connection began: processor time is counted from there */
  bool refused;
  /* for ovz_print(): */
  double cpu;
  GArray *undated; /* of uint16_t: points that have become others since then */
  GQueue lines;    /* of char *: of the log, the newest first */
  int64_t heap_most;
};

static Tag *
tag_at (const Ovz *o, uint32_t tag)
{
  Tag **page = &o->pages[tag / PAGE];

  if (G_UNLIKELY (!*page))
    *page = g_new0 (Tag, PAGE);
  return *page + tag % PAGE;
}

/* The first tag from `from` on that may have been spoken of; N_TAGS: there is none. */
static uint32_t
next_tag (const Ovz *o, uint32_t from)
{
  while (from < N_TAGS && !o->pages[from / PAGE])
    from = (from / PAGE + 1) * PAGE;
  return from;
}

Ovz *
ovz_new (ValuesRecorder *to, uint32_t program, bool cpu_dates)
{
  Ovz *o = g_new0 (Ovz, 1);

  o->to = to;
  o->program = program;
  o->cpu_dates = cpu_dates;
  o->pages = g_new0 (Tag *, N_TAGS / PAGE);
  o->used = g_array_new (FALSE, FALSE, sizeof (uint16_t));
  o->groups = g_array_new (FALSE, TRUE, sizeof (Group));
  g_array_set_size (o->groups, 1);
  o->unmade = g_array_new (FALSE, FALSE, sizeof (uint16_t));
  o->unknown = g_byte_array_new ();
  o->head = g_byte_array_new ();
  o->part = g_byte_array_new ();
  o->undated = g_array_new (FALSE, FALSE, sizeof (uint16_t));
  g_queue_init (&o->lines);
  return o;
}

void
ovz_free (Ovz *o)
{
  if (!o)
    return;
  for (guint i = 0; i < o->used->len; i++) {
    g_free (tag_at (o, g_array_index (o->used, uint16_t, i))->name);
    g_free (tag_at (o, g_array_index (o->used, uint16_t, i))->kept);
  }
  for (int i = 0; i < N_TAGS / PAGE; i++)
    g_free (o->pages[i]);
  g_free (o->pages);
  g_array_unref (o->used);
  g_array_unref (o->groups);
  g_array_unref (o->unmade);
  g_byte_array_unref (o->unknown);
  g_byte_array_unref (o->head);
  g_byte_array_unref (o->part);
  g_array_unref (o->undated);
  g_queue_clear_full (&o->lines, g_free);
  g_free (o);
}

bool
ovz_listens (const Ovz *o)
{
  return o->listens;
}

void
ovz_keep_values (Ovz *o)
{
  o->keeps = true;
}

int
ovz_tag_named (const Ovz *o, const char *name)
{
  int found = -1;

  for (uint32_t i = next_tag (o, 0); i < N_TAGS; i = next_tag (o, i + 1)) {
    const Tag *t = tag_at (o, i);
    if (t->declared && t->n_name == strlen (name) && memcmp (t->name, name, t->n_name) == 0)
      found = found == -1 ? (int) i : -2;
  }
  return found;
}

int
ovz_tag_beside (const Ovz *o, uint32_t tag, uint32_t from)
{
  const Tag *t = tag_at (o, tag);

  if (t->thing == 0)
    return from <= tag ? (int) tag : -1;
  for (uint32_t i = next_tag (o, from); i < N_TAGS; i = next_tag (o, i + 1))
    if (tag_at (o, i)->thing == t->thing && tag_at (o, i)->declared)
      return (int) i;
  return -1;
}

void
ovz_stopped (Ovz *o, uint32_t tag, bool stopped)
{
  uint32_t thing = tag_at (o, tag)->thing;
  bool changed = false;

  if (thing == 0 || thing == o->program + 1)
    return;
  for (int i = ovz_tag_beside (o, tag, 0); i >= 0; i = ovz_tag_beside (o, tag, (uint32_t) i + 1)) {
    changed |= tag_at (o, i)->stopped != stopped;
    tag_at (o, i)->stopped = stopped;
  }
  if (changed)
    values_note (o->to, thing - 1, stopped ? VALUE_STOPPED : VALUE_RESUMED);
}

/* ---- tags and things --------------------------------------------------------------------------------------------------------- */

static const uint8_t kind_of_tag[OVZ_N_KINDS] = {
  [OVZ_POINT] = VALUE_POINT,       [OVZ_TIME] = VALUE_TIME,          [OVZ_VALUE_INT] = VALUE_INTEGER,
  [OVZ_VALUE_FLOAT] = VALUE_FLOAT, [OVZ_VALUE_BOOL] = VALUE_BOOLEAN, [OVZ_VALUE_STRING] = VALUE_STRING,
  [OVZ_TAG_COUNT] = VALUE_TAG,     [OVZ_TAG_SIZE] = VALUE_TAG,       [OVZ_SPECIAL] = VALUE_SPECIAL,
  [OVZ_TREE] = VALUE_TREE,         [OVZ_HASH] = VALUE_HASH_TABLE,    [OVZ_LOG] = VALUE_LOG,
};

/* What the program tells of itself: memory and processor time. */
static bool
stream_is_of_program (uint32_t tag, uint8_t kind)
{
  return kind == OVZ_SPECIAL && tag <= 2;
}

/* What a tag is becomes that of its group too, unless the group has one of its kind already. */
static uint32_t
stream_thing_of (Ovz *o, uint16_t number)
{
  Tag *t = tag_at (o, number);
  Group *g = t->group != 0 ? &g_array_index (o->groups, Group, t->group) : NULL;
  bool joins = g && g->thing != 0 && !(g->kinds & 1 << t->kind);
  uint32_t thing = joins ? g->thing
                         : values_declare (o->to, o->program, kind_of_tag[t->kind], t->name, t->n_name, number) + 1;

  if (g && (g->thing == 0 || joins)) {
    g->thing = thing;
    g->kinds |= (uint16_t) (1 << t->kind);
  }
  return thing;
}

/* The newest is declared first. */
static void
make_things (Ovz *o)
{
  for (guint i = o->unmade->len; i-- > 0;) {
    uint16_t number = g_array_index (o->unmade, uint16_t, i);
    Tag *t = tag_at (o, number);
    if (t->thing == 0)
      t->thing = stream_is_of_program (number, t->kind) ? o->program + 1 : stream_thing_of (o, number);
  }
  g_array_set_size (o->unmade, 0);
}

/* ---- what is sent ------------------------------------------------------------------------------------------------------------ */

static ValueVariable
stream_variable_of (uint32_t tag, uint8_t kind, bool real)
{
  switch (kind) {
  case OVZ_POINT:
    return VAR_COUNT;
  case OVZ_TIME:
    return VAR_TIME;
  case OVZ_VALUE_BOOL:
    return real ? VAR_FLOAT : VAR_BOOLEAN;
  case OVZ_TAG_COUNT:
    return VAR_TAG_COUNT;
  case OVZ_TAG_SIZE:
    return VAR_TAG_SIZE;
  case OVZ_SPECIAL:
    return tag == 0 ? VAR_HEAP_TOTAL : tag == 1 ? VAR_HEAP_ALIVE : tag == 2 ? VAR_CPU : VAR_SPECIAL;
  default:
    return real ? VAR_FLOAT : VAR_INTEGER;
  }
}

typedef struct Line {
  double seconds;
  const uint8_t *text;
  size_t n;
} Line;

static uint64_t
line_hash (const Line *l)
{
  uint64_t bits;

  memcpy (&bits, &l->seconds, sizeof bits);
  return bytes_fnv (l->text, l->n) ^ bits;
}

static bool
same_value (const OvzValue *a, const OvzValue *b)
{
  return a->type == b->type && memcmp (a->i, b->i, sizeof a->i) == 0 && memcmp (&a->real, &b->real, sizeof a->real) == 0
         && a->n == b->n && (a->n == 0 || memcmp (a->bytes, b->bytes, a->n) == 0);
}

static bool
has_bytes (const OvzValue *v)
{
  return v->type == OVZ_IS_STRING || v->type == OVZ_IS_TREE || v->type == OVZ_IS_LOG;
}

/* For ovz_print(): the last value, and when it became another.  A point comes before the processor time of its batch.
 */
static void
stream_keep (Ovz *o, uint16_t tag, const OvzValue *sent)
{
  Tag *t = tag_at (o, tag);
  OvzValue v = *sent;

  if (v.type == OVZ_IS_KILLED || v.type == OVZ_IS_COLLECTED || v.type == OVZ_IS_LOG)
    return;
  if (!has_bytes (&v)) {
    v.bytes = NULL;
    v.n = 0;
  }
  if (t->has_value && same_value (&t->value, &v))
    return;
  if (t->kind == OVZ_POINT)
    g_array_append_val (o->undated, tag);
  t->date = o->cpu;
  void *bytes = v.n > 0 ? g_memdup2 (v.bytes, v.n) : NULL;
  g_free (t->kept);
  t->kept = bytes;
  t->value = v;
  t->value.bytes = bytes;
  t->has_value = true;
}

static void
keep_line (Ovz *o, Tag *t, const Line *l)
{
  if (!o->keeps)
    return;
  g_queue_push_head (&o->lines, g_strdup_printf ("%f : %.*s", l->seconds, (int) MIN (l->n, MOST_LINE), l->text));
  if (o->lines.length > OVZ_LOG_SIZE)
    g_free (g_queue_pop_tail (&o->lines));
  t->date = o->cpu;
}

/* A batch tells its processor time. */
static void
keep_cpu (Ovz *o, double seconds)
{
  o->cpu = seconds;
  for (guint i = 0; i < o->undated->len; i++)
    tag_at (o, g_array_index (o->undated, uint16_t, i))->date = seconds;
  g_array_set_size (o->undated, 0);
}

/* The newest comes first.  After the connection was made anew, what is known from before is left out. */
static void
take_log (Ovz *o, Tag *t, const OvzValue *v)
{
  OvzBytes b = { v->bytes, v->bytes + v->n };
  uint32_t n = 0, fresh;

  ovz_get_16 (&b, &n);
  g_autofree Line *lines = g_new0 (Line, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    ovz_get_real (&b, &lines[i].seconds);
    ovz_get_string (&b, &lines[i].text, &lines[i].n);
  }
  fresh = n;
  for (uint32_t i = 0; o->log_again && i < n && fresh == n; i++)
    if (line_hash (&lines[i]) == o->log_hash)
      fresh = i;
  o->log_again = false;
  for (uint32_t i = fresh; i-- > 0;) {
    values_log (o->to, t->thing - 1, lines[i].seconds, (const char *) lines[i].text, lines[i].n);
    keep_line (o, t, &lines[i]);
  }
  if (fresh > 0)
    o->log_hash = line_hash (&lines[0]);
}

static void
take_hash (Ovz *o, const Tag *t, const OvzValue *v)
{
  values_int (o->to, t->thing - 1, VAR_ARRAY, v->i[0]);
  values_int (o->to, t->thing - 1, VAR_ELEMENTS, v->i[1]);
  values_int (o->to, t->thing - 1, VAR_EMPTY, v->i[2]);
  values_int (o->to, t->thing - 1, VAR_LONGEST, v->i[3]);
}

/* A point of this name asks whoever watches to stop and look. */
static void
look_for_break (Ovz *o, Tag *t, const OvzValue *v)
{
  static const char name[] = "scope:break";

  if (t->kind != OVZ_POINT || t->n_name != sizeof name - 1 || memcmp (t->name, name, sizeof name - 1) != 0)
    return;
  if (t->counted && v->i[0] > t->count)
    values_note (o->to, t->thing - 1, VALUE_BREAK);
  t->count = v->i[0];
  t->counted = true;
}

static void
stream_take_value (Ovz *o, uint32_t tag, const OvzValue *v)
{
  Tag *t = tag_at (o, tag);

  switch (v->type) {
  case OVZ_IS_FLOAT:
    values_real (o->to, t->thing - 1, stream_variable_of (tag, t->kind, true), v->real);
    break;
  case OVZ_IS_STRING:
    values_text (o->to, t->thing - 1, (const char *) v->bytes, v->n);
    break;
  case OVZ_IS_BOOL:
    values_int (o->to, t->thing - 1, VAR_BOOLEAN, v->i[0]);
    break;
  case OVZ_IS_COLLECTED:
    t->date = t->collected ? t->date : o->cpu;
    if (!t->collected)
      values_note (o->to, t->thing - 1, VALUE_COLLECTED);
    t->collected = true;
    break;
  case OVZ_IS_KILLED:
    if (!t->killed)
      values_note (o->to, t->thing - 1, VALUE_KILLED);
    t->killed = true;
    break;
  case OVZ_IS_TREE:
    values_tree (o->to, t->thing - 1, v->bytes, v->n);
    break;
  case OVZ_IS_HASH:
    take_hash (o, t, v);
    break;
  case OVZ_IS_LOG:
    take_log (o, t, v);
    break;
  default:
    values_int (o->to, t->thing - 1, stream_variable_of (tag, t->kind, false), v->i[0]);
    look_for_break (o, t, v);
  }
  if (G_UNLIKELY (o->keeps)) {
    if (stream_is_of_program (tag, t->kind) && tag == 2 && v->type == OVZ_IS_FLOAT)
      keep_cpu (o, v->real);
    stream_keep (o, (uint16_t) tag, v);
    if (tag == 0 && t->kind == OVZ_SPECIAL)
      o->heap_most = MAX (o->heap_most, v->i[0]);
  }
}

/* ---- messages ------------------------------------------------------------------------------------------------------------------ */

static void take_message (Ovz *o, const uint8_t *bytes, size_t n);

static void
put_off (Ovz *o, GByteArray *to, const uint8_t *bytes, size_t n)
{
  uint8_t length[4];

  if (to->len + n > MOST_WAITING) {
    if (!o->told_waiting)
      values_damage (o->to,
                     "more than %d MiB of messages wait for their declaration, or for the date of their batch; the "
                     "others are left out",
                     MOST_WAITING >> 20);
    o->told_waiting = true;
    return;
  }
  bytes_put32 (length, (uint32_t) n);
  g_byte_array_append (to, length, 4);
  g_byte_array_append (to, bytes, (guint) n);
}

static void
malformed (Ovz *o, const char *what)
{
  values_damage (o->to, "the message at byte %" G_GUINT64_FORMAT " is %s; it is left out", o->offset, what);
}

/* What was declared becomes things, now that all that is bound together is known; and what was sent before it was
 * declared is taken. */
static void
stream_settle (Ovz *o)
{
  GByteArray *all = o->unknown;

  make_things (o);
  if (all->len == 0)
    return;
  o->unknown = g_byte_array_new ();
  for (guint at = 0; at < all->len;) {
    uint32_t n = bytes_get32 (all->data + at);
    take_message (o, all->data + at + 4, n);
    at += 4 + n;
  }
  g_byte_array_unref (all);
}

static bool
same_name (const Tag *t, uint8_t kind, const uint8_t *name, size_t n)
{
  return t->name && t->kind == kind && t->n_name == n && memcmp (t->name, name, n) == 0;
}

/* With a 0 behind it, so that it is there also if it has no bytes. */
static char *
stream_copy_of (const uint8_t *name, size_t n)
{
  char *copy = g_malloc (n + 1);

  memcpy (copy, name, n);
  copy[n] = '\0';
  return copy;
}

static void
take_declare (Ovz *o, OvzBytes *b)
{
  uint32_t tag;
  uint8_t kind;
  const uint8_t *name;
  size_t n;

  if (!ovz_get_16 (b, &tag) || !ovz_take (b, &kind, 1) || kind >= OVZ_N_KINDS || !ovz_get_string (b, &name, &n)
      || b->at != b->end) {
    malformed (o, "no declaration");
    return;
  }
  o->n_good++;
  Tag *t = tag_at (o, tag);
  uint16_t number = (uint16_t) tag;
  n = MIN (n, VALUES_MOST_NAME + 1); /* so that who takes the name sees that it is longer */
  if (tag == 4 && kind == OVZ_SPECIAL && n == 7 && memcmp (name, "scope/1", 7) == 0) {
    if (!o->listens)
      values_note (o->to, o->program, VALUE_LISTENS);
    o->listens = true;
    t->declared = true;
    t->kind = kind;
    t->thing = o->program + 1;
    return;
  }
  if (!same_name (t, kind, name, n)) {
    if (!t->name)
      g_array_append_val (o->used, number);
    g_free (t->name);
    g_free (t->kept);
    *t = (Tag){ .kind = kind, .group = t->group, .name = stream_copy_of (name, n), .n_name = (uint32_t) n };
    g_array_append_val (o->unmade, number);
  }
  t->declared = o->unsettled = true;
}

static void
take_send (Ovz *o, OvzBytes *b, const uint8_t *bytes, size_t n)
{
  uint32_t tag;
  OvzValue v;

  if (!ovz_get_16 (b, &tag) || !ovz_get_value (b, &v)) {
    malformed (o, "no value");
    return;
  }
  o->n_good++;
  if (!tag_at (o, tag)->declared) {
    put_off (o, o->unknown, bytes, n);
    return;
  }
  if (G_UNLIKELY (o->unsettled)) {
    o->unsettled = false;
    stream_settle (o);
  }
  stream_take_value (o, tag, &v);
}

/* Things that were made before their tags were bound: the first one goes on as all of them, and the others end. */
static void
join_late (Ovz *o, OvzBytes tags, uint32_t n, Group *group)
{
  uint32_t tag;

  for (uint32_t i = 0; i < n && ovz_get_16 (&tags, &tag); i++) {
    Tag *t = tag_at (o, tag);
    if (t->thing == 0 || t->thing == group->thing || t->thing == o->program + 1 || group->kinds & 1 << t->kind)
      continue;
    values_note (o->to, t->thing - 1, VALUE_KILLED);
    t->thing = group->thing;
    group->kinds |= (uint16_t) (1 << t->kind);
  }
}

static void
take_bind (Ovz *o, OvzBytes *b)
{
  OvzBytes ahead = *b;
  uint32_t n, tag;

  if (!ovz_get_16 (b, &n) || (size_t) (b->end - b->at) != 2 * (size_t) n) {
    malformed (o, "no binding");
    return;
  }
  o->n_good++;
  ovz_get_16 (&ahead, &n);
  if (o->groups->len >= MOST_GROUPS) {
    malformed (o, "one binding too many");
    return;
  }
  Group group = { 0 };
  for (uint32_t i = 0; i < n && ovz_get_16 (&ahead, &tag); i++) {
    Tag *t = tag_at (o, tag);
    if (t->thing != 0 && group.thing == 0)
      group = (Group){ t->thing, (uint16_t) (1 << t->kind) };
    t->group = o->groups->len;
  }
  if (group.thing != 0)
    join_late (o, *b, n, &group);
  g_array_append_val (o->groups, group);
}

static void
take_message (Ovz *o, const uint8_t *bytes, size_t n)
{
  OvzBytes b = { bytes, bytes + n };
  uint8_t type;

  if (!ovz_take (&b, &type, 1) || type > BIND)
    malformed (o, "of no known type");
  else if (type == DECLARE)
    take_declare (o, &b);
  else if (type == SEND)
    take_send (o, &b, bytes, n);
  else
    take_bind (o, &b);
}

/* ---- batches: what comes before the processor time of a batch is of its date ------------------------------------------------- */

static void
stream_take_head (Ovz *o)
{
  GByteArray *head = o->head;

  o->head = g_byte_array_new ();
  for (guint at = 0; at < head->len;) {
    uint32_t n = bytes_get32 (head->data + at);
    take_message (o, head->data + at + 4, n);
    at += 4 + n;
  }
  g_byte_array_unref (head);
}

/* Whether a message can stand at the beginning of a batch only, or is one that waits there already. */
static bool
is_of_head (const Ovz *o, const uint8_t *bytes, size_t n)
{
  uint32_t tag = n >= 3 ? bytes[1] | (uint32_t) bytes[2] << 8 : 0;

  if (n < 4 || bytes[0] != SEND)
    return true;
  return (tag_at (o, tag)->declared && tag_at (o, tag)->kind == OVZ_POINT) || o->head->len > 0;
}

static void
take_dated (Ovz *o, const uint8_t *bytes, size_t n)
{
  bool dates = n == 12 && bytes[0] == SEND && bytes[1] == 2 && bytes[2] == 0 && bytes[3] == OVZ_IS_FLOAT;

  if (dates) {
    OvzBytes b = { bytes + 4, bytes + n };
    double seconds;
    ovz_get_real (&b, &seconds);
    if (seconds >= 0 && seconds < 1e9)
      values_date (o->to, o->cpu_from + (int64_t) (seconds * 1e9 + 0.5));
    stream_take_head (o);
    take_message (o, bytes, n);
  } else if (is_of_head (o, bytes, n)) {
    if (o->head->len + n > MOST_WAITING)
      stream_take_head (o);
    if (n < MOST_WAITING)
      put_off (o, o->head, bytes, n);
    else
      take_message (o, bytes, n);
  } else {
    take_message (o, bytes, n);
  }
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------------------- */

static bool
stream_refuse (Ovz *o, int64_t length, GError **error)
{
  if (o->n_good == 0)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("this is no stream of Ocamlviz: a message at byte %" PRIu64 " would be %" PRId64 " bytes long"),
                 o->offset, length);
  else
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("what comes at byte %" PRIu64 " is no message of Ocamlviz: it says that it is %" PRId64
                    " bytes long; what came before it is kept"),
                 o->offset, length);
  o->refused = true;
  return false;
}

static void
stream_take (Ovz *o, const uint8_t *message, size_t n)
{
  if (o->cpu_dates)
    take_dated (o, message, n);
  else
    take_message (o, message, n);
  o->offset += 4 + n;
}

/* Adds to the message that is not whole until it is; *at goes on. */
static bool
stream_complete (Ovz *o, const uint8_t *bytes, size_t n, size_t *at, GError **error)
{
  size_t head = MIN (4 - MIN (o->part->len, 4), n - *at);

  g_byte_array_append (o->part, bytes + *at, (guint) head);
  *at += head;
  if (o->part->len < 4)
    return true;
  int64_t length = (int32_t) bytes_get32 (o->part->data);
  if (length < 0 || length > OVZ_MOST_MESSAGE)
    return stream_refuse (o, length, error);
  size_t some = MIN ((size_t) length + 4 - o->part->len, n - *at);
  g_byte_array_append (o->part, bytes + *at, (guint) some);
  *at += some;
  if (o->part->len < (size_t) length + 4)
    return true;
  stream_take (o, o->part->data + 4, (size_t) length);
  if (length > (1 << 20)) { /* the room of one that was long is given back */
    g_byte_array_unref (o->part);
    o->part = g_byte_array_new ();
  } else {
    g_byte_array_set_size (o->part, 0);
  }
  return true;
}

bool
ovz_feed (Ovz *o, const uint8_t *bytes, size_t n, GError **error)
{
  size_t at = 0;

  if (o->refused)
    return true;
  while (at < n) {
    if (o->part->len > 0 || n - at < 4) {
      if (!stream_complete (o, bytes, n, &at, error))
        return false;
      continue;
    }
    int64_t length = (int32_t) bytes_get32 (bytes + at);
    if (length < 0 || length > OVZ_MOST_MESSAGE)
      return stream_refuse (o, length, error);
    if ((size_t) length > n - at - 4) {
      if (!stream_complete (o, bytes, n, &at, error))
        return false;
      continue;
    }
    stream_take (o, bytes + at + 4, (size_t) length);
    at += 4 + (size_t) length;
  }
  return true;
}

char *
ovz_cut (const Ovz *o)
{
  if (o->part->len == 0 || o->refused)
    return NULL;
  return g_strdup_printf (
      P_ ("in the middle of the message at byte %" PRIu64 ", of which %u byte had come; what came before it is kept",
          "in the middle of the message at byte %" PRIu64 ", of which %u bytes had come; what came before it is kept",
          o->part->len),
      o->offset, o->part->len);
}

bool
ovz_end (Ovz *o, GError **error)
{
  stream_take_head (o);
  stream_settle (o);
  bool good = o->n_good > 0;
  if (!good)
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 o->offset > 0      ? _ ("this is no stream of Ocamlviz: none of its messages makes sense")
                 : o->part->len > 0 ? _ ("it ended within its first message, if it was one of Ocamlviz")
                                    : _ ("it ended before anything came"));
  uint32_t lost = 0;
  for (guint at = 0; at < o->unknown->len; at += 4 + bytes_get32 (o->unknown->data + at))
    lost += bytes_get32 (o->unknown->data + at) > 3 && o->unknown->data[at + 5] + 256 * o->unknown->data[at + 6] > 4;
  if (lost > 0)
    values_damage (o->to, "%u values are of things that the program has never declared; they are left out", lost);
  g_byte_array_set_size (o->part, 0); /* a program ends in the middle of a message: nothing is wrong with that */
  g_byte_array_set_size (o->unknown, 0);
  for (guint i = 0; i < o->used->len; i++) {
    uint16_t tag = g_array_index (o->used, uint16_t, i);
    if (tag_at (o, tag)->stopped)
      ovz_stopped (o, tag, false);
  }
  for (guint i = 0; i < o->used->len; i++)
    tag_at (o, g_array_index (o->used, uint16_t, i))->declared = false;
  tag_at (o, 4)->declared = false;
  o->offset = o->n_good = 0;
  o->cpu_from = values_now (o->to); /* who comes next has begun anew */
  o->listens = o->refused = o->unsettled = false;
  o->log_again = true;
  return good;
}

const GQueue *
ovz_lines (const Ovz *o)
{
  return &o->lines;
}

int64_t
ovz_heap_most (const Ovz *o)
{
  return o->heap_most;
}

void
ovz_each (const Ovz *o, OvzEach each, void *arg)
{
  for (uint32_t i = next_tag (o, 0); i < N_TAGS; i = next_tag (o, i + 1)) {
    const Tag *t = tag_at (o, i);
    if (t->name)
      each (arg, &(OvzItem){ .tag = (uint16_t) i,
                             .kind = t->kind,
                             .name = t->name,
                             .n_name = MIN (t->n_name, VALUES_MOST_NAME),
                             .killed = t->killed,
                             .collected = t->collected,
                             .date = t->date,
                             .value = t->has_value ? &t->value : NULL });
  }
}
