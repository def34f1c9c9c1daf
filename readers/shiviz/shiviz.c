/* SPDX-License-Identifier: Apache-2.0 */
/* shiviz.c - reads logs whose entries are dated by vectors, as GoVector writes them and ShiViz shows them: README.md.
 */
#include <string.h>

#include "eve/words.h"
#include "readers/shiviz/shiviz.h"

/* A name between quotation marks, into `to`; false: it is none, or too long. */
static bool
shiviz_quoted (const char **at, char *to)
{
  const char *p = *at;
  size_t n = 0;

  if (*p++ != '"')
    return false;
  for (; *p != '"'; p++) {
    if (*p == '\\' && (p[1] == '"' || p[1] == '\\' || p[1] == '/'))
      p++;
    if (*p == '\0' || n + 1 >= SHIVIZ_MOST_NAME)
      return false;
    to[n++] = *p;
  }
  to[n] = '\0';
  *at = p + 1;
  return n > 0 && g_utf8_validate (to, -1, NULL);
}

static const char *
shiviz_blanks (const char *at)
{
  return at + strspn (at, " \t");
}

bool
shiviz_vector (const char **at, bool (*each) (void *arg, const char *name, int64_t n), void *arg)
{
  const char *p = *at;
  char name[SHIVIZ_MOST_NAME];

  if (*p != '{')
    return false;
  do {
    char *end;
    p = shiviz_blanks (p + 1);
    if (!shiviz_quoted (&p, name) || *(p = shiviz_blanks (p)) != ':')
      return false;
    p = shiviz_blanks (p + 1);
    int64_t n = g_ascii_isdigit (*p) ? g_ascii_strtoll (p, &end, 10) : -1;
    if (n < 0 || n > SHIVIZ_MOST_ENTRIES || !each (arg, name, n))
      return false;
    p = shiviz_blanks (end);
  } while (*p == ',');
  if (*p != '}')
    return false;
  *at = p + 1;
  return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------- */

typedef struct Line {
  Shiviz *s;     /* NULL: who only looks */
  char *host;    /* g_free */
  int64_t own;   /* its own number; 0: the vector has none */
  GArray *known; /* of ShivizKnown; NULL likewise */
  const char *rest;
} Line;

static uint32_t
shiviz_host_of (Shiviz *s, const char *name)
{
  uint32_t host = GPOINTER_TO_UINT (g_hash_table_lookup (s->hosts, name));

  if (host > 0)
    return host - 1;
  if (s->source->tasks->len >= SHIVIZ_MOST_HOSTS) {
    if (!s->crowded)
      trace_source_damage (s->source, s->file, 0, 0, _ ("more than %u hosts; what the others know is left out"),
                           SHIVIZ_MOST_HOSTS);
    s->crowded = true;
    return TRACE_NONE;
  }
  host = trace_source_add_task (s->source, name, s->source->tasks->len);
  g_hash_table_insert (s->hosts, g_strdup (name), GUINT_TO_POINTER (host + 1));
  return host;
}

static bool
shiviz_add_known (void *arg, const char *name, int64_t n)
{
  Line *l = arg;

  if (strcmp (name, l->host) == 0)
    l->own = n;
  uint32_t host = l->s && n > 0 ? shiviz_host_of (l->s, name) : TRACE_NONE;
  if (host == TRACE_NONE)
    return true;
  const ShivizKnown k = { host, n };
  g_array_append_val (l->known, k);
  return true;
}

static bool
shiviz_is_sound (void *arg, const char *name, int64_t n)
{
  return true;
}

/* HOST {VECTOR} and what is behind it.  What comes before HOST is no part of it: words of another program. */
static bool
is_dated (Line *l, const char *text)
{
  const char *brace = strchr (text, '{'), *end = brace, *begin;

  g_clear_pointer (&l->host, g_free);
  l->own = 0;
  if (!brace || brace == text)
    return false;
  while (end > text && g_ascii_isspace (end[-1]))
    end--;
  for (begin = end; begin > text && !g_ascii_isspace (begin[-1]);)
    begin--;
  if (begin == end || end == brace || (size_t) (end - begin) >= SHIVIZ_MOST_NAME
      || !g_utf8_validate (begin, end - begin, NULL))
    return false;
  l->host = g_strndup (begin, (gsize) (end - begin));
  if (l->known)
    g_array_set_size (l->known, 0);
  if (!shiviz_vector (&brace, shiviz_is_sound, NULL)) /* a brace of a text makes no hosts */
    return false;
  l->rest = shiviz_blanks (brace);
  brace = strchr (text, '{');
  if ((l->s && shiviz_host_of (l->s, l->host) == TRACE_NONE) || !shiviz_vector (&brace, shiviz_add_known, l))
    return false;
  return true;
}

static int
by_host (gconstpointer a, gconstpointer b)
{
  const ShivizKnown *x = a, *y = b;

  return (x->host > y->host) - (x->host < y->host);
}

static void
add_entry (Shiviz *s, Line *l, uint64_t line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  uint32_t n = 0;

  if (l->own == 0) {
    trace_source_damage (s->source, s->file, line, 1, _ ("the vector of %s does not count its own entries; left out"),
                         l->host);
    return;
  }
  s->n_bytes += sizeof (ShivizEntry) + l->known->len * sizeof (ShivizKnown) + strlen (valid);
  if (s->n_bytes > SHIVIZ_MOST_BYTES) {
    if (!s->full)
      trace_source_damage (s->source, s->file, line, 1,
                           _ ("there are more entries than %u, which fill what memory they may have; those from here "
                              "on are left out"),
                           s->entries->len);
    s->full = true;
    return;
  }
  g_array_sort (l->known, by_host);
  ShivizKnown *k = (ShivizKnown *) l->known->data;
  for (guint i = 0; i < l->known->len; i++) /* of two that name one host the last counts */
    if (n > 0 && k[n - 1].host == k[i].host)
      k[n - 1] = k[i];
    else
      k[n++] = k[i];
  const ShivizEntry e = { .host = shiviz_host_of (s, l->host),
                          .n_known = n,
                          .number = l->own,
                          .known = g_memdup2 (k, n * sizeof *k),
                          .text = g_string_chunk_insert (s->text, g_strstrip (valid)),
                          .line = line };
  g_array_append_val (s->entries, e);
}

/* The text of an entry stands behind its vector, in the line after it, or, as the first entry shows, before it. */
static bool
shiviz_read_lines (Shiviz *s, const char *path, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (ShivizKnown));
  g_autofree char *before = NULL;
  Input *in = input_open (path, error);
  Line l = { .s = s, .known = known };
  bool goes_on = in != NULL, text_first = false, waits = false, cut;
  uint64_t dated = 0;
  size_t n;

  for (char *text; goes_on && (text = input_line (in, &n, &cut, &why));) {
    uint64_t line = input_line_number (in);
    if ((line & 0x3ff) == 0)
      goes_on = converter_progress (s->to, input_share (in) / 2, error);
    bool early = s->entries->len == 0 && !waits;
    if (*shiviz_blanks (text) == '\0'
        || (early && strstr (text, "(?<"))) /* the pattern by which ShiViz is told to read it */
      continue;
    Line next = { .s = s, .known = waits ? g_array_new (FALSE, FALSE, sizeof (ShivizKnown)) : known };
    bool is = !cut && strlen (text) == n && is_dated (&next, text);
    if (waits) { /* for the text of the entry before */
      add_entry (s, &l, dated, is ? "" : text);
      waits = false;
      if (is)
        g_array_set_size (known, 0), g_array_append_vals (known, next.known->data, next.known->len);
      g_array_unref (next.known);
      next.known = known;
      if (!is) {
        g_free (next.host);
        continue;
      }
    }
    if (!is && s->entries->len == 0 && !before) {
      before = g_strdup (text);
      text_first = true;
    } else if (!is && text_first && !before) {
      before = g_strdup (text);
    } else if (!is) {
      trace_source_damage (s->source, s->file, line, 1,
                           cut ? _ ("the line is longer than 1 MiB")
                               : _ ("HOST {\"HOST\": NUMBER, ...} is expected; this line is left out"));
    } else {
      g_free (l.host);
      l = next;
      next.host = NULL;
      dated = line;
      if (before || *l.rest)
        add_entry (s, &l, line, before ? before : l.rest);
      else
        waits = !(text_first && s->entries->len > 0);
      if (!before && !*l.rest && !waits)
        add_entry (s, &l, line, "");
      g_clear_pointer (&before, g_free);
    }
    g_free (next.host);
  }
  if (waits)
    add_entry (s, &l, dated, "");
  g_free (l.host);
  if (why && s->entries->len > 0) { /* what came before it is good */
    trace_source_damage (s->source, s->file, input_line_number (in), 1, "%s", why->message);
  } else if (why) {
    g_propagate_error (error, g_steal_pointer (&why));
    goes_on = false;
  }
  input_close (in);
  return goes_on;
}

