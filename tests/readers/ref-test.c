/* SPDX-License-Identifier: Apache-2.0 */
/* ref-test.c - references: the same thing has one, two things have two; sets against a list that is searched; run
 * states; names. */
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "readers/ref.h"

#define N 3000

static TraceRef
any_ref (GRand *r)
{
  static const char *const words[] = { "Idle", "Busy", "", "a\tb", "\u00fc" };
  uint32_t a = (uint32_t) g_rand_int_range (r, 0, 20), b = (uint32_t) g_rand_int_range (r, 0, 20);
  uint16_t source = (uint16_t) g_rand_int_range (r, 1, 3);

  switch (g_rand_int_range (r, 0, 8)) {
  case 0:
    return trace_ref_task (source, a);
  case 1:
    return trace_ref (TRACE_REF_OBJECT, source, a);
  case 2:
    return trace_ref_link (source, a, b);
  case 3:
    return trace_ref_message (source, a, b, a % 3 ? (int64_t) a * 1000 : INT64_MIN, (int64_t) b << 40);
  case 4:
    return trace_ref_event (source, (uint64_t) a << 40);
  case 5:
    return trace_ref_named (a % 2 ? TRACE_REF_NODE : TRACE_REF_SERIES, source, words[b % 5]);
  case 6:
    return trace_ref_value (words[a % 5], words[b % 5]);
  default:
    return trace_ref (TRACE_REF_KIND, source, b);
  }
}

static void
test_one_each (void)
{
  uint32_t from, to;
  const char *attribute;
  TraceRef link = trace_ref_link (1, 5, 9);

  g_assert_true (trace_ref_same (link, trace_ref_link (1, 5, 9)));
  g_assert_false (trace_ref_same (link, trace_ref_link (1, 9, 5)));
  g_assert_false (trace_ref_same (link, trace_ref_link (2, 5, 9)));
  g_assert_true (trace_ref_ends (link, &from, &to));
  g_assert_cmpuint (from, ==, 5);
  g_assert_cmpuint (to, ==, 9);
  g_assert_true (trace_ref_ends (trace_ref_message (1, 6, 8, 3, 4), &from, &to));
  g_assert_cmpuint (to, ==, 8);
  g_assert_false (trace_ref_ends (trace_ref_task (1, 5), &from, &to));
  g_assert_false (trace_ref_ends ((TraceRef){ 1, TRACE_REF_LINK, UINT32_MAX }, &from, &to));
  g_assert_cmpstr (trace_ref_named_by (trace_ref_value ("State", "Idle"), &attribute), ==, "Idle");
  g_assert_cmpstr (attribute, ==, "State");
  g_assert_cmpstr (trace_ref_named_by (trace_ref_named (TRACE_REF_NODE, 1, "thread 3"), &attribute), ==, "thread 3");
  g_assert_null (attribute);
  g_assert_null (trace_ref_named_by (link, NULL));
  g_assert_false (trace_ref_same (trace_ref_value ("a", "bc"), trace_ref_value ("ab", "c")));
  g_assert_cmpuint (trace_ref_task (1, TRACE_NONE).type, ==, TRACE_REF_NONE);
}

static void
test_names (void)
{
  static const struct {
    TraceRef ref;
    const char *ids, *name;
  } counted[] = { { { 0 }, "", "" } };
  g_autoptr (GString) text = g_string_new (NULL);

  trace_ref_name (counted[0].ref, true, text);
  trace_ref_name (trace_ref_value ("State", "Idle"), true, text);
  g_string_append_c (text, ' ');
  trace_ref_name (trace_ref_value ("State", "Idle"), false, text);
  g_string_append_c (text, ' ');
  trace_ref_name (trace_ref_link (250, 1, 2), true, text); /* of a trace that is closed */
  g_string_append_c (text, ' ');
  trace_ref_name (trace_ref_event (250, 77), false, text);
  g_assert_cmpstr (text->str, ==, "State=Idle State: Idle task 1->task 2 event 77");
}

