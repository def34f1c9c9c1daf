/* SPDX-License-Identifier: Apache-2.0 */
/* bundle-test.c - the folder of a trace, importing, and the reader as a component. */
#include "tests/readers/traces.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void
refused (const char *path, const char *format, int code, const char *why)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (trace_open (path, format, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, TRACE_ERROR, code);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_folders (void)
{
  g_autofree char *bundle = traces_make ("131 1 1 1 0 0\n", -1, NULL, NULL), *folder = traces_folder (bundle);
  g_autofree char *top = g_path_get_dirname (bundle), *base = g_path_get_basename (bundle);
  g_autofree char *name = g_strndup (base, strlen (base) - 6), *events = g_build_filename (folder, "events", NULL);

  TraceSource *s = trace_open (bundle, NULL, NULL, NULL);
  g_assert_nonnull (s);
  g_assert_cmpstr (s->name, ==, name);
  trace_close (s);
  g_autofree char *slash = g_strconcat (bundle, "/", NULL);
  s = trace_open (slash, "tapepvm", NULL, NULL);
  g_assert_nonnull (s);
  trace_close (s);

  /* Two formats: the person chooses. */
  g_autofree char *second = g_strdup_printf ("%s/%s.other", bundle, name),
                  *doc = g_build_filename (bundle, "doc", NULL);
  g_mkdir (second, 0700);
  g_mkdir (doc, 0700);
  refused (bundle, NULL, TRACE_ERROR_FORMAT, "say which of other, tapepvm is wanted");
  refused (bundle, "other", TRACE_ERROR_FORMAT, "nobody reads the format “other”");
  refused (bundle, "third", TRACE_ERROR_FORMAT, "holds no folder");
  TraceBundle *b = trace_bundle_open (bundle, NULL);
  g_assert_cmpuint (b->formats->len, ==, 2);
  g_assert_cmpstr (b->formats->pdata[0], ==, "other");
  g_assert_nonnull (b->doc);
  trace_bundle_free (b);
  g_rmdir (second);

  /* A link to a bundle is one. */
  g_autofree char *link = g_build_filename (top, "link.trace", NULL),
                  *loop = g_build_filename (top, "loop.trace", NULL);
  g_assert_cmpint (symlink (bundle, link), ==, 0);
  s = trace_open (link, NULL, NULL, NULL);
  g_assert_nonnull (s);
  trace_close (s);
  g_assert_cmpint (symlink (loop, loop), ==, 0);
  refused (loop, NULL, TRACE_ERROR_BUNDLE, "lead round in a circle");
  g_assert_cmpint (symlink (second, second), ==, 0);
  s = trace_open (bundle, NULL, NULL, NULL); /* the other data are there */
  g_assert_nonnull (s);
  trace_close (s);

  refused ("/no/such/place.trace", NULL, TRACE_ERROR_BUNDLE, "there is no such folder");
  refused (events, NULL, TRACE_ERROR_BUNDLE, "is a file of no format that can be opened");
  int ends[2]; /* as in `zcat x | scope /dev/stdin` */
  g_assert_cmpint (pipe (ends), ==, 0);
  g_autofree char *piped = g_strdup_printf ("/proc/self/fd/%d", ends[0]);
  refused (piped, NULL, TRACE_ERROR_BUNDLE, "is a pipe, a device or a socket");
  close (ends[0]);
  close (ends[1]);
  g_autofree char *empty = g_build_filename (top, "empty.trace", NULL),
                  *renamed = g_build_filename (top, "renamed.trace", NULL);
  g_mkdir (empty, 0700);
  refused (empty, NULL, TRACE_ERROR_BUNDLE, "holds no data: expected a folder empty.FORMAT");
  g_unlink (events);
  refused (bundle, NULL, TRACE_ERROR_BUNDLE, "events cannot be read: there is no such file");
  g_mkdir (events, 0700);
  refused (bundle, NULL, TRACE_ERROR_BUNDLE, "is no plain file");
  g_rmdir (events);
  g_assert_cmpint (mkfifo (events, 0600), ==, 0);
  refused (bundle, NULL, TRACE_ERROR_BUNDLE, "is no plain file");
  g_unlink (events);
  g_assert_cmpint (symlink (events, events), ==, 0);
  refused (bundle, NULL, TRACE_ERROR_BUNDLE, "lead round in a circle");
  g_unlink (events);
  g_assert_true (g_file_set_contents (events, "#TAPE/PVM 3\n", -1, NULL));
  refused (bundle, NULL, TRACE_ERROR_FORMAT, "of a version that this reader does not know");
  g_assert_cmpint (g_rename (bundle, renamed), ==, 0);
  TraceBundle *moved = trace_bundle_open (renamed, NULL); /* its data have the name that it had */
  g_assert_nonnull (moved);
  g_assert_cmpstr (moved->name, ==, "renamed");
  g_autofree char *data = trace_bundle_data (moved, "tapepvm"), *inside = g_build_filename (data, "events", NULL);
  g_assert_true (g_file_test (inside, G_FILE_TEST_IS_REGULAR));
  trace_bundle_free (moved);
  g_autofree char *notes = g_build_filename (renamed, "renamed.txt", NULL); /* a file of its name is no data */
  g_assert_true (g_file_set_contents (notes, "written later\n", -1, NULL));
  moved = trace_bundle_open (renamed, NULL);
  g_assert_nonnull (moved);
  g_assert_cmpstr (moved->stem, !=, "renamed");
  trace_bundle_free (moved);
  g_unlink (notes);
  g_assert_cmpint (symlink ("/no/such/place", notes), ==,
                   0); /* data that cannot be reached are not those of another name */
  refused (renamed, NULL, TRACE_ERROR_BUNDLE, "cannot be reached");
  g_unlink (notes);
  refused (renamed, "tapepvm", TRACE_ERROR_FORMAT, "of a version that this reader does not know");
  g_autofree char *other = g_build_filename (renamed, "other.tapepvm", NULL),
                  *own = g_build_filename (renamed, "renamed.tape", NULL);
  g_mkdir (other, 0700);
  refused (renamed, NULL, TRACE_ERROR_BUNDLE, "was the trace renamed?"); /* of two names neither is more likely */
  g_autofree char *strange = g_build_filename (empty, "a\nb.tapepvm", NULL);
  g_mkdir (strange, 0700);
  refused (empty, NULL, TRACE_ERROR_BUNDLE, "holds no data"); /* a name that would be two lines of a terminal */
  g_rmdir (strange);
  g_mkdir (own, 0700);
  moved = trace_bundle_open (renamed, NULL);
  g_assert_cmpstr (moved->stem, ==, "renamed");
  g_assert_cmpuint (moved->formats->len, ==, 1);
  trace_bundle_free (moved);
  if (geteuid () != 0) { /* nothing is unreadable for root */
    g_chmod (empty, 0);
    refused (empty, NULL, TRACE_ERROR_BUNDLE, "cannot be read");
    g_chmod (empty, 0700);
  }
}

static void
test_import (void)
{
  g_autofree char *a = traces_make ("131 30 1 1 0 0\n131 40 1 1 0 0", -1, NULL, NULL);
  g_autofree char *b = traces_make ("131 10 2 1 0 0\n131 35 2 1 0 0\n", -1, NULL, "1 2 c.c\n"),
                  *c = traces_make (NULL, 0, NULL, NULL);
  g_autofree char *fa = traces_folder (a), *fb = traces_folder (b), *fc = traces_folder (c);
  g_autofree char *ea = g_build_filename (fa, "events", NULL), *eb = g_build_filename (fb, "events", NULL);
  g_autofree char *sb = g_build_filename (fb, "sites", NULL), *sc = g_build_filename (fc, "sites", NULL);
  const char *const files[] = { ea, sb, eb, NULL };
  g_autoptr (GError) error = NULL;
  g_assert_true (tapepvm_format.import (fc, files, &error));
  g_assert_no_error (error);
  TraceSource *s = traces_open (c, NULL);
  g_autofree char *outline = traces_outline (s);
  g_assert_cmpstr (outline, ==,
                   "InitSend(t2)@10 EndInitSend(t2)@11 InitSend(t1)@30 EndInitSend(t1)@31 InitSend(t2)@35 "
                   "EndInitSend(t2)@36");
  g_assert_cmpuint (s->n_damaged, ==, 1); /* the line that was cut off in the first file */
  g_assert_cmpuint (((TraceDamage *) s->damage->pdata[0])->line, ==, 2);
  trace_close (s);
  g_assert_true (g_file_test (sc, G_FILE_TEST_EXISTS));
  g_assert_false (tapepvm_format.import (fc, files, &error)); /* nothing is written over */
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_IO);
  g_clear_error (&error);
  g_autofree char *d = traces_make (NULL, 0, NULL, NULL), *fd = traces_folder (d),
                  *bad = g_build_filename (fd, "raw", NULL);
  g_assert_true (g_file_set_contents (bad, "nothing\nof this\n", -1, NULL));
  const char *const none[] = { bad, NULL };
  g_assert_false (tapepvm_format.import (fd, none, &error));
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
}

