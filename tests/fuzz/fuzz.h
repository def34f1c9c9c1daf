/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what the fuzz targets share; included once by each.  With -DREPLAY a target is an ordinary program that goes
 * through files and folders of them: the test of its corpus. */
#pragma once
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(x) ((x) ? (void) 0 : (fprintf (stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x), abort ()))

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t n);

#ifdef REPLAY
static unsigned
replay (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  unsigned n = 0;
  if (dir) {
    for (const char *name; (name = g_dir_read_name (dir));) {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      n += replay (inner);
    }
    return n;
  }
  g_autofree char *bytes = NULL;
  gsize length;
  CHECK (g_file_get_contents (path, &bytes, &length, NULL));
  g_autofree uint8_t *exact = g_memdup2 (bytes, length ? length : 1); /* so that a sanitizer sees the end */
  LLVMFuzzerTestOneInput (exact, length);
  return 1;
}

int
main (int argc, char **argv)
{
  unsigned n = 0;
  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  CHECK (n > 0);
  printf ("%u files replayed\n", n);
  return 0;
}
#endif
