/* SPDX-License-Identifier: Apache-2.0 */
/* open-calls-test.c - calls that are open, and names that are unlike each other, beside lists that are searched. */
#include <string.h>

#include "readers/open-calls.h"
#include "readers/unlike.h"

typedef struct Mine {
  OpenCall call; /* the first */
  uint32_t task;
} Mine;

#define TASKS 5
#define NAMES 4

static void
free_mine (OpenCall *c)
{
  g_free (c);
}

/* The last of a list that has this name; -1: none has. */
static int
last_of (const GPtrArray *list, uint32_t name)
{
  for (guint i = list->len; i-- > 0;)
    if (((const Mine *) list->pdata[i])->call.name == name)
      return (int) i;
  return -1;
}

static void
end_one (OpenCalls *all, GPtrArray *list, uint32_t task, uint32_t name)
{
  int at = last_of (list, name);
  OpenCall *c = open_calls_end (all, task, name);

  g_assert_true (c == (at < 0 ? NULL : list->pdata[at]));
  if (at >= 0)
    g_ptr_array_remove_index (list, (guint) at);
  g_free (c);
}

static void
end_all (OpenCalls *all, GPtrArray *list, uint32_t task)
{
  guint i = 0;

  for (OpenCall *c = open_calls_take_all (all, task), *inner; c; c = inner) {
    inner = c->inner;
    g_assert_true (i < list->len && c == list->pdata[i++]);
    g_free (c);
  }
  g_assert_cmpuint (i, ==, list->len);
  g_ptr_array_set_size (list, 0);
}

static void
test_calls (void)
{
  OpenCalls *all = open_calls_new ();
  GPtrArray *lists[TASKS];
  uint32_t n = 0, most = 0;

  for (int i = 0; i < TASKS; i++)
    lists[i] = g_ptr_array_new ();
  for (int i = 0; i < 200000; i++) {
    uint32_t task = (uint32_t) g_test_rand_int_range (0, TASKS), name = (uint32_t) g_test_rand_int_range (0, NAMES);
    int what = g_test_rand_int_range (0, 1000);
    guint before = lists[task]->len;
    if (what == 0) {
      end_all (all, lists[task], task);
    } else if (what < 520) {
      Mine *m = g_new0 (Mine, 1);
      open_calls_begin (all, task, name, &m->call);
      g_ptr_array_add (lists[task], m);
      most = MAX (most, task + 1);
    } else {
      end_one (all, lists[task], task, name);
    }
    n += lists[task]->len - before;
    g_assert_cmpuint (open_calls_n (all), ==, n);
    g_assert_cmpuint (open_calls_tasks (all), ==, most);
  }
  Mine *left = g_new0 (Mine, 1);
  open_calls_begin (all, 0, 0, &left->call); /* is freed with the rest */
  g_assert_null (open_calls_end (all, 1000, 0));
  g_assert_null (open_calls_take_all (all, 1000));
  open_calls_free (all, free_mine);
  for (int i = 0; i < TASKS; i++)
    g_ptr_array_unref (lists[i]);
}

/* The first that is free, from 2 on, as who tries them all would find it. */
static char *
tried (GHashTable *taken, const char *name)
{
  char *own = g_strdup (name);

  for (unsigned n = 2; g_hash_table_contains (taken, own); n++) {
    g_free (own);
    own = g_strdup_printf ("%s (%u)", name, n);
  }
  g_hash_table_add (taken, g_strdup (own));
  return own;
}

static void
test_names (void)
{
  Unlike *taken = unlike_new ();
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (int i = 0; i < 3000; i++) { /* some of which look as if they had got their number here */
    int k = g_test_rand_int_range (0, 4), of = g_test_rand_int_range (2, 900);
    g_autofree char *name = i % 3 == 0 ? g_strdup_printf ("%c (%d)", 'a' + k, of) : g_strdup_printf ("%c", 'a' + k);
    g_assert_true (unlike_is_free (taken, name) == !g_hash_table_contains (all, name));
    g_autofree char *got = unlike_others (taken, name, " (", ")"), *wanted = tried (all, name);
    g_assert_cmpstr (got, ==, wanted);
  }
  unlike_free (taken);
  unlike_free (NULL);
}

/* Many that are alike: who tried from 2 on for each would not come to an end. */
static void
test_alike (void)
{
  Unlike *taken = unlike_new ();

  for (unsigned i = 1; i <= 300000; i++) {
    g_autofree char *got = unlike_others (taken, "x", " ", "");
    g_autofree char *wanted = i == 1 ? g_strdup ("x") : g_strdup_printf ("x %u", i);
    g_assert_cmpstr (got, ==, wanted);
  }
  unlike_free (taken);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/open-calls/at-random", test_calls);
  g_test_add_func ("/unlike/at-random", test_names);
  g_test_add_func ("/unlike/alike", test_alike);
  return g_test_run ();
}
