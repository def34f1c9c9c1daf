/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - who the tasks of a film are: a reader learns of tasks as it reads, a picture of the whole needs
 * all at once. */
#include <glib/gstdio.h>
#include <string.h>
#include "eve/words.h"
#include "eve/bytes.h"
#include "readers/reader.h"
#include "views/at-once.h"
#include "views/told.h"
#include "eve/disk.h"

typedef struct Name {
  const char *id, *host, *program;
} Name;

struct Names {
  GArray *all;      /* of Name, */
  char *text;       /* in this */
  GHashTable *told; /* id -> TaskTold; NULL: nothing is known */
  goffset group_bytes, traffic_bytes;
  char *problem; /* a file of the film that was there and could not be read; NULL: none */
};

void
names_put (GString *to, const char *text)
{
  g_autofree char *safe = g_strescape (text != NULL ? text : "", NULL);

  g_string_append_c (to, '\t');
  g_string_append (to, safe);
}

/* ---- small files with a checksum: a name that a disk has changed must not be shown ------------------------- */

#define SUM "sum %016" G_GINT64_MODIFIER "x\n"
#define SUM_BYTES 21
#define MOST_BYTES (256 * DISK_MIB)

bool
names_file_write (const char *path, GString *text, GError **error)
{
  g_string_append_printf (text, SUM, bytes_fnv (text->str, text->len));
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

char *
names_file_read (const char *path, char **problem)
{
  g_autofree char *text = NULL, *sum = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  if (path == NULL)
    return NULL;
  if (!(text = disk_read (path, NULL, MOST_BYTES, &n, &error))) {
    if (problem != NULL && *problem == NULL && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      *problem = g_strdup (error->message);
    return NULL;
  }
  if (n >= SUM_BYTES && strlen (text) == n)
    sum = g_strdup_printf (SUM, bytes_fnv (text, n - SUM_BYTES));
  if (sum == NULL || strcmp (text + n - SUM_BYTES, sum) != 0) {
    if (problem != NULL && *problem == NULL)
      *problem = g_strdup_printf (_ ("%s is damaged"), path);
    return NULL;
  }
  text[n - SUM_BYTES] = '\0';
  return g_steal_pointer (&text);
}

bool
names_write (const char *film, const TraceSource *s, GError **error)
{
  g_autofree char *path = g_build_filename (film, "tasks", NULL);
  g_autoptr (GString) text = g_string_new ("tasks 1\n");

  for (guint i = 0; i < s->tasks->len; i++) {
    const TraceTask *t = s->tasks->pdata[i];
    const TraceHost *host = t->host < s->hosts->len ? s->hosts->pdata[t->host] : NULL;
    g_string_append_printf (text, "%u", i);
    names_put (text, t->id);
    names_put (text, host != NULL ? host->name : NULL);
    names_put (text, t->program);
    g_string_append_c (text, '\n');
  }
  return names_file_write (path, text, error);
}

/* The next word of a line, unescaped where it stands; *at behind it.  NULL: there is none. */
static char *
views_names_take_word (char **at, char end)
{
  char *word = *at, *tab = word != NULL ? strchr (word, end) : NULL;

  if (tab == NULL) {
    *at = NULL;
    return NULL;
  }
  *tab = '\0';
  *at = end != '\0' ? tab + 1 : NULL;
  if (strchr (word, '\\') != NULL) {
    g_autofree char *plain = g_strcompress (word); /* never longer */
    memcpy (word, plain, strlen (plain) + 1);
  }
  return word;
}

Names *
names_read (const char *film)
{
  static const char head[] = "tasks 1\n";
  Names *n = g_new0 (Names, 1);
  g_autofree char *path = film != NULL ? g_build_filename (film, "tasks", NULL) : NULL;

  n->all = g_array_new (FALSE, FALSE, sizeof (Name));
  n->text = names_file_read (path, &n->problem);
  char *next = n->text != NULL && g_str_has_prefix (n->text, head) ? n->text + strlen (head) : NULL;
  const char *end = next != NULL ? next + strlen (next) : NULL;
  while (next != NULL) { /* a film of 10^5 tasks: no memory for each */
    char *line = next;
    next = disk_end_line (line, end);
    const char *number = views_names_take_word (&line, '\t'), *id = views_names_take_word (&line, '\t'),
               *host = views_names_take_word (&line, '\t');
    if (line == NULL || strchr (line, '\t') != NULL || g_ascii_strtoull (number, NULL, 10) != n->all->len)
      break;
    Name name = { id, host, views_names_take_word (&line, '\0') };
    g_array_append_val (n->all, name);
  }
  return n;
}

bool
names_read_groups (Names *n, const char *film)
{
  g_autofree char *path = g_build_filename (film, "groups", NULL);
  GHashTable *told;
  GStatBuf st;

  if (g_stat (path, &st) != 0 || st.st_size == n->group_bytes || (told = told_read (film, &n->problem)) == NULL)
    return false;
  n->group_bytes = st.st_size;
  g_clear_pointer (&n->told, g_hash_table_unref);
  n->told = told;
  return true;
}

bool
names_more_traffic (Names *n, const char *film)
{
  g_autofree char *path = g_build_filename (film, "traffic", NULL);
  GStatBuf st;

  if (g_stat (path, &st) != 0 || st.st_size == n->traffic_bytes)
    return false;
  n->traffic_bytes = st.st_size;
  return true;
}

void
names_read_traffic (Names *n, const char *film,
                    void (*each) (void *arg, const char *from, const char *to, double bytes), void *arg)
{
  g_autofree char *path = g_build_filename (film, "traffic", NULL), *text = names_file_read (path, &n->problem);

  const char *end = text != NULL ? text + strlen (text) : NULL;
  for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
    next = disk_end_line (line, end);
    if (next == NULL)
      return;
    char *to = strchr (line, '\t'), *bytes = to != NULL ? strchr (to + 1, '\t') : NULL;
    if (bytes == NULL)
      return;
    *to++ = *bytes++ = '\0';
    each (arg, line, to, g_ascii_strtod (bytes, NULL));
  }
}

void
names_free (Names *n)
{
  if (n == NULL)
    return;
  g_clear_pointer (&n->told, g_hash_table_unref);
  g_array_unref (n->all);
  g_free (n->text);
  g_free (n->problem);
  g_free (n);
}

const char *
names_problem (const Names *n)
{
  return n != NULL ? n->problem : NULL;
}

uint32_t
names_in_film (const Names *n)
{
  return n != NULL ? n->all->len : 0;
}

uint32_t
names_count (const Names *n, const TraceSource *s)
{
  return MAX (s->tasks->len, n != NULL ? n->all->len : 0);
}

static const Name *
views_names_get (const Names *n, uint32_t task)
{
  return n != NULL && task < n->all->len ? &g_array_index (n->all, Name, task) : NULL;
}

const char *
names_id (const Names *n, const TraceSource *s, uint32_t task)
{
  const Name *name = views_names_get (n, task);

  return task < s->tasks->len || name == NULL ? trace_task_id (s, task) : name->id;
}

const char *
names_nickname (const Names *n, const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);

  if (t != NULL)
    return t->nickname;
  return s->nicknames != NULL ? g_hash_table_lookup (s->nicknames, names_id (n, s, task)) : NULL;
}

