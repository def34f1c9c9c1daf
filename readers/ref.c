/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c - references: the numbers that are given, names, and sets of them. */
#include "readers/ref.h"
#include "readers/more.h"
#include "eve/words.h"
#include <stdlib.h>
#include <string.h>
#include "readers/pair.h"

/* ---- numbers that are given ------------------------------------------------------------------------------------------ */

typedef struct Key {
  uint16_t source, type;
  uint32_t n;
  const uint8_t *bytes; /* of a known one in `bytes_kept`, for ever */
} Key;

static GHashTable *known;    /* Key -> its id + 1 */
static GPtrArray *keys;      /* of Key *, by id */
static GStringChunk *stored; /* their bytes */

static guint
key_hash (gconstpointer p)
{
  const Key *k = p;
  uint64_t hash = (uint64_t) k->source << 16 | k->type;

  for (uint32_t i = 0; i < k->n; i++) /* FNV-1a */
    hash = (hash ^ k->bytes[i]) * UINT64_C (0x100000001b3);
  return pair_hash_of (hash);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->source == y->source && x->type == y->type && x->n == y->n && memcmp (x->bytes, y->bytes, x->n) == 0;
}

static TraceRef
ref_given (TraceRefType type, uint16_t source, const void *bytes, size_t n)
{
  Key key = { source, (uint16_t) type, (uint32_t) n, bytes };

  if (known == NULL) {
    known = g_hash_table_new (key_hash, key_equal);
    keys = g_ptr_array_new ();
    stored = g_string_chunk_new (4096);
  }
  uint32_t id = GPOINTER_TO_UINT (g_hash_table_lookup (known, &key));
  if (id == 0) {
    Key *kept = g_new (Key, 1);
    *kept = key;
    kept->bytes = (const uint8_t *) g_string_chunk_insert_len (stored, bytes, (gssize) n); /* a zero follows */
    g_ptr_array_add (keys, kept);
    g_hash_table_insert (known, kept, GUINT_TO_POINTER (id = keys->len));
  }
  return trace_ref (type, source, id - 1);
}

/* NULL: it is of a type that counts itself. */
static const Key *
ref_key_of (TraceRef r)
{
  const Key *k = r.type >= TRACE_REF_LINK && keys != NULL && r.id < keys->len ? keys->pdata[r.id] : NULL;

  return k != NULL && k->type == r.type && k->source == r.source ? k : NULL;
}

TraceRef
trace_ref_link (uint16_t source, uint32_t from, uint32_t to)
{
  return ref_given (TRACE_REF_LINK, source, (uint32_t[]){ from, to }, 2 * sizeof (uint32_t));
}

typedef struct Message {
  uint32_t from, to;
  int64_t sent, received;
} Message;

TraceRef
trace_ref_message (uint16_t source, uint32_t from, uint32_t to, int64_t sent, int64_t received)
{
  return ref_given (TRACE_REF_MESSAGE, source, &(Message){ from, to, sent, received }, sizeof (Message));
}

TraceRef
trace_ref_event (uint16_t source, uint64_t number)
{
  return ref_given (TRACE_REF_EVENT, source, &number, sizeof number);
}

TraceRef
trace_ref_named (TraceRefType type, uint16_t source, const char *name)
{
  return ref_given (type, source, name, strlen (name));
}

TraceRef
trace_ref_value (const char *attribute, const char *value)
{
  gsize n = strlen (attribute) + 1;
  g_autofree char *both = g_strconcat (attribute, "\n", value, NULL);

  both[n - 1] = '\0';
  return ref_given (TRACE_REF_VALUE, 0, both, n + strlen (value));
}

bool
trace_ref_dates (TraceRef r, int64_t *sent, int64_t *received)
{
  const Key *k = r.type == TRACE_REF_MESSAGE ? ref_key_of (r) : NULL;
  Message m;

  if (k == NULL)
    return false;
  memcpy (&m, k->bytes, sizeof m);
  *sent = m.sent;
  *received = m.received;
  return true;
}

