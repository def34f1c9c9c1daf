/* SPDX-License-Identifier: Apache-2.0 */
/* task-list.h - a button beside a field that names tasks, which opens a list of them to be ticked.  Main thread. */
#pragma once
#include "document/document.h"

/* The field was changed by a tick: what it says now. */
typedef void (*TaskListTold) (const char *text, gpointer data);

/* Whether a setting of this name, a text, is a list of tasks: ids or names with commas between. */
bool task_list_is_for (const char *setting);
/* `box`: the component whose trace has the tasks, by name; NULL, or one that is gone: the leading trace. */
GtkWidget *task_list_button_new (ScopeDocument *d, GtkEntry *field, const char *box, TaskListTold told, gpointer data);
