# SPDX-License-Identifier: Apache-2.0
"""Paje traces, for the peers that read them."""
import random

PAJE_HEADER = '''%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 2
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeSetState 3
% Time date
% Type string
% Container string
% Value string
%EndEventDef
0 P 0 Program
0 T P Task
1 S T State
2 0.0 p P 0 program
'''


def paje(path, events, tasks):
    """A Paje trace with as many events: begins and ends of states."""
    draw = random.Random(1)
    with open(path, 'w') as f:
        f.write(PAJE_HEADER)
        for task in range(tasks):
            f.write(f'2 0.0 t{task} T p task{task}\n')
        for i in range(events):
            f.write(f'3 {i * 1e-6:.6f} S t{draw.randrange(tasks)} {"Busy" if i & 1 else "Idle"}\n')
