/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - from return addresses to source file and line. */
#include "tape-pvm.h"
#include "../lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Site {
  int line;
  char *file, *function;
} Site;

static Site *sites;
static int n_sites;

int
site_file (const char *path)
{
  return lines_file (path);
}

int
site_number (int file, uint64_t offset)
{
  Line at;

  /* One back: the return address may belong to the next line already. */
  if (!lines_find (file, offset - 1, &at)) {
    free (at.function);
    return 0;
  }
  sites = realloc (sites, (size_t) (n_sites + 1) * sizeof *sites);
  sites[n_sites] = (Site){ at.line, at.file, at.function ? at.function : strdup ("") };
  return ++n_sites;
}

/* Folders that all sources share say nothing, and much about the machine. */
static size_t
pvm_sites_common_folders (void)
{
  size_t common = n_sites ? strlen (sites[0].file) : 0;

  for (int i = 0; i < n_sites; i++) {
    size_t k = 0;

    while (k < common && sites[i].file[k] == sites[0].file[k])
      k++;
    common = k;
  }
  while (common && sites[0].file[common - 1] != '/')
    common--;
  return common;
}

static void
pvm_sites_put (FILE *out, int i, size_t common)
{
  const char *file = sites[i].file + (strlen (sites[i].file) > common ? common : 0);

  fprintf (out, "%d %d", i + 1, sites[i].line);
  tape_put_word (out, file, strlen (file));
  if (*sites[i].function)
    tape_put_word (out, sites[i].function, strlen (sites[i].function));
  fputc ('\n', out);
}

/* What the first of them share is left out of all that have it. */
void
sites_write_more (TapeRun *run)
{
  static int written;
  static char *shared;
  char path[4096];
  FILE *out;

  if (written == n_sites)
    return;
  if (!shared)
    shared = strndup (sites[0].file, pvm_sites_common_folders ());
  snprintf (path, sizeof path, "%s/%s.tapepvm/sites", run->bundle, run->name);
  out = fopen (path, "ae");
  if (!out)
    return;
  for (; written < n_sites; written++)
    pvm_sites_put (out, written, strncmp (sites[written].file, shared, strlen (shared)) == 0 ? strlen (shared) : 0);
  fclose (out);
}

bool
sites_write (TapeRun *run)
{
  char folder[300];
  size_t common = pvm_sites_common_folders ();
  FILE *out;

  snprintf (folder, sizeof folder, "%s.tapepvm", run->name);
  out = bundle_create (run, folder, "sites");
  if (!out)
    return false;
  for (int i = 0; i < n_sites; i++) {
    pvm_sites_put (out, i, common);
    free (sites[i].file);
    free (sites[i].function);
  }
  free (sites);
  if (fclose (out) != 0) {
    tape_say ("%s: %s", run->bundle, strerror (errno));
    return false;
  }
  return true;
}
