/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - a snapshot of a program's heap (docs/heap-format.md) as a graph, what keeps what alive in it, and how much.
 *
 * Numbers of blocks are those of the file: first the heap's blocks by address, then static data of the program that is
 * reached.  Behind the blocks come nodes that are none: roots, their categories, and one above all.  A graph belongs to
 * one thread at a time.  Words are of `word_bytes` bytes and count headers; static data weigh nothing, as they are not
 * in the heap. */
#pragma once
#include "readers/reader.h"

/* How well the class of a block is known. */
typedef enum {
  HEAP_EXACT,    /* the runtime itself says so */
  HEAP_INFERRED, /* it follows from what the block refers to */
  HEAP_GUESSED,  /* looks so; never shown as a type */
  HEAP_UNKNOWN,  /* no more than its shape */
  N_HEAP_SURE
} HeapSure;
TRACE_API extern const char *const heap_sure_names[N_HEAP_SURE + 1];
TRACE_API extern const char *const heap_root_names[]; /* by HeapRoot.category */

typedef struct HeapClass {
  char *name; /* "string", "closure camlList__map_272", "tag 0, 2 fields" */
  HeapSure sure;
  uint64_t blocks, words;           /* in the heap, dead ones too */
  uint64_t live_blocks, live_words; /* after heap_reach() */
  uint64_t retained;                /* after heap_dominate(): sum of what its blocks retain, each word once */
} HeapClass;
/* For sorting pointers to HeapClass: those of which most lives first, then by name. */
TRACE_API int heap_by_live (gconstpointer a, gconstpointer b);

typedef struct HeapRoot {
  uint32_t category, symbol; /* HEAP_ROOT_*; of a module, or 0 */
  uint32_t block;
} HeapRoot;

/* Where a sampled block was allocated, and a call on the way there. */
typedef struct HeapFrame {
  char *function, *file;   /* or NULL */
  uint32_t line, from, to; /* characters of the line */
} HeapFrame;
typedef struct HeapSample {
  uint32_t block, stack, taken; /* how many of its words were taken: each stands for `sample_words` of INFO */
} HeapSample;
typedef struct HeapSites {
  GArray *frames;        /* of HeapFrame, by number, from 1 */
  GArray *first, *calls; /* of uint32_t: stack s has calls[first[s]] ... calls[first[s + 1] - 1], the innermost first */
  GArray *samples;       /* of HeapSample */
} HeapSites;

typedef struct HeapGraph {
  GHashTable *info;           /* char * -> char *: of INFO and END */
  char *path;                 /* of the file */
  uint32_t n_blocks, n_heap;  /* of these so many are in the heap */
  uint8_t *tag;               /* [n_blocks] */
  uint32_t *words, *class_of; /* [n_blocks]; words with the header, UINT32_MAX: as many or more */
  uint32_t *first, *to;       /* references of block b: to[first[b]] ... to[first[b + 1] - 1] */
  uint32_t n_edges, n_roots;
  HeapRoot *roots;
  GArray *classes;    /* of HeapClass */
  GPtrArray *symbols; /* of char * or NULL, by number */
  uint32_t *weak;     /* ephemerons: block, n, then n: value and keys, number + 1 or 0 */
  size_t n_weak;
  HeapSites *sites;    /* NULL: nothing was sampled */
  uint8_t *live;       /* [n_blocks], after heap_reach(): 1 */
  bool complete;       /* it has its end */
  uint64_t beyond;     /* references to no block, left out */
  uint64_t nothing[3]; /* fields that lead to none by what the file says: outside, to an atom, to what is no more */
  GPtrArray *damage;   /* of char *: sentences */
  uint64_t n_damage;
  char *not_used; /* after heap_dominate(): why results that were kept of this file are computed again; or NULL */
  /* after heap_dominate(), of what is live, in the order of a walk from the top; place 0 is the top */
  uint32_t n_places;
  uint32_t *node, *place; /* [n_places]: what is there; [nodes]: where, or TRACE_NONE */
  uint32_t *dominator;    /* [n_places]: a place */
  uint64_t *retained;     /* [n_places]: words */
  /* nodes that are no blocks: n_blocks + i */
  GArray *tops;                     /* of HeapTop */
  uint32_t *above_first, *above_to; /* what these refer to */
} HeapGraph;

typedef struct HeapTop {
  char *name; /* "globals", "Stdlib.Hashtbl" */
  uint32_t category;
} HeapTop;

/* Beside snapshots: what scope-cmt has written of the types of the program (docs/heap-types.md). */
#define HEAP_TYPES "types"
/* Reads a snapshot, also one that was cut or damaged: `damage` tells what is missing.  Types are told where the file
 * HEAP_TYPES lies beside it.  heap_free(); NULL and a sentence: it is none, cannot be read, or it was cancelled. */
