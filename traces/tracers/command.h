/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what the commands share that run a program with a tracer's library preloaded.  One thread. */
#ifndef TAPE_COMMAND_H
#define TAPE_COMMAND_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TAPE_FAILED = 125, TAPE_TIMED_OUT = 124 }; /* their exit status */

extern const char tape_name[]; /* of the command */
/* First in main(): what is told is in the language of the person (eve/language.h).  The libraries that are preloaded
 * tell in English: the locale of a program that is traced is its own. */
void tape_command_begin (void);
/* A sentence for a person. */
void tape_say (const char *fmt, ...) G_GNUC_PRINTF (1, 2);
/* A number for such a sentence, by the locale, as "%.3f" or another format of one double writes it; g_free. */
char *tape_number (const char *fmt, double value);
/* That the time a program had is over, in seconds. */
void tape_say_stopped (double after);
/* Takes away a folder that a tracer itself has made: files, and folders up to `folders` levels below. */
void tape_remove_folder (const char *path, int folders);
/* The library: beside the command where it was built, else `from_here` of the folder above, or `installed`; g_free.
 * NULL: it is not there, which was said. */
char *tape_find_library (const char *name, const char *from_here, const char *installed);
/* In the child: what is run next has the library before those that were asked for. */
void tape_preload (const char *library);
/* A blank in LD_PRELOAD ends a path: then the name is there, and the folder in LD_LIBRARY_PATH. */
bool tape_is_preloaded_by_name (const char *library);
/* Signals that end the command end the program first. */
void tape_catch_signals (void);
/* Waits for the end of the program; gives the status that the command has itself.  `meanwhile` (may be NULL) is called
 * every few milliseconds. */
int tape_wait_for (pid_t pid, double timeout_s, void (*meanwhile) (void *), void *arg);

#endif
