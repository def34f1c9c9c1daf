/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a curve of all numbers so far, drawn into an SVG file whenever the program stops.
 *
 * What cannot be seen is summed up: the picture has so many columns, each the smallest and largest of a number of
 * data; when the columns are full, two become one.  So memory and drawing time do not grow with the data. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "eve/eve.h"

#define N_COLUMNS 512 /* one a pixel; even */
#define HEIGHT_PX 200

typedef struct Self {
  EveBase base; /* must be first: the ports */
  char *file;
  int64_t each;          /* data in a full column */
  int64_t full, in_last; /* full columns; data in the one after them */
  double low[N_COLUMNS + 1], high[N_COLUMNS + 1];
} Self;

static const EveInSpec ins[] = {
  { "in", &eve_type_double, .required = true, .doc = "Numbers." },
};
static const EveField settings[] = {
  { "file", EVE_F_STRING, offsetof (Self, file), .def_text = "@NAME@.svg", .path = true,
    .output = true, .doc = "File to write, below the output folder." },
};

static void
reset (EveComponent *c)
{
  Self *self = (Self *) c;

  self->each = 1;
  self->full = self->in_last = 0;
}

static bool
init (EveComponent *c)
{
  reset (c);
  return true;
}

static void
keep (Self *self, double x)
{
  int64_t k = self->full;

  if (!(x - x == 0)) /* NaN and infinities have no place in the picture */
    return;
  if (!self->in_last || x < self->low[k])
    self->low[k] = x;
  if (!self->in_last || x > self->high[k])
    self->high[k] = x;
  if (++self->in_last < self->each)
    return;
  self->in_last = 0;
  if (++self->full < N_COLUMNS)
    return;
  for (int i = 0; i < N_COLUMNS / 2; i++) {
    self->low[i] = self->low[2 * i] < self->low[2 * i + 1] ? self->low[2 * i] : self->low[2 * i + 1];
    self->high[i] = self->high[2 * i] > self->high[2 * i + 1] ? self->high[2 * i] : self->high[2 * i + 1];
  }
  self->full = N_COLUMNS / 2;
  self->each *= 2;
}

static void
fire (EveComponent *c)
{
  Self *self = (Self *) c;

  keep (self, *(const double *) eve_take (self->base.in[0]));
}

static void
fire_span (EveComponent *c, uint32_t n)
{
  Self *self = (Self *) c;
  const double *x = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++)
    keep (self, x[i]);
}

/* The whole picture at once: nobody ever sees half of it. */
static void
draw (EveComponent *c)
{
  Self *self = (Self *) c;
  int64_t n = self->full + (self->in_last > 0);
  double low = 0, high = 0;
  char *text = NULL;
  size_t n_text = 0;
  FILE *f = open_memstream (&text, &n_text);

  for (int64_t i = 0; i < n; i++) {
    low = i && low < self->low[i] ? low : self->low[i];
    high = i && high > self->high[i] ? high : self->high[i];
  }
  double px = high > low ? (HEIGHT_PX - 1) / (high - low) : 0;
  if (f) {
    fprintf (f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", N_COLUMNS, HEIGHT_PX);
    fprintf (f, "<title>%.10g to %.10g</title>\n", low, high);
    for (int64_t i = 0; i < n; i++)
      fprintf (f, "<path d=\"M%lld.5 %.1fv%.1f\" stroke=\"#1c71d8\"/>\n", (long long) i,
               HEIGHT_PX - 1 - (self->high[i] - low) * px, (self->high[i] - self->low[i]) * px + 1);
    fputs ("</svg>\n", f);
  }
  if (!f || fclose (f) != 0)
    eve_fail (c, "There is no memory for the picture");
  else if (eve_write_output (c, self->file, text, n_text) == 0)
    eve_status (c, "%lld columns in %s", (long long) n, self->file);
  free (text);
}

static bool
at_end (EveComponent *c)
{
  draw (c);
  return true;
}

static void
save (EveComponent *c, EveBlob *to)
{
  const Self *self = (const Self *) c;

  eve_put_int (to, self->each);
  eve_put_int (to, self->full);
  eve_put_int (to, self->in_last);
  for (int64_t i = 0; i < self->full + (self->in_last > 0); i++) {
    eve_put_double (to, self->low[i]);
    eve_put_double (to, self->high[i]);
  }
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  Self *self = (Self *) c;

  self->each = eve_get_int (from);
  self->full = eve_get_int (from);
  self->in_last = eve_get_int (from);
  if (self->each < 1 || self->each > INT64_MAX / 4 || self->full < 0 || self->full >= N_COLUMNS || self->in_last < 0
      || self->in_last >= self->each) { /* never trust what was read */
    reset (c);
    return false;
  }
  for (int64_t i = 0; i < self->full + (self->in_last > 0); i++) {
    self->low[i] = eve_get_double (from);
    self->high[i] = eve_get_double (from);
  }
  return eve_get_ok (from);
}

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@", .category = "Views", .version = 1,
  .doc = "Draws a curve of numbers into an SVG file.",
  .help = "Whenever the program stops, the curve of all numbers so far is drawn into *file*. Each column of pixels "
          "shows the smallest and the largest of the data that fall on it.\n\n"
          "Example: the numbers 0 to 9 make a staircase of ten columns.",
  .ins = ins, .n_ins = EVE_N (ins), .settings = settings, .n_settings = EVE_N (settings),
  .instance_size = sizeof (Self), .init = init, .pause = draw, .reset = reset, .fire = fire, .fire_span = fire_span,
  .at_end = at_end, .save = save, .load = load,
};
EVE_PLUGIN (&@IDENT@);
