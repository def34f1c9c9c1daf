/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack.c - reads what heaptrack writes of programs in C, C++ and others: each allocation and what was freed, with
 * the calls that led to it.  README.md tells the lines. */
#include <string.h>

#include "readers/converted.h"
#include "eve/words.h"
#include "readers/memory-places.h"

#define MOST_DEPTH 512        /* calls of an allocation, the innermost ones */
#define MOST_STEPS 4096       /* from one place to the next, to find them */
#define MOST_ENTRIES 20000000 /* of a table */
#define NOT_GIVEN UINT64_MAX

typedef struct Address { /* a place in the program: one call, and those that are inlined around it */
  uint32_t first, n;     /* of `calls` */
} Address;

typedef struct Trace { /* a way to an address */
  uint32_t address, parent;
  uint64_t values; /* of the events with it, or NOT_GIVEN */
} Trace;

typedef struct Info { /* allocations of one size at one place */
  uint64_t bytes, live;
  uint32_t trace;
} Info;

typedef struct Heaptrack {
  Converter *to;
  TraceSource *source;
  Input *in;
  const char *file;
  uint64_t version, page_bytes;
  int64_t date; /* milliseconds */
  GPtrArray *strings;
  GArray *addresses, *calls, *traces, *infos; /* of Address, uint32_t (objects), Trace, Info */
  MemoryPlaces *places;
  uint32_t task, alloc, free, resident, live, pages; /* kinds and variables */
  bool begun, attached, full;
} Heaptrack;

static void heaptrack_damaged (Heaptrack *h, const char *fmt, ...) G_GNUC_PRINTF (2, 3);

static void
heaptrack_damaged (Heaptrack *h, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  trace_source_damage_list (h->source, h->file, input_line_number (h->in), 1, fmt, args);
  va_end (args);
}

/* ---- words ----------------------------------------------------------------------------------------------------------------- */

/* The next number, in hexadecimal digits behind a space. */
static bool
heaptrack_get_hex (const char **at, uint64_t *v)
{
  const char *c = *at;
  uint64_t n = 0;
  int digits = 0;

  while (*c == ' ')
    c++;
  for (;; c++, digits++) {
    unsigned digit = *c >= '0' && *c <= '9'   ? (unsigned) (*c - '0')
                     : *c >= 'a' && *c <= 'f' ? (unsigned) (*c - 'a') + 10
                                              : 16;
    if (digit == 16)
      break;
    n = n << 4 | digit;
  }
  *v = n;
  *at = c;
  return digits > 0 && digits <= 16;
}

/* An index into a table of n, from 1; 0: none. */
static bool
heaptrack_get_index (const char **at, guint n, uint32_t *index)
{
  uint64_t v;

  if (!heaptrack_get_hex (at, &v) || v > n)
    return false;
  *index = (uint32_t) v;
  return true;
}

static const char *
heaptrack_string_of (const Heaptrack *h, uint32_t index)
{
  return index > 0 ? h->strings->pdata[index - 1] : NULL;
}

/* What comes behind a table that is full would be counted wrongly. */
static bool
heaptrack_is_full (Heaptrack *h, guint n)
{
  if (n >= MOST_ENTRIES && !h->full)
    heaptrack_damaged (h,
                       _ ("it has more than %d strings, addresses, ways or sizes: what comes from here on is left out"),
                       MOST_ENTRIES);
  h->full = h->full || n >= MOST_ENTRIES;
  return h->full;
}

