/* SPDX-License-Identifier: Apache-2.0 */
/* box-inspector.h - an inspector of a component's own, in the place of the list that the window makes of its settings:
 * what to show, in which order, with live values, values to choose from, sliders and
 * buttons; the window shows it beside the program, and on the panels that the person puts together (views/panel.c). The
 * component says what, the window draws it, so that it has keys, accessible names and undo as all others, and a
 * component needs no toolkit. */
#pragma once
#include "eve/eve.h"

#define BOX_INSPECTOR "box-inspector/2"

typedef enum {
  BOX_ROW_SETTING, /* an editor of the setting `name` */
  BOX_ROW_SLIDER,  /* the same of a number, with a slider as bounds() says */
  BOX_ROW_VALUE,   /* `label`, and what look() says of it */
  BOX_ROW_BUTTON,  /* `label`; does what press() says */
  BOX_ROW_HEADING, /* `label` */
} BoxRowKind;

typedef struct BoxRow {
  BoxRowKind kind;
  const char *name;  /* of a setting */
  const char *label; /* of a setting: NULL is its name */
  const char *doc;   /* a sentence; of a setting: NULL is its own */
} BoxRow;

/* Answer to the query BOX_INSPECTOR; static.  Functions are called on the engine's thread between two firings,
 * `row` counts from 0; each may be NULL. */
typedef struct BoxInspector {
  const BoxRow *rows;
  uint32_t n_rows;
  /* Asked at most once a frame: false greys the row (a heading: hides all up to the next); the text of a value goes
   * into `text`, n bytes. */
  bool (*look) (EveComponent *self, uint32_t row, char *text, size_t n);
  /* A button: names each setting that it changes, and its new value as text; together one step to undo. */
  void (*press) (EveComponent *self, uint32_t row, void (*set) (void *arg, const char *setting, const char *value),
                 void *arg);
  /* Values to choose from for a setting that is a text; another one can still be typed. */
  void (*offer) (EveComponent *self, uint32_t row, void (*add) (void *arg, const char *value), void *arg);
  /* Of a slider: its ends, and by how much a key moves it; asked at most once a frame. */
  void (*bounds) (EveComponent *self, uint32_t row, double *from, double *to, double *step);
  /* A button: an order to the application, in the words that the component Command takes ("pause", "front Curve"),
   * which is obeyed once press() was; NULL or "": none. */
  const char *(*order) (EveComponent *self, uint32_t row);
  uint32_t n_panel; /* how many rows, the first, stand on a panel; 0: all */
} BoxInspector;
