/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - a bundle of heap snapshots as a trace: one instant a snapshot, at which the program and each class of its
 * blocks has its numbers (README.md).  What is retained is for who looks at one instant: components/heap. */
#include <math.h>
#include <string.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/converted.h"
#include "readers/heap/private.h"
#include "readers/keys.h"

#define MOST_CLASSES 1000 /* of the trace, and of its roots; the least of the others are told together */
#define MOST_SNAPSHOTS 100000

enum {
  HEAP,
  LIVE,
  GARBAGE,
  FREE,
  COMPACTIONS,
  LEFT_OUT,
  MINOR,
  PROMOTED,
  MAJOR,
  MINORS,
  MAJORS,
  NEW,
  NEW_PROMOTED,
  NEW_MAJOR,
  SHARE_PROMOTED,
  N_OF_PROGRAM
};
#define NOT_TOLD UINT64_MAX
enum { WORDS, BLOCKS, OTHER_BLOCKS, N_OF_CLASS };
enum { CLASSES, ROOTS, SITES, FUNCTIONS, MODULES, TYPES, SHAPES, N_PARTS }; /* in what the live words are parted */
static const struct {
  const char *name, *unit;
} of_program[] = { { "heap words", "words" }, { "live words", "words" }, { "garbage words", "words" },
                   { "free words", "words" }, { "compactions", NULL },   { "snapshots left out", NULL },
                   { "minor words", "words" }, { "promoted words", "words" },  { "major words", "words" },
                   { "minor collections", NULL }, { "major collections", NULL },
                   { "new words", "words" }, { "new words, promoted", "words" }, { "new words, major at once", "words" },
                   { "promoted", "%" } },
  of_class[N_PARTS][N_OF_CLASS] = {
    [CLASSES] = { { "words", "words" }, { "blocks", "blocks" } },
    [ROOTS] = { { "kept words", "words" }, { "kept blocks", "blocks" } },
    [SITES] = { { "allocated words", "words" }, { "samples", NULL }, { "allocated blocks", "blocks" } },
    [FUNCTIONS] = { { "words by function", "words" }, { "samples by function", NULL }, { "blocks by function", "blocks" } },
    [MODULES] = { { "words by module", "words" }, { "samples by module", NULL }, { "blocks by module", "blocks" } },
    [TYPES] = { { "words of types", "words" }, { "blocks of types", "blocks" } },
    [SHAPES] = { { "words of a shape", "words" }, { "blocks of a shape", "blocks" } },
  }, /* what an entity is called, and those together that are no tasks of their own */
  parts[N_PARTS] = { { "Class", "other classes" },   { "Root", "other roots" },     { "Site", "other sites" },
                     { "Function", "other functions" }, { "Module", "other code" }, { "Types", "other types" },
                     { "Shape", "other shapes" } };

typedef struct Class { /* of blocks, or a root */
  char *name;
  HeapSure sure;
  uint64_t sum;    /* of words over all snapshots */
  uint32_t number; /* as it was met */
  uint32_t task;
  double last[N_OF_CLASS];
} Class;

typedef struct Count {
  uint32_t class;
  uint64_t numbers[N_OF_CLASS];
} Count;

typedef struct Shot {
  char *file, *trigger, *label;
  int64_t date;
  uint64_t number, word, numbers[N_OF_PROGRAM]; /* word: bytes */
  double known;                                 /* share of live words, per cent */
  GArray *counts[N_PARTS];                      /* of Count */
} Shot;

typedef struct Reading {
  Converter *to;
  TraceSource *source;
  GPtrArray *shots, *classes[N_PARTS]; /* of Shot *, Class * */
  GHashTable *by_name[N_PARTS];        /* name of a class -> Class * */
  char *program, *ocaml;
  uint64_t pid;
  uint32_t snapshot, is, compaction, task;
  uint32_t variables[N_OF_PROGRAM], of_class[N_PARTS][N_OF_CLASS];
  double last[N_OF_PROGRAM];
  guint n_files, n_done;
} Reading;

static void
free_shot (gpointer p)
{
  Shot *s = p;

  g_free (s->file);
  g_free (s->trigger);
  g_free (s->label);
  for (int part = 0; part < N_PARTS; part++)
    g_array_unref (s->counts[part]);
  g_free (s);
}

