/* SPDX-License-Identifier: Apache-2.0 */
/* view-class.h - what the classes of all views have alike.  Included by the file of a view that has its class, and the
 * tables `ins` and `settings`. */
#pragma once
#include <string.h>
#include "views/view.h"

static const char *const view_provides[] = { "view", NULL };

/* Defines a `query` that answers with a View. */
#define VIEW_QUERY(query_, view_)                                                                                      \
  static const void *query_ (EveComponent *c, const char *interface_name)                                              \
  {                                                                                                                    \
    return strcmp (interface_name, VIEW_INTERFACE) == 0 ? &view_ : NULL;                                               \
  }

/* version_: raised when the run state of a view becomes another. */
#define VIEW_CLASS_OF(instance_, version_)                                                                             \
  EVE_CLASS_HEAD, .category = "Views", .provides = view_provides, .version = version_, .ins = ins,                     \
                  .n_ins = EVE_N (ins), .settings = settings, .n_settings = EVE_N (settings),                          \
                  .instance_size = sizeof (instance_)
#define VIEW_CLASS(instance_) VIEW_CLASS_OF (instance_, 1)