bool
trace_ref_ends (TraceRef r, uint32_t *from, uint32_t *to)
{
  const Key *k = ref_key_of (r);
  uint32_t ends[2];

  if (k == NULL || (r.type != TRACE_REF_LINK && r.type != TRACE_REF_MESSAGE))
    return false;
  memcpy (ends, k->bytes, sizeof ends);
  *from = ends[0];
  *to = ends[1];
  return true;
}

const char *
trace_ref_named_by (TraceRef r, const char **attribute)
{
  const Key *k = r.type >= TRACE_REF_NODE ? ref_key_of (r) : NULL;
  const char *text = k != NULL ? (const char *) k->bytes : NULL;
  bool value = text != NULL && r.type == TRACE_REF_VALUE;

  if (attribute != NULL)
    *attribute = value ? text : NULL;
  return value ? text + strlen (text) + 1 : text;
}

/* ---- names ------------------------------------------------------------------------------------------------------------- */

static void
ref_put_task (const TraceSource *s, uint32_t task, bool ids, GString *to)
{
  if (s != NULL && trace_task (s, task) != NULL)
    g_string_append (to, ids ? trace_task_id (s, task) : trace_task_name (s, task));
  else
    g_string_append_printf (to, "task %u", task);
}

static void
put_counted (const TraceSource *s, TraceRef r, GString *to)
{
  static const char *const words[] = { "nothing", "task", "object", "host", "kind" };

  if (s != NULL && r.type == TRACE_REF_OBJECT && r.id < s->objects->len)
    g_string_append (to, trace_object_id (s, r.id));
  else if (s != NULL && r.type == TRACE_REF_HOST && r.id < s->hosts->len)
    g_string_append (to, ((const TraceHost *) s->hosts->pdata[r.id])->name);
  else if (s != NULL && r.type == TRACE_REF_KIND && r.id < s->n_kinds)
    g_string_append (to, s->kinds[r.id].name);
  else if (r.type > TRACE_REF_NONE && r.type <= TRACE_REF_KIND)
    g_string_append_printf (to, "%s %u", words[r.type], r.id);
}

void
trace_ref_name (TraceRef r, bool ids, GString *to)
{
  const TraceSource *s = trace_source (r.source);
  const char *attribute, *name = trace_ref_named_by (r, &attribute);
  const Key *k = ref_key_of (r);
  uint32_t from, end;
  uint64_t number;

  if (r.type == TRACE_REF_TASK) {
    ref_put_task (s, r.id, ids, to);
  } else if (trace_ref_ends (r, &from, &end)) {
    if (r.type == TRACE_REF_MESSAGE && !ids)
      g_string_append (to, "message ");
    ref_put_task (s, from, ids, to);
    g_string_append (to, ids ? "->" : " \u2192 ");
    ref_put_task (s, end, ids, to);
  } else if (name != NULL) {
    if (attribute != NULL)
      g_string_append_printf (to, ids ? "%s=" : "%s: ", attribute);
    g_string_append (to, name);
  } else if (r.type == TRACE_REF_EVENT && k != NULL) {
    memcpy (&number, k->bytes, sizeof number);
    g_string_append_printf (to, _ ("event %" PRIu64), number);
  } else {
    put_counted (s, r, to);
  }
}

/* ---- run states --------------------------------------------------------------------------------------------------------- */

void
trace_ref_save (EveProgram *p, TraceRef r, EveBlob *to)
{
  const char *attribute, *name = trace_ref_named_by (r, &attribute);
  const Key *k = ref_key_of (r);
  Message m = { 0 };

  if (r.type >= TRACE_REF_LINK && k == NULL)
    r.type = TRACE_REF_NONE;
  eve_put_int (to, r.type);
  if (r.type == TRACE_REF_NONE)
    return;
  if (r.type != TRACE_REF_VALUE)
    trace_put_source (p, r.source, to);
  if (k == NULL) {
    eve_put_int (to, r.id);
  } else if (name != NULL) {
    eve_put_text (to, attribute);
    eve_put_text (to, name);
  } else if (r.type == TRACE_REF_EVENT) {
    int64_t number;
    memcpy (&number, k->bytes, sizeof number);
    eve_put_int (to, number);
  } else {
    memcpy (&m, k->bytes, k->n);
    eve_put_int (to, m.from);
    eve_put_int (to, m.to);
    if (r.type == TRACE_REF_MESSAGE) {
      eve_put_int (to, m.sent);
      eve_put_int (to, m.received);
    }
  }
}

