/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d.c - Fourier transform in two dimensions by transpose-split, communication overlapped with
 * computation.
 *
 *   fft2d [N [P [S [SLOW]]]]      N x N matrix (a power of two), P tasks, blocks of S lines; default 256 4 32
 * 1
 *
 * Each of the P tasks holds R = N/P lines.  It transforms S lines, sends that block on its way to the
 * transposed matrix (one piece to each other task), and transforms the next S lines while the pieces travel.
 * Then it gathers its own lines of the transposed matrix and transforms those.  SPMD: the task without a
 * parent spawns the others, tells them who is who, takes its own part, and checks the result.
 *
 * SLOW: each line is transformed so many times over.  Processors have grown faster by a larger factor than
 * messages since this algorithm was thought of; with 1 there is little computation to hide messages behind.
 *
 * The choice of S is the point: large blocks overlap little, small ones send many small messages. */
#include "check.h"
#include "tape.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex Number;

enum { TAG_SETUP = 1, TAG_BLOCK = 2, TAG_RESULT = 3, TAG_READY = 4, TAG_GO = 5 };

static int n, p, s, slow, me, tids[64];

/* -- one line, in place -- */

static void
fft (Number *x, int length)
{
  for (int i = 1, j = 0; i < length; i++) {
    int bit = length >> 1;

    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      Number t = x[i];

      x[i] = x[j];
      x[j] = t;
    }
  }
  for (int size = 2; size <= length; size *= 2) {
    Number step = cexp (-2 * M_PI * I / size);

    for (int i = 0; i < length; i += size) {
      Number w = 1;

      for (int k = 0; k < size / 2; k++) {
        Number even = x[i + k], odd = w * x[i + k + size / 2];

        x[i + k] = even + odd;
        x[i + k + size / 2] = even - odd;
        w *= step;
      }
    }
  }
}

static void
line (Number *x)
{
  static Number *scratch;

  if (!scratch)
    scratch = malloc ((size_t) n * sizeof *scratch);
  for (int i = 1; i < slow; i++) {
    memcpy (scratch, x, (size_t) n * sizeof *x);
    fft (scratch, n);
  }
  fft (x, n);
}

/* What the matrix holds: anything that is not symmetric. */
static Number
entry (int row, int column)
{
  return (row * 131 + column * column * 71) % 97 + I * ((row * row * 13 + column * 57) % 89);
}

/* -- the transposition, a block at a time -- */

/* Lines first .. first+s-1 of ours: to task q go their columns q*r .. q*r+r-1, which are its lines. */
static void
send_block (const Number *x, int first)
{
  int r = n / p;

  for (int d = 1; d < p; d++) {
    int q = (me + d) % p, place = me * r + first;

    pvm_initsend (PvmDataRaw);
    pvm_pkint (&place, 1, 1);
    for (int i = first; i < first + s; i++)
      pvm_pkdcplx ((double *) &x[i * n + q * r], r, 1);
    pvm_send (tids[q], TAG_BLOCK);
  }
}

static void
keep_block (const Number *x, Number *t, int first)
{
  int r = n / p;

  for (int i = first; i < first + s; i++)
    for (int j = 0; j < r; j++)
      t[j * n + me * r + i] = x[i * n + me * r + j];
}

static void
receive_blocks (Number *t)
{
  int r = n / p;
  Number *line = malloc ((size_t) r * sizeof *line);

  for (int left = (p - 1) * (r / s); left > 0; left--) {
    int place;

    if (pvm_recv (-1, TAG_BLOCK) < 0)
      fail ("fft2d", "a block did not come");
    pvm_upkint (&place, 1, 1);
    for (int i = place; i < place + s; i++) {
      pvm_upkdcplx ((double *) line, r, 1);
      for (int j = 0; j < r; j++)
        t[j * n + i] = line[j];
    }
  }
  free (line);
}

