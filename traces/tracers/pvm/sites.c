/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - from return addresses to source file and line, with elfutils. */
#include "tape-pvm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Site {
  int line;
  char *file, *function;
} Site;

static char **files; /* executable files that were mapped */
static int n_files;
static Site *sites;
static int n_sites;

int
site_file (const char *path)
{
  for (int i = 0; i < n_files; i++)
    if (strcmp (files[i], path) == 0)
      return i;
  files = realloc (files, (size_t) (n_files + 1) * sizeof *files);
  files[n_files] = strdup (path);
  return n_files++;
}

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

static Dwfl *dwfl;
static Dwfl_Module **modules; /* by file; NULL: not opened yet, or not readable */
static bool *tried;
static int n_modules;

static Dwfl_Module *
module_of (int file)
{
  static char *no_path = NULL;
  static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &no_path,
  };

  if (!dwfl) {
    unsetenv ("DEBUGINFOD_URLS"); /* never ask the network */
    dwfl = dwfl_begin (&callbacks);
  }
  if (file >= n_modules) {
    modules = realloc (modules, (size_t) n_files * sizeof *modules);
    tried = realloc (tried, (size_t) n_files * sizeof *tried);
    for (; n_modules < n_files; n_modules++) {
      modules[n_modules] = NULL;
      tried[n_modules] = false;
    }
  }
  if (!tried[file] && dwfl) {
    tried[file] = true;
    dwfl_report_begin_add (dwfl);
    modules[file] = dwfl_report_offline (dwfl, files[file], files[file], -1);
    dwfl_report_end (dwfl, NULL, NULL);
  }
  return modules[file];
}

/* Makes one path of a folder and a name, without "." and "..". */
static char *
join_path (const char *folder, const char *name)
{
  char *joined, *out;
  size_t n = 0;

  if (asprintf (&joined, "%s/%s", *name == '/' || !folder ? "" : folder, name) < 0)
    return strdup (name);
  out = malloc (strlen (joined) + 2);
  for (char *p = joined, *next; p; p = next) {
    next = strchr (p, '/');
    if (next)
      *next++ = '\0';
    if (strcmp (p, "") == 0 || strcmp (p, ".") == 0)
      continue;
    if (strcmp (p, "..") == 0) {
      while (n && out[--n] != '/')
        ;
      continue;
    }
    out[n++] = '/';
    memcpy (out + n, p, strlen (p));
    n += strlen (p);
  }
  out[n] = '\0';
  free (joined);
  return out;
}

int
site_number (int file, uint64_t offset)
{
  Dwfl_Module *module = module_of (file);
  GElf_Addr bias, address = 0;
  Elf *elf = module ? dwfl_module_getelf (module, &bias) : NULL;
  size_t n = 0;
  bool found = false;
  Dwfl_Line *line;
  const char *source, *function;
  int number = 0;

  if (!elf || elf_getphdrnum (elf, &n) != 0)
    return 0;
  for (size_t i = 0; i < n && !found; i++) {
    GElf_Phdr ph;

    if (gelf_getphdr (elf, (int) i, &ph) && ph.p_type == PT_LOAD && offset >= ph.p_offset
        && offset < ph.p_offset + ph.p_filesz) {
      /* One back: the return address may belong to the next line already. */
      address = offset - ph.p_offset + ph.p_vaddr + bias - 1;
      found = true;
    }
  }
  line = found ? dwfl_module_getsrc (module, address) : NULL;
  source = line ? dwfl_lineinfo (line, NULL, &number, NULL, NULL, NULL) : NULL;
  if (!source || number <= 0)
    return 0;
  function = dwfl_module_addrname (module, address);
  sites = realloc (sites, (size_t) (n_sites + 1) * sizeof *sites);
  sites[n_sites] = (Site){ number, join_path (dwfl_line_comp_dir (line), source), strdup (function ? function : "") };
  return ++n_sites;
}

#else

int
site_number (int file, uint64_t offset)
{
  return 0;
}

#endif

/* Folders that all sources share say nothing, and much about the machine. */
static size_t
common_folders (void)
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
put_site (FILE *out, int i, size_t common)
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
    shared = strndup (sites[0].file, common_folders ());
  snprintf (path, sizeof path, "%s/%s.tapepvm/sites", run->bundle, run->name);
  out = fopen (path, "ae");
  if (!out)
    return;
  for (; written < n_sites; written++)
    put_site (out, written, strncmp (sites[written].file, shared, strlen (shared)) == 0 ? strlen (shared) : 0);
  fclose (out);
}

bool
sites_write (TapeRun *run)
{
  char folder[300];
  size_t common = common_folders ();
  FILE *out;

  snprintf (folder, sizeof folder, "%s.tapepvm", run->name);
  out = bundle_create (run, folder, "sites");
  if (!out)
    return false;
  for (int i = 0; i < n_sites; i++) {
    put_site (out, i, common);
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
