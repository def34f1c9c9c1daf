/* SPDX-License-Identifier: Apache-2.0 */
/* damage-test.c - files that are not as they should be: what is told, with file and offset, and what is read all the
 * same. */
#include "hand.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

/* Block 0: task 0 at 1 2 3 4 5; block 1: task 1 at 1 2 3; block 2: task 0 at 6 7. */
static Hand *
small (void)
{
  Hand *h = hand_new ();

  h->capacity = 512;
  hand (h, 0, 0, TskBth, 0, 1, 0, 10);
  hand (h, 0, 0, User, 0, 2, 0, 0, 4, hand_word ("user"));
  hand (h, 0, 0, Send, 0, 3, 1, 0, 64);
  hand (h, 0, 0, EndSend, TAPE_Send, 4, 1, 0, 64, 1, 0);
  hand (h, 0, 0, Wait, 0, 5, -1, 0);
  hand (h, 1, 0, TskBth, 0, 1, 0, 11);
  hand (h, 1, 0, Receive, 0, 2, 1, 0, 64);
  hand (h, 1, 0, EndReceive, TAPE_Receive, 3, 1, 0, 64, 1, 0);
  hand_cut (h, 0);
  hand (h, 0, 0, User, 0, 6, 0, 0, 4, hand_word ("user"));
  hand (h, 0, 0, TskDth, 0, 7, 0, 0);
  return h;
}
static const char whole[] =
    "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User, 7 TskDth";

/* What comes out, both ways, and the first sentence; a strict reader stops with it. */
static void
expect (Hand *h, const char *names, uint64_t n_damaged, const char *sentence)
{
  TraceSource *s = hand_open (h);
  g_autoptr (GArray) all = hand_read (s);
  uint64_t damaged = s->n_damaged;
  g_autoptr (GArray) back = hand_read_back (s);
  g_autoptr (GArray) again = hand_read (s);
  g_autoptr (GError) error = NULL;
  TraceOptions strict = { .strict = true };

  expect_text (hand_names (all), names);
  expect_text (hand_names (again), names);
  g_assert_cmpuint (damaged, ==, n_damaged);
  g_assert_cmpuint (s->n_damaged, ==, n_damaged); /* told once, however often it is read */
  expect_text (hand_damage (s, 0), sentence);
  g_assert_cmpuint (back->len, ==, all->len);
  for (guint i = 0; i < all->len; i++)
    g_assert_true (
        hand_same (&g_array_index (back, TraceEvent, i), &g_array_index (all, TraceEvent, all->len - 1 - i)));
  trace_close (s);
  if (sentence == NULL)
    return;
  s = tape_format.open (h->bundle, h->folder, &strict, &error);
  for (TraceEvent e; s != NULL && error == NULL;)
    if (s->format->next (s, &e, 1, &error) == 0)
      break;
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
  g_auto (GStrv) parts = g_strsplit (sentence, ": ", 3);
  g_assert_true (strstr (error->message, parts[2] != NULL ? parts[2] : parts[1]) != NULL);
  if (s != NULL)
    trace_close (s);
}

