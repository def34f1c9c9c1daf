/* SPDX-License-Identifier: Apache-2.0 */
/* disk.h - files on the disk, which a stranger may have put there (docs/security.md).
 *
 * Everything that Scope reads or writes is a plain file: never a pipe, which blocks, nor a device, which acts when it
 * is opened or never ends.  A file is looked at before it is opened, and what was opened is what was looked at.
 * Any thread. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

#define DISK_MIB (UINT64_C (1) << 20)
#define DISK_PROGRAM (64 * DISK_MIB)   /* the bound for program files */
#define DISK_DATA (UINT64_C (1) << 44) /* the bound for data that are read in pieces: 16 TiB */

/* Opens a plain file of at most `most` bytes for reading.  With `below`, a folder, the file must lie in it when all
 * links are followed, or in a path of disk_allow(); NULL: it may lie anywhere.  *size (if not NULL) becomes its size.
 * The caller closes it.  -1 and a sentence that names the file, in the domain G_FILE_ERROR (NOENT: it is not there). */
int disk_open (const char *path, const char *below, uint64_t most, uint64_t *size, GError **error);
/* Reads a whole file, opened so; a byte 0 that is not counted is put behind it.  A file that grows meanwhile gives no
 * more than the size it had.  g_free; `n` may be NULL. */
char *disk_read (const char *path, const char *below, uint64_t most, size_t *n, GError **error);

/* Ends a line of a text that ends at `end`: a 0 takes the place of its '\n'.  Gives the next line; NULL: it was the
 * last. Nothing behind the line is looked at, as strchr() does where sanitizers check it: all lines would cost their
 * square. */
char *disk_end_line (char *line, const char *end);

/* The groups of a key file of at most 1 MiB; false: it is not there, or is none. */
bool disk_read_keys (GKeyFile *keys, const char *path, GKeyFileFlags flags);

/* Opens a plain file for reading and writing, making it where it is not there (rights: 0666 less the umask).  A link in
 * its place, or a file with a second name, is refused, so that nothing else is written than what is named.  -1 and a
 * sentence. */
int disk_open_write (const char *path, GError **error);
/* Opens a named pipe that somebody reads, for writing, without ever waiting; -1: it is none, a link, or nobody reads
 * it.
 */
int disk_open_pipe (const char *path);
/* Cuts a plain file that is there, or lengthens it by zeros.  False with errno: ENOENT where it is not there. */
bool disk_cut (const char *path, uint64_t size);
/* Asked of every folder that a name leads into below the one that was named, and of the file that is there, before
 * something is written or taken away: false, with an error, where that is not to be touched.  For the whole process;
 * NULL: nobody is asked. */
void disk_set_keeper (bool (*may_change) (const char *path, GError **error));
/* Opens for writing a name below a folder, as a program gives it: each part but the last must be a folder and no link.
 * Refused are names that begin with / or lead up, and parts that begin with a dot. */
int disk_open_below (const char *folder, const char *name, GError **error);
/* Puts a whole file there, or leaves what was there, also where that is nothing: it is written under another name
 * first. */
bool disk_write_below (const char *folder, const char *name, const void *bytes, size_t n, GError **error);
/* Whether disk_write_below() would put a file there; makes nothing.  False and a sentence. */
bool disk_check_below (const char *folder, const char *name, GError **error);
/* The same as disk_write_below(), of a whole file that lies elsewhere on the same disk: it is moved. */
bool disk_move_below (const char *from, const char *folder, const char *name, GError **error);
/* Takes such a file away, if it is there and one that may be written. */
void disk_remove_below (const char *folder, const char *name);

/* All n bytes at an offset, unless the file ends before: gives how many, or -1 with errno. */
ssize_t disk_pread (int fd, void *to, size_t n, uint64_t at);
/* All n bytes, at an offset or where the file stands; false with errno. */
bool disk_pwrite (int fd, const void *from, size_t n, uint64_t at);
bool disk_write (int fd, const void *from, size_t n);

/* Where a path leads when all links are followed; g_free.  NULL with errno: nowhere. */
char *disk_real_path (const char *path);
/* The person allows a file, or a folder with all that is in it, to be read although it lies elsewhere; for the whole
 * process. */
void disk_allow (const char *path);
/* Whether the path lies in `below`, or in what was allowed, when all links are followed.  A path that is not there
 * counts as its folder does. */
bool disk_is_below (const char *path, const char *below);

#pragma GCC visibility pop
