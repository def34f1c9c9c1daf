/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - what clients ask for: docs/scopeviz-protocol.md.  Only those on this machine are heard, and nothing they
 * send can do more than the messages below; what is not understood is skipped by its length. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { HELLO = 128, STOP, RESUME, PERIOD, PERIOD_OF_ALL, CONTINUE, SEND_NOW };

#define MESSAGE_MAX ((uint32_t) 64 << 20) /* a length that is sane */
#define PERIOD_MIN 1u                     /* ms */
#define PERIOD_MAX 3600000u

static uint32_t
u32_at (const uint8_t *at)
{
  return at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 | (uint32_t) at[3] << 24;
}

static void
honour (Client *client, bool honours)
{
  if (client->honours == honours)
    return;
  client->honours = honours;
  viz.n_honouring += honours ? 1 : -1;
  pthread_cond_broadcast (&viz.changed);
}

/* The item of a number is no longer wanted by a client, or is again. */
static void
want (Client *client, unsigned tag, bool wanted)
{
  Item *item = viz.by_tag[tag];
  if (!item)
    return;
  tag = item->tags[0]; /* the two numbers of a Tag go together */
  if (!client->stopped && !wanted)
    client->stopped = calloc (VIZ_TAGS / 8, 1);
  if (!client->stopped || !(client->stopped[tag / 8] >> (tag % 8) & 1) == wanted)
    return;
  client->stopped[tag / 8] ^= (uint8_t) (1 << (tag % 8));
  if (wanted) {
    item->stopped--;
    item->due = 0;
  } else
    item->stopped++;
}

static unsigned
in_bounds (uint32_t milliseconds)
{
  return milliseconds < PERIOD_MIN ? PERIOD_MIN : milliseconds > PERIOD_MAX ? PERIOD_MAX : milliseconds;
}

static void
viz_commands_let_go (int64_t number)
{
  if (!number && viz.breaks)
    number = __atomic_load_n (&viz.breaks->face.number, __ATOMIC_RELAXED);
  if (number > viz.released)
    viz.released = number;
  pthread_cond_broadcast (&viz.changed);
}

/* One message; holds viz.lock. */
static void
viz_commands_obey (Client *client, unsigned type, const uint8_t *at, size_t size)
{
  unsigned tag = size >= 2 ? at[0] | (unsigned) at[1] << 8 : 0;
  if (type == HELLO && size >= 2)
    honour (client, at[1] & 1);
  else if ((type == STOP || type == RESUME) && size >= 2)
    want (client, tag, type == RESUME);
  else if (type == PERIOD && size >= 6 && viz.by_tag[tag]) {
    viz.by_tag[tag]->period = u32_at (at + 2) ? in_bounds (u32_at (at + 2)) : 0;
    viz.by_tag[tag]->due = 0;
  } else if (type == PERIOD_OF_ALL && size >= 4)
    viz.period = in_bounds (u32_at (at)) * VIZ_MILLISECOND;
  else if (type == CONTINUE && size >= 8)
    viz_commands_let_go ((int64_t) (u32_at (at) | (uint64_t) u32_at (at + 4) << 32));
  else if (type == SEND_NOW)
    viz.hurry = true;
}

/* Looks at the message at the head of what was received; false: it is not all there. */
static bool
next_message (Client *client)
{
  if (client->in_size < 4)
    return false;
  uint32_t length = u32_at (client->in);
  if (length > MESSAGE_MAX) {
    client->deaf = true;
    return false;
  }
  if (length > sizeof client->in - 4) {
    client->in_skip = length - (client->in_size - 4);
    client->in_size = 0;
    return false;
  }
  if (client->in_size < length + 4)
    return false;
  if (length && client->near)
    viz_commands_obey (client, client->in[4], client->in + 5, length - 1);
  client->in_size -= length + 4;
  memmove (client->in, client->in + length + 4, client->in_size);
  return true;
}

void
commands_read (Client *client, const uint8_t *data, size_t size)
{
  pthread_mutex_lock (&viz.lock);
  while (size && !client->deaf) {
    size_t take = client->in_skip ? client->in_skip : sizeof client->in - client->in_size;
    if (take > size)
      take = size;
    if (client->in_skip)
      client->in_skip -= take;
    else {
      memcpy (client->in + client->in_size, data, take);
      client->in_size += take;
      while (next_message (client))
        ;
    }
    data += take;
    size -= take;
  }
  pthread_mutex_unlock (&viz.lock);
}

void
commands_forget (Client *client)
{
  honour (client, false);
  for (unsigned tag = 0; client->stopped && tag < viz.next_tag; tag++)
    if (client->stopped[tag / 8] >> (tag % 8) & 1)
      viz.by_tag[tag]->stopped--;
  free (client->stopped);
  client->stopped = NULL;
}
