/* SPDX-License-Identifier: Apache-2.0 */
/* scopeviz.h - a program shows what it does while it runs, to `scope live` and to the clients of Ocamlviz.
 *
 *   static ScopevizItem *rounds;
 *
 *   int main (void)
 *   {
 *     rounds = scopeviz_point_new ("rounds");
 *     for (;;)
 *       {
 *         scopeviz_point (rounds);
 *         work ();                       // a function that begins with SCOPEVIZ_FUNCTION ();
 *       }
 *   }
 *
 *   cc program.c $(pkg-config --cflags --libs scopeviz) && ./a.out & scope live 127.0.0.1:51000
 *
 * The first item that is made starts a server: a thread of its own, which blocks every signal, so the program gets
 * no EINTR from it.  Any number of clients may come at any time.  A client that reads slowly gets fewer values, the
 * latest ones; it never holds up the program.  If nobody can listen (the port is taken), one sentence goes to
 * stderr and the program runs unobserved.  docs/scopeviz.md is the tour, scopeviz(3) the manual.
 *
 * Every function may be called by any thread, but not by a signal handler (scopeviz_point() may).  Items are never
 * freed: they live as long as the program.  No function that makes an item gives NULL: when memory or the 65531
 * numbers of the protocol are used up, the item works and is not shown.  Names and texts are copied.  They are
 * bytes; UTF-8 is shown best.  Items of the same name are different items. */
#ifndef SCOPEVIZ_H
#define SCOPEVIZ_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCOPEVIZ_API __attribute__ ((visibility ("default")))
#define SCOPEVIZ_PRINTF(at, first) __attribute__ ((format (printf, at, first)))

/* Something that is shown. */
typedef struct ScopevizItem {
  int64_t number; /* private */
} ScopevizItem;

/* -- points: how many times the program came by ---------------------------------------------------------------- */
SCOPEVIZ_API ScopevizItem *scopeviz_point_new (const char *name);

/* The program comes by: one relaxed atomic addition. */
static inline void
scopeviz_point (ScopevizItem *point)
{
  __atomic_fetch_add (&point->number, 1, __ATOMIC_RELAXED);
}

/* ... n times at once. */
static inline void
scopeviz_point_add (ScopevizItem *point, int64_t n)
{
  __atomic_fetch_add (&point->number, n, __ATOMIC_RELAXED);
}

/* -- times: how long the program was inside ---------------------------------------------------------------------
 * scopeviz_time_new(): CPU time (user and system) of the thread that is inside, what clients compare with the CPU
 * time of the whole program.  scopeviz_time_new_wall(): time on the wall, which goes on while the thread waits. */
SCOPEVIZ_API ScopevizItem *scopeviz_time_new (const char *name);
SCOPEVIZ_API ScopevizItem *scopeviz_time_new_wall (const char *name);
/* False, and nothing changes: it runs already; it does not run. */
SCOPEVIZ_API bool scopeviz_time_start (ScopevizItem *time);
SCOPEVIZ_API bool scopeviz_time_stop (ScopevizItem *time);

/* -- values ------------------------------------------------------------------------------------------------------
 * Three ways to give one: _set() whenever it changes; _watch(), whose variable is read once a period by the
 * server's thread (relaxed; it must live until scopeviz_kill()); _call(), whose function is called once a period
 * by the server's thread while a client is connected (it locks what it needs itself, and must not wait long). */
SCOPEVIZ_API ScopevizItem *scopeviz_int_new (const char *name);
SCOPEVIZ_API void scopeviz_int_set (ScopevizItem *value, int64_t number);
SCOPEVIZ_API ScopevizItem *scopeviz_int_watch (const char *name, const int64_t *variable);
SCOPEVIZ_API ScopevizItem *scopeviz_int32_watch (const char *name, const int32_t *variable);
SCOPEVIZ_API ScopevizItem *scopeviz_int_call (const char *name, int64_t (*function) (void *data), void *data);

