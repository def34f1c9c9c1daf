/* SPDX-License-Identifier: Apache-2.0 */
/* paje.h - what the files of the Pajé reader share. */
#pragma once
#include "readers/converted.h"

#define MOST_FIELDS 32
#define MOST_DEFINITIONS 4096

typedef enum {
  DEFINE_CONTAINER,
  DEFINE_STATE,
  DEFINE_EVENT,
  DEFINE_VARIABLE,
  DEFINE_LINK,
  DEFINE_VALUE,
  CREATE,
  DESTROY,
  SET_STATE,
  PUSH_STATE,
  POP_STATE,
  RESET_STATE,
  NEW_EVENT,
  SET_VARIABLE,
  ADD_VARIABLE,
  SUB_VARIABLE,
  START_LINK,
  END_LINK,
  TRACE_FILE,
  N_VERBS
} Verb;

typedef enum { TIME, NAME, ALIAS, TYPE, CONTAINER, VALUE, KEY, START, END, SIZE, COLOUR, OTHER, N_KNOWN = OTHER } Name;

/* A kind of line, as the head of the file defines it. */
typedef struct Definition {
  int64_t number;
  Verb verb;
  uint32_t kind; /* of events, for what happens */
  int n_fields;
  uint8_t names[MOST_FIELDS]; /* Name of each */
} Definition;

typedef struct PajeType {
  uint32_t type; /* of the source */
  TraceTypeKind kind;
  GHashTable *values; /* name or alias -> object + 1; or NULL */
} PajeType;

typedef struct Container {
  uint32_t task;
  uint32_t states; /* the type of its states that are its own, + 1; 0: none yet */
  bool lives;
} Container;

typedef struct Link { /* that has begun, or that has ended before it began */
  TraceEvent event;
  char *value;
  uint32_t n_others; /* fields that only this file has: not kept of links */
  uint64_t line, place;
} Link;

typedef struct Paje {
  Converter *to;
  TraceSource *source;
  Input *in;
  const char *file;
  GHashTable *definitions; /* number -> Definition */
  Definition *open;        /* whose fields are being read */
  GHashTable *types;       /* name or alias -> PajeType */
  GPtrArray *all_types;
  GHashTable *containers; /* name or alias -> Container */
  GPtrArray *all_containers;
  GHashTable *ids;           /* of tasks, to be unlike each other */
  GHashTable *lanes;         /* task and type of states -> task + 1, as 64 bits */
  GHashTable *starts, *ends; /* key of a link -> queue of Link */
  uint32_t n_links;
  char *tokens[MOST_FIELDS + 1];
  size_t lengths[MOST_FIELDS + 1];
  int n_tokens;
} Paje;

/* Tells that the line at hand is damaged. */
void paje_damaged (Paje *p, const char *fmt, ...) G_GNUC_PRINTF (2, 3);
/* The field of the line at hand; NULL: it has none. */
const char *paje_field (const Paje *p, const Definition *d, Name name);

/* ---- links.c: a link is given when both its ends are known -------------------------------------------------------------- */
void paje_free_queue (void *queue);
/* One end of a link of a type, at a container. */
void paje_link (Paje *p, const Definition *d, const Container *c, int64_t date);
/* At the end of the file: those that began or ended alone. */
void paje_half_links (Paje *p);
