/* SPDX-License-Identifier: Apache-2.0 */
/* callbacks.h - what every callback for a record is made of.
 *
 * The library's threads (ahead.c) only note which record it is and what it is given; what comes of it is made later, by
 * the thread that has the tables, with the same arguments.  So what a callback does is written once, as the library
 * calls it. */
#pragma once
#include "readers/otf2/otf2.h"

#define RECORD OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *more
/* What each callback begins with: the lane, the date, and an event of its task. */
#define BEGIN_AT                                                                                                       \
  Lane *l = user;                                                                                                      \
  int64_t date;                                                                                                        \
  if (!otf2_at (l, time, &date))                                                                                       \
  return OTF2_CALLBACK_SUCCESS
#define BEGIN                                                                                                          \
  BEGIN_AT;                                                                                                            \
  TraceEvent e = OTF2_EVENT (date)
#define DONE return l->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS

/* LATER_n (callback, types of its n arguments behind RECORD), behind the callback: what the library is to call. */
#define LATER(callback, members, parameters, keep, give)                                                               \
  typedef struct {                                                                                                     \
    members                                                                                                            \
  } callback##_given;                                                                                                  \
  static void callback##_now (Lane *l, uint64_t time, const void *given)                                               \
  {                                                                                                                    \
    const callback##_given *g = given;                                                                                 \
    callback (l->at->id, time, 0, l, NULL give);                                                                       \
    (void) g;                                                                                                          \
  }                                                                                                                    \
  static OTF2_CallbackCode callback##_later (RECORD parameters)                                                        \
  {                                                                                                                    \
    callback##_given *g = otf2_later (user, callback##_now, time, sizeof *g);                                          \
    keep return OTF2_CALLBACK_SUCCESS;                                                                                 \
  }
#define COMMA ,
#define NOTHING
#define LATER_0(f) LATER (f, char none;, NOTHING, g->none = 0;, NOTHING)
#define LATER_1(f, A) LATER (f, A a;, COMMA A a, g->a = a;, COMMA g->a)
#define LATER_2(f, A, B) LATER (f, A a; B b;, COMMA A a COMMA B b, g->a = a; g->b = b;, COMMA g->a COMMA g->b)
#define LATER_3(f, A, B, C)                                                                                            \
  LATER (f, A a; B b; C c;, COMMA A a COMMA B b COMMA C c, g->a = a; g->b = b; g->c = c;                               \
         , COMMA g->a COMMA g->b COMMA g->c)
#define LATER_4(f, A, B, C, D)                                                                                         \
  LATER (f, A a; B b; C c; D d;, COMMA A a COMMA B b COMMA C c COMMA D d, g->a = a; g->b = b; g->c = c; g->d = d;      \
         , COMMA g->a COMMA g->b COMMA g->c COMMA g->d)
#define LATER_5(f, A, B, C, D, E)                                                                                      \
  LATER (f, A a; B b; C c; D d; E e;, COMMA A a COMMA B b COMMA C c COMMA D d COMMA E e, g->a = a; g->b = b; g->c = c; \
         g->d = d; g->e = e;, COMMA g->a COMMA g->b COMMA g->c COMMA g->d COMMA g->e)
#define LATER_6(f, A, B, C, D, E, F)                                                                                   \
  LATER (f, A a; B b; C c; D d; E e; F f_;, COMMA A a COMMA B b COMMA C c COMMA D d COMMA E e COMMA F f_, g->a = a;    \
         g->b = b; g->c = c; g->d = d; g->e = e; g->f_ = f_;                                                           \
         , COMMA g->a COMMA g->b COMMA g->c COMMA g->d COMMA g->e COMMA g->f_)

#define ON(name, callback) OTF2_EvtReaderCallbacks_Set##name##Callback (c, callback##_later)
/* The same of what is decoded without the library too. */
#define ON_BOTH(name, callback) (ON (name, callback), quick->name = callback##_later)
