/* SPDX-License-Identifier: Apache-2.0 */
#include "views/recording.h"

static void
stop (Recording *r)
{
  if (r->on)
    r->histories->close ((EveComponent *) r);
  r->on = r->flushed = false;
}

bool
recording_begin (Recording *r)
{
  EveComponent *c = (EveComponent *) r;
  const HistoryPlace *places = r->placed ? r->place : NULL;
  g_autoptr (GError) error = NULL;

  stop (r);
  r->placed = r->anew = false;
  r->on = r->histories->open (c, r->folder, places, &error);
  if (!r->on)
    eve_fail (c, "%s", error->message);
  return r->on;
}

static bool
flush (Recording *r, int64_t reach)
{
  EveComponent *c = (EveComponent *) r;
  g_autoptr (GError) error = NULL;

  if (!recording_on (r))
    return true;
  r->flushed = r->histories->flush (c, reach, &error);
  if (r->flushed)
    return true;
  eve_fail (c, "%s", error->message);
  return false;
}

bool
recording_flush (EveComponent *c)
{
  return flush ((Recording *) c, INT64_MIN);
}

bool
recording_record (EveComponent *c, const char *folder)
{
  Recording *r = (Recording *) c;
  bool ok = recording_flush (c);

  r->anew = false;
  stop (r);
  g_free (r->folder);
  r->folder = g_strdup (folder);
  return folder != NULL ? recording_begin (r) : ok;
}

bool
recording_at_end (EveComponent *c)
{
  flush ((Recording *) c, INT64_MAX);
  return true;
}

void
recording_reset (EveComponent *c)
{
  Recording *r = (Recording *) c;

  r->placed = false;
  r->anew = r->folder != NULL;
  stop (r);
}

/* While nothing is recorded there is nothing to say: the run state of a session is the same wherever it came from. */
void
recording_save (EveComponent *c, EveBlob *to)
{
  Recording *r = (Recording *) c;
  HistoryPlace places[RECORDING_MOST];

  eve_put_int (to, r->flushed);
  if (!r->flushed)
    return;
  r->histories->places (c, places);
  for (uint32_t i = 0; i < r->histories->n; i++)
    history_place_save (&places[i], to);
}

bool
recording_load_places (Recording *r, EveBlobView *from)
{
  r->placed = eve_get_int (from) != 0;
  for (uint32_t i = 0; i < r->histories->n && r->placed; i++)
    r->placed = history_place_load (&r->place[i], from);
  return eve_get_ok (from);
}

bool
recording_go_on (Recording *r)
{
  return r->folder == NULL || recording_begin (r);
}

bool
recording_load (EveComponent *c, EveBlobView *from)
{
  return recording_load_places ((Recording *) c, from) && recording_go_on ((Recording *) c);
}

void
recording_finish (EveComponent *c)
{
  Recording *r = (Recording *) c;

  recording_flush (c);
  stop (r);
  g_free (r->folder);
}
