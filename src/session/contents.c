/* SPDX-License-Identifier: Apache-2.0 */
#include "session/contents.h"
#include <gcrypt.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "eve/disk.h"
#include "eve/remember.h"
#include "session/guard.h"

#define STORE "contents-of-pieces"
#define PIECE (4u << 20) /* bytes, of which each thread takes the next */
#define READ (1u << 20)  /* bytes that are read at once */
#define THREADS 4
#define DIGITS 64
#define LARGE (16u << 20) /* bytes: less is summed up in no time */
#define LEVELS 3          /* folders of a trace that are looked into, */
#define NAMES 64          /* and files of each */

/* GLib's own sum takes six times as long: it knows nothing of the processor's instructions for it, and who opens a
 * large trace for the first time waits for this. */
static gcry_md_hd_t
sum_new (void)
{
  static gsize ready;
  gcry_md_hd_t sum = NULL;

  if (g_once_init_enter (&ready)) {
    gcry_check_version (NULL);                /* it asks to be called first */
    gcry_control (GCRYCTL_DISABLE_SECMEM, 0); /* nothing here is secret */
    gcry_control (GCRYCTL_INITIALIZATION_FINISHED, 0);
    g_once_init_leave (&ready, 1);
  }
  return gcry_md_open (&sum, GCRY_MD_SHA256, 0) == 0 ? sum : NULL;
}

static gint not_wanted; /* what is summed up early, by all threads */

typedef struct Sum {
  int fd;
  uint64_t size;
  uint32_t n;       /* pieces */
  GThread *caller;  /* NULL: nobody waits, and there are no helpers */
  gint next, wrong; /* the piece that nobody has begun, by all threads; not 0: one could not be read */
  guchar (*of_piece)[DIGITS / 2];
} Sum;

/* Pieces, as long as there are some that nobody has begun. */
static void *
sum_pieces (void *arg)
{
  Sum *s = arg;
  gcry_md_hd_t sum = sum_new ();
  g_autofree guchar *bytes = g_malloc (READ);
  bool ok = sum != NULL;

  for (uint32_t i; ok && (i = (uint32_t) g_atomic_int_add (&s->next, 1)) < s->n;) {
    uint64_t end = MIN (s->size, (uint64_t) (i + 1) * PIECE);
    gcry_md_reset (sum);
    for (uint64_t at = (uint64_t) i * PIECE; ok && at < end;) {
      ssize_t got = disk_pread (s->fd, bytes, MIN (READ, end - at), at);
      ok = got >= 0;
      if (got <= 0) /* 0: it was cut meanwhile */
        break;
      gcry_md_write (sum, bytes, (size_t) got);
      at += (uint64_t) got;
    }
    memcpy (s->of_piece[i], gcry_md_read (sum, GCRY_MD_SHA256), DIGITS / 2);
    if (g_thread_self () == s->caller) /* beats are counted by one thread */
      guard_beat ();
    if (s->caller == NULL && g_atomic_int_get (&not_wanted))
      ok = false;
  }
  gcry_md_close (sum);
  if (!ok)
    g_atomic_int_set (&s->wrong, 1);
  return NULL;
}

static char *
contents_sum_of (int fd, uint64_t size, bool early)
{
  GThread *helpers[THREADS - 1] = { NULL };
  Sum s = { .fd = fd,
            .size = size,
            .caller = early ? NULL : g_thread_self (),
            .n = (uint32_t) MAX (1, (size + PIECE - 1) / PIECE) };
  gcry_md_hd_t all = sum_new ();
  GString *digits = g_string_sized_new (DIGITS);
  const guchar *result = NULL;
  guint n_helpers = early ? 0 : MIN (MIN (g_get_num_processors (), THREADS), s.n) - 1;

  s.of_piece = g_malloc ((size_t) s.n * sizeof *s.of_piece);
  for (guint i = 0; i < n_helpers; ++i)
    helpers[i] = g_thread_try_new ("contents", sum_pieces, &s, NULL);
  sum_pieces (&s);
  for (guint i = 0; i < n_helpers; ++i)
    if (helpers[i])
      g_thread_join (helpers[i]);
  if (all && !s.wrong) {
    gcry_md_write (all, s.of_piece, (size_t) s.n * sizeof *s.of_piece);
    result = s.n == 1 ? s.of_piece[0] : gcry_md_read (all, GCRY_MD_SHA256);
  }
  for (guint i = 0; result && i < DIGITS / 2; ++i)
    g_string_append_printf (digits, "%02x", result[i]);
  gcry_md_close (all);
  g_free (s.of_piece);
  return g_string_free (digits, result == NULL);
}

static char *
contents_sum_or_recall (const char *path, bool early)
{
  uint64_t size = 0;
  size_t same = 0;
  int fd = disk_open (path, NULL, DISK_DATA, &size, NULL);

  if (fd < 0)
    return NULL;
  g_autofree char *before = remember_file (fd, size, &same), *known = before ? remember_recall (STORE, before) : NULL;
  bool is_known = known && strlen (known) == DIGITS;
  char *digits = is_known ? g_steal_pointer (&known) : contents_sum_of (fd, size, early);
  g_autofree char *after = remember_file (fd, size, &same);
  if (digits && !is_known && before && g_strcmp0 (before, after) == 0) /* nobody wrote to it meanwhile */
    remember_keep (STORE, before, same, digits);
  close (fd);
  return digits;
}

/* ---- early ------------------------------------------------------------------------------------------------------------ */

static GThread *early;   /* until somebody asks for the file that it sums */
static char *early_path; /* that file; of the thread of the window */

/* The largest file of a trace; NULL: none is large. */
static void
find_large (const char *path, int level, char **found, goffset *most)
{
  GStatBuf st;

  if ((level == 0 ? g_stat (path, &st) : g_lstat (path, &st)) != 0) /* a link inside may lead out of the bundle */
    return;
  if (S_ISREG (st.st_mode) && st.st_size > *most) {
    *most = st.st_size;
    g_free (*found);
    *found = g_strdup (path);
  }
  if (!S_ISDIR (st.st_mode) || level >= LEVELS)
    return;
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  for (int n = 0; dir != NULL && n < NAMES && (name = g_dir_read_name (dir)) != NULL; n++) {
    g_autofree char *inner = g_build_filename (path, name, NULL);
    find_large (inner, level + 1, found, most);
  }
}

static void *
sum_early (void *path)
{
  g_free (contents_sum_or_recall (path, true));
  return NULL;
}

void
contents_sum_early (const char *trace)
{
  goffset most = LARGE;

  if (early != NULL)
    return;
  g_clear_pointer (&early_path, g_free);
  find_large (trace, 0, &early_path, &most);
  if (early_path != NULL)
    early = g_thread_try_new ("early contents", sum_early, early_path, NULL);
}

void
contents_sum_early_end (void)
{
  g_atomic_int_set (&not_wanted, 1);
  if (early != NULL)
    g_thread_join (g_steal_pointer (&early));
}

static bool
is_same_file (const char *a, const char *b)
{
  GStatBuf one, other;

  return g_stat (a, &one) == 0 && g_stat (b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

char *
contents_sum (const char *path)
{
  if (early != NULL && is_same_file (path, early_path)) /* what it finds out is remembered */
    g_thread_join (g_steal_pointer (&early));
  return contents_sum_or_recall (path, false);
}
