/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - rows of colours that names of states have, other than the standard one (state.h). */
#pragma once
#include "simulators/state.h"

/* As state_row_colour(), of another row of STATE_COLOURS: behind them come the same ones duller, then paler or deeper.
 * What stands above the 24 bits of a colour stays.  `place` from 1.  Any thread. */
TRACE_API uint32_t state_row_of (const uint32_t *row, uint8_t place);
