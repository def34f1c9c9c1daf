/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - the rendezvous and the alternatives.
 *
 * A link is one word that both ends change by compare-and-swap, and a buffer of a piece.  The word holds a
 * phase, a bit for each dead end, and the number of the meeting; so a new meeting is never taken for the old
 * one:
 *
 *   IDLE -> OFFERED (sender waits) [-> PROMISED (an alternative chose it)] -> FULL
 *   IDLE -> AWAITED (receiver waits) -> FULL
 *   FULL -> EMPTY -> FULL -> ...          pieces of a long message
 *   FULL -> IDLE of the next meeting      the receiver has all
 *
 * The buffer is the sender's in IDLE, AWAITED and EMPTY, the receiver's otherwise; so the first piece lies
 * there before the two meet. */
#include "region.h"

#include "note.h"

#include <string.h>

enum { IDLE, OFFERED, PROMISED, AWAITED, FULL, EMPTY };

#define PHASE 7u
#define SENDER_DEAD 8u
#define RECEIVER_DEAD 16u
#define NEXT 32u /* one meeting more */

static uint32_t
with_phase (uint32_t word, uint32_t phase)
{
  return (word & ~PHASE) | phase;
}

/* From `from`, whatever bits of death come meanwhile; false: the phase is another one, and *seen is the word.
 */
static bool
link_change (OufLink *l, uint32_t *seen, uint32_t from, uint32_t to)
{
  *seen = atomic_load (&l->word);
  while ((*seen & PHASE) == from)
    if (atomic_compare_exchange_weak (&l->word, seen, with_phase (*seen, to))) {
      *seen = with_phase (*seen, to);
      /* A sender that waits need not know that it was found, only that it is its turn or the end. */
      if (from == AWAITED || from == EMPTY || to == EMPTY)
        ouf_futex_wake (&l->word);
      return true;
    }
  return false;
}

static size_t
piece_of (uint64_t bytes, uint64_t done)
{
  return bytes - done < OUF_PIECE ? (size_t) (bytes - done) : OUF_PIECE;
}

static OufLink *
link_of (int number, bool sending, const char *call)
{
  if (ouf.self < 0)
    ouf_misuse ("%s: called outside a task", call);
  if (number < 0 || number >= ouf.n_links)
    ouf_misuse ("%s: there is no link %d", call, number);
  if ((sending ? ouf.link[number].from : ouf.link[number].to) != ouf.self)
    ouf_misuse ("%s: link %d (%s) goes from %s to %s: this task cannot %s on it", call, number, ouf.link[number].name,
                ouf.task[ouf.link[number].from].name, ouf.task[ouf.link[number].to].name, sending ? "send" : "receive");
  return &ouf.links[number];
}

static int64_t
limit_date (int64_t limit_ns)
{
  int64_t now = ouf_clock ();

  return limit_ns < 0 ? now : limit_ns > INT64_MAX - now ? INT64_MAX : now + limit_ns;
}

/* -- sending -- */

/* What came of it; *meeting and *moved tell how far. */
static int
offer (int number, OufLink *l, const uint8_t *data, uint64_t bytes, int64_t until, int64_t *meeting, uint64_t *moved)
{
  uint8_t *piece = ouf.pieces + (size_t) number * OUF_PIECE;
  uint64_t done = 0, given;
  uint32_t seen, mine;

  *meeting = 0, *moved = 0;
  if (atomic_load (&l->word) & RECEIVER_DEAD)
    return OUF_DEAD;
  l->bytes = bytes;
  given = piece_of (bytes, 0);
  if (given)
    memcpy (piece, data, given);
  for (;;) {
    if (link_change (l, &seen, IDLE, OFFERED)) {
      if (atomic_load (&l->watched)) {
        _Atomic uint32_t *arrivals = &ouf.tasks[ouf.link[number].to].arrivals;

        atomic_fetch_add (arrivals, 1);
        ouf_futex_wake (arrivals);
      }
      break;
    }
    if (link_change (l, &seen, AWAITED, FULL))
      break;
  }
  mine = seen / NEXT;
  for (;;) {
    uint32_t phase = seen & PHASE;

    if (seen / NEXT != mine) {
      *meeting = (int64_t) l->meetings;
      *moved = l->moved;
      return *moved < bytes ? OUF_LONG : 0;
    }
    if (phase == FULL || phase == EMPTY)
      *meeting = (int64_t) l->meetings + 1;
    if (seen & RECEIVER_DEAD) {
      link_change (l, &seen, phase, IDLE);
      *moved = phase == EMPTY ? done + given : done;
      return OUF_DEAD;
    }
    if (phase == EMPTY) {
      done += given;
      given = piece_of (bytes, done);
      memcpy (piece, data + done, given);
      link_change (l, &seen, EMPTY, FULL);
    } else if (!ouf_futex_wait (&l->word, seen, phase == OFFERED ? until : INT64_MAX)
               && link_change (l, &seen, OFFERED, IDLE)) {
      return OUF_TIMEOUT;
    }
    seen = atomic_load (&l->word);
  }
}

