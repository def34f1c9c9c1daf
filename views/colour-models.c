/* SPDX-License-Identifier: Apache-2.0 */
/* colour-models.c - colours written as red, green and blue, or by their hue, how full and how light they are: HSV, HSL,
 * and LCh of CIELAB (D65), in which equal steps look equal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "eve/number.h"
#include "views/associations.h"
#include "views/paint.h"

enum { MODEL_RGB, MODEL_HSV, MODEL_HSL, MODEL_LCH };

static uint32_t
colour_models_packed (double r, double g, double b)
{
  return (uint32_t) lround (255 * CLAMP (r, 0, 1)) << 16 | (uint32_t) lround (255 * CLAMP (g, 0, 1)) << 8
         | (uint32_t) lround (255 * CLAMP (b, 0, 1));
}

/* One of red, green and blue of a hue in degrees: `n` steps of 60 behind it; 0 to 1. */
static double
of_hue (double hue, double n)
{
  double k = fmod (n + hue / 60, 6);

  k = k < 0 ? k + 6 : k;
  return 1 - CLAMP (fmin (k, 4 - k), 0, 1);
}

static uint32_t
from_hue (double hue, double low, double high)
{
  double span = high - low;

  return colour_models_packed (low + span * of_hue (hue, 5), low + span * of_hue (hue, 3),
                               low + span * of_hue (hue, 1));
}

static double
of_lab (double t)
{
  return t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29);
}

static double
to_srgb (double x)
{
  return x <= 0.0031308 ? 12.92 * x : 1.055 * pow (x, 1 / 2.4) - 0.055;
}

static uint32_t
from_lch (double l, double c, double h)
{
  double a = c * cos (h * G_PI / 180), b = c * sin (h * G_PI / 180), m = (l + 16) / 116;
  double x = 0.95047 * of_lab (m + a / 500), y = of_lab (m), z = 1.08883 * of_lab (m - b / 200);

  return colour_models_packed (to_srgb (3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
                               to_srgb (-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
                               to_srgb (0.0556434 * x - 0.2040259 * y + 1.0572252 * z));
}

static uint32_t
rgb_of (uint8_t model, const float part[3])
{
  double a = (double) part[0], b = (double) part[1] / 100, c = (double) part[2] / 100;

  if (model == MODEL_HSV)
    return from_hue (a, c * (1 - b), c);
  if (model == MODEL_HSL)
    return from_hue (a, c - b * fmin (c, 1 - c), c + b * fmin (c, 1 - c));
  return from_lch (a, (double) part[1], (double) part[2]);
}

/* "(152, 73%, 62%)" */
static bool
colour_models_read_parts (const char *text, LookValue *to)
{
  static const float most[][3] = {
    [MODEL_HSV] = { 360000, 100, 100 }, [MODEL_HSL] = { 360000, 100, 100 }, [MODEL_LCH] = { 100, 200, 360000 }
  };

  for (int i = 0; i < 3; i++) {
    char *end;
    if (*text++ != (i == 0 ? '(' : ','))
      return false;
    double x = g_ascii_strtod (text, &end);
    int turns = to->model == MODEL_LCH ? 2 : 0;
    if (end == text || !isfinite (x) || x > (double) most[to->model][i] || x < (i == turns ? -360000 : 0))
      return false;
    to->part[i] = (float) x;
    text = end + (*end == '%');
    text += strspn (text, " \t");
  }
  return strcmp (text, ")") == 0;
}

bool
look_colour (const char *text, LookValue *to)
{
  static const char *const models[] = { [MODEL_HSV] = "hsv", [MODEL_HSL] = "hsl", [MODEL_LCH] = "lch" };

  to->model = MODEL_RGB;
  if (*text == '#') {
    if (strlen (text) != 7 || strspn (text + 1, "0123456789abcdefABCDEF") != 6)
      return false;
    to->rgb = (uint32_t) strtoul (text + 1, NULL, 16);
    return true;
  }
  for (uint8_t i = MODEL_HSV; i <= MODEL_LCH; i++) {
    if (g_ascii_strncasecmp (text, models[i], 3) != 0)
      continue;
    to->model = i;
    if (!colour_models_read_parts (text + 3, to))
      break;
    to->rgb = rgb_of (i, to->part);
    return true;
  }
  to->model = MODEL_RGB;
  return false;
}

LookValue
look_between (const LookValue *a, const LookValue *b, double share)
{
  LookValue v = { .number = a->number + (b->number - a->number) * share };

  if (a->model == MODEL_RGB || a->model != b->model) {
    v.rgb = paint_mix (a->rgb, b->rgb, share);
    return v;
  }
  v.model = a->model;
  for (int i = 0; i < 3; i++)
    v.part[i] = (float) ((double) a->part[i] + ((double) b->part[i] - (double) a->part[i]) * share);
  v.rgb = rgb_of (v.model, v.part);
  return v;
}
