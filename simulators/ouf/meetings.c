/* SPDX-License-Identifier: Apache-2.0 */
/* meetings.c - who communicates with whom.  A meeting is one send and one receive on a link, from the rendezvous to the
 * end of both; Traffic is the sum of the messages of the meetings there are, and when one is over its bytes go into
 * TotalTraffic.
 *
 * Several threads may use a link at once.  Which of them met is told by the number of the meeting, and only at the
 * ends: until then the one that has waited longest is taken to be met, and partners change places when an end says
 * otherwise. */
#include "simulators/ouf/ouf.h"

#include "readers/reader.h"

enum { SENDS = 1, RECEIVES = 2 };

static uint8_t
ouf_meetings_side_of (const Call *c)
{
  return c->act == ACT_SEND ? SENDS : RECEIVES;
}

static void
ouf_meetings_add_traffic (Ouf *p, uint32_t link, int64_t bytes)
{
  ouf_link_set (p, link, EDGE_TRAFFIC, &link_at (p, link)->traffic, plus (link_at (p, link)->traffic, bytes));
}

uint32_t
ouf_meeting_add (Ouf *p, uint32_t link, const Meeting *m)
{
  Link *l = link_at (p, link);
  uint32_t at = p->free_meeting;

  if (at != NONE) {
    p->free_meeting = p->meetings[at].next;
  } else {
    at = p->n_meetings++;
    p->meetings = state_room (p->meetings, at, &p->meetings_room, sizeof *p->meetings);
  }
  p->meetings[at] = *m;
  p->meetings[at].link = link;
  p->meetings[at].next = NONE;
  *(l->meetings != NONE ? &p->meetings[l->last_meeting].next : &l->meetings) = at;
  l->last_meeting = at;
  return at;
}

static void
remove_meeting (Ouf *p, uint32_t link, uint32_t meeting)
{
  Link *l = link_at (p, link);
  uint32_t before = NONE;

  for (uint32_t at = l->meetings; at != meeting; at = p->meetings[at].next)
    before = at;
  *(before != NONE ? &p->meetings[before].next : &l->meetings) = p->meetings[meeting].next;
  if (l->last_meeting == meeting)
    l->last_meeting = before;
  p->meetings[meeting].next = p->free_meeting;
  p->free_meeting = meeting;
}

void
ouf_meeting_begin (Ouf *p, Call *send, Call *receive)
{
  Meeting m = { .size = send->size, .sent = send->sent, .open = SENDS | RECEIVES };

  send->meeting = receive->meeting = ouf_meeting_add (p, send->link, &m);
  ouf_meetings_add_traffic (p, send->link, send->size);
}

void
ouf_meeting_leave (Ouf *p, Call *c)
{
  Meeting *m = &p->meetings[c->meeting];
  Link *l = link_at (p, c->link);

  m->open &= (uint8_t) ~ouf_meetings_side_of (c);
  if (m->open == 0) {
    ouf_link_set (p, c->link, EDGE_TOTAL_TRAFFIC, &l->total_traffic, plus (l->total_traffic, m->size));
    ouf_meetings_add_traffic (p, c->link, minus (0, m->size));
    remove_meeting (p, c->link, c->meeting);
  }
  c->meeting = NONE;
}

void
ouf_meeting_size (Ouf *p, const Call *c, int64_t size)
{
  Meeting *m = &p->meetings[c->meeting];

  if (G_LIKELY (size == m->size))
    return;
  ouf_meetings_add_traffic (p, c->link, minus (size, m->size));
  m->size = size;
}

void
ouf_meeting_exchange (Ouf *p, Call *a, Call *b)
{
  uint32_t meeting = a->meeting;

  a->meeting = b->meeting;
  b->meeting = meeting;
  for (int i = 0; i < 2; i++) {
    const Call *c = i == 0 ? a : b;
    if (c->act != ACT_SEND || c->meeting == NONE || p->meetings[c->meeting].open != (SENDS | RECEIVES))
      continue;
    ouf_meeting_size (p, c, c->size);
    p->meetings[c->meeting].sent = c->sent;
  }
}

bool
ouf_meeting_part (Ouf *p, Call *c, Call *other)
{
  if (other == NULL)
    return false;
  ouf_meetings_add_traffic (p, c->link, minus (0, p->meetings[c->meeting].size));
  remove_meeting (p, c->link, c->meeting);
  c->meeting = other->meeting = NONE;
  return true;
}

/* The meeting of this number that only the side of `c` has not ended; else, if `other` is wanted, the oldest that
 * nobody has ended, or one whose number is not known. */
static uint32_t
meeting_numbered (const Ouf *p, const Call *c, int64_t number, bool other)
{
  uint32_t open = NONE, unknown = NONE;

  for (uint32_t at = link_at (p, c->link)->meetings; at != NONE; at = p->meetings[at].next) {
    const Meeting *m = &p->meetings[at];
    if (m->open == ouf_meetings_side_of (c) && number > 0 && m->number == number)
      return at;
    if (open == NONE && m->open == (SENDS | RECEIVES))
      open = at;
    if (unknown == NONE && m->open == ouf_meetings_side_of (c) && m->number == 0)
      unknown = at;
  }
  return !other ? NONE : open != NONE ? open : unknown;
}

uint32_t
ouf_meeting_found (Ouf *p, const Call *c, const TraceEvent *e, const Rule *rule)
{
  const Link *l = link_at (p, c->link);
  TraceValue v = { .kind = TRACE_VALUE_NONE };
  int64_t number;
  uint32_t found;

  if (G_LIKELY (l->usage <= 2) && c->meeting != NONE && p->meetings[c->meeting].next == NONE
      && l->meetings == c->meeting)
    return c->meeting; /* nobody else is there */
  if (rule->meeting >= 0)
    v = trace_value (e, (uint32_t) rule->meeting);
  number = v.kind == TRACE_VALUE_INT ? v.i : 0;
  found = meeting_numbered (p, c, number,
                            c->meeting == NONE
                                || (p->meetings[c->meeting].number != number && p->meetings[c->meeting].number > 0));
  if (found == NONE)
    found = c->meeting;
  if (found != NONE && number > 0)
    p->meetings[found].number = number;
  return found;
}
