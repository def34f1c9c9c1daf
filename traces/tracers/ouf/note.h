/* SPDX-License-Identifier: Apache-2.0 */
/* note.h - where the runtime tells what it does.  In libouf these are nothing at all; in libouf-tape note.c
 * writes them into the trace.  Relinking chooses. */
#ifndef OUF_NOTE_H
#define OUF_NOTE_H

#include "region.h"

#ifdef OUF_TAPE
#include "format.h"

/* The beginning of an action, to be handed to its end. */
typedef struct OufMark {
  TapeEvent *event; /* NULL: not recorded */
  int64_t date;
  uint8_t type;
} OufMark;

#define NOTE_WORDS(...)                                                                                                \
  sizeof ((int64_t[]){ __VA_ARGS__ }) / 8, (const int64_t[])                                                           \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
#define NOTE_BEGIN(type, ...) note_begin (TAPE_##type, NOTE_WORDS (__VA_ARGS__))
#define NOTE_END(mark, type, ...) note_end (mark, TAPE_##type, NOTE_WORDS (__VA_ARGS__))
#define NOTE_INSTANT(type, ...) note_instant (TAPE_##type, NOTE_WORDS (__VA_ARGS__))
/* The same for types without fields. */
#define NOTE_BARE_END(mark, type) note_end (mark, TAPE_##type, 0, NULL)
#define NOTE_BARE_INSTANT(type) note_instant (TAPE_##type, 0, NULL)
/* An event with a name behind its fields; `thread` is whose it is. */
#define NOTE_NAMED(type, thread, name, value) note_named (TAPE_##type, thread, value, name)

OufMark note_begin (uint8_t type, unsigned n, const int64_t *field);
OufMark note_alternative (bool waits, int n, const int *links);
void note_end (OufMark *mark, uint8_t type, unsigned n, const int64_t *field);
void note_instant (uint8_t type, unsigned n, const int64_t *field);
void note_named (uint8_t type, int thread, int64_t value, const char *name);
void note_semaphore (int semaphore, int64_t value, const char *name);

/* In main(): begins the trace; false: it cannot be, a sentence has been said. */
bool note_open (int argc, char **argv);
/* In the task. */
void note_task_begin (void);
void note_task_end (int status);
/* In the collecting task: what to poll (-1: nothing), what to do then, the end of a task, of the trace. */
int note_pipe (void);
void note_collect (void);
void note_bury (int task, pid_t pid, int status);
void note_close (int64_t stopped_ns); /* the limit that ended the run; 0: none */

#else

typedef struct OufMark {
  int nothing;
} OufMark;

/* What is told is looked at by the compiler all the same. */
#define NOTE_BEGIN(type, ...) ((void) (int64_t[]){ __VA_ARGS__ }, (OufMark){ 0 })
#define NOTE_END(mark, type, ...) ((void) (mark), (void) (int64_t[]){ __VA_ARGS__ })
#define NOTE_INSTANT(type, ...) ((void) (int64_t[]){ __VA_ARGS__ })
#define NOTE_BARE_END(mark, type) ((void) (mark))
#define NOTE_BARE_INSTANT(type) ((void) 0)
#define NOTE_NAMED(type, thread, name, value) ((void) (name))

static inline OufMark
note_alternative (bool waits, int n, const int *links)
{
  (void) waits, (void) n, (void) links;
  return (OufMark){ 0 };
}

static inline void
note_semaphore (int semaphore, int64_t value, const char *name)
{
  (void) semaphore, (void) value, (void) name;
}

static inline bool
note_open (int argc, char **argv)
{
  (void) argc, (void) argv;
  return true;
}

static inline void
note_task_begin (void)
{
}

static inline void
note_task_end (int status)
{
  (void) status;
}

static inline int
note_pipe (void)
{
  return -1;
}

static inline void
note_collect (void)
{
}

static inline void
note_bury (int task, pid_t pid, int status)
{
  (void) task, (void) pid, (void) status;
}

static inline void
note_close (int64_t stopped_ns)
{
  (void) stopped_ns;
}

#endif
#endif
