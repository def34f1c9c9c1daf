/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - the true functions of the C library, behind those that take their places. */
#ifndef TAPE_THREADS_WRAP_H
#define TAPE_THREADS_WRAP_H

#include "record.h"

typedef struct Real {
  const char *name;
  void **at;
} Real;

#define PUBLIC __attribute__ ((visibility ("default")))
#define REAL(type, name_, params_)                                                                                     \
  static type (*real_##name_) params_;                                                                                 \
  static const Real tape_real_##name_                                                                                  \
      __attribute__ ((used, section ("tape_thread_reals"))) = { #name_, (void **) (void *) &real_##name_ }
/* Constructors of other libraries may come before ours. */
#define REAL_OF(name_) (__builtin_expect (real_##name_ == NULL, 0) ? (tape_find_real (), real_##name_) : real_##name_)

#endif