const char *
names_name (const Names *n, const TraceSource *s, uint32_t task)
{
  const char *nickname = names_nickname (n, s, task);

  return nickname != NULL ? nickname : names_id (n, s, task);
}

const char *
names_host (const Names *n, const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);
  const TraceHost *host = t != NULL && t->host < s->hosts->len ? s->hosts->pdata[t->host] : NULL;
  const Name *name = views_names_get (n, task);
  const char *found = host != NULL ? host->name : name != NULL ? name->host : NULL;

  return found != NULL && *found != '\0' ? found : "?";
}

const char *
names_program (const Names *n, const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);
  const Name *name = views_names_get (n, task);
  const char *found = t != NULL && t->program != NULL ? t->program : name != NULL ? name->program : NULL;

  return found != NULL && *found != '\0' ? found : "?";
}

const TaskTold *
names_told (const Names *n, const TraceSource *s, uint32_t task)
{
  return n != NULL && n->told != NULL ? g_hash_table_lookup (n->told, names_id (n, s, task)) : NULL;
}

const char *
names_group (const Names *n, const TraceSource *s, uint32_t task)
{
  const TaskTold *found = names_told (n, s, task);

  return found != NULL && found->group != NULL ? found->group : "no group";
}

GHashTable *
names_tasks_by_id (const Names *n, const TraceSource *s)
{
  GHashTable *tasks = g_hash_table_new (g_str_hash, g_str_equal);

  for (uint32_t i = 0; i < names_count (n, s); i++)
    g_hash_table_insert (tasks, (gpointer) names_id (n, s, i), GUINT_TO_POINTER (i + 1));
  return tasks;
}

