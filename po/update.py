#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings the catalogues of this folder up to date with the texts of the program: update.py SCOPE, an executable that has
been built.  New texts stand without a translation in NAME.po; the test `words` names them.

Texts come from the sources that mark them (eve/words.h), from the components, which describe themselves, from the
programs on offer (schemas/) and the samples (traces/)."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ['src/window', 'src/time', 'src/panes', 'src/editor', 'src/document', 'src/session', 'src/cli',
           'views', 'readers', 'simulators', 'statistics', 'components', 'eve', 'traces/tracers']
HEAD = 'a column'          # of a table: a word that may be a state or a call elsewhere, so it has a context
SEEN = {'empty', 'title', 'x title', 'y title', 'z title', 'size title', 'label'}       # settings that are shown as they are
MARKS = re.compile(r'eve/words\.h|paint_sentence \(')       # that sentence is looked up where it is drawn


def sources():
    yield 'src/main.c'
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                path = os.path.join(at, name)
                if name.endswith(('.c', '.h')) and MARKS.search(open(path, encoding='utf-8').read()):
                    yield os.path.relpath(path, ROOT)


def of_components(scope):
    """What the components tell of themselves, in pairs: which of them, the text."""
    types = set()
    for k in json.loads(subprocess.run([scope, 'components', '--json'], check=True, stdout=subprocess.PIPE).stdout):
        for name in ('label', 'category', 'doc', 'help'):
            yield k['id'], k[name]
        for port in k['inputs'] + k['outputs']:
            yield f'{k["id"]}, port {port["name"]}', port['doc']
            types.add(port['type'])
        for setting in k['settings']:
            yield f'{k["id"]}, setting', setting['name']
            yield f'{k["id"]}, setting {setting["name"]}', setting['doc']
            for choice in setting.get('choices') or []:
                yield f'{k["id"]}, setting {setting["name"]}', choice
    for name in sorted(t for t in types if t):
        yield 'a type', name


def of_programs():
    for at, _, names in sorted(os.walk(os.path.join(ROOT, 'schemas'))):
        for name in sorted(names):
            if name.endswith('.eve'):
                path = os.path.join(at, name)
                tree = ElementTree.parse(path).getroot()
                told = [tree.findtext('title'), tree.findtext('doc')]
                told += [n.text for n in tree.iter('note') if n.get('name') in ('question', 'lead')]
                told += [c.get('name') for c in tree.iter('component')]
                told += [c.text for c in tree.iter('setting') if c.get('name') in SEEN]
                for text in told:
                    yield os.path.relpath(path, ROOT), text and re.sub(r'\s+', ' ', text).strip()


def of_displays():
    """Names of displays and what each tells, as docs/gallery.md has them: for who adds a view (displays.c)."""
    with open(os.path.join(ROOT, 'docs', 'gallery.md'), encoding='utf-8') as f:
        for part in f.read().split('\n## ')[1:]:
            lines = [line for line in part.splitlines() if line]
            yield 'a display', lines[0]
            yield 'a display', lines[1]


def of_samples():
    """What the page that one starts from tells of the samples: the first paragraph of their documentation (start.c)."""
    for at, _, names in sorted(os.walk(os.path.join(ROOT, 'traces'))):
        if at.endswith(('.trace/doc', '.otf2')) and 'README.md' in names:
            with open(os.path.join(at, 'README.md'), encoding='utf-8') as f:
                paragraphs = f.read().split('\n\n')
            yield os.path.relpath(at, ROOT), next((p.strip().replace('\n', ' ') for p in paragraphs if not p.startswith('#')), None)


def of_models():
    """Names of states and what states and attributes mean, as the models of simulators list them."""
    for at, _, names in sorted(os.walk(os.path.join(ROOT, 'simulators'))):
        for name in sorted(names):
            if name.endswith('.c'):
                with open(os.path.join(at, name), encoding='utf-8') as f:
                    text = f.read()
                for found in re.findall(r'\{ "([A-Z][A-Za-z ]*)", STATE_SENSE_|"(State)"', text):
                    yield 'a model', found[0] or found[1]
                for found in re.findall(r'\{ "([A-Z][A-Za-z]*)", (?:STATE_)?(?:NODE|EDGE)\b', text):
                    yield 'an attribute', found
                for found in re.findall(r'\b[A-Z]+_ \(\s*"([A-Z][A-Za-z]*)"', text):
                    yield 'an attribute', found
                for found in re.findall(r'\.doc = (?:N_ \()?((?:"(?:[^"\\]|\\.)*"\s*)+)', text):
                    yield 'a model', ''.join(json.loads(s) for s in re.findall(r'"(?:[^"\\]|\\.)*"', found))


