#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-tape.py KINDS.DEF NAME.trace... - is a recorded trace what readers/tapepvm/README.md says, and possible?

The form of every line; dates in order; each task enrols first and exits last; calls of a task do not overlap;
tasks and sites named are known; messages, first in first out on (source, destination, tag): never received
before they are sent, as many bytes as were sent.  Prints one line a trace; exit status 1 if one is wrong."""
import collections
import os
import re
import sys

WORD = re.compile(r"^(?:-|(?:(?!%2[dD])[^-%\s\x00-\x1f\x7f]|%[0-9a-fA-F]{2})(?:[^%\s\x00-\x1f\x7f]|%[0-9a-fA-F]{2})*)$")
NUMBER = re.compile(r"^-?[0-9]+$")
DAEMON = 1 << 31


class Wrong(Exception):
    pass


def read_kinds(path):
    kinds = {}
    text = open(path, encoding="utf-8").read()
    for m in re.finditer(r'^KIND \((\d+), (\w+), "([^"]*)",\s*"([^"]*)"\)', text, re.M):
        fields = [f.split("=") for f in m[4].split()]
        kinds[int(m[1])] = (m[2], m[3].split(), fields)
    return kinds


def parse(line, kinds):
    """One event as a dict; its words must be used up exactly."""
    words = line.split(" ")
    head = words[:5]
    if len(head) < 5 or not all(NUMBER.match(w) for w in head):
        raise Wrong("not five numbers at the beginning")
    number, date, task, duration, site = map(int, head)
    if number not in kinds:
        raise Wrong("no kind %d" % number)
    name, category, fields = kinds[number]
    event = {"kind": name, "category": category[0], "date": date, "task": task, "duration": duration, "site": site}
    if not 0 <= date < 1 << 62:
        raise Wrong("date out of range")
    if duration < -1 or ("instant" in category and duration != 0):
        raise Wrong("duration %d" % duration)
    rest = words[5:]
    for field, role in fields:
        if not rest:
            raise Wrong("field %s is missing" % field)
        word = rest.pop(0)
        if role in ("word", "group"):
            if not WORD.match(word):
                raise Wrong("field %s: %r is not a word" % (field, word))
            event[field] = word
            continue
        if not NUMBER.match(word):
            raise Wrong("field %s: %r is not a number" % (field, word))
        event[field] = int(word)
        if role in ("peers", "tasks"):
            n = int(word)
            if n < 0 or n > len(rest):
                raise Wrong("field %s: %d numbers announced, %d there" % (field, n, len(rest)))
            event[field] = [int(w) for w in rest[:n]]
            del rest[:n]
    if rest:
        raise Wrong("%d words too many" % len(rest))
    event["roles"] = fields
    return event


def read_events(path, kinds):
    """Of version 2 too: a call whose end stands in a later line is one event, where it begins."""
    lines = open(path, encoding="utf-8").read().split("\n")
    if lines[0] not in ("#TAPE/PVM 1", "#TAPE/PVM 2"):
        raise Wrong("line 1: no version")
    if lines.pop() != "":
        raise Wrong("the last line has no end")
    events, open_calls, date = [], {}, 0
    for i, line in enumerate(lines[1:], 2):
        words = line.split(" ")
        later = lines[0].endswith("2") and words[0] == "0"
        if later and len(words) < 2:
            raise Wrong("line %d: no date" % i)
        try:
            event = parse(" ".join(words[2:]) if later else line, kinds) if not later or len(words) > 2 else None
        except Wrong as why:
            raise Wrong("line %d: %s: %s" % (i, why, line))
        now = int(words[1]) if later else event["date"]
        if now < date:
            raise Wrong("line %d: earlier than the line before" % i)
        date = now
        if later and event:
            if event["date"] + event["duration"] != now or event["duration"] < 0:
                raise Wrong("line %d: the end is not the beginning and the duration" % i)
            key = event["kind"], event["date"], event["task"]
            if not open_calls.get(key):
                raise Wrong("line %d: the end of a call that did not begin" % i)
            event["line"] = open_calls[key][0]["line"]
            open_calls[key].pop(0).update(event)
        elif event:
            event["line"] = i
            events.append(event)
            if event["duration"] < 0:
                open_calls.setdefault((event["kind"], event["date"], event["task"]), []).append(event)
    if events and events[0]["date"] != 0 and lines[0].endswith("1"):
        raise Wrong("the first date is not 0")
    return events


def read_sites(path):
    sites = set()
    if os.path.exists(path):
        for i, line in enumerate(open(path, encoding="utf-8"), 1):
            words = line.rstrip("\n").split(" ")
            if len(words) not in (3, 4) or not all(map(NUMBER.match, words[:2])) or not all(map(WORD.match, words[2:])):
                raise Wrong("sites:%d: not NUMBER LINE FILE [FUNCTION]" % i)
            if int(words[0]) in sites:
                raise Wrong("sites:%d: number %s twice" % (i, words[0]))
            if words[2].startswith("/"):
                raise Wrong("sites:%d: an absolute path" % i)
            sites.add(int(words[0]))
    return sites


def check_tasks(events):
    """Enroll first, Exit last, calls one after the other."""
    tasks = {}
    for e in events:
        state = tasks.get(e["task"])
        if e["kind"] == "Enroll":
            if state:
                raise Wrong("line %d: t%x enrols twice" % (e["line"], e["task"]))
            tasks[e["task"]] = {"exit": None, "end": e["date"], "open": None}
            continue
        if not state:
            raise Wrong("line %d: t%x before its Enroll" % (e["line"], e["task"]))
        if state["exit"]:
            raise Wrong("line %d: t%x after its Exit" % (e["line"], e["task"]))
        if e["kind"] == "Exit":
            state["exit"] = e
            if e["date"] < state["end"]:
                raise Wrong("line %d: Exit before the end of the last call" % e["line"])
            continue
        if e["category"] in ("user", "system"):
            continue
        if state["open"]:
            raise Wrong("line %d: t%x goes on after a call that never ended" % (e["line"], e["task"]))
        if e["date"] < state["end"]:
            raise Wrong("line %d: %s begins inside the call before" % (e["line"], e["kind"]))
        if e["duration"] < 0:
            state["open"] = e
        else:
            state["end"] = e["date"] + e["duration"]
    for tid, state in tasks.items():
        if not state["exit"]:
            raise Wrong("t%x never exits" % tid)
    return tasks


def check_peers(events, tasks, sites):
    born = set(t for e in events if e["kind"] == "Spawn" for t in e["spawned"])
    for e in events:
        if e["site"] and e["site"] not in sites:
            raise Wrong("line %d: site %d is unknown" % (e["line"], e["site"]))
        for field, role in e["roles"]:
            named = []
            if role == "peer" or role == "task":
                named = [e[field]]
            elif role in ("peers", "tasks"):
                named = e[field]
                if len(set(named)) != len(named):
                    raise Wrong("line %d: %s names a task twice" % (e["line"], field))
            for tid in named:
                if tid != -1 and tid not in tasks and tid not in born and tid < DAEMON:
                    raise Wrong("line %d: %s: task %d is unknown" % (e["line"], field, tid))
        if e["kind"] in ("Scatter", "Gather", "Reduce") and e["root"] == -1 and e["result"] >= 0:
            raise Wrong("line %d: the root is not known" % e["line"])


def check_messages(events):
    """FIFO.  A message may be optional: of a call that never ended, or to one who joins the group meanwhile."""
    steps = []
    for i, e in enumerate(events):
        end = e["date"] + max(e["duration"], 0)
        if e["kind"] in ("Send", "PSend", "Mcast", "Bcast") and e["result"] >= 0:
            steps.append((e["date"], 1, i, "send"))
        elif e["kind"] in ("Recv", "PRecv", "TRecv", "NRecv") and e["from"] >= 0:
            steps.append((end, 2, i, "receive"))
        elif e["kind"] == "JoinGroup":
            steps.append((e["date"], 0, i, "joining"))
            steps.append((end, 0, i, "joined"))
        elif e["kind"] == "LvGroup":
            steps.append((e["date"], 3, i, "leaving"))
            steps.append((end, 3, i, "left"))
    members = collections.defaultdict(dict)
    queue = collections.defaultdict(collections.deque)
    matched = 0
    senders = set(e["task"] for e in events)
    for date, _, i, what in sorted(steps):
        e = events[i]
        me = e["task"]
        if what in ("joining", "leaving"):
            members[e["group"]][me] = False
        elif what == "joined" and e["result"] >= 0:
            members[e["group"]][me] = True
        elif what == "left":
            members[e["group"]].pop(me, None)
        elif what == "send":
            sure = e["duration"] >= 0
            if e["kind"] == "Mcast":
                to = [(t, sure) for t in e["to"]]
            elif e["kind"] == "Bcast":
                to = [(t, sure and certain) for t, certain in members[e["group"]].items() if t != me]
            else:
                to = [(e["to"], sure)]
            for t, certain in to:
                queue[me, t, e["tag"]].append((e["date"], e["bytes"], certain, e["line"]))
        else:
            if e["from"] not in senders:
                continue
            q = queue[e["from"], me, e["tag"]]
            while q and not q[0][2] and q[0][1] != e["bytes"]:
                q.popleft()
            if not q:
                raise Wrong("line %d: received from t%x tag %d before it was sent, or never sent"
                            % (e["line"], e["from"], e["tag"]))
            sent, size, _, line = q.popleft()
            if date < sent:
                raise Wrong("line %d: received %d ns before it was sent in line %d" % (e["line"], sent - date, line))
            if size != e["bytes"]:
                raise Wrong("line %d: %d bytes received, %d sent in line %d" % (e["line"], e["bytes"], size, line))
            matched += 1
    return matched, sum(len(q) for q in queue.values())


def check_nicknames(path, tasks):
    if os.path.exists(path):
        for i, line in enumerate(open(path, encoding="utf-8"), 1):
            m = re.match(r"^t([0-9a-f]+) (\S.*)$", line.rstrip("\n"))
            if not m or int(m[1], 16) not in tasks:
                raise Wrong("nicknames:%d: not TASK NAME, or not a task of the trace" % i)


def check(bundle, kinds, whole):
    name = os.path.basename(bundle.rstrip("/"))[: -len(".trace")]
    folder = os.path.join(bundle, name + ".tapepvm")
    events = read_events(os.path.join(folder, "events"), kinds)
    sites = read_sites(os.path.join(folder, "sites"))
    tasks = check_tasks(events)
    check_peers(events, tasks, sites)
    matched = left = 0
    if whole:
        matched, left = check_messages(events)
    check_nicknames(os.path.join(bundle, "nicknames"), tasks)
    unfinished = sum(e["duration"] < 0 for e in events)
    dead = sum(t["exit"]["result"] < 0 for t in tasks.values())
    print("%s: %d events, %d tasks (%d died), %d calls without an end, %d messages (%d not received), %d sites"
          % (name, len(events), len(tasks), dead, unfinished, matched, left, len(sites)))


def main():
    arguments = sys.argv[1:]
    whole = "--filtered" not in arguments  # with events left out, messages cannot be matched
    arguments = [a for a in arguments if a != "--filtered"]
    kinds = read_kinds(arguments[0])
    status = 0
    for bundle in arguments[1:]:
        try:
            check(bundle, kinds, whole)
        except (Wrong, OSError) as why:
            print("%s: %s" % (bundle, why), file=sys.stderr)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
