/* SPDX-License-Identifier: Apache-2.0 */
/* wrapped.h - prototypes of all that is wrapped: pvm3.h, and what is exported without being there. */
#ifndef TAPE_WRAPPED_H
#define TAPE_WRAPPED_H

#define PVM33COMPAT 1 /* pvm_getmwid, pvm_setmwid: absent from PVM 3.4.6, present in older ones */
#include <stdio.h>
#include <stdarg.h>
#include <pvm3.h>

int pvm_vpackf (const char *fmt, va_list ap);
int pvm_vunpackf (const char *fmt, va_list ap);
int pvm_grphostinfo (char *group, int host, int *coordinator, int *members, int *hosts);
int pvm_grpvhostinfo (char *group, int **coordinators, int **members, int *hosts);
void pvm_gsdump (void);

#endif
