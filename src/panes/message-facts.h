/* SPDX-License-Identifier: Apache-2.0 */
/* message-facts.h - a message that is selected, as an object: what it is, where it was sent and received, and the ways
 * there; and what components of the program add to a thing that is selected (readers/more.h). */
#pragma once
#include <gtk/gtk.h>
#include "document/document.h"

/* Hidden until something is shown. */
GtkWidget *message_facts_new (ScopeDocument *d);
/* NONE, or no message: nothing is shown. */
void message_facts_show (GtkWidget *facts, TraceRef message);

/* Likewise, of any thing. */
GtkWidget *more_facts_new (ScopeDocument *d);
void more_facts_show (GtkWidget *facts, TraceRef what);
