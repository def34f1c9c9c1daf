/* SPDX-License-Identifier: Apache-2.0 */
/* field-names.c - names of fields that a trace brings along. */
#include "readers/converted.h"

char *
converted_field_name (const char *name, size_t n)
{
  static const char *const taken[] = { "t",     "kind",     "end",     "unfinished", "task",  "duration", "file",
                                       "line",  "function", "name",    "to",         "from",  "key",      "state",
                                       "value", "variable", "date",    "number",     "bytes", "size",     "amount",
                                       "tag",   "result",   "event",   "peer",       "group", "object",   "category",
                                       "host",  "program",  "instant", "none",       "true",  "false",    "and",
                                       "or",    "not",      "in",      NULL };
  g_autofree char *raw = g_strndup (name, MIN (n, 60)), *valid = g_utf8_make_valid (raw, -1);

  for (char *p = valid; *p; p++)
    if (!g_ascii_isalnum (*p) && (unsigned char) *p < 0x80)
      *p = '_';
  return g_strv_contains (taken, valid) || *valid == '\0' || g_ascii_isdigit (*valid)
             ? g_strconcat ("arg_", valid, NULL)
             : g_steal_pointer (&valid);
}
