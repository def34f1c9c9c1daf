/* SPDX-License-Identifier: Apache-2.0 */
/* program-fuzz.c - any bytes as a program file: read, written, read again, which must give the same.
 *
 * As a libFuzzer target:  clang -g -O1 -fsanitize=fuzzer,address,undefined -I.
 *   tests/fuzz/program-fuzz.c tests/unit/boxes.c eve/[a-z]*.c $(pkg-config --cflags --libs glib-2.0 libxml-2.0) -lm
 * -ldl */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/boxes.h"

static void
must (bool ok, const char *what, const char *one, const char *two)
{
  if (ok)
    return;
  fprintf (stderr, "%s\n---\n%s\n---\n%s\n", what, one ? one : "", two ? two : "");
  abort ();
}

/* A program that was read can be run, looked at, copied and edited. */
static void
use (EveProgram *p)
{
  g_autofree char *dot = eve_program_dot (p), *copy = NULL;
  g_autofree EveComponent **all = g_new (EveComponent *, eve_n_components (p) + 1);

  for (uint32_t i = 0; i < eve_n_components (p); i++)
    all[i] = eve_component (p, i);
  copy = eve_copy (p, all, eve_n_components (p));
  for (uint32_t i = 0; i < eve_n_wires (p); i++)
    eve_wire (p, i);
  for (int i = 0; i < 20; i++)
    eve_run (p, 0);
  must (eve_paste (p, copy, 1, 1, NULL, NULL, NULL), "What was copied cannot be pasted", copy, NULL);
  eve_run (p, 0);
  if (eve_n_components (p))
    eve_remove (p, eve_component (p, 0));
  eve_run (p, 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autofree char *one = NULL, *two = NULL;
  EveProgram *p, *q;

  boxes_register ();
  p = eve_program_parse ((const char *) data, (gssize) size, "fuzz.eve", problems, &error);
  must ((p == NULL) == (error != NULL), "Neither a program nor an error, or both", NULL, NULL);
  must (error == NULL || g_utf8_validate (error->message, -1, NULL), "The error is not UTF-8", NULL, NULL);
  for (guint i = 0; i < problems->len; i++)
    must (g_utf8_validate (problems->pdata[i], -1, NULL), "A problem is not UTF-8", problems->pdata[i], NULL);
  if (p == NULL)
    return 0;
  one = eve_program_text (p);
  q = eve_program_parse (one, -1, "again.eve", NULL, &error);
  must (q != NULL, "What was written cannot be read", one, error ? error->message : NULL);
  two = eve_program_text (q);
  must (strcmp (one, two) == 0, "Written twice, it is not the same", one, two);
  must (eve_program_plan_hash (p) == eve_program_plan_hash (q), "Written and read, it is another program", one, NULL);
  use (q);
  eve_program_free (p);
  eve_program_free (q);
  return 0;
}
