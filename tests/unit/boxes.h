/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.h - small deterministic components for the unit tests, and short names for what every test does.
 * Data are int64 unless a box says otherwise. */
#pragma once
#include <string.h>
#include "eve/eve-host.h"

extern const EveClass box_source;     /* out: `first`, `first` + 1, ... `count` data, then it ends */
extern const EveClass box_sink;       /* in: logged, counted and hashed */
extern const EveClass box_pass;       /* in -> out, with a fire_span */
extern const EveClass box_tiny;       /* the same, with room for one datum and never more */
extern const EveClass box_small;      /* the same, with room for one datum, but it may grow */
extern const EveClass box_add;        /* a, b -> out: a + b */
extern const EveClass box_split;      /* in -> even or odd */
extern const EveClass box_twice;      /* in -> out, out */
extern const EveClass box_every;      /* in -> out: what can be divided by `n` */
extern const EveClass box_hold;       /* value -> out: value * gain; gain (control, async, quiet) */
extern const EveClass box_echo;       /* in (async) -> out: in + 1 */
extern const EveClass box_loop;       /* in -> again: in - 1, or done: 0 when in is 0 */
extern const EveClass box_echo_loop;  /* the same, async */
extern const EveClass box_gate;       /* in -> out while `open` */
extern const EveClass box_proxy;      /* pass, but fires box_proxy_for(): itself at first */
extern const EveClass box_scale;      /* in -> out: in * `by` + number of its firings: to stand in for a proxy */
extern const EveClass box_fuse;       /* pass; fails with two sentences when in is `at` */
extern const EveClass box_greedy;     /* pass; emits in thrice, though it said once; counts what was refused */
extern const EveClass box_rude;       /* in: never takes */
extern const EveClass box_ender;      /* in: summed up; out: the sum, at the end */
extern const EveClass box_any;        /* in -> out, any type */
extern const EveClass box_any_sink;   /* in: any type, counted */
extern const EveClass box_number;     /* in: double, summed up */
extern const EveClass box_pulse;      /* in: pulse, counted */
extern const EveClass box_text;       /* out: `count` texts */
extern const EveClass box_picky;      /* in: refuses every type but int64 */
extern const EveClass box_needy;      /* a, b (required) -> out: a, if b is connected */
extern const EveClass box_things;     /* out: `count` counted things */
extern const EveClass box_thing_pass; /* in -> out, things; with a steal */
extern const EveClass box_thing_sink; /* in: things, summed up */
extern const EveClass box_thing_echo; /* in (async) -> out, things */
extern const EveClass box_caller;     /* out: what is posted to it */
extern const EveClass box_settings;   /* one setting of each kind */

/* A type of counted references: every thing and every reference is counted. */
extern const EveType box_type_thing;
extern int64_t box_things_alive, box_thing_refs;

/* Puts all of these into the registry, once. */
void boxes_register (void);

EveComponent *box (EveProgram *p, const EveClass *klass, const char *name);        /* eve_add, or aborts */
void wire (EveComponent *from, const char *out, EveComponent *to, const char *in); /* eve_connect, or aborts */
void set (EveComponent *c, const char *setting, const char *value);                /* eve_set, or aborts */
void set_int (EveComponent *c, const char *setting, int64_t value);
/* Of a sink: what it took, since the last reset. */
const GArray *box_log (EveComponent *sink);
int64_t box_logged (EveComponent *sink, guint i);
uint64_t box_count (EveComponent *sink);
uint64_t box_hash (EveComponent *sink);
void box_proxy_for (EveComponent *proxy, EveComponent *other); /* NULL: nobody */
uint64_t box_refused (EveComponent *greedy);
double box_sum (EveComponent *number);
/* Emits a value from outside of any firing, by eve_post. */
void box_call (EveComponent *caller, int64_t value);
/* Runs without budget; fails the test unless that ends idle. */
void run_idle (EveProgram *p);
/* Of n rounds those that are done: a tenth where a sanitizer makes them slow (SCOPE_SANITIZED), as the other build does
 * all. */
int box_few (int n);

#define assert_contains(text, part)                                                                                    \
  do {                                                                                                                 \
    const char *in_ = (text);                                                                                          \
    if (in_ == NULL || strstr (in_, part) == NULL)                                                                     \
      g_error ("%s:%d: \"%s\" is not in \"%s\"", __FILE__, __LINE__, part, in_ ? in_ : "(NULL)");                      \
  } while (0)
