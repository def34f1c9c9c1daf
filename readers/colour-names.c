/* SPDX-License-Identifier: Apache-2.0 */
/* colour-names.c - colours as tools of the field write them: by their names in X11, in digits, or by hue. */
#include <math.h>
#include <string.h>

#include "readers/reader.h"

/* Names of X11, in the order of their letters.  Those of "gray0" to "gray100", and of 2 to 4 behind a name that has a
 * 1, are made from them. */
static const struct {
  const char *name;
  uint32_t rgb;
} named_colours[] = {
  { "aliceblue", 0xf0f8ff },
  { "antiquewhite", 0xfaebd7 },
  { "antiquewhite1", 0xffefdb },
  { "aquamarine", 0x7fffd4 },
  { "aquamarine1", 0x7fffd4 },
  { "azure", 0xf0ffff },
  { "azure1", 0xf0ffff },
  { "beige", 0xf5f5dc },
  { "bisque", 0xffe4c4 },
  { "bisque1", 0xffe4c4 },
  { "black", 0x000000 },
  { "blanchedalmond", 0xffebcd },
  { "blue", 0x0000ff },
  { "blue1", 0x0000ff },
  { "blueviolet", 0x8a2be2 },
  { "brown", 0xa52a2a },
  { "brown1", 0xff4040 },
  { "burlywood", 0xdeb887 },
  { "burlywood1", 0xffd39b },
  { "cadetblue", 0x5f9ea0 },
  { "cadetblue1", 0x98f5ff },
  { "chartreuse", 0x7fff00 },
  { "chartreuse1", 0x7fff00 },
  { "chocolate", 0xd2691e },
  { "chocolate1", 0xff7f24 },
  { "coral", 0xff7f50 },
  { "coral1", 0xff7256 },
  { "cornflowerblue", 0x6495ed },
  { "cornsilk", 0xfff8dc },
  { "cornsilk1", 0xfff8dc },
  { "cyan", 0x00ffff },
  { "cyan1", 0x00ffff },
  { "darkblue", 0x00008b },
  { "darkcyan", 0x008b8b },
  { "darkgoldenrod", 0xb8860b },
  { "darkgoldenrod1", 0xffb90f },
  { "darkgray", 0xa9a9a9 },
  { "darkgreen", 0x006400 },
  { "darkgrey", 0xa9a9a9 },
  { "darkkhaki", 0xbdb76b },
  { "darkmagenta", 0x8b008b },
  { "darkolivegreen", 0x556b2f },
  { "darkolivegreen1", 0xcaff70 },
  { "darkorange", 0xff8c00 },
  { "darkorange1", 0xff7f00 },
  { "darkorchid", 0x9932cc },
  { "darkorchid1", 0xbf3eff },
  { "darkred", 0x8b0000 },
  { "darksalmon", 0xe9967a },
  { "darkseagreen", 0x8fbc8f },
  { "darkseagreen1", 0xc1ffc1 },
  { "darkslateblue", 0x483d8b },
  { "darkslategray", 0x2f4f4f },
  { "darkslategray1", 0x97ffff },
  { "darkslategrey", 0x2f4f4f },
  { "darkturquoise", 0x00ced1 },
  { "darkviolet", 0x9400d3 },
  { "debianred", 0xd70751 },
  { "deeppink", 0xff1493 },
  { "deeppink1", 0xff1493 },
  { "deepskyblue", 0x00bfff },
  { "deepskyblue1", 0x00bfff },
  { "dimgray", 0x696969 },
  { "dimgrey", 0x696969 },
  { "dodgerblue", 0x1e90ff },
  { "dodgerblue1", 0x1e90ff },
  { "firebrick", 0xb22222 },
  { "firebrick1", 0xff3030 },
  { "floralwhite", 0xfffaf0 },
  { "forestgreen", 0x228b22 },
  { "gainsboro", 0xdcdcdc },
  { "ghostwhite", 0xf8f8ff },
  { "gold", 0xffd700 },
  { "gold1", 0xffd700 },
  { "goldenrod", 0xdaa520 },
  { "goldenrod1", 0xffc125 },
  { "gray", 0xc0c0c0 },
  { "green", 0x00ff00 },
  { "green1", 0x00ff00 },
  { "greenyellow", 0xadff2f },
  { "grey", 0xc0c0c0 },
  { "honeydew", 0xf0fff0 },
  { "honeydew1", 0xf0fff0 },
  { "hotpink", 0xff69b4 },
  { "hotpink1", 0xff6eb4 },
  { "hotpink2", 0xee6aa7 },
  { "hotpink3", 0xcd6090 },
  { "hotpink4", 0x8b3a62 },
  { "indianred", 0xcd5c5c },
  { "indianred1", 0xff6a6a },
  { "ivory", 0xfffff0 },
  { "ivory1", 0xfffff0 },
  { "khaki", 0xf0e68c },
  { "khaki1", 0xfff68f },
  { "lavender", 0xe6e6fa },
  { "lavenderblush", 0xfff0f5 },
  { "lavenderblush1", 0xfff0f5 },
  { "lawngreen", 0x7cfc00 },
  { "lemonchiffon", 0xfffacd },
  { "lemonchiffon1", 0xfffacd },
  { "lightblue", 0xadd8e6 },
  { "lightblue1", 0xbfefff },
  { "lightcoral", 0xf08080 },
  { "lightcyan", 0xe0ffff },
  { "lightcyan1", 0xe0ffff },
  { "lightgoldenrod", 0xeedd82 },
  { "lightgoldenrod1", 0xffec8b },
  { "lightgoldenrodyellow", 0xfafad2 },
  { "lightgray", 0xd3d3d3 },
  { "lightgreen", 0x90ee90 },
  { "lightgrey", 0xd3d3d3 },
  { "lightpink", 0xffb6c1 },
  { "lightpink1", 0xffaeb9 },
  { "lightsalmon", 0xffa07a },
  { "lightsalmon1", 0xffa07a },
  { "lightseagreen", 0x20b2aa },
  { "lightskyblue", 0x87cefa },
  { "lightskyblue1", 0xb0e2ff },
  { "lightslateblue", 0x8470ff },
  { "lightslategray", 0x778899 },
  { "lightslategrey", 0x778899 },
  { "lightsteelblue", 0xb0c4de },
  { "lightsteelblue1", 0xcae1ff },
  { "lightyellow", 0xffffe0 },
  { "lightyellow1", 0xffffe0 },
  { "limegreen", 0x32cd32 },
  { "linen", 0xfaf0e6 },
  { "magenta", 0xff00ff },
  { "magenta1", 0xff00ff },
  { "maroon", 0xb03060 },
  { "maroon1", 0xff34b3 },
  { "mediumaquamarine", 0x66cdaa },
  { "mediumblue", 0x0000cd },
  { "mediumorchid", 0xba55d3 },
  { "mediumorchid1", 0xe066ff },
  { "mediumpurple", 0x9370db },
  { "mediumpurple1", 0xab82ff },
  { "mediumseagreen", 0x3cb371 },
  { "mediumslateblue", 0x7b68ee },
  { "mediumspringgreen", 0x00fa9a },
  { "mediumturquoise", 0x48d1cc },
  { "mediumvioletred", 0xc71585 },
  { "midnightblue", 0x191970 },
  { "mintcream", 0xf5fffa },
  { "mistyrose", 0xffe4e1 },
  { "mistyrose1", 0xffe4e1 },
  { "moccasin", 0xffe4b5 },
  { "navajowhite", 0xffdead },
  { "navajowhite1", 0xffdead },
  { "navy", 0x000080 },
  { "navyblue", 0x000080 },
  { "oldlace", 0xfdf5e6 },
  { "olivedrab", 0x6b8e23 },
  { "olivedrab1", 0xc0ff3e },
  { "orange", 0xffa500 },
  { "orange1", 0xffa500 },
  { "orangered", 0xff4500 },
  { "orangered1", 0xff4500 },
  { "orchid", 0xda70d6 },
  { "orchid1", 0xff83fa },
  { "palegoldenrod", 0xeee8aa },
  { "palegreen", 0x98fb98 },
  { "palegreen1", 0x9aff9a },
  { "paleturquoise", 0xafeeee },
  { "paleturquoise1", 0xbbffff },
  { "palevioletred", 0xdb7093 },
  { "palevioletred1", 0xff82ab },
  { "papayawhip", 0xffefd5 },
  { "peachpuff", 0xffdab9 },
  { "peachpuff1", 0xffdab9 },
  { "peru", 0xcd853f },
  { "pink", 0xffc0cb },
  { "pink1", 0xffb5c5 },
  { "plum", 0xdda0dd },
  { "plum1", 0xffbbff },
  { "powderblue", 0xb0e0e6 },
  { "purple", 0xa020f0 },
  { "purple1", 0x9b30ff },
  { "red", 0xff0000 },
  { "red1", 0xff0000 },
  { "rosybrown", 0xbc8f8f },
  { "rosybrown1", 0xffc1c1 },
  { "royalblue", 0x4169e1 },
  { "royalblue1", 0x4876ff },
  { "saddlebrown", 0x8b4513 },
  { "salmon", 0xfa8072 },
  { "salmon1", 0xff8c69 },
  { "sandybrown", 0xf4a460 },
  { "seagreen", 0x2e8b57 },
  { "seagreen1", 0x54ff9f },
  { "seashell", 0xfff5ee },
  { "seashell1", 0xfff5ee },
  { "sienna", 0xa0522d },
  { "sienna1", 0xff8247 },
  { "skyblue", 0x87ceeb },
  { "skyblue1", 0x87ceff },
  { "slateblue", 0x6a5acd },
  { "slateblue1", 0x836fff },
  { "slategray", 0x708090 },
  { "slategray1", 0xc6e2ff },
  { "slategrey", 0x708090 },
  { "snow", 0xfffafa },
  { "snow1", 0xfffafa },
  { "springgreen", 0x00ff7f },
  { "springgreen1", 0x00ff7f },
  { "steelblue", 0x4682b4 },
  { "steelblue1", 0x63b8ff },
  { "tan", 0xd2b48c },
  { "tan1", 0xffa54f },
  { "thistle", 0xd8bfd8 },
  { "thistle1", 0xffe1ff },
  { "tomato", 0xff6347 },
  { "tomato1", 0xff6347 },
  { "turquoise", 0x40e0d0 },
  { "turquoise1", 0x00f5ff },
  { "violet", 0xee82ee },
  { "violetred", 0xd02090 },
  { "violetred1", 0xff3e96 },
  { "wheat", 0xf5deb3 },
  { "wheat1", 0xffe7ba },
  { "white", 0xffffff },
  { "whitesmoke", 0xf5f5f5 },
  { "yellow", 0xffff00 },
  { "yellow1", 0xffff00 },
  { "yellowgreen", 0x9acd32 },
};

