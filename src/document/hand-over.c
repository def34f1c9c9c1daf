/* SPDX-License-Identifier: Apache-2.0 */
#include "document/hand-over.h"
#include <errno.h>
#include <string.h>
#include "document/shelf.h"
#include "eve/words.h"
#include "session/places.h"
#include "statistics/types.h"

#define MOST_KINDS 8
#define FILES MOST_KINDS /* the target of a list of files */

static char *folder;    /* of the files that were given; NULL: none was */
static guint n_folders; /* in it: each has its own, so that all keep their names */

static const struct Ending {
  const char *kind, *ending;
} endings[] = {
  { "image/png", ".png" }, { "image/svg+xml", ".svg" }, { "text/csv", ".csv" }, { "text/plain", ".txt" }
};

void
hand_over_end (void)
{
  places_scratch_end (g_steal_pointer (&folder));
}

static char *
document_hand_over_give (const HandOver *h, const char *kind, gsize *n, GError **error)
{
  char *bytes = h->give (h->of, kind, n, error);

  if (bytes && *n > HAND_OVER_MOST) {
    g_free (bytes);
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, _ ("it is larger than %d MiB: export it"),
                 HAND_OVER_MOST >> 20);
    return NULL;
  }
  return bytes;
}

/* ---- as a file: for programs that take nothing else ------------------------------------------------------------------ */
static char *
document_hand_over_file_of (const HandOver *h, GError **error)
{
  const char *ending = "";
  gsize n = 0;
  g_autofree char *bytes = document_hand_over_give (h, h->kinds[0], &n, error);

  if (!bytes)
    return NULL;
  if (!folder && !(folder = places_scratch (NULL, "scope-dragged"))) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", g_get_tmp_dir (), g_strerror (errno));
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (endings); ++i)
    if (g_str_equal (endings[i].kind, h->kinds[0]))
      ending = endings[i].ending;
  g_autofree char *name = h->name (h->of);
  g_strdelimit (name, "/\\\n", '-');
  g_autofree char *number = g_strdup_printf ("%u", ++n_folders), *inside = g_build_filename (folder, number, NULL),
                  *file = g_strdup_printf ("%s%s%s", *name == '.' ? "_" : "", name, ending),
                  *path = g_build_filename (inside, file, NULL);
  g_mkdir_with_parents (inside, 0700);
  return g_file_set_contents (path, bytes, (gssize) n, error) ? g_steal_pointer (&path) : NULL;
}

/* ---- dragged --------------------------------------------------------------------------------------------------------- */
static const HandOver *
of_button (GtkWidget *button)
{
  return g_object_get_data (G_OBJECT (button), "hand-over");
}

static ScopeDocument *
document_of (GtkWidget *button)
{
  return g_object_get_data (G_OBJECT (button), "document");
}

static void
document_hand_over_on_get (GtkWidget *button, GdkDragContext *context, GtkSelectionData *data, guint info, guint time,
                           gpointer unused)
{
  const HandOver *h = of_button (button);
  g_autoptr (GError) error = NULL;
  gsize n = 0;

  if (info == FILES) {
    g_autofree char *path = document_hand_over_file_of (h, &error),
                    *uri = path ? g_filename_to_uri (path, NULL, &error) : NULL;
    char *uris[] = { uri, NULL };
    if (uri)
      gtk_selection_data_set_uris (data, uris);
  } else {
    g_autofree char *bytes = document_hand_over_give (h, h->kinds[info], &n, &error);
    if (bytes)
      gtk_selection_data_set (data, gtk_selection_data_get_target (data), 8, (const guchar *) bytes, (int) n);
  }
  if (error)
    scope_document_say (document_of (button), SCOPE_SAY_WARNING, _ ("It cannot be handed over: %s"), error->message);
}

static void
document_hand_over_on_begin (GtkWidget *button, GdkDragContext *context, gpointer unused)
{
  const HandOver *h = of_button (button);
  g_autofree char *name = h->name (h->of);

  shelf_drag_icon (context, name);
}

/* ---- by the clipboard: all kinds as they are now ---------------------------------------------------------------------- */
typedef struct Copied {
  const char *const *kinds;
  GBytes *bytes[MOST_KINDS];
} Copied;

static void
document_hand_over_on_pasted (GtkClipboard *clipboard, GtkSelectionData *to, guint info, gpointer copied)
{
  gsize n = 0;
  const guchar *bytes = g_bytes_get_data (((Copied *) copied)->bytes[info], &n);

  gtk_selection_data_set (to, gtk_selection_data_get_target (to), 8, bytes, (int) n);
}

static void
document_hand_over_on_other_copied (GtkClipboard *clipboard, gpointer copied)
{
  Copied *c = copied;

  for (guint i = 0; i < MOST_KINDS; ++i)
    if (c->bytes[i])
      g_bytes_unref (c->bytes[i]);
  g_free (c);
}