/* ---- the component, in a program with nothing but a sink that counts ---- */

typedef struct Count {
  EveBase base;
  uint64_t n;
  int64_t last;
} Count;

static void
count_fire (EveComponent *c)
{
  Count *self = (Count *) c;
  const TraceEvent *e = eve_take (self->base.in[0]);
  self->n++;
  self->last = e->date;
}

static const EveInSpec count_ins[] = { { "events", &trace_type_event, EVE_SYNC, .doc = "Events." } };
static const EveClass count_class = { EVE_CLASS_HEAD,     .id = "test.count", .label = "Count",
                                      .category = "Test", .doc = "Counts.",   .version = 1,
                                      .ins = count_ins,   .n_ins = 1,         .instance_size = sizeof (Count),
                                      .fire = count_fire };

typedef struct Driver { /* gives the reader its orders */
  EveBase base;
  const TraceCommand *next;
} Driver;

static EveSupply
driver_produce (EveComponent *c, uint32_t max)
{
  Driver *self = (Driver *) c;
  if (!self->next)
    return EVE_WAIT;
  eve_emit (self->base.out[0], self->next);
  self->next = NULL;
  return EVE_MORE;
}

static const EveOutSpec driver_outs[] = { { "commands", &trace_type_command, .doc = "Orders." } };
static const EveClass driver_class = { EVE_CLASS_HEAD,           .id = "test.driver", .label = "Driver",
                                       .category = "Test",       .doc = "Drives.",    .version = 1,
                                       .outs = driver_outs,      .n_outs = 1,         .instance_size = sizeof (Driver),
                                       .produce = driver_produce };

