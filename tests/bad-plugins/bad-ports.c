/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
static const EveOutSpec outs[] = { { "out", &eve_type_double }, { "out", &eve_type_double } };
static const EveClass bad = { EVE_CLASS_HEAD, BAD_CLASS, .outs = outs, .n_outs = EVE_N (outs) };
EVE_PLUGIN (&bad);