static void
free_class (gpointer p)
{
  g_free (((Class *) p)->name);
  g_free (p);
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static void
heap_reader_count (Reading *r, Shot *shot, int part, const char *name, HeapSure sure, uint64_t words, uint64_t blocks,
                   uint64_t other_blocks)
{
  Class *class = g_hash_table_lookup (r->by_name[part], name);

  if (!class) {
    class = g_new0 (Class, 1);
    class->name = g_strdup (name);
    class->sure = sure;
    class->number = r->classes[part]->len;
    g_hash_table_insert (r->by_name[part], class->name, class);
    g_ptr_array_add (r->classes[part], class);
  }
  class->sum += words;
  g_array_append_val (shot->counts[part], ((Count){ class->number, { words, blocks, other_blocks } }));
}

/* What one root alone reaches, and what several do.  False: it was cancelled, or there is no memory. */
static bool
count_roots (Reading *r, Shot *shot, const HeapGraph *h, const TraceProgress *progress, GError **error)
{
  g_autoptr (GArray) kept = heap_owners (h, progress, error);

  for (guint i = 0; kept && i < kept->len; i++) {
    const HeapKept *k = &g_array_index (kept, HeapKept, i);
    if (k->blocks > 0)
      heap_reader_count (r, shot, ROOTS, i == 0 ? "kept by several" : g_array_index (h->tops, HeapTop, i).name,
                         HEAP_EXACT, k->words, k->blocks, 0);
  }
  return kept != NULL;
}

/* Where it was allocated, as sampling estimates.  A module is called otherwise than as a root. */
static void
count_sites (Reading *r, Shot *shot, const HeapGraph *h)
{
  for (int by = 0; by < N_HEAP_BY; by++) {
    g_autoptr (GArray) sites = heap_sites (h, (HeapBy) by);
    for (guint i = 0; i < sites->len; i++) {
      const HeapSite *s = &g_array_index (sites, HeapSite, i);
      g_autofree char *module = by == HEAP_BY_MODULE ? g_strconcat (s->name, " (code)", NULL) : NULL;
      heap_reader_count (r, shot, SITES + by, module ? module : s->name, HEAP_EXACT, s->words, s->taken,
                         (uint64_t) llround (s->whole_blocks));
    }
  }
}

/* Classes of one module's types together. */
static void
count_types (Reading *r, Shot *shot, const HeapGraph *h)
{
  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    if (c->live_blocks == 0)
      continue;
    g_autofree char *module = heap_class_module (c->name),
                    *name = g_strconcat ("types of ", *module ? module : "no module", NULL);
    heap_reader_count (r, shot, TYPES, name, HEAP_EXACT, c->live_words, c->live_blocks, 0);
  }
}

/* What the header of a block tells: its tag and, where fields follow, how many; many of them by powers of two. */
static char *
shape_name (uint8_t tag, uint32_t fields)
{
  static const char *const names[] = {
    [HEAP_TAG_LAZY - HEAP_TAG_LAZY] = "lazy value",   [HEAP_TAG_CLOSURE - HEAP_TAG_LAZY] = "closure",
    [HEAP_TAG_OBJECT - HEAP_TAG_LAZY] = "object",     [HEAP_TAG_FORWARD - HEAP_TAG_LAZY] = "value that was lazy",
    [HEAP_TAG_ABSTRACT - HEAP_TAG_LAZY] = "abstract", [HEAP_TAG_STRING - HEAP_TAG_LAZY] = "string",
    [HEAP_TAG_DOUBLE - HEAP_TAG_LAZY] = "float",      [HEAP_TAG_DOUBLE_ARRAY - HEAP_TAG_LAZY] = "float array",
    [HEAP_TAG_CUSTOM - HEAP_TAG_LAZY] = "custom",
  };
  uint32_t top = 32;

  if (tag >= HEAP_TAG_LAZY && names[tag - HEAP_TAG_LAZY])
    return g_strconcat ("shape: ", names[tag - HEAP_TAG_LAZY], NULL);
  if (fields <= top)
    return g_strdup_printf ("shape: tag %u, %u field%s", tag, fields, fields == 1 ? "" : "s");
  while (top < fields && top < UINT32_MAX / 2)
    top *= 2;
  return g_strdup_printf ("shape: tag %u, %u to %u fields", tag, top / 2 + 1, top);
}

