/* SPDX-License-Identifier: Apache-2.0 */
/* otf2-alone.c - reads an OTF2 archive as its library gives it, in order of date, and does nothing with it: what
 * opening one is measured against (formats.py).  FOLDER is what otf2-archive.c writes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

static uint64_t locations[1 << 16], n_locations, n_events;

static OTF2_CallbackCode
location (void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t events,
          OTF2_LocationGroupRef group)
{
  (void) user, (void) name, (void) type, (void) events, (void) group;
  if (n_locations < sizeof locations / sizeof *locations)
    locations[n_locations++] = self;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
enter (OTF2_LocationRef l, OTF2_TimeStamp at, void *user, OTF2_AttributeList *more, OTF2_RegionRef region)
{
  (void) l, (void) at, (void) user, (void) more, (void) region;
  n_events++;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
message (OTF2_LocationRef l, OTF2_TimeStamp at, void *user, OTF2_AttributeList *more, uint32_t peer, OTF2_CommRef comm,
         uint32_t tag, uint64_t length)
{
  (void) l, (void) at, (void) user, (void) more, (void) peer, (void) comm, (void) tag, (void) length;
  n_events++;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
unknown (OTF2_LocationRef l, OTF2_TimeStamp at, void *user, OTF2_AttributeList *more)
{
  (void) l, (void) at, (void) user, (void) more;
  n_events++;
  return OTF2_CALLBACK_SUCCESS;
}

int
main (int argc, char **argv)
{
  char path[4096];
  uint64_t n;

  if (argc != 2)
    return 2;
  if (strstr (argv[1], ".otf2"))
    snprintf (path, sizeof path, "%s", argv[1]);
  else
    snprintf (path, sizeof path, "%s/traces.otf2", argv[1]);
  OTF2_Reader *r = OTF2_Reader_Open (path);
  if (!r)
    return 1;
  OTF2_Reader_SetSerialCollectiveCallbacks (r);
  OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader (r);
  OTF2_GlobalDefReaderCallbacks *of_defs = OTF2_GlobalDefReaderCallbacks_New ();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback (of_defs, location);
  OTF2_Reader_RegisterGlobalDefCallbacks (r, defs, of_defs, NULL);
  OTF2_GlobalDefReaderCallbacks_Delete (of_defs);
  OTF2_Reader_ReadAllGlobalDefinitions (r, defs, &n);
  for (uint64_t i = 0; i < n_locations; i++)
    OTF2_Reader_SelectLocation (r, locations[i]);
  OTF2_Reader_OpenDefFiles (r);
  OTF2_Reader_OpenEvtFiles (r);
  for (uint64_t i = 0; i < n_locations; i++) {
    OTF2_DefReader *local = OTF2_Reader_GetDefReader (r, locations[i]);
    if (local) {
      OTF2_Reader_ReadAllLocalDefinitions (r, local, &n);
      OTF2_Reader_CloseDefReader (r, local);
    }
    OTF2_Reader_GetEvtReader (r, locations[i]);
  }
  OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader (r);
  OTF2_GlobalEvtReaderCallbacks *of_events = OTF2_GlobalEvtReaderCallbacks_New ();
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback (of_events, enter);
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback (of_events, enter);
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback (of_events, message);
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback (of_events, message);
  OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback (of_events, unknown);
  OTF2_Reader_RegisterGlobalEvtCallbacks (r, events, of_events, NULL);
  OTF2_GlobalEvtReaderCallbacks_Delete (of_events);
  OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalEvents (r, events, &n);
  OTF2_Reader_Close (r);
  printf ("%" PRIu64 " events of %" PRIu64 " locations\n", n, n_locations);
  return code != OTF2_SUCCESS;
}