/* What a set knows of ranges, ends and pairs against a walk over all that is in it, while it changes. */
static void
test_ends (void)
{
  GRand *r = g_rand_new_with_seed (9);
  g_autoptr (TraceRefs) set = trace_refs_new (), out = trace_refs_new ();

  for (int round = 0; round < 400; round++) {
    uint32_t a = (uint32_t) g_rand_int_range (r, 0, 40), b = (uint32_t) g_rand_int_range (r, 0, 40),
             n = (uint32_t) g_rand_int_range (r, 0, 6);
    uint16_t source = (uint16_t) g_rand_int_range (r, 250, 252);
    TraceRef ref = round % 3 == 0   ? trace_ref_task (source, a)
                   : round % 7 == 0 ? trace_ref_value ("State", round % 2 ? "Idle" : "Busy")
                   : round % 5 == 0 ? trace_ref_message (source, a, b, 5, 7)
                                    : trace_ref_link (source, a, b);
    if (g_rand_int_range (r, 0, 3) > 0)
      trace_refs_add (set, ref);
    else
      trace_refs_remove (set, ref);
    bool any = false, from = false, to = false, pair = false;
    uint32_t values = 0;
    for (uint32_t i = 0; i < trace_refs_n (set); i++) {
      TraceRef one = trace_refs_at (set, i);
      uint32_t f, t;
      values += one.type == TRACE_REF_VALUE;
      any |= one.type == TRACE_REF_TASK && one.source == source && one.id >= a && one.id < a + n;
      if (one.source != source || !trace_ref_ends (one, &f, &t))
        continue;
      from |= f >= a && f < a + n;
      to |= t >= a && t < a + n;
      pair |= f == a && t == b;
    }
    TraceRef first = trace_ref_task (source, a);
    g_assert_cmpint (trace_refs_has_any (set, first, n), ==, any);
    g_assert_cmpint (trace_refs_has_end (set, first, n, TRACE_REFS_FROM), ==, from);
    g_assert_cmpint (trace_refs_has_end (set, first, n, TRACE_REFS_TO), ==, to);
    g_assert_cmpint (trace_refs_has_end (set, first, n, TRACE_REFS_BOTH), ==, from || to);
    g_assert_cmpint (trace_refs_has_pair (set, source, a, b), ==, pair);
    g_assert_cmpint (trace_refs_has_type (set, TRACE_REF_VALUE), ==, values > 0);
    g_assert_cmpint (trace_refs_value_at (set, values).type, ==, TRACE_REF_NONE);
    for (uint32_t i = 0; i < values; i++)
      g_assert_cmpint (trace_refs_value_at (set, i).type, ==, TRACE_REF_VALUE);
  }
  for (uint32_t i = 0; i < trace_refs_n (set); i += 2)
    trace_refs_add (out, trace_refs_at (set, i));
  uint32_t n = trace_refs_n (set), half = trace_refs_n (out);
  g_assert_cmpuint (trace_refs_remove_all (set, out), ==, half);
  g_assert_cmpuint (trace_refs_n (set), ==, n - half);
  for (uint32_t i = 0; i < half; i++)
    g_assert_false (trace_refs_has (set, trace_refs_at (out, i)));
  g_assert_cmpuint (trace_refs_remove_all (set, out), ==, 0);
  g_rand_free (r);
}

/* A hundred thousand that are selected, links among them: each of as many marks is one look-up. */
static void
test_many (void)
{
  enum { MANY = 100000 };
  g_autoptr (TraceRefs) set = trace_refs_new (), half = trace_refs_new ();
  uint32_t n = 0;
  gint64 begun = g_get_monotonic_time ();

  for (uint32_t i = 0; i < MANY; i++) {
    TraceRef ref = i % 2 == 0 ? trace_ref_task (251, i) : trace_ref_link (251, i, i + 2);
    trace_refs_add (set, ref);
    if (i % 4 < 2)
      trace_refs_add (half, ref);
  }
  for (uint32_t i = 0; i < MANY; i++)
    n += trace_refs_has_pair (set, 251, i, i + 2) + trace_refs_has_any (set, trace_ref_task (251, i), 1)
         + trace_refs_has_end (set, trace_ref_task (251, i), 1, TRACE_REFS_FROM);
  g_assert_cmpuint (n, ==, MANY / 2 + MANY / 2 + MANY / 2);
  g_assert_cmpuint (trace_refs_remove_all (set, half), ==, MANY / 2);
  /* a walk over all for each would be 10^10 steps, minutes */
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 10 * G_USEC_PER_SEC);
}

/* A set against a list, searched from its beginning. */
static void
test_sets (void)
{
  GRand *r = g_rand_new_with_seed (4);
  g_autoptr (TraceRefs) set = trace_refs_new (), copy = trace_refs_new ();
  TraceRef list[N];
  uint32_t n = 0;

  for (int i = 0; i < 3 * N; i++) {
    TraceRef ref = any_ref (r);
    uint32_t at = 0;
    while (at < n && !trace_ref_same (list[at], ref))
      at++;
    g_assert_cmpint (trace_refs_has (set, ref), ==, at < n);
    if (g_rand_int_range (r, 0, 3) > 0) {
      g_assert_cmpint (trace_refs_add (set, ref), ==, at == n);
      if (at == n)
        list[n++] = ref;
    } else {
      g_assert_cmpint (trace_refs_remove (set, ref), ==, at < n);
      if (at < n) {
        memmove (&list[at], &list[at + 1], (n - at - 1) * sizeof *list);
        n--;
      }
    }
    g_assert_cmpuint (trace_refs_n (set), ==, n);
    if (i % 100 == 0)
      for (uint32_t k = 0; k < n; k++) /* in the order in which they came */
        g_assert_true (trace_ref_same (trace_refs_at (set, k), list[k]));
  }
  for (uint32_t k = n; k-- > 0;)
    trace_refs_add (copy, list[k]);
  g_assert_true (trace_refs_same (set, copy));
  trace_refs_remove (copy, list[0]);
  g_assert_false (trace_refs_same (set, copy));
  trace_refs_clear (set);
  g_assert_cmpuint (trace_refs_n (set), ==, 0);
  g_assert_false (trace_refs_has (set, list[0]));
  g_assert_false (trace_refs_add (set, (TraceRef){ 0 }));
  g_assert_false (trace_refs_has (NULL, list[0]));
  g_assert_true (trace_refs_same (NULL, set));
  g_assert_cmpuint (trace_refs_at (set, 3).type, ==, TRACE_REF_NONE);
  g_rand_free (r);
}