SCOPEVIZ_API ScopevizItem *scopeviz_float_new (const char *name);
SCOPEVIZ_API void scopeviz_float_set (ScopevizItem *value, double number);
SCOPEVIZ_API ScopevizItem *scopeviz_float_watch (const char *name, const double *variable);
SCOPEVIZ_API ScopevizItem *scopeviz_float_call (const char *name, double (*function) (void *data), void *data);

SCOPEVIZ_API ScopevizItem *scopeviz_bool_new (const char *name);
SCOPEVIZ_API void scopeviz_bool_set (ScopevizItem *value, bool yes);
SCOPEVIZ_API ScopevizItem *scopeviz_bool_watch (const char *name, const bool *variable);
SCOPEVIZ_API ScopevizItem *scopeviz_bool_call (const char *name, bool (*function) (void *data), void *data);

/* A text is at most SCOPEVIZ_TEXT_MAX bytes; the rest is cut off. */
#define SCOPEVIZ_TEXT_MAX 65536
SCOPEVIZ_API ScopevizItem *scopeviz_string_new (const char *name);
SCOPEVIZ_API void scopeviz_string_set (ScopevizItem *value, const char *text);
SCOPEVIZ_API void scopeviz_string_set_n (ScopevizItem *value, const void *text, size_t length);
/* An array of `size` bytes: the text in it ends at a NUL or with the array.  One that is being changed may be seen
 * half new. */
SCOPEVIZ_API ScopevizItem *scopeviz_string_watch (const char *name, const char *array, size_t size);
/* Writes at most `size` bytes (SCOPEVIZ_TEXT_MAX) and gives the length; more than `size` counts as `size`. */
SCOPEVIZ_API ScopevizItem *scopeviz_string_call (const char *name,
                                                 size_t (*function) (void *data, char *room, size_t size), void *data);

/* -- tags: a set of things in memory, how many they are and how large -------------------------------------------- */
#define SCOPEVIZ_COUNT 1u
#define SCOPEVIZ_SIZE 2u
SCOPEVIZ_API ScopevizItem *scopeviz_tag_new (const char *name, unsigned what); /* SCOPEVIZ_COUNT | SCOPEVIZ_SIZE */
SCOPEVIZ_API void scopeviz_tag_add (ScopevizItem *tag, size_t bytes);          /* one more; two atomic additions */
SCOPEVIZ_API void scopeviz_tag_remove (ScopevizItem *tag, size_t bytes);       /* one less */
SCOPEVIZ_API void scopeviz_tag_set (ScopevizItem *tag, int64_t count, int64_t bytes);

/* -- hash tables ------------------------------------------------------------------------------------------------- */
typedef struct ScopevizHash {
  int64_t array, elements, empty, longest; /* places, elements, places without any, elements of the fullest */
} ScopevizHash;
SCOPEVIZ_API ScopevizItem *scopeviz_hash_new (const char *name);
SCOPEVIZ_API void scopeviz_hash_set (ScopevizItem *hash, const ScopevizHash *figures);
SCOPEVIZ_API ScopevizItem *scopeviz_hash_call (const char *name, void (*function) (void *data, ScopevizHash *figures),
                                               void *data);

/* -- trees -------------------------------------------------------------------------------------------------------
 * A function builds the picture, children first; the last node is the root.  A node may be the child of several:
 * it is sent once.  At most 65535 nodes, 65535 children of a node: a tree that is larger is shown as one node that
 * says so. */
typedef struct ScopevizTree ScopevizTree;
SCOPEVIZ_API ScopevizItem *scopeviz_tree_new (const char *name);
SCOPEVIZ_API ScopevizItem *scopeviz_tree_call (const char *name, void (*function) (void *data, ScopevizTree *tree),
                                               void *data);
/* Calls the function at once, in this thread. */
SCOPEVIZ_API void scopeviz_tree_set (ScopevizItem *item, void (*function) (void *data, ScopevizTree *tree), void *data);
/* A node; gives its number.  -1: there are too many, or a child is no earlier node; the tree is then shown as one
 * node that says so. */
