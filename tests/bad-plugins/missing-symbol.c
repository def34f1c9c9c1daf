/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
extern int no_library_has_this (EveComponent *c);
static bool
init (EveComponent *c)
{
  return no_library_has_this (c) > 0;
}
static const EveClass bad = { EVE_CLASS_HEAD, BAD_CLASS, .init = init };
EVE_PLUGIN (&bad);
