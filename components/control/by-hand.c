/* SPDX-License-Identifier: Apache-2.0 */
/* by-hand.c - sources that a person moves while the program runs (thesis, section 1.3.2, figure 1.9): a slider, a field
 * for a number, one for a text, a switch and a button, shown in the inspector and on panels (views/panel.c).
 *
 * What was set is a setting, so it is saved with the program, can be undone, and holds for the whole execution: an
 * instant looks the same however one came to it. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "readers/box-commands.h"
#include "readers/box-inspector.h"

typedef struct ByHand {
  EveBase base;
  char *label, *text, *order;
  double value, from, to, step;
  bool on;
  int64_t presses;
  int64_t given; /* run state: of a button, how many of its presses; else 1 once the value was given */
  bool changed;  /* since then */
} ByHand;

#define MOST_PRESSES 1000000 /* each is a pulse at the beginning of every run */
enum { FROM_VALUE };         /* number of the setting that is given, in each class */
#define IN_EACH                                                                                                        \
  {                                                                                                                    \
    "each", &eve_type_pulse,                                                                                           \
        .present = true,                                                                                               \
        .doc =                                                                                                         \
            "With a wire, the value is given once for each datum that comes here; without, once, and again when it "   \
            "is changed."                                                                                              \
  }
#define STATE_GIVEN                                                                                                    \
  {                                                                                                                    \
    "given", EVE_F_INT64, offsetof (ByHand, given), EVE_COUNT                                                          \
  }
#define SETTING_LABEL                                                                                                  \
  {                                                                                                                    \
    "label", EVE_F_STRING, offsetof (ByHand, label), .look = true,                                                     \
                                                     .doc = "What it is called on a panel; empty: as the box."         \
  }

static const EveInSpec ins[] = { IN_EACH };
static const EveField state[] = { STATE_GIVEN };

/* ---- the value ---------------------------------------------------------------------------------------------------- */
static bool
by_hand_give (ByHand *self)
{
  EveOut *out = self->base.out[0];
  const EveType *type = eve_class ((EveComponent *) self)->outs[0].type;

  if (type == &eve_type_bool)
    return eve_emit (out, &self->on);
  if (type == &eve_type_double)
    return eve_emit (out, &self->value);
  char *text = g_ref_string_new (self->text);
  return eve_emit_steal (out, &text);
}

static void
hand_fire (EveComponent *c)
{
  ByHand *self = (ByHand *) c;

  eve_take (self->base.in[0]);
  by_hand_give (self);
}

static EveSupply
hand_produce (EveComponent *c, uint32_t max)
{
  ByHand *self = (ByHand *) c;

  if (eve_in_connected (self->base.in[0]) || (self->given > 0 && !self->changed))
    return EVE_END;
  if (!by_hand_give (self))
    return EVE_MORE;
  self->given = 1;
  self->changed = false;
  return EVE_END;
}

static bool
hand_changed (EveComponent *c, uint32_t setting)
{
  if (setting == FROM_VALUE)
    ((ByHand *) c)->changed = true;
  return true;
}

/* What is given from here on is given anew; what was set since is in it. */
static void
hand_reset (EveComponent *c)
{
  ((ByHand *) c)->changed = false;
}

/* ---- the slider --------------------------------------------------------------------------------------------------- */
static const EveOutSpec number_outs[] = { { "out", &eve_type_double, .doc = "The number." } };
static const EveField slider_settings[] = {
  [FROM_VALUE] = { "value", EVE_F_DOUBLE, offsetof (ByHand, value), .def = 50, .doc = "The number to give." },
  { "from", EVE_F_DOUBLE, offsetof (ByHand, from), .def = 0, .doc = "Left end of the slider." },
  { "to", EVE_F_DOUBLE, offsetof (ByHand, to), .def = 100, .doc = "Right end of the slider." },
  { "step", EVE_F_DOUBLE, offsetof (ByHand, step), .min = 0, .max = 1e300, .def = 0,
    .doc = "The slider stops at multiples of this; 0: about a hundredth of its length." },
  SETTING_LABEL,
};

