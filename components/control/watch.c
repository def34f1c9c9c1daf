/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - watches over an interval: acts and warns when a value lies outside (thesis, section 5.2.2, figures 5.6
 * and 5.7). */
#include <glib.h>
#include "statistics/numbers.h"
#include "eve/words.h"
#include "statistics/order.h"

typedef struct Watch {
  EveBase base;
  char *min, *max, *command, *title;
  int32_t action, warning, when;
  int64_t most;
  double low, high; /* as numbers */
  int64_t triggered, seen;
  int64_t numbers;        /* that came: what is no number counts in `seen` alone */
  double least, greatest; /* of them */
  const char *unit;       /* of the last, interned */
  bool outside, silent;
} Watch;

enum { ACT_NOT, ACT_PAUSE, ACT_STOP, ACT_MARK, ACT_SAVE, ACT_COMMAND };
static const char *const actions[] = { "none", "pause", "stop", "mark", "save", "command", NULL };
enum { WARN_NOT, WARN_QUIETLY, WARN_LOUDLY };
static const char *const warnings[] = { "none", "quietly", "with a sound", NULL };
enum { WHEN_LEAVING, WHEN_OUTSIDE };
static const char *const whens[] = { "on leaving", "each value", NULL };

static const EveInSpec ins[] = {
  { "value", NULL, .required = true, .doc = "Numbers: real, whole, truth values or dated." },
};
static const EveOutSpec outs[] = {
  { "orders", &eve_type_text, EVE_CONTROL, .per_fire = 2,
    .doc = "The action and the warning, for the port orders of a session." },
  { "triggered", &eve_type_double, .doc = "Each value that made it act." },
};
static const EveField settings[] = {
  { "min", EVE_F_STRING, offsetof (Watch, min), .doc = "The smallest value that is allowed; empty: any." },
  { "max", EVE_F_STRING, offsetof (Watch, max), .doc = "The largest; empty: any." },
  { "action", EVE_F_CHOICE, offsetof (Watch, action), .def = ACT_PAUSE, .choices = actions,
    .doc = "What to command when a value lies outside." },
  { "command", EVE_F_STRING, offsetof (Watch, command),
    .doc = "For the action command: the command; for mark and save: the name." },
  { "warning", EVE_F_CHOICE, offsetof (Watch, warning), .def = WARN_QUIETLY, .choices = warnings,
    .doc = "How to warn the person." },
  { "when", EVE_F_CHOICE, offsetof (Watch, when), .def = WHEN_LEAVING, .choices = whens,
    .doc = "Once when values leave the interval, and again after they were back, or at each value outside." },
  { "at most", EVE_F_INT64, offsetof (Watch, most), .min = 1, .max = 1e15, .def = 1000,
    .doc = "After so many times it is silent." },
  { "title", EVE_F_STRING, offsetof (Watch, title), .doc = "What is watched, for warnings: overhead; empty: value." },
};
static const EveField state[] = {
  { "triggered", EVE_F_INT64, offsetof (Watch, triggered), EVE_COUNT },
  { "seen", EVE_F_INT64, offsetof (Watch, seen), EVE_COUNT },
  { "outside", EVE_F_BOOL, offsetof (Watch, outside) },
  { "silent", EVE_F_BOOL, offsetof (Watch, silent) },
  { "numbers", EVE_F_INT64, offsetof (Watch, numbers), EVE_COUNT },
  { "least", EVE_F_DOUBLE, offsetof (Watch, least) },
  { "greatest", EVE_F_DOUBLE, offsetof (Watch, greatest) },
};

/* Empty: no bound; NaN: no number.  Bounds are set one after the other, so what is wrong with them is told when values
 * come. */
static double
control_watch_bound (const char *text, double none)
{
  g_autofree char *t = g_strstrip (g_strdup (text));
  char *end;
  double value = *t ? g_ascii_strtod (t, &end) : none;

  return *t && *end ? NAN : value;
}

static bool
watch_changed (EveComponent *c, uint32_t setting)
{
  Watch *self = (Watch *) c;

  self->low = control_watch_bound (self->min, -INFINITY);
  self->high = control_watch_bound (self->max, INFINITY);
  return true;
}

static bool
watch_init (EveComponent *c)
{
  return watch_changed (c, 0);
}

static void
watch_order (Watch *self, const char *command, const char *at, const char *because)
{
  char *order = stats_order_new (command, eve_name ((EveComponent *) self), at, because);

  eve_emit_steal (self->base.out[0], &order);
}