static void
refused (Hand *h, const char *part)
{
  g_autoptr (GError) error = NULL;
  TraceSource *s = tape_format.open (h->bundle, h->folder, NULL, &error);

  g_assert_null (s);
  g_assert_nonnull (error);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static void
patch16 (Hand *h, uint64_t at, uint16_t v)
{
  hand_patch (h, "events", at, &v, sizeof v);
}

static void
patch32 (Hand *h, const char *file, uint64_t at, uint32_t v)
{
  hand_patch (h, file, at, &v, sizeof v);
}

static void
patch64 (Hand *h, const char *file, uint64_t at, uint64_t v)
{
  hand_patch (h, file, at, &v, sizeof v);
}

static void
test_whole (void)
{
  g_autoptr (Hand) h = small ();

  hand_write (h);
  expect (h, whole, 0, NULL);
}

/* ---- the heads --------------------------------------------------------------------------------------------------- */

static void
test_heads (void)
{
  g_autoptr (Hand) h = small ();

  hand_write (h);
  patch32 (h, "events", 8, 0x01020403);
  refused (h, "events: offset 8: 0x01020403 tells no byte order");
  hand_write (h);
  patch32 (h, "events", 12, 2);
  refused (h, "events: offset 12: version 2 is not known");
  hand_write (h);
  patch64 (h, "events", 24, 0);
  refused (h, "events: offset 24: 0 ticks a second");
  hand_write (h);
  patch64 (h, "events", 40, 65);
  refused (h, "events: offset 40: no block begins at offset 65");
  hand_write (h);
  hand_patch (h, "events", 0, "TAPE EVT", 8);
  refused (h, "events: offset 0: expected “TAPE evt”");
  hand_truncate (h, "events", 63);
  refused (h, "events ends at offset 63, inside its head");
  hand_write (h);
  hand_text (h, "topology", "#TAPE 2\n");
  refused (h, "topology:1:1: expected “#TAPE 1”, found “#TAPE 2”");
  hand_text (h, "topology", "");
  refused (h, "topology is empty");
  g_autofree char *path = g_build_filename (h->folder, "topology", NULL);
  g_unlink (path);
  refused (h, "topology cannot be read: there is no such file");
}

/* Events of the other order, index of ours. */
static void
test_order_marks (void)
{
  g_autoptr (Hand) h = small ();

  hand_write (h);
  patch32 (h, "index", 8, 0x04030201);
  expect (h, whole, 1,
          "index: 8: its byte order is not that of the events; blocks are looked for in the events themselves");
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

#define ENTRY(i) (sizeof (TapeIndexHeader) + (i) * sizeof (TapeIndexEntry))
#define WALK "; blocks are looked for in the events themselves"

/* Whatever the index says, the events are all there. */
static void
test_index (void)
{
  static const struct {
    uint64_t at, value;
    int bytes;
    const char *sentence;
  } cases[] = {
    { 0, 0, 4, "index: 0: expected “TAPE idx”: this is no index" WALK },
    { 12, 9, 4, "index: 12: version 9 is not known" WALK },
    { 16, 78, 8, "index: 16: it belongs to another run than the events" WALK },
    { 28, 40, 4, "index: 28: entries have 40 bytes instead of 48" WALK },
    { ENTRY (0), 1 << 20, 8,
      "index: 32: the entry points at 312 bytes from offset 1048576 on, where events has no block" WALK },
    { ENTRY (1), UINT64_MAX - 7, 8,
      "index: 80: the entry points at 160 bytes from offset 18446744073709551608 on, where events has no block" WALK },
    { ENTRY (1) + 8, 1 << 30, 4,
      "index: 80: the entry points at 1073741824 bytes from offset 1088 on, where events has no block" WALK },
    { ENTRY (2) + 12, 7, 4, "index: 128: the entry is of task 7, which the topology does not name" WALK },
    { ENTRY (0) + 16, 1000, 4, "index: 32: the entry tells 1000 events in 312 bytes" WALK },
    { ENTRY (0) + 24, 6, 8, "index: 32: the entry tells dates from 6 to 5" WALK },
    { ENTRY (0) + 32, 10, 8, "index: 80: the entry comes before the one above it, by task and date" WALK },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Hand) h = small ();
    hand_write (h);
    hand_patch (h, "index", cases[i].at, &cases[i].value, (size_t) cases[i].bytes);
    expect (h, whole, 1, cases[i].sentence);
  }
  g_autoptr (Hand) h = small ();
  hand_write (h);
  hand_truncate (h, "index", ENTRY (2) + 20);
  expect (h, whole, 1, "index: 148: the file ends inside an entry" WALK);
  hand_truncate (h, "index", 9);
  expect (h, whole, 1, "index: 9: the file ends inside its head" WALK);
  g_autofree char *path = g_build_filename (h->folder, "index", NULL);
  g_autofree char *pipe_words = g_strdup_printf ("index: 0: %s is no plain file but a pipe" WALK, path);
  g_assert_true (g_unlink (path) == 0 && mkfifo (path, 0600) == 0);
  expect (h, whole, 1, pipe_words);
}

/* While the program runs, or after it was killed, the index is not complete: no damage. */
static void
test_incomplete (void)
{
  g_autoptr (Hand) h = small ();
  TapeBlock open = { .magic = TAPE_BLOCK_MAGIC, .task = 0, .capacity = 512 };

  hand_write (h);
  patch32 (h, "index", 24, 0);
  expect (h, whole, 0, NULL);
  /* the last block was never closed */
  hand_patch (h, "events", hand_block_at (h, 2), &open, sizeof open);
  expect (h, whole, 0, NULL);
  /* its last event was being written */
  patch16 (h, hand_event_at (h, 2, 1), 0);
  expect (h, "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User", 0, NULL);
}

/* An entry that points at another block of the same task, or whose block says something else. */
static void
test_contradiction (void)
{
  g_autoptr (Hand) h = small ();
  static const char without[] = "1 TskBth, 2 Receive, 3 EndReceive, 6 User, 7 TskDth";

  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 0) + 16, 4);
  expect (h, without, 5, "events: 64: the head of the block contradicts the index; the block is left out");
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 0), 0x11111111);
  expect (h, without, 5, "events: 64: no block begins here, where the index says so");
  hand_write (h);
  patch64 (h, "index", ENTRY (0), hand_block_at (h, 1));
  expect (h, without, 5, "events: 576: the head of the block contradicts the index; the block is left out");
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static void
test_chains (void)
{
  g_autoptr (Hand) h = small ();
  static const char without_user[] =
      "1 TskBth, 1 TskBth, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User, 7 TskDth";

  /* a length that reaches into the next block: what the chain from the tail reaches is saved */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 4096);
  expect (h, without_user, 1, "events: 168: the event reaches beyond its block; 56 bytes are left out");
  /* one that would lead round for ever */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 0);
  expect (h, without_user, 1, "events: 168: the length of the event is none; 56 bytes are left out");
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 20);
  expect (h, without_user, 1, "events: 168: the length of the event is none; 56 bytes are left out");
  /* one that leads into the middle of an event */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 40);
  expect (h, without_user, 2, "events: 168: the event is too short for its fields; it is left out");
  /* a chain back that leads elsewhere: the event is lost from both sides */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 2) + 2, 8);
  expect (h, "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User, 7 TskDth", 1,
          "events: 224: the chain back does not lead to the event before; 0 bytes are left out");
  /* both chains broken, at different places */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 4096);
  patch16 (h, hand_event_at (h, 0, 4) + 2, 4000);
  expect (h, "1 TskBth, 1 TskBth, 2 Receive, 3 EndReceive, 5 Wait, 6 User, 7 TskDth", 3,
          "events: 168: the event reaches beyond its block; 168 bytes are left out");
  /* a tail that lies */
  hand_write (h);
  patch16 (h, hand_event_at (h, 0, 1), 4096);
  patch32 (h, "events", hand_block_at (h, 0) + 20, 1 << 30);
  expect (h, "1 TskBth, 1 TskBth, 2 Receive, 3 EndReceive, 6 User, 7 TskDth", 4,
          "events: 168: the event reaches beyond its block; 208 bytes are left out");
}