SCOPEVIZ_API int scopeviz_tree_node (ScopevizTree *tree, const char *label, size_t children, const int *child);
SCOPEVIZ_API int scopeviz_tree_node_n (ScopevizTree *tree, const void *label, size_t length, size_t children,
                                       const int *child);
/* Or the whole of a structure that is linked by pointers: `label` writes like the function of
 * scopeviz_string_call(), `child` gives the i-th child from 0 on and NULL after the last.  What is reached twice is
 * sent once.  There may be no circle: one is found, and said. */
SCOPEVIZ_API int scopeviz_tree_walk (ScopevizTree *tree, const void *root,
                                     size_t (*label) (const void *node, char *room, size_t size),
                                     const void *(*child) (const void *node, size_t i));

/* -- the log ------------------------------------------------------------------------------------------------------
 * Dated by the CPU time of the program.  A client that comes late gets the newest 200 lines; one that is connected
 * gets all, unless it is more than 65536 lines or 16 MiB behind: it is then told how many it lost. */
SCOPEVIZ_API void scopeviz_log (const char *format, ...) SCOPEVIZ_PRINTF (1, 2);
SCOPEVIZ_API void scopeviz_vlog (const char *format, va_list arguments) SCOPEVIZ_PRINTF (1, 0);
SCOPEVIZ_API void scopeviz_log_n (const void *text, size_t length);

/* -- any item ----------------------------------------------------------------------------------------------------- */
/* Shows it no more; its last value stays.  When this returns, no function of _call() runs or will run for it, and no
 * variable is read (but if the function itself calls this). */
SCOPEVIZ_API void scopeviz_kill (ScopevizItem *item);
/* The same; clients are told that the thing itself is gone. */
SCOPEVIZ_API void scopeviz_collected (ScopevizItem *item);
/* Shown every `milliseconds` at most, a value that is set only when it was set again (0: with every batch, the
 * default). */
SCOPEVIZ_API void scopeviz_period (ScopevizItem *item, unsigned milliseconds);
/* Shown together, as one row. */
SCOPEVIZ_API void scopeviz_bind (ScopevizItem *const *items, size_t n);

/* -- the server --------------------------------------------------------------------------------------------------- */
/* Starts it now rather than with the first item.  Where: "PORT", "HOST:PORT", "[::1]:PORT", "unix:PATH", several with
 * commas between; "off": nowhere; NULL: 127.0.0.1, the port of OCAMLVIZ_PORT, else 51000.  SCOPEVIZ_LISTEN in the
 * environment comes first.  Port 0 takes a free one.  False: nobody can listen (said on stderr), or it runs already. */
SCOPEVIZ_API bool scopeviz_start (const char *where);
/* Sends what is left, waiting half a second at most, and closes.  exit() does this by itself. */
SCOPEVIZ_API void scopeviz_stop (void);
/* Where clients come to, as scopeviz_start() takes it; "" if nowhere.  The text is valid until the server is started
 * again. */
SCOPEVIZ_API const char *scopeviz_where (void);
SCOPEVIZ_API unsigned scopeviz_clients (void); /* connected now */
/* Wait until n clients are connected, until none is; at most the milliseconds, -1: for ever.  False: not in time, or
 * there is no server. */
SCOPEVIZ_API bool scopeviz_wait_for_clients (unsigned n, int milliseconds);
SCOPEVIZ_API bool scopeviz_wait_for_no_clients (int milliseconds);
/* A batch of everything at once: it is on its way to every client that keeps up when this returns. */
SCOPEVIZ_API void scopeviz_send_now (void);
/* For programs that give their values themselves, with _set(): true once a period while a client is connected.
 * Costs one relaxed load if not. */