/* What was written is read again, and cut or changed bytes give nothing, or something that can be named. */
static void
test_run_state (void)
{
  GRand *r = g_rand_new_with_seed (6);
  g_autoptr (GString) name = g_string_new (NULL);

  for (int i = 0; i < N; i++) {
    TraceRef ref = any_ref (r), back;
    if (ref.type != TRACE_REF_VALUE)
      ref = trace_ref_task (0, 3); /* nobody has the others' sources here */
    EveBlob *blob = eve_blob_new ();
    size_t n;
    trace_ref_save (NULL, ref, blob);
    const uint8_t *data = eve_blob_data (blob, &n);
    EveBlobView *view = eve_blob_view_new (data, n);
    back = trace_ref_load (NULL, view);
    g_assert_true (trace_ref_same (back, ref));
    eve_blob_view_free (view);
    g_autofree uint8_t *bad = g_memdup2 (data, n);
    if (n > 0)
      bad[g_rand_int_range (r, 0, (int) n)] ^= (uint8_t) g_rand_int_range (r, 1, 256);
    view = eve_blob_view_new (bad, g_rand_boolean (r) ? n : n / 2);
    back = trace_ref_load (NULL, view);
    g_string_truncate (name, 0);
    trace_ref_name (back, i % 2, name);
    eve_blob_view_free (view);
    eve_blob_free (blob);
  }
  g_rand_free (r);
}

/* More traces at once than eight bits count: each has a number of its own, events and references of it say so, and a
 * run state is read back for it. */
static void
test_many_traces (void)
{
  enum { MANY = 1500 };
  g_autofree TraceSource *all = g_new0 (TraceSource, MANY);
  g_autofree bool *seen = g_new0 (bool, UINT16_MAX + 1);
  uint32_t n = 0;

  for (int i = 0; i < MANY; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *bundle = g_strdup_printf ("/nowhere/%d.trace", i);
    trace_source_setup (&all[i], NULL, bundle, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (all[i].number, >, 0);
    g_assert_false (seen[all[i].number]);
    seen[all[i].number] = true;
    all[i].n_kinds = 1;
  }
  for (const TraceSource *s = NULL; (s = trace_source_after (s ? s->number : 0));)
    n += seen[s->number];
  g_assert_cmpuint (n, ==, MANY);
  for (int i = 0; i < MANY; i += 7) {
    TraceEvent e = {
      .date = i, .record = TRACE_RECORD (UINT64_MAX - (uint64_t) i), .number = 5, .source = all[i].number
    };
    TraceRef r = trace_ref_link (e.source, 1, 2);
    EveBlob *blob = eve_blob_new ();
    size_t size;
    g_assert_true (trace_source (e.source) == &all[i]);
    trace_type_event.save (NULL, &e, blob);
    trace_ref_save (NULL, r, blob);
    const void *bytes = eve_blob_data (blob, &size);
    EveBlobView *from = eve_blob_view_new (bytes, size);
    TraceEvent read;
    g_assert_true (trace_type_event.load (NULL, &read, from));
    g_assert_cmpmem (&e, sizeof e, &read, sizeof read);
    g_assert_true (trace_ref_same (trace_ref_load (NULL, from), r));
    eve_blob_view_free (from);
    eve_blob_free (blob);
  }
  for (int i = 0; i < MANY; i++)
    trace_source_clear (&all[i]);
  g_assert_null (trace_source_after (0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ref/one-each", test_one_each);
  g_test_add_func ("/ref/names", test_names);
  g_test_add_func ("/ref/sets", test_sets);
  g_test_add_func ("/ref/ends", test_ends);
  g_test_add_func ("/ref/many", test_many);
  g_test_add_func ("/ref/run-state", test_run_state);
  g_test_add_func ("/ref/many-traces", test_many_traces);
  return g_test_run ();
}