#define NODES_AT_ONCE 8192

typedef struct NamesNodes {
  const StateGraph *g;
  uint32_t n_tasks, *of;
} NamesNodes;

/* Whose number the graph knows; TRACE_NONE: it does not. */
static void
number_nodes (void *arg, uint32_t part)
{
  const NamesNodes *nodes = arg;
  uint32_t first = part * NODES_AT_ONCE, end = MIN (nodes->g->n_nodes - first, NODES_AT_ONCE) + first;

  for (uint32_t node = first; node < end; node++) {
    uint32_t own = nodes->g->model->task (nodes->g, node);
    nodes->of[node] = own < nodes->n_tasks ? own : TRACE_NONE;
  }
}

uint32_t *
names_tasks_of_nodes (const Names *n, const TraceSource *s, const StateGraph *g)
{
  g_autoptr (GHashTable) tasks = NULL;
  uint32_t n_nodes = g != NULL ? g->n_nodes : 0, n_tasks = names_count (n, s), next = 0,
           *of = g_new (uint32_t, n_nodes + 1);
  bool numbered = g != NULL && g->model->task != NULL && n_nodes > 0 && trace_source (g->source) == s;

  if (numbered)
    at_once ((n_nodes - 1) / NODES_AT_ONCE + 1, 1, number_nodes, &(NamesNodes){ g, s->tasks->len, of });
  for (uint32_t node = 0; node < n_nodes; node++) {
    if (numbered && of[node] != TRACE_NONE) /* no name is looked at */
      continue;
    const char *id = g->node_id (g, node);
    if (next < n_tasks && strcmp (names_id (n, s, next), id) == 0) { /* nodes mostly stand in the order of tasks */
      of[node] = next++;
      continue;
    }
    if (tasks == NULL)
      tasks = names_tasks_by_id (n, s);
    uint32_t task = GPOINTER_TO_UINT (g_hash_table_lookup (tasks, id));
    of[node] = task > 0 ? task - 1 : TRACE_NONE;
    next = task;
  }
  return of;
}

uint32_t *
names_host_numbers (const Names *n, const TraceSource *s)
{
  g_autoptr (GHashTable) hosts = g_hash_table_new (g_str_hash, g_str_equal);
  uint32_t n_tasks = names_count (n, s), *of = g_new (uint32_t, n_tasks + 1);

  for (uint32_t i = 0; i < n_tasks; i++) {
    const char *host = names_host (n, s, i);
    gpointer number = g_hash_table_lookup (hosts, host);
    if (number == NULL)
      g_hash_table_insert (hosts, (gpointer) host, number = GUINT_TO_POINTER (g_hash_table_size (hosts) + 1));
    of[i] = GPOINTER_TO_UINT (number) - 1;
  }
  return of;
}
