#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the texts that people read: words.py SCOPE.  What is handed to a function that shows it is marked for translation
(eve/words.h), and each catalogue of po/ has a translation of every text, with the same placeholders."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'po'))
import update       # noqa: E402

FOLDERS = ['src/window', 'src/time', 'src/panes', 'src/editor', 'src/document']
# Functions that show a text, and which of their arguments it is.
SHOWN = {'gtk_label_new': 0, 'gtk_label_new_with_mnemonic': 0, 'gtk_label_set_text': 1, 'gtk_label_set_markup': 1,
         'gtk_button_new_with_label': 0, 'gtk_button_new_with_mnemonic': 0, 'gtk_button_set_label': 1,
         'gtk_check_button_new_with_label': 0, 'gtk_expander_new': 0, 'gtk_menu_item_new_with_label': 0,
         'gtk_widget_set_tooltip_text': 1, 'gtk_widget_set_tooltip_markup': 1, 'gtk_entry_set_placeholder_text': 1,
         'gtk_file_chooser_dialog_new': 0, 'gtk_dialog_new_with_buttons': 0, 'gtk_dialog_add_button': 1,
         'gtk_message_dialog_new': 4, 'gtk_message_dialog_format_secondary_text': 1, 'gtk_file_filter_set_name': 1,
         'gtk_combo_box_text_append_text': 1, 'g_menu_append': 1, 'g_menu_append_section': 1, 'g_menu_append_submenu': 1,
         'g_menu_item_new': 0, 'atk_object_set_name': 1, 'atk_object_set_description': 1, 'scope_document_say': 2,
         'scope_document_say_about': 3, 'g_application_command_line_printerr': 1, 'fprintf': 1, 'scope_document_begin_edit': 1, 'canvas_begin': 1, 'inspector_label': 0,
         'action_item': 2, 'closure_item': 2}
# The same where texts are shown by others: sentences of errors, of damage, of commands.  What is written into files or is the
# name of something is none of these.
TOLD_IN = ['src', 'src/session', 'src/cli', 'views', 'views/scene', 'readers', 'simulators', 'statistics', 'components', 'eve', 'traces/tracers']
TOLD = {'g_set_error': 3, 'eve_warn': 1, 'eve_fail': 1, 'eve_status': 1, 'cli_usage': 1, 'cli_fail': 1, 'cli_note': 1, 'report_heading': 1,
        'text_line': 1, 'table_heads': None, 'state_impossible': 2, 'trace_source_damage': 4, 'trace_source_remark': 4, 'tp_fault': 2,
        'paje_damaged': 1, 'paraver_damaged': 1, 'picl_damaged': 1, 'sddf_damaged': 1, 'mpe_damaged': 3, 'chrome_damaged': 2,
        'otf2_damaged': 2, 'heap_damaged': 1, 'mistake': 2, 'paint_note': 3, 'tape_say': 0}
SPARED = {'readers/values/writer.c', 'readers/values/recover.c', 'readers/tapepvm/import.c', 'readers/tapepvm/synth.c',
          'readers/tape/synth.c', 'readers/writing-text.c', 'src/cli/synth.c', 'simulators/mirror.c'}
# Where what is told of a picture is joined; not what a setting holds.
JOINED_IN, UNJOINED = ['views', 'views/scene', 'src/panes'], {'src/panes/camera.c'}
TOKEN = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|[^\s]', re.S)
LETTERS = re.compile(r'[A-Za-z]{2}')


def unmarked(text, shown=SHOWN):
    """Line and literal of each argument that is shown and has words that are not marked."""
    calls, before = [], ''
    for token in TOKEN.finditer(text):
        t = token.group()
        if t.startswith('/*'):
            continue
        if t == '(':
            calls.append([before, 0])
        elif t == ')' and calls:
            calls.pop()
        elif t == ',' and calls:
            calls[-1][1] += 1
        elif t.startswith('"') and calls and calls[-1][0] in shown and shown[calls[-1][0]] in (None, calls[-1][1]):
            words = re.sub(r'%[-+ #0]*[\d.*]*[hlzjt]*[a-zA-Z]|<[^>]*>|\\.', '', t)
            if LETTERS.search(words) and words != '"Scope"':
                yield text.count('\n', 0, token.start()) + 1, t
        before = t