TRACE_API HeapGraph *heap_open (const char *path, const TraceProgress *progress, GError **error);
TRACE_API void heap_free (HeapGraph *h); /* NULL: nothing */
/* Only what stands before the blocks: INFO.  g_hash_table_unref; NULL and a sentence. */
TRACE_API GHashTable *heap_open_info (const char *path, GError **error);
/* Whether a snapshot has its end; a few system calls for each of its sections.  Any thread. */
TRACE_API bool heap_is_whole (const char *path);
/* The snapshots of a data folder NAME.heap, by their numbers: of char *, names of files in it; g_ptr_array_unref.  NULL
 * and a sentence: it cannot be read.  Any thread. */
TRACE_API GPtrArray *heap_list (const char *folder, GError **error);
/* The data folder NAME.heap of a bundle; g_free.  NULL: it has none.  Any thread. */
TRACE_API char *heap_folder (const char *bundle);
/* What a snapshot says of itself and what is in it, compared: sentences about what is not so are added to `to`, of char
 * *; g_free.  After heap_reach() of one that is whole; reads the file.  False and a sentence: it cannot be read. */
TRACE_API bool heap_compare (const HeapGraph *h, const char *path, GPtrArray *to, GError **error);
/* A number of INFO or END; `none` where it is not told. */
TRACE_API uint64_t heap_number (GHashTable *info, const char *key, uint64_t none);
/* What is reached from the roots, and how much of each class that is; ephemerons keep their value if their keys are
 * reached otherwise.  n log n of references and keys, some 0.1 s for 10^6 blocks.  False and a sentence: it was
 * cancelled or there is no memory, and nothing is changed. */
TRACE_API bool heap_reach (HeapGraph *h, const TraceProgress *progress, GError **error);
/* Of what lives, how much is reached from one root alone: from one module, or one category of roots that have none.
 * [number of the top] of HeapGraph.tops, and at 0 what several of them reach: together all that lives.  After
 * heap_reach(); linear in references.  g_array_unref; NULL and a sentence: it was cancelled or there is no memory. */
typedef struct HeapKept {
  uint64_t words, blocks; /* in the heap */
} HeapKept;
TRACE_API GArray *heap_owners (const HeapGraph *h, const TraceProgress *progress, GError **error);
/* Of what lives, where it was allocated, as sampling estimates it: of HeapSite, most words first; each place of the
 * source alone, or those of one function, or one module, together.  After heap_reach(); n log n of samples.
 * g_array_unref; empty: nothing was sampled. */
typedef enum { HEAP_BY_SITE, HEAP_BY_FUNCTION, HEAP_BY_MODULE, N_HEAP_BY } HeapBy;
typedef struct HeapSite {
  char *name;                    /* "List.map (list.ml:92)", "List.map", "List" */
  const HeapFrame *frame;        /* one of them, of the graph; NULL: not known */
  uint64_t words, taken, blocks; /* `words` are an estimate, of which words / sqrt (taken) is the standard error;
                                    `blocks` is how many were sampled */
  double whole_blocks;           /* and how many there are, estimated */
  uint32_t class;                /* that most of them are of */
  uint64_t of_class;             /* of `taken` */
} HeapSite;
TRACE_API GArray *heap_sites (const HeapGraph *h, HeapBy by);
/* What heap_sites() calls that which a call is of; NULL: of a block without a call.  g_free. */
TRACE_API char *heap_site_name (const HeapFrame *f, HeapBy by);
/* The module of which the type is that a class is called by, or its function or exception: "Stdlib.Hashtbl"; "": none,
 * it is built in, or not known.  g_free. */
TRACE_API char *heap_class_module (const char *class);
/* A call of a stack, the innermost at depth 0; NULL: there is none. */
TRACE_API const HeapFrame *heap_call (const HeapSites *s, uint32_t stack, uint32_t depth);
/* Live strings that are there more than once, by their hash: of HeapText *, those first of which most words would be
 * saved.  Linear in strings; reads the file.  After heap_reach(); g_ptr_array_unref; NULL and a sentence: it cannot be
 * read. */
typedef struct HeapText {
  char *text;             /* as much of it as is kept */
  uint64_t copies, words; /* words of each */
  uint32_t block;         /* one of them */
} HeapText;
TRACE_API GPtrArray *heap_duplicates (const HeapGraph *h, const char *path, GError **error);
/* The pieces of memory that the heap consists of, by address: of HeapPiece.  g_array_unref; NULL and a sentence: the
 * file cannot be read. */
typedef struct HeapPiece {
  uint64_t address, words, free_words, free_blocks;
  uint64_t live_words; /* after heap_fill_pieces() */
} HeapPiece;
TRACE_API GArray *heap_pieces (const char *path, GError **error);
/* How much of each piece lives; the rest that is not free is garbage.  After heap_reach(); linear in blocks.  False:
 * blocks and pieces do not go together, and what lives of a piece is not known. */
