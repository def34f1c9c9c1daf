/* SPDX-License-Identifier: Apache-2.0 */
/* callbacks.h - what every callback for a record is made of. */
#pragma once
#include "readers/otf2/otf2.h"

#define RECORD OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *more
/* What each callback begins with: the lane, the date, and an event of its task. */
#define BEGIN                                                                                                          \
  Lane *l = user;                                                                                                      \
  int64_t date;                                                                                                        \
  if (!otf2_at (l, time, &date))                                                                                       \
    return OTF2_CALLBACK_SUCCESS;                                                                                      \
  TraceEvent e = OTF2_EVENT (date)
#define DONE return l->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS

#define ON(name, callback) OTF2_EvtReaderCallbacks_Set##name##Callback (c, callback)