def joints(text):
    """Line and literal of each semicolon alone that joins texts, and is not marked: French has a space before it."""
    before = called = ''
    for token in TOKEN.finditer(text):
        t = token.group()
        if t.startswith('"') and re.sub(r'%[sd]|: ', '', t) == '"; "' and not (before == '(' and called in ('_', 'N_')) and called != 'g_str_has_suffix':
            yield text.count('\n', 0, token.start()) + 1, t
        if t == '(':
            called = before
        if not t.startswith('/*'):
            before = t


def said_in(po):
    """Number of line and text of each line of a translation; those of the head of the file are none."""
    with open(po, encoding='utf-8') as f:
        ours = False
        for n, line in enumerate(f, 1):
            found = re.match(r'(msgid|msgid_plural|msgctxt|msgstr(?:\[\d\])?)? ?"(.*)"$', line)
            if not found:
                continue
            ours = found[1].startswith('msgstr') if found[1] else ours
            if ours and found[2] and not re.match(r'[A-Z][\w-]+: .*\\n$', found[2]):
                yield n, found[2].replace('\\n', '\n').replace('\\"', '"')


def french(text):
    """What a French printer would not set so: each with what stands around it."""
    for pattern, what in ((r'(?:^|[^\u202f\u00a0"])» ?|« ?(?=[^\u202f\u00a0])', 'quotation marks have a no-break space inside'),
                          (r' [;:!?](?=\s|$|[)»])', 'the space before ; : ! ? does not break'),
                          (r'[a-zà-ÿœ)»%][;!?:](?=\s|$)', 'a no-break space goes before ; : ! ?'),
                          (r"[A-Za-zà-ÿœ]'[A-Za-zà-ÿœ]", 'the apostrophe is ’')):
        for found in re.finditer(pattern, text):
            yield f'{what}: “{text[max(0, found.start() - 20):found.end() + 10]}”'


def main():
    bad = []
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith('.c'):
                with open(os.path.join(ROOT, folder, name), encoding='utf-8') as f:
                    bad += [f'{folder}/{name}:{line}: {t} is shown: write _ ({t}), of eve/words.h' for line, t in unmarked(f.read())]
    for folder in TOLD_IN:
        for at, _, names in os.walk(os.path.join(ROOT, folder)) if folder in ('readers', 'simulators', 'components', 'traces/tracers') else [(os.path.join(ROOT, folder), [], os.listdir(os.path.join(ROOT, folder)))]:
            for path in (os.path.relpath(os.path.join(at, name), ROOT) for name in sorted(names) if name.endswith('.c')):
                if path not in SPARED:
                    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
                        bad += [f'{path}:{line}: {t} is told: write _ ({t}), of eve/words.h' for line, t in unmarked(f.read(), TOLD)
                                if ' ' in t.strip('" ')]
    for folder in JOINED_IN:
        for path in (f'{folder}/{name}' for name in sorted(os.listdir(os.path.join(ROOT, folder))) if name.endswith('.c')):
            if path not in UNJOINED:
                with open(os.path.join(ROOT, path), encoding='utf-8') as f:
                    bad += [f'{path}:{line}: {t} joins what is told: write _ ({t}), or paint_joined()' for line, t in joints(f.read())]
    with tempfile.TemporaryDirectory() as to:
        pot = os.path.join(to, 'scope.pot')
        update.template(sys.argv[1], pot)
        for language in update.languages():
            po, merged = os.path.join(ROOT, 'po', language + '.po'), os.path.join(to, language + '.po')
            subprocess.run(['msgmerge', '--quiet', '--no-fuzzy-matching', '-o', merged, po, pot], check=True)
            checked = subprocess.run(['msgfmt', '--check-format', '--check-header', '-o', os.path.join(to, 'mo'), merged], text=True,
                                     stderr=subprocess.PIPE)
            if checked.returncode:
                bad.append(f'po/{language}.po: {checked.stderr.strip()}')
            if language == 'fr':
                bad += [f'po/fr.po:{line}: {what}' for line, text in said_in(po) for what in french(text)]
            for only in ('--untranslated', '--only-fuzzy'):
                left = subprocess.run(['msgattrib', only, '--no-wrap', '--no-obsolete', merged], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
                # a text of several lines begins with an empty one, as the head of the file does
                texts = [''.join(re.findall(r'^"(.*)"$', lines, re.M)) for lines in re.findall(r'^msgid ((?:".*"\n)+)', left, re.M)]
                bad += [f'po/{language}.po: "{text}" has no translation; po/update.py puts it there' for text in texts if text]
    print('\n'.join(bad) or 'words: nothing to say')
    sys.exit(bool(bad))


main()
