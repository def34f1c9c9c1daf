/* SPDX-License-Identifier: Apache-2.0 */
/* sound.c - what can be heard of data: a number as pitch or as level, events as clicks (thesis, section 2.1.4).
 *
 * The sound lasts as long as one wants, so the execution is divided into cells of a hundredth of a second of sound:
 * what comes is added to a cell, whatever their number, and the wave is made when the file is written. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "statistics/types.h"

#define RATE 22050 /* samples a second, of 16 bits, one channel */
#define CELLS_A_SECOND 100
#define BEAT 20       /* cells that a datum without a date sounds */
#define LOUD 0.7      /* of the largest sample */
#define SETTLES 0.003 /* s: a level that changes at once is heard as a click */
#define TURN 1024     /* values of a sine that are kept */
#define CLICK_S 0.008 /* s: a click has died away by then */

enum { AS_PITCH, AS_LEVEL, AS_CLICKS };
static const char *const ways[] = { "pitch", "level", "clicks", NULL };

typedef struct Cell {
  double sum;
  int64_t n;
} Cell;

typedef struct Sound {
  EveBase base;
  char *file;
  int32_t as;
  double lasts_s, from, to, lowest_hz, highest_hz;
  Cell *cells;   /* n_cells() */
  int64_t given; /* data so far: run state */
  uint16_t of;   /* the trace that dates are of; 0: none */
  bool written;  /* as it is now */
} Sound;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Numbers, with or without dates; for clicks, data of any type." },
};
static const EveField settings[] = {
  { "file", EVE_F_STRING, offsetof (Sound, file), .path = true, .output = true, .def_text = "sound.wav",
    .doc = "WAV file to write; empty: none, it is mute." },
  { "as", EVE_F_CHOICE, offsetof (Sound, as), .def = AS_PITCH, .choices = ways,
    .doc = "How a number is heard: as pitch, as how loud, or each datum as a click." },
  { "lasts", EVE_F_DOUBLE, offsetof (Sound, lasts_s), .min = 0.1, .max = 600, .def = 10, .unit = "s",
    .doc = "How long the whole execution sounds." },
  { "from", EVE_F_DOUBLE, offsetof (Sound, from), .def = 0, .doc = "The number of the lowest pitch, or of silence." },
  { "to", EVE_F_DOUBLE, offsetof (Sound, to), .def = 0,
    .doc = "The number of the highest pitch, or of the loudest; as `from`: both are what comes." },
  { "lowest", EVE_F_DOUBLE, offsetof (Sound, lowest_hz), .min = 20, .max = 10000, .def = 220, .unit = "Hz",
    .doc = "The lowest pitch." },
  { "highest", EVE_F_DOUBLE, offsetof (Sound, highest_hz), .min = 20, .max = 10000, .def = 880, .unit = "Hz",
    .doc = "The highest pitch." },
};
static const EveField state[] = { { "given", EVE_F_INT64, offsetof (Sound, given), EVE_COUNT } };

static uint32_t
sound_n_cells (const Sound *self)
{
  return (uint32_t) MAX (lround (self->lasts_s * CELLS_A_SECOND), 1);
}

/* ---- what comes ---------------------------------------------------------------------------------------------------- */
static double
sound_number_of (const EveType *type, const void *datum)
{
  return type == &eve_type_double    ? *(const double *) datum
         : type == &eve_type_int64   ? (double) *(const int64_t *) datum
         : type == &eve_type_bool    ? *(const bool *) datum
         : type == &stats_type_datum ? stats_datum_number (datum)
                                     : 1;
}

/* Of its date, or in turn; beyond the last cell: not heard. */
static int64_t
sound_cell_of (Sound *self, const EveType *type, const void *datum)
{
  uint16_t number = type == &trace_type_event   ? ((const TraceEvent *) datum)->source
                    : type == &stats_type_datum ? ((const StatsDatum *) datum)->source
                                                : 0;
  const TraceSource *s = number ? trace_source (number) : NULL;
  int64_t date = type->date ? type->date (datum) : INT64_MIN;

  if (!s || date == INT64_MIN || s->last <= s->first)
    return MIN (self->given, sound_n_cells (self)) * BEAT;
  self->of = number;
  double share = ((double) date - (double) s->first) / ((double) s->last - (double) s->first);
  return MIN ((int64_t) (CLAMP (share, 0, 1) * sound_n_cells (self)), (int64_t) sound_n_cells (self) - 1);
}