static void
count_shapes (Reading *r, Shot *shot, const HeapGraph *h)
{
  g_autoptr (GHashTable) of_head = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
                         of_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (uint32_t b = 0; b < h->n_heap; b++) {
    if (!h->live[b])
      continue;
    gint64 head = (gint64) h->words[b] << 8 | h->tag[b];
    uint64_t *n = g_hash_table_lookup (of_head, &head);
    if (!n) {
      n = g_new0 (uint64_t, 1);
      g_hash_table_insert (of_head, g_memdup2 (&head, sizeof head), n);
    }
    ++*n;
  }
  /* heads of one name together, in an order that is the same each time */
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, 2 * sizeof (uint64_t));
  g_autoptr (GArray) heads = keys_sorted (of_head);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < heads->len; i++) {
    gint64 head = g_array_index (heads, gint64, i);
    uint32_t words = (uint32_t) (head >> 8);
    char *name = shape_name ((uint8_t) head, words > 0 ? words - 1 : 0);
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (of_name, name));
    if (k == 0) {
      g_array_set_size (sums, sums->len + 1);
      g_hash_table_insert (of_name, name, GUINT_TO_POINTER (k = sums->len));
      g_ptr_array_add (names, name);
    } else {
      g_free (name);
    }
    uint64_t n = *(uint64_t *) g_hash_table_lookup (of_head, &head),
             *sum = &g_array_index (sums, uint64_t, 2 * (k - 1));
    sum[0] += n * words;
    sum[1] += n;
  }
  for (guint i = 0; i < names->len; i++) {
    const uint64_t *sum = &g_array_index (sums, uint64_t, 2 * i);
    heap_reader_count (r, shot, SHAPES, names->pdata[i], HEAP_EXACT, sum[0], sum[1], 0);
  }
}

static void
heap_reader_count_classes (Reading *r, Shot *shot, const HeapGraph *h)
{
  uint64_t known = 0, live = 0;

  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    live += c->live_words;
    known += c->sure <= HEAP_INFERRED ? c->live_words : 0;
    if (c->live_blocks > 0)
      heap_reader_count (r, shot, CLASSES, c->name, c->sure, c->live_words, c->live_blocks, 0);
  }
  shot->numbers[LIVE] = live;
  shot->known = live > 0 ? 100.0 * (double) known / (double) live : 0;
}

static const char *
heap_reader_told (GHashTable *info, const char *key)
{
  const char *text = g_hash_table_lookup (info, key);

  return text ? text : "";
}

static bool
heap_reader_on_progress (void *arg, const char *doing, double share)
{
  Reading *r = arg;

  return converter_progress (r->to, (r->n_done + CLAMP (share, 0, 1)) / MAX (r->n_files, 1), NULL);
}

/* False: cancelled. */
static bool
read_shot (Reading *r, const char *folder, const char *name, GError **error)
{
  const TraceProgress progress = { heap_reader_on_progress, r };
  g_autofree char *path = g_build_filename (folder, name, NULL), *inner = g_path_get_basename (folder);
  g_autoptr (GError) why = NULL;
  HeapGraph *h;

  if (!disk_is_below (path, folder)) {
    trace_source_damage (r->source, name, 0, 0, _ ("it lies outside of its bundle, and is left out"));
    return true;
  }
  h = heap_open (path, &progress, &why);
  if (!h || !heap_reach (h, &progress, &why)) {
    heap_free (h);
    if (g_error_matches (why, TRACE_ERROR, TRACE_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&why));
      return false;
    }
    trace_source_damage (r->source, name, 0, 0, _ ("%s; this snapshot is left out"), why->message);
    return true;
  }
  for (guint i = 0; i < h->damage->len; i++)
    trace_source_damage (r->source, name, 0, 0, "%s", (const char *) h->damage->pdata[i]);
  Shot *shot = g_new0 (Shot, 1);
  uint64_t words = 0;
  for (int part = 0; part < N_PARTS; part++)
    shot->counts[part] = g_array_new (FALSE, FALSE, sizeof (Count));
  shot->file = g_build_filename (inner, name, NULL);
  shot->trigger = g_strdup (heap_reader_told (h->info, "trigger"));
  shot->label = g_strdup (heap_reader_told (h->info, "label"));
  shot->number = heap_number (h->info, "number", 0);
  shot->word = CLAMP (heap_number (h->info, "word", 8), 1, 64);
  shot->date = (int64_t) MIN (heap_number (h->info, "elapsed_ns", 0), INT64_MAX / 4);
  heap_reader_count_classes (r, shot, h);
  count_sites (r, shot, h);
  count_types (r, shot, h);
  count_shapes (r, shot, h);
  if (!count_roots (r, shot, h, &progress, error)) {
    free_shot (shot);
    heap_free (h);
    return false;
  }
  for (guint i = 0; i < h->classes->len; i++)
    words += g_array_index (h->classes, HeapClass, i).words;
  shot->numbers[HEAP] = heap_number (h->info, "heap_words", words);
  shot->numbers[GARBAGE] = words - shot->numbers[LIVE];
  shot->numbers[FREE] = heap_number (h->info, "free_words", 0);
  shot->numbers[COMPACTIONS] = heap_number (h->info, "compactions", 0);
  static const struct {
    int number;
    const char *key;
  } counted[] = { { MINOR, "minor_words" },
                  { PROMOTED, "promoted_words" },
                  { MAJOR, "major_words" },
                  { MINORS, "minor_collections" },
                  { MAJORS, "major_collections" } };
  for (gsize i = 0; i < G_N_ELEMENTS (counted); i++) /* what the runtime has counted since the program began */
    shot->numbers[counted[i].number] = heap_number (h->info, counted[i].key, NOT_TOLD);
  shot->numbers[LEFT_OUT] = heap_number (h->info, "skipped", 0) + heap_number (h->info, "failed", 0);
  if (!r->program) {
    r->program = g_path_get_basename (heap_reader_told (h->info, "program"));
    r->ocaml = g_strdup (heap_reader_told (h->info, "ocaml"));
    r->pid = heap_number (h->info, "pid", 0);
  }
  g_ptr_array_add (r->shots, shot);
  heap_free (h);
  return true;
}