def of_tables():
    """Heads of columns and titles of what components tell in tables and the like (statistics/types.h)."""
    for at, _, names in sorted(os.walk(os.path.join(ROOT, 'components'))):
        for name in sorted(names):
            if name.endswith('.c'):
                with open(os.path.join(at, name), encoding='utf-8') as f:
                    text = f.read()
                for found in re.findall(r'\{ "([^"]+)", (?:NULL|"[^"]*"|[a-z_]+), STATS_CELL_', text):
                    yield HEAD, found
                for found in re.findall(r'(?:stats_(?:table|matrix|histogram)_new|new_table|begin_table) \((?:self, )?"([^"]+)"', text):
                    yield 'a table', found


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def template(scope, path):
    """Writes all texts to a .pot file.  `scope` is one that has been built."""
    subprocess.run(['xgettext', '--from-code=UTF-8', '--language=C', '--keyword=_', '--keyword=N_', '--keyword=P_:1,2', '--keyword=NP_:1,2', '--keyword=C_:1c,2',
                    '--keyword=paint_sentence:2',
                    '--package-name=scope', '--no-wrap', '--sort-by-file', '-o', path, *sources()], check=True, cwd=ROOT)
    with open(path, encoding='utf-8') as f:
        known = set(re.findall(r'^msgid (".*")$', f.read(), re.M))
    # Only whole lines: xgettext writes a text of several lines as several, which components' texts have seldom.
    with open(path, 'a', encoding='utf-8') as f:
        for where, text in [*of_components(scope), *of_programs(), *of_models(), *of_tables(), *of_displays(), *of_samples()]:
            context = 'msgctxt "table"\n' if where == HEAD else ''
            if text and re.search('[A-Za-z]{2}', text) and context + quoted(text) not in known:
                known.add(context + quoted(text))
                f.write(f'\n#: {where.replace(" ", "_")}\n{context}msgid {quoted(text)}\nmsgstr ""\n')
    # What both have is one text.
    subprocess.run(['msguniq', '--no-wrap', '--use-first', '-o', path, path], check=True)


def languages():
    with open(os.path.join(ROOT, 'po', 'LINGUAS'), encoding='utf-8') as f:
        return f.read().split()


def spaced(text):
    """A French text with the spaces that its signs have before them, at which no line may end: narrow ones before ; ? and !; and its apostrophes"""
    text = re.sub(r"\b([cdjlmnstCDJLMNST]|[qQ]u|jusqu|lorsqu|puisqu|aujourd)'(?=[a-zA-ZÀ-ÿ])", '\\1\u2019', text)
    text = re.sub(r' +([;?!])(?=[ ,"\\]|$)', '\u202f\\1', text)
    text = re.sub(r' +:(?=[ "\\]|$)', '\u00a0:', text)
    return re.sub(r'« +(?=\S)', '«\u00a0', re.sub(r'(?<=\S) +»', '\u00a0»', text))


def space(path):
    """Mends these in a catalogue; a text that goes on after a semicolon begins with the space too.  The date of the template is
    left out: it would differ in each change, and so be in the way of whoever makes another."""
    lines, told, asked = [], False, ''
    with open(path, encoding='utf-8') as f:
        for line in f:
            if line.startswith('msgid '):
                asked = line[6:].strip()
            told = line.startswith('msgstr') or (told and line.startswith('"'))
            if told:
                line = spaced(line)
                if asked.startswith('"; '):
                    line = re.sub(r'^(msgstr(?:\[\d\])? "); ', '\\1\u202f; ', line)
            lines.append(line)
    with open(path, 'w', encoding='utf-8') as f:
        f.writelines(line for line in lines if not line.startswith('"POT-Creation-Date:'))


def main():
    with tempfile.TemporaryDirectory() as folder:
        pot = os.path.join(folder, 'scope.pot')
        template(sys.argv[1], pot)
        for language in languages():
            path = os.path.join(ROOT, 'po', language + '.po')
            subprocess.run(['msgmerge', '--quiet', '--update', '--backup=none', '--no-fuzzy-matching', '--no-wrap',
                            '--no-location', path, pot], check=True)
            subprocess.run(['msgattrib', '--no-obsolete', '--no-wrap', '-o', path, path], check=True)
    space(os.path.join(ROOT, 'po', 'fr.po'))


if __name__ == '__main__':
    main()