/* A string says since version 3 how long it is, and may go on in further lines. */
static bool
get_string (Heaptrack *h, const char *at)
{
  uint64_t bytes = 0;
  GError *error = NULL;

  if (heaptrack_is_full (h, h->strings->len))
    return false;
  if (h->version < 3) {
    g_ptr_array_add (h->strings, g_utf8_make_valid (at + (*at == ' '), -1));
    return true;
  }
  bool ok = heaptrack_get_hex (&at, &bytes);
  g_autoptr (GString) text = g_string_new (at + (*at == ' '));
  while (ok && text->len < bytes && bytes <= 1 << 20) {
    size_t n;
    bool cut;
    const char *more = input_line (h->in, &n, &cut, &error);
    if (!more)
      break;
    g_string_append_printf (text, "\n%s", more);
  }
  g_clear_error (&error); /* the next line will tell it */
  g_ptr_array_add (h->strings, g_utf8_make_valid (text->str, (gssize) text->len));
  return ok && text->len == bytes;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

static void
heaptrack_add_call (Heaptrack *h, uint64_t ip, const char *module, const char *function, const char *file,
                    uint64_t line)
{
  uint32_t object = function ? memory_place (h->places, function, file, line) : memory_address (h->places, ip, module);

  if (object != TRACE_NONE)
    g_array_append_val (h->calls, object);
}

/* `i ADDRESS MODULE [FUNCTION [FILE LINE [FUNCTION FILE LINE]...]]`, the innermost first. */
static bool
get_address (Heaptrack *h, const char *at)
{
  Address a = { .first = h->calls->len };
  uint64_t ip, line = 0;
  uint32_t module = 0, function = 0, file = 0;
  if (heaptrack_is_full (h, h->addresses->len) || heaptrack_is_full (h, h->calls->len))
    return false;
  bool ok = heaptrack_get_hex (&at, &ip) && heaptrack_get_index (&at, h->strings->len, &module);

  if (ok && *at && heaptrack_get_index (&at, h->strings->len, &function) && *at)
    ok = heaptrack_get_index (&at, h->strings->len, &file) && heaptrack_get_hex (&at, &line);
  heaptrack_add_call (h, ip, heaptrack_string_of (h, module), heaptrack_string_of (h, function),
                      heaptrack_string_of (h, file), line);
  while (ok && *at) {
    ok = heaptrack_get_index (&at, h->strings->len, &function) && heaptrack_get_index (&at, h->strings->len, &file)
         && heaptrack_get_hex (&at, &line);
    if (ok)
      heaptrack_add_call (h, ip, heaptrack_string_of (h, module), heaptrack_string_of (h, function),
                          heaptrack_string_of (h, file), line);
  }
  a.n = h->calls->len - a.first;
  g_array_append_val (h->addresses, a); /* damaged too, as those behind it are counted on */
  return ok;
}

static bool
get_trace (Heaptrack *h, const char *at)
{
  Trace t = { .values = NOT_GIVEN };

  if (heaptrack_is_full (h, h->traces->len))
    return false;
  bool ok = heaptrack_get_index (&at, h->addresses->len, &t.address)
            && heaptrack_get_index (&at, h->traces->len, &t.parent);

  if (!ok)
    t = (Trace){ .values = NOT_GIVEN };
  g_array_append_val (h->traces, t);
  return ok;
}

static bool
heaptrack_get_info (Heaptrack *h, const char *at)
{
  Info a = { 0 };

  if (heaptrack_is_full (h, h->infos->len))
    return false;
  bool ok = heaptrack_get_hex (&at, &a.bytes) && heaptrack_get_index (&at, h->traces->len, &a.trace)
            && a.bytes <= UINT64_C (1) << 50;

  if (!ok)
    a = (Info){ 0 };
  g_array_append_val (h->infos, a);
  return ok;
}

/* Kept once for each way. */
static uint64_t
heaptrack_values_of (Heaptrack *h, uint32_t trace)
{
  uint32_t calls[MOST_DEPTH], n = 0, steps = 0;
  Trace *t = trace > 0 ? &g_array_index (h->traces, Trace, trace - 1) : NULL;

  if (t && t->values != NOT_GIVEN)
    return t->values;
  for (const Trace *up = t; up && up->address > 0 && steps++<MOST_STEPS; up = up->parent> 0
                                ? &g_array_index (h->traces, Trace, up->parent - 1)
                                : NULL) {
    const Address *a = &g_array_index (h->addresses, Address, up->address - 1);
    for (uint32_t i = 0; i < a->n && n < MOST_DEPTH; i++)
      calls[MOST_DEPTH - ++n] = g_array_index (h->calls, uint32_t, a->first + i);
    if (n == MOST_DEPTH)
      break;
  }
  converter_list (h->to, calls + MOST_DEPTH - n, n);
  uint64_t values = converter_values (h->to);
  if (t)
    t->values = values;
  return values;
}

/* ---- events ---------------------------------------------------------------------------------------------------------------- */

static void
heaptrack_give (Heaptrack *h, uint32_t kind, uint32_t variable, int64_t bytes, uint64_t values)
{
  converter_event_with (h->to,
                        &(TraceEvent){ .date = h->date,
                                       .task = h->task,
                                       .peer = TRACE_NONE,
                                       .object = variable,
                                       .tag = -1,
                                       .kind = (uint16_t) kind,
                                       .flags = TRACE_INSTANT,
                                       .size = bytes },
                        values);
}

static bool
get_allocation (Heaptrack *h, const char *at, bool ends)
{
  uint64_t index;

  if (!heaptrack_get_hex (&at, &index) || index >= h->infos->len)
    return false;
  Info *a = &g_array_index (h->infos, Info, index);
  if (ends && a->live == 0) {
    heaptrack_damaged (h, _ ("memory is freed that was not allocated before, or was freed before"));
    return true;
  }
  a->live += ends ? UINT64_MAX : 1;
  heaptrack_give (h, ends ? h->free : h->alloc, h->live, ends ? -(int64_t) a->bytes : (int64_t) a->bytes,
                  heaptrack_values_of (h, a->trace));
  return true;
}

static bool
heaptrack_begin (Heaptrack *h, const char *command)
{
  static const TraceField of_memory[] = { { "bytes", TRACE_ROLE_VALUE, "B" },
                                          { "memory", TRACE_ROLE_OBJECT, NULL },
                                          { "stack", TRACE_ROLE_OBJECTS, NULL } };

  h->task = memory_program (h->source, command);
  h->live = memory_variable (h->source, "live memory");
  h->pages = memory_variable (h->source, "resident memory");
  h->alloc = converter_kind (h->to, &(TraceKind){ .name = "Alloc",
                                                  .category = "memory",
                                                  .fields = of_memory,
                                                  .n_fields = 3,
                                                  .instant = true,
                                                  .acts = TRACE_ACT_ALLOC | TRACE_ACT_ADD });
  h->free = converter_kind (h->to, &(TraceKind){ .name = "Free",
                                                 .category = "memory",
                                                 .fields = of_memory,
                                                 .n_fields = 3,
                                                 .instant = true,
                                                 .acts = TRACE_ACT_FREE | TRACE_ACT_ADD });
  h->resident = converter_kind (h->to, &(TraceKind){ .name = "Resident",
                                                     .category = "memory",
                                                     .fields = of_memory,
                                                     .n_fields = 2,
                                                     .instant = true,
                                                     .acts = TRACE_ACT_SET });
  h->begun = true;
  return true;
}

/* False: the line makes no sense. */
static bool
heaptrack_get_line (Heaptrack *h, const char *line)
{
  const char *at = line + 1;
  uint64_t v;

  switch (*line) {
  case '+':
  case '-':
    return h->begun && get_allocation (h, at, *line == '-');
  case 'c':
    if (!heaptrack_get_hex (&at, &v) || v > UINT64_C (1) << 45)
      return false;
    h->date = (int64_t) v;
    return true;
  case 'R':
    if (!h->begun || !heaptrack_get_hex (&at, &v) || v > (UINT64_C (1) << 60) / MAX (h->page_bytes, 1))
      return false;
    heaptrack_give (h, h->resident, h->pages, (int64_t) (v * h->page_bytes), converter_values (h->to));
    return true;
  case 'a':
    return heaptrack_get_info (h, at);
  case 't':
    return get_trace (h, at);
  case 'i':
    return get_address (h, at);
  case 's':
    return get_string (h, at);
  case 'I':
    return heaptrack_get_hex (&at, &h->page_bytes) && h->page_bytes <= 1 << 24;
  case 'X':
    return h->begun || heaptrack_begin (h, at + (*at == ' '));
  case 'A':
    h->attached = true;
    return true;
  case '#':
  case 'S': /* leaks that the program does not count as such */
  case 'e':
  case '\0':
    return true;
  default:
    return false;
  }
}

static bool
heaptrack_read_lines (Heaptrack *h, GError **error)
{
  g_autoptr (GError) why = NULL;
  size_t n;
  bool cut;

  for (char *line; !h->full && (line = input_line (h->in, &n, &cut, &why));) {
    if ((cut || !heaptrack_get_line (h, line)) && !h->full)
      heaptrack_damaged (h, _ ("this line makes no sense%s: it is left out"),
                         input_line_ended (h->in) ? "" : _ (", it is cut"));
    if (input_line_number (h->in) % 4096 == 0 && !converter_progress (h->to, input_share (h->in), error))
      return false;
  }
  if (why)
    heaptrack_damaged (h, _ ("%s; what was read before it is kept"), why->message);
  return true;
}

/* Its first line, `v PROGRAM FORMAT`, in hexadecimal digits; whether it is as heaptrack_interpret has written it. */
static bool
heaptrack_get_head (const char *head, uint64_t *version, bool *raw)
{
  const char *at = head + 1;
  uint64_t program;

  if (head[0] != 'v' || head[1] != ' ' || !heaptrack_get_hex (&at, &program) || !heaptrack_get_hex (&at, version)
      || *at != '\n')
    return false;
  *raw = at[1] == 'x';
  return at[1] == 'x' || at[1] == 'X' || at[1] == 'I' || at[1] == '#' || at[1] == 's' || at[1] == 'A';
}

static bool
heaptrack_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Heaptrack h = { .to = to, .source = converter_source (to), .file = file, .page_bytes = 4096 };
  char head[256] = "";
  bool raw = false;

  head[input_head (path, head, sizeof head - 1)] = '\0';
  if (!heaptrack_get_head (head, &h.version, &raw) || h.version < 1 || h.version > 3 || raw) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_FORMAT,
        raw ? _ ("%s is as the program wrote it, without names of functions; interpret it first: zstd -dc %s | "
                 "/usr/lib/heaptrack/libexec/heaptrack_interpret | zstd -c > interpreted.zst")
            : _ ("%s is of a version of heaptrack's format that is not read; those of heaptrack 1.1 to 1.5 are%.0s"),
        path, file);
    return false;
  }
  if (!(h.in = input_open (path, error)))
    return false;
  h.source->clock = (TraceClock){ 1000, "s" };
  h.strings = g_ptr_array_new_with_free_func (g_free);
  h.addresses = g_array_new (FALSE, FALSE, sizeof (Address));
  h.calls = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  h.traces = g_array_new (FALSE, FALSE, sizeof (Trace));
  h.infos = g_array_new (FALSE, FALSE, sizeof (Info));
  h.places = memory_places_new (h.source);
  size_t n;
  bool cut;
  input_line (h.in, &n, &cut, NULL); /* its head */
  bool ok = heaptrack_read_lines (&h, error);
  if (ok && !h.begun) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("%s does not say which program it is of; it is cut or damaged"), path);
    ok = false;
  }
  if (h.attached)
    trace_source_remark (h.source, file, 0, 0,
                         _ ("heaptrack came to the program while it ran: what it had allocated before is not known"));
  g_ptr_array_unref (h.strings);
  g_array_unref (h.addresses);
  g_array_unref (h.calls);
  g_array_unref (h.traces);
  g_array_unref (h.infos);
  memory_places_free (h.places);
  input_close (h.in);
  return ok;
}

static int
heaptrack_recognise (const char *path, const void *head, size_t n, char **whole)
{
  char first[256] = "";
  uint64_t version;
  bool raw;

  if (!head)
    return 0;
  memcpy (first, head, MIN (n, sizeof first - 1));
  return heaptrack_get_head (first, &version, &raw) ? 85 : 0;
}

static const ConvertedFormat heaptrack;
CONVERTED_OPEN (heaptrack_open, &heaptrack)
static const ConvertedFormat heaptrack = {
  .format = { .name = "heaptrack",
              .label = "heaptrack",
              .model = "memory",
              .open = heaptrack_open,
              .recognise = heaptrack_recognise,
              CONVERTED_FUNCTIONS },
  .convert = heaptrack_convert,
};

TRACE_READER_PLUGIN (heaptrack.format, "scope.heaptrack-reader", "heaptrack reader", "reader:heaptrack",
                     "Reads what heaptrack records of the memory of programs.");
