# SPDX-License-Identifier: Apache-2.0
"""The tables of the component of wait states, of any trace and of archives made of lines (otf2-script.c)."""
import collections
import csv
import os
import re
import shutil
import subprocess

from formats import Format                                                                      # noqa: E402

SCRIPT = os.environ.get('OTF2_SCRIPT', '')
PROGRAM = '''<?xml version="1.0" encoding="UTF-8"?>
<eve version="1"><component name="R" class="scope.otf2-reader" version="1"/>
<component name="W" class="scope.wait-states" version="3"/>
<component name="A" class="scope.data-file" version="1"><setting name="file">waits.csv</setting></component>
<component name="B" class="scope.data-file" version="1"><setting name="file">tasks.csv</setting></component>
<component name="C" class="scope.data-file" version="1"><setting name="file">efficiency.csv</setting></component>
<component name="D" class="scope.data-file" version="1"><setting name="file">path.csv</setting></component>
<component name="E" class="scope.data-file" version="1"><setting name="file">messages.csv</setting></component>
<component name="F" class="scope.data-file" version="1"><setting name="file">causes.csv</setting></component>
<wire from="W" out="causes" to="F" in="in"/><wire from="W" out="path" to="D" in="in"/><wire from="W" out="messages" to="E" in="in"/>
<wire from="R" out="events" to="W" in="events"/><wire from="W" out="waits" to="A" in="in"/>
<wire from="W" out="tasks" to="B" in="in"/><wire from="W" out="efficiency" to="C" in="in"/></eve>'''


class Tables(Format):
    def tables(self, path, **settings):
        out = self.path('out')
        shutil.rmtree(out, ignore_errors=True)
        told = ''.join(f'<setting name="{name}">{value}</setting>' for name, value in settings.items())
        program = PROGRAM.replace('"scope.wait-states" version="3"/>', f'"scope.wait-states" version="3">{told}</component>')
        if '.prv' in path:
            program = program.replace('scope.otf2-reader', 'scope.paraver-reader')
        self.scope('run', path, '--program', self.path('waits.eve', program), '--out', out)
        rows = self.rows = {}
        for name in ('waits', 'tasks', 'efficiency', 'path', 'messages', 'causes'):
            with open(os.path.join(out, name + '.csv'), newline='') as f:
                rows[name] = list(csv.DictReader(f))
        self.by_region = {row['region']: float(row['on the path [s]']) for row in rows['path']}
        if any(row['what'] == 'Waiting of all tasks' and not row['value'] for row in rows['efficiency']):     # not told: all cells are empty
            self.assertEqual([rows['waits'], rows['messages'], rows['causes']], [[]] * 3, path)
            waits = {column.removesuffix(' [s]') for row in rows['tasks'][:1] for column in row if column[:1].isupper()}
            for row in rows['tasks'] + rows['efficiency']:
                of_waits = row.get('what', '').removesuffix(', times') in waits or re.match('Waiting |For two |Late ', row.get('what', 'Waiting '))
                row.update({k: '0' for k, cell in row.items() if not cell and of_waits and k not in ('mostly for', 'for that one [s]', 'unit')})
        self.assert_comparable(rows)
        return [row for row in rows['waits'] if row['times'] != '0'], rows['tasks'], {row['what']: float(row['value'] or 'nan') for row in rows['efficiency']}

    def assert_comparable(self, rows):
        """Sums of the tables side by side: each time once, and each kind by itself."""
        once, alone = collections.Counter(), collections.Counter()
        for row in rows['waits']:
            task = row['task']
            waited, by_itself = (round(float(row[k]) * 1e9) for k in ('waited [s]', 'by itself [s]'))
            once[task] += waited
            alone[task, row['kind']] += by_itself
            self.assertLessEqual(waited, by_itself, row)
            self.assertEqual(waited > 0, row['times'] != '0', row)
        kinds = [column for column in rows['tasks'][0] if column[:1].isupper()] if rows['tasks'] else []
        for row in rows['tasks']:
            mine = {column.removesuffix(' [s]'): round(float(row[column]) * 1e9) for column in kinds}
            waiting, twice = (round(float(row[k]) * 1e9) for k in ('waiting [s]', 'for two things at once [s]'))
            self.assertEqual(mine, {kind: alone[row['task'], kind] for kind in mine}, row['task'])
            self.assertEqual([waiting, sum(mine.values()) - twice], [once[row['task']]] * 2, row['task'])
        efficiency = {row['what']: float(row['value'] or 'nan') for row in rows['efficiency']}
        for kind in {kind for _, kind in alone}:
            self.assertEqual(round(efficiency[kind] * 1e9), sum(n for (_, k), n in alone.items() if k == kind), kind)
        self.assertEqual(round(efficiency['Waiting of all tasks'] * 1e9), sum(once.values()))
        self.assertEqual(round(efficiency['For two things at once'] * 1e9), sum(alone.values()) - sum(once.values()))

    def made(self, name, lines):
        """What rows of waits an archive of such lines (otf2-script.c) has: (kind, task, region) -> ticks, and the efficiency."""
        path = self.path(name)
        subprocess.run([SCRIPT, path], input='\n'.join(lines) + '\n', text=True, check=True)
        waits, _, efficiency = self.tables(path)
        return {(w['kind'], w['task'], w['region']): round(float(w['waited [s]']) * 1e9) for w in waits}, efficiency
