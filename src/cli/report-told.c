/* SPDX-License-Identifier: Apache-2.0 */
/* What the analyses of the program have to say, before all else. */
#include "cli/report.h"
#include "eve/eve-host.h"
#include "statistics/findings.h"

static void
put (void *to, const char *sentence)
{
  report_sentence (to, g_strdup (sentence));
}

void
report_told (const Report *r, GString *to)
{
  EveProgram *p = r->session->program;
  g_autoptr (GString) told = g_string_new (NULL);

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    const StatsFindings *f = eve_query (eve_component (p, i), "findings/1");
    if (f)
      f->tell (eve_component (p, i), put, told);
  }
  if (told->len == 0)
    return;
  report_heading (to, "What limits it");
  g_string_append_len (to, told->str, (gssize) told->len);
}
