/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - times that start and stop, and the macros of functions and blocks. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

int64_t
viz_now (clockid_t clock)
{
  struct timespec now;
  if (clock_gettime (clock, &now))
    return 0;
  return now.tv_sec * VIZ_SECOND + now.tv_nsec;
}

double
scopeviz_elapsed (void)
{
  return (double) viz_now (CLOCK_PROCESS_CPUTIME_ID) / (double) VIZ_SECOND;
}

/* A clock that other threads can read too. */
static clockid_t
times_clock_of (const Item *item)
{
  clockid_t clock;
  if (item->wall || pthread_getcpuclockid (pthread_self (), &clock))
    return CLOCK_MONOTONIC;
  return clock;
}

bool
scopeviz_time_start (ScopevizItem *time)
{
  Item *item = (Item *) time;
  clockid_t clock = times_clock_of (item);
  pthread_mutex_lock (&item->lock);
  bool starts = !item->running;
  if (starts) {
    item->running = true;
    item->clock = clock;
    item->started = viz_now (clock);
  }
  pthread_mutex_unlock (&item->lock);
  return starts;
}

bool
scopeviz_time_stop (ScopevizItem *time)
{
  Item *item = (Item *) time;
  pthread_mutex_lock (&item->lock);
  bool stops = item->running;
  if (stops) {
    int64_t now = viz_now (item->clock);
    if (now > item->started) /* else its thread has ended */
      __atomic_fetch_add (&time->number, now - item->started, __ATOMIC_RELAXED);
    item->running = false;
  }
  pthread_mutex_unlock (&item->lock);
  return stops;
}

/* -- sites of the macros
 * ------------------------------------------------------------------------------------------------ */
static pthread_mutex_t sites = PTHREAD_MUTEX_INITIALIZER;

ScopevizItem *
scopeviz_site_point (ScopevizItem **place, const char *name)
{
  pthread_mutex_lock (&sites);
  ScopevizItem *item = __atomic_load_n (place, __ATOMIC_RELAXED);
  if (!item) {
    item = scopeviz_point_new (name);
    __atomic_store_n (place, item, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock (&sites);
  return item;
}

static void
begin_site (ScopevizSite *site, const char *name, bool wall)
{
  pthread_mutex_lock (&sites);
  if (!__atomic_load_n (&site->time, __ATOMIC_RELAXED)) {
    ScopevizItem *both[] = { scopeviz_point_new (name),
                             wall ? scopeviz_time_new_wall (name) : scopeviz_time_new (name) };
    scopeviz_bind (both, 2);
    site->calls = both[0];
    __atomic_store_n (&site->time, both[1], __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock (&sites);
}

ScopevizVisit
scopeviz_site_enter (ScopevizSite *site, const char *name, unsigned *depth, bool wall)
{
  if (!__atomic_load_n (&site->time, __ATOMIC_ACQUIRE))
    begin_site (site, name, wall);
  scopeviz_point (site->calls);
  ScopevizVisit visit = { site, depth, 0, false };
  if ((*depth)++)
    return visit;
  Item *item = (Item *) site->time;
  clockid_t clock = wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  visit.began = viz_now (clock);
  if (pthread_mutex_trylock (&item->lock))
    return visit; /* seen when it ends */
  if (!item->running) {
    visit.shown = item->running = true;
    item->clock = times_clock_of (item);
    item->started = visit.began;
  }
  pthread_mutex_unlock (&item->lock);
  return visit;
}

void
scopeviz_site_leave (ScopevizVisit *visit)
{
  if (--*visit->depth)
    return;
  Item *item = (Item *) visit->site->time;
  int64_t spent = viz_now (item->wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID) - visit->began;
  if (visit->shown)
    pthread_mutex_lock (&item->lock);
  __atomic_fetch_add (&item->face.number, spent, __ATOMIC_RELAXED);
  if (visit->shown) {
    item->running = false;
    pthread_mutex_unlock (&item->lock);
  }
}

void
sites_after_fork (void)
{
  pthread_mutex_init (&sites, NULL);
}