static bool
colour_names_find (const char *name, uint32_t *rgb)
{
  size_t low = 0, high = G_N_ELEMENTS (named_colours);

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int c = strcmp (name, named_colours[middle].name);
    if (c == 0) {
      *rgb = named_colours[middle].rgb;
      return true;
    }
    if (c < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

static uint32_t
grey (double share)
{
  uint32_t x = (uint32_t) (255 * share + 0.5);

  return x << 16 | x << 8 | x;
}

static bool
colour_names_is_named (const char *text, uint32_t *rgb)
{
  static const double darker[] = { 0.932, 0.804, 0.548 };
  g_autofree char *name = g_ascii_strdown (text, -1);
  size_t n = strlen (name);
  char *end;

  if (colour_names_find (name, rgb))
    return true;
  if ((g_str_has_prefix (name, "gray") || g_str_has_prefix (name, "grey")) && g_ascii_isdigit (name[4])) {
    int64_t percent = g_ascii_strtoll (name + 4, &end, 10);
    *rgb = grey ((double) CLAMP (percent, 0, 100) / 100);
    return *end == '\0' && percent <= 100;
  }
  int shade = n > 1 ? name[n - 1] - '2' : -1;
  if (shade < 0 || shade > 2)
    return false;
  name[n - 1] = '1';
  if (!colour_names_find (name, rgb))
    return false;
  uint32_t made = 0;
  for (int i = 16; i >= 0; i -= 8)
    made = made << 8 | (uint32_t) ((*rgb >> i & 255) * darker[shade] + 0.5);
  *rgb = made;
  return true;
}

/* "H S V", or "H,S,V", of 0 to 1. */
static bool
is_of_hue (const char *text, uint32_t *rgb)
{
  double v[3];
  const char *at = text;

  for (int i = 0; i < 3; i++) {
    char *end;
    at += strspn (at, " ,");
    v[i] = g_ascii_strtod (at, &end);
    if (end == at || !isfinite (v[i]))
      return false;
    v[i] = CLAMP (v[i], 0, 1);
    at = end;
  }
  if (at[strspn (at, " ,")] != '\0')
    return false;
  *rgb = 0;
  for (int i = 0; i < 3; i++) { /* red, green, blue lie a third apart on the circle */
    double k = fmod ((i == 0 ? 5 : i == 1 ? 3 : 1) + 6 * v[0], 6);
    double x = v[2] - v[2] * v[1] * fmax (0, fmin (fmin (k, 4 - k), 1));
    *rgb = *rgb << 8 | (uint32_t) (255 * x + 0.5);
  }
  return true;
}

bool
trace_colour_named (const char *text, uint32_t *rgb)
{
  g_autofree char *one = g_strndup (text, MIN (strcspn (text, ":;"), 64));
  const char *name = strrchr (one, '/') ? strrchr (one, '/') + 1 : one;

  g_strstrip (one);
  if (*name == '#') {
    size_t n = strspn (name + 1, "0123456789abcdefABCDEF");
    uint64_t value = g_ascii_strtoull (name + 1, NULL, 16);
    if (name[1 + n] != '\0' || (n != 6 && n != 8 && n != 3))
      return false;
    *rgb = n == 3 ? (uint32_t) ((value >> 8 & 15) * 0x110000 | (value >> 4 & 15) * 0x1100 | (value & 15) * 0x11)
                  : (uint32_t) (n == 8 ? value >> 8 : value);
    return n != 8 || (value & 255) != 0;
  }
  if (g_ascii_isdigit (*name) || *name == '.')
    return is_of_hue (one, rgb);
  return colour_names_is_named (name, rgb);
}
