/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a stranger may have prepared: links, pipes, devices, giants, names that lead away, links that come and go.
 */
#include "eve/disk.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char *top; /* of this test */

static char *
in_top (const char *name)
{
  return g_build_filename (top, name, NULL);
}

static void
put (const char *name, const char *text)
{
  g_autofree char *path = in_top (name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
holds (const char *name, const char *text)
{
  g_autofree char *path = in_top (name), *is = NULL;

  g_assert_true (g_file_get_contents (path, &is, NULL, NULL));
  g_assert_cmpstr (is, ==, text);
}

static void
link_to (const char *target, const char *name)
{
  g_autofree char *path = in_top (name);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
make_folder (const char *name)
{
  g_autofree char *path = in_top (name);

  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
}

static void
begin (void)
{
  top = g_dir_make_tmp ("scope-disk-XXXXXX", NULL);
  make_folder ("bundle");
  make_folder ("bundle/data");
  make_folder ("bundle-2"); /* begins with the same letters, but is another one */
  put ("bundle/data/events", "12345");
  put ("bundle-2/secret", "secret");
}

static void
end (void)
{
  const char *argv[] = { "rm", "-r", top, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  g_clear_pointer (&top, g_free);
}

static void
refused (const char *name, const char *below, uint64_t most, const char *why)
{
  g_autofree char *path = *name == '/' ? g_strdup (name) : in_top (name), *folder = below ? in_top (below) : NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (disk_read (path, folder, most, NULL, &error));
  g_assert_nonnull (strstr (error->message, why));
  g_assert_nonnull (strstr (error->message, path));
}

static void
is_read (const char *name, const char *below, const char *text)
{
  g_autofree char *path = in_top (name), *folder = below ? in_top (below) : NULL;
  g_autoptr (GError) error = NULL;
  size_t n;
  g_autofree char *is = disk_read (path, folder, 5, &n, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (is, ==, text);
  g_assert_cmpuint (n, ==, strlen (text));
}

static void
test_plain (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *nothing = NULL, *pipe = NULL, *giant = NULL, *socket_path = NULL;

  begin ();
  is_read ("bundle/data/events", NULL, "12345");
  refused ("bundle/data/events", NULL, 4, "more than the");
  nothing = in_top ("nothing");
  g_assert_null (disk_read (nothing, NULL, 5, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  pipe = in_top ("pipe");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  refused ("pipe", NULL, 5, "no plain file but a pipe");
  refused ("bundle", NULL, 5, "no plain file but a folder");
  refused ("/dev/zero", NULL, 5, "no plain file but a device");
  link_to ("/dev/zero", "zero");
  refused ("zero", NULL, 5, "no plain file but a device");
  link_to ("circle", "circle");
  refused ("circle", NULL, 5, "lead round in a circle");
  link_to ("nothing", "dangling");
  refused ("dangling", NULL, 5, "there is no such file");
  socket_path = in_top ("socket");
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int s = socket (AF_UNIX, SOCK_STREAM, 0);
  g_strlcpy (address.sun_path, socket_path, sizeof address.sun_path);
  g_assert_cmpint (bind (s, (struct sockaddr *) &address, sizeof address), ==, 0);
  refused ("socket", NULL, 5, "no plain file but a socket");
  close (s);
  put ("giant", "");
  giant = in_top ("giant");
  g_assert_cmpint (truncate (giant, (off_t) 4 << 30), ==, 0); /* sparse */
  refused ("giant", NULL, 256 * DISK_MIB, "has 4096 MiB, more than the 256 MiB");
  end ();
}

static void
test_links (void)
{
  g_autofree char *secret = NULL, *folder = NULL, *bundle = NULL;

  begin ();
  secret = in_top ("bundle-2/secret");
  bundle = in_top ("bundle");
  link_to ("data/events", "bundle/inside");
  is_read ("bundle/inside", "bundle", "12345");
  link_to (secret, "bundle/outside");
  refused ("bundle/outside", "bundle", 100, "out of");
  refused ("bundle/outside", "bundle", 100, secret); /* told where it leads */
  link_to ("../bundle-2", "bundle/folder");
  refused ("bundle/folder/secret", "bundle", 100, "is not followed");
  refused ("bundle/../bundle-2/secret", "bundle", 100, "out of");
  /* the folder itself may be a link: the person named it */
  link_to ("bundle", "named");
  is_read ("named/data/events", "named", "12345");
  folder = in_top ("bundle/folder/not-there");
  g_assert_false (disk_is_below (folder, bundle));
  g_assert_true (disk_is_below (bundle, bundle));
  /* a link to nowhere may lead anywhere tomorrow */
  link_to ("../../tomorrow", "bundle/dangling");
  g_autofree char *dangling = in_top ("bundle/dangling"), *there = in_top ("bundle/not/there");
  g_assert_false (disk_is_below (dangling, bundle));
  g_assert_true (disk_is_below (there, bundle));
  /* what the person allows is read, and what lies in it */
  g_autofree char *second = in_top ("bundle-2");
  disk_allow (second);
  g_autofree char *path = in_top ("bundle/outside"), *text = disk_read (path, bundle, 100, NULL, NULL);
  g_assert_cmpstr (text, ==, "secret");
  end ();
}

static void
not_written (const char *name, const char *why)
{
  g_autofree char *path = in_top (name);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (disk_open_write (path, &error), <, 0);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_write (void)
{
  g_autofree char *victim = NULL, *second = NULL, *pipe = NULL, *fresh = NULL;
  g_autoptr (GError) error = NULL;

  begin ();
  put ("victim", "precious");
  victim = in_top ("victim");
  link_to (victim, "link");
  not_written ("link", "no plain file but a link");
  second = in_top ("second");
  g_assert_cmpint (link (victim, second), ==, 0);
  not_written ("second", "has another name");
  g_assert_cmpint (errno, ==, EMLINK);
  g_unlink (second);
  pipe = in_top ("pipe");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  not_written ("pipe", "no plain file but a pipe");
  not_written ("bundle", "no plain file but a folder");
  not_written ("no/folder", "there is no such file");
  g_autofree char *link_path = in_top ("link"), *absent = in_top ("absent");
  g_assert_false (disk_cut (link_path, 0));
  g_assert_false (disk_cut (pipe, 0));
  g_assert_false (disk_cut (absent, 0));
  g_assert_cmpint (errno, ==, ENOENT);
  g_assert_cmpint (link (victim, second), ==, 0);
  g_assert_false (disk_cut (victim, 0));
  g_unlink (second);
  holds ("victim", "precious");
  g_assert_true (disk_cut (victim, 3));
  holds ("victim", "pre");

  fresh = in_top ("fresh");
  int fd = disk_open_write (fresh, &error);
  g_assert_no_error (error);
  g_assert_true (disk_write (fd, "abc", 3) && disk_pwrite (fd, "BC", 2, 1));
  close (fd);
  holds ("fresh", "aBC");
  fd = disk_open_write (fresh, &error); /* what is there stays */
  char back[8] = "";
  g_assert_cmpint (disk_pread (fd, back, sizeof back, 0), ==, 3);
  g_assert_cmpstr (back, ==, "aBC");
  close (fd);
  end ();
}

/* Nothing can be written: what was there stays, and what was not there is not made. */
static void
no_room (const char *out)
{
  const struct rlimit none = { 0, RLIM_INFINITY };
  struct rlimit before;
  g_autoptr (GError) a = NULL, b = NULL;
  g_autofree char *fresh = in_top ("out/fresh");

  g_assert_true (disk_write_below (out, "kept", "kept", 4, NULL));
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &none), ==, 0);
  bool fresh_written = disk_write_below (out, "fresh", "x", 1, &a),
       kept_written = disk_write_below (out, "kept", "x", 1, &b);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_false (fresh_written);
  g_assert_nonnull (strstr (a->message, "out/fresh cannot be written: "));
  g_assert_false (kept_written);
  g_assert_nonnull (b);
  g_assert_false (g_file_test (fresh, G_FILE_TEST_EXISTS));
  holds ("out/kept", "kept");
  GDir *dir = g_dir_open (out, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));)
    g_assert_cmpint (*name, !=, '.');
  g_dir_close (dir);
}

static void
test_below (void)
{
  static const char *const bad[][2] = {
    { "/etc/passwd", "begins with /" },      { "../victim", "leads out" },
    { "sub/../../victim", "leads out" },     { "..", "leads out" },
    { ".bashrc", "begins with a dot" },      { "sub/.ssh", "begins with a dot" },
    { "./x", "begins with a dot" },          { "", "it is empty" },
    { "sub//x", "a part of it is empty" },   { "sub/", "a part of it is empty" },
    { "away/victim", "is no folder there" }, { "victim-link", "no plain file but a link" },
    { "absent/x", "is no folder there" },    { "file/x", "is no folder there" },
    { "sub", "no plain file but a folder" },
  };
  g_autofree char *out = NULL, *victim = NULL;
  g_autoptr (GError) error = NULL;

  begin ();
  put ("victim", "precious");
  victim = in_top ("victim");
  make_folder ("out");
  make_folder ("out/sub");
  put ("out/file", "x");
  link_to ("..", "out/away");
  link_to ("../victim", "out/victim-link");
  out = in_top ("out");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) a = NULL, b = NULL;
    g_assert_cmpint (disk_open_below (out, bad[i][0], &a), <, 0);
    g_assert_nonnull (strstr (a->message, bad[i][1]));
    g_assert_false (disk_write_below (out, bad[i][0], "evil", 4, &b));
    g_assert_nonnull (strstr (b->message, bad[i][1]));
  }
  holds ("victim", "precious");
  g_assert_true (disk_write_below (out, "sub/x", "first", 5, &error));
  g_assert_true (disk_write_below (out, "sub/x", "second", 6, &error));
  holds ("out/sub/x", "second");
  int fd = disk_open_below (out, "sub/x", &error); /* what is there stays */
  g_assert_no_error (error);
  g_assert_true (disk_write (fd, "third", 5));
  close (fd);
  holds ("out/sub/x", "thirdd");
  g_autofree char *folder = in_top ("out/sub");
  GDir *dir = g_dir_open (folder, 0, NULL); /* nothing else was left there */
  g_assert_cmpstr (g_dir_read_name (dir), ==, "x");
  g_assert_null (g_dir_read_name (dir));
  g_dir_close (dir);
  no_room (out);
  /* the folder itself may be a link: the person named it */
  link_to ("out", "named");
  g_autofree char *named = in_top ("named");
  g_assert_true (disk_write_below (named, "y", "y", 1, &error));
  holds ("out/y", "y");
  end ();
}

/* A file that was made elsewhere is moved over what may be written, and over nothing else. */
static void
test_move (void)
{
  static const char *const bad[][2] = {
    { "../victim", "leads out" },
    { ".bashrc", "begins with a dot" },
    { "victim-link", "no plain file but a link" },
    { "nowhere-link", "no plain file but a link" },
    { "pipe", "no plain file but a pipe" },
    { "sub", "no plain file but a folder" },
    { "twin", "another name too" },
  };
  g_autofree char *out = NULL, *made = NULL, *pipe = NULL, *twin = NULL, *victim = NULL;
  g_autoptr (GError) error = NULL;

  begin ();
  put ("victim", "precious");
  put ("made", "new");
  make_folder ("out");
  make_folder ("out/sub");
  put ("out/old", "old");
  link_to ("../victim", "out/victim-link");
  link_to ("../nothing", "out/nowhere-link");
  out = in_top ("out");
  made = in_top ("made");
  pipe = in_top ("out/pipe");
  twin = in_top ("out/twin");
  victim = in_top ("victim");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (link (victim, twin), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) a = NULL, b = NULL;
    g_assert_false (disk_check_below (out, bad[i][0], &a));
    g_assert_nonnull (strstr (a->message, bad[i][1]));
    g_assert_false (disk_move_below (made, out, bad[i][0], &b));
    g_assert_cmpstr (b->message, ==, a->message);
    holds ("made", "new");
  }
  holds ("victim", "precious");
  g_assert_true (g_file_test (twin, G_FILE_TEST_EXISTS) && g_file_test (pipe, G_FILE_TEST_EXISTS));
  g_assert_true (disk_check_below (out, "old", &error) && disk_check_below (out, "fresh", &error));
  holds ("out/old", "old");
  g_autofree char *fresh = in_top ("out/fresh");
  g_assert_false (g_file_test (fresh, G_FILE_TEST_EXISTS));
  g_assert_true (disk_move_below (made, out, "old", &error));
  holds ("out/old", "new");
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  g_assert_false (disk_move_below (made, out, "fresh", &error));
  g_assert_nonnull (strstr (error->message, "out/fresh cannot be written: there is no such file"));
  end ();
}

/* Somebody puts links in the place of the file and of its folder while it is opened: what they lead to stays. */
static gint stop;

static void *
swap (void *arg)
{
  g_autofree char *file = in_top ("out/sub/x"), *sub = in_top ("out/sub"), *aside = in_top ("out/aside"),
                  *elsewhere = in_top ("elsewhere"), *victim = in_top ("elsewhere/x");

  while (!g_atomic_int_get (&stop)) {
    g_unlink (file);
    if (symlink (victim, file) == 0)
      g_unlink (file);
    g_rename (sub, aside);
    if (symlink (elsewhere, sub) == 0)
      g_unlink (sub);
    g_rename (aside, sub);
  }
  return NULL;
}

static void
test_race (void)
{
  g_autofree char *out = NULL;
  guint written = 0;

  begin ();
  make_folder ("out");
  make_folder ("out/sub");
  make_folder ("elsewhere");
  put ("elsewhere/x", "precious");
  out = in_top ("out");
  g_atomic_int_set (&stop, 0);
  GThread *thread = g_thread_new ("swap", swap, NULL);
  for (guint i = 0; i < 20000; i++) {
    int fd = disk_open_below (out, "sub/x", NULL);
    if (fd >= 0) {
      written++;
      g_assert_true (disk_write (fd, "evil", 4));
      close (fd);
    }
    if (i % 4 == 0 && disk_write_below (out, "sub/x", "evil", 4, NULL))
      written++;
  }
  g_atomic_int_set (&stop, 1);
  g_thread_join (thread);
  g_test_message ("%u of 25000 were written", written);
  holds ("elsewhere/x", "precious");
  end ();
}

/* Lines are those that a split at each end gives, of texts with empty lines, a byte 0, and no end of the last. */
static void
test_lines (void)
{
  for (unsigned round = 0; round < 2000; round++) {
    char text[41], copy[41];
    gsize n = (gsize) g_test_rand_int_range (0, 40);
    for (gsize i = 0; i < n; i++)
      text[i] = "ab\n\n\0"[g_test_rand_int_range (0, 5)];
    memcpy (copy, text, n);
    text[n] = '\n'; /* behind the text: it is none of it */
    gsize from = 0;
    for (char *line = text, *next; line; line = next) {
      gsize to = from;
      while (to < n && copy[to] != '\n')
        to++;
      next = disk_end_line (line, text + n);
      g_assert_true (line == text + from);
      g_assert_cmpmem (line, to - from, copy + from, to - from);
      g_assert_true (next ? to < n && text[to] == '\0' && next == text + to + 1 : to == n);
      from = to + 1;
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/disk/plain", test_plain);
  g_test_add_func ("/disk/links", test_links);
  g_test_add_func ("/disk/write", test_write);
  g_test_add_func ("/disk/below", test_below);
  g_test_add_func ("/disk/move", test_move);
  g_test_add_func ("/disk/race", test_race);
  g_test_add_func ("/disk/lines", test_lines);
  return g_test_run ();
}