static bool
heap_reader_read_all (Reading *r, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) names = heap_list (folder, error);

  if (!names)
    return false;
  if (names->len > MOST_SNAPSHOTS) {
    trace_source_damage (r->source, names->pdata[MOST_SNAPSHOTS], 0, 0,
                         _ ("this snapshot and %u behind it are left out: %d of a bundle are read"),
                         names->len - MOST_SNAPSHOTS - 1, MOST_SNAPSHOTS);
    g_ptr_array_set_size (names, MOST_SNAPSHOTS);
  }
  r->n_files = names->len;
  for (; r->n_done < names->len; r->n_done++)
    if (!read_shot (r, folder, names->pdata[r->n_done], error))
      return false;
  if (r->shots->len > 0)
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s holds no snapshot that can be read%s"), folder,
               names->len > 0 ? "" : _ (": the program that was run is none of OCaml, or has ended without one"));
  return false;
}

/* ---- telling ------------------------------------------------------------------------------------------------------------- */

static int
heap_reader_by_sum (gconstpointer a, gconstpointer b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;

  if (x->sum != y->sum)
    return x->sum > y->sum ? -1 : 1;
  return strcmp (x->name, y->name);
}

static uint32_t
add_variable (Reading *r, const char *name, const char *unit, uint32_t type)
{
  uint32_t v = trace_source_add_type (r->source, TRACE_VARIABLE, name, unit, type);

  return ((const TraceType *) r->source->types->pdata[v])->object;
}

/* Classes, or roots, as tasks: the largest first, as charts that show few show these. */
static void
declare_part (Reading *r, int part, uint32_t programs)
{
  uint32_t types = trace_source_add_own_type (r->source, TRACE_ENTITY, parts[part].name, NULL, programs),
           others = TRACE_NONE;
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  ((TraceType *) r->source->types->pdata[types])->does = TRACE_RESTS;
  for (int i = 0; i < N_OF_CLASS && of_class[part][i].name; i++)
    r->of_class[part][i] = add_variable (r, of_class[part][i].name, of_class[part][i].unit, types);
  g_ptr_array_extend (sorted, r->classes[part], NULL, NULL);
  g_ptr_array_sort (sorted, heap_reader_by_sum);
  for (guint i = 0; i < sorted->len; i++) {
    Class *c = sorted->pdata[i];
    if (i < MOST_CLASSES) {
      c->task = trace_source_add_task_in (r->source, c->name, part * (int64_t) G_MAXUINT32 + c->number, types, r->task);
      continue;
    }
    if (others == TRACE_NONE)
      others = trace_source_add_task_in (r->source, parts[part].unit, -1 - part, types, r->task);
    c->task = others;
  }
}

