# SPDX-License-Identifier: Apache-2.0
"""Wherever time stands in the window, its tables and pictures are those of that instant."""
import bisect
import csv
import json
import os
import random
import re

from harness import ROOT, SAMPLES, GdkPixbuf, main
from test_range import pvm, raw
from test_time import SCHEMAS, SIDE, STEP, Time, said


class Instants(Time):
    """Tables beside what a run that plays until that instant writes, pictures beside what the command draws of it."""
    TITLE = 26      # px that it takes in pictures
    UNITS = {'s': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9}

    def liveliest(self):
        """The part of 512 of the time in which most tasks live, of several that with most events, from the raw files."""
        trace = raw.read(self.trace)
        model, born, died = pvm.Pvm(trace), {}, {}
        for e in trace.events:
            model.step(e)
            for number, p in model.people.items():
                if p.seen is not None and p.seen.state != 'Dead':
                    born.setdefault(number, e.date)
                elif p.seen is not None and number in born:
                    died.setdefault(number, e.date)
        first, last = trace.first, trace.last
        ends = [first + (last - first) * k // 512 for k in range(513)]

        def lives(k):
            return sum(max(0, min(died.get(n, last), ends[k + 1]) - max(b, ends[k])) for n, b in born.items()) / (ends[k + 1] - ends[k])
        count = [0] * 512
        for e in trace.events:
            count[max(bisect.bisect_left(ends, e.date) - 1, 0)] += 1
        living = [lives(k) for k in range(512)]
        best = max((k for k in range(512) if living[k] >= 0.99 * max(living)), key=lambda k: (count[k], -k))
        return ends[best] / trace.ticks, ends[best + 1] / trace.ticks, round(max(living))

    def test_where_most_happens(self):
        """Before the first event one step leads to where views of an instant have most to show; then it is offered no longer."""
        w = self.open('fft2d-s16.trace')
        step = w.wait_for('push button', 'Where most happens', 60)
        self.assertTrue(w.find('label', re.compile('^No task lives')) or not w.find('drawing area', 'Picture of State graph').find('list item', re.compile('^fft')))
        begin, end, tasks = self.liveliest()
        step.click()
        w.wait(lambda: begin <= self.slider.value <= end, f'time stands between {begin} and {end}, not at {self.slider.value}')
        w.wait(lambda: not w.find('push button', 'Where most happens'), 'it is offered no longer')
        w.wait(lambda: len([i for i in w.find('drawing area', 'Picture of State graph').children if re.match(r'fft \d\b', i.name)]) >= tasks, 'all tasks are seen')
        w.key('Home')
        w.wait_for('push button', 'Where most happens')

    def written(self, traces, program, at, file):
        out = self.path('written')
        said('run', *traces, '--program', program, '--until', f'{at:.9f}', '--out', out)
        with open(os.path.join(out, file), newline='') as f:
            rows = list(csv.DictReader(f))
        return {r['task']: {k[:-4]: float(v) for k, v in r.items() if k.endswith(' [s]')} for r in rows}

    def shown_table(self, w, name):
        """Seconds in each state, of each task, as the table tells them: three digits."""
        rows = {}
        for row in w.find('drawing area', 'Picture of ' + name).children:
            m = re.match(r'task ([^,]+), ', row.name)
            if m:
                rows[m[1]] = {k: float(v.replace('\u202f', '').replace(',', '')) * self.UNITS[u]
                              for k, v, u in re.findall(r'(\w+) ([\d.,\u202f]+)\u2009(s|ms|µs|ns)\b', row.name)}
        return rows

    def is_that_of(self, w, name, want):
        def same():
            got = self.shown_table(w, name)
            return got.keys() == want.keys() and all(abs(got[t][s] - v) <= 0.0051 * v + 1e-9 for t, of in want.items()
                                                     for s, v in of.items())
        w.wait(same, f'{name} is {want}', 20)

    def test_between_events(self):
        program = os.path.join(SCHEMAS, 'load-balance.eve')
        w = self.open('fft2d-s2.trace', program=program)
        w.wait_for('drawing area', 'Picture of Time by state', 30)
        dates = [0.05] + [random.uniform(self.dates[0], self.dates[-1]) for _ in range(4)]
        for at in dates:
            self.go(w, f'{at:.9f}')
            self.stands(w, bisect.bisect_right(self.dates, at), asked=at)
            self.is_that_of(w, 'Time by state', self.written([self.trace], program, at, 'states.csv'))
        # worked out again after an edit, time stands where it stood
        w.wait_for('panel', 'Durations').click(fx=0.3, fy=0.12)
        w.key('Delete')
        w.wait_gone('panel', 'Durations')
        w.key('ctrl+z')
        w.wait_for('panel', 'Durations')
        self.stands(w, bisect.bisect_right(self.dates, at), asked=at)
        self.is_that_of(w, 'Time by state', self.written([self.trace], program, at, 'states.csv'))
        w.key('comma')              # before the last event, and not before the instant
        self.stands(w, bisect.bisect_right(self.dates, at) - 1)

    @staticmethod
    def picture_file(path):
        """Lines of a PNG, as those of the screen: blue, green, red, nothing."""
        p = GdkPixbuf.Pixbuf.new_from_file(path)
        n, line, data, width = p.get_n_channels(), p.get_rowstride(), p.get_pixels(), p.get_width()
        lines = []
        for y in range(p.get_height()):
            row, out = data[y * line:y * line + width * n], bytearray(width * 4)
            out[0::4], out[1::4], out[2::4] = row[2::n], row[1::n], row[0::n]
            lines.append(bytes(out))
        return lines

    def pictures_are_those_of(self, w, program, at):
        """Each pane comes to show what `scope draw` draws of the instant; the label of the present, which the window draws
        over a picture that it keeps, may have other edges.  A title stands above the pane, and not once more in its picture."""
        w.move(700, 30)
        w.settle()
        for area in w.find_all('drawing area', re.compile('^Picture of ')):
            name, (x, y, wide, high), path = area.name[len('Picture of '):], area.box, self.path('drawn.png')
            said('draw', self.trace, '--program', program, '--view', name, '--at', at, '--size', f'{wide}x{high}', '-o', path, '--quiet')
            drawn, differ = self.picture_file(path), []

            def same():
                _, _, line, screen = w.pixels()
                differ[:] = [(i, j) for j, want in enumerate(drawn) if j >= self.TITLE
                             for here in [screen[(y + j) * line + x * 4:(y + j) * line + (x + wide) * 4]] if here != want
                             for i in range(wide) if max(abs(here[4 * i + k] - want[4 * i + k]) for k in range(3)) > 8]
                return len(differ) <= 150 and all(abs(i - differ[0][0]) <= 80 and abs(j - differ[0][1]) <= 12 for i, j in differ)

            # a pane is drawn when the window has time for it, which is late on a busy machine
            try:
                w.wait(same, f'{name} is drawn', 20)
            except AssertionError:
                w.shot_of_failure()
                self.fail(f'{name} at {at}: {len(differ)} pixels differ from what `scope draw` draws, the first at {differ[0]}')

    def test_pictures(self):
        for trace, program in (('philosophers.trace', os.path.join(ROOT, 'schemas', 'tape', 'views.eve')),
                               ('farm.trace', os.path.join(SCHEMAS, 'waiting-times.eve'))):
            w = self.open(trace, program=program)
            w.wait_for('drawing area', re.compile('^Picture of '), 30)
            w.wait_gone('label', re.compile('^Shooting'), 60)
            w.key('F10')                    # without the legend at the right, which pictures beside it have not
            w.wait_gone('label', 'Marks')
            self.pictures_are_those_of(w, program, '#0')
            at = round(random.uniform(self.dates[0], self.dates[-1]), 9)
            self.go(w, f'{at:.9f}')
            self.stands(w, bisect.bisect_right(self.dates, at), asked=at)
            self.pictures_are_those_of(w, program, f'{at:.9f}')
            n = random.randrange(5, len(self.dates))
            self.go(w, f'#{n}')
            self.stands(w, n)
            w.key('comma', 'comma', 'period')
            self.stands(w, n - 1)
            self.pictures_are_those_of(w, program, f'#{n - 1}')
            w.kill()

    def test_two_traces(self):
        """Pointer and keys, two executions: both are at the instant that the time bar tells."""
        traces = [SAMPLES + '/fft2d-s2.trace', SAMPLES + '/farm.trace']
        program = os.path.join(SCHEMAS, 'compare.eve')
        both = [[json.loads(line)['t'] for line in said('events', t, '--json').splitlines()] for t in traces]
        w = self.start(*traces)
        for k in (1, 2):
            w.wait_for('drawing area', f'Picture of Time by state {k}', 30)
        self.bar = w.wait_for(None, 'Time panel')
        self.slider = self.bar.find('slider', 'Time')

        w.wait_for('label', re.compile('^PVM · 4 \\+ 5 tasks · 7076 \\+ 1314 events'), 30)

        def stands(at):
            """Both tables, and the numbers of events, are those of the instant."""
            w.wait(lambda: w.find('push button', 'Play'), 'it rests', 30)
            if at is None:
                at = round(self.slider.value, 9)
            self.assertAlmostEqual(self.slider.value, at, delta=2e-9)
            for k in (1, 2):
                self.is_that_of(w, f'Time by state {k}', self.written(traces, program, at, f'states-{k}.csv'))
            given = ' + '.join(str(bisect.bisect_right(dates, at + 1e-10)) for dates in both)
            told = STEP.sub(' ', w.find('push button', 'Present').description)
            self.assertIn(f', events {given} of 7076 + 1314', re.sub(r'(?<=\d) (?=\d)', '', told))
            return at

        union = sorted({d for dates in both for d in dates})
        for _ in range(3):
            at = round(random.uniform(union[0], union[-1]), 9)
            self.go(w, f'{at:.9f}')
            w.wait(lambda: abs(self.slider.value - at) < 2e-9, 'it is there', 30)
            stands(at)
            i = bisect.bisect_right(union, at)
            w.key('period')
            w.wait(lambda: abs(self.slider.value - union[i]) < 2e-9, 'a step is the next date that has an event', 30)
            stands(union[i])
            w.key('comma')
            w.wait(lambda: abs(self.slider.value - union[i - 1]) < 2e-9, 'and back', 30)
            stands(union[i - 1])
        x, y, width, height = self.slider.box
        w.click(x + SIDE + random.uniform(0.1, 0.9) * (width - 2 * SIDE), y + height / 2)
        w.settle()
        began = stands(None)
        self.choose(w, 'Speed', '10 events a second')
        w.key('space')
        w.wait_for('push button', 'Pause')
        w.wait(lambda: self.slider.value > began, 'it plays', 30)
        w.key('space')
        stands(None)


if __name__ == '__main__':
    main()
