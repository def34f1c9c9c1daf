/* SPDX-License-Identifier: Apache-2.0 */
/* expression-fuzz.c - any text as a condition or a formula, over data of any type.  The first byte chooses the type;
 * what compiles is asked for specimens of it, one by one and many at once, which must say the same. */
#include <math.h>
#include <string.h>
#include "readers/event.h"
#include "simulators/state.h"
#include "statistics/expression.h"
#include "statistics/types.h"
#include "tests/fuzz/fuzz.h"

#define DATA 37

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const EveType *const types[] = { &trace_type_event, &state_type_change, &state_type_message, &stats_type_datum,
                                          &eve_type_double,  &eve_type_int64,    &eve_type_bool };
  if (size < 1)
    return 0;
  const EveType *type = types[data[0] % G_N_ELEMENTS (types)];
  g_autofree char *text = g_strndup ((const char *) data + 1, size - 1);
  g_autofree char *sentence = NULL;
  StatsExpression *e = stats_expression_new (text, type, &sentence);
  CHECK ((e == NULL) == (sentence != NULL));
  CHECK (!sentence || !g_utf8_validate (text, -1, NULL) || g_utf8_validate (sentence, -1, NULL));
  if (!e)
    return 0;
  g_autofree uint8_t *room = g_malloc0 ((size_t) DATA * type->size);
  uint8_t pass[DATA];
  for (uint32_t i = 0; i < DATA; i++)
    if (type->sample)
      type->sample (room + (size_t) i * type->size, i * 7 + data[0]);
  bool condition = stats_expression_is_condition (e);
  uint32_t n = condition ? stats_expression_select (e, room, DATA, pass) : 0, counted = 0;
  for (uint32_t i = 0; i < DATA; i++) {
    double one = stats_expression_value (e, room + (size_t) i * type->size);
    double two = stats_expression_value (e, room + (size_t) i * type->size);
    CHECK (one == two || (isnan (one) && isnan (two)));
    if (!condition)
      continue;
    CHECK (pass[i] <= 1);
    CHECK (isnan (one) ? !pass[i] : pass[i] == (one != 0));
    counted += pass[i];
  }
  CHECK (counted == n);
  const char *problem = stats_expression_problem (e);
  CHECK (!problem || *problem);
  stats_expression_unbind (e);
  stats_expression_value (e, room);
  stats_expression_free (e);
  if (type->release)
    for (uint32_t i = 0; i < DATA; i++)
      type->release (room + (size_t) i * type->size);
  return 0;
}
