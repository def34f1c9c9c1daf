/* SPDX-License-Identifier: Apache-2.0 */
/* heat2d.c - heat spreads over a plate: a stencil of five points, rows dealt out in bands, borders exchanged.
 *
 *   heat2d [N [TASKS [STEPS]]]      N x N points; default 64 4 30
 *
 * The master collects the plate and compares it, number by number, with its own sequential run. */
#include "check.h"
#include "tape.h"

#include <string.h>

enum { TAG_SETUP = 1, TAG_UP = 2, TAG_DOWN = 3, TAG_BAND = 4 };

static int n, p, steps, me, tids[64];

static double
start (int row, int column)
{
  return row == 0 ? 100.0 : column == 0 ? 50.0 : (row * 7 + column * 3) % 11;
}

/* Rows first .. last of a plate whose row 0 is `plate`; border columns stay as they are. */
static void
spread (const double *plate, double *next, int first, int last)
{
  for (int i = first; i <= last; i++) {
    next[i * n] = plate[i * n];
    next[i * n + n - 1] = plate[i * n + n - 1];
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = 0.2
                        * (plate[i * n + j] + plate[i * n + j - 1] + plate[i * n + j + 1] + plate[(i - 1) * n + j]
                           + plate[(i + 1) * n + j]);
  }
}

static void
send_row (int to, int tag, double *row)
{
  pvm_initsend (PvmDataRaw);
  pvm_pkdouble (row, n, 1);
  pvm_send (to, tag);
}

static void
receive_row (int from, int tag, double *row)
{
  pvm_recv (from, tag);
  pvm_upkdouble (row, n, 1);
}

/* Band: rows 1 .. rows are ours, 0 and rows+1 the neighbours' (or the plate's border, which never changes).
 */
static double *
solve (int rows, int top)
{
  double *band = malloc ((size_t) (rows + 2) * (size_t) n * sizeof *band);
  double *next = malloc ((size_t) (rows + 2) * (size_t) n * sizeof *next);

  for (int i = 0; i < rows + 2; i++)
    for (int j = 0; j < n; j++)
      band[i * n + j] = start (top - 1 + i, j);
  memcpy (next, band, (size_t) (rows + 2) * (size_t) n * sizeof *band);
  for (int step = 0; step < steps; step++) {
    double *swap;

    tape_begin ("step", step);
    if (me > 0)
      send_row (tids[me - 1], TAG_UP, &band[n]);
    if (me < p - 1)
      send_row (tids[me + 1], TAG_DOWN, &band[rows * n]);
    if (rows > 2)
      spread (band, next, 2, rows - 1); /* needs no neighbour: while the rows travel */
    if (me > 0)
      receive_row (tids[me - 1], TAG_DOWN, band);
    if (me < p - 1)
      receive_row (tids[me + 1], TAG_UP, &band[(rows + 1) * n]);
    spread (band, next, 1, 1);
    spread (band, next, rows, rows);
    swap = band;
    band = next;
    next = swap;
    if (me == 0)
      memcpy (band, next, (size_t) n * sizeof *band);
    if (me == p - 1)
      memcpy (&band[(rows + 1) * n], &next[(rows + 1) * n], (size_t) n * sizeof *band);
    tape_end ("step");
  }
  free (next);
  return band;
}

static int
band_rows (int task)
{
  return (n - 2) / p + (task < (n - 2) % p);
}

static int
band_top (int task)
{
  int top = 1;

  for (int i = 0; i < task; i++)
    top += band_rows (i);
  return top;
}

static int
differences (double *mine)
{
  int saved_p = p, different = 0;
  double *whole, *row = malloc ((size_t) n * sizeof *row);

  p = 1;
  whole = solve (n - 2, 1);
  p = saved_p;
  for (int task = 0; task < p; task++) {
    if (task > 0)
      pvm_recv (tids[task], TAG_BAND);
    for (int i = 0; i < band_rows (task); i++) {
      if (task > 0)
        pvm_upkdouble (row, n, 1);
      else
        memcpy (row, &mine[(i + 1) * n], (size_t) n * sizeof *row);
      different += memcmp (row, &whole[(band_top (task) + i) * n], (size_t) n * sizeof *row) != 0;
    }
  }
  free (whole);
  free (row);
  return different;
}

int
main (int argc, char **argv)
{
  int setup[4], mine = pvm_mytid (), wrong = 0;
  double *band;

  if (mine < 0)
    return 1;
  if (pvm_parent () == PvmNoParent) {
    n = number (argc, argv, 1, 64);
    p = number (argc, argv, 2, 4);
    steps = number (argc, argv, 3, 30);
    if (p < 2 || p > 64 || n - 2 < p || steps < 1)
      fail ("heat2d", "needs 2 to 64 tasks, a row for each, and a step");
    tids[0] = mine;
    spawn ("heat2d", NULL, p - 1, tids + 1);
    setup[0] = n, setup[1] = p, setup[2] = steps;
    pvm_initsend (PvmDataDefault);
    pvm_pkint (setup, 3, 1);
    pvm_pkint (tids, p, 1);
    pvm_mcast (tids + 1, p - 1, TAG_SETUP);
  } else {
    pvm_recv (pvm_parent (), TAG_SETUP);
    pvm_upkint (setup, 3, 1);
    n = setup[0], p = setup[1], steps = setup[2];
    pvm_upkint (tids, p, 1);
    while (me < p && tids[me] != mine)
      me++;
  }
  band = solve (band_rows (me), band_top (me));
  if (me) {
    pvm_initsend (PvmDataRaw);
    pvm_pkdouble (&band[n], n * band_rows (me), 1);
    pvm_send (tids[0], TAG_BAND);
  } else {
    wrong = differences (band);
    printf ("heat2d: n=%d p=%d steps=%d: %s\n", n, p, steps, wrong ? "WRONG" : "OK");
  }
  free (band);
  pvm_exit ();
  return wrong != 0;
}