static void
sound_fire (EveComponent *c)
{
  Sound *self = (Sound *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *datum = eve_take (self->base.in[0]);
  double x = sound_number_of (type, datum);
  int64_t at = sound_cell_of (self, type, datum);

  self->written = false;
  if (isfinite (x) && at < sound_n_cells (self)) {
    if (!self->cells)
      self->cells = g_new0 (Cell, sound_n_cells (self));
    self->cells[at].sum += x;
    self->cells[at].n++;
  }
  self->given++;
}

/* ---- the wave -------------------------------------------------------------------------------------------------------- */
typedef struct Wave {
  guint8 *at;          /* where the next sample goes */
  double phase, level; /* turns; how loud it is now */
  float sine[TURN + 1];
} Wave;

static void
sound_put_16 (guint8 **at, unsigned v)
{
  (*at)[0] = (guint8) v;
  (*at)[1] = (guint8) (v >> 8);
  *at += 2;
}

static void
put_32 (guint8 **at, uint32_t v)
{
  sound_put_16 (at, v & 0xffff);
  sound_put_16 (at, v >> 16);
}

static void
sound_put_word (guint8 **at, const char *word)
{
  memcpy (*at, word, 4);
  *at += 4;
}

#define HEAD 44 /* bytes */
static void
sound_put_head (guint8 **at, uint32_t n_samples)
{
  sound_put_word (at, "RIFF");
  put_32 (at, HEAD - 8 + 2 * n_samples);
  sound_put_word (at, "WAVE");
  sound_put_word (at, "fmt ");
  put_32 (at, 16);
  sound_put_16 (at, 1); /* as numbers */
  sound_put_16 (at, 1); /* one channel */
  put_32 (at, RATE);
  put_32 (at, 2 * RATE);
  sound_put_16 (at, 2);
  sound_put_16 (at, 16);
  sound_put_word (at, "data");
  put_32 (at, 2 * n_samples);
}

static inline void
put_sample (Wave *w, double v)
{
  sound_put_16 (&w->at, (unsigned) (uint16_t) (int16_t) (32767 * v + (v < 0 ? -0.5 : 0.5)));
}

/* The least and the greatest that is heard: as set, or of all cells. */
static void
bounds (const Sound *self, double *low, double *high)
{
  *low = self->from;
  *high = self->to;
  if (*low != *high)
    return;
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t i = 0; self->cells && i < sound_n_cells (self); i++)
    if (self->cells[i].n) {
      *low = fmin (*low, self->cells[i].sum / (double) self->cells[i].n);
      *high = fmax (*high, self->cells[i].sum / (double) self->cells[i].n);
    }
}

static void
put_tone (Wave *w, uint32_t n, double hz, double loud)
{
  const double follow = 1 - exp (-1 / (SETTLES * RATE)), step = hz / RATE;

  for (uint32_t i = 0; i < n; i++) {
    double place = w->phase * TURN, rest = place - (int) place;
    const float *sine = &w->sine[(int) place];
    w->level += (loud - w->level) * follow;
    put_sample (w, w->level * (sine[0] + rest * (sine[1] - sine[0])));
    w->phase += step;
    w->phase -= w->phase >= 1;
  }
}

static void
put_click (Wave *w, uint32_t n, double hz, int64_t of)
{
  double loud = of ? fmin (LOUD * (0.4 + 0.1 * log2 ((double) of)), LOUD) : 0;

  for (uint32_t i = 0; i < n; i++) {
    double t = (double) i / RATE;
    put_sample (w, of && t < CLICK_S ? loud * exp (-t * 5 / CLICK_S) * sin (2 * G_PI * hz * t) : 0);
  }
}

/* g_free. */
static guint8 *
wave_of (const Sound *self, size_t *n_bytes)
{
  uint32_t n = sound_n_cells (self), total = (uint32_t) ((uint64_t) n * RATE / CELLS_A_SECOND);
  guint8 *bytes = g_malloc (*n_bytes = HEAD + 2 * (size_t) total);
  g_autofree Wave *wave = g_new0 (Wave, 1);
  double low, high, share = NAN;

  for (int i = 0; i <= TURN; i++)
    wave->sine[i] = (float) sin (2 * G_PI * i / TURN);
  wave->at = bytes;
  bounds (self, &low, &high);
  sound_put_head (&wave->at, total);
  for (uint32_t i = 0; i < n; i++) {
    const Cell *cell = self->cells ? &self->cells[i] : NULL;
    uint32_t samples = (uint32_t) ((uint64_t) (i + 1) * RATE / CELLS_A_SECOND - (uint64_t) i * RATE / CELLS_A_SECOND);
    if (cell && cell->n)
      share = high > low ? CLAMP ((cell->sum / (double) cell->n - low) / (high - low), 0, 1) : 0.5;
    double hz = self->lowest_hz * pow (self->highest_hz / self->lowest_hz, isnan (share) ? 0 : share);
    if (self->as == AS_CLICKS)
      put_click (wave, samples, self->highest_hz, cell ? cell->n : 0);
    else if (self->as == AS_PITCH)
      put_tone (wave, samples, hz, isnan (share) ? 0 : LOUD);
    else
      put_tone (wave, samples, sqrt (self->lowest_hz * self->highest_hz), isnan (share) ? 0 : LOUD * share);
    if ((i & 1023) == 0)
      eve_alive ();
  }
  return bytes;
}