/* The program, and classes and roots inside of it. */
static void
heap_reader_declare (Reading *r)
{
  static const TraceField of_is[] = { { "value", TRACE_ROLE_VALUE, NULL }, { "variable", TRACE_ROLE_OBJECT, NULL } },
                          of_snapshot[] = { { "snapshot", TRACE_ROLE_INT, NULL }, { "trigger", TRACE_ROLE_WORD, NULL },
                                            { "label", TRACE_ROLE_WORD, NULL },   { "known", TRACE_ROLE_INT, "%" },
                                            { "word", TRACE_ROLE_INT, "B" },      { "file", TRACE_ROLE_WORD, NULL } },
                          of_compaction[] = { { "compactions", TRACE_ROLE_INT, NULL } };
  uint32_t programs = trace_source_add_own_type (r->source, TRACE_ENTITY, N_ ("Program"), NULL, TRACE_NONE);
  g_autofree char *name = g_strdup_printf ("%s %" G_GUINT64_FORMAT, *r->program ? r->program : "program", r->pid);

  ((TraceType *) r->source->types->pdata[programs])->does = TRACE_RESTS; /* snapshots tell nothing of what it does */
  for (int i = 0; i < N_OF_PROGRAM; i++)
    r->variables[i] = add_variable (r, of_program[i].name, of_program[i].unit, programs);
  r->task = trace_source_add_task_in (r->source, name, (int64_t) r->pid, programs, TRACE_NONE);
  for (int part = 0; part < N_PARTS; part++)
    declare_part (r, part, programs);
  r->snapshot = converter_kind (r->to, &(TraceKind){ .name = "Snapshot",
                                                     .category = "memory",
                                                     .fields = of_snapshot,
                                                     .n_fields = G_N_ELEMENTS (of_snapshot),
                                                     .instant = true,
                                                     .acts = TRACE_ACT_MARK });
  r->compaction = converter_kind (r->to, &(TraceKind){ .name = "Compaction",
                                                       .category = "memory",
                                                       .fields = of_compaction,
                                                       .n_fields = G_N_ELEMENTS (of_compaction),
                                                       .instant = true,
                                                       .acts = TRACE_ACT_MARK });
  r->is = converter_kind (r->to, &(TraceKind){ .name = "Is",
                                               .category = "memory",
                                               .fields = of_is,
                                               .n_fields = G_N_ELEMENTS (of_is),
                                               .instant = true,
                                               .acts = TRACE_ACT_SET });
}

static void
heap_reader_give (Reading *r, int64_t date, uint32_t task, uint32_t variable, double value)
{
  converter_event (r->to, &(TraceEvent){ .date = date,
                                         .task = task,
                                         .peer = TRACE_NONE,
                                         .object = variable,
                                         .tag = -1,
                                         .kind = (uint16_t) r->is,
                                         .flags = TRACE_INSTANT | TRACE_REAL,
                                         .real = value });
}

/* Numbers that have become others; a class or a root that has none has 0. */
static void
give_parts (Reading *r, const Shot *shot, double *now, double *last, uint8_t *part_of, uint32_t n_tasks)
{
  memset (now, 0, (size_t) n_tasks * N_OF_CLASS * sizeof *now);
  for (int part = 0; part < N_PARTS; part++)
    for (guint i = 0; i < shot->counts[part]->len; i++) {
      const Count *c = &g_array_index (shot->counts[part], Count, i);
      uint32_t task = ((const Class *) r->classes[part]->pdata[c->class])->task;
      part_of[task] = (uint8_t) part;
      for (int k = 0; k < N_OF_CLASS; k++)
        now[task * N_OF_CLASS + (uint32_t) k] += (double) c->numbers[k];
    }
  for (uint32_t task = 1; task < n_tasks; task++)
    for (uint32_t k = 0; k < N_OF_CLASS; k++)
      if (of_class[part_of[task]][k].name && now[task * N_OF_CLASS + k] != last[task * N_OF_CLASS + k]) {
        heap_reader_give (r, shot->date, task, r->of_class[part_of[task]][k], now[task * N_OF_CLASS + k]);
        last[task * N_OF_CLASS + k] = now[task * N_OF_CLASS + k];
      }
}

/* What was allocated since the snapshot before: in all, what of the minor heap has been promoted, and what was
 * allocated in the major heap at once; and how many per cent of the minor heap were promoted. */
