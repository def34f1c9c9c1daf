/* SPDX-License-Identifier: Apache-2.0 */
/* ruler-access.c - the ruler as a slider over seconds, for assistive technology. */
#include <math.h>
#include "time/ruler.h"

typedef struct {
  GtkWidgetAccessible parent;
} RulerAccessible;
typedef struct {
  GtkWidgetAccessibleClass parent;
} RulerAccessibleClass;
static AtkObjectClass *ruler_accessible_parent;

void
ruler_accessible_value (AtkValue *v, gdouble *value, gchar **text)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;
  int64_t at = s ? scope_document_cursor (d) : 0;

  *value = s ? trace_clock_seconds (&s->clock, at) : 0;
  if (text)
    *text = s ? time_text (d, at) : g_strdup ("");
}

static AtkRange *
accessible_range (AtkValue *v)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;

  return s ? atk_range_new (trace_clock_seconds (&s->clock, scope_document_first (d)),
                            trace_clock_seconds (&s->clock, scope_document_last (d)), NULL)
           : atk_range_new (0, 0, NULL);
}

static void
accessible_set (AtkValue *v, const gdouble value)
{
  GtkWidget *w = gtk_accessible_get_widget (GTK_ACCESSIBLE (v));
  ScopeDocument *d = w ? SCOPE_RULER (w)->d : NULL;
  TraceSource *s = d ? scope_document_source (d) : NULL;

  if (s && isfinite (value))
    scope_document_go_date (d, (int64_t) CLAMP (value * (double) s->clock.ticks_per_second, -4e18, 4e18));
}

static void
accessible_iface (gpointer face, gpointer data)
{
  AtkValueIface *iface = face;

  iface->get_value_and_text = ruler_accessible_value;
  iface->get_range = accessible_range;
  iface->set_value = accessible_set;
}

static void
accessible_init (AtkObject *object, gpointer data)
{
  ruler_accessible_parent->initialize (object, data);
  object->role = ATK_ROLE_SLIDER;
}

static void
ruler_accessible_class_init (gpointer class, gpointer data)
{
  ruler_accessible_parent = g_type_class_peek_parent (class);
  ATK_OBJECT_CLASS (class)->initialize = accessible_init;
}

GType
ruler_accessible_get_type (void)
{
  static GType type;

  if (!type) {
    GTypeInfo info = { .class_size = sizeof (RulerAccessibleClass),
                       .class_init = ruler_accessible_class_init,
                       .instance_size = sizeof (RulerAccessible) };
    GInterfaceInfo value = { .interface_init = accessible_iface };
    type = g_type_register_static (GTK_TYPE_WIDGET_ACCESSIBLE, "ScopeRulerAccessible", &info, 0);
    g_type_add_interface_static (type, ATK_TYPE_VALUE, &value);
  }
  return type;
}
