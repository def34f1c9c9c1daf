/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - how events lie in the streams of a CTF trace, as its metadata tell (TSDL of CTF 1.8): sizes, alignments,
 * byte orders, which libbabeltrace2 does not tell of the classes that it makes of them.
 *
 * What is beyond what is understood here makes no layout at all: then the library reads the streams. */
#pragma once
#include <babeltrace2/babeltrace.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "readers/ctf/recognise.h"

typedef enum { NODE_INT, NODE_REAL, NODE_TEXT, NODE_STRUCT, NODE_ARRAY, NODE_SEQUENCE, NODE_VARIANT } NodeIs;

/* What a field of a header or of the context of a packet says of the packet or of the event. */
typedef enum {
  MEANS_NOTHING,
  MEANS_MAGIC,
  MEANS_STREAM,   /* the class of the stream */
  MEANS_INSTANCE, /* and which of these */
  MEANS_EVENT,    /* the class of the event */
  MEANS_BEGIN,
  MEANS_END,
  MEANS_CONTENT, /* bits, as is the next */
  MEANS_PACKET,
  MEANS_DISCARDED,
  MEANS_SEQUENCE, /* of packets */
  N_MEANS
} NodeMeans;

typedef struct Node Node;
typedef struct NodeMember {
  const char *name;  /* as the metadata have it */
  const char *shown; /* as the library calls it; NULL: it does not tell it */
  Node *node;
} NodeMember;

typedef struct NodeRange { /* of an enumeration */
  const char *label;
  int64_t low, high; /* uint64_t, where it has no sign */
} NodeRange;

typedef struct NodeChoice { /* of a variant, by what its tag is */
  int64_t low, high;
  uint32_t member;
} NodeChoice;

struct Node {
  NodeIs is;
  NodeMeans means;
  uint32_t align, size; /* bits; a size of numbers alone */
  bool has_sign, big, is_letter, is_enum, is_uuid;
  bool clock;         /* sets the clock of its stream */
  uint32_t n_members; /* of a structure, or choices of a variant */
  uint32_t ref;    /* of a sequence or a variant: which member beside it has its length, or tells which; NODE_NO_REF */
  uint64_t length; /* of an array */
  uint64_t last;   /* the value that was read last */
  NodeMember *members;
  Node *element;
  const Node *by;              /* what `ref` leads to */
  const char *named;           /* `ref`, while the metadata are read */
  GArray *choices;             /* of NodeChoice */
  GArray *ranges;              /* of NodeRange; belongs to the layout, as all here */
  uint64_t shortest;           /* bits that it takes at least */
  const bt_field_class *class; /* what the library knows of it; NULL: it tells nothing of it */
};
#define NODE_NO_REF UINT32_MAX

typedef struct LayoutEvent {
  uint64_t id, stream;
  Node *context, *fields;      /* NULL: it has none */
  const bt_event_class *class; /* when it is known that the library says the same */
} LayoutEvent;

#define LAYOUT_NEAR 256
typedef struct LayoutStream {
  uint64_t id;
  Node *packet, *header, *context;
  GHashTable *events;             /* id -> LayoutEvent; */
  LayoutEvent *near[LAYOUT_NEAR]; /* some of these, by their id */
  bool compared;                  /* with what the library says */
} LayoutStream;

typedef struct Layout {
  Node *packet_header; /* NULL: none */
  GHashTable *streams; /* id -> LayoutStream */
  GPtrArray *kept;     /* all memory of it, */
  GPtrArray *ranges;   /* and of enumerations */
  GStringChunk *texts;
  uint64_t n_compared; /* labels with choices */
} Layout;

/* Whether the library, which compares each member of a structure, and each label, with those before it, is done with
 * the metadata in good time; *most: how many the largest has. */
bool layout_is_light (const char *folder, uint64_t *most);
/* The layouts in the file `metadata` of a folder; NULL: it has something that is not understood here. */
Layout *layout_read (const char *folder);
void layout_free (Layout *l);
/* What the library calls a field: without the first _ that tracers put before their names. */
static inline const char *
layout_name (const char *name)
{
  return name + (*name == '_');
}
