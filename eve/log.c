/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - debug messages by category and level, chosen by SCOPE_DEBUG=sched:5,reader.*:3. */
#include "eve/private.h"
#include "eve/visible.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Rule {
  GPatternSpec *pattern;
  int level;
} Rule;

static Rule *rules;
static uint32_t n_rules;
static int highest; /* nothing is looked up for messages above it */
static gsize once;

static void
eve_log_read_rules (void)
{
  const char *text = g_getenv ("SCOPE_DEBUG");
  if (!text || !*text)
    return;
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  rules = g_new0 (Rule, g_strv_length (words));
  for (char **w = words; *w; w++) {
    char *colon = strrchr (*w, ':');
    int level = colon ? (int) CLAMP (g_ascii_strtoll (colon + 1, NULL, 10), 0, 99) : 3;
    if (colon)
      *colon = 0;
    if (!**w)
      continue;
    rules[n_rules++] = (Rule){ g_pattern_spec_new (*w), level };
    highest = MAX (highest, level);
  }
}

bool
eve_log_on (const char *category, int level)
{
  if (g_once_init_enter (&once)) {
    eve_log_read_rules ();
    g_once_init_leave (&once, 1);
  }
  if (level > highest)
    return false;
  for (uint32_t i = 0; i < n_rules; i++)
    if (level <= rules[i].level && g_pattern_spec_match_string (rules[i].pattern, category))
      return true;
  return false;
}

void
eve_log (const char *category, int level, const char *fmt, ...)
{
  if (!eve_log_on (category, level))
    return;
  va_list args;
  va_start (args, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, args);
  va_end (args);
  g_autofree char *shown = visible_text (text, strlen (text));
  fprintf (stderr, "%s:%d %s\n", category, level, shown ? shown : text);
}
