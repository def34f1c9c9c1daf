/* SPDX-License-Identifier: Apache-2.0 */
#include "window/markdown.h"
#include "eve/disk.h"
#include <string.h>

#define PICTURE_MAX_PX 640
#define PICTURE_MOST_BYTES (32 * DISK_MIB)

typedef struct View {
  GtkTextView *view;
  GtkTextBuffer *buffer;
  void (*follow) (void *arg, const char *target);
  void *arg;
  const char *folder;
} View;

static View *
of (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), "markdown");
}

static void
markdown_put (View *v, const char *text, gssize n, const char *tag, const char *second)
{
  GtkTextIter end;

  gtk_text_buffer_get_end_iter (v->buffer, &end);
  gtk_text_buffer_insert_with_tags_by_name (v->buffer, &end, text, (int) n, tag ? tag : "text", second, NULL);
}

/* ---- inside a line ---------------------------------------------------------------------------------------------------------- */

static void
put_picture (View *v, const char *name)
{
  g_autofree char *path = v->folder && !strstr (name, "..") ? g_build_filename (v->folder, name, NULL) : NULL;
  size_t n = 0;
  char *bytes = path ? disk_read (path, v->folder, PICTURE_MOST_BYTES, &n, NULL) : NULL;
  g_autoptr (GInputStream) stream = bytes ? g_memory_input_stream_new_from_data (bytes, (gssize) n, g_free) : NULL;
  g_autoptr (GdkPixbuf)
      picture = stream ? gdk_pixbuf_new_from_stream_at_scale (stream, PICTURE_MAX_PX, PICTURE_MAX_PX, TRUE, NULL, NULL)
                       : NULL;
  GtkTextIter end;

  if (!picture) {
    markdown_put (v, name, -1, "code", NULL);
    return;
  }
  gtk_text_buffer_get_end_iter (v->buffer, &end);
  gtk_text_buffer_insert_pixbuf (v->buffer, &end, picture);
}

static void
markdown_put_link (View *v, const char *label, gssize n, const char *target, const char *block)
{
  GtkTextTag *tag = gtk_text_buffer_create_tag (v->buffer, NULL, "underline", PANGO_UNDERLINE_SINGLE, NULL);
  GdkRGBA colour;
  GtkTextIter from, end;
  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (v->view)), GTK_STATE_FLAG_LINK, &colour);
  g_object_set (tag, "foreground-rgba", &colour, NULL);
  g_object_set_data_full (G_OBJECT (tag), "target", g_strdup (target), g_free);
  int at = gtk_text_buffer_get_char_count (v->buffer);
  markdown_put (v, label, n, block, NULL);
  gtk_text_buffer_get_iter_at_offset (v->buffer, &from, at);
  gtk_text_buffer_get_end_iter (v->buffer, &end);
  gtk_text_buffer_apply_tag (v->buffer, tag, &from, &end);
}

/* [label](target), the first character being '['; gives what follows it, or NULL: it is none. */
static const char *
markdown_link_at (const char *s, const char **label_end, char **target)
{
  const char *close = strchr (s, ']'), *paren = close && close[1] == '(' ? strchr (close, ')') : NULL;

  if (!paren)
    return NULL;
  *label_end = close;
  *target = g_strndup (close + 2, (gsize) (paren - close - 2));
  return paren + 1;
}

static void
put_inline (View *v, const char *s, const char *block)
{
  const char *run = s;

  while (*s) {
    const char *close = NULL, *after = NULL, *label_end = NULL;
    g_autofree char *target = NULL;
    size_t mark = 1;
    const char *tag = NULL;

    if (*s == '`')
      close = strchr (s + 1, '`'), tag = "code";
    else if (strncmp (s, "**", 2) == 0)
      close = strstr (s + 2, "**"), tag = "strong", mark = 2;
    else if (*s == '*' && s[1] != ' ')
      close = strchr (s + 1, '*'), tag = "emphasis";
    else if (*s == '!' && s[1] == '[')
      after = markdown_link_at (s + 1, &label_end, &target);
    else if (*s == '[')
      after = markdown_link_at (s, &label_end, &target);
    if (!after && !(close && close > s + mark)) {
      ++s;
      continue;
    }
    markdown_put (v, run, s - run, block, NULL);
    if (!after) {
      markdown_put (v, s + mark, close - s - (gssize) mark, block, tag);
      after = close + mark;
    } else if (*s == '!')
      put_picture (v, target);
    else
      markdown_put_link (v, s + 1, label_end - s - 1, target, block);
    run = s = after;
  }
  markdown_put (v, run, s - run, block, NULL);
}

/* ---- lines ------------------------------------------------------------------------------------------------------------------------ */

static void
end_paragraph (View *v, GString *paragraph, const char *block)
{
  if (paragraph->len) {
    put_inline (v, paragraph->str, block);
    markdown_put (v, "\n", 1, block, NULL);
  }
  g_string_truncate (paragraph, 0);
}

