/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c - the topology manager (thesis, section 2.3.2): reads the textual file, and knows where a link leads. */
#include <errno.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/tape/tape.h"

#define MOST_BYTES (UINT64_C (256) << 20)
#define MOST_WORDS 8

/* A line as words; columns are bytes from 1. */
typedef struct Line {
  TraceSource *s;
  TapeTopology *t;
  uint64_t number;
  char *word[MOST_WORDS];
  uint32_t column[MOST_WORDS];
  uint32_t n;
  bool failed;
  GHashTable *ids; /* of tasks: those that are taken */
  bool machine;
} Line;

static void __attribute__ ((format (printf, 3, 4))) tape_topology_damage (Line *l, uint32_t word, const char *fmt, ...)
{
  va_list args;
  g_autofree char *reason = NULL, *valid = NULL;

  if (l->failed) /* one sentence a line */
    return;
  l->failed = true;
  va_start (args, fmt);
  reason = g_strdup_vprintf (fmt, args);
  va_end (args);
  valid = g_utf8_make_valid (reason, -1); /* words of the file are in it */
  trace_source_damage (l->s, "topology", l->number, word < l->n ? l->column[word] : 1, "%s", valid);
}

/* A number below `most`; what it is of is told in the sentence. */
static uint32_t
tape_topology_number (Line *l, uint32_t word, const char *what, uint32_t most)
{
  uint64_t v = 0;
  const char *c = word < l->n ? l->word[word] : "";

  if (!g_ascii_isdigit (*c)) {
    tape_topology_damage (l, word, _ ("expected the number of a %s, found “%s”"), what, c);
    return TRACE_NONE;
  }
  for (; g_ascii_isdigit (*c) && v <= UINT32_MAX; c++)
    v = v * 10 + (uint32_t) (*c - '0');
  if (*c != '\0' || v >= most) {
    tape_topology_damage (l, word, _ ("“%s” is no number of a %s: it is one from 0 to %u"), l->word[word], what,
                          most - 1);
    return TRACE_NONE;
  }
  return (uint32_t) v;
}

/* The number that a line gives itself is the next one. */
static bool
own_number (Line *l, const char *what, uint32_t next, uint32_t most)
{
  uint32_t v = tape_topology_number (l, 1, what, most);

  if (v != next && v != TRACE_NONE)
    tape_topology_damage (l, 1, _ ("this is %s %u, but the next one is %u"), what, v, next);
  return !l->failed;
}

/* The number of something that an earlier line has told. */
static uint32_t
tape_topology_known (Line *l, uint32_t word, const char *what, uint32_t n)
{
  uint32_t v = tape_topology_number (l, word, what, UINT32_MAX);

  if (v != TRACE_NONE && v >= n) {
    tape_topology_damage (l, word, _ ("there is no %s %u above this line"), what, v);
    return TRACE_NONE;
  }
  return v;
}

/* %XX undone, in place. */
static const char *
tape_topology_name (Line *l, uint32_t word)
{
  char *to, *from, *text = word < l->n ? l->word[word] : NULL;

  if (text == NULL) {
    tape_topology_damage (l, word, _ ("the line ends where a name should be"));
    return "?";
  }
  for (from = to = text; *from != '\0'; from++)
    if (from[0] == '%' && g_ascii_isxdigit (from[1]) && g_ascii_isxdigit (from[2])) {
      char c = (char) (g_ascii_xdigit_value (from[1]) << 4 | g_ascii_xdigit_value (from[2]));
      *to++ = c != '\0' ? c : '?';
      from += 2;
    } else {
      *to++ = *from;
    }
  *to = '\0';
  if (to - text > (ptrdiff_t) TAPE_MAX_NAME) {
    tape_topology_damage (l, word, _ ("the name is longer than %u bytes"), TAPE_MAX_NAME);
    text[TAPE_MAX_NAME] = '\0';
  }
  if (!g_utf8_validate (text, -1, NULL)) {
    tape_topology_damage (l, word, _ ("the name is not UTF-8"));
    return "?";
  }
  return text;
}

/* Names need not be unique, identifiers do. */
static char *
unique (Line *l, const char *wanted, uint32_t task)
{
  char *id = g_strdup (wanted);

  while (g_hash_table_contains (l->ids, id)) {
    char *longer = g_strdup_printf ("%s#%u", id, task);
    g_free (id);
    id = longer;
  }
  g_hash_table_add (l->ids, g_strdup (id));
  return id;
}

/* ---- the kinds of lines ------------------------------------------------------------------------------------------ */

static void
read_processor (Line *l)
{
  if (own_number (l, "processor", l->s->hosts->len, TAPE_MAX_PROCESSORS))
    trace_source_add_host (l->s, tape_topology_name (l, 2), "", 0);
}

static void
read_virtual (Line *l)
{
  if (!own_number (l, "virtual processor", l->t->virtuals->len, TAPE_MAX_PROCESSORS))
    return;
  uint32_t on = tape_topology_known (l, 2, "processor", l->s->hosts->len);
  g_array_append_val (l->t->virtuals, on);
}

