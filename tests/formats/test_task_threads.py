# SPDX-License-Identifier: Apache-2.0
"""Tasks that are told with threads of their own (TAPE): a task computes as its live threads do, on average; beside the raw file, at random instants."""
import csv
import fractions
import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), 'model'), HERE]
import raw                                                                                      # noqa: E402
from formats import ROOT, few, main                                                             # noqa: E402
from waits import Tables                                                                        # noqa: E402

SEED = int(os.environ.get('SCOPE_SEED', '16'))


def computed(trace, task, until, whole):
    """Ticks that a task computed: at each of them the share of its live threads that are let run and in no call of communication."""
    events = [e for e in trace.events if e.task == task and e.date <= until]
    threads, calls, runs_on = {0: 'runs'}, {}, set()
    first = last = since = None
    total, died = fractions.Fraction(0), until
    for e in events:
        if since is not None:
            live = [n for n, state in threads.items() if state != 'dead']
            busy = [n for n in live if threads[n] == 'runs' and not calls.get(n)]
            total += fractions.Fraction((e.date - since) * len(busy), max(len(live), 1))
            since = e.date
            last = e.date if e.category == 'thread' else last
        if e.kind == 'TskDth':
            died = e.date
        elif e.kind == 'ThdBth':
            threads[e.thread] = 'stopped'
        elif e.kind == 'ThdDth':
            threads[e.thread] = 'dead'
        elif e.kind == 'Run':
            n = e.fields['thread']
            if threads.get(n, 'runs') != 'stopped':
                runs_on.add(n)
            threads[n] = 'runs'
        elif e.kind == 'Stop':
            threads[e.thread] = 'runs' if e.thread in runs_on else 'stopped'
            runs_on.discard(e.thread)
        elif not e.instant:
            threads.setdefault(e.thread, 'runs')
            calls[e.thread] = calls.get(e.thread, 0) + (e.category != 'user') * (-1 if e.end else 1)
            since = first = e.date if first is None else first
            since, last = e.date, e.date
        if whole and e.date == last:
            at_last = total
    if first is None:
        return None
    if whole:
        return at_last
    live = [n for n, state in threads.items() if state != 'dead']
    busy = [n for n in live if threads[n] == 'runs' and not calls.get(n)]
    return total + fractions.Fraction(max(min(until, died) - since, 0) * len(busy), max(len(live), 1))


class TaskThreads(Tables):
    def test_computing_at_random_instants(self):
        any_, shares = random.Random(SEED), 0
        for name in raw.samples():
            path = os.path.join(ROOT, 'traces', name)
            trace = raw.read(path)
            if trace.model != 'OUF':
                continue
            for k in range(few(6) + 1):
                at = trace.last if k == 0 else any_.randrange(trace.first + 1, trace.last)
                out = self.path('at.csv')
                self.scope('draw', path, '--program', 'waits', '--view', 'Waits of tasks', '--at', f'{at / 1e9:.9f}', '-o', out, '-q')
                with open(out, newline='') as f:
                    mine = {row['task']: round(float(row['computing [s]']) * 1e9) for row in csv.DictReader(f)}
                for number, task in trace.tasks.items():
                    expected = computed(trace, number, at, k == 0)
                    if expected is None:
                        self.assertNotIn(task.nickname, mine)
                        continue
                    self.assertAlmostEqual(mine[task.nickname], float(expected), delta=len(trace.events), msg=(SEED, name, at, task.nickname))
                    shares += any(e.thread for e in trace.events if e.task == number) and expected > 0
        self.assertGreater(shares, 3)


main()
