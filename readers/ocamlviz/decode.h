/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h - what a message is made of.  Each function is false where the bytes end before, or make no sense. */
#pragma once
#include <string.h>

#include "eve/bytes.h"
#include "readers/ocamlviz/ocamlviz.h"

typedef struct OvzBytes {
  const uint8_t *at, *end;
} OvzBytes;

bool ovz_take (OvzBytes *b, void *to, size_t n);
bool ovz_get_16 (OvzBytes *b, uint32_t *v);
bool ovz_get_real (OvzBytes *b, double *v);
bool ovz_get_string (OvzBytes *b, const uint8_t **text, size_t *n); /* where it lies in the message */
/* A value, which ends with the message.  Its bytes lie in the message. */
bool ovz_get_value (OvzBytes *b, OvzValue *v);
