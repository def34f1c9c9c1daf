/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - undo and redo of everything that is done to a program.
 *
 * An edit is the program's text before and after it.  Going back changes only what differs (boxes by name, wires,
 * settings, positions, notes), so that boxes that an edit did not touch keep their run state.  No GTK; engine thread
 * only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include "eve/eve-host.h"

typedef struct EditHistory EditHistory;

EditHistory *edit_history_new (EveProgram *p); /* the program must outlive it */
void edit_history_free (EditHistory *h);
/* What is done between the two is one step; may be nested, the outer label counts.  An edit of the same `merge` key
 * (NULL: none) as the step before, within two seconds and with the same selection, is one step with it (a slider
 * dragged).  end: true if the program is another than before. */
void edit_history_begin (EditHistory *h, const char *label, const char *merge);
bool edit_history_end (EditHistory *h);
/* False: nothing to undo, or with `error` set it could not be done (the program is then as it was). */
bool edit_history_undo (EditHistory *h, GError **error);
bool edit_history_redo (EditHistory *h, GError **error);
/* What is selected, as a text that only its owner understands (g_free): asked before and after each edit, so that going
 * back shows what the step was about. */
typedef char *(*EditSelection) (void *arg);
void edit_history_set_selection (EditHistory *h, EditSelection selected, void *arg);
/* After an undo what was selected before that step, after a redo what was after it; NULL: nothing is known. */
const char *edit_history_selection (const EditHistory *h);
const char *edit_history_undo_label (const EditHistory *h); /* NULL: nothing to undo */
const char *edit_history_redo_label (const EditHistory *h);
/* The present program is what the file holds; no file holds it, as after a crash.  A new history is as saved. */
void edit_history_set_saved (EditHistory *h);
void edit_history_set_unsaved (EditHistory *h);
bool edit_history_is_saved (const EditHistory *h);
/* The program is another by how it is looked at alone, outside of an edit: no step; saved if it was saved. */
void edit_history_looked (EditHistory *h);
/* Makes `p` what `text` says, changing only what differs; for undo, and for recovery. */
bool edit_history_apply (EveProgram *p, const char *text, GError **error);