static void
count_new (Shot *shot, const Shot *before)
{
  uint64_t *n = shot->numbers, since[MAJOR + 1];

  for (int k = MINOR; k <= MAJOR; k++) {
    since[k] = before ? before->numbers[k] : 0;
    if (n[k] == NOT_TOLD || since[k] == NOT_TOLD || n[k] < since[k]) {
      n[NEW] = n[NEW_PROMOTED] = n[NEW_MAJOR] = n[SHARE_PROMOTED] = NOT_TOLD;
      return;
    }
    since[k] = n[k] - since[k];
  }
  n[NEW_PROMOTED] = since[PROMOTED];
  n[NEW_MAJOR] = since[MAJOR] - MIN (since[PROMOTED], since[MAJOR]); /* promoted words count as major ones too */
  n[NEW] = since[MINOR] + n[NEW_MAJOR];
  n[SHARE_PROMOTED] = since[MINOR] > 0 ? (uint64_t) (100 * (double) since[PROMOTED] / (double) since[MINOR] + 0.5) : 0;
}

/* That the heap has been compacted since the snapshot before, and how often. */
static void
tell_compactions (Reading *r, const Shot *shot, const Shot *before)
{
  uint64_t so_far = before ? before->numbers[COMPACTIONS] : 0;

  if (shot->numbers[COMPACTIONS] <= so_far)
    return;
  converter_int (r->to, (int64_t) MIN (shot->numbers[COMPACTIONS] - so_far, INT64_MAX));
  converter_event (r->to, &(TraceEvent){ .date = shot->date,
                                         .task = r->task,
                                         .peer = TRACE_NONE,
                                         .object = TRACE_NONE,
                                         .tag = -1,
                                         .kind = (uint16_t) r->compaction,
                                         .flags = TRACE_INSTANT });
}

static void
heap_reader_tell (Reading *r)
{
  uint32_t n = r->source->tasks->len;
  g_autofree double *now = g_new0 (double, n *N_OF_CLASS), *last = g_new0 (double, n *N_OF_CLASS);
  g_autofree uint8_t *part_of = g_new0 (uint8_t, n);

  for (guint i = 0; i < r->shots->len; i++) {
    Shot *s = r->shots->pdata[i];
    count_new (s, i > 0 ? r->shots->pdata[i - 1] : NULL);
    converter_int (r->to, (int64_t) s->number);
    converter_text (r->to, s->trigger, strlen (s->trigger));
    converter_text (r->to, s->label, strlen (s->label));
    converter_int (r->to, (int64_t) s->known);
    converter_int (r->to, (int64_t) s->word);
    converter_text (r->to, s->file, strlen (s->file));
    converter_event (r->to, &(TraceEvent){ .date = s->date,
                                           .task = r->task,
                                           .peer = TRACE_NONE,
                                           .object = TRACE_NONE,
                                           .tag = -1,
                                           .kind = (uint16_t) r->snapshot,
                                           .flags = TRACE_INSTANT });
    for (int k = 0; k < N_OF_PROGRAM; k++)
      if (s->numbers[k] != NOT_TOLD && (i == 0 || (double) s->numbers[k] != r->last[k])) {
        r->last[k] = (double) s->numbers[k];
        heap_reader_give (r, s->date, r->task, r->variables[k], r->last[k]);
      }
    tell_compactions (r, s, i > 0 ? r->shots->pdata[i - 1] : NULL);
    give_parts (r, s, now, last, part_of, n);
  }
}

static bool
heap_convert (Converter *to, const char *path, GError **error)
{
  Reading r = { .to = to, .source = converter_source (to) };

  r.source->clock = (TraceClock){ TRACE_TICKS, "s" };
  r.shots = g_ptr_array_new_with_free_func (free_shot);
  for (int part = 0; part < N_PARTS; part++) {
    r.classes[part] = g_ptr_array_new_with_free_func (free_class);
    r.by_name[part] = g_hash_table_new (g_str_hash, g_str_equal);
  }
  bool ok = heap_reader_read_all (&r, path, error);
  if (ok) {
    heap_reader_declare (&r);
    heap_reader_tell (&r);
  }
  g_ptr_array_unref (r.shots);
  for (int part = 0; part < N_PARTS; part++) {
    g_hash_table_unref (r.by_name[part]);
    g_ptr_array_unref (r.classes[part]);
  }
  g_free (r.program);
  g_free (r.ocaml);
  return ok;
}

static const ConvertedFormat heap;
CONVERTED_OPEN (heap_open_trace, &heap)
static const ConvertedFormat heap = {
  .format = { .name = "heap",
              .label = N_ ("heap snapshots"),
              .model = "OCaml",
              .open = heap_open_trace,
              CONVERTED_FUNCTIONS },
  .folder = true,
  .convert = heap_convert,
};

TRACE_READER_PLUGIN (heap.format, "scope.heap-reader", "Heap reader", "reader:heap",
                     "Reads snapshots of the heap of OCaml programs, taken by `scope heap run`.");
