#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/study-fft2d.md and its pictures: the study of chapter 6 of the thesis, on the five fft2d traces.

usage: study.py SCOPE SOURCE_FOLDER        (`ninja study` in the build folder)

Every number of the page is computed here from what `scope run` writes.  Where the page draws a conclusion, the figures it
rests on are checked first: with other traces this stops, and asks for another text."""
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

SCOPE, ROOT = sys.argv[1:3]
DOCS = os.path.join(ROOT, 'docs')
PICTURES = os.path.join(DOCS, 'study-fft2d')
PROGRAM = os.path.join(DOCS, 'study-fft2d.eve')
BLOCKS = [64, 32, 16, 4, 2]
PHASES = ['rows', 'transpose', 'columns']


def trace(block):
    return os.path.join(ROOT, 'traces', f'fft2d-s{block}.trace')


def scope(*words):
    done = subprocess.run([SCOPE, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'study: scope {" ".join(words)}: {done.stderr}')
    return done.stdout


def rows(*path):
    with open(os.path.join(*path), newline='', encoding='utf-8') as f:
        return list(csv.DictReader(f))


def window(block):
    """When the transform proper begins and ends: the first `rows`, the last end of `columns`."""
    events = [json.loads(line) for line in scope('events', trace(block), '--kind', 'Phase', '--json').splitlines()]
    begin = min(e['t'] for e in events if e['name'] == 'rows' and not e.get('end'))
    end = max(e['t'] for e in events if e['name'] == 'columns' and e.get('end'))
    return begin, end


class Run:
    def __init__(self, block, out, limit=None):
        self.block, self.out = block, out
        self.begin, self.end = window(block)
        more = ['--set', f'Watch.max={limit:.3f}'] if limit is not None else []
        for box in ('Transform', 'Overhead'):
            more += ['--set', f'{box}.from={self.begin:.9f}', '--set', f'{box}.to={self.end:.9f}']
        scope('run', trace(block), '--program', PROGRAM, '--out', out, *more)
        self.waits = [float(r['value']) for r in rows(out, 'waits.csv')]
        self.overhead = [(float(r['date [s]']), float(r['value'])) for r in rows(out, 'overhead.csv')]
        self.largest = max(v for _, v in self.overhead)

    def keep(self, view, name):
        """A picture of a view under docs/study-fft2d, as Markdown; nothing if the view was not there to draw it."""
        path = os.path.join(self.out, view)
        if not os.path.exists(path):
            return ''
        os.makedirs(PICTURES, exist_ok=True)
        shutil.copy(path, os.path.join(PICTURES, name))
        return f'study-fft2d/{name}'


def quantile(values, q):
    """Type 7 of Hyndman and Fan, as everywhere in Scope (statistics/quantile.h)."""
    return values[0] if len(values) == 1 else statistics.quantiles(values, n=100, method='inclusive')[round(100 * q) - 1]


def ms(seconds):
    return f'{seconds * 1e3:.1f}' if seconds >= 1e-4 else f'{seconds * 1e3:.4f}'


def table(header, lines):
    return '\n'.join(['| ' + ' | '.join(header) + ' |', '|' + '---|' * len(header)] + ['| ' + ' | '.join(line) + ' |' for line in lines])


def holds(condition, what):
    if not condition:
        sys.exit(f'study: the page says "{what}", and these traces do not; write what they do say in docs/study.py')


def waiting_section(runs):
    lines = []
    for r in runs:
        w = sorted(r.waits)
        short = 100 * sum(x < 0.005 for x in w) / len(w)
        lines.append([str(r.block), str(len(w)), f'{short:.0f} %', ms(statistics.median(w)), ms(quantile(w, 0.9)), ms(w[-1]),
                      f'{statistics.pstdev(w) / statistics.fmean(w):.1f}', ms(sum(w) / 4), f'{(r.end - r.begin) * 1e3:.0f}'])
    return table(['lines a block', 'receives', 'below 5 ms', 'median, ms', '90 %, ms', 'longest, ms', 'deviation / mean',
                  'waiting a task, ms', 'transform, ms'], lines)


def overhead_section(runs):
    lines = [[str(r.block)] + [f'{v:.1f} %' for _, v in r.overhead[:3]] + [f'**{r.largest:.1f} %**'] for r in runs]
    return table(['lines a block'] + [f'`{p}`' for p in PHASES] + ['greatest'], lines)



PAGE = """# The Fourier transform in two dimensions: the study of chapter 6, done again