static void
on_clicked (GtkWidget *button, gpointer unused)
{
  const HandOver *h = of_button (button);
  Copied *c = g_new0 (Copied, 1);
  GtkTargetEntry targets[MOST_KINDS];
  guint n_targets = 0;
  g_autoptr (GError) error = NULL;
  GtkClipboard *clipboard = gtk_clipboard_get (GDK_SELECTION_CLIPBOARD);
  g_autofree char *name = h->name (h->of);

  c->kinds = h->kinds;
  for (guint i = 0; h->kinds[i]; ++i) {
    gsize n = 0;
    char *bytes = document_hand_over_give (h, h->kinds[i], &n, error ? NULL : &error);
    if (bytes) {
      c->bytes[i] = g_bytes_new_take (bytes, n);
      targets[n_targets++] = (GtkTargetEntry){ (char *) h->kinds[i], 0, i };
    }
  }
  if (!n_targets) {
    scope_document_say (document_of (button), SCOPE_SAY_WARNING, _ ("It cannot be handed over: %s"),
                        error ? error->message : "");
    document_hand_over_on_other_copied (clipboard, c);
    return;
  }
  gtk_clipboard_set_with_data (clipboard, targets, n_targets, document_hand_over_on_pasted,
                               document_hand_over_on_other_copied, c);
  gtk_clipboard_set_can_store (clipboard, NULL, 0);
  scope_document_say (document_of (button), SCOPE_SAY_NOTE, _ ("%s is in the clipboard"), name);
}

GtkWidget *
hand_over_new (ScopeDocument *d, const HandOver *h, const char *tip)
{
  GtkWidget *b = gtk_button_new_from_icon_name ("edit-copy-symbolic", GTK_ICON_SIZE_MENU);
  GtkTargetEntry targets[MOST_KINDS + 1];
  guint n = 0;

  for (; h->kinds[n] && n < MOST_KINDS; ++n)
    targets[n] = (GtkTargetEntry){ (char *) h->kinds[n], 0, n };
  targets[n++] = (GtkTargetEntry){ (char *) "text/uri-list", 0, FILES };
  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  gtk_widget_set_focus_on_click (b, FALSE);
  gtk_widget_set_tooltip_text (b, tip);
  atk_object_set_name (gtk_widget_get_accessible (b), tip);
  g_object_set_data_full (G_OBJECT (b), "hand-over", g_memdup2 (h, sizeof *h), g_free);
  g_object_set_data_full (G_OBJECT (b), "document", g_object_ref (d), g_object_unref);
  gtk_drag_source_set (b, GDK_BUTTON1_MASK, targets, (int) n, GDK_ACTION_COPY);
  g_signal_connect (b, "drag-begin", G_CALLBACK (document_hand_over_on_begin), NULL);
  g_signal_connect (b, "drag-data-get", G_CALLBACK (document_hand_over_on_get), NULL);
  g_signal_connect (b, "clicked", G_CALLBACK (on_clicked), NULL);
  return b;
}

/* ---- what is selected --------------------------------------------------------------------------------------------------- */
static const char *
document_hand_over_kind_of (TraceRefType type)
{
  switch (type) {
  case TRACE_REF_TASK:
    return "task";
  case TRACE_REF_OBJECT:
    return "object";
  case TRACE_REF_HOST:
    return "host";
  case TRACE_REF_KIND:
    return "kind";
  case TRACE_REF_LINK:
    return "link";
  case TRACE_REF_MESSAGE:
    return "message";
  case TRACE_REF_EVENT:
    return "event";
  case TRACE_REF_NODE:
    return "node";
  case TRACE_REF_SERIES:
    return "series";
  case TRACE_REF_VALUE:
    return "value";
  default:
    return "";
  }
}

char *
selected_csv (ScopeDocument *d, gsize *n)
{
  const TraceRefs *refs = scope_document_selection (d);
  GString *text = g_string_new ("kind,name,label\n");

  for (uint32_t i = 0; i < trace_refs_n (refs); ++i) {
    TraceRef r = trace_refs_at (refs, i);
    g_autoptr (GString) name = g_string_new (NULL), label = g_string_new (NULL);
    trace_ref_name (r, true, name);
    trace_ref_name (r, false, label);
    g_string_append_printf (text, "%s,", document_hand_over_kind_of (r.type));
    stats_csv_text (text, name->str);
    g_string_append_c (text, ',');
    stats_csv_text (text, label->str);
    g_string_append_c (text, '\n');
  }
  *n = text->len;
  return g_string_free (text, FALSE);
}

char *
selected_text (ScopeDocument *d, gsize *n)
{
  const TraceRefs *refs = scope_document_selection (d);
  GString *text = g_string_new (NULL);

  for (uint32_t i = 0; i < trace_refs_n (refs); ++i) {
    trace_ref_name (trace_refs_at (refs, i), false, text);
    g_string_append_c (text, '\n');
  }
  *n = text->len;
  return g_string_free (text, FALSE);
}
