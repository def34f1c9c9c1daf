/* SPDX-License-Identifier: Apache-2.0 */
/* graph-fuzz.c - any bytes as a graph, in the language of Graphviz or as GraphML. */
#include "readers/graph/dot.c"
#include "readers/graph/graphml.c"
#include "readers/graph/graph.c"
#include "readers/graph/colours.c"
#define FUZZED graph
#include "tests/fuzz/converted-fuzz.h"
