/* SPDX-License-Identifier: Apache-2.0 */
/* massif.c - reads what valgrind's Massif writes: snapshots of how much memory a program has, and of some of them the
 * calls that led to it.  README.md tells what is made of them. */
#include <string.h>

#include "readers/converted.h"
#include "eve/words.h"
#include "readers/memory-places.h"

#define MOST_DEPTH 512
#define MOST_BYTES (UINT64_C (1) << 53) /* no program has more */

typedef struct Way { /* of calls, which allocated at some snapshot */
  uint64_t values;   /* of its events */
  uint64_t bytes, tree;
  bool lives; /* it is in live_ways */
} Way;

typedef struct Level { /* of the tree at hand, from what allocates */
  uint32_t object;
  uint64_t bytes, inside; /* and what its callers account for */
} Level;

typedef struct Massif {
  Converter *to;
  TraceSource *source;
  Input *in;
  const char *file;
  MemoryPlaces *places;
  GHashTable *ways;     /* GBytes of objects, from what allocates -> Way */
  GPtrArray *live_ways; /* those that had bytes in the last tree */
  Level levels[MOST_DEPTH];
  uint32_t n_levels;
  bool in_tree, begun;
  uint64_t tree; /* how many have come */
  int64_t date, number;
  uint32_t task, place, amount, shot; /* kinds, */
  uint32_t live, extra, stacks;       /* variables */
} Massif;