static bool
ref_get_number (EveBlobView *from, uint32_t *n)
{
  int64_t v = eve_get_int (from);

  *n = (uint32_t) v;
  return v >= 0 && v <= UINT32_MAX;
}

static TraceRef
load_ends (TraceRefType type, uint16_t source, EveBlobView *from)
{
  Message m = { 0 };

  if (!ref_get_number (from, &m.from) || !ref_get_number (from, &m.to))
    return (TraceRef){ 0 };
  if (type == TRACE_REF_MESSAGE) {
    m.sent = eve_get_int (from);
    m.received = eve_get_int (from);
  }
  return !eve_get_ok (from)          ? (TraceRef){ 0 }
         : type == TRACE_REF_MESSAGE ? trace_ref_message (source, m.from, m.to, m.sent, m.received)
                                     : trace_ref_link (source, m.from, m.to);
}

TraceRef
trace_ref_load (EveProgram *p, EveBlobView *from)
{
  int64_t type = eve_get_int (from);
  uint16_t source = 0;
  uint32_t id;

  if (!eve_get_ok (from) || type <= TRACE_REF_NONE || type > TRACE_REF_VALUE)
    return (TraceRef){ 0 };
  if (type != TRACE_REF_VALUE)
    source = trace_get_source (p, from);
  if (type == TRACE_REF_LINK || type == TRACE_REF_MESSAGE)
    return load_ends ((TraceRefType) type, source, from);
  if (type == TRACE_REF_EVENT) {
    uint64_t number = (uint64_t) eve_get_int (from);
    return eve_get_ok (from) ? trace_ref_event (source, number) : (TraceRef){ 0 };
  }
  if (type >= TRACE_REF_NODE) {
    const char *attribute = eve_get_text (from), *name = eve_get_text (from);
    return !eve_get_ok (from)        ? (TraceRef){ 0 }
           : type == TRACE_REF_VALUE ? trace_ref_value (attribute, name)
                                     : trace_ref_named ((TraceRefType) type, source, name);
  }
  return ref_get_number (from, &id) && eve_get_ok (from) ? trace_ref ((TraceRefType) type, source, id)
                                                         : (TraceRef){ 0 };
}

/* ---- sets --------------------------------------------------------------------------------------------------------------- */

struct TraceRefs {
  TraceRef *refs;
  uint32_t n, room;
  uint32_t *places;      /* open addressing: index + 1; 0: free */
  uint32_t mask;         /* of places; 0: there are none */
  struct Sorted *sorted; /* made when somebody asks; NULL: not, or the set was changed since */
};

/* A ref as a number: those of one type and trace follow each other as their numbers do. */
static inline uint64_t
ref_number_of (TraceRef r)
{
  return (uint64_t) r.type << 48 | (uint64_t) r.source << 32 | r.id;
}

typedef struct Ends {
  uint64_t from, to; /* numbers of tasks */
} Ends;

typedef struct Sorted {
  uint64_t *all, *from, *to; /* all refs; the tasks that links and messages come from, and go to */
  Ends *ends;                /* of these */
  uint32_t n, n_ends;
} Sorted;

static void
sorted_free (Sorted *o)
{
  if (o == NULL)
    return;
  g_free (o->all);
  g_free (o->from);
  g_free (o->to);
  g_free (o->ends);
  g_free (o);
}