/* Our lines of the transform of the transposed matrix, in t. */
static void
transform (Number *x, Number *t)
{
  int r = n / p;

  tape_begin ("rows", s);
  for (int i = 0; i < s; i++)
    line (&x[i * n]);
  for (int first = 0; first < r; first += s) {
    send_block (x, first);
    for (int i = first + s; i < first + 2 * s && i < r; i++)
      line (&x[i * n]);
    keep_block (x, t, first);
  }
  tape_end ("rows");
  tape_begin ("transpose", s);
  receive_blocks (t);
  tape_end ("transpose");
  tape_begin ("columns", r);
  for (int i = 0; i < r; i++)
    line (&t[i * n]);
  tape_end ("columns");
}

/* Two entries of the result against the definition, each O(n^2). */
static int
wrong_entries (const Number *t)
{
  int wrong = 0, r = n / p;
  Number *root = malloc ((size_t) n * sizeof *root);

  for (int i = 0; i < n; i++)
    root[i] = cexp (-2 * M_PI * I * i / n);
  for (int k = 0; k < 2; k++) {
    int column = me * r + (k * 7 + 1) % r, row = (k * 31 + 5) % n;
    Number sum = 0;

    for (int i = 0; i < n; i++) {
      Number inner = 0;

      for (int j = 0; j < n; j++)
        inner += entry (i, j) * root[column * j % n];
      sum += inner * root[row * i % n];
    }
    if (cabs (sum - t[(column - me * r) * n + row]) > 1e-6 * n)
      wrong++;
  }
  free (root);
  return wrong;
}

/* All begin at once: what is compared is the transform, not how long PVM takes to spawn. */
static void
meet (void)
{
  if (me) {
    pvm_initsend (PvmDataDefault);
    pvm_send (tids[0], TAG_READY);
    pvm_recv (tids[0], TAG_GO);
  } else {
    for (int i = 1; i < p; i++)
      pvm_recv (-1, TAG_READY);
    pvm_initsend (PvmDataDefault);
    if (p > 1)
      pvm_mcast (tids + 1, p - 1, TAG_GO);
  }
}

int
main (int argc, char **argv)
{
  int setup[5], r, wrong, total = 0, mine = pvm_mytid ();
  Number *x, *t;

  if (mine < 0)
    return 1;
  if (pvm_parent () == PvmNoParent) {
    n = number (argc, argv, 1, 256);
    p = number (argc, argv, 2, 4);
    s = number (argc, argv, 3, 32);
    slow = number (argc, argv, 4, 1);
    if (n < 2 || (n & (n - 1)) || p < 1 || p > 64 || n % p || s < 1 || n / p % s)
      fail ("fft2d", "needs N a power of two, P that divides N (64 at most), S that divides N/P");
    tids[0] = mine;
    if (p > 1)
      spawn ("fft2d", NULL, p - 1, tids + 1);
    for (int i = 1; i < p; i++) {
      setup[0] = n, setup[1] = p, setup[2] = s, setup[3] = i, setup[4] = slow;
      pvm_initsend (PvmDataDefault);
      pvm_pkint (setup, 5, 1);
      pvm_pkint (tids, p, 1);
      pvm_send (tids[i], TAG_SETUP);
    }
  } else {
    pvm_recv (pvm_parent (), TAG_SETUP);
    pvm_upkint (setup, 5, 1);
    n = setup[0], p = setup[1], s = setup[2], me = setup[3], slow = setup[4];
    pvm_upkint (tids, p, 1);
  }
  r = n / p;
  x = malloc ((size_t) r * (size_t) n * sizeof *x);
  t = malloc ((size_t) r * (size_t) n * sizeof *t);
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j++)
      x[i * n + j] = entry (me * r + i, j);
  meet ();
  transform (x, t);
  tape_begin ("check", 0);
  wrong = wrong_entries (t);
  tape_end ("check");
  if (me) {
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&wrong, 1, 1);
    pvm_send (tids[0], TAG_RESULT);
  } else {
    total = wrong;
    for (int i = 1; i < p; i++) {
      pvm_recv (tids[i], TAG_RESULT);
      pvm_upkint (&wrong, 1, 1);
      total += wrong;
    }
    printf ("fft2d: n=%d p=%d s=%d: %s\n", n, p, s, total ? "WRONG" : "OK");
  }
  free (x);
  free (t);
  pvm_exit ();
  return total != 0;
}