/* More events than the head tells; fewer. */
static void
test_counts (void)
{
  g_autoptr (Hand) h = small ();
  uint32_t three = 3, six = 6;

  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 0) + 16, three);
  patch32 (h, "index", ENTRY (0) + 16, three);
  TraceSource *s = hand_open (h);
  g_autoptr (GArray) all = hand_read (s);
  g_assert_cmpuint (all->len, ==, 8);
  expect_text (hand_damage (s, 0),
               "events: 272: there are more events than the head of the block tells; 104 bytes are left out");
  trace_close (s);
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 0) + 16, six);
  patch32 (h, "index", ENTRY (0) + 16, six);
  expect (h, whole, 1, "events: 64: the head of the block tells 6 events, there are 5");
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Only the event itself is left out. */
static void
test_events (void)
{
  static const char without_send[] =
      "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 EndReceive, 4 EndSend, 5 Wait, 6 User, 7 TskDth";
  static const char without_end[] =
      "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 5 Wait, 6 User, 7 TskDth";
  static const char without_user[] =
      "1 TskBth, 1 TskBth, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User, 7 TskDth";
  static const struct {
    uint32_t event, at;
    uint64_t value;
    int bytes;
    const char *names, *sentence;
  } cases[] = {
    { 2, 4, 99, 1, without_send, "events: 224: the event is of a type that is not known; it is left out" },
    { 2, 24, 1, 4, without_send, "events: 224: the event is of another task than its block; it is left out" },
    { 2, 8, 1, 8, without_send, "events: 224: the event is dated before the one before it; it is left out" },
    { 2, 8, 1000, 8, without_send, "events: 224: the event is dated after the end of its block; it is left out" },
    { 2, 16, UINT64_MAX - 1, 8, without_send, "events: 224: the duration of the event is none; it is left out" },
    { 2, 32, 3, 8, without_send, "events: 224: the event names a link that this task does not have; it is left out" },
    { 2, 32, 1, 8, without_send, "events: 224: the event names a link that this task does not have; it is left out" },
    { 2, 32, UINT64_MAX, 8, without_send,
      "events: 224: the event names a link that this task does not have; it is left out" },
    { 2, 40, UINT64_MAX, 8, without_send, "events: 224: the size of the message is below 0; it is left out" },
    { 3, 5, TAPE_Receive, 1, without_end,
      "events: 272: the event ends an action of a type that does not end so; it is left out" },
    { 3, 5, 0, 1, without_end, "events: 272: the event ends an action of a type that does not end so; it is left out" },
    { 3, 16, UINT64_MAX, 8, without_end, "events: 272: the duration of the event is none; it is left out" },
    { 3, 56, UINT64_C (1) << 40, 8, without_end,
      "events: 272: the result of the event is out of range; it is left out" },
    { 1, 40, 9, 8, without_user, "events: 168: the list in the event is longer than the event; it is left out" },
    { 1, 40, UINT64_MAX, 8, without_user,
      "events: 168: the list in the event is longer than the event; it is left out" },
    { 1, 4, TAPE_EndSend, 1, without_user, "events: 168: the event is too short for its fields; it is left out" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Hand) h = small ();
    hand_write (h);
    hand_patch (h, "events", hand_event_at (h, 0, cases[i].event) + cases[i].at, &cases[i].value,
                (size_t) cases[i].bytes);
    expect (h, cases[i].names, 1, cases[i].sentence);
  }
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static void
test_walk (void)
{
  g_autoptr (Hand) h = small ();
  static const char without_b[] = "1 TskBth, 2 User, 3 Send, 4 EndSend, 5 Wait, 6 User, 7 TskDth";

  h->no_index = true;
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 1), 0x11111111);
  expect (h, without_b, 1, "events: 576: no block begins here, where one should");
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 1) + 8, 100);
  expect (h, without_b, 1, "events: 576: no block begins here, where one should");
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 1) + 4, 2);
  expect (h, without_b, 1, "events: 576: the block is of task 2, which the topology does not name");
  hand_write (h);
  patch32 (h, "events", hand_block_at (h, 0) + 12, 4096);
  expect (h, whole, 1, "events: 64: the block has 4096 bytes but room for 512 only");
  hand_write (h);
  patch64 (h, "events", hand_block_at (h, 0) + 24, UINT64_MAX);
  expect (h, whole, 1, "events: 64: the block tells 5 events in 312 bytes, dated -1 to 5");
  /* dates go back from one block to the next */
  hand_write (h);
  patch64 (h, "events", hand_block_at (h, 2) + 24, 4);
  expect (h, "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait", 1,
          "events: 1088: the block begins before the one of offset 64 ends, which has the same task");
}