static void
watch_act (Watch *self, const StatsDatum *d, double x)
{
  EveComponent *c = (EveComponent *) self;
  const char *what = in_words (self->title[0] ? self->title : N_ ("value")), *unit = d->unit ? d->unit : "";
  char number[G_ASCII_DTOSTR_BUF_SIZE], limit[G_ASCII_DTOSTR_BUF_SIZE], at[64] = "";
  bool low = x < self->low, no_number = x != x;

  if (self->triggered >= self->most) {
    if (!self->silent)
      eve_warn (c, _ ("It has been triggered %lld times and is silent from now on; raise “at most” to hear more."),
                (long long) self->triggered);
    self->silent = true;
    return;
  }
  self->triggered++;
  eve_emit (self->base.out[1], &x);
  if (!eve_out_connected (self->base.out[0]))
    return;
  const TraceSource *s = d->date != INT64_MIN ? trace_source (d->source) : NULL;
  if (s)
    trace_clock_print (&s->clock, d->date, at, sizeof at);
  g_ascii_formatd (number, sizeof number, "%.6g", x);
  g_ascii_formatd (limit, sizeof limit, "%.6g", low ? self->low : self->high);
  g_autofree char *because = no_number
                                 ? g_strdup_printf (_ ("the %s is no number"), what)
                                 : g_strdup_printf (
                                     low ? _ ("the %s %s%s%s is below %s%s%s") : _ ("the %s %s%s%s is above %s%s%s"),
                                     what, number, *unit ? " " : "", unit, limit, *unit ? " " : "", unit);
  g_autofree char *named = g_strdup_printf ("%s %s", actions[self->action], self->command);
  if (self->action != ACT_NOT)
    watch_order (self,
                 self->action == ACT_COMMAND ? self->command
                 : self->action >= ACT_MARK  ? named
                                             : actions[self->action],
                 *at ? at : NULL, because);
  if (self->warning != WARN_NOT) {
    g_autofree char *message = g_strdup_printf ("%s %s", self->warning == WARN_LOUDLY ? "alarm" : "message", because);
    watch_order (self, message, *at ? at : NULL, because);
  }
}

static void
watch_step (Watch *self, const EveType *type, const void *datum)
{
  double x = number_at (type, datum);
  bool outside = !(x >= self->low && x <= self->high);

  self->seen++;
  if (x == x) {
    self->least = self->numbers ? fmin (self->least, x) : x;
    self->greatest = self->numbers++ ? fmax (self->greatest, x) : x;
  }
  if (type == &stats_type_datum)
    self->unit = ((const StatsDatum *) datum)->unit;
  if (outside && (self->when == WHEN_OUTSIDE || !self->outside)) {
    StatsDatum d = number_dated (type, datum);
    watch_act (self, &d, x);
  }
  self->outside = outside;
}

static bool
watch_sane (Watch *self)
{
  if (self->low <= self->high)
    return true;
  if (self->low != self->low || self->high != self->high)
    eve_fail ((EveComponent *) self,
              _ ("The setting “%s” is no number; give one, such as 22.5, or nothing for no bound."),
              self->low != self->low ? "min" : "max");
  else
    eve_fail ((EveComponent *) self,
              _ ("The interval from %g to %g is turned round: every value would lie outside. Swap min and max."),
              self->low, self->high);
  return false;
}

static void
control_watch_fire (EveComponent *c)
{
  Watch *self = (Watch *) c;
  const void *datum = eve_take (self->base.in[0]);

  if (watch_sane (self))
    watch_step (self, eve_in_type (self->base.in[0]), datum);
}

static void
watch_fire_span (EveComponent *c, uint32_t n)
{
  Watch *self = (Watch *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const char *datum = eve_take_span (self->base.in[0], n);

  for (; n && watch_sane (self); n--, datum += type->size)
    watch_step (self, type, datum);
}

static bool
control_watch_at_end (EveComponent *c)
{
  Watch *self = (Watch *) c;
  const char *what = in_words (self->title[0] ? self->title : N_ ("value")), *unit = self->unit ? self->unit : "";
  const char *space = *unit ? " " : "";

  if (self->triggered == 0 && self->seen == 0)
    eve_warn (c, _ ("It never acted: no %s came."), what);
  else if (self->triggered == 0)
    eve_warn (c, _ ("It never acted: none of %lld values was outside; the %s went from %.6g%s%s to %.6g%s%s."),
              (long long) self->seen, what, self->least, space, unit, self->greatest, space, unit);
  eve_status (c, _ ("%lld values, triggered %lld times"), (long long) self->seen, (long long) self->triggered);
  return true;
}

static const EveClass watch = {
  EVE_CLASS_HEAD,
  .id = "scope.watch",
  .label = "Data Watch",
  .category = "Control",
  .version = 1,
  .doc = "Acts on the session and warns when a value leaves an interval.",
  .help = "Values from *min* to *max*, both included, are as they should be. When one is outside, or is no number, the "
          "watch gives "
          "the session its *action*, and a warning that tells what it did and why (thesis, section 5.2.2). Connect "
          "`orders` to "
          "the port of that name of the session. With *when* `on leaving` it acts once, and again only after a value "
          "was back "
          "inside. After *at most* times it is silent, so that a watch that is always triggered does no harm. One that "
          "never acted "
          "says so at the end, with the smallest and the largest value that came.\n\n"
          "Example: behind Communication Overhead, with *max* 22 and *action* `pause`, it stops a trace at the first "
          "phase that "
          "spends more than 22 % on communication.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Watch),
  .init = watch_init,
  .changed = watch_changed,
  .refuse = number_refuse,
  .fire = control_watch_fire,
  .fire_span = watch_fire_span,
  .at_end = control_watch_at_end,
};
EVE_PLUGIN (&watch);
