#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-ouf.py CASE BUILD SOURCE - one case of the tests of the runtime and its traces, in a folder of its own."""
import decimal
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

case, build, source = sys.argv[1:4]
spec = importlib.util.spec_from_file_location('check_ouf', os.path.join(source, 'tests', 'tracer-ouf', 'check-ouf.py'))
check_ouf = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(check_ouf)
random.seed(os.environ.get('SCOPE_SEED', '1'))
kinds = check_ouf.read_kinds(os.path.join(source, 'readers', 'tape'))


def program(name, traced=True):
    folder = os.path.join(build, 'tests', 'tracer-ouf') if name == 'tricks' else os.path.join(build, 'traces', 'programs', 'ouf')
    return os.path.join(folder, 'ouf-' + name + ('-tape' if traced else ''))


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith('OUF_')}
    return dict(env, **{k: str(v) for k, v in more.items()})


def run(name, *arguments, status=0, traced=True, said=None, limit=60, **env):
    done = subprocess.run([program(name, traced), *map(str, arguments)], timeout=100, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment(**{'OUF_LIMIT': limit, 'OUF_TRACE': 'x.trace', **env}))
    print(done.args, done.stdout, done.stderr, sep='\n')
    assert done.returncode == status, 'status %d, not %d' % (done.returncode, status)
    assert said is None or re.search(said, done.stdout + done.stderr), 'not said: ' + said
    return done


def traced(name, *arguments, chosen=False, **more):
    shutil.rmtree('x.trace', ignore_errors=True)
    run(name, *arguments, **more)
    return check_ouf.check('x.trace', kinds, chosen=chosen)


def count(trace, name, /, **fields):
    return sum(e.name == name and all(e.fields[k] == v for k, v in fields.items()) for e in trace.events)


PROGRAMS = [('fft2d-cube', 16), ('fft2d-cube', 64, 2), ('pipeline', 4, 8), ('pipeline', 1, 3), ('farm', 3, 25),
            ('farm', 1, 2), ('philosophers', 'well', 5, 6), ('philosophers', 'well', 2, 3)]


