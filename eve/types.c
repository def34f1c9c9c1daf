/* SPDX-License-Identifier: Apache-2.0 */
/* types.c - the types of data that every program knows, and the conversions on a wire. */
#include "eve/private.h"
#include <string.h>

G_DEFINE_QUARK (eve - error - quark, eve_error)

static void
double_print (const void *slot, char *buf, size_t n)
{
  double v;
  memcpy (&v, slot, sizeof v);
  g_snprintf (buf, n, "%.10g", v);
}

/* Specimens go over signs, sizes and the special values. */
static void
double_sample (void *slot, uint64_t n)
{
  static const double special[] = { 0, -0.0, 1, -1, 1e300, -1e300, 1e-300, 0.5, 0x1p62 };
  double v = n % 16 < EVE_N (special) ? special[n % 16] : (double) (int64_t) (n * 2654435761u % 20011) - 10005;
  memcpy (slot, &v, sizeof v);
}

static void
double_save (EveProgram *p, const void *slot, EveBlob *to)
{
  double v;
  memcpy (&v, slot, sizeof v);
  eve_put_double (to, v);
}

static bool
double_load (EveProgram *p, void *slot, EveBlobView *from)
{
  double v = eve_get_double (from);
  memcpy (slot, &v, sizeof v);
  return eve_get_ok (from);
}

static void
int64_print (const void *slot, char *buf, size_t n)
{
  int64_t v;
  memcpy (&v, slot, sizeof v);
  g_snprintf (buf, n, "%" G_GINT64_FORMAT, v);
}

static void
int64_sample (void *slot, uint64_t n)
{
  static const int64_t special[] = { 0, 1, -1, 2, 3, G_MAXINT64, G_MININT64 };
  int64_t v = n % 16 < EVE_N (special) ? special[n % 16] : (int64_t) (n * 2654435761u % 20011) - 10005;
  memcpy (slot, &v, sizeof v);
}

static void
int64_save (EveProgram *p, const void *slot, EveBlob *to)
{
  int64_t v;
  memcpy (&v, slot, sizeof v);
  eve_put_int (to, v);
}

static bool
int64_load (EveProgram *p, void *slot, EveBlobView *from)
{
  int64_t v = eve_get_int (from);
  memcpy (slot, &v, sizeof v);
  return eve_get_ok (from);
}

static void
bool_print (const void *slot, char *buf, size_t n)
{
  g_strlcpy (buf, *(const bool *) slot ? "true" : "false", n);
}

static void
bool_sample (void *slot, uint64_t n)
{
  *(bool *) slot = (n * 2654435761u >> 7) & 1;
}

static void
byte_save (EveProgram *p, const void *slot, EveBlob *to)
{
  eve_put_int (to, *(const uint8_t *) slot);
}

static bool
bool_load (EveProgram *p, void *slot, EveBlobView *from)
{
  *(bool *) slot = eve_get_int (from) != 0;
  return eve_get_ok (from);
}

static void
pulse_print (const void *slot, char *buf, size_t n)
{
  g_strlcpy (buf, "pulse", n);
}

static bool
pulse_load (EveProgram *p, void *slot, EveBlobView *from)
{
  eve_get_int (from);
  *(uint8_t *) slot = 0;
  return eve_get_ok (from);
}

static void
text_retain (void *slot)
{
  char **s = slot;
  if (*s)
    g_ref_string_acquire (*s);
}

static void
text_release (void *slot)
{
  char **s = slot;
  if (*s)
    g_ref_string_release (*s);
}

static void
text_print (const void *slot, char *buf, size_t n)
{
  const char *s = *(char *const *) slot;
  g_strlcpy (buf, s ? s : "", n);
}

static void
text_sample (void *slot, uint64_t n)
{
  char text[32] = "";
  if (n % 5)
    g_snprintf (text, sizeof text, "text %" G_GUINT64_FORMAT, n);
  *(char **) slot = g_ref_string_new (text);
}

static void
text_save (EveProgram *p, const void *slot, EveBlob *to)
{
  eve_put_text (to, *(char *const *) slot);
}

static bool
text_load (EveProgram *p, void *slot, EveBlobView *from)
{
  const char *s = eve_get_text (from);
  if (!eve_get_ok (from))
    return false;
  *(char **) slot = g_ref_string_new (s);
  return true;
}

#define NUMBER_COLOUR 0x2a9d6f
const EveType eve_type_double = { .name = "number",
                                  .size = sizeof (double),
                                  .align = _Alignof(double),
                                  .colour = NUMBER_COLOUR,
                                  .print = double_print,
                                  .sample = double_sample,
                                  .save = double_save,
                                  .load = double_load };
const EveType eve_type_int64 = { .name = "integer",
                                 .size = sizeof (int64_t),
                                 .align = _Alignof(int64_t),
                                 .colour = NUMBER_COLOUR,
                                 .print = int64_print,
                                 .sample = int64_sample,
                                 .save = int64_save,
                                 .load = int64_load };
const EveType eve_type_bool = { .name = "truth value",
                                .size = sizeof (bool),
                                .align = _Alignof(bool),
                                .colour = 0x8a6d00,
                                .print = bool_print,
                                .sample = bool_sample,
                                .save = byte_save,
                                .load = bool_load };
const EveType eve_type_pulse = { .name = "pulse",
                                 .size = 1,
                                 .align = 1,
                                 .colour = 0x6b6b6b,
                                 .print = pulse_print,
                                 .save = byte_save,
                                 .load = pulse_load };
const EveType eve_type_text = { .name = "text",
                                .size = sizeof (char *),
                                .align = _Alignof(char *),
                                .colour = 0xa0522d,
                                .retain = text_retain,
                                .release = text_release,
                                .print = text_print,
                                .sample = text_sample,
                                .save = text_save,
                                .load = text_load };

/* ---- conversions ------------------------------------------------------------------------------------------ */
static void
int64_to_double (const void *from, void *to)
{
  *(double *) to = (double) *(const int64_t *) from;
}

static void
bool_to_double (const void *from, void *to)
{
  *(double *) to = *(const bool *) from;
}

static void
bool_to_int64 (const void *from, void *to)
{
  *(int64_t *) to = *(const bool *) from;
}

static void
to_pulse (const void *from, void *to)
{
  *(uint8_t *) to = 0;
}

bool
type_converts (const EveType *from, const EveType *to, Convert *convert)
{
  *convert = NULL;
  if (from == to)
    return true;
  if (to == &eve_type_pulse)
    *convert = to_pulse;
  else if (from == &eve_type_int64 && to == &eve_type_double)
    *convert = int64_to_double;
  else if (from == &eve_type_bool && to == &eve_type_double)
    *convert = bool_to_double;
  else if (from == &eve_type_bool && to == &eve_type_int64)
    *convert = bool_to_int64;
  return *convert != NULL;
}

bool
eve_type_fits (const EveType *gives, const EveType *takes)
{
  Convert convert;

  return !gives || !takes || type_converts (gives, takes, &convert);
}
