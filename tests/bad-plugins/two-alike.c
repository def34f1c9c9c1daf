/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
static const EveClass one = { EVE_CLASS_HEAD, BAD_CLASS }, two = { EVE_CLASS_HEAD, BAD_CLASS };
EVE_PLUGIN (&one, &two);
