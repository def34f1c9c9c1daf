/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - wires and frames by name. */
#include "document/parts.h"
#include <string.h>

char *
part_of_wire (EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  return g_strdup_printf ("wire\t%s\t%s\t%s\t%s", eve_name (from), out, eve_name (to), in);
}

char *
part_of_frame (guint number)
{
  return g_strdup_printf ("frame\t%u", number);
}

bool
part_wire (EveProgram *p, const char *part, EveWire *wire)
{
  g_auto (GStrv) word = g_strsplit (part, "\t", -1);
  if (g_strv_length (word) != 5 || strcmp (word[0], "wire") != 0)
    return false;
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (!strcmp (eve_name (w.from), word[1]) && !strcmp (w.out, word[2]) && !strcmp (eve_name (w.to), word[3])
        && !strcmp (w.in, word[4])) {
      *wire = w;
      return true;
    }
  }
  return false;
}

bool
part_frame (const Notes *n, const char *part, guint *number)
{
  if (!n || !g_str_has_prefix (part, "frame\t"))
    return false;
  guint64 at = g_ascii_strtoull (part + strlen ("frame\t"), NULL, 10);
  *number = (guint) at;
  return at < n->frames->len;
}
