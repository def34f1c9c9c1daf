/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.h - simple formatted text in a text view: headings, paragraphs, lists, code, *emphasis*, **strong**, `code`,
 * links and pictures.  For help of components and the documentation of bundles; no HTML. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

/* A view for such text; `follow` is told of links that are clicked or entered. */
GtkWidget *markdown_view_new (void (*follow) (void *arg, const char *target), void *arg);
void markdown_clear (GtkWidget *view);
/* Appends text; pictures are looked for in `folder` (NULL: not shown). */
void markdown_append (GtkWidget *view, const char *text, const char *folder);
/* Appends text as it is, in a fixed width. */
void markdown_append_plain (GtkWidget *view, const char *text);
