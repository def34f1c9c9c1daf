/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - records are decoded by threads of their own, each with a reader of its own for some of the locations, and
 * wait as they are until they are taken: in the same order, whoever was quicker.  Without these threads they are
 * decoded when they are wanted. */
#include <pthread.h>
#include <stdlib.h>

#include "readers/otf2/otf2.h"

#define AT_ONCE 128   /* events of one before the next is looked at: what is given is nearly in order then */
#define LEAST_AHEAD 3 /* batches of a location that are decoded, at most, beside the one that is taken; */
#define MOST_AHEAD 16 /* of few locations more, */
#define ALL_AHEAD 64  /* so that there are about so many of all */
#define MOST_THREADS 4
#define LEAST_BYTES (256 << 10) /* of events: fewer are read sooner than threads are there */
#define FIRST_ROOM 4096         /* bytes */

typedef struct Decoder {
  struct Crew *crew;
  OTF2_Reader *reader;
  pthread_t thread;
  pthread_cond_t more; /* is wanted */
  GQueue wanted;       /* of Ahead: a batch more of it, each time that it is here */
  Ahead *at;           /* whose batch is being decoded */
  guint n_running;     /* locations that are not decoded to their end */
  bool sleeps;         /* nothing was wanted */
} Decoder;

struct Crew {
  pthread_mutex_t lock;
  pthread_cond_t ready; /* what is awaited, or a decoder is idle while `rests` */
  const Ahead *awaited; /* by who takes */
  Decoder decoders[MOST_THREADS];
  guint n; /* 0: no threads */
  guint ahead;
  bool stops, rests;
};

/* ---- records ------------------------------------------------------------------------------------------------------------- */

void *
otf2_later_more (Batch *b, size_t bytes)
{
  while (b->room - b->n < bytes)
    b->room *= 2;
  b->bytes = g_realloc (b->bytes, b->room);
  return b->bytes + b->n;
}

/* The library is to read it, from its beginning, and pass over what was given.  False: it cannot. */
static bool
open_reader (Ahead *a)
{
  a->reader = OTF2_Reader_GetEvtReader (a->of, a->at->id);
  if (!a->reader)
    return false;
  OTF2_EvtReader_ApplyClockOffsets (a->reader, converter_uses_offsets (a->o->to));
  OTF2_Reader_RegisterEvtCallbacks (a->of, a->reader, a->callbacks, a);
  a->n_pass = a->n_quick;
  return true;
}

static void
fill_by_library (Ahead *a, Batch *b, uint64_t most)
{
  const uint64_t passed = a->n_pass;
  uint64_t n = 0;

  b->code = OTF2_Reader_ReadLocalEvents (a->of, a->reader, passed + most, &n);
  b->n_events += n - MIN (n, passed);
}

/* Some of them.  No other thread uses this location, or its reader. */
static void
ahead_fill (Ahead *a, Batch *b)
{
  b->n = 0;
  b->n_events = 0;
  b->code = OTF2_SUCCESS;
  a->filled = b;
  QuickEnd end = a->quick ? otf2_quick_read (a->quick, a, AT_ONCE, &b->n_events) : QUICK_GIVES_UP;
  a->n_quick += b->n_events;
  if (a->quick && end == QUICK_GIVES_UP) {
    g_clear_pointer (&a->quick, otf2_quick_free);
    if (!open_reader (a))
      b->code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
  }
  if (a->reader)
    fill_by_library (a, b, AT_ONCE - b->n_events);
  a->n_given += b->n_events;
  b->is_last = b->code != OTF2_SUCCESS || b->n_events < AT_ONCE;
}

static Batch *
spare_batch (Ahead *a)
{
  Batch *b = g_queue_pop_head (&a->spare);

  if (!b) {
    b = g_new0 (Batch, 1);
    b->room = FIRST_ROOM;
    b->bytes = g_malloc (b->room);
  }
  return b;
}

static void
ahead_free_batch (void *p)
{
  Batch *b = p;

  g_free (b->bytes);
  g_free (b);
}

/* ---- threads ------------------------------------------------------------------------------------------------------------- */

static void *
decode_all (void *arg)
{
  Decoder *d = arg;
  Crew *c = d->crew;

  pthread_mutex_lock (&c->lock);
  while (!c->stops) {
    Ahead *a = d->at = g_queue_pop_head (&d->wanted);
    if (!a) {
      d->sleeps = true;
      pthread_cond_wait (&d->more, &c->lock);
      d->sleeps = false;
      continue;
    }
    if (a->is_done)
      continue;
    Batch *b = spare_batch (a);
    pthread_mutex_unlock (&c->lock);
    ahead_fill (a, b);
    pthread_mutex_lock (&c->lock);
    a->is_done = b->is_last;
    d->n_running -= b->is_last;
    g_queue_push_tail (&a->ready, b);
    d->at = NULL;
    if (c->awaited == a || c->rests)
      pthread_cond_signal (&c->ready);
  }
  pthread_mutex_unlock (&c->lock);
  return NULL;
}

static OTF2_Reader *
another_reader (const char *anchor)
{
  OTF2_Reader *r = OTF2_Reader_Open (anchor);

  if (r)
    OTF2_Reader_SetSerialCollectiveCallbacks (r);
  return r;
}

