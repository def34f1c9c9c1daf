/* SPDX-License-Identifier: Apache-2.0 */
/* stretches.c - reading stretches of the time of tasks, and the path that leads from one to the next. */
#include "views/stretches.h"
#include <string.h>
#include "simulators/store.h"
#include "statistics/stretch.h"
#include "views/layer.h"

#define PIECE 200000 /* stretches at a time, about, while the path is looked for */

struct Stretches {
  char *base;
  MessagesReader *read;
  GPtrArray *kinds; /* interned texts */
  uint8_t *places;  /* of each in the row of colours */
  char *lost_kinds; /* why their names cannot be read; NULL: they were */
  GArray *path;     /* of PathLeg; NULL: not looked for yet */
  int64_t path_end;
  bool doubtful; /* in parts of the path, or if it is empty in all, nobody knows who waits for whom */
  int64_t reach; /* of the film, when it was looked for */
};

static void
read_kinds (Stretches *s)
{
  g_autofree char *file = layer_names_file (s->base);
  g_clear_pointer (&s->lost_kinds, g_free);
  g_autofree char *text = names_file_read (file, &s->lost_kinds);

  g_ptr_array_set_size (s->kinds, 0);
  if (text == NULL || !g_str_has_prefix (text, STRETCH_NAMES_HEAD))
    return;
  g_auto (GStrv) lines = g_strsplit (text + strlen (STRETCH_NAMES_HEAD), "\n", STATS_STRETCH_KINDS + 1);
  for (char **line = lines; *line != NULL && **line != '\0'; line++) {
    g_autofree char *kind = g_strcompress (*line);
    g_ptr_array_add (s->kinds, (gpointer) g_intern_string (kind));
  }
  s->places = g_renew (uint8_t, s->places, s->kinds->len + 1);
  store_name_places ((const char *const *) s->kinds->pdata, s->kinds->len, s->places);
}

Stretches *
stretches_open (const char *base, GError **error)
{
  MessagesReader *read = messages_reader_open (base, error);

  if (read == NULL)
    return NULL;
  Stretches *s = g_new0 (Stretches, 1);
  s->base = g_strdup (base);
  s->read = read;
  s->kinds = g_ptr_array_new ();
  read_kinds (s);
  return s;
}

void
stretches_free (Stretches *s)
{
  if (s == NULL)
    return;
  messages_reader_free (s->read);
  g_ptr_array_unref (s->kinds);
  g_clear_pointer (&s->path, g_array_unref);
  g_free (s->places);
  g_free (s->lost_kinds);
  g_free (s->base);
  g_free (s);
}

void
stretches_refresh (Stretches *s)
{
  messages_reader_refresh (s->read);
}

const char *
stretches_problem (const Stretches *s, bool *lost)
{
  const char *problem = messages_reader_problem (s->read);

  if (lost != NULL)
    *lost = s->lost_kinds != NULL || (problem != NULL && messages_reader_lost (s->read, 0, 0, NULL, NULL));
  return problem != NULL ? problem : s->lost_kinds;
}

MessagesReader *
stretches_messages (Stretches *s)
{
  return s->read;
}

GPtrArray *
stretches_kinds (Stretches *s)
{
  GPtrArray *kinds = g_ptr_array_new ();

  for (guint i = 0; i < s->kinds->len; i++)
    if (!g_str_equal (s->kinds->pdata[i], STATS_STRETCH_PATH))
      g_ptr_array_add (kinds, s->kinds->pdata[i]);
  return kinds;
}

uint8_t
stretches_place (const Stretches *s, const char *kind)
{
  guint i = 0;

  while (i < s->kinds->len && s->kinds->pdata[i] != kind) /* both are interned */
    i++;
  return i < s->kinds->len ? s->places[i] - 1 : 0;
}

uint64_t
stretches_count (Stretches *s, int64_t from, int64_t to)
{
  return messages_reader_count (s->read, from, to);
}

