#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test-tracer.py CASE TAPE-PVM LIBRARY CHECKER KINDS.DEF PROGRAMS TRICKS - one case of the tests of the tracer.

A case runs in a folder of its own with its own HOME and PVM_TMP, so that no PVM that runs already is touched."""
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

case, tape, library, checker, kinds_file, programs, tricks = sys.argv[1:8]
spec = importlib.util.spec_from_file_location("check_tape", checker)
check_tape = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(check_tape)
kinds = check_tape.read_kinds(kinds_file)
source = os.path.dirname(os.path.abspath(sys.argv[0]))
sources = os.path.join(source, "..", "..", "traces", "programs")


class Trace:
    def __init__(self, folder):
        name = os.path.basename(folder)[:-6]
        inner = os.path.join(folder, name + ".tapepvm")
        self.folder = folder
        self.events = check_tape.read_events(os.path.join(inner, "events"), kinds)
        self.sites = {}
        for line in open(os.path.join(inner, "sites")):
            words = line.split()
            self.sites[int(words[0])] = (words[2], int(words[1]))

    def of(self, kind, **fields):
        return [e for e in self.events if e["kind"] == kind and all(e[k] == v for k, v in fields.items())]


def run(*command, status=0, options=(), check=True, name="x", environment=None, expect=None):
    env = dict(os.environ, **(environment or {}))
    done = subprocess.run([tape, "-f", "-o", name + ".trace", "-t", "40", *options, "--", *command], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    print(done.stdout, done.stderr, sep="", end="")
    assert done.returncode == status, "exit status %d, not %d" % (done.returncode, status)
    assert not expect or re.search(expect, done.stderr), "not said: " + expect
    if check is not None:
        check_tape.check(name + ".trace", kinds, check)
    return Trace(name + ".trace")


def program(name, *arguments):
    return [os.path.join(programs, name), *arguments]


def case_programs():
    for name, arguments, tasks in (("fft2d", ("64", "4", "8"), 4), ("farm", ("3", "12"), 4), ("ring", ("4", "6"), 4),
                                   ("heat2d", ("32", "3", "8"), 3)):
        trace = run(*program(name, *arguments), expect=r"tracing cost about \d+ ns an event")
        assert len(trace.of("Enroll")) == tasks, "children are not traced"
        assert len(trace.of("Exit", result=0)) == tasks


def case_groups():
    trace = run(*program("groups", "4", "2"))
    # The checker knows that calls do not overlap and that no peer is unknown: nothing inside a barrier is there.
    assert len(trace.of("Barrier")) == 4 * 8
    first = trace.of("JoinGroup", result=0)[0]["task"]
    assert [e for e in trace.of("Scatter") if e["root"] == first], "the root is not the task of instance 0"
    assert not [e for e in trace.events if e["kind"] == "Enroll" and e["program"] == "pvmgs"]


def case_births():
    trace = run(*program("births", "2"))
    assert len(trace.of("Enroll")) == 1 + 2 * 6
    assert len(trace.of("Exit", result=-1)) == 4, "2 crashed and 2 were killed"
    waiting = [e for e in trace.of("Recv", duration=-1)]
    assert len(waiting) == 2 and all(e["from"] == -1 and e["bytes"] == 0 for e in waiting)
    for e in waiting:
        died = trace.of("Exit", task=e["task"])[0]["date"]
        killed = [k["date"] for k in trace.of("Kill") if k["date"] > e["date"]][0]
        assert 0 < died - e["date"] and abs(died - killed) < 500e6, "the date of death is not that of the kill"


def case_deadlock():
    begun = time.time()
    trace = run(*program("deadlock"), status=124, options=("-t", "0.5"), expect="stopped after 0.5 s")
    assert time.time() - begun < 5
    stuck = trace.of("Recv", duration=-1)
    assert len(stuck) == 3 and {e["asked_from"] for e in stuck} == {e["task"] for e in stuck}


def case_interrupt():
    env = dict(os.environ)
    run_ = subprocess.Popen([tape, "-o", "x.trace", "--", *program("deadlock")], env=env, stdin=subprocess.DEVNULL)
    time.sleep(0.5)
    run_.send_signal(signal.SIGINT)
    assert run_.wait(10) == 128 + signal.SIGTERM
    check_tape.check("x.trace", kinds, True)


def scope(*words):
    done = subprocess.run([os.environ["SCOPE"], *words], stdout=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0, words
    return json.loads(done.stdout)


def wait_for(what, seconds=20):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "waited for in vain"
        time.sleep(0.02)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def traced(name):
    """Processes of this run that execute a program."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if (os.readlink("/proc/%s/exe" % pid) == os.path.join(programs, name)
                    and work.encode() in open("/proc/%s/environ" % pid, "rb").read()):
                found.append(int(pid))
        except OSError:
            pass
    return sorted(found)