SCOPEVIZ_API bool scopeviz_due (void);
/* The values that were due are set: sends them. */
SCOPEVIZ_API void scopeviz_done (void);
/* A break point: the Point "scope:break" counts, the log says `why`, and if a client asked for it the calling thread
 * waits until one lets it go on, until the last of those has left, or until the milliseconds are over (-1: never).
 * True: it waited, and a client let it go. */
SCOPEVIZ_API bool scopeviz_break (const char *why, int milliseconds);
/* The heap, instead of what mallinfo2() tells; bytes. */
SCOPEVIZ_API void scopeviz_heap_set (int64_t total, int64_t alive);
SCOPEVIZ_API double scopeviz_elapsed (void); /* CPU seconds of the program */

/* -- macros: a point, a function, a block --------------------------------------------------------------------------
 * With -DSCOPEVIZ_OFF they are nothing.  An item is made when the program first comes by.
 *
 *   SCOPEVIZ_POINT ("retries");    counts
 *   SCOPEVIZ_CALLS ();             first in a function: counts the calls
 *   SCOPEVIZ_FUNCTION ();          ... and the CPU time inside; a recursion counts once.  About a microsecond
 *   SCOPEVIZ_FUNCTION_WALL ();     ... the time on the wall; some 60 ns
 *   SCOPEVIZ_BLOCK ("parse");      first in a block: the same for a block */
typedef struct ScopevizSite {
  ScopevizItem *calls, *time;
} ScopevizSite;

typedef struct ScopevizVisit {
  ScopevizSite *site;
  unsigned *depth;
  int64_t began;
  bool shown; /* is the one that is seen before it ends */
} ScopevizVisit;

/* Of the macros alone. */
SCOPEVIZ_API ScopevizItem *scopeviz_site_point (ScopevizItem **place, const char *name);
SCOPEVIZ_API ScopevizVisit scopeviz_site_enter (ScopevizSite *site, const char *name, unsigned *depth, bool wall);
SCOPEVIZ_API void scopeviz_site_leave (ScopevizVisit *visit);

#ifdef SCOPEVIZ_OFF
#define SCOPEVIZ_POINT(name) ((void) 0)
#define SCOPEVIZ_CALLS() ((void) 0)
#define SCOPEVIZ_BLOCK_(name, wall) ((void) 0)
#else
#define SCOPEVIZ_POINT(name)                                                                                           \
  do {                                                                                                                 \
    static ScopevizItem *scopeviz_here_;                                                                               \
    ScopevizItem *scopeviz_item_ = __atomic_load_n (&scopeviz_here_, __ATOMIC_ACQUIRE);                                \
    scopeviz_point (scopeviz_item_ ? scopeviz_item_ : scopeviz_site_point (&scopeviz_here_, name));                    \
  } while (0)
#define SCOPEVIZ_CALLS() SCOPEVIZ_POINT (__func__)
#define SCOPEVIZ_IN_LINE_(name, wall, line)                                                                            \
  static ScopevizSite scopeviz_site_##line;                                                                            \
  static __thread unsigned scopeviz_depth_##line;                                                                      \
  __attribute__ ((cleanup (scopeviz_site_leave), unused)) ScopevizVisit scopeviz_visit_##line = scopeviz_site_enter (  \
      &scopeviz_site_##line, name, &scopeviz_depth_##line, wall)
#define SCOPEVIZ_LINE_(name, wall, line) SCOPEVIZ_IN_LINE_ (name, wall, line)
#define SCOPEVIZ_BLOCK_(name, wall) SCOPEVIZ_LINE_ (name, wall, __LINE__)
#endif
#define SCOPEVIZ_FUNCTION() SCOPEVIZ_BLOCK_ (__func__, false)
#define SCOPEVIZ_FUNCTION_WALL() SCOPEVIZ_BLOCK_ (__func__, true)
#define SCOPEVIZ_BLOCK(name) SCOPEVIZ_BLOCK_ (name, false)

#ifdef __cplusplus
}
#endif
#endif