/* 1, 2 or 5 times a power of ten, a hundredth of the length at most. */
static double
round_step (double length)
{
  double ten = pow (10, floor (log10 (length / 100)));
  double times = length / 100 / ten;

  return ten * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

#define LONGEST 1e300
#define LEAST 1e-12 /* of the larger end: what lies nearer together is one number to a person */

static void
slider_bounds (EveComponent *c, uint32_t row, double *from, double *to, double *step)
{
  const ByHand *self = (ByHand *) c;
  double a = CLAMP (self->from, -LONGEST, LONGEST), b = CLAMP (self->to, -LONGEST, LONGEST);
  double least = fmax (LEAST * fmax (fabs (a), fabs (b)), 1e-290);

  *from = fmin (a, b);
  *to = fmax (a, b);
  if (!(*to - *from >= least))
    *to = *from + fmax (1, least);
  *step = self->step > 0 && self->step < *to - *from ? self->step : round_step (*to - *from);
}

static const BoxRow slider_rows[] = {
  { BOX_ROW_SLIDER, "value", NULL, NULL },  { BOX_ROW_SETTING, "from", NULL, NULL },
  { BOX_ROW_SETTING, "to", NULL, NULL },    { BOX_ROW_SETTING, "step", NULL, NULL },
  { BOX_ROW_SETTING, "label", NULL, NULL },
};
static const BoxInspector slider_inspector = {
  .rows = slider_rows, .n_rows = EVE_N (slider_rows), .n_panel = 1, .bounds = slider_bounds
};

/* ---- the others --------------------------------------------------------------------------------------------------- */
static const EveField number_settings[] = {
  [FROM_VALUE] = { "value", EVE_F_DOUBLE, offsetof (ByHand, value), .def = 0, .doc = "The number to give." },
  SETTING_LABEL,
};
static const BoxRow value_rows[] = { { BOX_ROW_SETTING, "value", NULL, NULL },
                                     { BOX_ROW_SETTING, "label", NULL, NULL } };
static const BoxInspector value_inspector = { .rows = value_rows, .n_rows = EVE_N (value_rows), .n_panel = 1 };

static const EveOutSpec text_outs[] = { { "out", &eve_type_text, .doc = "The text." } };
static const EveField text_settings[] = {
  [FROM_VALUE] = { "value", EVE_F_STRING, offsetof (ByHand, text), .doc = "The text to give." },
  SETTING_LABEL,
};

static const EveOutSpec switch_outs[] = { { "out", &eve_type_bool, .doc = "True while it is on." } };
static const EveField switch_settings[] = {
  [FROM_VALUE] = { "on", EVE_F_BOOL, offsetof (ByHand, on), .doc = "What it gives." },
  SETTING_LABEL,
};
static const BoxRow switch_rows[] = { { BOX_ROW_SETTING, "on", NULL, NULL }, { BOX_ROW_SETTING, "label", NULL, NULL } };
static const BoxInspector switch_inspector = { .rows = switch_rows, .n_rows = EVE_N (switch_rows), .n_panel = 1 };

/* ---- the button --------------------------------------------------------------------------------------------------- */
static const EveOutSpec button_outs[] = { { "pressed", &eve_type_pulse, .doc = "A pulse for each time." } };
static const EveField button_settings[] = {
  [FROM_VALUE] = { "presses", EVE_F_INT64, offsetof (ByHand, presses), .min = 0, .max = MOST_PRESSES,
                   .doc = "How often it was pressed: so many pulses are given at the beginning, and one each time." },
  { "order", EVE_F_STRING, offsetof (ByHand, order), .look = true,
    .doc = "What the window does when it is pressed, in the words of Command: pause, go 1.25, front Curve; empty: "
           "nothing." },
  SETTING_LABEL,
};

static EveSupply
button_produce (EveComponent *c, uint32_t max)
{
  ByHand *self = (ByHand *) c;

  for (; max && self->given < self->presses; max--) {
    if (!eve_emit (self->base.out[0], &(uint8_t){ 1 }))
      return EVE_MORE;
    self->given++;
  }
  return self->given < self->presses ? EVE_MORE : EVE_END;
}

static void
button_press (EveComponent *c, uint32_t row, void (*set) (void *arg, const char *setting, const char *value), void *arg)
{
  const ByHand *self = (ByHand *) c;
  g_autofree char *presses = g_strdup_printf ("%" G_GINT64_FORMAT, self->presses + 1);

  if (row == 0 && self->presses < MOST_PRESSES)
    set (arg, "presses", presses);
  else if (row != 0)
    set (arg, "presses", "0");
}

static const char *
button_order (EveComponent *c, uint32_t row)
{
  return row == 0 ? ((ByHand *) c)->order : NULL;
}

static const BoxRow button_rows[] = {
  { BOX_ROW_BUTTON, NULL, N_ ("Press"), N_ ("Gives a pulse, and does what its order says.") },
  { BOX_ROW_BUTTON, NULL, N_ ("Never pressed"), N_ ("Takes all pulses back.") },
  { BOX_ROW_SETTING, "presses", NULL, NULL },
  { BOX_ROW_SETTING, "order", NULL, NULL },
  { BOX_ROW_SETTING, "label", NULL, NULL },
};
static const BoxInspector button_inspector = {
  .rows = button_rows, .n_rows = EVE_N (button_rows), .n_panel = 1, .press = button_press, .order = button_order
};

/* ---- classes ------------------------------------------------------------------------------------------------------ */
#define QUERY(name)                                                                                                    \
  static const void *name##_query (EveComponent *c, const char *interface_name)                                        \
  {                                                                                                                    \
    return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &name##_inspector : NULL;                                     \
  }
QUERY (slider)
QUERY (value)
QUERY (switch)

/* What can be pressed is a command of the window too. */
static bool
button_command (EveComponent *c, uint32_t i, BoxCommand *command)
{
  const ByHand *self = (ByHand *) c;

  *command = (BoxCommand){ "press", *self->label ? self->label : eve_name (c), g_str_has_prefix (self->order, "add ") };
  return i == 0;
}

static const char *
button_obey (EveComponent *c, const char *name, void (*set) (void *arg, const char *setting, const char *value),
             void *arg)
{
  button_press (c, 0, set, arg);
  return ((ByHand *) c)->order;
}

static const void *
button_query (EveComponent *c, const char *interface_name)
{
  static const BoxCommands commands = { button_command, button_obey };

  return strcmp (interface_name, BOX_INSPECTOR) == 0  ? (const void *) &button_inspector
         : strcmp (interface_name, BOX_COMMANDS) == 0 ? &commands
                                                      : NULL;
}

#define HELP                                                                                                           \
  "It is moved by hand, in the inspector or on a Panel, also while the program plays. What is set holds for the "      \
  "whole execution: what is shown is worked out anew with it. The value is given at the beginning and whenever it is " \
  "changed; where it shall meet data one by one, as at an input of Binary, wire what it shall meet to `each` too.\n\n"
#define HAND_CLASS(outs_, settings_)                                                                                   \
  EVE_CLASS_HEAD, .category = "Control", .version = 1, .outs = outs_, .n_outs = EVE_N (outs_), .settings = settings_,  \
                  .n_settings = EVE_N (settings_), .state = state, .n_state = EVE_N (state),                           \
                  .instance_size = sizeof (ByHand)
#define VALUE_CLASS                                                                                                    \
  .ins = ins, .n_ins = EVE_N (ins), .fire = hand_fire, .produce = hand_produce, .changed = hand_changed,               \
  .reset = hand_reset

static const EveClass slider = {
  HAND_CLASS (number_outs, slider_settings),
  VALUE_CLASS,
  .id = "scope.slider",
  .label = "Slider",
  .doc = "A number that is set by hand, between two ends.",
  .help = HELP "Example: a slider at the second input of Comparison and at `each` the numbers of the first: what is "
               "greater passes.",
  .query = slider_query,
};
static const EveClass number = {
  HAND_CLASS (number_outs, number_settings),
  VALUE_CLASS,
  .id = "scope.number-field",
  .label = "Number field",
  .doc = "A number that is typed.",
  .help = HELP "Example: *value* 2.5 gives 2.5.",
  .query = value_query,
};
static const EveClass text_field = {
  HAND_CLASS (text_outs, text_settings),
  VALUE_CLASS,
  .id = "scope.text-field",
  .label = "Text field",
  .doc = "A text that is typed.",
  .help = HELP "Example: a text at the port `orders` of a session is an order that is typed.",
  .query = value_query,
};
static const EveClass on_off = {
  HAND_CLASS (switch_outs, switch_settings),
  VALUE_CLASS,
  .id = "scope.on-off",
  .label = "On and off",
  .doc = "A switch that is turned by hand.",
  .help = HELP "Example: at the port `open` of a Gate it lets data pass or not.",
  .query = switch_query,
};
static const EveClass button = {
  HAND_CLASS (button_outs, button_settings),
  .id = "scope.button",
  .label = "Button",
  .doc = "Gives a pulse, or an order to the window, when it is pressed.",
  .help = "It is pressed in the inspector or on a Panel. Each time it gives a pulse, and the window does what *order* "
          "says. How often it was pressed is a setting: from the beginning on so many pulses come, so that an instant "
          "looks the same however one came to it; *Never pressed* takes them back. An order is obeyed when the button "
          "is pressed, and at no other time.\n\n"
          "Example: *order* `go 0.25` makes a button that leads to this instant.",
  .produce = button_produce,
  .query = button_query,
};
EVE_PLUGIN (&slider, &number, &text_field, &on_off, &button);
