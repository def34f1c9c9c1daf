/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
static const EveClass bad = { .abi = EVE_ABI, .size = sizeof (EveClass) - 8, BAD_CLASS };
EVE_PLUGIN (&bad);
