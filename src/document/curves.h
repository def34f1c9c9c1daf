/* SPDX-License-Identifier: Apache-2.0 */
/* curves.h - a number that a view shows becomes a curve, or comes to a chart that is there.  Main thread. */
#pragma once
#include "document/document.h"
#include "views/drawing.h"

/* Whether what a mark of a picture shows is a number of somebody, which can be had over time: its tag has an attribute
 * of the model that the view is wired to, and no value of it. */
bool curves_can (ScopeDocument *d, EveComponent *view, const DrawingTag *tag);
/* The input of a box that takes numbers; NULL: it is no view, or takes none. */
const char *curves_input (EveComponent *chart);
/* Views of the program that take numbers; g_ptr_array_unref. */
GPtrArray *curves_charts (ScopeDocument *d);
/* Shows the number in a chart of the program, or, NULL, in a new one of the class `id` ("scope.curve"); what is shown
 * already is brought to the front.  One edit, which can be undone.  False: a sentence was said. */
bool curves_show (ScopeDocument *d, EveComponent *view, const DrawingTag *tag, EveComponent *chart, const char *id);
