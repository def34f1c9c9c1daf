/* SPDX-License-Identifier: Apache-2.0 */
/* painter-table.c - libscope-painter: the functions of the libraries that paint, as one table. */
#define PAINTER_ITSELF
#include "views/painter.h"

extern const Painter PAINTER_TABLE;
#define CALL(name) .name = name,
TRACE_API const Painter PAINTER_TABLE = {
#include "views/painter-calls.def"
};
