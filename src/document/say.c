/* SPDX-License-Identifier: Apache-2.0 */
/* say.c - sentences for a person, and what is true of them no longer. */
#include "document/private.h"

static void
document_say (ScopeDocument *d, const char *about, ScopeSay kind, const char *fmt, va_list ap)
{
  g_autofree char *sentence = g_strdup_vprintf (fmt, ap);

  g_signal_emit_by_name (d, "say", sentence, (int) kind, about);
}

void
scope_document_say (ScopeDocument *d, ScopeSay kind, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  document_say (d, NULL, kind, fmt, ap);
  va_end (ap);
}

void
scope_document_say_about (ScopeDocument *d, const char *about, ScopeSay kind, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  document_say (d, about, kind, fmt, ap);
  va_end (ap);
}

void
scope_document_unsay (ScopeDocument *d, const char *about)
{
  g_signal_emit_by_name (d, "unsay", about);
}
