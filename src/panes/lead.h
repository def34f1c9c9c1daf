/* SPDX-License-Identifier: Apache-2.0 */
/* lead.h - where a thing in a picture leads: to what is inside of it, to its date, or to the next event or stay that it
 * stands for.  One rule for views of all classes, by a double click, by Enter on what is selected, and by the menu. */
#pragma once
#include "document/near.h"
#include "panes/picture.h"

/* What near.h is told of it: events of a task, of a kind, between two tasks, about an object, stays in a state.  False:
 * it stands for nothing that events are of. */
bool lead_here (ScopePicture *p, const DrawingTag *tag, ScopeHere *h);
/* Opens it (picture_open_item()); else goes to a date, INT64_MIN: none is meant; else to the next event or stay of it,
 * and behind the last one to the first. */
void lead_on (ScopePicture *p, const ViewItem *item, int64_t date);
/* The same of what is at a point; where nothing is, to the date there. */
void lead_from (ScopePicture *p, double x, double y);
