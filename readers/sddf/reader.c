/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - the format: how a file is known, and read to its end (sddf.c). */
#include <string.h>

#include "readers/sddf/sddf.h"
#include "eve/words.h"

static bool
sddf_convert (Converter *to, const char *path, GError **error)
{
  g_autofree char *file = g_path_get_basename (path);
  Sddf s = { .to = to, .source = converter_source (to), .file = file };

  sddf_begin (&s);
  s.source->clock = (TraceClock){ 1000000000, "s" };
  map_read (&s, path);
  bool ok = sddf_read_packets (&s, path, true, error);
  sddf_begin_tables (&s);
  ok = ok && sddf_read_packets (&s, path, false, error);
  if (ok)
    pvm_end (&s);
  if (ok && s.undated > 0) {
    trace_source_remark (s.source, s.file, 0, 0,
                         P_ ("%" PRIu64 " record has no field that is known for a date, and got the one before",
                             "%" PRIu64 " records have no field that is known for a date, and got the one before",
                             s.undated),
                         s.undated);
  }
  sddf_end (&s, pvm_free_held);
  return ok;
}

static int
sddf_recognise (const char *path, const void *head, size_t n, char **whole)
{
  if (!head)
    return 0;
  g_autofree char *text = g_strndup (head, n);
  const char *p = text;

  if (g_str_has_prefix (p, "SDDFB"))
    return 60;
  bool says = g_str_has_prefix (p, "SDDFA");
  p += says ? strcspn (p, "\n") : 0;
  for (int i = 0; i < 20; i++) { /* attributes come first */
    p = sddf_blanks (p);
    if (*p == '#') {
      p += 1 + strspn (p + 1, " \t0123456789-");
      const char *at;
      size_t words;
      p = sddf_sign (p, ':');
      return p && sddf_quoted (p, &at, &words) ? 90 : 0;
    }
    const char *end = p[0] == '/' && p[1] == '*' ? strstr (p, "*/") : NULL;
    if (!end || !(p = sddf_sign (end + 2, ';')) || !(p = sddf_sign (p, ';')))
      break;
  }
  return says ? 60 : 0;
}

static TraceSource *sddf_open (const char *bundle, const char *path, const TraceOptions *options, GError **error);
static const ConvertedFormat sddf = {
  .format = { .name = "sddf",
              .label = "SDDF",
              .model = "PVM",
              .open = sddf_open,
              .recognise = sddf_recognise,
              CONVERTED_FUNCTIONS },
  .beside = ".map",
  .convert = sddf_convert,
};

static TraceSource *
sddf_open (const char *bundle, const char *path, const TraceOptions *options, GError **error)
{
  char begin[6] = "";

  if (input_head (path, begin, 5) == 5 && strcmp (begin, "SDDFB") == 0) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_FORMAT,
        _ ("%s is SDDF in its binary form, which cannot be read: convert it to the text form (SDDFA) by SDDFConverter "
           "of the Pablo library first"),
        path);
    return NULL;
  }
  return converted_open (&sddf, bundle, path, options, error);
}

TRACE_READER_PLUGIN (sddf.format, "scope.sddf-reader", "SDDF reader", "reader:sddf",
                     "Reads SDDF, the self-describing traces of Pablo and of PVM's own tracer.");
