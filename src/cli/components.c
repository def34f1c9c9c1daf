/* SPDX-License-Identifier: Apache-2.0 */
/* scope components: what the static tables of the components say; none of them runs. */
#include "cli/cli.h"
#include "eve/number.h"
#include "eve/words.h"
#include <string.h>
#include "cli/text.h"
#include "eve/nearest.h"

static const char *
components_type_name (const EveType *t)
{
  return t ? t->name : "any";
}

static const char *const field_kinds[] = { N_ ("number"), N_ ("integer"), N_ ("true/false"), N_ ("text"),
                                           N_ ("choice") };

/* Default of a setting as text; choices by name. */
static char *
components_default_text (const EveField *f)
{
  switch (f->kind) {
  case EVE_F_DOUBLE: {
    char buf[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup (g_ascii_formatd (buf, sizeof buf, "%.15g", f->def));
  }
  case EVE_F_INT64:
    return g_strdup_printf ("%.0f", f->def);
  case EVE_F_BOOL:
    return g_strdup (f->def != 0 ? "true" : "false");
  case EVE_F_STRING:
    return g_strdup (f->def_text ? f->def_text : "");
  case EVE_F_CHOICE:
    return g_strdup (f->choices[(int) f->def]);
  }
  return g_strdup ("");
}

static void
components_write_json (const EveClass *k, Json *j)
{
  json_open (j, NULL, '{');
  json_text (j, "id", k->id);
  json_text (j, "label", k->label);
  json_text (j, "category", k->category);
  json_text (j, "doc", k->doc);
  json_text (j, "help", k->help);
  json_int (j, "version", k->version);
  json_open (j, "provides", '[');
  for (const char *const *p = k->provides; p && *p; ++p)
    json_text (j, NULL, *p);
  json_close (j, ']');
  json_open (j, "inputs", '[');
  for (uint32_t i = 0; i < k->n_ins; ++i) {
    const EveInSpec *in = &k->ins[i];
    json_open (j, NULL, '{');
    json_text (j, "name", in->name);
    json_text (j, "type", components_type_name (in->type));
    json_text (j, "arrival", in->arrival == EVE_SYNC ? "synchronous" : "asynchronous");
    json_text (j, "role", in->role == EVE_CONTROL ? "control" : "data");
    json_bool (j, "required", in->required);
    json_text (j, "unit", in->unit);
    json_text (j, "doc", in->doc);
    json_close (j, '}');
  }
  json_close (j, ']');
  json_open (j, "outputs", '[');
  for (uint32_t i = 0; i < k->n_outs; ++i) {
    const EveOutSpec *out = &k->outs[i];
    json_open (j, NULL, '{');
    json_text (j, "name", out->name);
    json_text (j, "type", components_type_name (out->type));
    json_text (j, "role", out->role == EVE_CONTROL ? "control" : "data");
    json_text (j, "unit", out->unit);
    json_text (j, "doc", out->doc);
    json_close (j, '}');
  }
  json_close (j, ']');
  json_open (j, "settings", '[');
  for (uint32_t i = 0; i < k->n_settings; ++i) {
    const EveField *f = &k->settings[i];
    g_autofree char *def = components_default_text (f);
    json_open (j, NULL, '{');
    json_text (j, "name", f->name);
    json_text (j, "kind", field_kinds[f->kind]);
    json_text (j, "default", def);
    if (f->min != f->max) {
      json_real (j, "min", f->min);
      json_real (j, "max", f->max);
    }
    if (f->kind == EVE_F_CHOICE) {
      json_open (j, "choices", '[');
      for (const char *const *c = f->choices; *c; ++c)
        json_text (j, NULL, *c);
      json_close (j, ']');
    }
    json_text (j, "unit", f->unit);
    json_text (j, "doc", f->doc);
    json_close (j, '}');
  }
  json_close (j, ']');
  json_close (j, '}');
}

/* What a setting takes: a range, or the choices. */
static char *
range_text (const EveField *f)
{
  if (f->kind == EVE_F_CHOICE)
    return g_strjoinv (", ", (char **) f->choices);
  if ((f->kind == EVE_F_DOUBLE || f->kind == EVE_F_INT64) && f->min != f->max)
    return number_local (g_strdup_printf (_ ("%.15g to %.15g"), f->min, f->max));
  return g_strdup (in_words (field_kinds[f->kind]));
}

static void
components_write_text (const EveClass *k, GString *to)
{
  Table *t;

  g_string_append_printf (to, "%s: %s (%s)\n%s\n", k->id, in_words (k->label), in_words (k->category),
                          in_words (k->doc));
  if (k->n_ins) {
    g_string_append (to, _ ("\nInputs\n"));
    t = table_new ("llll");
    for (uint32_t i = 0; i < k->n_ins; ++i) {
      const EveInSpec *in = &k->ins[i];
      g_autofree char *how = g_strconcat (in->arrival == EVE_SYNC ? C_ ("an input", "waits") : _ ("at once"),
                                          in->role == EVE_CONTROL ? _ (", control") : "",
                                          in->required ? _ (", required") : "", NULL);
      table_row (t, in->name, components_type_name (in->type), how, in->doc ? in_words (in->doc) : "");
    }
    table_print (t, 2, to);
  }
  if (k->n_outs) {
    g_string_append (to, _ ("\nOutputs\n"));
    t = table_new ("lll");
    for (uint32_t i = 0; i < k->n_outs; ++i)
      table_row (t, k->outs[i].name, components_type_name (k->outs[i].type),
                 k->outs[i].doc ? in_words (k->outs[i].doc) : "");
    table_print (t, 2, to);
  }
  if (k->n_settings) {
    g_string_append (to, _ ("\nSettings\n"));
    t = table_new ("llll");
    for (uint32_t i = 0; i < k->n_settings; ++i) {
      const EveField *f = &k->settings[i];
      g_autofree char *def = components_default_text (f), *range = range_text (f);
      g_autofree char *shown = g_strconcat ("= ", *def ? def : "\"\"", f->unit ? " " : "", f->unit ? f->unit : "",
                                            NULL);
      table_row (t, f->name, shown, range, f->doc ? in_words (f->doc) : "");
    }
    table_print (t, 2, to);
  }
  if (k->help)
    g_string_append_printf (to, "\n%s%s", in_words (k->help), g_str_has_suffix (in_words (k->help), "\n") ? "" : "\n");
}

static void
components_offer_classes (void *arg, void (*add) (void *to, const char *name), void *to)
{
  g_autoptr (GPtrArray) all = eve_registry_list ();

  for (guint i = 0; i < all->len; ++i)
    add (to, ((const EveClass *) all->pdata[i])->id);
}

/* By its id, as scope.traffic; by the last word of that, if no other ends so; or by its label, whatever its capitals.
 */
static const EveClass *
find_class (const char *name)
{
  const EveClass *found = eve_registry_find (name), *labelled = NULL;
  g_autoptr (GPtrArray) all = found ? NULL : eve_registry_list ();
  g_autofree char *end = g_strconcat (".", name, NULL);
  unsigned n = 0;

  for (guint i = 0; all && i < all->len; ++i) {
    const EveClass *k = all->pdata[i];
    if (g_str_has_suffix (k->id, end) && n++ == 0)
      found = k;
    if (!labelled && g_ascii_strcasecmp (k->label, name) == 0)
      labelled = k;
  }
  return n > 1 || !found ? labelled : found;
}

static int
components_command (const CliCommand *self, int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, _ ("JSON: an array, or one object with ID"), NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 0, 1))
    return CLI_USAGE;
  cli_load_all_components ();
  g_autoptr (GString) text = g_string_new (NULL);
  Json j = { text, false };
  if (argc == 2) {
    const EveClass *k = find_class (argv[1]);
    if (!k) {
      g_autofree char *nearest = eve_nearest_told (argv[1], components_offer_classes, NULL);
      return cli_fail (argv[1], _ ("there is no such component%s; `scope components` lists them"), nearest);
    }
    if (json) {
      components_write_json (k, &j);
      g_string_append_c (text, '\n');
    } else {
      components_write_text (k, text);
    }
  } else {
    g_autoptr (GPtrArray) all = eve_registry_list ();
    Table *t = table_new ("llll");
    if (json)
      json_open (&j, NULL, '[');
    else
      table_heads (t, N_ ("component"), N_ ("label"), N_ ("category"), N_ ("what it does"));
    for (guint i = 0; i < all->len; ++i) {
      const EveClass *k = all->pdata[i];
      if (json)
        components_write_json (k, &j);
      else
        table_row (t, k->id, in_words (k->label), in_words (k->category), in_words (k->doc));
    }
    if (json)
      json_close (&j, ']');
    table_print (t, 0, text);
    if (json)
      g_string_append_c (text, '\n');
  }
  cli_out (text);
  return CLI_OK;
}

const CliCommand cli_components = {
  "components",
  "[ID]",
  N_ ("Lists the components, or tells the ports and settings of one."),
  "  scope components\n  scope components scope.gate\n",
  components_command,
};
