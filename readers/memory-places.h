/* SPDX-License-Identifier: Apache-2.0 */
/* memory-places.h - what readers of formats that tell allocations share: the program, its variables, and calls in the
 * stacks of allocations as objects of the trace, where one of a name is there once.  One thread at a time. */
#pragma once
#include <string.h>
#include "readers/reader.h"

#define MOST_PLACES 1000000
#define MOST_PLACE_NAME 1000 /* bytes */

typedef struct MemoryPlaces {
  TraceSource *source;
  GHashTable *objects; /* name -> object + 1 */
} MemoryPlaces;

static inline MemoryPlaces *
memory_places_new (TraceSource *s)
{
  MemoryPlaces *p = g_new (MemoryPlaces, 1);

  *p = (MemoryPlaces){ s, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  return p;
}

static inline void
memory_places_free (MemoryPlaces *p)
{
  g_hash_table_unref (p->objects);
  g_free (p);
}

/* Takes the name.  TRACE_NONE: there are too many. */
static inline uint32_t
memory_place_called (MemoryPlaces *p, char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, (gssize) strnlen (name, MOST_PLACE_NAME));
  uint32_t object = GPOINTER_TO_UINT (g_hash_table_lookup (p->objects, valid));

  g_free (name);
  if (object > 0)
    return object - 1;
  if (g_hash_table_size (p->objects) >= MOST_PLACES)
    return TRACE_NONE;
  object = trace_source_add_object (p->source, valid);
  g_hash_table_insert (p->objects, g_steal_pointer (&valid), GUINT_TO_POINTER (object + 1));
  return object;
}

/* "solve (solver.c:12)", of the file without its folders; `file` may be NULL. */
static inline uint32_t
memory_place (MemoryPlaces *p, const char *function, const char *file, uint64_t line)
{
  const char *slash = file ? strrchr (file, '/') : NULL, *base = slash ? slash + 1 : file;

  if (!base || !*base)
    return memory_place_called (p, g_strdup (function));
  if (line == 0)
    return memory_place_called (p, g_strdup_printf ("%s (%s)", function, base));
  return memory_place_called (p, g_strdup_printf ("%s (%s:%" G_GUINT64_FORMAT ")", function, base, line));
}

/* "0x7f0012 (libc.so.6)", of what has no name. */
static inline uint32_t
memory_address (MemoryPlaces *p, uint64_t address, const char *module)
{
  const char *slash = module ? strrchr (module, '/') : NULL, *base = slash ? slash + 1 : module;

  return memory_place_called (
      p,
      g_strdup_printf (base && *base ? "0x%" G_GINT64_MODIFIER "x (%s)" : "0x%" G_GINT64_MODIFIER "x", address, base));
}

/* An amount of memory; gives the object that stands for it in events. */
static inline uint32_t
memory_variable (TraceSource *s, const char *name)
{
  uint32_t type = trace_source_add_type (s, TRACE_VARIABLE, name, "B", TRACE_NONE);

  return ((const TraceType *) s->types->pdata[type])->object;
}

/* The program of a command line, as a task. */
static inline uint32_t
memory_program (TraceSource *s, const char *command)
{
  g_auto (GStrv) words = g_strsplit (*command ? command : "program", " ", 2);
  g_autofree char *base = g_path_get_basename (words[0]), *valid = g_utf8_make_valid (base, -1);

  return trace_source_add_task (s, valid, 0);
}