/* One that is placed nowhere is a task all the same. */
static void
tape_topology_read_task (Line *l)
{
  if (!own_number (l, "task", l->s->tasks->len, TAPE_MAX_TASKS))
    return;
  uint32_t number_ = l->s->tasks->len, on = tape_topology_known (l, 2, "virtual processor", l->t->virtuals->len);
  g_autofree char *id = unique (l, tape_topology_name (l, 3), number_);
  TraceTask *task = trace_task (l->s, trace_source_add_task (l->s, id, number_));
  task->host = on != TRACE_NONE ? g_array_index (l->t->virtuals, uint32_t, on) : TRACE_NONE;
  if (l->n > 4)
    task->program = g_strdup (tape_topology_name (l, 4));
}

/* A link that leads nowhere keeps its number, so that those after it keep theirs. */
static void
read_link (Line *l)
{
  TapeLink link = { TRACE_NONE, TRACE_NONE };

  if (!own_number (l, "link", l->t->links->len, TAPE_MAX_LINKS))
    return;
  link.from = tape_topology_known (l, 2, "task", l->s->tasks->len);
  link.to = tape_topology_known (l, 3, "task", l->s->tasks->len);
  const char *called = tape_topology_name (l, 4);
  if (!l->failed && link.from == link.to)
    tape_topology_damage (l, 3, _ ("the link leads from task %u to itself"), link.from);
  if (l->failed)
    link.from = link.to = TRACE_NONE;
  g_array_append_val (l->t->links, link);
  trace_source_add_link (l->s, called, link.from, link.to);
}

static void
tape_topology_read_thread (Line *l)
{
  uint32_t task = tape_topology_known (l, 1, "task", l->s->tasks->len),
           thread = tape_topology_number (l, 2, "thread", TAPE_MAX_THREADS);
  const char *called = tape_topology_name (l, 3);
  gint64 key = (gint64) task << 16 | thread;

  if (!l->failed)
    g_hash_table_insert (l->t->threads, g_memdup2 (&key, sizeof key), g_strdup (called));
}

static void
tape_topology_read_wire (Line *l)
{
  tape_topology_known (l, 1, "processor", l->s->hosts->len);
  tape_topology_known (l, 2, "processor", l->s->hosts->len);
}

static void
read_machine (Line *l)
{
  tape_topology_name (l, 1);
  if (l->machine)
    tape_topology_damage (l, 0, _ ("there is a second machine"));
  l->machine = true;
}

static void
tape_topology_read_line (Line *l)
{
  static const struct {
    const char *word;
    void (*read) (Line *);
    uint32_t most;
  } kinds[] = {
    { "machine", read_machine, 2 }, { "processor", read_processor, 3 },     { "wire", tape_topology_read_wire, 3 },
    { "virtual", read_virtual, 3 }, { "task", tape_topology_read_task, 5 }, { "thread", tape_topology_read_thread, 4 },
    { "link", read_link, 5 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (l->word[0], kinds[i].word) == 0) {
      kinds[i].read (l);
      if (l->n > kinds[i].most)
        tape_topology_damage (l, kinds[i].most, _ ("a line of this kind ends before “%s”"), l->word[kinds[i].most]);
      return;
    }
  tape_topology_damage (l, 0, _ ("“%s” begins no line of a topology"), l->word[0]);
}

/* Words in place; false: nothing is there. */
static bool
tape_topology_split (Line *l, char *text)
{
  char *start = text;

  l->n = 0;
  l->failed = false;
  while (l->n < MOST_WORDS) {
    text += strspn (text, " \t\r");
    if (*text == '\0' || (*text == '#' && l->n == 0))
      break;
    l->column[l->n] = (uint32_t) (text - start) + 1;
    l->word[l->n++] = text;
    text += strcspn (text, " \t\r");
    if (*text != '\0')
      *text++ = '\0';
  }
  return l->n > 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

bool
tape_topology_read (TraceSource *s, TapeTopology *t, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "topology", NULL);
  size_t n;
  g_autoptr (GError) why = NULL;
  g_autofree char *text = disk_read (path, s->path, MOST_BYTES, &n, &why);
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Line l = { .s = s, .t = t, .ids = ids };

  if (text == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_BUNDLE, "%s", why->message);
    return false;
  }
  for (char *line = text, *next; line < text + n; line = next) {
    char *end = memchr (line, '\n', (gsize) (text + n - line));
    next = end != NULL ? end + 1 : text + n;
    if (end == NULL)
      end = text + n; /* disk_read() puts a 0 there */
    *end = '\0';
    l.number++;
    if (l.number == 1 && strcmp (g_strchomp (line), "#TAPE 1") != 0) {
      g_autofree char *shown = g_utf8_make_valid (line, (gssize) MIN (strlen (line), 40));
      g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                   _ ("%s:1:1: expected “#TAPE 1”, found “%s”: no topology, or one of another version"), path, shown);
      return false;
    }
    if (l.number > 1 && strlen (line) < (size_t) (end - line))
      trace_source_damage (s, "topology", l.number, strlen (line) + 1, _ ("a byte 0 ends the line here"));
    if (tape_topology_split (&l, line))
      tape_topology_read_line (&l);
  }
  if (l.number > 0)
    return true;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is empty; expected “#TAPE 1” in its first line"), path);
  return false;
}

void
tape_topology_clear (TapeTopology *t)
{
  g_clear_pointer (&t->links, g_array_unref);
  g_clear_pointer (&t->virtuals, g_array_unref);
  g_clear_pointer (&t->threads, g_hash_table_unref);
}