def case_live():
    """The bundle grows; whoever goes along sees what the whole says afterwards."""
    for name, arguments in (("fft2d", ("64", "4", "8")), ("groups", ("4", "2")), ("births", ()), ("heat2d", ("32", "3", "8"))):
        trace = run(*program(name, *arguments), options=("--live",), name=name)
        assert all(e["root"] > 0 for kind in ("Gather", "Scatter", "Reduce") for e in trace.of(kind))
        assert open("%s.trace/%s.tapepvm/live" % (name, name)).read().endswith("\nended\n")
    with subprocess.Popen([tape, "-q", "--live", "f.trace", *program("farm", "3", "1500")]) as tracer:
        events = "f.trace/f.tapepvm/events"
        wait_for(lambda: size(events) > 2000)
        assert scope("info", "--json", "f.trace")["writer"] == "at work"
        with subprocess.Popen([os.environ["SCOPE"], "run", "--follow", "--stats", "f.trace"], stdout=subprocess.PIPE,
                              text=True) as follower:
            sizes = set()
            while tracer.poll() is None:
                sizes.add(size(events))
                if follower.poll() is not None:
                    break
                time.sleep(0.05)
            assert tracer.wait(40) == 0
            live = json.loads(follower.communicate(timeout=40)[0])
        assert len(sizes) > 5, "it did not grow: %s" % sizes
    check_tape.check("f.trace", kinds, True)
    after = scope("run", "--stats", "f.trace")
    assert live["impossible"] == live["damaged"] == 0, live
    for what in ("events_read", "state_updates", "result_hash"):
        assert live[what] == after[what], what
    assert scope("info", "--json", "f.trace")["writer"] == "ended"


