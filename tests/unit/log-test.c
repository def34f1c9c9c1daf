/* SPDX-License-Identifier: Apache-2.0 */
/* SCOPE_DEBUG=category:level,pattern*:level.  It is read once, so each setting has a process of its own. */
#include "tests/unit/boxes.h"

static void
under (const char *debug, const char *out, const char *not_out)
{
  if (debug)
    g_setenv ("SCOPE_DEBUG", debug, TRUE);
  else
    g_unsetenv ("SCOPE_DEBUG");
  g_test_trap_subprocess ("/log/subprocess/talk", 0, 0);
  g_test_trap_assert_passed ();
  if (out)
    g_test_trap_assert_stderr (out);
  if (not_out)
    g_test_trap_assert_stderr_unmatched (not_out);
}

static void
talk (void)
{
  for (int level = 1; level <= 5; level++) {
    eve_log ("alpha", level, "alpha says %d", level);
    eve_log ("reader.tape", level, "reader says %d", level);
    if (eve_log_on ("beta", level))
      eve_log ("beta", level, "beta says %d", level);
  }
}

static void
test_rules (void)
{
  under (NULL, NULL, "*says*");
  under ("", NULL, "*says*");
  under ("alpha:2", "*alpha says 1*alpha says 2*", "*alpha says 3*");
  under ("alpha:2", NULL, "*beta says*");
  under ("reader.*:3", "*reader says 3*", "*alpha says*");
  under ("alpha:5,beta:1", "*alpha says 5*", "*beta says 2*");
  under ("*:1", "*reader says 1*", "*says 2*");
  under ("alpha:0", NULL, "*says*");
  under (",,:,alpha:x,:5,:::,alpha:-1,*", NULL, NULL); /* nonsense does no harm */
  under ("alpha:99999999999999999999", "*alpha says 5*", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/rules", test_rules);
  g_test_add_func ("/log/subprocess/talk", talk);
  return g_test_run ();
}
