/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/visible.h"

bool
visible_is_obeyed (gunichar c)
{
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) /* C0, DEL, C1 */
         || c == 0x61c || c == 0x200e || c == 0x200f                     /* marks of direction: Unicode, UAX #9 */
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool
visible_in_xml (gunichar c)
{
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd)
         || (c >= 0x10000 && c <= 0x10ffff);
}

static bool
visible_is_plain (const char *text, size_t n, bool line)
{
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char) text[i];
    if (c >= 0x7f || (c < 0x20 && (line || (c != '\n' && c != '\t'))))
      return false;
  }
  return true;
}

static char *
make_visible (const char *text, size_t n, bool line)
{
  if (visible_is_plain (text, n, line))
    return NULL;
  GString *to = g_string_sized_new (n + 16);

  for (size_t i = 0; i < n;) {
    gunichar c = text[i] ? g_utf8_get_char_validated (text + i, (gssize) (n - i)) : 0;
    size_t bytes = c < 0x110000 ? (size_t) g_unichar_to_utf8 (c, NULL) : 1;
    if (c >= 0x110000) /* no UTF-8 */
      g_string_append_printf (to, "\\x%02x", (unsigned char) text[i]);
    else if (line && (c == '\n' || c == '\r' || c == '\t'))
      g_string_append (to, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    else if (visible_is_obeyed (c) || !visible_in_xml (c))
      g_string_append_printf (to, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    else
      g_string_append_len (to, text + i, (gssize) bytes);
    i += bytes;
  }
  return g_string_free (to, to->len == n); /* what was written another way is longer */
}

char *
visible_text (const char *text, size_t n)
{
  return make_visible (text, n, false);
}

char *
visible_line (const char *text, size_t n)
{
  return make_visible (text, n, true);
}
