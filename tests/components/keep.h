/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - a component that keeps what comes, also what is told while time stands still. */
#pragma once
#include "statistics/types.h"
#include "tests/components/common.h"

typedef struct Keep {
  EveBase base;
  GPtrArray *texts;
  GArray *data;    /* of StatsDatum */
  GByteArray *all; /* of other data that hold no reference, one behind the other */
  uint32_t n;
  StatsTable *table;
} Keep;

static const EveInSpec keep_ins[] = { { "in", NULL, .required = true, .present = true } };

static void
keep_fire (EveComponent *c)
{
  Keep *self = (Keep *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *datum = eve_take (self->base.in[0]);

  self->n++;
  if (type == &eve_type_text)
    g_ptr_array_add (self->texts, g_strdup (*(char *const *) datum));
  else if (type == &stats_type_datum)
    g_array_append_vals (self->data, datum, 1);
  else if (type == &stats_type_table) {
    StatsTable *t = *(StatsTable *const *) datum;
    stats_ref (type, t);
    if (self->table != NULL)
      stats_unref (type, self->table);
    self->table = t;
  } else if (type->retain == NULL)
    g_byte_array_append (self->all, datum, (guint) type->size);
}

static bool
keep_init (EveComponent *c)
{
  ((Keep *) c)->texts = g_ptr_array_new_with_free_func (g_free);
  ((Keep *) c)->data = g_array_new (FALSE, FALSE, sizeof (StatsDatum));
  ((Keep *) c)->all = g_byte_array_new ();
  return true;
}

static void
keep_finish (EveComponent *c)
{
  g_ptr_array_unref (((Keep *) c)->texts);
  g_array_unref (((Keep *) c)->data);
  g_byte_array_unref (((Keep *) c)->all);
  if (((Keep *) c)->table != NULL)
    stats_unref (&stats_type_table, ((Keep *) c)->table);
}

static const EveClass keep_class = {
  EVE_CLASS_HEAD,
  .id = "test.keep",
  .label = "Keep",
  .category = "Test",
  .doc = "Keeps what comes.",
  .version = 1,
  .ins = keep_ins,
  .n_ins = 1,
  .instance_size = sizeof (Keep),
  .init = keep_init,
  .finish = keep_finish,
  .fire = keep_fire,
};

static G_GNUC_UNUSED void
wire (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  g_autoptr (GError) error = NULL;

  eve_connect (p, from, out, to, in, &error);
  g_assert_no_error (error);
}

static G_GNUC_UNUSED Keep *
kept (EveProgram *p, EveComponent *from, const char *out)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("keep %u", eve_n_components (p));
  EveComponent *keep = eve_add (p, &keep_class, name, &error);

  g_assert_no_error (error);
  wire (p, from, out, keep, "in");
  return (Keep *) keep;
}
