/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
EVE_EXPORT extern const EveClass not_the_table;
const EveClass not_the_table = { EVE_CLASS_HEAD, BAD_CLASS };