/* Cut anywhere in the last block: what is whole is read. */
static void
test_truncated (void)
{
  g_autoptr (Hand) h = small ();
  static const char with_user[] =
      "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait, 6 User";
  static const char without[] = "1 TskBth, 1 TskBth, 2 User, 2 Receive, 3 Send, 3 EndReceive, 4 EndSend, 5 Wait";
  uint64_t last = hand_event_at (h, 2, 1);

  g_assert_cmpuint (last, ==, 1208);
  h->no_index = true;
  for (uint64_t size = 1088; size < last + 40; size += 4) {
    g_autofree char *sentence = size < 1088 + 64
                                    ? g_strdup_printf ("events: %u: the file ends inside the head of a block", 1088)
                                    : g_strdup_printf ("events: %" G_GUINT64_FORMAT
                                                       ": the file ends inside the block of offset 1088",
                                                       size);
    hand_write (h);
    hand_truncate (h, "events", size);
    expect (h, size < last ? without : with_user, size > 1088, size > 1088 ? sentence : NULL);
  }
  /* the same with an index, which points outside then */
  h->no_index = false;
  hand_write (h);
  hand_truncate (h, "events", last + 8);
  expect (h, with_user, 2,
          "index: 80: the entry points at 160 bytes from offset 1088 on, where events has no block" WALK);
}

/* ---- the topology ------------------------------------------------------------------------------------------------ */

#define HEAD "#TAPE 1\nprocessor 0 p\nprocessor 1 q\nvirtual 0 0\nvirtual 1 1\ntask 0 0 a\ntask 1 1 b\n"
#define LINKS "link 0 0 1 ab\nlink 1 1 0 ba\nlink 2 0 1 ab2\n"