void
otf2_crew_new (Otf2 *o, const char *anchor, uint64_t bytes)
{
  const char *asked = g_getenv ("SCOPE_DECODERS"); /* for tests of what few processors would never do */
  guint processors = g_get_num_processors (),
        most = processors < 2 || bytes < LEAST_BYTES ? 0 : CLAMP (processors / 2, 1, MOST_THREADS);
  Crew *c = g_new0 (Crew, 1);

  most = asked ? (guint) CLAMP (atoi (asked), 0, MOST_THREADS) : most;
  o->crew = c;
  pthread_mutex_init (&c->lock, NULL);
  pthread_cond_init (&c->ready, NULL);
  c->ahead = CLAMP (ALL_AHEAD / MAX (o->all_locations->len, 1), LEAST_AHEAD, MOST_AHEAD);
  for (guint i = 0; i < most; i++) {
    Decoder *d = &c->decoders[i];
    *d = (Decoder){ .crew = c, .reader = i == 0 ? o->reader : another_reader (anchor) };
    g_queue_init (&d->wanted);
    if (!d->reader)
      return;
    pthread_cond_init (&d->more, NULL);
    if (pthread_create (&d->thread, NULL, decode_all, d) != 0) {
      pthread_cond_destroy (&d->more);
      if (i > 0)
        OTF2_Reader_Close (d->reader);
      return;
    }
    c->n++;
  }
}

void
otf2_crew_free (Otf2 *o)
{
  Crew *c = o->crew;

  if (!c)
    return;
  pthread_mutex_lock (&c->lock);
  c->stops = true;
  for (guint i = 0; i < c->n; i++)
    pthread_cond_signal (&c->decoders[i].more);
  pthread_mutex_unlock (&c->lock);
  for (guint i = 0; i < c->n; i++) {
    pthread_join (c->decoders[i].thread, NULL);
    pthread_cond_destroy (&c->decoders[i].more);
    g_queue_clear (&c->decoders[i].wanted);
    if (i > 0)
      OTF2_Reader_Close (c->decoders[i].reader);
  }
  pthread_mutex_destroy (&c->lock);
  pthread_cond_destroy (&c->ready);
  g_free (c);
  o->crew = NULL;
}

guint
otf2_crew_n_readers (const Otf2 *o)
{
  return MAX (o->crew->n, 1);
}

OTF2_Reader *
otf2_crew_reader (const Otf2 *o, guint i)
{
  return i % otf2_crew_n_readers (o) == 0 ? o->reader : o->crew->decoders[i % o->crew->n].reader;
}

/* ---- locations ----------------------------------------------------------------------------------------------------------- */

Ahead *
otf2_ahead_new (Otf2 *o, guint i, const Location *at, OTF2_EvtReaderCallbacks *callbacks, const QuickCalls *calls)
{
  Ahead *a = g_new0 (Ahead, 1);

  a->o = o;
  a->of = otf2_crew_reader (o, i);
  a->at = at;
  a->callbacks = callbacks;
  a->quick = otf2_quick_new (o, at, calls);
  if (!a->quick && !open_reader (a)) {
    g_free (a);
    return NULL;
  }
  a->decoder = o->crew->n ? &o->crew->decoders[i % o->crew->n] : NULL;
  g_queue_init (&a->ready);
  g_queue_init (&a->spare);
  return a;
}

void
otf2_ahead_start (Ahead *a)
{
  Crew *c = a->o->crew;

  if (!a->decoder)
    return;
  pthread_mutex_lock (&c->lock);
  for (guint i = 0; i < c->ahead; i++)
    g_queue_push_tail (&a->decoder->wanted, a);
  a->decoder->n_running++;
  pthread_cond_signal (&a->decoder->more);
  pthread_mutex_unlock (&c->lock);
}

Batch *
otf2_ahead_take (Ahead *a)
{
  Crew *c = a->o->crew;
  Batch *b;

  if (!a->decoder) {
    b = spare_batch (a);
    ahead_fill (a, b);
    return b;
  }
  Decoder *d = a->decoder;
  bool wakes = false;

  pthread_mutex_lock (&c->lock);
  for (c->awaited = a; !(b = g_queue_pop_head (&a->ready)); pthread_cond_wait (&c->ready, &c->lock))
    if (d->sleeps)
      pthread_cond_signal (&d->more);
  c->awaited = NULL;
  if (!a->is_done) {
    g_queue_push_tail (&d->wanted, a);
    /* Who is woken for each batch sleeps again after it, and that takes as long as decoding some: half of them. */
    wakes = d->sleeps && d->wanted.length >= d->n_running * c->ahead / 2;
  }
  pthread_mutex_unlock (&c->lock);
  if (wakes)
    pthread_cond_signal (&d->more);
  return b;
}

void
otf2_ahead_back (Ahead *a, Batch *b)
{
  Crew *c = a->o->crew;

  pthread_mutex_lock (&c->lock);
  g_queue_push_head (&a->spare, b); /* the one that is still in the cache */
  pthread_mutex_unlock (&c->lock);
}

void
otf2_crew_rest (Otf2 *o)
{
  Crew *c = o->crew;

  pthread_mutex_lock (&c->lock);
  c->rests = true;
  for (guint i = 0; i < c->n; i++) {
    g_queue_clear (&c->decoders[i].wanted);
    while (c->decoders[i].at)
      pthread_cond_wait (&c->ready, &c->lock);
    c->decoders[i].n_running = 0;
  }
  c->rests = false;
  pthread_mutex_unlock (&c->lock);
}

void
otf2_ahead_free (Ahead *a)
{
  g_debug ("otf2: location %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " records, %" G_GUINT64_FORMAT
           " of them without the library",
           a->at->id, a->n_given, a->n_quick);
  if (a->reader)
    OTF2_Reader_CloseEvtReader (a->of, a->reader);
  otf2_quick_free (a->quick);
  g_queue_clear_full (&a->ready, ahead_free_batch);
  g_queue_clear_full (&a->spare, ahead_free_batch);
  g_free (a);
}
