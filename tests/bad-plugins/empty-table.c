/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bad-plugins/bad.h"
extern EVE_EXPORT const EveClass *const eve_plugin[];
EVE_EXPORT const EveClass *const eve_plugin[] = { NULL };
EVE_EXPORT void (*bad_unused) (EveComponent *) = bad_fire;
EVE_EXPORT const EveInSpec *bad_unused_ins = bad_ins;