*Made by `docs/study.py` (`ninja study` in the build folder) from the five traces `traces/fft2d-s*.trace`; every number comes from
`scope run` with the program `docs/study-fft2d.eve`.*

The thesis (chapter 6) looks at a parallel Fourier transform of a matrix of 256 x 256 numbers on four processors of an IBM SP1. The
program, *transpose-split*, sends a block of lines on its way to the transposed matrix while it transforms the next block. How many
lines a block should have is the question: large blocks leave nothing to hide the messages behind, small ones pay for every message.
Here the same algorithm runs under PVM 3.4 as four tasks on **one machine with two cores**; each line is transformed 50 times over, as
processors have grown faster than messages since then. Everything below is about the transform proper: from the first task that begins
its `rows` to the last that ends its `columns`, and about messages that carry blocks (tag 2).

## Waiting times of the receives

If all goes well, all receives wait about equally long (section 6.3). So for each size of block: how long did they wait? (Nine of ten
waited no longer than the column 90 % says; quantiles are of type 7 of Hyndman and Fan, as in `scope.statistics`.)

{waiting}

{histograms}

What one sees:

- With 64 lines there is one exchange and no overlap: {few} receives, {long64} of them longer than 5 ms, spread from nothing to
  {max64} ms. The thesis calls its histogram for 64 lines "very little homogeneous" and found the cause in the network. Here the cause is
  another: four tasks share two cores, so a task waits for one that has not had a core yet.
- With smaller blocks the typical wait all but vanishes (median {median64} ms for 64 lines, {median2} ms for 2): the message is there before it is
  asked for, which is what the overlap is for. {short4} of the receives take less than 5 ms with 4 lines and {short2} with 2.
- But some receives are far longer than the rest, and the more so the smaller the blocks: deviation over mean grows from {spread64} to
  {spread2}. This is what the thesis saw in its last two histograms. Its reason was that delays add up; whether it is that here, or the
  want of a core again, these figures cannot tell.
- For 16 lines the thesis found 98 % of the receives below 5 ms and called this run the best. Here it is {short16}, and a task waits
  {wait16} ms in all: the most of the five, with a longest wait of {max16} ms. One task of that run came to its `rows` late and kept the
  others waiting; one recording of each size cannot tell how much of that is chance.

## Communication overhead by phase

The share of their time that the four tasks spend inside communications (section 5.1.3), for each phase that the program marks. Their
time is counted from the beginning of the transform, also that of a task that comes to its `rows` late:

{overhead}

{curves}

Smaller blocks raise the overhead of the phase `rows`, in which the blocks are sent: from {rows64} % with 64 lines to {rows32} % with 32,
{rows16} % with 16, {rows4} % with 4, and {rows2} % with 2. A send through PVM costs much the same work whatever it carries; and a task that sends is often taken off its core, of
which there are two for four tasks and the daemon that takes the message.

## The watch

As in section 6.4, the watch is set to the greatest overhead of the best run, and the others are played under it. The thesis picked 16 lines
(a little less than 22 %) and found that it had picked the best. Here the run with the smallest greatest overhead is the one with
**{best} lines: {limit} %**.

{watch}

{stopped}

Every other run is stopped at the end of its first phase, as in the thesis: to reject a size of block, one need not play more than
{share} of its trace.

## What agrees with the thesis, and what does not

| the thesis | here |
|---|---|
| the waiting times tell whether a run is regular | yes: the histograms differ as much as the runs do |
| small blocks: some receives far longer than the rest | yes |
| small blocks cost too much: communication cannot be hidden any more | yes: the overhead of `rows` grows as they get smaller |
| the watch stops each other run at the end of its first phase | yes, each of the four |
| the largest blocks are bad, as the network takes 384 KB at once badly | no: a block of 64 lines is 64 KB for each receiver, and goes through the memory of one machine |
| 16 lines are best: 98 % of the receives below 5 ms, overhead below 22 % | no: {best} lines have the least overhead, {limit} %; 16 lines have {over16} % |
| all tasks compute equally long, each has its processor | no: four tasks on two cores; waiting for a core shows as communication or as long phases |

