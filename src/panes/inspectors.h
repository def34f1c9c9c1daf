/* SPDX-License-Identifier: Apache-2.0 */
/* inspectors.h - inspectors that stay: each thing that was pinned, and what is selected, side by side, an attribute a
 * row, with what they differ in marked; the state graph itself is one of them.  Main thread. */
#pragma once
#include "document/document.h"

/* The panel, hidden as long as nothing is pinned. */
GtkWidget *inspectors_new (ScopeDocument *d);
/* Another inspector for a thing (of no type: for the state graph); if there is one, it goes. */
void inspectors_pin (ScopeDocument *d, TraceRef what);
/* For all that is selected: those that have one lose it, if all have; else those that have none get one. */
void inspectors_pin_selected (ScopeDocument *d);
