/* SPDX-License-Identifier: Apache-2.0 */
/* associations-colours.h - the colours of a rule, each a button that opens a chooser. */
#pragma once
#include "panes/panes.h"
#include "views/associations.h"

/* Somebody chose: `scale` is to be that of the rule of this number and level. */
typedef void (*AssociationsRecoloured) (void *arg, LookLevel level, guint number, const char *scale);
/* A line for each value, interval and ramp of a rule for colours, and for values that occur and it does not name. */
void associations_colours_add (GtkContainer *to, ScopeDocument *d, const AssociationsRule *rule,
                               AssociationsRecoloured chosen, void *arg);
