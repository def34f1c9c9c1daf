/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - names and numbers as labels have them. */
#include <string.h>
#include "document/document.h"
#include "views/paint.h"

char *
scope_menu_label (const char *name)
{
  g_auto (GStrv) pieces = g_strsplit (name, "_", -1);

  return g_strjoinv ("__", pieces);
}

/* "31,104 events": groups of three, as pictures write them. */
char *
scope_number (uint64_t n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);

  return paint_in_threes (digits, false); /* as pictures write them */
}

void
scope_label_say (GtkWidget *label, const char *text)
{
  if (strcmp (gtk_label_get_text (GTK_LABEL (label)), text) != 0)
    gtk_label_set_text (GTK_LABEL (label), text);
}

void
scope_label_wrap_names (GtkWidget *label)
{
  PangoAttrList *attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), attributes);
  pango_attr_list_unref (attributes);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_line_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
}
