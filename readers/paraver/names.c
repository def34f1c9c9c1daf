/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the files beside a Paraver trace: .pcf names states, types of events and their values, .row what runs. */
#include <string.h>

#include "readers/paraver/paraver.h"
#include "eve/words.h"
#include "readers/pair.h"

#define MOST_LABELS 4000000 /* lines with a name that are kept, so that memory is bounded */

static void
paraver_names_free_type (void *p)
{
  ParaverType *t = p;

  g_free (t->label);
  g_clear_pointer (&t->values, g_hash_table_unref);
  g_clear_pointer (&t->objects, g_hash_table_unref);
  g_free (t);
}

/* What Extrae numbers its states by; a .pcf says the same, or something else. */
static const char *const usual_states[] = {
  "Idle",
  "Running",
  "Not created",
  "Waiting a message",
  "Blocking Send",
  "Synchronization",
  "Test/Probe",
  "Scheduling and Fork/Join",
  "Wait/WaitAll",
  "Blocked",
  "Immediate Send",
  "Immediate Receive",
  "I/O",
  "Group Communication",
  "Tracing Disabled",
  "Others",
  "Send Receive",
  "Memory transfer",
};

/* Extrae's calls of MPI, by their groups: 0 ends them whether it has a name or not. */
static bool
is_mpi_call (uint32_t number)
{
  return number >= 50000001 && number <= 50000003;
}

bool
paraver_is_mpi (uint32_t number)
{
  return is_mpi_call (number) || number == 50000004;
}

bool
paraver_is_runtime (uint32_t number)
{
  return number >= 60000001 && number < 60000018;
}

bool
paraver_is_running (const ParaverNames *names, int64_t state)
{
  const char *name = state == 1 ? g_hash_table_lookup (names->states, GUINT_TO_POINTER (1)) : NULL;

  return name && g_ascii_strcasecmp (name, "Running") == 0;
}

/* What Extrae numbers calls of MPI by, from 1 on, in three types of events; other tools took its numbers over. */
static const char *const usual_groups[] = { "MPI Point-to-point", "MPI Collective Comm", "MPI Other" };
static const char *const usual_calls[] = {
  "Send",
  "Recv",
  "Isend",
  "Irecv",
  "Wait",
  "Waitall",
  "Bcast",
  "Barrier",
  "Reduce",
  "Allreduce",
  "Alltoall",
  "Alltoallv",
  "Gather",
  "Gatherv",
  "Scatter",
  "Scatterv",
  "Allgather",
  "Allgatherv",
  "Comm_rank",
  "Comm_size",
  "Comm_create",
  "Comm_dup",
  "Comm_split",
  "Comm_group",
  "Comm_free",
  "Comm_remote_group",
  "Comm_remote_size",
  "Comm_test_inter",
  "Comm_compare",
  "Scan",
  "Init",
  "Finalize",
  "Bsend",
  "Ssend",
  "Rsend",
  "Ibsend",
  "Issend",
  "Irsend",
  "Test",
  "Cancel",
  "Sendrecv",
  "Sendrecv_replace",
};

char *
paraver_usual_call (const ParaverType *t, int64_t value)
{
  if (is_mpi_call (t->number) && value >= 1 && value <= (int64_t) G_N_ELEMENTS (usual_calls))
    return g_strconcat ("MPI_", usual_calls[value - 1], NULL);
  return t->meaning == PARAVER_CALL ? g_strdup_printf ("%s %" G_GINT64_FORMAT, t->label, value)
                                    : g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

ParaverNames *
paraver_names_new (void)
{
  ParaverNames *names = g_new0 (ParaverNames, 1);

  names->types = g_hash_table_new_full (NULL, NULL, NULL, paraver_names_free_type);
  names->states = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  names->colours = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (usual_states); i++)
    g_hash_table_insert (names->states, GUINT_TO_POINTER (i), g_strdup (usual_states[i]));
  return names;
}

void
paraver_names_free (ParaverNames *names)
{
  g_hash_table_unref (names->types);
  g_hash_table_unref (names->states);
  g_hash_table_unref (names->colours);
  for (int i = 0; i < N_ROWS; i++)
    g_clear_pointer (&names->rows[i], g_ptr_array_unref);
  g_free (names);
}

/* Extrae tells with these where in the program something was called, not what is done: nothing ends them. */
static bool
paraver_names_is_place (uint32_t number)
{
  return (number >= 70000000 && number < 70001000) || (number >= 80000000 && number < 80001000)
         || (number >= 30000000 && number < 30001000) || (number >= 60000100 && number < 60000200);
}

/* Without a .pcf: Extrae's calls of MPI and of OpenMP. */
static bool
is_usual_call (uint32_t number)
{
  return is_mpi_call (number) || (number >= 60000001 && number <= 60000099);
}

