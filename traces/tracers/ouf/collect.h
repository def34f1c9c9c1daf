/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h - between the tasks (note.c) and the collecting task (collect.c). */
#ifndef OUF_COLLECT_H
#define OUF_COLLECT_H

#include "writer.h"

extern Writer note_writer; /* of this process; base NULL: nothing is traced */

/* "all", "point,Send", "-thread": from now on; false: a word is unknown. */
bool note_choose (const char *which);
/* The writer now writes for this task. */
void note_claim (int task);

#endif
