/* SPDX-License-Identifier: Apache-2.0 */
/* Its tables are good; its instances are not. */
#include <string.h>
#include "tests/bad-plugins/bad.h"
static int finished;
static bool
init (EveComponent *c)
{
  eve_fail (c, "cannot begin: the moon is full");
  return false;
}
static void
finish (EveComponent *c)
{
  finished++;
}
static const void *
query (EveComponent *c, const char *name)
{
  return strcmp (name, "finished") == 0 ? &finished : NULL;
}
static const EveClass bad = { EVE_CLASS_HEAD,
                              .id = "test.fails-in-init",
                              .label = "Fails in init",
                              .category = "Tests",
                              .doc = "Never becomes a box.",
                              .version = 1,
                              .ins = bad_ins,
                              .n_ins = EVE_N (bad_ins),
                              .instance_size = sizeof (Bad),
                              .init = init,
                              .finish = finish,
                              .fire = bad_fire,
                              .query = query };
EVE_PLUGIN (&bad);
