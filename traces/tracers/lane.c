/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - the file of a thread: made, made longer; records with texts. */
#include "lane.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_CHUNK (1u << 16)
#define CHUNK (1u << 20)
#define RESERVE ((uint64_t) 1 << 36)

/* Blocks are really taken: in a sparse file a full disk would be a SIGBUS in the midst of the program. */
static bool
take_blocks (int fd, uint64_t to)
{
  int why = posix_fallocate (fd, 0, (off_t) to);

  if (why)
    errno = why;
  return why == 0;
}

bool
tape_lane_open (Lane *l, size_t header_bytes)
{
  int fd = open (l->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool ok = fd >= 0 && take_blocks (fd, FIRST_CHUNK);

  l->base = MAP_FAILED;
  for (l->reserved = RESERVE; ok && l->base == MAP_FAILED && l->reserved >= CHUNK; l->reserved /= 2)
    if ((l->base = mmap (NULL, l->reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0)) != MAP_FAILED)
      break;
  if (fd >= 0) {
    int saved = errno;
    close (fd);
    errno = saved;
  }
  if (l->base == MAP_FAILED)
    return false;
  l->at = l->base + header_bytes / 8;
  l->end = l->base + FIRST_CHUNK / 8 - 4;
  return true;
}

bool
tape_lane_extend (Lane *l, unsigned words)
{
  uint64_t used = (uint64_t) (l->at - l->base) * 8;
  uint64_t wanted = (used + words * UINT64_C (8) + 64 + CHUNK - 1) / CHUNK * CHUNK;
  int fd = wanted <= l->reserved ? open (l->path, O_RDWR | O_CLOEXEC) : -1;
  bool ok = fd >= 0 && take_blocks (fd, wanted);

  if (ok) {
#ifdef MADV_POPULATE_WRITE /* all pages at once, for a tenth of what faults one by one cost; old systems refuse */
    uint64_t from = (uint64_t) (l->end + 4 - l->base) * 8;
    madvise ((char *) l->base + from, wanted - from, MADV_POPULATE_WRITE);
#endif
    l->end = l->base + wanted / 8 - 4;
  }
  if (fd >= 0)
    close (fd);
  return ok;
}

void
tape_text (Lane *l, unsigned type, unsigned a, uint64_t number, bool numbered, const char *text, size_t n)
{
  unsigned head = numbered ? 2 : 1, most = (RAW_MOST_WORDS - head) * 8;
  unsigned words = head + (unsigned) ((n < most ? n : most) + 7) / 8;
  uint64_t *r = l->off ? NULL : tape_room (l, words);

  if (!r)
    return;
  r[words - 1] = 0;
  if (numbered)
    r[1] = number;
  memcpy (r + head, text, n < most ? n : most);
  tape_publish (l, r, type, words, a, (unsigned) (words * 8 - head * 8 - (n < most ? n : most)));
}

void
tape_modules (Lane *l, unsigned type)
{
  FILE *maps = fopen ("/proc/self/maps", "re");
  char line[4608], *out = NULL;
  size_t length = 0;
  FILE *text = open_memstream (&out, &length);

  while (maps && text && fgets (line, sizeof line, maps)) {
    unsigned long long first, end, offset;
    int at = 0;

    if (sscanf (line, "%llx-%llx %*1c%*1cx%*1c %llx %*s %*u %n", &first, &end, &offset, &at) == 3 && at > 0
        && line[at] == '/')
      fprintf (text, "%llx %llx %llx %s", first, end, offset, line + at);
  }
  if (maps)
    fclose (maps);
  if (text) {
    fclose (text);
    tape_text (l, type, 0, 0, false, out, length);
    free (out);
  }
}