So the method carries over entirely, and the numbers do not: on this machine messages are cheap and cores are scarce. To see the trade-off
of the thesis, the four tasks need four processors and a network between them.
"""


def watch_section(runs, best, folder, limit):
    """Plays the other runs under the watch.  Gives the table, how much of a trace was played at most, and a picture."""
    lines, most, picture = [], 0, ''
    for r in runs:
        if r is best:
            lines.append([str(r.block), 'reference', '', '', ''])
            continue
        stopped = Run(r.block, os.path.join(folder, f'watched{r.block}'), limit)
        first = rows(stopped.out, 'triggered.csv')[0]
        holds(first['command'] == 'pause', 'the watch pauses each other run')
        holds(len(stopped.overhead) == 1, 'every other run is stopped at the end of its first phase')
        holds(abs(float(first['date [s]']) - stopped.overhead[0][0]) < 1e-9, 'it stops where the sample is')
        date, value = stopped.overhead[0]
        share = 100 * (date - r.begin) / (r.end - r.begin)
        most = max(most, share)
        lines.append([str(r.block), f'{value:.1f} %', f'{date:.6f} s', f"{int(first['event'])}", f'end of `rows`, {share:.0f} % of the transform'])
        picture = stopped.keep('Space-time.png', 'stopped.png') if r is runs[-1] else picture
    return table(['lines a block', 'overhead', 'stopped at', 'event', 'where'], lines), most, picture


def main():
    with tempfile.TemporaryDirectory() as folder:
        runs = [Run(b, os.path.join(folder, f's{b}')) for b in BLOCKS]
        of = {r.block: r for r in runs}
        best = min(runs, key=lambda r: r.largest)
        limit = best.largest + 0.0005                       # the watch is told three decimals
        histograms = [r.keep('Distribution.png', f'waiting-{r.block}.png') for r in runs]
        curves = [(b, of[b].keep('Overhead_by_phase.png', f'overhead-{b}.png')) for b in (BLOCKS[0], BLOCKS[-1])]
        watch, share, stopped = watch_section(runs, best, folder, limit)

        def short(block):
            return f'{100 * sum(x < 0.005 for x in of[block].waits) / len(of[block].waits):.0f} %'

        def spread(block):
            return statistics.pstdev(of[block].waits) / statistics.fmean(of[block].waits)

        def median(block):
            return statistics.median(of[block].waits)

        by_size = [r.overhead[0][1] for r in runs]
        holds(by_size[0] < by_size[1] < min(by_size[2:4]) and max(by_size[2:4]) < by_size[4], 'smaller blocks raise the overhead of rows')
        holds(best.block == 64, 'the run with the smallest greatest overhead is the one with 64 lines')
        holds(all(median(a) > median(b) for a, b in zip(BLOCKS, BLOCKS[1:])), 'the typical wait vanishes with smaller blocks')
        holds(all(spread(a) < spread(b) for a, b in zip(BLOCKS, BLOCKS[1:])), 'deviation over mean grows')
        holds(sum(of[16].waits) == max(sum(r.waits) for r in runs), 'a task waits the most with 16 lines')
        holds(max(of[16].waits) == max(max(r.waits) for r in runs), 'the longest wait is that of 16 lines')
        page = PAGE.format(
            waiting=waiting_section(runs), overhead=overhead_section(runs), watch=watch, best=best.block, limit=f'{best.largest:.1f}',
            histograms='\n'.join(f'![Waiting times with blocks of {b} lines]({h})' for b, h in zip(BLOCKS, histograms) if h),
            curves='\n'.join(f'![Communication overhead by phase, {b} lines]({c})' for b, c in curves if c),
            stopped=f'![Where the watch stopped the run with 2 lines]({stopped})' if stopped else '', share=f'{share:.0f} %',
            few=len(of[64].waits), long64=sum(x >= 0.005 for x in of[64].waits), max64=ms(max(of[64].waits)),
            median64=ms(median(64)), median2=ms(median(2)), short4=short(4), short2=short(2), short16=short(16),
            spread64=f'{spread(64):.1f}', spread2=f'{spread(2):.1f}', wait16=ms(sum(of[16].waits) / 4), max16=ms(max(of[16].waits)),
            rows64=f'{of[64].overhead[0][1]:.0f}', rows32=f'{of[32].overhead[0][1]:.0f}',
            rows16=f'{of[16].overhead[0][1]:.0f}', rows4=f'{of[4].overhead[0][1]:.0f}', rows2=f'{of[2].overhead[0][1]:.0f}', over16=f'{of[16].largest:.1f}')
    while '\n\n\n' in page:
        page = page.replace('\n\n\n', '\n\n')
    with open(os.path.join(DOCS, 'study-fft2d.md'), 'w', encoding='utf-8') as f:
        f.write(page)


main()
