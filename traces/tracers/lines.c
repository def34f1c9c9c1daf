/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - from addresses in executable files to source file, line and function, with elfutils. */
#include "lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **files; /* executable files that were mapped */
static int n_files;

int
lines_file (const char *path)
{
  for (int i = 0; i < n_files; i++)
    if (strcmp (files[i], path) == 0)
      return i;
  files = realloc (files, (size_t) (n_files + 1) * sizeof *files);
  files[n_files] = strdup (path);
  return n_files++;
}

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
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

/* The address of what lies at an offset of the file.  Asked for is code, and the page that it begins in: linkers, as
 * lld, put into that page what belongs to another part as well, and it is mapped twice. */
static bool
address_of (int file, uint64_t offset, Dwfl_Module **module, GElf_Addr *address)
{
  GElf_Addr bias;
  Elf *elf;
  size_t n = 0;

  *module = module_of (file);
  elf = *module ? dwfl_module_getelf (*module, &bias) : NULL;
  if (!elf || elf_getphdrnum (elf, &n) != 0)
    return false;
  for (size_t i = 0; i < 2 * n; i++) {
    bool code = i < n; /* first: begins of pages count too */
    GElf_Phdr ph;

    if (gelf_getphdr (elf, (int) (i % n), &ph) && ph.p_type == PT_LOAD && (!code || ph.p_flags & PF_X)
        && offset >= ph.p_offset - (code && ph.p_align ? ph.p_offset % ph.p_align : 0)
        && offset < ph.p_offset + ph.p_filesz) {
      *address = offset - ph.p_offset + ph.p_vaddr + bias;
      return true;
    }
  }
  return false;
}

/* Where elfutils does not find a line because the compiler, as clang, has left out which unit an address is of: the
 * units are asked themselves.  Gives its number, 0: none. */
static int
line_by_unit (Dwfl_Module *module, GElf_Addr address, const char **source, const char **folder)
{
  Dwarf_Addr bias = 0;
  int number = 0;

  for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu (module, unit, &bias));) {
    Dwarf_Line *line = dwarf_haspc (unit, address - bias) == 1 ? dwarf_getsrc_die (unit, address - bias) : NULL;
    Dwarf_Attribute attribute;

    if (!line || dwarf_lineno (line, &number) != 0 || !(*source = dwarf_linesrc (line, NULL, NULL)))
      continue;
    *folder = dwarf_formstring (dwarf_attr (unit, DW_AT_comp_dir, &attribute));
    return number;
  }
  return 0;
}

bool
lines_find (int file, uint64_t offset, Line *out)
{
  Dwfl_Module *module;
  GElf_Addr address;
  const char *source, *function;
  Dwfl_Line *line;
  int number = 0;

  memset (out, 0, sizeof *out);
  if (!address_of (file, offset, &module, &address))
    return false;
  function = dwfl_module_addrname (module, address);
  line = dwfl_module_getsrc (module, address);
  const char *folder = line ? dwfl_line_comp_dir (line) : NULL;
  source = line ? dwfl_lineinfo (line, NULL, &number, NULL, NULL, NULL) : NULL;
  if (!line)
    number = line_by_unit (module, address, &source, &folder);
  out->function = function ? strdup (function) : NULL;
  if (!source || number <= 0)
    return false;
  out->line = number;
  out->file = join_path (folder, source);
  return true;
}

char *
lines_object (int file, uint64_t offset, int64_t distance)
{
  Dwfl_Module *module;
  GElf_Addr address;
  GElf_Off into = 0;
  GElf_Sym symbol;
  char *text = NULL;

  if (!address_of (file, offset, &module, &address))
    return NULL;
  const char *name = dwfl_module_addrinfo (module, address + (GElf_Addr) distance, &into, &symbol, NULL, NULL, NULL);
  if (!name || GELF_ST_TYPE (symbol.st_info) != STT_OBJECT || into >= symbol.st_size)
    return NULL;
  if (into == 0)
    return strdup (name);
  return asprintf (&text, "%s+%llu", name, (unsigned long long) into) < 0 ? NULL : text;
}

#else

char *
lines_object (int file, uint64_t offset, int64_t distance)
{
  return NULL;
}

bool
lines_find (int file, uint64_t offset, Line *out)
{
  memset (out, 0, sizeof *out);
  return false;
}

#endif
