#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""manual.py BUILD: each program that is installed has a man page, which tells the options that its --help tells, all of them and no
others; its --help in French names the same."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = sys.argv[1]
OPTION = re.compile(r'(?<![\w-])--?[a-zA-Z][a-z-]*')
# What the library that reads options says by itself, of each command.
USUAL = {'-h', '--help'}
OTHERS = {'-g'}         # of a compiler
wrong = []


def said(*command, language='en'):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          env={**os.environ, 'LANGUAGE': language, 'LC_ALL': 'C.UTF-8'})
    if done.returncode:
        wrong.append(f'{" ".join(command)}: status {done.returncode}: {done.stdout[:200]}')
    return done.stdout


def of_help(text):
    """Options that stand in a list, at the beginning of a line."""
    found = set()
    for line in text.splitlines():
        head = re.match(r' +((?:-{1,2}[\w-]+(?:\[?=\S+| [A-Z]\S*)?(?:, )?)+)', line)
        if head:
            found |= set(OPTION.findall(re.sub(r'=\S+', '', head[1])))
    return found - USUAL


def of_page(path):
    """Options anywhere in a page, but those in examples and of other programs."""
    with open(path, encoding='utf-8') as f:
        source = f.read()
    source = re.sub(r'^\.nf\n.*?^\.fi\n', '', source, flags=re.M | re.S)
    source = re.sub(r'^\.\\".*\n', '', source, flags=re.M)
    source = re.sub(r'\\f.|^\.[BIR]+ ', '', source, flags=re.M).replace('\\~', ' ')
    # A hyphen of an option is a minus in a page; a name before it says of which program it is.
    own = os.path.basename(path)[:-len('.1')]
    source = re.sub(r'\b(?!' + re.escape(own).replace('\\-', r'\\?-') + r'\b)(?:scope|tape\\?-[a-z]+)( [a-z]+)? (?:\\-)+[a-z-]+', '', source)
    return {o.replace('\\', '') for o in re.findall(r'(?<![\w-])(?:\\-){1,2}[a-zA-Z](?:\\?-|[a-z])*', source)} - USUAL - OTHERS


with open(os.path.join(BUILD, 'meson-info', 'intro-installed.json'), encoding='utf-8') as f:
    installed = json.load(f)
programs = {os.path.basename(to): built for built, to in installed.items() if '/bin/' in to or to.endswith('/scope-window')}
pages = {os.path.basename(to): built for built, to in installed.items() if '/man/man1/' in to}
for name, built in sorted(programs.items()):
    page = pages.get(name + '.1')
    if not page:
        wrong.append(f'{name}: there is no man page docs/{name}.1 that is installed')
        continue
    if name == 'scope-window':      # it asks for a display first
        with open(os.path.join(ROOT, 'src', 'window', 'app.c'), encoding='utf-8') as f:
            entries = re.findall(r'\{ "([a-z-]+)", (?:0|\'(\w)\'), 0, G_OPTION_ARG', f.read())
        heads, window = [], {'--' + long for long, _ in entries} | {'-' + short for _, short in entries if short}
        assert len(window) > 3, entries
    elif name == 'scope':
        commands = re.findall(r'^  (?!scope)([a-z][a-z-]+) ', said(built, '--help').split('Commands:')[1], re.M)
        assert len(commands) > 10, commands
        heap = re.search(r' ((?:\w+\|)+\w+) ', said(built, 'heap', '--help'))[1].split('|')
        heads = [[built, command] for command in commands] + [[built, 'heap', command] for command in heap]
    else:
        heads = [[built]]
    told = window if name == 'scope-window' else {'--version'} if name == 'scope' and said(built, '--version') else set()
    for head in heads:
        options = of_help(said(*head, '--help'))
        french = of_help(said(*head, '--help', language='fr'))
        told |= options
        if options != french:
            wrong.append(f'{" ".join(head[1:]) or name} --help: {" ".join(sorted(options ^ french))}: told in one language alone')
    in_page = of_page(page)
    for option in sorted(told - in_page):
        wrong.append(f'{os.path.relpath(page, ROOT)}: {option} of {name} --help is missing')
    for option in sorted(in_page - told):
        wrong.append(f'{os.path.relpath(page, ROOT)}: {option} is in no --help of {name}')

print('\n'.join(wrong) if wrong else f'manual: {len(programs)} programs have the options of their pages')
sys.exit(bool(wrong))