static int
send_on (int number, const char *call, const void *data, size_t bytes, int64_t limit_ns, bool limited)
{
  OufLink *l = link_of (number, true, call);
  int64_t meeting = 0, until;
  uint64_t moved = 0;
  int result = OUF_TIMEOUT;
  OufMark mark = limited ? NOTE_BEGIN (TSend, number, (int64_t) bytes, limit_ns)
                         : NOTE_BEGIN (Send, number, (int64_t) bytes);

  bool mine;

  until = limited ? limit_date (limit_ns) : INT64_MAX;
  mine = ouf_turn_take (2 * (unsigned) number, until);
  if (mine)
    result = offer (number, l, data, bytes, until, &meeting, &moved);
  if (result == OUF_TIMEOUT)
    NOTE_END (&mark, Timeout, number);
  else
    NOTE_END (&mark, EndSend, number, (int64_t) moved, meeting, result);
  if (mine)
    ouf_turn_give (2 * (unsigned) number);
  return result;
}

int
ouf_send (int link, const void *data, size_t bytes)
{
  return send_on (link, "ouf_send", data, bytes, 0, false);
}

int
ouf_tsend (int link, const void *data, size_t bytes, int64_t limit_ns)
{
  return send_on (link, "ouf_tsend", data, bytes, limit_ns, true);
}

/* -- receiving -- */

static int
link_meet (OufLink *l, int64_t until)
{
  uint32_t seen;

  for (;;) {
    seen = atomic_load (&l->word);
    if ((seen & PHASE) == FULL)
      return 0; /* also of a sender that died since: the piece is there */
    if (seen & SENDER_DEAD) {
      link_change (l, &seen, seen & PHASE, IDLE);
      return OUF_DEAD;
    }
    if (link_change (l, &seen, OFFERED, FULL) || link_change (l, &seen, PROMISED, FULL))
      return 0;
    link_change (l, &seen, IDLE, AWAITED);
    if ((seen & PHASE) == AWAITED && !(seen & SENDER_DEAD) && !ouf_futex_wait (&l->word, seen, until)
        && link_change (l, &seen, AWAITED, IDLE))
      return OUF_TIMEOUT;
  }
}

static int
link_take (int number, OufLink *l, uint8_t *data, uint64_t room, int64_t until, int64_t *meeting, uint64_t *moved)
{
  const uint8_t *piece = ouf.pieces + (size_t) number * OUF_PIECE;
  uint64_t wanted, done = 0;
  uint32_t seen;
  bool fits;
  int result = link_meet (l, until);

  *meeting = 0, *moved = 0;
  if (result)
    return result;
  *meeting = (int64_t) l->meetings + 1;
  fits = l->bytes <= room; /* once it is let go, the sender may have the next message there */
  wanted = fits ? l->bytes : room;
  for (;;) {
    size_t n = piece_of (wanted, done);

    if (n)
      memcpy (data + done, piece, n);
    *moved = done += n;
    if (done == wanted)
      break;
    link_change (l, &seen, FULL, EMPTY);
    while (((seen = atomic_load (&l->word)) & PHASE) == EMPTY) {
      if (seen & SENDER_DEAD)
        return OUF_DEAD;
      ouf_futex_wait (&l->word, seen, INT64_MAX);
    }
  }
  l->moved = done;
  l->meetings++;
  seen = atomic_load (&l->word);
  while (!atomic_compare_exchange_weak (&l->word, &seen, with_phase (seen, IDLE) + NEXT))
    continue;
  ouf_futex_wake (&l->word);
  return fits ? 0 : OUF_LONG;
}