TRACE_API bool heap_fill_pieces (const HeapGraph *h, GArray *pieces);
/* How full live arrays are, such as the buckets of hash tables, and blocks of many fields: of HeapFill, by class, those
 * with most fields that refer to nothing first.  After heap_reach(); linear in blocks.  g_array_unref. */
#define HEAP_MANY_FIELDS 64
typedef struct HeapFill {
  uint32_t class;
  uint64_t blocks, fields, filled; /* filled: that refer to a block */
} HeapFill;
TRACE_API GArray *heap_fills (const HeapGraph *h);
/* Whether a class is a suspect of a leak: it has become larger over `steps` steps from snapshot to snapshot, and in two
 * of three of them. */
static inline bool
heap_leaks (uint64_t first, uint64_t last, uint64_t grew, uint64_t steps)
{
  return last > first && 3 * grew >= 2 * steps;
}
#define HEAP_MOSTLY 0.8 /* of the words of a suspect, that are kept by one */
/* What would be free without a block: heap_reach() first.  n log n, some 0.5 s for 10^6 blocks and 60 bytes a block
 * meanwhile; of a large snapshot the result is kept in the user's cache, and read from there the next time.  False and
 * a sentence: it was cancelled or there is no memory; what is reached is known then, what is retained is not. */
TRACE_API bool heap_dominate (HeapGraph *h, const TraceProgress *progress, GError **error);
/* How many nodes there are: blocks, and those above them, which are known after heap_reach(). */
static inline uint32_t
heap_nodes (const HeapGraph *h)
{
  return h->n_blocks + (h->tops ? h->tops->len : 0);
}
/* The class of that name, of several one that lives; TRACE_NONE: there is none.  After heap_reach(). */
TRACE_API uint32_t heap_class_named (const HeapGraph *h, const char *name);
/* "string", or what a root is called; of the graph, good until it is freed.  After heap_reach(). */
TRACE_API const char *heap_node_name (const HeapGraph *h, uint32_t node);
/* How well the name of a node is known; roots are exact. */
TRACE_API HeapSure heap_node_sure (const HeapGraph *h, uint32_t node);
/* The shortest way from a root: of uint32_t, nodes from the top down to `block`; g_array_unref.  NULL: nothing keeps
 * it; with an error: it was cancelled, or there is no memory.  After heap_reach(); linear in references. */
TRACE_API GArray *heap_path (const HeapGraph *h, uint32_t block, const TraceProgress *progress, GError **error);
/* The same to the nearest block of a class. */
TRACE_API GArray *heap_path_to_class (const HeapGraph *h, uint32_t class, const TraceProgress *progress,
                                      GError **error);
/* The same to so many of its blocks at most, the nearest first: of GArray; g_ptr_array_unref.  Without an error NULL is
 * not given. */
TRACE_API GPtrArray *heap_paths_to_class (const HeapGraph *h, uint32_t class, guint most, const TraceProgress *progress,
                                          GError **error);
/* Who refers to a block: of uint32_t, a node for each reference, blocks by number, then roots.  After heap_reach();
 * linear in references.  g_array_unref. */
TRACE_API GArray *heap_referrers (const HeapGraph *h, uint32_t block);
/* Where the live blocks of a class gather: down the tree of dominators as long as one place has this share (0..1) of
 * their words at and below it; not along a chain of them, and 32 places at most.  Of uint32_t, places from the top on;
 * g_array_unref.  *words of all of them, *below of those at and below the last place.  After heap_dominate(); linear in
 * blocks.  NULL and a sentence: there is no memory. */
TRACE_API GArray *heap_gathers (const HeapGraph *h, uint32_t class, double share, uint64_t *words, uint64_t *below,
                                GError **error);
/* Which places each place dominates itself: after heap_dominate() of a graph that must outlive it; heap_tree_free(). */
typedef struct HeapTree HeapTree;
TRACE_API HeapTree *heap_tree_new (const HeapGraph *h);
TRACE_API void heap_tree_free (HeapTree *t); /* NULL: nothing */
/* These places, *n of them, most retained first; of the tree.  They are sorted when they are asked for first. */
TRACE_API const uint32_t *heap_tree_below (HeapTree *t, uint32_t place, uint32_t *n);

/* ---- one snapshot that several look at -------------------------------------------------------------------------------------------- */
/* Who looks at snapshots joins, and leaves when it is done: the last that was asked for is kept until all have left.
 * Engine thread only. */
TRACE_API void heap_share_join (void);
TRACE_API void heap_share_leave (void);
/* The snapshot in a file, which must lie in `bundle`, with what is reached in it, and with `retained` what keeps what
 * alive; good until the next call.  It is read anew where the file or its types have changed.  NULL and a sentence. */
TRACE_API HeapGraph *heap_share (const char *path, const char *bundle, bool retained, const TraceProgress *progress,
                                 GError **error);