static void
order (EveProgram *p, Driver *driver, TraceCommand command)
{
  driver->next = &command;
  eve_wake ((EveComponent *) driver);
  eve_run (p, -1);
  g_assert_null (driver->next);
}

static void
test_component (void)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < 3000; i++) /* two events every ten ticks */
    g_string_append_printf (text, "131 %d 1 5 0 0\n", 10 * i);
  g_autofree char *bundle = traces_make (text->str, -1, NULL, NULL);
  g_string_free (text, TRUE);
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_new ();
  EveComponent *reader = eve_add (p, eve_plugin[0], NULL, &error), *sink = eve_add (p, &count_class, NULL, &error);
  const Count *count = (const Count *) sink;
  g_assert_no_error (error);
  g_assert_true (eve_connect (p, reader, "events", sink, "events", &error));
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  g_assert_nonnull (strstr (eve_program_failure (p, NULL), "no trace is chosen"));
  eve_program_clear_failure (p);
  eve_reset (p);
  g_assert_true (eve_set (reader, "trace", bundle, &error));
  g_assert_cmpint (eve_run (p, -1), ==, EVE_IDLE);
  g_assert_true (eve_program_ended (p));
  g_assert_cmpuint (count->n, ==, 6000);

  /* Driven: nothing comes unasked. */
  const TraceReader *face = eve_query (reader, "trace-reader/1");
  g_assert_nonnull (face);
  Driver *driver = (Driver *) eve_add (p, &driver_class, NULL, &error);
  g_assert_true (eve_connect (p, (EveComponent *) driver, "commands", reader, "commands", &error));
  eve_reset (p);
  uint64_t before = count->n;
  eve_run (p, -1);
  g_assert_cmpuint (count->n, ==, before);
  order (p, driver, (TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 7 });
  g_assert_cmpuint (count->n, ==, before + 7);
  g_assert_cmpuint (face->given (reader), ==, 7);
  g_assert_cmpint (face->clock (reader), ==, 30);
  order (p, driver, (TraceCommand){ .verb = TRACE_GO_UNTIL, .date = 10000 });
  g_assert_cmpint (count->last, ==, 10000);
  g_assert_cmpuint (face->given (reader), ==, 2001);
  order (p, driver, (TraceCommand){ .verb = TRACE_GO_UNTIL, .date = 10000 });
  g_assert_cmpuint (face->given (reader), ==, 2001);
  order (p, driver, (TraceCommand){ .verb = TRACE_MARK, .name = "here" });
  g_assert_cmpuint (face->given (reader), ==, 2001);

  /* Away and back by the saved run state. */
  EveBlob *saved = eve_blob_new ();
  size_t n;
  eve_program_save_run (p, saved);
  uint64_t hash = eve_program_run_hash (p);
  order (p, driver, (TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 2222 });
  const uint8_t *bytes = eve_blob_data (saved, &n);
  g_assert_true (eve_program_load_run (p, bytes, n, NULL, &error));
  g_assert_cmpuint (face->given (reader), ==, 2001);
  g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  eve_blob_free (saved);

  order (p, driver, (TraceCommand){ .verb = TRACE_GO_EVENTS, .number = UINT64_MAX });
  g_assert_cmpuint (face->given (reader), ==, 6000);
  order (p, driver, (TraceCommand){ .verb = TRACE_STOP });
  g_assert_cmpuint (face->given (reader), ==, 0);
  order (p, driver, (TraceCommand){ .verb = TRACE_GO_EVENTS, .number = 3 });
  g_assert_cmpuint (face->given (reader), ==, 3);

  /* A strict reader stops the program at damage. */
  g_autofree char *damaged = traces_make ("131 1 1 1 0 0\nbad\n", -1, NULL, NULL);
  g_assert_true (eve_disconnect (p, (EveComponent *) driver, "commands", reader, "commands"));
  eve_reset (p);
  g_assert_true (eve_set (reader, "trace", damaged, &error));
  g_assert_true (eve_set (reader, "on damage", "stop", &error));
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  g_assert_nonnull (strstr (eve_program_failure (p, NULL), "line 2, column 1"));
  eve_program_free (p);
}