ParaverType *
paraver_type (ParaverNames *names, uint32_t number)
{
  ParaverType *t = g_hash_table_lookup (names->types, GUINT_TO_POINTER (number));

  if (t)
    return t;
  if (g_hash_table_size (names->types) >= MOST_LABELS) /* all others are one */
    number = 0;
  t = g_hash_table_lookup (names->types, GUINT_TO_POINTER (number));
  if (t)
    return t;
  t = g_new0 (ParaverType, 1);
  t->number = number;
  t->label = is_mpi_call (number) ? g_strdup (usual_groups[number - 50000001]) : g_strdup_printf ("Type %u", number);
  t->kind = TRACE_NONE;
  t->meaning = paraver_names_is_place (number) ? PARAVER_MARK
               : is_usual_call (number)        ? PARAVER_CALL
                                               : PARAVER_VARIABLE;
  g_hash_table_insert (names->types, GUINT_TO_POINTER (number), t);
  return t;
}

void
paraver_ended (ParaverNames *names, uint32_t number, uint32_t n)
{
  const int64_t end = 0;
  ParaverType *t = g_hash_table_lookup (names->types, GUINT_TO_POINTER (number));

  if (!t && is_usual_call (number)) /* the .pcf does not tell it, but it is here */
    paraver_type (names, number);
  if (t && n > 0 && t->meaning == PARAVER_MARK && !paraver_names_is_place (number)
      && !g_hash_table_contains (t->values, &end))
    t->meaning = PARAVER_CALL;
}

bool
paraver_has_calls (const ParaverNames *names)
{
  GHashTableIter iter;
  gpointer t;

  g_hash_table_iter_init (&iter, names->types);
  while (g_hash_table_iter_next (&iter, NULL, &t))
    if (((const ParaverType *) t)->meaning == PARAVER_CALL)
      return true;
  return g_hash_table_size (names->types) == 0;
}

