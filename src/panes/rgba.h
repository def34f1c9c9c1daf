/* SPDX-License-Identifier: Apache-2.0 */
/* rgba.h - colours as GTK has them, and as pictures have them: 0xRRGGBB. */
#pragma once
#include <gdk/gdk.h>

static inline uint32_t
rgb_of (const GdkRGBA *c)
{
  return (uint32_t) (c->red * 255 + 0.5) << 16 | (uint32_t) (c->green * 255 + 0.5) << 8
         | (uint32_t) (c->blue * 255 + 0.5);
}

static inline GdkRGBA
rgba_of (uint32_t rgb)
{
  return (GdkRGBA){ (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, 1 };
}
