/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - what a component reads and writes on the disk, under the rules of the application (docs/security.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/words.h"
#include "eve/private.h"
#include "eve/visible.h"

/* ---- writing ------------------------------------------------------------------------------------------------------- */

void
eve_program_set_output_folder (EveProgram *p, const char *folder)
{
  char *full = folder ? g_canonicalize_filename (folder, NULL) : NULL; /* it may be the one that is set */

  g_free (p->output_folder);
  p->output_folder = full;
}

const char *
eve_program_output_folder (const EveProgram *p)
{
  return p->output_folder;
}

void
eve_program_set_prints (EveProgram *p, bool prints)
{
  p->prints = prints;
  p->terminal = prints && isatty (STDOUT_FILENO);
}

void
eve_program_print_on (EveProgram *p)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (n->printed.n > n->before.n)
      n->before = n->printed;
    n->printed = (Printed){ 0 };
  }
}

static void
add_printed (Printed *p, const char *text, size_t n)
{
  uint64_t sum = p->sum, sums = p->sums;

  for (size_t i = 0; i < n; i++)
    sums += sum += (uint8_t) text[i];
  *p = (Printed){ p->n + n, sum, sums };
}

/* How many of n bytes were printed in the run before. */
static size_t
printed_before (Node *node, const char *text, size_t n)
{
  Printed *now = &node->printed, *before = &node->before;
  size_t again = now->n < before->n ? MIN (n, before->n - now->n) : 0;

  add_printed (now, text, again);
  if (again && now->n == before->n && (now->sum != before->sum || now->sums != before->sums))
    eve_warn (node->self,
              _ ("What it printed before a part was added is not what it prints with it: the first %" PRIu64
                 " bytes are of the program without the part"),
              before->n);
  add_printed (now, text + again, n - again);
  return again;
}

bool
eve_print (const EveComponent *c, const char *text, size_t n)
{
  const EveProgram *p = node_of (c)->program;
  if (!p->prints)
    return true;
  size_t again = printed_before (node_of (c), text, n);
  text += again;
  n -= again;
  g_autofree char *shown = p->terminal ? visible_text (text, n) : NULL;
  if (shown)
    n = strlen (shown);
  return fwrite_unlocked (shown ? shown : text, 1, n, stdout) == n;
}

int
eve_open_output (EveComponent *c, const char *name)
{
  const char *folder = node_of (c)->program->output_folder;
  g_autoptr (GError) error = NULL;
  int fd = folder ? disk_open_below (folder, name, &error) : EVE_NOWHERE;

  if (error)
    eve_fail (c, "%s", error->message);
  return fd;
}

int
eve_write_output (EveComponent *c, const char *name, const void *bytes, size_t n)
{
  const char *folder = node_of (c)->program->output_folder;
  g_autoptr (GError) error = NULL;

  if (!folder)
    return EVE_NOWHERE;
  if (disk_write_below (folder, name, bytes, n, &error))
    return 0;
  eve_fail (c, "%s", error->message);
  return -1;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static char *
made_absolute (const EveProgram *p, const char *name)
{
  return g_canonicalize_filename (name, p->folder);
}

void
eve_program_allow (EveProgram *p, const char *path)
{
  char *full = made_absolute (p, path);

  if (!p->allowed)
    p->allowed = g_ptr_array_new_with_free_func (g_free);
  if (g_ptr_array_find_with_equal_func (p->allowed, full, g_str_equal, NULL))
    g_free (full);
  else
    g_ptr_array_add (p->allowed, full);
}

const char *const *
eve_program_allowed (EveProgram *p, guint *n)
{
  *n = p->allowed ? p->allowed->len : 0;
  return p->allowed ? (const char *const *) p->allowed->pdata : NULL;
}

static bool
may_read (const EveProgram *p, const char *full)
{
  for (guint i = 0; p->allowed && i < p->allowed->len; i++)
    if (disk_is_below (full, p->allowed->pdata[i]))
      return true;
  g_autofree char *here = p->folder ? NULL : g_get_current_dir ();
  return disk_is_below (full, p->folder ? p->folder : here);
}

bool
eve_program_may_read (EveProgram *p, const char *path)
{
  g_autofree char *full = made_absolute (p, path);

  return may_read (p, full);
}

char *
eve_path (EveComponent *c, const char *name)
{
  g_autofree char *full = made_absolute (node_of (c)->program, name);

  if (may_read (node_of (c)->program, full))
    return strdup (full);
  eve_fail (c,
            _ ("%s lies outside the folder of the program, which may not read it. If you trust the program, allow it: "
               "--allow %s on the command line, or choose the file in the window"),
            full, full);
  return NULL;
}

GPtrArray *
eve_program_asks_for (EveProgram *p)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < p->nodes->len; i++) {
    const Node *n = p->nodes->pdata[i];
    for (uint32_t k = 0; k < n->klass->n_settings; k++) {
      const EveField *f = &n->klass->settings[k];
      if (f->kind != EVE_F_STRING || !f->path || f->output)
        continue;
      const char *value = *(char *const *) ((const char *) n->self + f->offset);
      char *full = *value ? made_absolute (p, value) : NULL;
      if (full && !may_read (p, full) && !g_ptr_array_find_with_equal_func (all, full, g_str_equal, NULL))
        g_ptr_array_add (all, full);
      else
        g_free (full);
    }
  }
  return all;
}

void
program_set_content (EveProgram *p, const char *text, gssize len)
{
  g_free (p->content);
  p->content = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, len);
}

const char *
eve_program_content (const EveProgram *p)
{
  return p->content ? p->content : "";
}
