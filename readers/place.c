/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - the place of a source as bytes, for those who keep an index of places. */
#include "eve/eve-host.h"
#include "readers/reader.h"

GBytes *
trace_place (TraceSource *s)
{
  EveBlob *blob = eve_blob_new ();
  size_t n;
  const uint8_t *data;
  GBytes *bytes;

  s->format->save (s, blob);
  data = eve_blob_data (blob, &n);
  bytes = g_bytes_new (data, n);
  eve_blob_free (blob);
  return bytes;
}

bool
trace_go_to_place (TraceSource *s, const void *data, size_t n)
{
  EveBlobView *view = eve_blob_view_new (data, n);
  bool ok = s->format->load (s, view);

  eve_blob_view_free (view);
  if (!ok)
    s->format->rewind (s);
  return ok;
}