static int
ref_by_number (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

static int
ref_by_ends (const void *a, const void *b)
{
  const Ends *x = a, *y = b;

  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static const Sorted *
ref_sorted (const TraceRefs *s)
{
  if (s->sorted != NULL)
    return s->sorted;
  Sorted *o = g_new0 (Sorted, 1);
  o->n = s->n;
  o->all = g_new (uint64_t, s->n + 1);
  o->from = g_new (uint64_t, s->n + 1);
  o->to = g_new (uint64_t, s->n + 1);
  o->ends = g_new (Ends, s->n + 1);
  for (uint32_t i = 0; i < s->n; i++) {
    TraceRef r = s->refs[i];
    uint32_t from, to;
    o->all[i] = ref_number_of (r);
    if (!trace_ref_ends (r, &from, &to))
      continue;
    o->from[o->n_ends] = ref_number_of (trace_ref (TRACE_REF_TASK, r.source, from));
    o->to[o->n_ends] = ref_number_of (trace_ref (TRACE_REF_TASK, r.source, to));
    o->ends[o->n_ends] = (Ends){ o->from[o->n_ends], o->to[o->n_ends] };
    o->n_ends++;
  }
  qsort (o->all, o->n, sizeof *o->all, ref_by_number);
  qsort (o->from, o->n_ends, sizeof *o->from, ref_by_number);
  qsort (o->to, o->n_ends, sizeof *o->to, ref_by_number);
  qsort (o->ends, o->n_ends, sizeof *o->ends, ref_by_ends);
  ((TraceRefs *) s)->sorted = o; /* what the set holds stays as it is */
  return o;
}

/* The first of the sorted numbers that is not below `least`. */
static uint32_t
ref_first_of (const uint64_t *numbers, uint32_t n_numbers, uint64_t least)
{
  uint32_t low = 0, high = n_numbers;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (numbers[middle] < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether any of the sorted numbers lies in [first, first + n). */
static bool
any_in (const uint64_t *numbers, uint32_t n_numbers, uint64_t first, uint64_t n)
{
  uint32_t i = ref_first_of (numbers, n_numbers, first);

  return i < n_numbers && numbers[i] - first < n;
}

static void
changed (TraceRefs *s)
{
  g_clear_pointer (&s->sorted, sorted_free);
}

TraceRefs *
trace_refs_new (void)
{
  return g_new0 (TraceRefs, 1);
}

void
trace_refs_free (TraceRefs *s)
{
  if (s == NULL)
    return;
  changed (s);
  g_free (s->refs);
  g_free (s->places);
  g_free (s);
}

/* The place of a ref, or where it would be. */
static uint32_t *
ref_place_of (const TraceRefs *s, TraceRef r)
{
  uint32_t at = trace_ref_hash (r) & s->mask;

  while (s->places[at] != 0 && !trace_ref_same (s->refs[s->places[at] - 1], r))
    at = (at + 1) & s->mask;
  return &s->places[at];
}

static void
place_all (TraceRefs *s)
{
  memset (s->places, 0, (s->mask + 1) * sizeof *s->places);
  for (uint32_t i = 0; i < s->n; i++)
    *ref_place_of (s, s->refs[i]) = i + 1;
}

bool
trace_refs_add (TraceRefs *s, TraceRef r)
{
  if (r.type == TRACE_REF_NONE || trace_refs_has (s, r))
    return false;
  changed (s);
  if (s->n == s->room) {
    s->room = MAX (8, s->room * 2);
    s->refs = g_renew (TraceRef, s->refs, s->room);
    s->mask = s->room * 2 - 1;
    s->places = g_renew (uint32_t, s->places, s->mask + 1);
    place_all (s);
  }
  s->refs[s->n++] = r;
  *ref_place_of (s, r) = s->n;
  return true;
}

bool
trace_refs_remove (TraceRefs *s, TraceRef r)
{
  if (!trace_refs_has (s, r))
    return false;
  changed (s);
  uint32_t i = *ref_place_of (s, r) - 1;
  memmove (s->refs + i, s->refs + i + 1, (s->n - i - 1) * sizeof *s->refs);
  s->n--;
  place_all (s);
  return true;
}

void
trace_refs_clear (TraceRefs *s)
{
  if (s->n == 0)
    return;
  changed (s);
  s->n = 0;
  place_all (s);
}

uint32_t
trace_refs_remove_all (TraceRefs *s, const TraceRefs *others)
{
  uint32_t n = 0, before = s->n;

  for (uint32_t i = 0; i < before; i++)
    if (!trace_refs_has (others, s->refs[i]))
      s->refs[n++] = s->refs[i];
  if (n == before)
    return 0;
  changed (s);
  s->n = n;
  place_all (s);
  return before - n;
}

bool
trace_refs_has_any (const TraceRefs *s, TraceRef first, uint32_t n)
{
  if (s == NULL || s->n == 0 || n == 0)
    return false;
  return any_in (ref_sorted (s)->all, s->n, ref_number_of (first), n);
}

bool
trace_refs_has_end (const TraceRefs *s, TraceRef first, uint32_t n, TraceRefsEnd which)
{
  if (s == NULL || s->n == 0 || n == 0)
    return false;
  const Sorted *o = ref_sorted (s);
  uint64_t number = ref_number_of (first);
  return (which & TRACE_REFS_FROM && any_in (o->from, o->n_ends, number, n))
         || (which & TRACE_REFS_TO && any_in (o->to, o->n_ends, number, n));
}

bool
trace_refs_has_pair (const TraceRefs *s, uint16_t source, uint32_t from, uint32_t to)
{
  if (s == NULL || s->n == 0)
    return false;
  const Sorted *o = ref_sorted (s);
  Ends pair = { ref_number_of (trace_ref (TRACE_REF_TASK, source, from)),
                ref_number_of (trace_ref (TRACE_REF_TASK, source, to)) };
  return bsearch (&pair, o->ends, o->n_ends, sizeof pair, ref_by_ends) != NULL;
}

bool
trace_refs_has (const TraceRefs *s, TraceRef r)
{
  return s != NULL && s->n > 0 && *ref_place_of (s, r) != 0;
}

uint32_t
trace_refs_n (const TraceRefs *s)
{
  return s != NULL ? s->n : 0;
}

TraceRef
trace_refs_at (const TraceRefs *s, uint32_t i)
{
  return s != NULL && i < s->n ? s->refs[i] : (TraceRef){ 0 };
}

bool
trace_refs_same (const TraceRefs *a, const TraceRefs *b)
{
  bool same = trace_refs_n (a) == trace_refs_n (b);

  for (uint32_t i = 0; same && i < trace_refs_n (a); i++)
    same = trace_refs_has (b, trace_refs_at (a, i));
  return same;
}

#define A_TYPE (UINT64_C (1) << 48) /* numbers of one type */

bool
trace_refs_has_type (const TraceRefs *s, TraceRefType type)
{
  return trace_refs_n (s) > 0 && any_in (ref_sorted (s)->all, s->n, type * A_TYPE, A_TYPE);
}

TraceRef
trace_refs_value_at (const TraceRefs *s, uint32_t i)
{
  if (trace_refs_n (s) == 0)
    return (TraceRef){ 0 };
  const Sorted *o = ref_sorted (s);
  uint32_t at = ref_first_of (o->all, o->n, TRACE_REF_VALUE * A_TYPE);
  if (i >= o->n - at || o->all[at + i] >= (TRACE_REF_VALUE + 1) * A_TYPE)
    return (TraceRef){ 0 };
  uint64_t number = o->all[at + i];
  return trace_ref (TRACE_REF_VALUE, (uint16_t) (number >> 32), (uint32_t) number);
}

/* ---- attributes that components add ------------------------------------------------------------------------------ */

typedef struct Sought {
  const char *name;
  GString *to;
  bool found;
} Sought;

static void
seek_more (void *sought, const TraceTold *one)
{
  Sought *k = sought;

  if (k->found || g_ascii_strcasecmp (one->name, k->name) != 0)
    return;
  g_string_append (k->to, one->value);
  k->found = true;
}

bool
trace_more_value (const TraceAll *a, TraceRef what, const char *name, GString *to)
{
  Sought k = { name, to, false };

  for (uint32_t i = 0; a && i < a->n && !k.found; i++)
    a->of[i].more->tell (a->of[i].component, what, name, seek_more, &k);
  return k.found;
}

void
trace_more_offer (const TraceAll *a, TraceRefType type, void (*add) (void *to, const char *name), void *to)
{
  for (uint32_t i = 0; a && i < a->n; i++)
    if (a->of[i].more->offer)
      a->of[i].more->offer (a->of[i].component, type, add, to);
}
