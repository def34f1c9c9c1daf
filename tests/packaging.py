#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging.py BUILD: the Debian packages need what .ci/packages installs, hold each installed file once, and every program
has a man page, what the desktop shows is in all languages.  Packages are made of files of the installed sizes with nothing in them, so that it takes a second."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
wrong = []


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


build = {name for word in ('build', 'perhaps') for name in re.search(rf"^{word}='(.*)'$", read('.ci', 'packages'), re.M)[1].split()}
control = read('debian', 'control')
needs = re.search(r'^Build-Depends:((?:.*\n)(?: .*\n)*)', control, re.M)[1]
needs = {n.split('|')[0].strip() for n in needs.split(',')}
if needs != build:
    wrong.append(f'Build-Depends of debian/control and .ci/packages differ: {", ".join(sorted(needs ^ build))}')

version = re.search(r"version: '([^']*)'", read('meson.build'))[1]
if not read('debian', 'changelog').startswith(f'scope ({version}-'):
    wrong.append(f'the first entry of debian/changelog is not of version {version}')

with open(os.path.join(sys.argv[1], 'meson-info', 'intro-installed.json')) as f:
    installed = json.load(f)
names = {os.path.basename(p) for p in installed.values()}
programs = [os.path.basename(p) for p in installed.values() if '/bin/' in p or p.endswith('/scope-window')]
for program in programs:
    if program + '.1' not in names and os.path.exists(os.path.join(ROOT, 'docs', program + '.1')):
        wrong.append(f'docs/{program}.1 is not installed')
for page in (n for n in os.listdir(os.path.join(ROOT, 'docs')) if re.search(r'\.[13]$', n)):
    said = subprocess.run(['groff', '-man', '-ww', '-z', '-Tutf8', os.path.join(ROOT, 'docs', page)], stderr=subprocess.PIPE,
                          text=True).stderr
    if said:
        wrong.append(f'docs/{page}: {said.splitlines()[0]}')

# What the desktop shows of the program, in each language that has a catalogue.
def in_languages(what, texts, translated):
    """`translated` gives how many of `texts`, in English, a language has."""
    for language in read('po', 'LINGUAS').split():
        if not texts or translated(language) != len(texts):
            wrong.append(f'{what}: {len(texts)} texts in English, {translated(language)} in {language}')


LANG = '{http://www.w3.org/XML/1998/namespace}lang'
desktop = read('data', 'org.scope_trace.Scope.desktop')
in_languages('the desktop file', re.findall(r'^(GenericName|Comment|Keywords)=', desktop, re.M),
             lambda language: len(re.findall(rf'^(GenericName|Comment|Keywords)\[{language}\]=.', desktop, re.M)))
for name, source in (('org.scope_trace.Scope.metainfo.xml.in', None), ('org.scope_trace.Scope.xml', None), ('on-the-web.xml', '<x>{}</x>')):
    text = read('data', name)
    tree = ElementTree.fromstring(source.format(text) if source else text.encode())
    told = [e for e in tree.iter() if e.tag.rsplit('}')[-1] in ('summary', 'p', 'li', 'caption', 'developer_name', 'comment')]
    in_languages(name, [e for e in told if not e.get(LANG)], lambda language: len([e for e in told if e.get(LANG) == language]))
declared = set(re.search(r'^MimeType=(.*)', desktop, re.M)[1].strip(';').split(';'))
ours = set(re.findall(r'<mime-type type="(.*?)"', read('data', 'org.scope_trace.Scope.xml')))
if ours - declared:
    wrong.append(f'the desktop file does not take {", ".join(sorted(ours - declared))}')

if subprocess.run(['sh', '-c', 'command -v dpkg-deb dpkg-gencontrol'], stdout=subprocess.DEVNULL).returncode == 0:
    multiarch = next((re.search(r'lib/([^/]*)/libscopeviz', p)[1] for p in installed.values() if '/libscopeviz.so' in p), '')
    prefix = next(p for p in installed.values() if p.endswith('/bin/scope'))[:-len('/bin/scope')].strip('/')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['cp', '-r', os.path.join(ROOT, 'debian'), folder], check=True)
        for path in installed.values():
            at = os.path.join(folder, 'debian', 'tmp', path.lstrip('/'))
            if os.path.isdir(next(k for k, v in installed.items() if v == path)):
                os.makedirs(at, exist_ok=True)
                at = os.path.join(at, 'file')
            os.makedirs(os.path.dirname(at), exist_ok=True)
            open(at, 'w').close()
        packages = [p for p in re.findall(r'^Package: (.*)', control, re.M) if p != 'tape-pvm' or p in names]     # PVM may be missing
        for package in packages:
            done = subprocess.run(['sh', 'debian/pack', package, prefix], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True,
                                  env={**os.environ, 'DEB_HOST_MULTIARCH': multiarch, 'PACK_TO': '.'})
            if done.returncode:
                wrong.append(f'debian/pack {package}: {done.stdout}')
        left = [os.path.join(p, n) for p, _, files in os.walk(os.path.join(folder, 'debian', 'tmp')) for n in files]
        wrong.extend(f'in no package: {os.path.relpath(f, os.path.join(folder, "debian", "tmp"))}' for f in left)
        made = [n for n in os.listdir(folder) if n.endswith('.deb')]
        if not wrong and len(made) != len(packages):
            wrong.append(f'made are only {made}')
        for deb in made:
            about = subprocess.run(['dpkg-deb', '--info', os.path.join(folder, deb)], stdout=subprocess.PIPE, text=True).stdout
            if 'md5sums' not in about or f'Version: {version}-1' not in about:
                wrong.append(f'{deb}: {about}')

print('\n'.join(wrong) if wrong else 'packaging: nothing to say')
sys.exit(bool(wrong))
