/* SPDX-License-Identifier: Apache-2.0 */
/* define.c - what the records of an archive refer to: regions, lines, groups, communicators, hosts. */
#include <stdlib.h>
#include <string.h>

#include "../lines.h"
#include "convert.h"
#include "eve/words.h"

static const struct {
  const char *name;
  OTF2_RegionRole role;
} functions[RAW_N_REGIONS] = {
#define REGION(name, role) { "MPI_" #name, OTF2_REGION_ROLE_##role },
#include "regions.def"
#undef REGION
};

/* ---- lines ---------------------------------------------------------------------------------------------------------------- */

/* The site of a line: one for each. */
static uint32_t
define_site_of (Run *run, const Line *at)
{
  char *key = g_strdup_printf ("%s:%d", at->file, at->line);
  uint32_t number = GPOINTER_TO_UINT (g_hash_table_lookup (run->site_of, key));

  if (number) {
    g_free (key);
    return number - 1;
  }
  Site s = { g_strdup (at->file), g_strdup (at->function ? at->function : ""), at->line };
  g_array_append_val (run->sites, s);
  g_hash_table_insert (run->site_of, key, GUINT_TO_POINTER (run->sites->len));
  return run->sites->len - 1;
}

/* What lies at an address of a rank; `name`: its function, g_free. */
static uint32_t
define_look_up (Run *run, const Rank *r, uint64_t address, char **name)
{
  const Module *m = modules_find (r->modules, address);
  uint32_t site = RAW_NONE;
  Line at = { 0 };

  if (m && lines_find (m->file, address - m->begin + m->offset, &at))
    site = define_site_of (run, &at);
  if (name)
    *name = g_strdup (at.function);
  free (at.file);
  free (at.function);
  return site;
}

uint32_t
define_site (Run *run, const Lane *l, uint64_t address)
{
  const Rank *r = &run->ranks[l->h->rank];
  gint64 key = (gint64) address;
  void *known;

  if (run->no_lines || address == 0)
    return RAW_NONE;
  if (g_hash_table_lookup_extended (r->sites, &key, NULL, &known))
    return GPOINTER_TO_UINT (known) - 1;
  /* One back: the return address may belong to the next line already. */
  uint32_t site = define_look_up (run, r, address - 1, NULL);
  g_hash_table_insert (r->sites, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (site + 1));
  return site;
}

/* ---- regions ------------------------------------------------------------------------------------------------------------------ */

static uint32_t
region (Run *run, const char *name, OTF2_RegionRole role, OTF2_Paradigm paradigm, uint32_t site)
{
  uint32_t number = GPOINTER_TO_UINT (g_hash_table_lookup (run->region_of, name));

  if (number)
    return number - 1;
  Region *r = g_new0 (Region, 1);
  *r = (Region){ g_strdup (name), role, paradigm, site };
  g_ptr_array_add (run->regions, r);
  g_hash_table_insert (run->region_of, r->name, GUINT_TO_POINTER (run->regions->len));
  return run->regions->len - 1;
}

uint32_t
define_region (Run *run, const Lane *l, unsigned number, bool own)
{
  if (own) {
    char **names = run->ranks[l->h->rank].regions;
    const char *name = names && names[number] ? names[number] : "?";
    return region (run, name, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, RAW_NONE);
  }
  if (number >= RAW_N_REGIONS)
    return region (run, "MPI_?", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, RAW_NONE);
  return region (run, functions[number].name, functions[number].role, OTF2_PARADIGM_MPI, RAW_NONE);
}

