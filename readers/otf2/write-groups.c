/* SPDX-License-Identifier: Apache-2.0 */
/* write-groups.c - communicators and what they do together, of an archive that is written: those whose members the
 * trace tells.  Communicator 0 is of all tasks. */
#include <string.h>

#include "readers/otf2/otf2.h"

typedef struct Members {
  uint32_t object, comm;
  GArray *tasks;     /* of uint32_t, by rank */
  GHashTable *ranks; /* task -> rank + 1 */
  uint32_t window;   /* as which something is done in it, from 1; 0: it is no window of memory */
} Members;

struct Otf2Groups {
  GPtrArray *all;        /* of Members *, by communicator - 1 */
  GHashTable *of_object; /* object -> Members * */
  GPtrArray *windows;    /* of Members *, those that are one */
};

static void
free_members (void *members)
{
  Members *m = members;

  g_array_unref (m->tasks);
  g_hash_table_unref (m->ranks);
  g_free (m);
}

Otf2Groups *
otf2_groups_new (void)
{
  Otf2Groups *g = g_new0 (Otf2Groups, 1);

  g->all = g_ptr_array_new_with_free_func (free_members);
  g->of_object = g_hash_table_new (NULL, NULL);
  g->windows = g_ptr_array_new ();
  return g;
}

void
otf2_groups_free (Otf2Groups *g)
{
  g_hash_table_unref (g->of_object);
  g_ptr_array_unref (g->windows);
  g_ptr_array_unref (g->all);
  g_free (g);
}

static Members *
write_groups_members_of (const Otf2Groups *g, uint32_t object)
{
  return object == TRACE_NONE ? NULL : g_hash_table_lookup (g->of_object, GUINT_TO_POINTER (object));
}

void
otf2_groups_add (Otf2Groups *g, uint32_t object, const uint32_t *members, uint32_t n)
{
  Members *m = write_groups_members_of (g, object);

  if (object == TRACE_NONE)
    return;
  if (!m) {
    m = g_new0 (Members, 1);
    m->object = object;
    m->tasks = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    m->ranks = g_hash_table_new (NULL, NULL);
    g_ptr_array_add (g->all, m);
    m->comm = g->all->len;
    g_hash_table_insert (g->of_object, GUINT_TO_POINTER (object), m);
  }
  for (uint32_t i = 0; i < n; i++)
    if (members[i] != TRACE_NONE && !g_hash_table_contains (m->ranks, GUINT_TO_POINTER (members[i]))) {
      g_array_append_val (m->tasks, members[i]);
      g_hash_table_insert (m->ranks, GUINT_TO_POINTER (members[i]), GUINT_TO_POINTER (m->tasks->len));
    }
}

static uint32_t
write_groups_rank_of (const Members *m, uint32_t task)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (m->ranks, GUINT_TO_POINTER (task))) - 1;
}

uint32_t
otf2_groups_comm (const Otf2Groups *g, uint32_t object, uint32_t me, uint32_t task, uint32_t *rank)
{
  const Members *m = write_groups_members_of (g, object);

  *rank = m && write_groups_rank_of (m, me) != TRACE_NONE ? write_groups_rank_of (m, task) : TRACE_NONE;
  if (*rank != TRACE_NONE)
    return m->comm;
  *rank = task;
  return 0;
}

/* The operation of a kind of event; UINT32_MAX: it has no word for it. */
static uint32_t
write_groups_operation_of (const char *name)
{
  for (uint32_t i = 0; i + 1 < N_OPERATIONS; i++)
    if (g_ascii_strcasecmp (name, otf2_operations[i]) == 0)
      return i;
  return UINT32_MAX;
}

static uint64_t
received_of (const TraceSource *s, const TraceEvent *e)
{
  const TraceKind *k = &s->kinds[e->kind];

  for (uint32_t f = 0; f < k->n_fields; f++)
    if (strcmp (k->fields[f].name, "received") == 0) {
      TraceValue v = trace_value (e, f);
      return v.kind == TRACE_VALUE_INT && v.i > 0 ? (uint64_t) v.i : 0;
    }
  return 0;
}

