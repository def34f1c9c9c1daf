# SPDX-License-Identifier: Apache-2.0
"""What is heard of an execution, measured in the WAV file: which pitch when, how loud, which clicks; against the raw events.

usage: test_sound.py SCOPE SOURCE_FOLDER"""
import math
import os
import subprocess
import sys
import tempfile
import wave

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tape

SCOPE, ROOT = sys.argv[1:3]
RATE, CELLS = 22050, 100
checks = 0


def check(what, ok):
    global checks
    checks += 1
    if not ok:
        sys.exit(f'FAILED: {what}')


def heard(folder, trace, lasts, **settings):
    inner = ''.join(f'<setting name="{k}">{v}</setting>' for k, v in dict(settings, lasts=lasts).items())
    path = os.path.join(folder, 'sound.eve')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(f'''<eve version="1"><title>t</title><component name="R" class="scope.tapepvm-reader" version="1" x="0" y="0"/>
          <component name="W" class="scope.waiting-times" version="1" x="0" y="0"/>
          <component name="S" class="scope.sound" version="1" x="0" y="0">{inner}</component>
          <wire from="R" out="events" to="W" in="events"/><wire from="W" out="dated" to="S" in="in"/></eve>''')
    out = os.path.join(folder, 'out')
    subprocess.run([SCOPE, 'run', trace.bundle, '--program', path, '--out', out], check=True, capture_output=True, timeout=120)
    with wave.open(os.path.join(out, 'sound.wav')) as w:
        check('one channel of 16 bits', (w.getnchannels(), w.getsampwidth(), w.getframerate()) == (1, 2, RATE))
        check(f'it lasts {lasts} s', w.getnframes() == int(lasts * RATE))
        data = w.readframes(w.getnframes())
    return [int.from_bytes(data[i:i + 2], 'little', signed=True) / 32767 for i in range(0, len(data), 2)]


def cells_of(trace, lasts):
    """cell -> waiting times that ended in it"""
    n, first = round(lasts * CELLS), min(e[0] for e in trace.events)
    cells = {}
    for date, _, seconds in trace.receives():
        cells.setdefault(min(int((date - first) / (trace.last - first) * n), n - 1), []).append(seconds)
    return n, cells


def samples_of(samples, cell):
    return samples[cell * RATE // CELLS:(cell + 1) * RATE // CELLS]


def loudness(samples):
    return math.sqrt(sum(v * v for v in samples) / len(samples))


def pitch(samples):
    """By the times between the first and the last passage upwards."""
    ups = [i + a / (a - b) for i, (a, b) in enumerate(zip(samples, samples[1:])) if a < 0 <= b]
    return RATE * (len(ups) - 1) / (ups[-1] - ups[0]) if len(ups) > 2 else None


def main():
    trace = tape.Trace(ROOT, 'fft2d-s4')
    lasts, low, high = 6, 200, 1600
    n, cells = cells_of(trace, lasts)
    check('there are receives', len(cells) > 20)
    with tempfile.TemporaryDirectory() as folder:
        clicks = heard(folder, trace, lasts, **{'as': 'clicks'})
        for cell in range(n):
            loud = loudness(samples_of(clicks, cell)) > 0.01
            check(f'click {cell}', loud == (cell in cells))
        tone = heard(folder, trace, lasts, lowest=low, highest=high)
        means = {c: sum(v) / len(v) for c, v in cells.items()}
        least, most = min(means.values()), max(means.values())
        begins = sorted(means)
        check('silence before', loudness(tone[:begins[0] * RATE // CELLS]) == 0 if begins[0] else True)
        long_ones = 0
        for cell, end in zip(begins, begins[1:] + [n]):
            if end - cell < 4:
                continue
            long_ones += 1
            want = low * (high / low) ** ((means[cell] - least) / (most - least))
            got = pitch(tone[cell * RATE // CELLS + 200:end * RATE // CELLS])
            check(f'pitch of cell {cell}: {got}, not {want}', got is None and want * (end - cell) < 400 or got and abs(got / want - 1) < 0.02)
        check('tones that last', long_ones > 5)
        level = heard(folder, trace, lasts, **{'as': 'level', 'from': 0, 'to': most})
        for cell, end in zip(begins, begins[1:] + [n]):
            if end - cell < 4:
                continue
            want = 0.7 * means[cell] / most / math.sqrt(2)
            got = loudness(tone_end := level[(cell + 2) * RATE // CELLS:end * RATE // CELLS])
            check(f'level of cell {cell}: {got}, not {want}', abs(got - want) < 0.02 and tone_end)
    print(f'{checks} things heard')


main()