static bool
sound_write (EveComponent *c)
{
  Sound *self = (Sound *) c;

  if (self->written || !self->given || !self->file[0])
    return true;
  self->written = true;
  size_t n;
  g_autofree guint8 *wave = wave_of (self, &n);
  int done = eve_write_output (c, self->file, wave, n);
  if (done != -1)
    eve_status (c, done == 0 ? _ ("%.3g\u2009s of sound in %s") : _ ("%.3g\u2009s of sound for %s"), self->lasts_s,
                self->file);
  return done != -1;
}

/* ---- class ----------------------------------------------------------------------------------------------------------- */
static void
sound_pause (EveComponent *c)
{
  sound_write (c);
}

static bool
sound_at_end (EveComponent *c)
{
  Sound *self = (Sound *) c;

  if (!self->of && self->given > sound_n_cells (self) / BEAT)
    eve_warn (c, _ ("%lld data without dates sound longer than %.3g\u2009s: the first %u are heard. Set lasts."),
              (long long) self->given, self->lasts_s, sound_n_cells (self) / BEAT);
  sound_write (c);
  return true;
}

static bool
sound_at_rest (EveComponent *c, int64_t now)
{
  sound_write (c);
  return true;
}

static void
sound_reset (EveComponent *c)
{
  Sound *self = (Sound *) c;

  g_clear_pointer (&self->cells, g_free);
  self->of = 0;
  self->written = false;
}

/* How long it lasts says which cell a datum is in: what came before cannot be put elsewhere. */
enum { LASTS = 2 };
static bool
sound_changed (EveComponent *c, uint32_t setting)
{
  Sound *self = (Sound *) c;

  if (setting == LASTS)
    g_clear_pointer (&self->cells, g_free);
  self->written = false;
  return true;
}

static void
sound_save (EveComponent *c, EveBlob *to)
{
  const Sound *self = (const Sound *) c;
  uint32_t used = 0, n = self->cells ? sound_n_cells (self) : 0;

  for (uint32_t i = 0; i < n; i++)
    used += self->cells[i].n > 0;
  eve_put_int (to, used);
  for (uint32_t i = 0; i < n; i++)
    if (self->cells[i].n) {
      eve_put_int (to, i);
      eve_put_int (to, self->cells[i].n);
      eve_put_double (to, self->cells[i].sum);
    }
  trace_put_source (eve_program (c), self->of, to);
}

static bool
sound_load (EveComponent *c, EveBlobView *from)
{
  Sound *self = (Sound *) c;
  int64_t used = eve_get_int (from);

  if (!eve_get_ok (from) || used < 0 || used > sound_n_cells (self))
    return false;
  if (used)
    self->cells = g_new0 (Cell, sound_n_cells (self));
  for (int64_t k = 0, before = -1; k < used; k++) {
    int64_t i = eve_get_int (from), n = eve_get_int (from);
    double sum = eve_get_double (from);
    if (!eve_get_ok (from) || i <= before || i >= sound_n_cells (self) || n <= 0 || n > (int64_t) 1e18)
      return false;
    self->cells[i] = (Cell){ sum, n };
    before = i;
  }
  self->of = trace_get_source (eve_program (c), from);
  self->written = false;
  return eve_get_ok (from);
}

static const EveClass sound = {
  EVE_CLASS_HEAD,
  .id = "scope.sound",
  .label = "Sound",
  .category = "Analysis",
  .version = 1,
  .doc = "Makes data heard: numbers as pitch or as loudness, events as clicks, in a WAV file.",
  .help = "The ear hears a rhythm that breaks, or a tone that rises, while the eye is elsewhere. The whole execution "
          "sounds for as long as *lasts* says; a hundredth of a second of it is the mean of what came in its part of "
          "the execution, and goes on until something else comes. As *pitch*, equal steps of the number are equal "
          "intervals between *lowest* and *highest*; as *level*, the tone between them is louder; as *clicks*, each "
          "hundredth in which something came clicks, louder where more did. Data without dates sound one after the "
          "other, five a second. The file is written when the program stops, and played by whoever plays WAV files.\n\n"
          "Example: the output `dated` of Communication Overhead as *pitch*; receives of a Filter as *clicks*.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Sound),
  .finish = sound_reset,
  .pause = sound_pause,
  .reset = sound_reset,
  .changed = sound_changed,
  .fire = sound_fire,
  .at_end = sound_at_end,
  .at_rest = sound_at_rest,
  .save = sound_save,
  .load = sound_load,
};
EVE_PLUGIN (&sound);
