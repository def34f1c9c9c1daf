/* SPDX-License-Identifier: Apache-2.0 */
/* What a terminal obeys is written so that a person sees it; all else stays as it is. */
#include "eve/visible.h"
#include <string.h>

static void
expect (const char *text, size_t n, const char *want)
{
  g_autofree char *is = visible_text (text, n);

  g_assert_cmpstr (is, ==, want);
}

static void
test_visible (void)
{
  expect ("", 0, NULL);
  expect ("plain\ttext\n", 11, NULL);
  expect ("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 14, NULL);
  expect ("\033]0;title\007", 10, "\\x1b]0;title\\x07");
  expect ("a\0b", 3, "a\\x00b");
  expect ("\r\b\x7f", 3, "\\x0d\\x08\\x7f");
  expect ("\xc2\x9b"
          "2J",
          4, "\\x9b2J");
  expect ("\xe2\x80\xaegnp.exe", 10, "\\u202egnp.exe");
  expect ("\xff\xc3", 2, "\\xff\\xc3");
  expect ("\xc3\xa9\xc3", 3, "\xc3\xa9\\xc3"); /* cut off */
  expect ("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
}

static void
test_line (void)
{
  g_autofree char *is = visible_line ("a\tb\nc\r\033d\xe2\x80\xa9", 11), *plain = visible_line ("plain \\n", 8);

  g_assert_cmpstr (is, ==, "a\\tb\\nc\\r\\x1bd\\u2029");
  g_assert_null (plain);
}

/* All characters, each by itself and between others: nothing that is obeyed is left, and the rest is untouched. */
static void
test_all (void)
{
  for (gunichar c = 0; c < 0x3000; c++) {
    char text[16] = "<";
    int n = 1 + g_unichar_to_utf8 (c, text + 1);
    text[n++] = '>';
    g_autofree char *is = visible_text (text, (size_t) n);
    g_assert_true ((is != NULL) == visible_is_obeyed (c));
    for (const char *p = is; p && *p; p = g_utf8_next_char (p))
      g_assert_false (visible_is_obeyed (g_utf8_get_char (p)));
    if (g_unichar_iscntrl (c) && c != '\n' && c != '\t')
      g_assert_nonnull (is);
  }
}

static void
test_random (void)
{
  for (int round = 0; round < 20000; round++) {
    char text[64];
    int n = g_test_rand_int_range (0, sizeof text);
    for (int i = 0; i < n; i++)
      text[i] = (char) g_test_rand_int_range (0, 256);
    g_autofree char *is = visible_text (text, (size_t) n);
    if (is) {
      g_assert_true (g_utf8_validate (is, -1, NULL));
      g_autofree char *again = visible_text (is, strlen (is));
      g_assert_null (again);
    } else {
      g_assert_true (g_utf8_validate (text, n, NULL));
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/visible/visible", test_visible);
  g_test_add_func ("/visible/line", test_line);
  g_test_add_func ("/visible/all", test_all);
  g_test_add_func ("/visible/random", test_random);
  return g_test_run ();
}
