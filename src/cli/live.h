/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - what `scope live` needs of the window.  Main thread. */
#pragma once
#include "cli/cli.h"

char *live_window_bundle (const char *where);
/* 0 and an error. */
GPid live_window_open (const char *bundle, GError **error);
bool live_window_is_closed (GPid window);