/* They are numbered as they are met. */
static uint32_t
write_groups_window_of (Otf2Groups *g, Members *m)
{
  if (!m->window) {
    g_ptr_array_add (g->windows, m);
    m->window = g->windows->len;
  }
  return m->window;
}

bool
otf2_groups_operation (Otf2Groups *g, OTF2_EvtWriter *to, uint64_t time, const TraceEvent *e, bool ends,
                       OTF2_ErrorCode *code)
{
  const TraceSource *s = trace_source (e->source);
  Members *m = write_groups_members_of (g, e->object);
  const char *name = s->kinds[e->kind].name;
  uint32_t op = write_groups_operation_of (name);
  bool waits = op != UINT32_MAX;

  if (!waits && *name == 'I') /* it does not block */
    op = write_groups_operation_of (name + 1);
  bool window = op == UINT32_MAX && strncmp (name, "Rma", 3) == 0;
  if (window)
    op = write_groups_operation_of (name + 3);
  if (op == UINT32_MAX || !m || write_groups_rank_of (m, e->task) == TRACE_NONE)
    return false;
  uint32_t root = e->peer == TRACE_NONE ? OTF2_COLLECTIVE_ROOT_NONE : write_groups_rank_of (m, e->peer);
  uint64_t sent = (uint64_t) MAX (TRACE_SIZE (e), 0), received = ends ? received_of (s, e) : 0;
  if (window)
    *code = !ends ? OTF2_EvtWriter_RmaCollectiveBegin (to, NULL, time)
                  : OTF2_EvtWriter_RmaCollectiveEnd (to, NULL, time, (OTF2_CollectiveOp) op, OTF2_RMA_SYNC_LEVEL_NONE,
                                                     write_groups_window_of (g, m) - 1, root, sent, received);
  else if (!ends)
    *code = waits ? OTF2_EvtWriter_MpiCollectiveBegin (to, NULL, time)
                  : OTF2_EvtWriter_NonBlockingCollectiveRequest (to, NULL, time, e->record);
  else if (waits)
    *code = OTF2_EvtWriter_MpiCollectiveEnd (to, NULL, time, (OTF2_CollectiveOp) op, m->comm, root, sent, received);
  else
    *code = OTF2_EvtWriter_NonBlockingCollectiveComplete (to, NULL, time, (OTF2_CollectiveOp) op, m->comm, root, sent,
                                                          received, e->record);
  return true;
}

void
otf2_groups_write (const Otf2Groups *g, OTF2_GlobalDefWriter *to, const TraceSource *s, uint32_t first_group,
                   uint32_t (*string) (void *user, const char *text), void (*check) (void *user, OTF2_ErrorCode code),
                   void *user)
{
  uint32_t none = string (user, "");

  for (guint i = 0; i < g->all->len; i++) {
    const Members *m = g->all->pdata[i];
    g_autofree uint64_t *members = g_new (uint64_t, m->tasks->len + 1);
    for (guint k = 0; k < m->tasks->len; k++)
      members[k] = g_array_index (m->tasks, uint32_t, k);
    check (user, OTF2_GlobalDefWriter_WriteGroup (to, first_group + i, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                                  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, m->tasks->len, members));
    check (user, OTF2_GlobalDefWriter_WriteComm (to, m->comm, string (user, trace_object_id (s, m->object)),
                                                 first_group + i, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
  for (guint i = 0; i < g->windows->len; i++) {
    const Members *m = g->windows->pdata[i];
    check (user, OTF2_GlobalDefWriter_WriteRmaWin (to, i, string (user, trace_object_id (s, m->object)), m->comm,
                                                   OTF2_RMA_WIN_FLAG_NONE));
  }
}