def case_programs():
    """Each gives the same, plain and traced, and all of it is in the trace."""
    seen = set()
    for name, *arguments in PROGRAMS:
        run(name, *arguments, traced=False, said=': OK')
        assert not os.path.exists('x.trace'), 'the plain library left a trace'
        trace = traced(name, *arguments, said=': OK')
        seen |= {e.name for e in trace.events}
        assert all(e.name != 'TskDth' or e.fields['result'] == 0 for e in trace.events)
        assert not any(e.duration == -1 for e in trace.events), 'something did not end'
        if name == 'fft2d-cube':
            # A cube: each has a link to each of its 3 neighbours, and 3 messages a transposition to each.
            assert len(trace.topology.links) == 24 and len(trace.topology.tasks) == 8
            assert all(bin(a ^ b).count('1') == 1 for a, b, _ in trace.topology.links)
            block = (arguments[0] // 8) ** 2 * 4 * 16
            assert count(trace, 'EndReceive', bytes=block) == 4 * 24
            assert count(trace, 'EndReceive') == 4 * 24 + 7
        shutil.rmtree('x.trace')
    assert seen >= {'TSend', 'TReceive', 'Alt', 'NAlt', 'EndAlt', 'SemGOk', 'ThdBth', 'ThdDth', 'Run', 'Wait'}, seen


def case_philosophers():
    """The trace of a deadlock tells who waits for what: a circle."""
    run('philosophers', 'deadlock', traced=False, status=124, limit=1)
    trace = traced('philosophers', 'deadlock', 5, 20, status=124, limit=2)
    last = {}
    for e in trace.by_task[0]:
        if e.name not in ('TskDth', 'Phase'):
            last[e.thread] = e
    holder, waits = {}, {}
    for e in trace.by_task[0]:
        if e.name == 'SemG' or e.name == 'SemGOk' and e.fields['result']:
            holder[e.fields['semaphore']] = e.thread
        elif e.name == 'SemV':
            holder.pop(e.fields['semaphore'], None)
    for thread in range(1, 6):
        assert last[thread].name == 'SemP' and last[thread].duration == -1, last[thread]
        waits[thread] = holder[last[thread].fields['semaphore']]
    one, circle = 1, set()
    while one not in circle:
        circle.add(one)
        one = waits[one]
    assert len(circle) == 5, waits
    assert {e.name for e in trace.events} >= {'Stop', 'Run'}
    cook = trace.by_task[1]
    assert cook[-1].fields['result'] == -9 and cook[-2].name == 'Receive' and cook[-2].duration == -1


def case_deaths():
    run('deaths', traced=False, status=139, said=': OK')
    for size in (4096, 262144, 1000000):
        trace = traced('deaths', size, status=139, said=': OK')
        ends = [t[-1].fields['result'] for t in trace.by_task]
        assert ends == [-signal.SIGSEGV, -signal.SIGKILL, 0, 7, 0], ends
        got, = [e for e in trace.by_task[4] if e.name == 'EndReceive' and e.fields['link'] == 0]
        size = size // 4096 * 4096
        assert got.fields['result'] == -1
        # What came are whole pieces, unless it died with the first one in hand.
        assert got.fields['bytes'] == size // 32768 * 32768 and got.fields['meeting'] == (1 if size > 32768 else 0)
        sending = [e for e in trace.by_task[0] if e.name == 'Send']
        assert sending[0].duration == -1 and trace.by_task[0][-1].date >= sending[0].date


def case_tricks():
    for name in ('messages', 'limits', 'alternatives', 'threads', 'noise'):
        run('tricks', name, traced=False)
        trace = traced('tricks', name)
        if name == 'threads':
            assert trace.topology.tasks[0][0] == 'crowd%20of%20100%25' and trace.topology.links[0][2] == 'words%20of%20many'
            assert count(trace, 'ThdBth', name='talker 3%') == 1 and count(trace, 'SemInit', name='x' * 255) == 1
            assert count(trace, 'SemInit', name='') == 1
        if name == 'noise':
            assert count(trace, 'User') == 2 * 4 * 4000 and count(trace, 'EndPhase') == 2 * 4 * 8000
            assert {e.fields['value'] for e in trace.events if e.name == 'User'} == set(range(4000))
            open_ = [e for e in trace.events if e.name == 'Phase' and e.duration == -1]
            assert len([e for e in open_ if e.fields['name'] == 'left open']) == 8
            assert {e.virtual for e in trace.events} == {0} and len(trace.blocks[0]) > 50
            assert max(e.at for b in trace.blocks[0] for e in b['events']) > 1 << 22
    run('tricks', 'placement', traced=False)
    trace = traced('tricks', 'placement')
    assert trace.topology.virtual == [2, 0, 0, 1] and [v for _, v in trace.topology.tasks] == [1, 0, 2, 3, 0]
    assert {(e.task, e.virtual, e.physical) for e in trace.events} == {(0, 1, 0), (1, 0, 2), (2, 2, 0), (3, 3, 1), (4, 0, 2)}
    run('tricks', 'ends', traced=False, status=3)
    trace = traced('tricks', 'ends', status=3)
    assert [t[-1].fields['result'] for t in trace.by_task] == [0, 0, 3, -9]


def case_many():
    """Again and again, so that races have their chance."""
    for _ in range(4):
        traced('tricks', 'limits')
        traced('pipeline', 3, 9)
        traced('deaths', status=139)


def case_choose():
    trace = traced('farm', 2, 10, chosen=True, OUF_EVENTS='alternative,Send')
    assert {e.name for e in trace.events} == {'TskBth', 'TskDth', 'Alt', 'NAlt', 'EndAlt', 'Send'}
    assert all(e.duration > 0 for e in trace.events if e.name == 'Send'), 'a begin without its end has a duration'
    trace = traced('farm', 2, 10, chosen=True, OUF_EVENTS='-point,-user')
    assert {'task', 'alternative'} <= {e.category for e in trace.events} <= {'task', 'alternative', 'wait'}
    trace = traced('tricks', 'choosy', chosen=True)
    assert [e.name for e in trace.events] == ['TskBth', 'User', 'User', 'Wait', 'SemV', 'Wait', 'EndWait', 'EndWait', 'TskDth']
    assert [e.fields['name'] for e in trace.events if e.name == 'User'] == ['first', 'second']
    shutil.rmtree('x.trace')
    for wrong in ('nonsense', ',', 'Sen', '-', 'point,-nonsense'):
        run('farm', status=120, said='OUF_EVENTS', OUF_EVENTS=wrong)
        assert not os.path.exists('x.trace')
    run('farm', 2, 10, traced=False, OUF_EVENTS='nonsense')


def start(*arguments):
    shutil.rmtree('x.trace', ignore_errors=True)
    return subprocess.Popen([program('tricks'), *arguments], stdin=subprocess.DEVNULL, start_new_session=True,
                            env=environment(OUF_TRACE='x.trace', OUF_LIMIT=60))


def wait_for_events(group):
    """Until the program that runs has filled a block of each of its two tasks."""
    for _ in range(15000):
        assert group.poll() is None
        if os.path.exists('x.trace/x.tape/index') and os.path.getsize('x.trace/x.tape/index') >= 32 + 2 * 48:
            return
        time.sleep(0.002)
    raise AssertionError('no events come')


def case_killed():
    """All at once, the collecting task too: what was recorded is there."""
    rounds = 0
    for i in range(12):
        group = start('chatter')
        wait_for_events(group)
        time.sleep(random.random() * 0.3)
        os.killpg(group.pid, signal.SIGKILL)
        group.wait()
        trace = check_ouf.check('x.trace', kinds, killed=True)
        said = [[e.fields['value'] for e in t if e.name == 'User'] for t in trace.by_task]
        print(i, [len(s) for s in said], [len(b) for b in trace.blocks])
        assert all(s == list(range(len(s))) for s in said), 'something is missing'
        assert abs(len(said[0]) - len(said[1])) <= 2, 'the two are not of one moment'
        rounds += len(said[0])
        assert any(not b['closed'] for t in trace.blocks for b in t)
    assert rounds > 100
    # Only the collecting task: the others die with it, soon.
    group = start('chatter')
    wait_for_events(group)
    os.kill(group.pid, signal.SIGKILL)
    group.wait()
    time.sleep(0.2)
    first = len(check_ouf.check('x.trace', kinds, killed=True).events)
    time.sleep(0.2)
    assert len(check_ouf.check('x.trace', kinds, killed=True).events) == first > 0, 'tasks go on without it'


def case_storm():
    """Tasks are killed one by one while they record as fast as they can: in the middle of an event, of a block, of making
    one.  The collecting task ends them all in good order."""
    for i in range(5):
        group = start('storm')
        wait_for_events(group)
        children = open('/proc/%d/task/%d/children' % (group.pid, group.pid)).read().split()
        assert len(children) == 3
        for child in children:
            time.sleep(random.random() * 0.004)
            os.kill(int(child), signal.SIGKILL)
        assert group.wait(60) == 128 + signal.SIGKILL
        trace = check_ouf.check('x.trace', kinds)
        print(i, [len(t) for t in trace.by_task])
        assert all(t[-1].fields['result'] == -9 for t in trace.by_task)
        for thread in (0, 1):
            for t in trace.by_task:
                said = [e.fields['value'] for e in t if e.name == 'User' and e.thread == thread]
                assert said == list(range(len(said))), 'something is missing'


def case_interrupt():
    for number in (signal.SIGTERM, signal.SIGINT):
        group = start('chatter')
        wait_for_events(group)
        group.send_signal(number)
        assert group.wait(20) == 128 + number
        trace = check_ouf.check('x.trace', kinds)
        assert count(trace, 'TskDth', result=-9) == 2 and count(trace, 'User') > 10


def case_cut():
    """A file that ends anywhere holds what is whole before that."""
    whole = traced('pipeline', 3, 6)
    data = open('x.trace/x.tape/events', 'rb').read()
    for size in random.sample(range(64, len(data)), 200) + [64, len(data) - 1]:
        with open('x.trace/x.tape/events', 'wb') as f:
            f.write(data[:size])
        trace = check_ouf.Trace('x.trace', kinds, killed=True) if size < len(data) else whole
        expected = [e for e in whole.events if e.at + struct.unpack_from('H', data, e.at)[0] <= size]
        assert trace.events == expected, (size, len(trace.events), len(expected))


def case_wrong():
    sentences = {0: 'link 1 .b-a. goes from idle to wrong: this task cannot send on it', 1: 'no link -1',
                 2: 'goes from wrong to idle: this task cannot receive', 3: 'no link 9', 4: 'needs 1 to 1024 links, not 0',
                 5: 'no semaphore 3', 6: 'no thread 77', 7: '-1 is less than 0', 8: 'ouf_link: the application runs already',
                 10: 'from task 0 to task 0', 11: 'no physical processor 1000000', 12: 'ouf_send: called outside a task'}
    for which, sentence in sentences.items():
        for is_traced in (False, True):
            run('tricks', 'wrong', which, traced=is_traced, status=120, said=sentence)
        if which < 10:
            trace = check_ouf.check('x.trace', kinds)
            assert trace.by_task[0][-1].fields['result'] == 120
    run('tricks', 'empty', status=120, said='there is no task')
    run('farm', 2, 10, limit='soon', status=120, said='OUF_LIMIT: soon is not a number of seconds')


def case_bundles():
    for path in ('x', 'x.tape', '.trace', 'no/such/x.trace'):
        run('farm', 2, 10, status=120, said='trace|No such', OUF_TRACE=path)
    with open('file.trace', 'w'):
        run('farm', 2, 10, status=120, said='Not a directory', OUF_TRACE='file.trace')
    run('farm', 2, 10, OUF_TRACE='')
    check_ouf.check('ouf-farm-tape.trace', kinds)
    # Again, over what is there; whoever reads the old file goes on reading it.
    run('farm', 2, 10, OUF_TRACE='y.trace/')
    old = open('y.trace/y.tape/events', 'rb')
    size = os.fstat(old.fileno()).st_size
    run('pipeline', 2, 4, OUF_TRACE='y.trace')
    assert os.fstat(old.fileno()).st_size == size
    old.close()
    trace = check_ouf.check('y.trace', kinds)
    assert len(trace.topology.tasks) == 4
    assert sorted(os.listdir('y.trace/y.tape')) == ['events', 'index', 'topology']
    text = open('y.trace/doc/run.md').read()
    assert 'ouf-pipeline-tape 2 4' in text and re.search(r'About \d+ ns an event', text), text
    assert '%d events' % len(trace.events) in text
    run('tricks', 'cost', 300, said='ns a message')


def case_full():
    """No room for more: the program goes on, what was recorded is there."""
    def narrow():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    done = subprocess.run([program('tricks'), 'noise'], preexec_fn=narrow, env=environment(OUF_TRACE='x.trace'), text=True,
                          stderr=subprocess.PIPE, timeout=100)
    print(done.stderr)
    assert done.returncode == 0 and 'task 1 is recorded up to here' in done.stderr
    trace = check_ouf.check('x.trace', kinds, killed=True, full=True)
    assert 10000 < len(trace.events) < 40000 and os.path.getsize('x.trace/x.tape/events') <= 1 << 20


def case_checker():
    """The checker is worth something: what is changed in a good trace, it finds."""
    trace = traced('philosophers', 'well', 3, 3)
    event = next(e for e in trace.by_task[0] if e.name == 'SemV')
    receive = next(e for e in trace.by_task[1] if e.name == 'EndReceive' and e.fields['meeting'] == 4)
    block = trace.blocks[1][0]['at']
    events, index, topology = ('x.trace/x.tape/' + n for n in ('events', 'index', 'topology'))
    changes = [
        (events, event.at, 'H', 8), (events, event.at + 2, 'H', 8), (events, event.at + 4, 'B', 99),
        (events, event.at + 5, 'B', 10), (events, event.at + 6, 'H', 7), (events, event.at + 8, 'q', -5),
        (events, event.at + 8, 'q', 1 << 61), (events, event.at + 16, 'q', 3), (events, event.at + 24, 'I', 1),
        (events, event.at + 28, 'H', 9), (events, event.at + 30, 'H', 9), (events, event.at + 32, 'q', 77),
        (events, event.at + 40, 'q', 77), (events, receive.at + 32, 'q', 1), (events, receive.at + 40, 'q', 3),
        (events, receive.at + 48, 'q', 5), (events, receive.at + 48, 'q', 3), (events, receive.at + 56, 'q', -1),
        (events, receive.at + 56, 'q', -2), (events, block, 'I', 0), (events, block + 4, 'I', 0), (events, block + 8, 'I', 64),
        (events, block + 12, 'I', 0), (events, block + 12, 'I', 1 << 20), (events, block + 16, 'I', 1),
        (events, block + 20, 'I', 64), (events, block + 24, 'q', 0), (events, block + 32, 'q', 1),
        (events, block + 40, 'Q', 1), (events, block + 48, 'Q', 64), (events, 8, 'I', 0x04030201), (events, 12, 'I', 2),
        (events, 16, 'Q', 1), (index, 16, 'Q', 1), (index, 24, 'I', 0), (index, 32, 'Q', 8), (index, 40, 'I', 80),
        (index, 48, 'I', 0), (topology, 1, 'B', ord('P')),
    ]
    for path, at, form, value in changes:
        with open(path, 'r+b') as f:
            before = f.read()
            assert struct.unpack_from(form, before, at)[0] != value, 'no change'
            f.seek(at)
            f.write(struct.pack(form, value))
        try:
            check_ouf.check('x.trace', kinds)
        except (check_ouf.Wrong, struct.error, UnicodeDecodeError) as wrong:
            print(path, at, form, value, '->', wrong)
        else:
            raise AssertionError('not found: %s at %d' % (path, at))
        with open(path, 'wb') as f:
            f.write(before)
    check_ouf.check('x.trace', kinds)


def case_recorded():
    """The traces that are kept in the tree; together they have events of every type."""
    folder = os.path.join(source, 'traces')
    names = [n for n in sorted(os.listdir(folder)) if os.path.isdir(os.path.join(folder, n, n[:-6] + '.tape'))]
    seen = set()
    for name in names:
        trace = check_ouf.check(os.path.join(folder, name), kinds)
        print(name, len(trace.events))
        seen |= {e.name for e in trace.events}
        size = sum(os.path.getsize(os.path.join(f, one)) for f, _, all_ in os.walk(os.path.join(folder, name)) for one in all_)
        assert size < 400000, 'too large to be kept: %s, %d bytes' % (name, size)
        assert os.path.exists(os.path.join(folder, name, 'doc', 'README.md'))
    assert len(names) >= 6 and seen == {kind[0] for kind in kinds.values()}, {kind[0] for kind in kinds.values()} - seen


def swap(folder):
    """The same trace as a machine of the other byte order would have written it."""
    trace = check_ouf.Trace(folder, kinds)
    data, other = bytearray(trace.data), {'<': '>', '>': '<'}[trace.order]

    def turn(form, at):
        struct.pack_into(other + form, data, at, *struct.unpack_from(trace.order + form, trace.data, at))

    turn(check_ouf.EVENTS_HEAD, 0)
    for blocks in trace.blocks:
        for block in blocks:
            turn(check_ouf.BLOCK, block['at'])
            for e in block['events']:
                turn(check_ouf.EVENT, e.at)
                words = sum(len(v) if isinstance(v, list) else 1 for v in e.fields.values()) + ('links' in e.fields)
                turn('%dq' % words, e.at + 32)
    with open(os.path.join(trace.folder, 'events'), 'wb') as f:
        f.write(data)
    path = os.path.join(trace.folder, 'index')
    index = open(path, 'rb').read()
    forms = [(check_ouf.INDEX_HEAD, 0)] + [(check_ouf.ENTRY, at) for at in range(32, len(index), 48)]
    with open(path, 'wb') as f:
        for form, at in forms:
            f.write(struct.pack(other + form, *struct.unpack_from(trace.order + form, index, at)))


def read_by_scope(folder, trace):
    """Two readers that know nothing of each other must read the same."""
    done = subprocess.run([os.environ['SCOPE'], 'events', '--json', folder], stdout=subprocess.PIPE, text=True, timeout=100)
    lines = done.stdout.splitlines()
    print(folder, len(lines), 'events', 'status', done.returncode)
    assert len(lines) == len(trace.events), (len(lines), len(trace.events))
    for line, e in zip(lines, trace.events):
        got = json.loads(line, parse_float=decimal.Decimal)
        same = {'t': decimal.Decimal(e.date).scaleb(-9), 'task': trace.topology.tasks[e.task][0],
                'thread': e.thread, 'physical': e.physical, 'virtual': e.virtual}
        same.update({f: e.fields[f] for f in ('bytes', 'meeting', 'value', 'name', 'limit_ns', 'room', 'pid') if f in e.fields})
        if e.duration > 0:
            same['duration'] = decimal.Decimal(e.duration).scaleb(-9)
        assert all(got[k] == v for k, v in same.items()), (line, e)
        assert got['kind'] in (e.name, e.begin) and bool(got.get('end')) == (e.flag == 'end'), line
        assert (e.duration == -1) == bool(got.get('unfinished')), line


def case_read():
    folder = os.path.join(source, 'traces')
    for name in ('deaths', 'farm-alt', 'philosophers-deadlock', 'fft2d-cube'):
        read_by_scope(os.path.join(folder, name + '.trace'), check_ouf.check(os.path.join(folder, name + '.trace'), kinds))
    trace = traced('tricks', 'messages')
    read_by_scope('x.trace', trace)
    swap('x.trace')
    other = check_ouf.check('x.trace', kinds)
    assert other.order != trace.order and other.events == trace.events
    read_by_scope('x.trace', trace)
    group = start('chatter')
    wait_for_events(group)
    time.sleep(0.1)
    os.killpg(group.pid, signal.SIGKILL)
    group.wait()
    trace = check_ouf.check('x.trace', kinds, killed=True)
    read_by_scope('x.trace', trace)
    data = open('x.trace/x.tape/events', 'rb').read()
    used = max(e.at for e in trace.events)
    for size in (used // 5 * 4, used // 2 + 12, used // 3):
        with open('x.trace/x.tape/events', 'wb') as f:
            f.write(data[:size])
        read_by_scope('x.trace', check_ouf.Trace('x.trace', kinds, killed=True))


work = tempfile.mkdtemp(prefix='ouf-')
os.chdir(work)
try:
    globals()['case_' + case]()
finally:
    os.chdir('/')
    shutil.rmtree(work)
