/* SPDX-License-Identifier: Apache-2.0 */
/* remember.c - what the check of a large file found is remembered, so that opening it again need not read it.
 *
 * One small text file of the user's cache, scope/tapepvm-checks: a line a file of events, the newest last.  A line
 * begins with what makes a file the same (device, inode, size, dates of change, table of kinds) and ends with a sum of
 * itself: one that is damaged, or of another version, is nobody's line.  The file is replaced as a whole; of two
 * processes that do so at once one loses its line, and checks again another time.  Where nothing can be written nothing
 * is remembered. */
#include "readers/tapepvm/tapepvm.h"
#include "eve/disk.h"
#include <glib/gstdio.h>
#include <sys/stat.h>

enum {
  version = 2,           /* of the grammar and of this file: raise it when either changes */
  kept = 256,            /* lines */
  largest = kept * 512,  /* bytes; what is larger is none of ours */
  least_bytes = 1 << 20, /* smaller files are checked at once */
  settled_s = 2,         /* clocks of file systems are coarse: a younger file may change unseen */
};

static uint64_t
sum (uint64_t h, const void *bytes, size_t n)
{
  for (const uint8_t *p = bytes; n--; p++) /* FNV-1a */
    h = (h ^ *p) * UINT64_C (0x100000001b3);
  return h;
}
#define SUM_BEGIN UINT64_C (0xcbf29ce484222325)

/* All that the check depends on. */
static uint64_t
sum_of_table (const TpTable *t)
{
  uint64_t h = sum (SUM_BEGIN, t->header, t->n_header);
  h = sum (h, &t->ticks_per_second, sizeof t->ticks_per_second);
  for (uint32_t i = 0; i < t->n_kinds; i++) {
    const TraceKind *k = &t->kinds[i];
    const uint8_t what[] = { (uint8_t) t->details[i].number, (uint8_t) (t->details[i].number >> 8), k->instant,
                             t->details[i].enroll, (uint8_t) k->n_fields };
    h = sum (h, what, sizeof what);
    for (uint32_t f = 0; f < k->n_fields; f++) {
      uint8_t role = (uint8_t) k->fields[f].role;
      h = sum (h, &role, 1);
    }
  }
  return h;
}

/* The beginning of the file's line; NULL if it is not to be remembered.  *same: how much of it stays when the file
 * changes. */
static char *
identity (const TpTable *t, int fd, uint64_t size, size_t *same)
{
  struct stat st;
  if (size < least_bytes || fstat (fd, &st) < 0 || (uint64_t) st.st_size != size)
    return NULL;
  if (g_get_real_time () / G_USEC_PER_SEC < MAX (st.st_mtim.tv_sec, st.st_ctim.tv_sec) + settled_s)
    return NULL;
  g_autofree char *file = g_strdup_printf ("%d %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x ", version,
                                           (guint64) st.st_dev, (guint64) st.st_ino);
  *same = strlen (file);
  return g_strdup_printf ("%s%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld %" G_GINT64_FORMAT
                          ".%09ld %016" G_GINT64_MODIFIER "x ",
                          file, (guint64) size, (gint64) st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                          (gint64) st.st_ctim.tv_sec, st.st_ctim.tv_nsec, (guint64) sum_of_table (t));
}

static char *
file_name (void)
{
  return g_build_filename (g_get_user_cache_dir (), "scope", "tapepvm-checks", NULL);
}

/* The lines that are whole; there may be none. */
static GPtrArray *
read_lines (const char *path)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  if (!(text = disk_read (path, NULL, largest, NULL, NULL)))
    return list;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    const char *last = strrchr (*line, ' ');
    char *end;
    if (!last || strlen (last) != 17)
      continue;
    uint64_t told = g_ascii_strtoull (last + 1, &end, 16);
    if (!*end && told == sum (SUM_BEGIN, *line, (size_t) (last - *line)))
      g_ptr_array_add (list, g_strdup (*line));
  }
  return list;
}

static bool
recall (const char *file, TpCheck *c)
{
  g_autofree char *path = file_name ();
  g_autoptr (GPtrArray) lines = read_lines (path);
  for (guint i = lines->len; i-- > 0;) {
    if (!g_str_has_prefix (lines->pdata[i], file))
      continue;
    char *at = (char *) lines->pdata[i] + strlen (file);
    c->ordered = g_ascii_strtoull (at, &at, 10) != 0;
    c->n_records = g_ascii_strtoull (at, &at, 10);
    c->n_events = g_ascii_strtoull (at, &at, 10);
    c->first = g_ascii_strtoll (at, &at, 10);
    c->last = g_ascii_strtoll (at, &at, 10);
    return true;
  }
  return false;
}

static void
keep (const char *file, size_t same, const TpCheck *c)
{
  g_autofree char *path = file_name (), *folder = g_path_get_dirname (path);
  g_autoptr (GPtrArray) lines = read_lines (path);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = lines->len >= kept ? lines->len - kept + 1 : 0; i < lines->len; i++)
    if (strncmp (lines->pdata[i], file, same) != 0)
      g_string_append_printf (text, "%s\n", (char *) lines->pdata[i]);
  size_t begin = text->len;
  g_string_append_printf (
      text, "%s%d %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, file, c->ordered,
      (guint64) c->n_records, (guint64) c->n_events, (gint64) c->first, (gint64) c->last);
  uint64_t h = sum (SUM_BEGIN, text->str + begin, text->len - begin);
  g_string_append_printf (text, " %016" G_GINT64_MODIFIER "x\n", (guint64) h);
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_file_set_contents_full (path, text->str, (gssize) text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
}

bool
tp_check_once (const TpTable *t, int fd, uint64_t size, const TraceProgress *progress, TpCheck *c, GError **error)
{
  size_t same = 0;
  g_autofree char *file = identity (t, fd, size, &same);
  if (file && recall (file, c)) {
    eve_log ("reader.tapepvm", 3, "the check of the events is known");
    return tp_report (progress, "checking the events", 1, error);
  }
  if (!tp_check (t, fd, size, progress, c, error))
    return false;
  g_autofree char *after = identity (t, fd, size, &same);
  if (file && g_strcmp0 (file, after) == 0) /* nobody wrote to it meanwhile */
    keep (file, same, c);
  return true;
}