def case_live_killed():
    """kill -9 of a task, then of the tracer: what was written is whole, and how it ended is told."""
    with subprocess.Popen([tape, "-q", "-t", "4", "--live", "f.trace", *program("farm", "3", "100000")]) as tracer:
        wait_for(lambda: size("f.trace/f.tapepvm/events") > 20000 and len(traced("farm")) == 4)
        os.kill(traced("farm")[-1], signal.SIGKILL)
        assert tracer.wait(40) == 124
    check_tape.check("f.trace", kinds, True)
    info = scope("info", "--json", "f.trace")
    assert (info["writer"], info["damaged"]) == ("ended", 0), info
    assert len([e for e in Trace("f.trace").of("Exit") if e["result"] < 0]) >= 1
    with subprocess.Popen([tape, "-q", "--live", "g.trace", *program("farm", "3", "100000")]) as tracer:
        wait_for(lambda: size("g.trace/g.tapepvm/events") > 20000 and len(traced("farm")) == 4)
        with subprocess.Popen([os.environ["SCOPE"], "run", "--follow", "--stats", "g.trace"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as follower:
            tracer.kill()
            tracer.wait(10)
            live, said = follower.communicate(timeout=40)
    for pid in traced("farm"):
        os.kill(pid, signal.SIGKILL)
    subprocess.run(["pvm"], input="halt\n", text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20)
    assert "is gone without having ended it" in said, said
    assert json.loads(live)["events_read"] > 100
    info = scope("info", "--json", "g.trace")
    assert (info["writer"], info["damaged"], info["events"]) == ("gone", 0, json.loads(live)["events_read"]), info
    shutil.rmtree("tmp")
    os.mkdir("tmp")


def case_events():
    trace = run(*program("ring"), options=("--events", "point,Spawn"), check=False)
    seen = {e["kind"] for e in trace.events}
    assert seen == {"Enroll", "Exit", "Send", "PSend", "Recv", "PRecv", "Spawn"}, seen
    trace = run(*program("ring"), options=("--events=-pack,MyTid",), check=False)
    assert {e["kind"] for e in trace.events} >= {"Send", "MyTid"} and not trace.of("PkInt")
    trace = run(*program("groups", "4", "1"), options=("--events=collective",), check=False)
    assert not trace.of("JoinGroup") and all(e["root"] > 0 for e in trace.of("Gather"))
    done = subprocess.run([tape, "-o", "y.trace", "-e", "point,nonsense", "--", "true"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 125 and "nonsense" in done.stderr and not os.path.exists("y.trace")


def case_sites():
    trace = run(*program("farm", "2", "6"))
    text = open(os.path.join(sources, "farm.c")).read().split("\n")
    for e in trace.events:
        if e["kind"] in ("Send", "Recv", "Phase", "User", "InitSend"):
            file, line = trace.sites[e["site"]]
            assert file == "farm.c", file
            word = {"Send": "pvm_send", "Recv": "pvm_recv", "Phase": "tape_begin", "User": "tape_user",
                    "InitSend": "pvm_initsend"}[e["kind"]]
            assert word in text[line - 1], "%s is said to be called in line %d" % (word, line)
    whole = "".join(open(os.path.join(d, f)).read() for d, _, fs in os.walk("x.trace") for f in fs)
    assert os.getcwd() not in whole and programs not in whole, "a path of this machine in the trace"


def case_user():
    """A program with tape.h runs with and without the tracer, as position-independent code or not."""
    include = os.path.join(source, "..", "..", "traces", "tracers", "pvm")
    fixed = os.path.abspath("fixed")
    subprocess.run(["cc", "-D_GNU_SOURCE", "-no-pie", "-fno-pie", "-O2", "-I", include, "-o", fixed,
                    os.path.join(source, "tricks.c"), "-lpvm3", "-lpthread"], check=True)
    for exe in (tricks, fixed):
        alone = subprocess.run([exe, "plain"], stdout=subprocess.PIPE, text=True, check=True)
        assert alone.stdout == "not traced\n"
    trace = run(*program("farm", "2", "6"))
    assert len(trace.of("Phase", name="work")) == 6 and len(trace.of("User", name="left")) == 6
    assert all(e["duration"] > 0 for e in trace.of("Phase"))
    alone = subprocess.run([fixed, "plain"], stdout=subprocess.PIPE, text=True,
                           env=dict(os.environ, LD_PRELOAD=library))
    print("without position-independent code:", alone.stdout.strip())
    # gcc finds the tracer then too; clang does not, which README.md says.


def case_tricks():
    trace = run(tricks, "fork")
    assert [e["name"] for e in trace.of("User")] == ["parent"]
    assert trace.of("Phase")[0]["duration"] >= 0 and len(trace.of("Enroll")) == 1
    trace = run(tricks, "kill", status=137, expect="signal 9")
    assert trace.of("Recv")[0]["duration"] == -1 and trace.of("Phase")[0]["duration"] == -1
    died = trace.of("Exit")[0]
    assert died["result"] == -1 and 50e6 < died["date"] < 600e6, "date of death %d" % died["date"]
    trace = run(tricks, "threads", check=None)
    assert len(trace.of("Phase")) == 4000 and all(e["duration"] >= 0 for e in trace.of("Phase"))
    trace = run(tricks, "jump", check=None)
    assert trace.of("GetSbuf") and trace.of("User") and trace.of("Recv")[0]["duration"] == -1
    trace = run(tricks, "twice")
    assert len(trace.of("Enroll")) == 2 and len(trace.of("Exit", result=0)) == 2
    trace = run(tricks, "status", status=42)
    assert len(trace.of("Exit", result=0)) == 1
    trace = run(tricks, "pack")
    assert trace.of("Packf") and trace.of("Unpackf")[0]["bytes"] == 4 + 12 + 8 + 5
    assert trace.of("PSend")[0]["bytes"] == 12 and trace.of("PRecv")[0]["bytes"] == 12
    assert trace.of("Mcast")[0]["to"] == [] and not trace.of("BufInfo")


def case_halt():
    """A program that halts PVM takes its daemon away; the trace is written all the same."""
    done = subprocess.run([tape, "-o", "x.trace", "-t", "20", "--", tricks, "halt"], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=40)
    print(done.returncode, done.stderr)
    check_tape.check("x.trace", kinds, True)
    assert Trace("x.trace").of("Halt")


def case_errors():
    def says(words, *arguments, status=125):
        done = subprocess.run([tape, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=30)
        text = done.stdout + done.stderr
        assert done.returncode == status and words in text, "%s: %d %s" % (arguments, done.returncode, text)

    says("Example:", "--help", status=0)
    says("no program", "-o", "x.trace")
    says("no trace", "--", "true")
    says("ends with .trace", "-o", "x", "--", "true")
    says("not a number of seconds", "-o", "x.trace", "-t", "soon", "--", "true")
    says("No such file", "-o", "x.trace", "--", "./nothing-here")
    says("no task of PVM was seen", "-o", "x.trace", "--", "true")
    assert not os.path.exists("x.trace")
    os.mkdir("x.trace")
    says("--force", "-o", "x.trace", "--", "true")


def case_running():
    """A PVM that runs already is used, and left running."""
    log = open("pvmd.log", "w")
    daemon = subprocess.Popen(["pvmd", "-n127.0.0.1"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              start_new_session=True)
    socket = os.path.join(os.environ["PVM_TMP"], "pvmd.%d" % os.getuid())
    for _ in range(100):
        if os.path.exists(socket):
            break
        time.sleep(0.05)
    try:
        bin_ = os.path.join(os.environ["HOME"], "pvm3/bin/LINUX64")
        os.makedirs(bin_)
        os.symlink(os.path.join(programs, "ring"), os.path.join(bin_, "ring"))
        run(*program("ring"))
        run(*program("ring"))
        assert daemon.poll() is None, "the pvmd that ran already was stopped"
    finally:
        daemon.terminate()
        daemon.wait(10)


def case_stale():
    """What a killed pvmd left behind is no obstacle."""
    daemon = subprocess.Popen(["pvmd", "-n127.0.0.1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    socket = os.path.join(os.environ["PVM_TMP"], "pvmd.%d" % os.getuid())
    for _ in range(100):
        if os.path.exists(socket):
            break
        time.sleep(0.05)
    daemon.kill()
    daemon.wait(10)
    assert os.path.exists(socket)
    run(*program("ring"), expect="left by a pvmd that is gone")


def case_bundles():
    """The traces that are kept in the tree."""
    folder = os.path.join(source, "..", "..", "traces")
    names = sorted(n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n, n[:-6] + ".tapepvm")))
    total = 0
    for name in names:
        check_tape.check(os.path.join(folder, name), kinds, True)
        size = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(os.path.join(folder, name)) for f in fs)
        assert size < 300000, "%s is too large" % name
        assert os.path.exists(os.path.join(folder, name, "doc", "README.md")), name
        total += size
    assert len(names) >= 11 and total < 3000000


def race(n, way, kind, *options, status=0, expect=None):
    """Runs tests/tracer/race.c; what it printed."""
    folder = os.path.join(work, "files")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    done = subprocess.run([tape, "-t", "60", *options, "--", os.path.join(os.path.dirname(tricks), "race"), str(n), way, kind,
                           folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=90)
    print(done.stdout, done.stderr, sep="", end="")
    assert done.returncode == status, "exit status %d, not %d" % (done.returncode, status)
    assert not expect or re.search(expect, done.stderr), "not said: " + expect
    return done.stdout


def received(trace):
    """What each task received, by who they are: (0, 2) is the third child of the first program."""
    children, who = {}, {}
    for e in trace.of("Spawn"):
        children.setdefault(e["task"], []).extend(e["spawned"])
    born = {c for list_ in children.values() for c in list_}
    roots = [e["task"] for e in trace.of("Enroll") if e["task"] not in born]
    line = [(t, (i,)) for i, t in enumerate(roots)]
    for task, name in line:
        who[task] = name
        line += [(c, name + (i,)) for i, c in enumerate(children.get(task, []))]
    got = {}
    for e in trace.events:
        if e["kind"] in ("Recv", "NRecv", "TRecv", "PRecv"):
            got.setdefault(who[e["task"]], []).append((e["kind"], who.get(e["from"], e["from"]), e["tag"] if e["from"] > 0 else -1))
        if e["kind"] == "JoinGroup":
            got.setdefault(who[e["task"]], []).append((e["kind"], e["group"], e["result"]))
    return got


def case_replay():
    """Receives of "any" get what they got, whatever comes first; the order is that of the recorded run, task by task."""
    for kind in ("recv", "precv", "nrecv", "trecv", "probe"):
        first = race(6, "forward", kind, "-f", "-o", "a.trace")
        if kind in ("recv", "precv"):
            assert race(6, "backward", kind, "-f", "-o", "b.trace").split()[:6] != first.split()[:6]
        for _ in range(2):
            assert race(6, "backward", kind, "-f", "-o", "c.trace", "--replay", "a.trace",
                        expect="calls of 7 tasks in the recorded order") == first, kind
        assert received(Trace("a.trace")) == received(Trace("c.trace")), kind
        check_tape.check("c.trace", kinds, True)
        assert race(6, "backward", kind, "-r", "a.trace") == first, "without a trace"
    # One that is days old when it begins: dates take all the room that they have.
    first = race(6, "backward", "recv", "-f", "-o", "a.trace")
    lines = [line.split() for line in open("a.trace/a.tapepvm/events")]
    with open("a.trace/a.tapepvm/events", "w") as out:
        for words in lines:
            words[1] = str(int(words[1]) + 10**15) if words[0][0] != "#" else words[1]
            print(*words, file=out)
    assert race(6, "forward", "recv", "-r", "a.trace", expect="calls of 7 tasks in the recorded order") == first
    # A trace written while it ran, whose calls end in lines of their own.
    first = race(5, "backward", "recv", "-f", "--live", "-o", "a.trace")
    assert race(5, "forward", "recv", "-q", "--replay", "a.trace") == first
    for name, arguments in (("farm", ("3", "24")), ("groups", ("4", "3")), ("heat2d", ("32", "3", "4"))):
        a = run(*program(name, *arguments), name="a")
        b = run(*program(name, *arguments), name="b", options=("--replay", "a.trace"))
        assert received(a) == received(b) and len(received(a)) >= 3, name
    # Where who bore whom was not recorded, children tell their parents.
    run(*program("farm", "3", "24"), name="a", options=("--events", "point"), check=False)
    run(*program("farm", "3", "24"), name="b", options=("--replay", "a.trace"))
    assert [e["from"] - e["task"] for e in Trace("a.trace").of("Recv")] and not Trace("a.trace").of("Spawn")


def case_replay_else():
    """A program that goes another way is let go and told; what cannot be followed is refused."""
    race(4, "forward", "recv", "-f", "-o", "a.trace")
    out = race(6, "forward", "recv", "-r", "a.trace", status=123, expect="2 tasks were born that the recorded run does not have")
    assert sorted(out.split()[:6]) == list("012345"), out
    race(4, "forward", "more", "-r", "a.trace", status=123, expect="receives more than the 4 times")
    race(4, "forward", "nrecv", "-r", "a.trace", status=123, expect="call 1 is not the Recv of the recorded run")
    race(4, "forward", "silent", "-r", "a.trace", status=123, expect="call 2, Recv: who sent the message then has ended")
    run(tricks, "pack", name="m")
    run(tricks, "pack", name="n", options=("--replay", "m.trace"), status=123, expect="function of its own")

    def says(words, *arguments):
        done = subprocess.run([tape, *arguments, "--", "true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=30)
        assert done.returncode == 125 and re.search(words, done.stderr), "%s: %s" % (arguments, done.stderr)

    says("nothing.trace: No such file", "--replay", "nothing.trace")
    os.makedirs("e.trace/e.tapepvm")
    says("events: No such file", "--replay", "e.trace")
    for text, words in (("60 5 soon\n", "events:1: not a line"), ("", "no receive is recorded"), ("62 1 -4 2 0 1 1 1 1 1 1\n", "events:1"),
                        ("3 1 2 3 0 x 0 - 9 9000000000 4\n", "events:1"), ("62 1 2 3 0 -1 -1\n", "events:1: not a line")):
        open("e.trace/e.tapepvm/events", "w").write(text)
        says(words, "--replay", "e.trace")
    open("e.trace/e.tapepvm/kinds", "w").write("clock 1000000000\n")
    says("a table of kinds of its own", "--replay", "e.trace")
    os.mkdir("f.trace")
    says("no trace of a PVM program", "--replay", "f.trace")
    says("no program", "--live", "--replay", "a.trace")
    # Two tasks that bore each other, as a trace may say, will never be here: nobody waits for them.
    race(4, "forward", "recv", "-f", "-o", "g.trace")
    born = Trace("g.trace").of("Spawn")[0]["spawned"]
    lines = open("g.trace/g.tapepvm/events").read().splitlines()
    for parent, child in (born, born[::-1]):
        lines.insert(1, "3 0 %d 0 0 race 0 - 1 1 %d" % (parent, child))
    open("g.trace/g.tapepvm/events", "w").write("\n".join(lines) + "\n")
    race(4, "forward", "recv", "-r", "g.trace", status=123, expect="call 1, Recv: who sent the message then has ended")
    # The lines of a trace in any order, cut and changed: refused or followed, never hung, and nothing crashes.
    import random
    seed = int(os.environ.get("SCOPE_SEED", "7"))
    random_ = random.Random(seed)
    print("SCOPE_SEED=%d" % seed)
    shutil.copytree("a.trace", "d.trace")
    lines = open("a.trace/a.tapepvm/events").read().splitlines()
    for _ in range(6):
        made = [line for line in lines if random_.random() < 0.9]
        random_.shuffle(made)
        for k in range(2):
            words = made[k].split()
            if made[k][0] != "#" and len(words) > 6:
                words[random_.randrange(5, len(words))] = str(random_.randrange(-3, 300000))
                made[k] = " ".join(words)
        open("d.trace/a.tapepvm/events", "w").write("\n".join(made) + "\n")
        done = subprocess.run([tape, "-q", "-t", "3", "-r", "d.trace", "--", os.path.join(os.path.dirname(tricks), "race"), "2",
                               "forward", "recv", os.path.join(work, "files")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=40)
        assert done.returncode in (0, 123, 124, 125), done


def case_sample():
    """What the system says of a process beside what it says of itself, which is certain: between two of its words it has
    spent no less than the first and no more than the second."""
    for options in (("--sample=50",), ("-s40", "--live")):
        trace = run(tricks, "burn", options=options, expect=r"\d+ samples of their processes, \d+ a second of each")
        samples = trace.of("Sample")
        said = [(e["date"], e["value"] * 1000) for e in trace.of("User", name="spent")]
        assert len(samples) > 5 and [e["date"] for e in trace.events] == sorted(e["date"] for e in trace.events)
        first, last = said[0][0], said[-1][0]
        inside = [e for e in samples if first < e["date"] < last]
        least = lambda date: max(v for d, v in said if d <= date)                                                # noqa: E731
        most = lambda date: min(v for d, v in said if d >= date)                                                 # noqa: E731
        for a in range(0, len(inside) - 1, 2):
            for b in range(a + 1, len(inside), 3):
                spent = sum(inside[k]["cpu"] * (inside[k]["date"] - inside[k - 1]["date"]) / 1000 for k in range(a + 1, b + 1))
                # Half a thousandth of each stretch, and what passes between a look at the clock and one at the process.
                slack = sum(inside[k]["date"] - inside[k - 1]["date"] for k in range(a + 1, b + 1)) / 1000 + 25e6
                assert least(inside[b]["date"]) - most(inside[a]["date"]) - slack <= spent
                assert spent <= most(inside[b]["date"]) - least(inside[a]["date"]) + slack
        filled = trace.of("User", name="filled")[0]["date"]
        # Between a look at the process and one at the clock others may have run: what is near the filling tells nothing.
        before, after = ([e["memory"] for e in inside if way * (e["date"] - filled) > 30e6] for way in (-1, 1))
        assert not before or not after or sorted(after)[len(after) // 2] - min(before) > 40 << 20, (before, after)
        assert all(e["slices"] >= 0 and e["waiting"] >= 0 for e in samples) or all(e["waiting"] == -1 for e in samples)
        exit_ = trace.of("Exit")[0]["date"]
        assert all(trace.of("Enroll")[0]["date"] <= e["date"] <= exit_ for e in samples)
        stats = scope("run", "--stats", "x.trace")
        assert stats["damaged"] == stats["impossible"] == 0
    trace = run(*program("farm", "3", "400"), options=("--sample=100",))
    assert {e["task"] for e in trace.of("Sample")} <= {e["task"] for e in trace.of("Enroll")} and len(trace.of("Sample")) > 4
    assert not run(*program("ring"), options=("--sample", "--events=-Sample")).of("Sample")
    assert not run(*program("ring")).of("Sample")
    for wrong in ("0", "soon", "5x", "-1", "1e9", "nan"):
        done = subprocess.run([tape, "-o", "y.trace", "--sample=" + wrong, "--", "true"], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 125 and "how often a second is a number" in done.stderr, wrong


def case_own():
    """PVM's own tracer, followed while it writes, and the same file opened afterwards."""
    def events(*arguments):
        done = subprocess.run([os.environ["SCOPE"], "events", "--json", *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def until(what, true):
        for _ in range(600):
            found = true()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(what)

    def size(path):
        return os.path.exists(path) and os.path.getsize(path)

    none = subprocess.run([os.environ["SCOPE"], "live", "pvm:", "-o", "none.trace"], capture_output=True, text=True, timeout=60)
    assert none.returncode == 1 and "it needs a PVM that runs" in none.stderr and not os.path.exists("none.trace"), none
    none = subprocess.run([os.environ["SCOPE"], "live", "pvm:none.sddf", "-o", "none.trace"], capture_output=True, text=True)
    assert none.returncode == 1 and "none.sddf" in none.stderr and not os.path.exists("none.trace"), none
    bin_ = os.path.join(os.environ["HOME"], "pvm3/bin/LINUX64")
    os.makedirs(bin_)
    for name in ("ring", "farm"):
        os.symlink(os.path.join(programs, name), os.path.join(bin_, name))
    daemon = subprocess.Popen(["pvmd", "-n127.0.0.1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    started = [daemon]
    try:
        until("no pvmd", lambda: os.path.exists(os.path.join(os.environ["PVM_TMP"], "pvmd.%d" % os.getuid())))
        live = subprocess.Popen([os.environ["SCOPE"], "live", "pvm:", "-o", "own.trace"], stderr=subprocess.PIPE, text=True)
        started.append(live)
        until("no tracer", lambda: size("own.trace/own.tapepvm/tracer.sddf"))
        # The console is a task too: as long as it is there, not all are gone.
        console = subprocess.Popen(["pvm"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.append(console)
        for command in (program("ring", "3", "4"), program("farm", "2", "8")):
            subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL)
        follow = subprocess.Popen([os.environ["SCOPE"], "events", "--json", "--follow", "own.trace"], stdout=subprocess.PIPE,
                                  text=True)
        started.append(follow)
        seen = []
        while not (seen and seen[-1]["kind"] == "Exit" and sum(e["kind"] == "Exit" for e in seen) == 3 + 3):
            seen.append(json.loads(follow.stdout.readline()))
        assert live.poll() is None and "ended" not in open("own.trace/own.tapepvm/live").read()
        console.communicate(b"quit\n", timeout=30)
        said = live.communicate(timeout=30)[1]
        assert live.returncode == 0, said
        seen += map(json.loads, follow.communicate(timeout=30)[0].splitlines())
    finally:
        for process in reversed(started):
            if process.poll() is None:
                process.terminate()
                process.wait(10)
    shutil.copy("own.trace/own.tapepvm/tracer.sddf", "own.sddf")
    exact = "have a later date" not in said or "have a later date: 0;" in said
    ours, theirs = events("own.trace"), events("own.sddf")
    check_own(ours, theirs, exact=exact)
    check_own([e for e in seen if not e.get("end")] + [e for e in seen if e.get("end")], theirs, exact=exact)
    sent, got = (sum(e["bytes"] for e in ours if e["kind"] in kinds and e.get("end"))
                 for kinds in (("Send", "PSend"), ("Recv", "PRecv", "NRecv")))
    assert sent == got > 10000, (sent, got)         # the tracer does not tell the bytes of pvm_psend()
    checked = subprocess.run([os.environ["SCOPE"], "check", "own.trace"], capture_output=True, text=True)
    assert "0 damaged records, 0 impossible events" in checked.stdout, checked.stdout
    # The file of a tracer that somebody else has started
    subprocess.run([os.environ["SCOPE"], "live", "pvm:own.sddf", "-o", "again.trace"], check=True, timeout=60)
    check_own(events("again.trace"), theirs, exact=True)


def check_own(ours, theirs, exact):
    """The same calls of the same tasks with the same dates, and the same messages."""
    names = {"Enroll": "newtask", "Exit": "endtask"}
    result = []
    for side in (ours, theirs):
        first, calls, messages = min(e["t"] for e in side), {}, {"sent": [], "got": []}
        for e in side:
            kind = names.get(e["kind"], e["kind"].lower())
            if e.get("end"):
                kind = "end " + kind
            if kind == "end exit":          # the tracer does not tell it: it is the end of the task
                continue
            at = (round((e["t"] - first) * 1e6),) if exact else ()
            calls.setdefault(e["task"], []).append((*at, kind))
            if kind in ("send", "psend", "mcast"):
                messages["sent"] += [(e["task"], to, e["tag"]) for to in e["to"]]
            elif kind in ("end recv", "end precv", "end nrecv") and e.get("from"):
                messages["got"].append((e["from"], e["task"], e["tag"], e["bytes"]))
        result.append(({t: sorted(c) for t, c in calls.items()}, {k: sorted(m) for k, m in messages.items()}))
    (calls, messages), (their_calls, their_messages) = result
    print({t: len(c) for t, c in calls.items()}, {k: len(m) for k, m in messages.items()})
    assert messages == their_messages and len(messages["sent"]) > 30 and len(messages["got"]) > 30
    got = sorted((a, b, tag) for a, b, tag, _ in messages["got"])
    assert got == messages["sent"], set(got) ^ set(messages["sent"])
    assert calls == their_calls


work = tempfile.mkdtemp(prefix="tracer.")
for part in ("home", "pvm", "tmp"):
    os.mkdir(os.path.join(work, part))
tape, library, checker, programs, tricks = map(os.path.abspath, (tape, library, checker, programs, tricks))
source, sources = map(os.path.abspath, (source, sources))
os.environ.update(HOME=work + "/home", PVM_TMP=work + "/pvm", TMPDIR=work + "/tmp", TAPE_PVM_LIBRARY=library,
                  PVM_ROOT="/usr/lib/pvm3")
if os.getuid() == 0:
    os.environ["PVM_ALLOW_ROOT"] = "1"
for name in ("LD_PRELOAD", "PVM_EXPORT", "PVM_VMID"):
    os.environ.pop(name, None)
os.chdir(work)
try:
    globals()["case_" + case]()
    assert not os.listdir("tmp"), "left behind: %s" % os.listdir("tmp")
    print("OK")
finally:
    os.chdir("/")
    shutil.rmtree(work, ignore_errors=True)
