/* SPDX-License-Identifier: Apache-2.0 */
/* data-file.c - keeps the newest histogram, table or matrix in a file for other programs. */
#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include "components/slots.h"
#include "eve/words.h"
#include "statistics/types.h"

typedef struct DataFile {
  EveBase base;
  char *file;
  Slots newest;
  bool written; /* as it is now */
} DataFile;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .present = true, .doc = "Histograms, tables or matrices." },
};
static const EveField settings[] = {
  { "file", EVE_F_STRING, offsetof (DataFile, file), .path = true, .output = true,
    .doc = "File to write; empty: standard output, at the end." },
};

static bool
data_file_write (EveComponent *c, bool at_end)
{
  DataFile *self = (DataFile *) c;
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->newest.n == 0 || self->written || (!self->file[0] && !at_end))
    return true;
  self->written = true;
  stats_csv (self->newest.type, slots_at (&self->newest, 0), text);
  if (!self->file[0]) {
    if (eve_print (c, text->str, text->len) && fflush (stdout) == 0)
      return true;
    eve_fail (c, _ ("Cannot write to standard output: %s. Make room on the disk, or choose a file."), strerror (errno));
    return false;
  }
  int done = eve_write_output (c, self->file, text->str, text->len);
  if (done != -1)
    eve_status (c, done == 0 ? _ ("saved in %s") : _ ("for %s"), self->file);
  return done != -1;
}

static void
data_file_fire (EveComponent *c)
{
  DataFile *self = (DataFile *) c;
  const void *datum = eve_take (self->base.in[0]);

  if (!slots_setup (&self->newest, c, eve_in_type (self->base.in[0]), 1))
    return;
  slots_clear (&self->newest);
  slots_push (&self->newest, datum);
  self->written = false;
}

static void
data_file_pause (EveComponent *c)
{
  data_file_write (c, false);
}

static bool
data_file_at_end (EveComponent *c)
{
  data_file_write (c, true);
  return true;
}

static bool
data_file_at_rest (EveComponent *c, int64_t now)
{
  data_file_write (c, false);
  return true;
}

static void
data_file_reset (EveComponent *c)
{
  slots_clear (&((DataFile *) c)->newest);
  ((DataFile *) c)->written = false;
}

static void
data_file_finish (EveComponent *c)
{
  slots_free (&((DataFile *) c)->newest);
}

static bool
data_file_changed (EveComponent *c, uint32_t setting)
{
  ((DataFile *) c)->written = false;
  return true;
}

static void
data_file_save (EveComponent *c, EveBlob *to)
{
  slots_save (&((DataFile *) c)->newest, c, to);
}

static bool
data_file_load (EveComponent *c, EveBlobView *from)
{
  DataFile *self = (DataFile *) c;

  self->written = false;
  return slots_load (&self->newest, c, eve_in_type (self->base.in[0]), 1, from);
}

static const char *
data_file_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  static char sentence[160];

  if (!other || other == &stats_type_histogram || other == &stats_type_table || other == &stats_type_matrix)
    return NULL;
  g_snprintf (sentence, sizeof sentence,
              "in keeps histograms, tables and matrices; for a %s take a CSV Sink, which writes a "
              "row for each datum",
              other->name);
  return sentence;
}

static const EveClass data_file = {
  EVE_CLASS_HEAD,
  .id = "scope.data-file",
  .label = "Data File",
  .category = "Analysis",
  .version = 1,
  .doc = "Saves the newest histogram, table or matrix as comma-separated values.",
  .help =
      "The file is written whenever the program stops and at the end, and always holds the newest datum whole. The "
      "first "
      "line names the columns, with their units in brackets; a histogram has a line for each part with its bounds, the "
      "first and last being those out of range; a matrix begins each line with the name of the row.\n\n"
      "Example: Histogram to Data File with *file* `waiting.csv`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (DataFile),
  .finish = data_file_finish,
  .pause = data_file_pause,
  .reset = data_file_reset,
  .changed = data_file_changed,
  .fire = data_file_fire,
  .at_end = data_file_at_end,
  .at_rest = data_file_at_rest,
  .refuse = data_file_refuse,
  .save = data_file_save,
  .load = data_file_load,
};
EVE_PLUGIN (&data_file);
