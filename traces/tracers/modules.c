/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include <stdio.h>

#include "lines.h"

void
modules_read (GArray *modules, const char *text)
{
  g_auto (GStrv) rows = g_strsplit (text, "\n", -1);

  for (char **row = rows; *row; row++) {
    unsigned long long begin, end, offset;
    int path = 0;
    if (sscanf (*row, "%llx %llx %llx %n", &begin, &end, &offset, &path) == 3 && path > 0 && (*row)[path] == '/') {
      Module m = { begin, end, offset, lines_file (*row + path) };
      g_array_append_val (modules, m);
    }
  }
}

const Module *
modules_find (const GArray *modules, uint64_t address)
{
  for (guint i = 0; i < modules->len; i++) {
    const Module *m = &g_array_index (modules, Module, i);
    if (address >= m->begin && address < m->end)
      return m;
  }
  return NULL;
}
