# SPDX-License-Identifier: Apache-2.0
"""What both models share: objects whose values are compared before and after each event, which gives their Clock and
the time they spend in each state.  Nothing is counted along; a value is worked out anew whenever it may have changed."""
from decimal import Decimal


class Seen:
    """An object as it was after the last event that touched it: its state, its other values, when one changed."""

    def __init__(self, date, counted):
        self.clock = self.since = date
        self.state, self.values = None, None
        self.spent = {state: 0 for state in counted}
        self.visits = dict(self.spent)

    def look(self, date, state, values):
        if self.state is None:
            self.clock = date
        elif (state, values) != (self.state, self.values):
            self.clock = date
        if state != self.state:
            if self.state in self.spent:
                self.spent[self.state] += date - self.since
            if state in self.visits:
                self.visits[state] += 1
            self.since = date
        self.state, self.values = state, values

    def ticks(self, at):
        """Ticks spent in each state that counts, until `at`."""
        spent = dict(self.spent)
        if self.state in spent:
            spent[self.state] += max(at - self.since, 0)
        return spent

    def percentages(self, at):
        spent = self.ticks(at)
        total = sum(spent.values())
        return {f'Percent{state}': '%.1f' % (100.0 * ticks / total if total else 0) for state, ticks in spent.items()}


def seconds(ticks, per_second):
    return Decimal(ticks) / Decimal(per_second)


def differences(mine, theirs, per_second):
    """Sentences about what `scope state --json` says otherwise; mine: as Pvm.state() and Ouf.state() give it."""
    found = []

    def same(name, value, text):
        return seconds(value, per_second) == Decimal(text) if name == 'Clock' else str(value) == text

    for part in ('nodes', 'edges'):
        for a, b in zip(mine[part], theirs[part]):
            for name in a.keys() | b.keys():
                if name not in a or name not in b:
                    found.append(f'{part} {a["id"]}: only one has {name}')
                elif not same(name, a[name], b[name]):
                    found.append(f'{part} {a["id"]}: {name} is {a[name]!r}, not {b[name]!r}')
        if len(mine[part]) != len(theirs[part]):
            found.append(f'{part}: {[o["id"] for o in mine[part]]}, not {[o["id"] for o in theirs[part]]}')
    for row in theirs.get('times', []):     # views tell attributes alone
        key = row['id'], row['state']
        if 'times' in mine and key not in mine['times']:
            found.append(f'{key[0]} was never in {key[1]}')
        elif 'times' in mine:
            spent, inclusive, visits = mine['times'].pop(key)
            told = [Decimal(row['spent']), Decimal(row['inclusive']), row.get('visits')]
            if [seconds(spent, per_second), seconds(inclusive, per_second), visits] != told:
                found.append(f'{key}: spent, inclusive, visits are {spent} {inclusive} {visits}, not {told}')
    if 'times' in theirs:
        found += [f'{key}: nothing is told' for key in mine.get('times', {})]
    if mine['clock'] is not None and seconds(mine['clock'], per_second) != Decimal(theirs['graph']['Clock']):
        found.append(f'the Clock of the graph is {mine["clock"]}, not {theirs["graph"]["Clock"]}')
    return found
