/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/language.h"
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>
#include "eve/number.h"
#include "eve/words.h"

void
language_begin (const char *catalogues)
{
  if (!setlocale (LC_CTYPE, "") || strcmp (nl_langinfo (CODESET), "UTF-8") != 0)
    setlocale (LC_CTYPE, "C.UTF-8");
  setlocale (LC_MESSAGES, "");
  setlocale (LC_NUMERIC, "");
  bindtextdomain (GETTEXT_PACKAGE, catalogues);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  number_by_locale (); /* in files they have a point everywhere */
}