static bool
refuse (void *arg, const char *doing, double share)
{
  ++*(int *) arg;
  return false;
}

/* Who watches the opening of a trace can cancel it; it can be opened again after that. */
static void
test_watched (void)
{
  g_autofree char *bundle = traces_make ("131 1 1 1 0 0\n", -1, NULL, NULL);
  int told = 0;
  const TraceProgress progress = { refuse, &told };
  EveProgram *p = eve_program_new ();
  EveComponent *reader = eve_add (p, eve_plugin[0], NULL, NULL);
  const TraceReader *face = eve_query (reader, "trace-reader/1");
  g_assert_true (eve_set (reader, "trace", bundle, NULL));
  face->watch (reader, &progress);
  g_assert_null (face->source (reader));
  g_assert_cmpint (told, ==, 1);
  g_assert_nonnull (strstr (eve_program_failure (p, NULL), "stopped at the user's wish"));
  face->watch (reader, NULL);
  eve_program_clear_failure (p);
  eve_reset (p);
  g_assert_nonnull (face->source (reader));
  g_assert_cmpint (told, ==, 1);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  eve_registry_add (eve_plugin[0], NULL);
  eve_registry_add (&count_class, NULL);
  eve_registry_add (&driver_class, NULL);
  g_test_add_func ("/bundle/folders", test_folders);
  g_test_add_func ("/bundle/import", test_import);
  g_test_add_func ("/bundle/component", test_component);
  g_test_add_func ("/bundle/watched", test_watched);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