static Stretch
stretch_of (Stretches *s, const StateMessage *m)
{
  guint kind = (guint) m->tag >> 1;

  if (G_UNLIKELY (kind >= s->kinds->len))
    read_kinds (s); /* the film has met one more */
  return (Stretch){ .from = m->sent,
                    .to = m->sent + m->size,
                    .owner = m->to,
                    .cause = m->from,
                    .kind = kind < s->kinds->len ? s->kinds->pdata[kind] : g_intern_static_string ("?"),
                    .leads = m->tag & 1,
                    .known = m->received };
}

static bool
stretches_is_sound (const StateMessage *m)
{
  return m->sent != INT64_MIN && m->size >= 0 && m->sent <= m->received && m->size <= m->received - m->sent;
}

typedef struct Each {
  Stretches *s;
  int64_t from, to;
  bool (*each) (void *arg, const Stretch *one);
  void *arg;
  bool paths; /* what tells where the path ends alone; else all others */
  bool known; /* from and to are of when they were known */
} Each;

static bool
one_of_them (void *arg, const StateMessage *m)
{
  const Each *e = arg;

  if (!stretches_is_sound (m)
      || (e->known ? m->received < e->from || m->received >= e->to
                   : m->sent >= e->to || (m->sent + m->size <= e->from && m->size > 0)))
    return true;
  const Stretch one = stretch_of (e->s, m);
  return e->paths == g_str_equal (one.kind, STATS_STRETCH_PATH) ? e->each (e->arg, &one) : true;
}

void
stretches_each (Stretches *s, int64_t from, int64_t to, bool (*each) (void *arg, const Stretch *one), void *arg)
{
  messages_reader_each (s->read, from, to, one_of_them, &(Each){ s, from, to, each, arg, false, false });
}

void
stretches_each_known (Stretches *s, int64_t from, int64_t to, bool (*each) (void *arg, const Stretch *one), void *arg)
{
  messages_reader_each (s->read, from, to, one_of_them, &(Each){ s, from, to, each, arg, false, true });
}

typedef struct Sums {
  void (*each) (void *arg, uint32_t owner, uint64_t ticks);
  void *arg;
} Sums;

static void
stretches_add_bundle (void *arg, const MessageBundle *b)
{
  const Sums *sums = arg;

  if (b->from != TRACE_NONE && b->to != TRACE_NONE) /* the path is of nobody's doing */
    sums->each (sums->arg, b->to, b->bytes);
}

void
stretches_sums (Stretches *s, int64_t from, int64_t to, void (*each) (void *arg, uint32_t owner, uint64_t ticks),
                void *arg)
{
  Sums sums = { each, arg };

  messages_reader_bundles (s->read, from, to, MAX ((to - from) / 64, 1), stretches_add_bundle, &sums);
}

/* ---- the path ------------------------------------------------------------------------------------------------------------ */

typedef struct Lead {
  int64_t to;
  uint32_t owner, cause;
  uint32_t nth; /* of those at hand */
} Lead;

typedef struct Leads {
  GArray *all; /* of Lead */
  int64_t after, until;
} Leads;

static bool
keep_lead (void *arg, const Stretch *one)
{
  Leads *l = arg;
  Lead lead = { one->to, one->owner, one->cause, l->all->len };

  if (one->leads && one->cause != TRACE_NONE && one->to > l->after && one->to <= l->until)
    g_array_append_val (l->all, lead);
  return true;
}

/* The last one first. */
static int
stretches_latest_first (const void *a, const void *b)
{
  const Lead *x = a, *y = b;

  return x->to != y->to ? (x->to < y->to) - (x->to > y->to) : (x->nth < y->nth) - (x->nth > y->nth);
}

static bool
keep_last (void *arg, const Stretch *one)
{
  *(Stretch *) arg = *one;
  return true;
}