const char *
paraver_row (const ParaverNames *names, ParaverRow row, uint64_t i)
{
  const GPtrArray *r = names->rows[row];
  const char *name = r && i < r->len ? r->pdata[i] : NULL;

  return name && *name ? name : NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

typedef struct Lines {
  Input *in;
  TraceSource *source;
  char *file;
  uint64_t n_kept;
} Lines;

static bool
begin_lines (Lines *l, TraceSource *s, const char *path)
{
  g_autoptr (GError) why = NULL;

  *l = (Lines){ .in = input_open (path, &why), .source = s, .file = g_path_get_basename (path) };
  if (!l->in)
    trace_source_damage (s, l->file, 1, 1, "%s", why->message);
  return l->in != NULL;
}

static void
end_lines (Lines *l)
{
  input_close (l->in);
  g_free (l->file);
}

/* The next line without blanks around it; NULL: the end. */
static char *
paraver_names_next_line (Lines *l)
{
  g_autoptr (GError) why = NULL;
  size_t n;
  bool cut;
  char *line = l->n_kept < MOST_LABELS ? input_line (l->in, &n, &cut, &why) : NULL;

  if (why)
    trace_source_damage (l->source, l->file, input_line_number (l->in), 1, "%s", why->message);
  else if (!line && l->n_kept >= MOST_LABELS)
    trace_source_damage (l->source, l->file, input_line_number (l->in), 1, _ ("only the first %d names are kept"),
                         MOST_LABELS);
  return line ? g_strstrip (line) : NULL;
}

static void
paraver_names_wrong (Lines *l, const char *what)
{
  trace_source_damage (l->source, l->file, input_line_number (l->in), 1, "%s", what);
}

/* Moves on behind blanks. */
static const char *
paraver_names_skip (const char *at)
{
  return at + strspn (at, " \t");
}

static void
free_values (void *table)
{
  g_hash_table_unref (table);
}

typedef enum { NOTHING, STATES, COLOURS, EVENT_TYPES, VALUES } Section;

typedef struct Pcf {
  Lines lines;
  ParaverNames *names;
  Section section;
  GPtrArray *block; /* of ParaverType: those that the values at hand are of */
  GHashTable *values;
  guint n_values;
} Pcf;

static bool
is_calls (GHashTable *values)
{
  const int64_t end = 0;

  return values && g_hash_table_size (values) > 1 && g_hash_table_contains (values, &end);
}

/* The block of types ends: what they mean is known. */
static void
end_block (Pcf *p)
{
  for (guint i = 0; i < p->block->len; i++) {
    ParaverType *t = p->block->pdata[i];
    g_clear_pointer (&t->values, g_hash_table_unref);
    t->values = p->values ? g_hash_table_ref (p->values) : NULL;
    t->meaning = paraver_names_is_place (t->number)                ? PARAVER_MARK
                 : is_calls (t->values) || is_mpi_call (t->number) ? PARAVER_CALL
                 : t->values                                       ? PARAVER_MARK
                                                                   : PARAVER_VARIABLE;
  }
  g_ptr_array_set_size (p->block, 0);
  g_clear_pointer (&p->values, free_values);
}

static bool
section_begins (Pcf *p, const char *line)
{
  if (!g_ascii_isupper (*line) || strspn (line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != strlen (line))
    return false;
  if (strcmp (line, "VALUES") == 0) {
    p->section = p->block->len > 0 ? VALUES : NOTHING;
    if (p->section == VALUES && !p->values)
      p->values = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
    return true;
  }
  end_block (p);
  p->section = strcmp (line, "STATES") == 0         ? STATES
               : strcmp (line, "STATES_COLOR") == 0 ? COLOURS
               : strcmp (line, "EVENT_TYPE") == 0   ? EVENT_TYPES
                                                    : NOTHING;
  return true;
}

/* "3 {255,0,0}"; what is none is passed over, as names alone tell what happens. */
static void
pcf_colour (ParaverNames *names, const char *at)
{
  int64_t n, part;
  uint32_t rgb = 0;

  if (!paraver_number (&at, &n) || n < 0 || n > UINT32_MAX)
    return;
  at += strspn (at, " \t{");
  for (int i = 0; i < 3; i++) {
    if (!paraver_number (&at, &part) || part < 0 || part > 255)
      return;
    rgb = rgb << 8 | (uint32_t) part;
    at += strspn (at, " \t,");
  }
  g_hash_table_insert (names->colours, GUINT_TO_POINTER ((guint) n), GUINT_TO_POINTER (rgb + 1));
}

static void
pcf_line (Pcf *p, const char *line)
{
  const char *at = line;
  int64_t n, gradient;

  if (p->section == NOTHING)
    return;
  if (p->section == COLOURS) {
    p->lines.n_kept++;
    pcf_colour (p->names, line);
    return;
  }
  bool good = paraver_number (&at, &n);
  if (good && p->section == EVENT_TYPES) {
    gradient = n;
    at = paraver_names_skip (at);
    good = paraver_number (&at, &n) && gradient >= 0 && n >= 0 && n <= UINT32_MAX;
  }
  if (!good || (*at != '\0' && *at != ' ' && *at != '\t')) {
    paraver_names_wrong (&p->lines, p->section == STATES ? _ ("a state has a number and a name")
                                    : p->section == EVENT_TYPES
                                        ? _ ("a type of events has a gradient, a number and a name")
                                        : _ ("a value has a number and a name"));
    return;
  }
  g_autofree char *name = g_utf8_make_valid (paraver_names_skip (at), -1);
  p->lines.n_kept++;
  if (p->section == STATES && n >= 0 && n <= UINT32_MAX && *name) {
    g_hash_table_replace (p->names->states, GUINT_TO_POINTER ((guint) n), g_steal_pointer (&name));
  } else if (p->section == EVENT_TYPES) {
    ParaverType *t = paraver_type (p->names, (uint32_t) n);
    if (*name) {
      g_free (t->label);
      t->label = g_steal_pointer (&name);
    }
    g_ptr_array_add (p->block, t);
  } else if (p->section == VALUES) {
    g_hash_table_replace (p->values, g_memdup2 (&n, sizeof n), g_steal_pointer (&name));
  }
}

void
paraver_read_pcf (ParaverNames *names, TraceSource *s, const char *path)
{
  Pcf p = { .names = names };
  char *line;

  if (begin_lines (&p.lines, s, path)) {
    p.block = g_ptr_array_new ();
    while ((line = paraver_names_next_line (&p.lines)))
      if (*line == '\0')
        p.section = p.section == VALUES ? NOTHING : p.section;
      else if (*line != '#' && !section_begins (&p, line))
        pcf_line (&p, line);
    end_block (&p);
    g_ptr_array_unref (p.block);
  }
  end_lines (&p.lines);
}

/* "LEVEL THREAD SIZE 8", then as many names, of which each may be empty. */
void
paraver_read_row (ParaverNames *names, TraceSource *s, const char *path)
{
  static const char *const levels[N_ROWS] = { "CPU", "NODE", "THREAD", "TASK", "APPL" };
  Lines l;
  char *line;
  GPtrArray *row = NULL;
  int64_t left = 0;

  if (begin_lines (&l, s, path)) {
    while ((line = paraver_names_next_line (&l))) {
      const char *size = strstr (line, " SIZE ");
      if (g_str_has_prefix (line, "LEVEL ") && size) {
        row = NULL;
        size += strlen (" SIZE ");
        if (!paraver_number (&size, &left))
          paraver_names_wrong (&l, _ ("a level has a name and a size"));
        for (int i = 0; i < N_ROWS; i++)
          if (g_str_has_prefix (line + strlen ("LEVEL "), levels[i])) {
            g_clear_pointer (&names->rows[i], g_ptr_array_unref);
            row = names->rows[i] = g_ptr_array_new_with_free_func (g_free);
          }
      } else if (row && left-- > 0) {
        g_ptr_array_add (row, g_utf8_make_valid (line, -1));
        l.n_kept++;
      }
    }
  }
  end_lines (&l);
}