void
markdown_append (GtkWidget *widget, const char *text, const char *folder)
{
  View *v = of (widget);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);
  g_autoptr (GString) paragraph = g_string_new (NULL);
  const char *block = "text";
  bool code = false;

  v->folder = folder;
  for (char **l = lines; *l; ++l) {
    char *line = g_strchomp (*l);
    char *bare = line + strspn (line, " ");
    int level = (int) strspn (line, "#");
    bool fence = g_str_has_prefix (bare, "```");

    if (fence || code) {
      end_paragraph (v, paragraph, block);
      if (!fence) {
        markdown_put (v, line, -1, "block", NULL);
        markdown_put (v, "\n", 1, "block", NULL);
      }
      code ^= fence;
      continue;
    }
    if (!*bare) {
      end_paragraph (v, paragraph, block);
      block = "text";
    } else if (level && line[level] == ' ') {
      end_paragraph (v, paragraph, block);
      block = "text";
      put_inline (v, line + level + 1, level == 1 ? "heading1" : level == 2 ? "heading2" : "heading3");
      markdown_put (v, "\n", 1, "text", NULL);
    } else if ((bare[0] == '-' || bare[0] == '*') && bare[1] == ' ') {
      end_paragraph (v, paragraph, block);
      block = "list";
      g_string_append_printf (paragraph, "•  %s", bare + 2);
    } else if (bare - line >= 4 && !paragraph->len) {
      markdown_put (v, line + 4, -1, "block", NULL);
      markdown_put (v, "\n", 1, "block", NULL);
    } else
      g_string_append_printf (paragraph, "%s%s", paragraph->len ? " " : "", bare);
  }
  end_paragraph (v, paragraph, block);
  v->folder = NULL;
}

void
markdown_append_plain (GtkWidget *widget, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  markdown_put (of (widget), valid, -1, "block", NULL);
}

void
markdown_clear (GtkWidget *widget)
{
  gtk_text_buffer_set_text (of (widget)->buffer, "", 0);
}

/* ---- links --------------------------------------------------------------------------------------------------------------------- */

static const char *
target_at (View *v, double x, double y)
{
  GtkTextIter at;
  int bx, by;
  const char *target = NULL;

  gtk_text_view_window_to_buffer_coords (v->view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &bx, &by);
  if (!gtk_text_view_get_iter_at_location (v->view, &at, bx, by))
    return NULL;
  GSList *tags = gtk_text_iter_get_tags (&at);
  for (GSList *t = tags; t && !target; t = t->next)
    target = g_object_get_data (t->data, "target");
  g_slist_free (tags);
  return target;
}

static gboolean
markdown_on_release (GtkWidget *widget, GdkEventButton *event, View *v)
{
  const char *target = event->button == 1 && !gtk_text_buffer_get_has_selection (v->buffer)
                           ? target_at (v, event->x, event->y)
                           : NULL;

  if (target && v->follow) {
    g_autofree char *copy = g_strdup (target);
    v->follow (v->arg, copy);
  }
  return GDK_EVENT_PROPAGATE;
}

static gboolean
markdown_on_motion (GtkWidget *widget, GdkEventMotion *event, View *v)
{
  GdkWindow *window = gtk_text_view_get_window (v->view, GTK_TEXT_WINDOW_TEXT);
  g_autoptr (GdkCursor) cursor = gdk_cursor_new_from_name (gtk_widget_get_display (widget),
                                                           target_at (v, event->x, event->y) ? "pointer" : "text");

  gdk_window_set_cursor (window, cursor);
  return GDK_EVENT_PROPAGATE;
}

GtkWidget *
markdown_view_new (void (*follow) (void *, const char *), void *arg)
{
  GtkWidget *widget = gtk_text_view_new ();
  View *v = g_new0 (View, 1);

  v->view = GTK_TEXT_VIEW (widget);
  v->buffer = gtk_text_view_get_buffer (v->view);
  v->follow = follow;
  v->arg = arg;
  gtk_text_view_set_editable (v->view, FALSE);
  gtk_text_view_set_cursor_visible (v->view, FALSE);
  gtk_text_view_set_wrap_mode (v->view, GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_left_margin (v->view, 18);
  gtk_text_view_set_right_margin (v->view, 18);
  gtk_text_view_set_top_margin (v->view, 12);
  gtk_text_view_set_bottom_margin (v->view, 18);
  gtk_text_buffer_create_tag (v->buffer, "text", "pixels-below-lines", 7, "pixels-inside-wrap", 2, NULL);
  gtk_text_buffer_create_tag (v->buffer, "list", "pixels-below-lines", 4, "left-margin", 34, "indent", -14, NULL);
  gtk_text_buffer_create_tag (v->buffer, "block", "family", "monospace", "left-margin", 34, NULL);
  gtk_text_buffer_create_tag (v->buffer, "heading1", "weight", 700, "scale", 1.5, "pixels-below-lines", 6, NULL);
  gtk_text_buffer_create_tag (v->buffer, "heading2", "weight", 700, "scale", 1.15, "pixels-above-lines", 10,
                              "pixels-below-lines", 4, NULL);
  gtk_text_buffer_create_tag (v->buffer, "heading3", "weight", 700, "pixels-above-lines", 6, "pixels-below-lines", 3,
                              NULL);
  gtk_text_buffer_create_tag (v->buffer, "code", "family", "monospace", NULL);
  gtk_text_buffer_create_tag (v->buffer, "strong", "weight", 700, NULL);
  gtk_text_buffer_create_tag (v->buffer, "emphasis", "style", PANGO_STYLE_ITALIC, NULL);
  gtk_widget_add_events (widget, GDK_POINTER_MOTION_MASK);
  g_object_set_data_full (G_OBJECT (widget), "markdown", v, g_free);
  g_signal_connect (widget, "button-release-event", G_CALLBACK (markdown_on_release), v);
  g_signal_connect (widget, "motion-notify-event", G_CALLBACK (markdown_on_motion), v);
  return widget;
}