uint32_t
define_main (Run *run)
{
  return region (run, "main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, RAW_NONE);
}

uint32_t
define_function (Run *run, const Lane *l, uint64_t address)
{
  g_autofree char *name = NULL;
  uint32_t site = define_look_up (run, &run->ranks[l->h->rank], address, &name);

  /* The process is inside of that one as long as it lives. */
  if (g_strcmp0 (name, "main") == 0)
    return RAW_NONE;
  if (!name)
    name = g_strdup_printf ("%#" G_GINT64_MODIFIER "x", (guint64) address);
  return region (run, name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER, site);
}

uint32_t
define_group (Run *run, const uint64_t *words, uint32_t n)
{
  g_autofree uint32_t *members = g_new (uint32_t, n + 1);

  for (uint32_t i = 0; i < n; i++)
    members[i] = (uint32_t) (words[i / 2] >> (i % 2 * 32));
  GBytes *key = g_bytes_new (members, n * sizeof *members);
  uint32_t number = GPOINTER_TO_UINT (g_hash_table_lookup (run->group_of, key));
  if (number) {
    g_bytes_unref (key);
    return number;
  }
  g_ptr_array_add (run->groups, key);
  g_hash_table_insert (run->group_of, key, GUINT_TO_POINTER (run->groups->len));
  return run->groups->len;
}

/* ---- writing -------------------------------------------------------------------------------------------------------------------- */
typedef struct Writing {
  Run *run;
  OTF2_GlobalDefWriter *to;
  GHashTable *strings;
  OTF2_ErrorCode failed;
  uint32_t n_groups;
} Writing;

static void
define_check (Writing *w, OTF2_ErrorCode code)
{
  if (code != OTF2_SUCCESS && w->failed == OTF2_SUCCESS)
    w->failed = code;
}

static uint32_t
define_string (Writing *w, const char *text)
{
  uint32_t number = GPOINTER_TO_UINT (g_hash_table_lookup (w->strings, text));

  if (number)
    return number - 1;
  number = g_hash_table_size (w->strings);
  g_hash_table_insert (w->strings, g_strdup (text), GUINT_TO_POINTER (number + 1));
  define_check (w, OTF2_GlobalDefWriter_WriteString (w->to, number, text));
  return number;
}

G_GNUC_PRINTF (2, 3)
static uint32_t
define_string_of (Writing *w, const char *fmt, ...)
{
  va_list ap;

  va_start (ap, fmt);
  g_autofree char *text = g_strdup_vprintf (fmt, ap);
  va_end (ap);
  return define_string (w, text);
}

/* Folders that all sources share say nothing, and much about the machine. */
static size_t
define_common_folders (const Run *run)
{
  const char *first = run->sites->len ? g_array_index (run->sites, Site, 0).file : "";
  size_t common = strlen (first);

  for (guint i = 0; i < run->sites->len; i++) {
    const char *file = g_array_index (run->sites, Site, i).file;
    size_t k = 0;

    while (k < common && first[k] == file[k])
      k++;
    common = k;
  }
  while (common && first[common - 1] != '/')
    common--;
  return common;
}

static void
write_sites (Writing *w, size_t common)
{
  define_check (w, OTF2_GlobalDefWriter_WriteAttribute (w->to, 0, define_string (w, "Called at"),
                                                        define_string (w, "Source line of the call"),
                                                        OTF2_TYPE_SOURCE_CODE_LOCATION));
  for (guint i = 0; i < w->run->sites->len; i++) {
    const Site *s = &g_array_index (w->run->sites, Site, i);
    define_check (w, OTF2_GlobalDefWriter_WriteSourceCodeLocation (w->to, i, define_string (w, s->file + common),
                                                                   (uint32_t) s->line));
  }
}

static void
define_write_regions (Writing *w, size_t common)
{
  for (guint i = 0; i < w->run->regions->len; i++) {
    const Region *r = w->run->regions->pdata[i];
    const Site *s = r->site == RAW_NONE ? NULL : &g_array_index (w->run->sites, Site, r->site);
    uint32_t name = define_string (w, r->name);
    define_check (w, OTF2_GlobalDefWriter_WriteRegion (
                         w->to, i, name, name, define_string (w, ""), r->role, r->paradigm, OTF2_REGION_FLAG_NONE,
                         define_string (w, s ? s->file + common : ""), s ? (uint32_t) s->line : 0, 0));
  }
}

static uint32_t
define_host_of (Run *run, const char *name)
{
  for (guint i = 0; i < run->hosts->len; i++)
    if (strcmp (run->hosts->pdata[i], name) == 0)
      return i;
  g_ptr_array_add (run->hosts, g_strdup (name));
  return run->hosts->len - 1;
}

static void
define_write_tree (Writing *w)
{
  Run *run = w->run;
  const Lane *first = run->lanes->pdata[0];

  run->hosts = g_ptr_array_new_with_free_func (g_free);
  define_check (w, OTF2_GlobalDefWriter_WriteSystemTreeNode (w->to, 0, define_string (w, first->h->program),
                                                             define_string (w, "machine"),
                                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    guint before = run->hosts->len;
    uint32_t host = define_host_of (run, l->h->host);
    if (run->hosts->len > before)
      define_check (w, OTF2_GlobalDefWriter_WriteSystemTreeNode (
                           w->to, host + 1,
                           run->anonymous ? define_string_of (w, "host%u", host + 1) : define_string (w, l->h->host),
                           define_string (w, "node"), 0));
    if (l->h->thread == 0)
      define_check (w, OTF2_GlobalDefWriter_WriteLocationGroup (
                           w->to, l->h->rank, define_string_of (w, "rank %u", l->h->rank),
                           OTF2_LOCATION_GROUP_TYPE_PROCESS, host + 1, OTF2_UNDEFINED_LOCATION_GROUP));
    define_check (w, OTF2_GlobalDefWriter_WriteLocation (w->to, l->location,
                                                         l->h->thread ? define_string_of (w, "thread %u", l->h->thread)
                                                                      : define_string (w, "master thread"),
                                                         OTF2_LOCATION_TYPE_CPU_THREAD, l->n_events, l->h->rank));
  }
}

static uint32_t
define_write_group (Writing *w, const char *name, const uint32_t *members, uint32_t n)
{
  g_autofree uint64_t *wide = g_new (uint64_t, n + 1);

  for (uint32_t i = 0; i < n; i++)
    wide[i] = members[i] == RAW_NONE ? OTF2_UNDEFINED_UINT64 : members[i];
  define_check (w, OTF2_GlobalDefWriter_WriteGroup (w->to, w->n_groups, define_string (w, name),
                                                    OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                    n, wide));
  return w->n_groups++;
}

static void
define_write_comm (Writing *w, uint32_t number, const Comm *c)
{
  uint32_t parent = c->parent == RAW_NONE ? OTF2_UNDEFINED_COMM : c->parent;
  uint32_t name = c->name    ? define_string (w, c->name)
                  : c->world ? define_string (w, "MPI_COMM_WORLD")
                  : c->self  ? define_string (w, "MPI_COMM_SELF")
                             : define_string_of (w, "communicator %u", number);

  if (c->self) {
    define_check (w,
                  OTF2_GlobalDefWriter_WriteGroup (w->to, w->n_groups, define_string (w, ""), OTF2_GROUP_TYPE_COMM_SELF,
                                                   OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL));
    define_check (w, OTF2_GlobalDefWriter_WriteComm (w->to, number, name, w->n_groups++, parent, OTF2_COMM_FLAG_NONE));
  } else if (c->m == 0) {
    uint32_t its = define_write_group (w, "", c->members, c->n);
    define_check (
        w, OTF2_GlobalDefWriter_WriteComm (w->to, number, name, its, parent,
                                           c->world ? OTF2_COMM_FLAG_NONE : OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
  } else {
    uint32_t a = define_write_group (w, "", c->members, c->n), b = define_write_group (w, "", c->members + c->n, c->m);
    define_check (w, OTF2_GlobalDefWriter_WriteInterComm (w->to, number, name, a, b, OTF2_UNDEFINED_COMM,
                                                          OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
  }
}

/* The ranks are group 0; those that events name come next, with the numbers that define_group() has given. */
static void
define_write_groups (Writing *w)
{
  Run *run = w->run;
  g_autofree uint64_t *ranks = g_new (uint64_t, run->n_ranks + 1);

  for (uint32_t i = 0; i < run->n_ranks; i++)
    ranks[i] = i;
  define_check (w, OTF2_GlobalDefWriter_WriteGroup (w->to, w->n_groups++, define_string (w, "ranks"),
                                                    OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                    OTF2_GROUP_FLAG_NONE, run->n_ranks, ranks));
  for (guint i = 0; i < run->groups->len; i++) {
    gsize n;
    const uint32_t *members = g_bytes_get_data (run->groups->pdata[i], &n);
    define_write_group (w, "", members, (uint32_t) (n / sizeof *members));
  }
  for (guint i = 0; i < run->comms->len; i++)
    define_write_comm (w, i, run->comms->pdata[i]);
  for (guint i = 0; i < run->windows->len; i++)
    define_check (w, OTF2_GlobalDefWriter_WriteRmaWin (w->to, i, define_string_of (w, "window %u", i),
                                                       ((const Window *) run->windows->pdata[i])->comm,
                                                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

/* Dates are moved by the first measure already; what the second says of drift is told to the reader. */
static void
write_clocks (Writing *w, OTF2_Archive *archive)
{
  Run *run = w->run;

  define_check (w, OTF2_Archive_OpenDefFiles (archive));
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *l = run->lanes->pdata[i];
    const Clock *c = &g_array_index (run->clocks, Clock, l->clock);
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter (archive, l->location);
    for (int k = 0; d && k < c->n; k++)
      define_check (w, OTF2_DefWriter_WriteClockOffset (d, raw_date (run, l, (uint64_t) c->at[k]),
                                                        c->offset[k] - c->offset[0], (double) c->error[k]));
    if (d)
      define_check (w, OTF2_Archive_CloseDefWriter (archive, d));
  }
  define_check (w, OTF2_Archive_CloseDefFiles (archive));
}

bool
define_write (Run *run, OTF2_Archive *archive)
{
  Writing w = { run, NULL, NULL, OTF2_SUCCESS, 0 };
  size_t common = define_common_folders (run);

  write_clocks (&w, archive);
  w.to = OTF2_Archive_GetGlobalDefWriter (archive);
  if (!w.to)
    return false;
  w.strings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  define_check (&w, OTF2_GlobalDefWriter_WriteClockProperties (
                        w.to, 1000000000, 0, (uint64_t) (run->last - run->origin) + 1, (uint64_t) MAX (run->real, 0)));
  define_string (&w, "");
  define_write_tree (&w);
  write_sites (&w, common);
  define_write_regions (&w, common);
  define_write_groups (&w);
  if (run->asked) {
    define_check (&w, OTF2_GlobalDefWriter_WriteParameter (w.to, 0, define_string (&w, "waits for tag"),
                                                           OTF2_PARAMETER_TYPE_INT64));
    define_check (&w, OTF2_GlobalDefWriter_WriteParameter (w.to, 1, define_string (&w, "waits for rank"),
                                                           OTF2_PARAMETER_TYPE_INT64));
    define_check (&w, OTF2_GlobalDefWriter_WriteParameter (w.to, 2, define_string (&w, "waits in communicator"),
                                                           OTF2_PARAMETER_TYPE_INT64));
  }
  define_check (&w, OTF2_Archive_CloseGlobalDefWriter (archive, w.to));
  g_hash_table_unref (w.strings);
  if (w.failed != OTF2_SUCCESS)
    tape_say (_ ("%s: libotf2 cannot write it: %s"), run->output, OTF2_Error_GetDescription (w.failed));
  return w.failed == OTF2_SUCCESS;
}
