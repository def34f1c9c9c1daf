/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/language.h"
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>
#include "eve/number.h"
#include "eve/words.h"

/* A locale that the machine has not made would leave all in English, and LANGUAGE without a meaning. */
static void
language_without_locale (void)
{
  static const char *const asked[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
  const char *wanted = NULL, *languages = g_getenv ("LANGUAGE");

  for (size_t i = 0; i < G_N_ELEMENTS (asked) && (!wanted || !*wanted); i++)
    wanted = g_getenv (asked[i]);
  setlocale (LC_MESSAGES, "C.UTF-8");
  if (wanted && *wanted && (!languages || !*languages))
    g_setenv ("LANGUAGE", wanted, TRUE);
}

void
language_begin (const char *catalogues)
{
  if (!setlocale (LC_CTYPE, "") || strcmp (nl_langinfo (CODESET), "UTF-8") != 0)
    setlocale (LC_CTYPE, "C.UTF-8");
  if (!setlocale (LC_MESSAGES, ""))
    language_without_locale ();
  setlocale (LC_NUMERIC, "");
  bindtextdomain (GETTEXT_PACKAGE, catalogues);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  number_by_locale (); /* in files they have a point everywhere */
}