static void massif_damaged (Massif *m, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

static void
massif_damaged (Massif *m, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (m->source, m->file, input_line_number (m->in), 1, fmt, args);
  va_end (args);
}

static bool
massif_get_number (const char *text, const char **end, uint64_t *v)
{
  const char *c = text;
  uint64_t n = 0;

  for (; *c >= '0' && *c <= '9' && c - text < 19; c++)
    n = n * 10 + (uint64_t) (*c - '0');
  *v = n;
  *end = c;
  return c > text && n <= MOST_BYTES;
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static TraceEvent
massif_event_of (const Massif *m, uint32_t kind, uint32_t variable, uint64_t bytes)
{
  return (TraceEvent){ .date = m->date,
                       .task = m->task,
                       .peer = TRACE_NONE,
                       .object = variable,
                       .tag = -1,
                       .kind = (uint16_t) kind,
                       .flags = TRACE_INSTANT,
                       .size = (int64_t) bytes };
}

static void
massif_begin (Massif *m, const char *command)
{
  static const TraceField of_place[] = { { "bytes", TRACE_ROLE_VALUE, "B" }, { "stack", TRACE_ROLE_OBJECTS, NULL } },
                          of_amount[] = { { "bytes", TRACE_ROLE_VALUE, "B" }, { "memory", TRACE_ROLE_OBJECT, NULL } },
                          of_shot[] = { { "number", TRACE_ROLE_INT, NULL }, { "tree", TRACE_ROLE_WORD, NULL } };

  m->task = memory_program (m->source, command);
  m->live = memory_variable (m->source, "live memory");
  m->extra = memory_variable (m->source, "memory of the allocator");
  m->stacks = memory_variable (m->source, "stacks");
  m->place = converter_kind (m->to, &(TraceKind){ .name = "Place",
                                                  .category = "memory",
                                                  .fields = of_place,
                                                  .n_fields = 2,
                                                  .instant = true,
                                                  .acts = TRACE_ACT_ALLOC | TRACE_ACT_MARK });
  m->amount = converter_kind (m->to, &(TraceKind){ .name = "Amount",
                                                   .category = "memory",
                                                   .fields = of_amount,
                                                   .n_fields = 2,
                                                   .instant = true,
                                                   .acts = TRACE_ACT_SET });
  m->shot = converter_kind (m->to, &(TraceKind){ .name = "Snapshot",
                                                 .category = "memory",
                                                 .fields = of_shot,
                                                 .n_fields = 2,
                                                 .instant = true,
                                                 .acts = TRACE_ACT_MARK });
  m->begun = true;
}

/* ---- the tree of a snapshot -------------------------------------------------------------------------------------------------- */

/* How much more, or less, than at the last snapshot that had a tree. */
static void
give_place (Massif *m, Way *way, uint64_t bytes)
{
  int64_t more = (int64_t) (bytes - way->bytes);
  TraceEvent e = massif_event_of (m, m->place, TRACE_NONE, 0);

  e.size = more;
  if (bytes > 0 && !way->lives)
    g_ptr_array_add (m->live_ways, way);
  way->lives |= bytes > 0;
  way->bytes = bytes;
  way->tree = m->tree;
  if (more != 0)
    converter_event_with (m->to, &e, way->values);
}

/* What the innermost level has beyond its callers is of the way that it stands for. */
static void
end_level (Massif *m)
{
  uint32_t calls[MOST_DEPTH], n = 0;
  const Level *l = &m->levels[m->n_levels - 1];

  if (l->inside > l->bytes)
    massif_damaged (m, _ ("the callers of a place have %" PRIu64 " B, and the place itself %" PRIu64), l->inside,
                    l->bytes);
  else if (l->bytes > l->inside) {
    for (uint32_t i = m->n_levels; i-- > 0;)
      if (m->levels[i].object != TRACE_NONE)
        calls[n++] = m->levels[i].object;
    g_autoptr (GBytes) key = g_bytes_new (calls, n * sizeof *calls);
    Way *way = g_hash_table_lookup (m->ways, key);
    if (!way) {
      way = g_new0 (Way, 1);
      converter_list (m->to, calls, n);
      way->values = converter_values (m->to);
      g_hash_table_insert (m->ways, g_bytes_ref (key), way);
    }
    give_place (m, way, (way->tree == m->tree ? way->bytes : 0) + l->bytes - l->inside);
  }
  m->n_levels--;
}

/* Ways that this snapshot does not name have nothing any more. */
static void
end_tree (Massif *m)
{
  guint n = 0;

  while (m->n_levels > 0)
    end_level (m);
  if (!m->in_tree)
    return;
  for (guint i = 0; i < m->live_ways->len; i++) {
    Way *way = m->live_ways->pdata[i];
    if (way->tree != m->tree && way->bytes > 0)
      give_place (m, way, 0);
    way->lives = way->bytes > 0;
    if (way->lives)
      m->live_ways->pdata[n++] = way;
  }
  g_ptr_array_set_size (m->live_ways, (gint) n);
  m->in_tree = false;
}

/* "0x1091F4: work (leaky.c:9)", "0x4A3: f (in /lib/x.so)", "0x4A3: ???", "in 3 places, below massif's threshold
 * (1.00%)"; the outermost line has what counts as an allocation, and is no place. */
static uint32_t
massif_place_of (Massif *m, const char *text, uint32_t depth)
{
  const char *colon = strstr (text, ": "), *in = strstr (text, " (in "), *slash = in ? strrchr (in, '/') : NULL;

  if (depth == 0)
    return TRACE_NONE;
  if (strncmp (text, "0x", 2) != 0 || !colon)
    return memory_place_called (m->places, g_strdup (text));
  if (strcmp (colon + 2, "???") == 0)
    return memory_place_called (m->places, g_strndup (text, (gsize) (colon - text)));
  if (slash)
    return memory_place_called (
        m->places, g_strdup_printf ("%.*s (%s", (int) MIN (in - colon - 2, 1 << 20), colon + 2, slash + 1));
  return memory_place_called (m->places, g_strdup (colon + 2));
}

/* A line of a tree, as deep as it is indented: `n2: 3984 0x109196: grab (leaky.c:7)`. */
static bool
massif_get_node (Massif *m, const char *line)
{
  uint32_t depth = (uint32_t) strspn (line, " ");
  const char *at = line + depth;
  uint64_t n, bytes;

  if (*at != 'n' || !massif_get_number (at + 1, &at, &n) || strncmp (at, ": ", 2) != 0
      || !massif_get_number (at + 2, &at, &bytes) || *at != ' ' || bytes > MOST_BYTES)
    return false;
  while (m->n_levels > depth)
    end_level (m);
  if (m->n_levels != depth || depth >= MOST_DEPTH)
    return false;
  if (depth > 0)
    m->levels[depth - 1].inside += bytes;
  m->levels[m->n_levels++] = (Level){ massif_place_of (m, at + 1, depth), bytes, 0 };
  return true;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------------- */

/* Of time in instructions, or in bytes, one is shown as a nanosecond. */
static bool
get_time_unit (Massif *m, const char *unit)
{
  const char *means = strcmp (unit, "i") == 0   ? "instruction"
                      : strcmp (unit, "B") == 0 ? "byte allocated or freed"
                                                : NULL;

  if (!means && strcmp (unit, "ms") != 0)
    return false;
  m->source->clock.ticks_per_second = means ? TRACE_TICKS : 1000;
  if (means)
    trace_source_remark (m->source, m->file, input_line_number (m->in), 1,
                         _ ("there are no dates in it: each %s counts as a nanosecond; `valgrind --tool=massif "
                            "--time-unit=ms` records time"),
                         means);
  return true;
}

static void
give_amount (Massif *m, uint32_t variable, uint64_t bytes)
{
  TraceEvent e = massif_event_of (m, m->amount, variable, bytes);

  converter_event (m->to, &e);
}

static const char *
massif_behind (const char *line, const char *name)
{
  return g_str_has_prefix (line, name) ? line + strlen (name) : NULL;
}

/* False: the line makes no sense. */
static bool
massif_get_line (Massif *m, const char *line)
{
  const char *v, *end;
  uint64_t n;

  if (m->in_tree && massif_get_node (m, line))
    return true;
  end_tree (m);
  if (*line == '#' || *line == '\0' || g_str_has_prefix (line, "desc:"))
    return true;
  if ((v = massif_behind (line, "cmd: "))) {
    if (!m->begun)
      massif_begin (m, v);
    return true;
  }
  if ((v = massif_behind (line, "time_unit: ")))
    return get_time_unit (m, v);
  if (!m->begun)
    return false;
  if ((v = massif_behind (line, "snapshot="))) {
    m->number = massif_get_number (v, &end, &n) ? (int64_t) n : -1;
    return m->number >= 0;
  }
  if ((v = massif_behind (line, "time="))) {
    if (!massif_get_number (v, &end, &n))
      return false;
    m->date = (int64_t) n;
    return true;
  }
  if ((v = massif_behind (line, "heap_tree="))) {
    TraceEvent e = massif_event_of (m, m->shot, TRACE_NONE, 0);
    converter_int (m->to, m->number);
    converter_text (m->to, v, strlen (v));
    converter_event (m->to, &e);
    m->tree++;
    m->in_tree = strcmp (v, "empty") != 0;
    return true;
  }
  static const char *const names[] = { "mem_heap_B=", "mem_heap_extra_B=", "mem_stacks_B=" };
  const uint32_t variables[] = { m->live, m->extra, m->stacks };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((v = massif_behind (line, names[i]))) {
      if (!massif_get_number (v, &end, &n))
        return false;
      give_amount (m, variables[i], n);
      return true;
    }
  return false;
}

static bool
massif_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Massif *m = g_new0 (Massif, 1);
  g_autoptr (GError) why = NULL;
  size_t n;
  bool cut, ok = true;

  *m = (Massif){ .to = to, .source = converter_source (to), .file = file, .in = input_open (path, error) };
  if (!m->in) {
    g_free (m);
    return false;
  }
  m->source->clock = (TraceClock){ 1000, "s" };
  m->places = memory_places_new (m->source);
  m->live_ways = g_ptr_array_new ();
  m->ways = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  for (char *line; ok && (line = input_line (m->in, &n, &cut, &why));) {
    if (cut || !massif_get_line (m, line))
      massif_damaged (m, _ ("this line makes no sense%s: it is left out"),
                      input_line_ended (m->in) ? "" : _ (", it is cut"));
    if (input_line_number (m->in) % 4096 == 0)
      ok = converter_progress (to, input_share (m->in), error);
  }
  end_tree (m);
  if (why)
    massif_damaged (m, _ ("%s; what was read before it is kept"), why->message);
  if (ok && !m->begun) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s does not say which program it is of; it is cut or damaged"), path);
    ok = false;
  }
  g_hash_table_unref (m->ways);
  g_ptr_array_unref (m->live_ways);
  memory_places_free (m->places);
  input_close (m->in);
  g_free (m);
  return ok;
}

static int
massif_recognise (const char *path, const void *head, size_t n, char **whole)
{
  g_autofree char *text = head ? g_strndup (head, MIN (n, 8192)) : NULL;

  return text && g_str_has_prefix (text, "desc:") && strstr (text, "\ncmd: ") && strstr (text, "\ntime_unit: ") ? 90
                                                                                                                : 0;
}

static const ConvertedFormat massif;
CONVERTED_OPEN (massif_open, &massif)
static const ConvertedFormat massif = {
  .format = { .name = "massif",
              .label = "Massif",
              .model = "memory",
              .open = massif_open,
              .recognise = massif_recognise,
              CONVERTED_FUNCTIONS },
  .convert = massif_convert,
};

TRACE_READER_PLUGIN (massif.format, "scope.massif-reader", "Massif reader", "reader:massif",
                     "Reads what valgrind's Massif writes of the memory of programs.");