static bool
shiviz_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Shiviz s = { .to = to, .source = converter_source (to), .file = file };

  s.hosts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s.entries = g_array_new (FALSE, FALSE, sizeof (ShivizEntry));
  s.text = g_string_chunk_new (1 << 16);
  s.source->clock = (TraceClock){ 1, "steps" };
  bool ok = shiviz_read_lines (&s, path, error) && shiviz_order (&s, error);
  for (guint i = 0; i < s.entries->len; i++)
    g_free (g_array_index (s.entries, ShivizEntry, i).known);
  g_array_unref (s.entries);
  g_hash_table_unref (s.hosts);
  g_string_chunk_free (s.text);
  return ok;
}

/* One of its first lines that are not empty is dated by a vector that counts its own host. */
static int
shiviz_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const char *at = head, *end = head ? at + n : NULL;
  int lines = 0;

  if (!head || memchr (head, 0, n))
    return 0;
  while (at < end && lines < 4) {
    const char *stop = memchr (at, '\n', (size_t) (end - at));
    g_autofree char *text = g_strndup (at, (gsize) ((stop ? stop : end) - at));
    Line l = { 0 };
    g_strchomp (text);
    lines += *shiviz_blanks (text) && !strstr (text, "(?<");
    bool is = is_dated (&l, text) && l.own > 0;
    g_free (l.host);
    if (is)
      return 70;
    at = stop ? stop + 1 : end;
  }
  return 0;
}

static const ConvertedFormat shiviz;
CONVERTED_OPEN (shiviz_open, &shiviz)
static const ConvertedFormat shiviz = {
  .format = { .name = "shiviz",
              .label = N_ ("Log with vector clocks"),
              .model = "message passing",
              .open = shiviz_open,
              .recognise = shiviz_recognise,
              .dates = &shiviz_dates,
              CONVERTED_FUNCTIONS },
  .references = true,
  .convert = shiviz_convert,
};

TRACE_READER_PLUGIN (shiviz.format, "scope.shiviz-reader", "ShiViz reader", "reader:shiviz",
                     "Reads logs of distributed programs whose entries are dated by vectors, as GoVector writes and "
                     "ShiViz shows them.");
