/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.c - the library that takes snapshots is loaded before the program, or it is not there. */
#include <caml/mlvalues.h>
#include <dlfcn.h>
#include <string.h>

CAMLprim value scope_heap_dump_of (value label);

CAMLprim value
scope_heap_dump_of (value label)
{
  int (*dump) (const char *) = (int (*) (const char *)) dlsym (RTLD_DEFAULT, "scope_heap_dump");
  char name[64] = ""; /* the string itself may be moved meanwhile */

  strncat (name, String_val (label), sizeof name - 1);
  return Val_bool (dump && dump (name));
}
