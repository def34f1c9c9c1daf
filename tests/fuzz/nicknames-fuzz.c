/* SPDX-License-Identifier: Apache-2.0 */
/* nicknames-fuzz.c - any bytes as the file `nicknames` of a bundle. */
#include "readers/reader.h"
#include "tests/fuzz/folder.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const TraceFormat format = { .name = "fuzz" };
  TraceSource s = { 0 };
  g_autoptr (GError) error = NULL;
  GHashTableIter i;
  void *task, *name;

  fuzz_write ("nicknames", data, size);
  trace_source_setup (&s, &format, fuzz_folder, &error);
  CHECK (!error);
  g_hash_table_iter_init (&i, s.nicknames);
  while (g_hash_table_iter_next (&i, &task, &name)) {
    fuzz_text (task);
    fuzz_text (name);
    CHECK (*(const char *) task);
  }
  for (guint k = 0; k < s.damage->len; k++) {
    const TraceDamage *d = s.damage->pdata[k];
    fuzz_text (d->reason);
    CHECK (*d->reason);
  }
  CHECK (s.n_damaged >= s.damage->len);
  trace_source_clear (&s);
  return 0;
}
