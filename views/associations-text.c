/* SPDX-License-Identifier: Apache-2.0 */
/* associations-text.c - rules as they were written, and a level of them with one changed. */
#include <string.h>
#include "views/associations-rules.h"

static AssociationsRule
told_rule (const Associations *a, LookLevel level, guint number)
{
  const Rule *r = a->rules[level]->pdata[number];

  return (AssociationsRule){ .level = level,
                             .number = number,
                             .kind = r->kind,
                             .channel = r->channel,
                             .attribute = r->attribute,
                             .view = r->view,
                             .scale = r->scale->str,
                             .counts = associations_nearest (a, r->kind, r->channel, r->view, NULL) == r };
}

void
associations_each_rule (const Associations *a, void (*each) (void *arg, const AssociationsRule *rule), void *arg)
{
  for (int level = LOOK_LEVELS - 1; a != NULL && level >= 0; level--)
    for (guint k = a->rules[level]->len; k-- > 0;) {
      const AssociationsRule rule = told_rule (a, (LookLevel) level, k);
      each (arg, &rule);
    }
}

/* Between quotation marks, as word() reads it. */
static void
put_quoted (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (to, '\\');
    g_string_append_c (to, *text);
  }
  g_string_append_c (to, '"');
}

char *
associations_quoted (const char *value)
{
  GString *to = g_string_new (NULL);

  put_quoted (to, value);
  return g_string_free (to, FALSE);
}

/* A word, between quotation marks where it would be several, or none. */
static void
associations_text_put_word (GString *to, const char *text)
{
  if (*text != '\0' && *text != '"' && *text != '#' && strpbrk (text, " \t\\") == NULL)
    g_string_append (to, text);
  else
    put_quoted (to, text);
}

/* *view: for which one the rule before was. */
static void
put_rule (GString *to, const AssociationsRule *r, const char **view)
{
  if (g_strcmp0 (r->view, *view) != 0) {
    g_string_append (to, "in ");
    if (r->view == NULL)
      g_string_append (to, "all");
    else
      put_quoted (to, r->view); /* a box may be called "all" */
    g_string_append_c (to, '\n');
    *view = r->view;
  }
  g_string_append_printf (to, "%s ", look_kinds[r->kind]);
  associations_text_put_word (to, r->attribute);
  g_string_append_printf (to, " %s\n", look_channels[r->channel]);
  g_auto (GStrv) lines = g_strsplit (r->scale != NULL ? r->scale : "", "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (*g_strstrip (*line) != '\0')
      g_string_append_printf (to, "  %s\n", *line);
}

char *
associations_text (const Associations *a, LookLevel level, int number, const AssociationsRule *rule)
{
  GString *text = g_string_new (HEAD "\n");
  gsize empty = text->len;
  const char *view = NULL;

  for (guint k = 0; a != NULL && k < a->rules[level]->len; k++) {
    const AssociationsRule own = told_rule (a, level, k);
    if ((int) k != number)
      put_rule (text, &own, &view);
    else if (rule != NULL)
      put_rule (text, rule, &view);
  }
  if (number < 0 && rule != NULL)
    put_rule (text, rule, &view);
  if (text->len == empty)
    g_string_truncate (text, 0);
  return g_string_free (text, FALSE);
}
