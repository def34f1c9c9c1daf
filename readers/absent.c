/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - in the place of a reader whose library was not there when Scope was built: its files are still known for
 * what they are, and the person is told which package is missing.  Built once for each such format, with ABSENT_NAME,
 * ABSENT_LABEL, ABSENT_CLASS, ABSENT_PACKAGE and ABSENT_RECOGNISE: the function of the format's recognise.c, which
 * needs no library; ABSENT_WRITES where the format could be written. */
#include "readers/reader.h"
#include "eve/words.h"

int ABSENT_RECOGNISE (const char *path, const void *head, size_t n, char **whole);

static TraceSource *
absent_open (const char *bundle, const char *folder, const TraceOptions *options, GError **error)
{
  (void) bundle;
  (void) folder;
  (void) options;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
               _ ("a trace of the format %s, which this Scope was built without: install the package %s and build it "
                  "again (make "
                  "run does both)"),
               ABSENT_LABEL, ABSENT_PACKAGE);
  return NULL;
}

#ifdef ABSENT_WRITES
static bool
absent_write (TraceSource *from, const char *path, const TraceProgress *progress, GError **error)
{
  (void) from;
  (void) path;
  (void) progress;
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
               _ ("this Scope was built without the library that writes %s: install the package %s and build it again "
                  "(make run does both)"),
               ABSENT_LABEL, ABSENT_PACKAGE);
  return false;
}
#endif

static const TraceFormat absent = {
  .name = ABSENT_NAME,
  .label = ABSENT_LABEL,
  .model = ABSENT_LABEL,
  .open = absent_open,
  .recognise = ABSENT_RECOGNISE,
#ifdef ABSENT_WRITES
  .write = absent_write,
#endif
};

TRACE_READER_PLUGIN (absent, ABSENT_CLASS, ABSENT_LABEL " reader", "reader:" ABSENT_NAME,
                     "Cannot read traces of the format " ABSENT_LABEL ": " ABSENT_PACKAGE " was missing when Scope was "
                     "built.");