static void
test_topology (void)
{
  static const struct {
    const char *text;
    uint64_t damaged;
    const char *sentence;
  } cases[] = {
    { HEAD LINKS "thing 1\n", 1, "topology:11:1: “thing” begins no line of a topology" },
    { HEAD LINKS "link 4 0 1 x\n", 1, "topology:11:6: this is link 4, but the next one is 3" },
    { HEAD LINKS "link 3 0 9 x\n", 1, "topology:11:10: there is no task 9 above this line" },
    { HEAD LINKS "link 3 0 0 x\n", 1, "topology:11:10: the link leads from task 0 to itself" },
    { HEAD LINKS "link 3 0 1\n", 1, "topology:11:1: the line ends where a name should be" },
    { HEAD LINKS "task 2 x c\n", 1, "topology:11:8: expected the number of a virtual processor, found “x”" },
    { HEAD LINKS "task 2 7 c\n", 1, "topology:11:8: there is no virtual processor 7 above this line" },
    { HEAD LINKS "virtual 2 5\n", 1, "topology:11:11: there is no processor 5 above this line" },
    { HEAD LINKS "processor 70000 x\n", 1,
      "topology:11:11: “70000” is no number of a processor: it is one from 0 to 65535" },
    { HEAD LINKS "processor 99999999999999999999 x\n", 1,
      "topology:11:11: “99999999999999999999” is no number of a processor: it is one from 0 to 65535" },
    { HEAD LINKS "wire 0 4\n", 1, "topology:11:8: there is no processor 4 above this line" },
    { HEAD LINKS "thread 0 1 x y\n", 1, "topology:11:14: a line of this kind ends before “y”" },
    { HEAD LINKS "machine a\nmachine b\n", 1, "topology:12:1: there is a second machine" },
    { HEAD LINKS "machine \xff\n", 1, "topology:11:9: the name is not UTF-8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Hand) h = small ();
    hand_write (h);
    hand_text (h, "topology", cases[i].text);
    expect (h, whole, cases[i].damaged, cases[i].sentence);
  }
}

/* It leaves out what the events have: a link, a task. */
static void
test_topology_lacks (void)
{
  g_autoptr (Hand) h = small ();

  hand_write (h);
  hand_text (h, "topology", HEAD);
  expect (h, "1 TskBth, 1 TskBth, 2 User, 5 Wait, 6 User, 7 TskDth", 4,
          "events: 224: the event names a link that this task does not have; it is left out");
  /* a link that is there but damaged keeps its number, and cannot be used */
  hand_text (h, "topology", HEAD "link 0 0 5 ab\nlink 1 1 0 ba\nlink 2 0 1 ab2\n");
  TraceSource *s = hand_open (h);
  g_autoptr (GArray) all = hand_read (s);
  g_assert_cmpuint (all->len, ==, 6);
  g_assert_cmpuint (s->objects->len, ==, 3);
  expect_text (hand_damage (s, 0), "topology:8:10: there is no task 5 above this line");
  trace_close (s);
  hand_text (h, "topology", "#TAPE 1\nprocessor 0 p\nvirtual 0 0\ntask 0 0 a\n");
  expect (h, "1 TskBth, 2 User, 5 Wait, 6 User, 7 TskDth", 4,
          "index: 128: the entry is of task 1, which the topology does not name" WALK);
  hand_text (h, "topology", "#TAPE 1\n");
  s = hand_open (h);
  g_assert_cmpuint (s->n_events, ==, 0);
  g_assert_cmpint (s->first, >, s->last);
  TraceEvent e;
  g_assert_cmpuint (s->format->next (s, &e, 1, NULL), ==, 0);
  g_assert_cmpuint (s->format->previous (s, &e, 1, NULL), ==, 0);
  g_assert_true (s->format->seek (s, 5, NULL));
  trace_close (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tape/damage/whole", test_whole);
  g_test_add_func ("/tape/damage/heads", test_heads);
  g_test_add_func ("/tape/damage/order-marks", test_order_marks);
  g_test_add_func ("/tape/damage/index", test_index);
  g_test_add_func ("/tape/damage/incomplete", test_incomplete);
  g_test_add_func ("/tape/damage/contradiction", test_contradiction);
  g_test_add_func ("/tape/damage/chains", test_chains);
  g_test_add_func ("/tape/damage/counts", test_counts);
  g_test_add_func ("/tape/damage/events", test_events);
  g_test_add_func ("/tape/damage/walk", test_walk);
  g_test_add_func ("/tape/damage/truncated", test_truncated);
  g_test_add_func ("/tape/damage/topology", test_topology);
  g_test_add_func ("/tape/damage/topology-lacks", test_topology_lacks);
  return g_test_run ();
}
