#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-mpi.py CASE TAPE-MPI SCOPE PROGRAMS ENDS - one case of the tests of the tracer of MPI programs: what is in the
archive, as otf2-print tells it, is what the program did; and what scope reads of it is the same."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

case = sys.argv[1]
tape, scope, programs, ends = map(os.path.abspath, sys.argv[2:6])
source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIP = 77
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_rmaps_base_oversubscribe='1',
           OMPI_MCA_btl_vader_single_copy_mechanism='none', OMPI_MCA_btl='self,vader', OMPI_MCA_plm_rsh_agent='', OMPI_MCA_oob_tcp_if_include='lo')


class Archive:
    """What otf2-print tells."""
    def __init__(self, folder):
        anchor = os.path.join(folder, 'traces.otf2')
        self.defined = self.text('-G', anchor)
        self.records = []               # (location, date, kind, {field: words})
        self.counts = collections.Counter()
        for line in self.text(anchor).splitlines():
            m = re.match(r'([A-Z_0-9]+) +(\d+) +(\d+)(?:  (.*))?$', line)
            if m:
                self.records.append((int(m[2]), int(m[3]), m[1], m[4] or ''))
                self.counts[m[1]] += 1
            elif 'ADDITIONAL' in line:
                self.records[-1] = self.records[-1][:3] + (self.records[-1][3] + ' ' + line.strip(),)
        groups = {}
        self.members, self.two = {}, {}
        for line in self.defined.splitlines():
            if line.startswith('GROUP'):
                m = re.match(r'GROUP +(\d+) .*Type: (\w+),.*?\d+ Members?:? ?(.*)', line)
                if m and m[2] == 'COMM_GROUP':
                    groups[m[1]] = [int(x) for x in re.findall(r'(\d+) \("', m[3])]
            m = re.match(r'COMM +(\d+) .*Group: ".*?" <(\d+)>', line)
            if m:
                self.members[m[1]] = groups.get(m[2])
            m = re.match(r'INTER_COMM +(\d+) .*Group A: ".*?" <(\d+)>, Group B: ".*?" <(\d+)>', line)
            if m:
                self.two[m[1]] = (groups[m[2]], groups[m[3]])

    @staticmethod
    def text(*arguments):
        done = subprocess.run(['otf2-print', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        # members that are in another MPI_COMM_WORLD have no rank here
        said = [line for line in done.stderr.splitlines() if case != 'strangers' or 'invalid rank in Group(COMM_GROUP)' not in line]
        assert done.returncode == 0 and not said, done.stderr[:2000]
        return done.stdout

    def task(self, comm, rank, me):
        if comm in self.two:
            a, b = self.two[comm]
            return (b if me in a else a)[rank]
        return self.members[comm][rank] if self.members[comm] is not None else me


def fields(text):
    out = dict(re.findall(r'(Communicator|Window): ".*?" <(\d+)>', text))
    out.update(re.findall(r'(Receiver|Sender|Tag|Length|Request|Root|Sent|Received): (\d+)', text))
    return out


def run(*command, name='x.otf2', status=0, ranks=4, options=(), expect=()):
    starter = ['mpirun', '--oversubscribe', '-n', str(ranks)] if ranks else []
    done = subprocess.run([tape, '-f', '-a', '-t', '40', '-o', name, *options, '--', *starter, *command], env=ENV,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=55)
    print(done.stdout, done.stderr, sep='', end='')
    assert done.returncode == status if status is not None else done.returncode != 125, f'exit status {done.returncode}, not {status}'
    for words in expect:
        assert re.search(words, done.stderr), f'not said: {words}'
    return Archive(name)


def check_messages(a, whole=True):
    """Each message has both ends, in order, of one length, and came after it was sent; requests are completed."""
    asked, sent, n = collections.defaultdict(dict), collections.defaultdict(collections.deque), 0
    received = []
    for location, date, kind, text in a.records:
        f = fields(text)
        if kind in ('MPI_SEND', 'MPI_ISEND'):
            peer = a.task(f['Communicator'], int(f['Receiver']), location)
            sent[location, peer, f['Communicator'], f['Tag']].append((date, f['Length']))
        elif kind in ('MPI_RECV', 'MPI_IRECV'):
            received.append((location, date, f))
        if kind in ('MPI_ISEND', 'MPI_IRECV_REQUEST', 'NON_BLOCKING_COLLECTIVE_REQUEST'):
            request = f.get('Request') or re.search(r'(\d+)\s*$', text)[1]
            assert request not in asked[location], (location, date, text)
            asked[location][request] = kind
        elif kind in ('MPI_ISEND_COMPLETE', 'MPI_IRECV', 'MPI_REQUEST_CANCELLED', 'NON_BLOCKING_COLLECTIVE_COMPLETE'):
            request = f.get('Request') or re.search(r'(\d+)\s*$', text)[1]
            assert asked[location].pop(request, None), (location, date, text)
    for location, date, f in received:
        peer = a.task(f['Communicator'], int(f['Sender']), location)
        at, length = sent[peer, location, f['Communicator'], f['Tag']].popleft()
        assert at < date and length == f['Length'], (location, date, f, at, length)
        n += 1
    if whole:
        assert not any(sent.values()) and not any(asked.values()), (sent, asked)
    return n


def check_regions(a, whole=True):
    stacks = collections.defaultdict(list)
    for location, date, kind, text in a.records:
        if kind in ('ENTER', 'LEAVE'):
            region = re.search(r'Region: "(.*?)"', text)[1]
            if kind == 'ENTER':
                stacks[location].append(region)
            else:
                assert stacks[location].pop() == region, (location, date, text)
        elif stacks[location]:
            assert whole is False or stacks[location][-1].startswith('MPI_') or 'MEASUREMENT' in kind, (location, date, kind, stacks[location])
    assert not whole or not any(stacks.values()), stacks
    return stacks


def check_together(a):
    """Nobody leaves what all do together before the last has come; the k-th of a communicator is the same of all."""
    began, instances = {}, collections.defaultdict(dict)
    seen = collections.Counter()
    for location, date, kind, text in a.records:
        if kind == 'MPI_COLLECTIVE_BEGIN':
            began[location] = date
        elif kind == 'MPI_COLLECTIVE_END':
            comm = re.search(r'Communicator: ".*?" <(\d+)>', text)[1]
            what = re.search(r'Operation: (\w+)', text)[1]
            k = seen[comm, location]
            seen[comm, location] += 1
            instances[comm, k][location] = (what, began[location], date)
    n = 0
    for (comm, k), of in instances.items():
        assert len({what for what, _, _ in of.values()}) == 1, (comm, k, of)
        members = a.members.get(comm)
        if members:
            assert sorted(of) == sorted(members), (comm, k, of)
        what = next(iter(of.values()))[0]
        if what in ('BARRIER', 'ALLREDUCE', 'ALLGATHER', 'ALLTOALL') and members:
            assert max(b for _, b, _ in of.values()) <= min(e for _, _, e in of.values()), (comm, k, of)
            n += 1
    return n


def check_scope(a, name):
    """scope counts the same."""
    done = subprocess.run([scope, 'info', '--json', name], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    kinds = {k['name']: k for k in json.loads(done.stdout)['kinds']}
    entered = sum(kinds.get(k, {'begun': 0})['begun'] for k in ('Enter', 'EnterAt'))
    assert entered == a.counts['ENTER'], (entered, a.counts['ENTER'])
    for theirs, ours in (('LEAVE', 'Leave'), ('MPI_SEND', 'MpiSend'), ('MPI_RECV', 'MpiRecv'), ('MPI_ISEND', 'MpiIsend'),
                         ('MPI_IRECV_REQUEST', 'MpiIrecv'), ('RMA_PUT', 'RmaPut'), ('RMA_GET', 'RmaGet'), ('RMA_ATOMIC', 'RmaAtomic'),
                         ('COMM_CREATE', 'CommCreate'), ('RMA_GROUP_SYNC', 'RmaGroupSync'), ('MPI_REQUEST_TEST', 'MpiRequestTest')):
        assert kinds.get(ours, {'begun': 0})['begun'] == a.counts[theirs], (theirs, a.counts[theirs], kinds.get(ours))
    ended = a.counts['MPI_ISEND_COMPLETE']
    assert kinds.get('MpiIsend', {}).get('ended', 0) == ended, (ended, kinds.get('MpiIsend'))


def program(name, *arguments):
    return [os.path.join(programs, 'mpi-' + name), *arguments]


def check(a, name='x.otf2'):
    check_regions(a)
    together = check_together(a)
    messages = check_messages(a)
    check_scope(a, name)
    return messages, together


def case_programs():
    a = run(*program('stencil', '32', '10'), expect=[r'recording cost about \d+ ns a call'])
    messages, together = check(a)
    assert messages == 4 * 2 * 10 and together == 2, (messages, together)
    assert re.search(r'COMM +\d+ +Name: "grid"', a.defined)
    for location, date, kind, text in a.records:      # the place of each call, in files of the program
        if kind == 'ENTER' and 'Region: "main"' not in text:
            assert re.search(r'SOURCE_CODE_LOCATION; "stencil\.c:\d+"', text), text
    a = run(*program('farm', '12'))
    messages, together = check(a)
    assert messages == 12 * 3 + 3 * 2


def case_collectives():
    a = run(*program('collectives'))
    check(a)
    assert a.counts['NON_BLOCKING_COLLECTIVE_COMPLETE'] == a.counts['NON_BLOCKING_COLLECTIVE_REQUEST'] == 4 * 4 * 2 + 4
    assert len(a.two) == 1 and sorted(next(iter(a.two.values()))) == [[0, 2], [1, 3]]
    # Ranks of `half` go down: the order of its members is not that of the ranks.
    names = dict(re.findall(r'COMM +(\d+) +Name: "(odd|even)"', a.defined))
    assert {name: a.members[number] for number, name in names.items()} == {'odd': [3, 1], 'even': [2, 0]}
    assert a.counts['COMM_CREATE'] == a.counts['COMM_DESTROY'] + 0, a.counts
    ops = collections.Counter(re.search(r'Operation: (\w+)', t)[1] for _, _, k, t in a.records if k == 'MPI_COLLECTIVE_END')
    assert ops['BCAST'] == 4 * 2 * 2 + 4 and ops['ALLTOALLW'] == 8 and ops['SCATTERV'] == 16, ops
    # Bytes: what is in a rank's own buffers.
    bcast = [fields(t) for _, _, k, t in a.records if k == 'MPI_COLLECTIVE_END' and 'BCAST' in t]
    assert sum(int(f['Sent']) for f in bcast) == 4 * (2 + 4) + 4, bcast


def case_requests():
    a = run(*program('requests'))
    messages, _ = check(a)
    assert a.counts['MPI_ISEND'] == 4 * 3 * (3 + 5 + 1) and a.counts['MPI_REQUEST_CANCELLED'] == 12
    assert messages == 4 * 3 * (4 + 5 + 1 + 4) + 9, messages


def case_memory():
    a = run(*program('memory'))
    check(a)
    c = a.counts
    assert c['RMA_PUT'] == 4 * 3 + 3 * 3 and c['RMA_GET'] == 4 * 3 + 4 and c['RMA_ATOMIC'] == 8, c
    assert c['RMA_OP_COMPLETE_BLOCKING'] == c['RMA_PUT'] + c['RMA_GET'] + c['RMA_ATOMIC'], c
    assert c['RMA_ACQUIRE_LOCK'] == c['RMA_RELEASE_LOCK'] == c['RMA_REQUEST_LOCK'] == 8 and c['RMA_WIN_CREATE'] == c['RMA_WIN_DESTROY'] == 4, c
    assert c['RMA_GROUP_SYNC'] == 3 * (2 + 3 * 2), c


def case_ends():
    a = run(ends, 'abort', ranks=2, status=7, expect=['rank 1 called MPI_Abort with 7', r'rank 0 did not come .* inside of MPI_Recv'])
    check_messages(a, whole=False)
    assert a.counts['MPI_SEND'] == a.counts['MPI_RECV'] == 20 and check_regions(a, whole=False)[0] == ['main', 'MPI_Recv']
    a = run(ends, 'crash', ranks=2, status=None, expect=['rank 1 did not come to the end'])
    assert a.counts['MPI_SEND'] == a.counts['MPI_RECV'] == 20
    a = run(ends, 'leave', ranks=2, status=None, expect=['rank 0 did not come to the end', 'rank 1 did not come to the end'])
    assert a.counts['MPI_SEND'] == 20 and a.counts['MEASUREMENT_ON_OFF'] == 4
    a = run(ends, 'hang', ranks=2, status=124, options=['-t', '2'], expect=['stopped after 2 s', r'rank 0 .* inside of MPI_Recv called at mpi-ends.c:\d+'])
    done = subprocess.run([scope, 'report', 'x.otf2', '-o', 'report'], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    said = ' '.join(done.stdout.replace('\u00a0', ' ').split())
    assert re.search(r'rank 0 in MPI_Recv since [\d.]+ s, for rank 1', said), said
    run('timeout', '2', 'mpirun', '--oversubscribe', '-n', '2', ends, 'hang', ranks=0, status=124, expect=[r'\A(?![\s\S]*stopped after)[\s\S]*2 ranks'])    # by itself
    assert a.counts['PARAMETER_INT64'] >= 2 and max(r[1] for r in a.records) > 1e9, a.counts      # it lasted as long as the run
    done = subprocess.run([tape, '-o', 'none.otf2', '--', 'true'], stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 125 and 'no rank has left anything' in done.stderr and not os.path.exists('none.otf2'), done
    assert not [f for f in os.listdir('.') if 'ranks-' in f or 'making-' in f], os.listdir('.')
    os.mkdir('mine.otf2')
    done = subprocess.run([tape, '-f', '-o', 'mine.otf2', '--', 'true'], stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 125 and 'is no archive' in done.stderr and os.path.isdir('mine.otf2'), done


def case_strangers():
    """Communicators that nobody has told of, a program that is spawned, and one of another MPI: each goes its way as without the tracer."""
    a = run(ends, 'untold', ranks=3)
    assert a.counts['MPI_SEND'] == a.counts['MPI_RECV'] == 3 * 10, a.counts
    mine = [number for number, members in a.members.items() if members == [0, 1, 2]]
    frees = [t for _, _, k, t in a.records if k == 'ENTER' and 'Region: "MPI_Comm_free"' in t]
    assert len(mine) == 2 and len(frees) == 3, (a.members, frees)
    # where the tracer itself lies
    for folder, good in (('with a blank', True), ('with:colon', False)):
        os.mkdir(folder)
        for file in ('tape-mpi', 'libtape-mpi.so'):
            shutil.copy(os.path.join(os.path.dirname(tape), file), folder)
        done = subprocess.run([os.path.join(folder, 'tape-mpi'), '-o', folder + '.otf2', '--', 'mpirun', '--oversubscribe', '-n', '2', ends, 'ring'], env=ENV,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=50)
        assert done.returncode == (0 if good else 125) and ('with “:” or “;”' in done.stderr) != good, done
    assert Archive('with a blank.otf2').counts['MPI_SEND'] == 2 * 10
    ENV['OMPI_MCA_btl'] = 'self,vader,tcp'
    spawns = ['mpirun', '--oversubscribe', '-n', '2', ends, 'spawn']
    if subprocess.run(spawns, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=50).returncode == 0:
        a = run(ends, 'spawn', ranks=2, expect=['mpi-ends was spawned by another program: its ranks are not recorded'])
        # with what there is before of the first two, and one message to who is not in the archive
        assert (a.counts['MPI_SEND'], a.counts['MPI_RECV']) == (2 * 10 + 1, 2 * 10), a.counts
    # of another MPI, by what it says of itself: the first rank tells it, whatever starter says which one that is
    with open('stranger.c', 'w') as f:
        f.write('#include <string.h>\nint MPI_Init (int *, char ***);\nint PMPI_Init (int *n, char ***words) { return 0; }\n'
                'int PMPI_Get_library_version (char *text, int *n) { strcpy (text, "Yet another MPI 7"); *n = 17; return 0; }\n'
                'int main (int n, char **words) { return MPI_Init (&n, &words); }\n')
    subprocess.run(['mpicc', '-rdynamic', 'stranger.c', '-o', 'stranger'], check=True)
    for told in ({}, *({name: rank} for name in ('PMI_RANK', 'OMPI_COMM_WORLD_RANK') for rank in '013')):
        env = {k: v for k, v in ENV.items() if not re.fullmatch('PMI_RANK|OMPI_COMM_WORLD_RANK', k)}
        done = subprocess.run([tape, '-o', 'stranger.otf2', '--', './stranger'], env=dict(env, **told), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=50)
        said = [line for line in done.stderr.splitlines() if 'stranger is not recorded: its MPI is Yet another MPI 7' in line]
        assert len(said) == (not told or '0' in told.values()), (told, done.stderr)
    if shutil.which('mpicc.mpich') and shutil.which('mpiexec.mpich'):
        subprocess.run(['mpicc.mpich', '-I' + os.path.join(source, 'traces', 'tracers', 'mpi'), os.path.join(source, 'tests', 'tracer', 'mpi-ends.c'), '-o', 'other', '-lpthread'],
                       check=True)
        done = subprocess.run([tape, '-o', 'other.otf2', '--', 'mpiexec.mpich', '-n', '2', './other', 'many'], env=ENV, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=50)
        said = done.stderr.splitlines()
        assert done.returncode == 125 and len(said) == 2 and re.match(r'tape-mpi: other is not recorded: its MPI is MPICH .*, and tape-mpi was built with Open MPI', said[0]), said


def case_threads():
    a = run(ends, 'threads', ranks=2, options=['--no-lines'])
    check_regions(a)
    assert a.counts['MPI_ISEND'] == a.counts['MPI_ISEND_COMPLETE'] == 600 and a.counts['MPI_IRECV'] == 600
    assert len(re.findall(r'^LOCATION ', a.defined, re.M)) == 2 + 6 and 'Called at' not in ''.join(r[3] for r in a.records)
    # Files grow; and a program that is not traced does the same.
    a = run(ends, 'many', ranks=2)
    assert a.counts['MPI_SEND'] == 2 * 20000
    check_messages(a)
    done = subprocess.run(['mpirun', '--oversubscribe', '-n', '2', ends, 'many'], env=ENV, stdin=subprocess.DEVNULL, timeout=50)
    assert done.returncode == 0


def case_clocks():
    """Two clocks, 1000 s apart, on one machine: each rank in a time namespace of its own."""
    unshare = ['unshare', '--time', '--monotonic', '1000']
    if not shutil.which('unshare') or subprocess.run([*unshare, 'true'], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(SKIP)
    inner = ['-n', '1', '--oversubscribe', ends, 'many', ':', '-n', '1', *unshare, ends, 'many']
    a = run('mpirun', *inner, ranks=0, expect=[r'clock 1: -(999999|1000000)\.\d+ ms \+- 0\.\d+ ms from that of rank 0, drift measured'])
    assert check_messages(a) == 40000
    assert check_together(a) == 1


def case_fortran():
    if not shutil.which('mpifort') or not shutil.which('gfortran'):
        sys.exit(SKIP)
    with open('f.f90', 'w') as f:
        f.write('program f\n  use mpi\n  integer :: rank, n, e, x, r(2)\n  call MPI_Init (e)\n  call MPI_Comm_rank (MPI_COMM_WORLD, rank, e)\n'
                '  call MPI_Comm_size (MPI_COMM_WORLD, n, e)\n  call MPI_Irecv (x, 1, MPI_INTEGER, mod (rank + n - 1, n), 3, MPI_COMM_WORLD, r(1), e)\n'
                '  call MPI_Isend (rank, 1, MPI_INTEGER, mod (rank + 1, n), 3, MPI_COMM_WORLD, r(2), e)\n'
                '  call MPI_Waitall (2, r, MPI_STATUSES_IGNORE, e)\n  call MPI_Allreduce (MPI_IN_PLACE, x, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)\n'
                '  call MPI_Finalize (e)\nend program\n')
    built = subprocess.run(['mpifort', '-g', 'f.f90', '-o', 'f'], stderr=subprocess.PIPE, text=True)
    if built.returncode != 0:
        print(built.stderr)
        sys.exit(SKIP)
    a = run('./f')
    messages, together = check(a)
    assert (messages, together) == (4, 1) and a.counts['MPI_ISEND_COMPLETE'] == 4


def main():
    if not shutil.which('mpirun') or not shutil.which('otf2-print'):
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(prefix='tape-mpi-') as folder:
        here = os.getcwd()
        os.chdir(folder)
        ENV.update(HOME=folder, XDG_CACHE_HOME=folder)
        os.environ.update(HOME=folder, XDG_CACHE_HOME=folder)
        try:
            globals()['case_' + case]()
        finally:
            os.chdir(here)


main()
