/* SPDX-License-Identifier: Apache-2.0 */
/* since.c - at which event each box was added.  On travel back to before that, boxes stay and are worked out anew, or
 * go, as the person wishes (thesis, section 3.3.2); that they go is an edit, so that undo brings them back. */
#include "document/edits.h"
#include "document/private.h"
#include "eve/words.h"

typedef struct Since {
  EveComponent *c; /* compared only: it may be gone */
  char *name;
  uint64_t event; /* given when it was added; 0: it was there at the beginning */
} Since;

static void
since_clear (gpointer since)
{
  g_free (((Since *) since)->name);
}

static GArray *
since_new (void)
{
  GArray *a = g_array_new (FALSE, FALSE, sizeof (Since));

  g_array_set_clear_func (a, since_clear);
  return a;
}

/* Under its name; else the same object, which was renamed; NULL: it was not there at the last look. */
static const Since *
since_known (const GArray *before, EveProgram *p, EveComponent *c)
{
  const Since *renamed = NULL;

  for (guint i = 0; i < before->len; ++i) {
    const Since *s = &g_array_index (before, Since, i);
    if (g_str_equal (s->name, eve_name (c)))
      return s;
    if (s->c == c && !eve_find (p, s->name))
      renamed = s;
  }
  return renamed;
}

/* What comes back by undo comes now: it is wished for here. */
void
document_since_look (ScopeDocument *d, bool as_ever)
{
  EveProgram *p = d->session->program;
  GArray *now = since_new ();

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    const Since *before = d->since ? since_known (d->since, p, c) : NULL;
    Since s = { c, g_strdup (eve_name (c)), before ? before->event : as_ever ? 0 : scope_document_event (d) };
    g_array_append_val (now, s);
  }
  g_clear_pointer (&d->since, g_array_unref);
  d->since = now;
}

void
document_since_end (ScopeDocument *d)
{
  g_clear_pointer (&d->since, g_array_unref);
}

void
scope_document_set_added_go (ScopeDocument *d, bool go)
{
  d->added_go = go;
}

bool
document_since_arrived (ScopeDocument *d)
{
  g_autoptr (GPtrArray) later = g_ptr_array_new ();
  uint64_t event = scope_document_event (d);

  for (guint i = 0; d->added_go && d->since && !d->edit_depth && i < d->since->len; ++i) {
    const Since *s = &g_array_index (d->since, Since, i);
    EveComponent *c = s->event > event ? eve_find (d->session->program, s->name) : NULL;
    if (c)
      g_ptr_array_add (later, c);
  }
  if (later->len == 0)
    return false;
  guint n = later->len;
  scope_document_begin_edit_merge (d, _ ("Take away what was added later"), "added later");
  edits_delete (d->session->program, (EveComponent *const *) later->pdata, n, true);
  scope_document_end_edit (d);
  scope_document_say_about (d, "added later", SCOPE_SAY_NOTE,
                            P_ ("%u box was added after this instant and went; undo brings it back",
                                "%u boxes were added after this instant and went; undo brings them back", n),
                            n);
  return true;
}
