/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d-cube.c - a Fourier transform in two dimensions by transpose over a hypercube of 8 tasks.
 *
 *   fft2d-cube [LINES [TIMES]]      default 64 1
 *
 * A matrix of LINES x LINES complex numbers, a power of two from 8 to 1024.  Each task transforms its lines,
 * TIMES times over (more work for the same messages), then all transpose: in step d each sends over its link
 * of dimension d what belongs to the other half of the cube.  Then the columns, and the same transposition
 * back.  At the end the transform is undone in the same way and compared with what it began with. */
#include "check.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { DIMENSIONS = 3, TASKS = 1 << DIMENSIONS };

typedef double complex Number;

static int lines, times;

/* Link of task t along dimension d, away from it. */
static int
out_link (int t, int d)
{
  return t * DIMENSIONS + d;
}

static void
fft (Number *x, int n, double sign)
{
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;

    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      Number swapped = x[i];

      x[i] = x[j];
      x[j] = swapped;
    }
  }
  for (int length = 2; length <= n; length *= 2)
    for (int i = 0; i < n; i += length)
      for (int k = 0; k < length / 2; k++) {
        Number a = x[i + k], b = x[i + k + length / 2] * cexp (sign * 2 * M_PI * I * k / length);

        x[i + k] = a + b;
        x[i + k + length / 2] = a - b;
      }
}

/* Sends one half, takes the other's.  Links are one-way and a message is a rendezvous: the task with the 0
 * speaks first. */
static void
exchange (int me, int d, const Number *give, Number *get, size_t bytes)
{
  int other = me ^ 1 << d, in = out_link (other, d), out = out_link (me, d);

  if (me >> d & 1) {
    check (ouf_receive (in, get, bytes) == (long) bytes, "a part is missing");
    check (ouf_send (out, give, bytes) == 0, "the neighbour is dead");
  } else {
    check (ouf_send (out, give, bytes) == 0, "the neighbour is dead");
    check (ouf_receive (in, get, bytes) == (long) bytes, "a part is missing");
  }
}

/* Block j of mine becomes block me of task j: with each dimension the blocks whose number differs there
 * change sides.  `part` are TASKS blocks of `size` numbers. */
static void
all_to_all (int me, Number *part, int size)
{
  Number *give = malloc ((size_t) size * TASKS / 2 * sizeof *give),
         *get = malloc ((size_t) size * TASKS / 2 * sizeof *get);
  size_t block = (size_t) size * sizeof *part;

  check (give && get, "out of memory");
  for (int d = 0; d < DIMENSIONS; d++) {
    int n = 0;

    for (int j = 0; j < TASKS; j++)
      if ((j ^ me) >> d & 1)
        memcpy (give + (size_t) n++ * (size_t) size, part + (size_t) j * (size_t) size, block);
    exchange (me, d, give, get, (size_t) n * block);
    n = 0;
    for (int j = 0; j < TASKS; j++)
      if ((j ^ me) >> d & 1)
        memcpy (part + (size_t) j * (size_t) size, get + (size_t) n++ * (size_t) size, block);
  }
  free (give);
  free (get);
}

static void
transpose (int me, Number *mine)
{
  int rows = lines / TASKS, size = rows * rows;
  Number *part = malloc ((size_t) rows * (size_t) lines * sizeof *part);

  check (part != NULL, "out of memory");
  ouf_phase ("transpose", lines);
  for (int j = 0; j < TASKS; j++)
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < rows; c++)
        part[j * size + c * rows + r] = mine[r * lines + j * rows + c];
  all_to_all (me, part, size);
  for (int j = 0; j < TASKS; j++)
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < rows; c++)
        mine[r * lines + j * rows + c] = part[j * size + r * rows + c];
  ouf_phase_end ("transpose");
  free (part);
}

static void
transform_lines (const char *phase, Number *mine, double sign)
{
  ouf_phase (phase, lines / TASKS);
  for (int r = 0; r < lines / TASKS; r++) {
    Number copy[1024];

    for (int i = 1; i < times; i++) {
      memcpy (copy, mine + r * lines, (size_t) lines * sizeof *copy);
      fft (copy, lines, sign);
    }
    fft (mine + r * lines, lines, sign);
  }
  ouf_phase_end (phase);
}

/* What the transform of the test matrix is at one place, from its definition. */
static Number
expected (int row, int column)
{
  Number sum = 0;

  for (int r = 0; r < lines; r++)
    for (int c = 0; c < lines; c++)
      sum += ((r * 7 + c * 3) % 11 - 5) * cexp (-2 * M_PI * I * ((double) r * row + (double) c * column) / lines);
  return sum;
}

static int
part_of_cube (void *arg)
{
  int me = (int) (intptr_t) arg, rows = lines / TASKS, column = 3 % lines;
  Number *mine = malloc ((size_t) rows * (size_t) lines * sizeof *mine);
  double worst = 0, all;

  check (mine != NULL, "out of memory");
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < lines; c++)
      mine[r * lines + c] = ((me * rows + r) * 7 + c * 3) % 11 - 5;
  transform_lines ("rows", mine, -1);
  transpose (me, mine);
  transform_lines ("columns", mine, -1);
  transpose (me, mine);
  ouf_phase ("check", 0);
  check (cabs (mine[column] - expected (me * rows, column)) < 1e-6 * lines * lines, "the transform is wrong");
  ouf_phase_end ("check");
  transform_lines ("rows", mine, 1);
  transpose (me, mine);
  transform_lines ("columns", mine, 1);
  transpose (me, mine);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < lines; c++) {
      double error = cabs (mine[r * lines + c] / ((double) lines * lines) - (((me * rows + r) * 7 + c * 3) % 11 - 5));

      worst = error > worst ? error : worst;
    }
  free (mine);
  check (worst < 1e-9, "the transform and its inverse do not give the matrix back");
  /* The largest error of the cube goes down to task 0, dimension by dimension. */
  for (int d = DIMENSIONS; d-- > 0;) {
    if (me >> d & 1)
      return ouf_send (out_link (me, d), &worst, sizeof worst) != 0;
    check (ouf_receive (out_link (me ^ 1 << d, d), &all, sizeof all) == sizeof all, "no error came");
    worst = all > worst ? all : worst;
  }
  printf ("fft2d-cube: %d x %d, error %.1e: OK\n", lines, lines, worst);
  return 0;
}

int
main (int argc, char **argv)
{
  char name[32];

  lines = number (argc, argv, 1, 64, 8, 1024);
  times = number (argc, argv, 2, 1, 1, 10000);
  if (lines & (lines - 1)) {
    fprintf (stderr, "fft2d-cube: %d is not a power of two\n", lines);
    return 2;
  }
  for (int t = 0; t < TASKS; t++) {
    snprintf (name, sizeof name, "node%d%d%d", t >> 2 & 1, t >> 1 & 1, t & 1);
    ouf_task (name, -1, part_of_cube, (void *) (intptr_t) t);
  }
  for (int t = 0; t < TASKS; t++)
    for (int d = 0; d < DIMENSIONS; d++) {
      snprintf (name, sizeof name, "dim%d.%d-%d", d, t, t ^ 1 << d);
      ouf_link (name, t, t ^ 1 << d);
    }
  return ouf_execute (argc, argv);
}