static long
receive_on (int number, const char *call, void *data, size_t room, int64_t limit_ns, bool limited)
{
  OufLink *l = link_of (number, false, call);
  int64_t meeting = 0, until;
  uint64_t moved = 0;
  int result = OUF_TIMEOUT;
  OufMark mark = limited ? NOTE_BEGIN (TReceive, number, (int64_t) room, limit_ns)
                         : NOTE_BEGIN (Receive, number, (int64_t) room);

  bool mine;

  until = limited ? limit_date (limit_ns) : INT64_MAX;
  mine = ouf_turn_take (2 * (unsigned) number + 1, until);
  if (mine)
    result = link_take (number, l, data, room, until, &meeting, &moved);
  if (result == OUF_TIMEOUT)
    NOTE_END (&mark, Timeout, number);
  else
    NOTE_END (&mark, EndReceive, number, (int64_t) moved, meeting, result);
  if (mine)
    ouf_turn_give (2 * (unsigned) number + 1);
  return result ? result : (long) moved;
}

long
ouf_receive (int link, void *data, size_t room)
{
  return receive_on (link, "ouf_receive", data, room, 0, false);
}

long
ouf_treceive (int link, void *data, size_t room, int64_t limit_ns)
{
  return receive_on (link, "ouf_treceive", data, room, limit_ns, true);
}

/* -- alternatives -- */

/* The place of a link whose sender waits, looking at them from `from` on; OUF_NONE, OUF_DEAD. */
static int
link_choose (int n, const int *links, unsigned from)
{
  int dead = 0;
  uint32_t seen;

  for (int i = 0; i < n; i++) {
    int k = (int) ((from + (unsigned) i) % (unsigned) n);
    OufLink *l = &ouf.links[links[k]];

    if (atomic_load (&l->word) & SENDER_DEAD)
      dead++;
    else if (link_change (l, &seen, OFFERED, PROMISED) || (seen & PHASE) == PROMISED)
      return k;
  }
  return dead == n ? OUF_DEAD : OUF_NONE;
}

static void
link_watch (int n, const int *links, int one)
{
  for (int i = 0; i < n; i++)
    atomic_fetch_add (&ouf.links[links[i]].watched, (uint32_t) one);
}

static int
link_alternative (int n, const int *links, bool waits)
{
  static _Thread_local unsigned turn;
  const char *call = waits ? "ouf_alt" : "ouf_nalt";
  OufMark mark;
  int chosen;

  if (n < 1 || n > OUF_MAX_ALT)
    ouf_misuse ("%s: needs 1 to %d links, not %d", call, OUF_MAX_ALT, n);
  for (int i = 0; i < n; i++)
    link_of (links[i], false, call);
  mark = note_alternative (waits, n, links);
  chosen = link_choose (n, links, turn++);
  if (chosen == OUF_NONE && waits) {
    link_watch (n, links, 1);
    for (;;) {
      uint32_t seen = atomic_load (&ouf.tasks[ouf.self].arrivals);

      chosen = link_choose (n, links, turn);
      if (chosen != OUF_NONE)
        break;
      ouf_futex_wait (&ouf.tasks[ouf.self].arrivals, seen, INT64_MAX);
    }
    link_watch (n, links, -1);
  }
  NOTE_END (&mark, EndAlt, chosen < 0 ? -1 : links[chosen], chosen < 0 ? -1 : chosen);
  return chosen;
}

int
ouf_alt (int n, const int *links)
{
  return link_alternative (n, links, true);
}

int
ouf_nalt (int n, const int *links)
{
  return link_alternative (n, links, false);
}

/* -- death -- */

void
ouf_link_bury (int task)
{
  /* all links say so before anybody is woken, who may ask the others at once */
  for (int i = 0; i < ouf.n_links; i++)
    atomic_fetch_or (&ouf.links[i].word,
                     (ouf.link[i].from == task ? SENDER_DEAD : 0) | (ouf.link[i].to == task ? RECEIVER_DEAD : 0));
  for (int i = 0; i < ouf.n_links; i++) {
    if (ouf.link[i].from == task || ouf.link[i].to == task)
      ouf_futex_wake (&ouf.links[i].word);
    if (ouf.link[i].from == task) {
      _Atomic uint32_t *arrivals = &ouf.tasks[ouf.link[i].to].arrivals;

      atomic_fetch_add (arrivals, 1);
      ouf_futex_wake (arrivals);
    }
  }
}
