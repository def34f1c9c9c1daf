/* SPDX-License-Identifier: Apache-2.0 */
/* program-drawing.h - a program file as a small drawing of its boxes and wires. */
#pragma once
#include <gtk/gtk.h>
#include "eve/eve.h"

#define DRAWING_WIDTH 132 /* px, of a card */
#define DRAWING_HEIGHT 78

/* Read from the file each time that it is drawn, without making the program; of a damaged file what comes before the
 * damage, of one that cannot be read nothing.  Floating. */
GtkWidget *program_drawing_new (const char *path, int width, int height);

/* Whose colour a box of the class has: the type of what it gives, else of what it takes; NULL of none, or without
 * ports. */
const EveType *class_colour_type (const EveClass *k);
