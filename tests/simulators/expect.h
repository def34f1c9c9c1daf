/* SPDX-License-Identifier: Apache-2.0 */
/* expect.h - what a state graph should look like, said in words: a line an object, "b State=Idle|Usage=1", attributes
 * of the node of that id or the edge of that name; "!b": there is none now. */
#pragma once
#include "simulators/state.h"

/* Fails the test at the first line that is not so at date `at`; `lines` ends with NULL. */
void expect_lines (const StateGraph *g, int64_t at, const char *const *lines, const char *file, int line);
#define expect_graph(graph, ...)                                                                                       \
  expect_lines (graph, (graph)->clock, (const char *const[]){ __VA_ARGS__, NULL }, __FILE__, __LINE__)
