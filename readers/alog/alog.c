/* SPDX-License-Identifier: Apache-2.0 */
/* alog.c - reads ALOG, the text logs of P4, Upshot and the first MPE: README.md. */
#include <inttypes.h>
#include <string.h>

#include "readers/mpe.h"
#include "eve/words.h"

enum { /* types of lines; those from 0 on are events */
       CREATOR = -1,
       N_EVENTS = -2,
       EVENT_NAME = -9,
       EVENT_FORM = -10,
       ROLLOVER = -11,
       STATE = -13,
       SEND = -101,
       RECEIVE = -102,
};

#define MOST_FORMS 100000

typedef struct Line {
  int64_t numbers[6]; /* type, process, task, data, cycle, date */
  char *comment;
} Line;

typedef struct Alog {
  Mpe mpe;
  Input *in;
  int64_t rollover;  /* microseconds a cycle */
  int64_t said, n;   /* events: as the head says, and as there are */
  GHashTable *forms; /* number of an event -> how its data are told, as printf has it */
} Alog;

/* Six numbers, and what is behind the blank after them. */
static bool
alog_split (char *at, Line *l)
{
  for (int i = 0; i < 6; i++) {
    char *end;
    l->numbers[i] = g_ascii_strtoll (at, &end, 10);
    if (end == at || (*end != ' ' && *end != '\t' && *end != '\0'))
      return false;
    at = end;
  }
  l->comment = at + strspn (at, " \t");
  for (char *end = l->comment + strlen (l->comment); end > l->comment && g_ascii_isspace (end[-1]);)
    *--end = '\0';
  return true;
}

static bool
fits_32 (int64_t x)
{
  return x >= G_MININT32 && x <= G_MAXINT32;
}

/* "COLOUR:BITMAP NAME", where the colour may be missing: what is behind the first word. */
static const char *
name_of_state (const char *comment)
{
  const char *at = comment + strcspn (comment, " \t");

  at += strspn (at, " \t");
  return *at ? at : comment;
}

/* "%d bytes", of 42 and "read": "42 bytes: read".  The comment stands where the form wants a text, else behind it; the
 * form is a stranger's, so nothing but numbers and texts is made of it; g_free. */
static char *
alog_formed (const char *form, int64_t data, const char *comment)
{
  GString *text = g_string_new (NULL);
  bool commented = *comment == '\0';

  for (const char *at = form; *at; at++) {
    const char *what = *at == '%' ? at + 1 + strspn (at + 1, "-+ #0123456789.lh") : at;
    if (*at != '%' || *what == '\0' || !strchr ("diuxs%", *what)) {
      g_string_append_c (text, *at);
      continue;
    }
    if (*what == '%') {
      g_string_append_c (text, '%');
    } else if (*what == 's') {
      g_string_append (text, comment);
      commented = true;
    } else {
      g_string_append_printf (text, *what == 'x' ? "%" PRIx64 : "%" PRId64, data);
    }
    at = what;
  }
  if (!commented)
    g_string_append_printf (text, ": %s", comment);
  return g_string_free (text, FALSE);
}

static void
alog_define (Alog *a, const Line *l)
{
  uint64_t line = input_line_number (a->in);

  switch (l->numbers[0]) {
  case N_EVENTS:
    a->said = l->numbers[3];
    break;
  case EVENT_NAME:
    if (fits_32 (l->numbers[3])) {
      g_autofree char *valid = g_utf8_make_valid (l->comment, -1);
      mpe_define_event (&a->mpe, (int32_t) l->numbers[3], valid, NULL);
    }
    break;
  case EVENT_FORM:
    if (fits_32 (l->numbers[3]) && *l->comment && g_hash_table_size (a->forms) < MOST_FORMS)
      g_hash_table_insert (a->forms, GINT_TO_POINTER ((int32_t) l->numbers[3]),
                           g_utf8_make_valid (l->comment, (gssize) MIN (strlen (l->comment), 256)));
    break;
  case ROLLOVER:
    if (l->numbers[5] >= 0)
      a->rollover = l->numbers[5];
    break;
  case STATE:
    if (fits_32 (l->numbers[2]) && fits_32 (l->numbers[3])) {
      const char *name = name_of_state (l->comment);
      g_autofree char *valid = g_utf8_make_valid (name, -1),
                      *colour = g_strndup (l->comment, (gsize) (name - l->comment));
      mpe_define_state (&a->mpe, (int32_t) l->numbers[2], (int32_t) l->numbers[3], valid, colour, NULL);
    } else {
      mpe_damaged (&a->mpe, line, 1, _ ("numbers of events are of 32 bits; this state is left out"));
    }
    break;
  default:
    break;
  }
}

static void
alog_message (Alog *a, const Line *l, int64_t date)
{
  char *end = l->comment;
  int64_t tag = g_ascii_strtoll (l->comment, &end, 10), bytes = g_ascii_strtoll (end, NULL, 10);

  if (end == l->comment || !fits_32 (tag) || !fits_32 (l->numbers[3])) {
    mpe_damaged (&a->mpe, input_line_number (a->in), 1,
                 _ ("a message has a partner, a tag and a size; this one is left out"));
    return;
  }
  uint32_t task = mpe_task (&a->mpe, l->numbers[1], l->numbers[2] == l->numbers[1] ? 0 : l->numbers[2]);
  mpe_message (&a->mpe, task, date, l->numbers[0] == SEND, mpe_partner (&a->mpe, l->numbers[3]), (int32_t) tag, bytes);
}

