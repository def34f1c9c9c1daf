/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - undo and redo: steps are the program's text before and after. */
#include "document/history.h"
#include <string.h>

#define MERGE_US (2 * G_TIME_SPAN_SECOND)
#define MAX_BYTES (64u << 20) /* of all steps; the oldest are forgotten beyond it */

typedef struct Step {
  char *label, *merge, *before, *after;
  char *chosen_before, *chosen_after; /* what was selected; NULL: nobody was asked */
  gint64 ended;                       /* monotonic, us */
} Step;

struct EditHistory {
  EveProgram *p;
  GPtrArray *steps; /* of Step * */
  guint done;       /* how many of them are done: the others can be done again */
  gsize bytes;
  int depth;
  char *label, *merge, *before, *chosen; /* of the edit under way */
  char *now, *saved;                     /* texts */
  EditSelection selected;                /* NULL: nobody knows */
  void *arg;
  const char *back; /* selection of the last step back or forth, its step's */
};

static void
step_free (void *step)
{
  Step *s = step;
  g_free (s->label);
  g_free (s->merge);
  g_free (s->before);
  g_free (s->after);
  g_free (s->chosen_before);
  g_free (s->chosen_after);
  g_free (s);
}

EditHistory *
edit_history_new (EveProgram *p)
{
  EditHistory *h = g_new0 (EditHistory, 1);
  h->p = p;
  h->steps = g_ptr_array_new_with_free_func (step_free);
  edit_history_set_saved (h);
  return h;
}

void
edit_history_free (EditHistory *h)
{
  if (!h)
    return;
  g_ptr_array_unref (h->steps);
  g_free (h->label);
  g_free (h->merge);
  g_free (h->before);
  g_free (h->chosen);
  g_free (h->now);
  g_free (h->saved);
  g_free (h);
}

static void
history_look (EditHistory *h)
{
  g_free (h->now);
  h->now = eve_program_text (h->p);
}

void
edit_history_set_selection (EditHistory *h, EditSelection selected, void *arg)
{
  h->selected = selected;
  h->arg = arg;
}

static char *
chosen (const EditHistory *h)
{
  return h->selected ? h->selected (h->arg) : NULL;
}

void
edit_history_begin (EditHistory *h, const char *label, const char *merge)
{
  if (h->depth++)
    return;
  h->label = g_strdup (label);
  h->merge = g_strdup (merge);
  h->before = eve_program_text (h->p);
  h->chosen = chosen (h);
}

static gsize
step_bytes (const Step *s)
{
  return strlen (s->before) + strlen (s->after);
}

static void
drop_step (EditHistory *h, guint i)
{
  h->bytes -= step_bytes (h->steps->pdata[i]);
  g_ptr_array_remove_index (h->steps, i);
  h->done = MIN (h->done, h->steps->len);
}

bool
edit_history_end (EditHistory *h)
{
  g_return_val_if_fail (h->depth > 0, false);
  if (--h->depth)
    return false;
  history_look (h);
  g_autofree char *label = g_steal_pointer (&h->label), *merge = g_steal_pointer (&h->merge);
  g_autofree char *before = g_steal_pointer (&h->before), *chosen_before = g_steal_pointer (&h->chosen);
  if (!strcmp (before, h->now))
    return false;
  h->back = NULL;
  while (h->steps->len > h->done)
    drop_step (h, h->steps->len - 1);
  Step *last = h->done ? h->steps->pdata[h->done - 1] : NULL;
  gint64 now = g_get_monotonic_time ();
  if (last && merge && last->merge && !strcmp (last->merge, merge) && now - last->ended < MERGE_US
      && !g_strcmp0 (last->chosen_after, chosen_before)) {
    h->bytes -= strlen (last->after);
    g_free (last->after);
    last->after = g_strdup (h->now);
    g_free (last->chosen_after);
    last->chosen_after = chosen (h);
    last->ended = now;
    h->bytes += strlen (last->after);
    return true;
  }
  Step *s = g_new (Step, 1);
  *s = (Step){ .label = g_steal_pointer (&label),
               .merge = g_steal_pointer (&merge),
               .before = g_steal_pointer (&before),
               .after = g_strdup (h->now),
               .ended = now,
               .chosen_before = g_steal_pointer (&chosen_before),
               .chosen_after = chosen (h) };
  g_ptr_array_add (h->steps, s);
  h->bytes += step_bytes (s);
  h->done++;
  while (h->bytes > MAX_BYTES && h->done > 1) {
    drop_step (h, 0);
    h->done = h->steps->len;
  }
  return true;
}

/* The texts of a step differ where the edit was; what else has changed since, outside of edits, is not its business,
 * but the whole text is what the program then is: so everything that is changed must be changed in edits. */
static bool
history_go (EditHistory *h, int by, GError **error)
{
  if (h->depth || (by < 0 ? !h->done : h->done == h->steps->len))
    return false;
  Step *s = h->steps->pdata[by < 0 ? h->done - 1 : h->done];
  if (!edit_history_apply (h->p, by < 0 ? s->before : s->after, error))
    return false;
  h->done += by;
  h->back = by < 0 ? s->chosen_before : s->chosen_after;
  for (guint i = 0; i < h->steps->len; i++) /* an edit after this is a step of its own */
    ((Step *) h->steps->pdata[i])->ended = G_MININT64 / 2;
  history_look (h);
  return true;
}

bool
edit_history_undo (EditHistory *h, GError **error)
{
  return history_go (h, -1, error);
}

bool
edit_history_redo (EditHistory *h, GError **error)
{
  return history_go (h, 1, error);
}

const char *
edit_history_selection (const EditHistory *h)
{
  return h->back;
}

const char *
edit_history_undo_label (const EditHistory *h)
{
  return h->done ? ((Step *) h->steps->pdata[h->done - 1])->label : NULL;
}

const char *
edit_history_redo_label (const EditHistory *h)
{
  return h->done < h->steps->len ? ((Step *) h->steps->pdata[h->done])->label : NULL;
}

void
edit_history_set_saved (EditHistory *h)
{
  history_look (h);
  g_free (h->saved);
  h->saved = g_strdup (h->now);
}

void
edit_history_set_unsaved (EditHistory *h)
{
  g_free (h->saved);
  h->saved = g_strdup (""); /* which no program is */
}

void
edit_history_looked (EditHistory *h)
{
  bool saved = edit_history_is_saved (h);

  if (h->depth)
    return;
  history_look (h);
  if (saved)
    edit_history_set_saved (h);
  Step *last = h->done ? h->steps->pdata[h->done - 1] : NULL,
       *next = h->done < h->steps->len ? h->steps->pdata[h->done] : NULL;
  char **const texts[] = { last ? &last->after : NULL, next ? &next->before : NULL };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) /* the steps at whose border the program stands */
    if (texts[i]) {
      h->bytes -= strlen (*texts[i]);
      g_free (*texts[i]);
      *texts[i] = g_strdup (h->now);
      h->bytes += strlen (*texts[i]);
    }
}

bool
edit_history_is_saved (const EditHistory *h)
{
  return !strcmp (h->now, h->saved);
}

bool
edit_history_apply (EveProgram *p, const char *text, GError **error)
{
  return eve_program_update (p, text, NULL, error);
}