/* From its end back: whoever waited is followed to whom it waited for. */
static void
stretches_find_path (Stretches *s, const Stretch *whole)
{
  uint64_t pieces = 1 + stretches_count (s, whole->from, whole->to) / PIECE;
  int64_t width = (whole->to - whole->from) / (int64_t) pieces + 1, until = whole->to;
  Leads l = { .all = g_array_new (FALSE, FALSE, sizeof (Lead)) };
  PathLeg leg = { .task = whole->owner };

  for (; until > whole->from; until = l.after) {
    l.until = until;
    l.after = MAX (until - width, whole->from);
    g_array_set_size (l.all, 0);
    stretches_each (s, l.after, until, keep_lead, &l);
    g_array_sort (l.all, stretches_latest_first);
    for (guint i = 0; i < l.all->len; i++) {
      const Lead *lead = &g_array_index (l.all, Lead, i);
      if (lead->owner != leg.task)
        continue;
      leg.from = lead->to;
      g_array_append_val (s->path, leg);
      leg.task = lead->cause;
    }
  }
  leg.from = whole->from;
  g_array_append_val (s->path, leg);
  for (guint i = 0; i < s->path->len / 2; i++) {
    PathLeg *a = &g_array_index (s->path, PathLeg, i), *b = &g_array_index (s->path, PathLeg, s->path->len - 1 - i),
            c = *a;
    *a = *b;
    *b = c;
  }
  g_array_unref (l.all);
}

const PathLeg *
stretches_path (Stretches *s, guint *n, int64_t *end)
{
  Stretch whole = { .from = 1, .to = 0 };
  int64_t latest, reach = messages_reader_reach (s->read, &latest);

  *n = 0;
  if (s->path == NULL || s->reach != reach) {
    g_clear_pointer (&s->path, g_array_unref);
    s->path = g_array_new (FALSE, FALSE, sizeof (PathLeg));
    s->reach = reach;
    messages_reader_each (s->read, latest, INT64_MAX, one_of_them,
                          &(Each){ s, INT64_MIN, INT64_MAX, keep_last, &whole, true, false });
    s->path_end = whole.to;
    s->doubtful = whole.leads && whole.from <= whole.to;
    if (whole.from < whole.to || (whole.from == whole.to && !s->doubtful))
      stretches_find_path (s, &whole);
  }
  *n = s->path->len;
  *end = s->path_end;
  return s->path->len > 0 ? (const PathLeg *) (const void *) s->path->data : NULL;
}

bool
stretches_path_is_doubtful (Stretches *s)
{
  stretches_path (s, &(guint){ 0 }, &(int64_t){ 0 });
  return s->doubtful;
}

void
stretches_path_each (Stretches *s, int64_t from, int64_t to, bool (*each) (void *arg, const Stretch *part), void *arg)
{
  int64_t end;
  guint n;
  const PathLeg *legs = stretches_path (s, &n, &end);

  for (guint i = 0; i < n; i++) {
    const Stretch part = { .from = legs[i].from,
                           .to = i + 1 < n ? legs[i + 1].from : end,
                           .owner = legs[i].task,
                           .cause = i + 1 < n ? legs[i + 1].task : TRACE_NONE,
                           .kind = g_intern_static_string (STATS_STRETCH_PATH) };
    if (part.to > from && part.from < to && !each (arg, &part))
      return;
  }
}

/* ---- of a view ----------------------------------------------------------------------------------------------------------- */

void
stretches_layer_begin (StretchLayer *l, EveIn *in, const char *film)
{
  g_autofree char *base = layer_of_input (in, film);
  g_autoptr (GError) error = NULL;

  if (g_strcmp0 (l->base, base) != 0) {
    g_clear_pointer (&l->read, stretches_free);
    g_free (l->base);
    l->base = g_steal_pointer (&base);
  }
  g_clear_pointer (&l->lost, g_free);
  if (l->read != NULL)
    stretches_refresh (l->read);
  else if (l->base != NULL)
    l->read = stretches_open (l->base, &error);
  if (error != NULL && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    l->lost = g_strdup (error->message);
}

const char *
stretches_layer_damage (const StretchLayer *l, bool *lost)
{
  *lost = l->lost != NULL;
  return l->read != NULL ? stretches_problem (l->read, lost) : l->lost;
}

void
stretches_layer_close (StretchLayer *l)
{
  g_clear_pointer (&l->read, stretches_free);
  g_clear_pointer (&l->base, g_free);
  g_clear_pointer (&l->lost, g_free);
}