static void
alog_happen (Alog *a, const Line *l)
{
  int64_t cycles = l->numbers[4], date;
  uint64_t line = input_line_number (a->in);

  a->n++;
  if (!fits_32 (l->numbers[1]) || !fits_32 (l->numbers[2]) || !fits_32 (l->numbers[0])) {
    mpe_damaged (&a->mpe, line, 1, _ ("types, processes and tasks are numbers of 32 bits; this line is left out"));
    return;
  }
  if (__builtin_mul_overflow (cycles, a->rollover, &date) || __builtin_add_overflow (date, l->numbers[5], &date)
      || date > G_MAXINT64 / 4000 || date < -G_MAXINT64 / 4000) {
    mpe_damaged (&a->mpe, line, 1, _ ("no date can be so far; this line is left out"));
    return;
  }
  date *= 1000;
  if (l->numbers[0] == SEND || l->numbers[0] == RECEIVE) {
    alog_message (a, l, date);
    return;
  }
  const char *form = g_hash_table_lookup (a->forms, GINT_TO_POINTER ((int32_t) l->numbers[0]));
  g_autofree char *formed = form ? alog_formed (form, l->numbers[3], l->comment) : NULL;
  const MpeDetail d = { .has_data = true, .data = l->numbers[3], .text = formed ? formed : l->comment };
  mpe_event (&a->mpe, mpe_task (&a->mpe, l->numbers[1], l->numbers[2] == l->numbers[1] ? 0 : l->numbers[2]), date,
             (int32_t) l->numbers[0], &d);
}

/* Once for what is defined, and once for what happens. */
static bool
alog_read_lines (Alog *a, bool events, const char *path, GError **error)
{
  g_autoptr (GError) why = NULL;
  char *text;
  size_t n;
  bool cut, goes_on = true;
  Line l;

  a->in = input_open (path, error);
  while (a->in && goes_on && (text = input_line (a->in, &n, &cut, &why))) {
    if ((input_line_number (a->in) & 0x3ff) == 0)
      goes_on = converter_progress (a->mpe.to, input_share (a->in), error);
    const char *first = text + strspn (text, " \t");
    if (*first == '\0' && strlen (text) == n)
      continue;
    bool sound = !cut && strlen (text) == n && alog_split (text, &l);
    if (!sound && events)
      mpe_damaged (&a->mpe, input_line_number (a->in), 1,
                   cut ? _ ("the line is longer than 1 MiB")
                       : _ ("a line begins with six numbers; this one is left out"));
    else if (sound && !events && l.numbers[0] < 0)
      alog_define (a, &l);
    else if (sound && events && (l.numbers[0] >= 0 || l.numbers[0] == SEND || l.numbers[0] == RECEIVE))
      alog_happen (a, &l);
  }
  if (why && events && a->mpe.source->n_events > 0) { /* what came before it is good */
    mpe_damaged (&a->mpe, input_line_number (a->in), 1, "%s", why->message);
  } else if (why && events) {
    g_propagate_error (error, g_steal_pointer (&why));
    goes_on = false;
  }
  goes_on = goes_on && a->in;
  if (a->in)
    input_close (a->in);
  a->in = NULL;
  return goes_on;
}

static bool
alog_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  g_autoptr (GHashTable) forms = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Alog a = { .said = -1, .forms = forms };

  mpe_begin (&a.mpe, to, file);
  a.mpe.has_data = true;
  bool ok = alog_read_lines (&a, false, path, error) && alog_read_lines (&a, true, path, error);
  if (ok) {
    mpe_end (&a.mpe);
    if (a.said >= 0 && a.said != a.n)
      mpe_damaged (&a.mpe, 0, 0, _ ("its head says that there are %" PRId64 " events, and there are %" PRId64), a.said,
                   a.n);
  }
  mpe_free (&a.mpe);
  return ok;
}

/* Its first lines are six numbers, of which the first one is of the head. */
static int
alog_recognise (const char *path, const void *head, size_t n, char **whole)
{
  const char *at = head, *end = head ? at + n : NULL;
  int lines = 0;
  Line l;

  while (at < end && lines < 3) {
    const char *line_end = memchr (at, '\n', (size_t) (end - at));
    g_autofree char *text = g_strndup (at, (gsize) ((line_end ? line_end : end) - at));
    g_strchomp (text); /* lines of other systems end with two bytes */
    if (strlen (text) > 4096 || !alog_split (text, &l))
      return 0;
    if (l.numbers[0] >= 0 && lines >= 2) /* what happens may begin behind two lines */
      break;
    if (l.numbers[0] >= 0 || l.numbers[0] < STATE || l.numbers[1] != 0)
      return 0;
    lines++;
    at = line_end ? line_end + 1 : end;
  }
  return lines >= 2 ? 80 : 0;
}

static const ConvertedFormat alog;
CONVERTED_OPEN (alog_open, &alog)
static const ConvertedFormat alog = {
  .format = { .name = "alog",
              .label = "ALOG",
              .model = "message passing",
              .open = alog_open,
              .recognise = alog_recognise,
              CONVERTED_FUNCTIONS },
  .convert = alog_convert,
};

TRACE_READER_PLUGIN (alog.format, "scope.alog-reader", "ALOG reader", "reader:alog",
                     "Reads ALOG, the text logs of Upshot and the first MPE.");
