# SPDX-License-Identifier: Apache-2.0
"""Drives the window as a person does: real keys and pointer (xdotool) on a display of its own (Xvfb), seen through the
accessibility tree (AT-SPI).

    from harness import Case, SAMPLES, main

    class Test(Case):
        def test_undo(self):
            w = self.start(SAMPLES + '/ring.trace')            # a Window; ended and checked after the test
            w.wait_for('push button', 'Undo')                  # an Item; fails with a picture and the tree after some seconds
            w.find('push button', 'Undo').click()
            w.key('ctrl+z')
            w.wait(lambda: w.find('label', 'saved'), 'the program is saved')

    if __name__ == '__main__':
        main()

Environment: SCOPE_WINDOW, SCOPE (the executables), SCOPE_GUI_OUT (folder of pictures of failures).  A test never sleeps: it
waits for a condition.  After each test the window must be alive, or ended as the test wished, and must not have printed
a warning of GTK or of a sanitizer.
"""
import array
import collections
import contextlib
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests'))
from few import once        # noqa: E402, F401
SAMPLES = os.path.join(ROOT, 'traces')
WINDOW = os.environ.get('SCOPE_WINDOW', os.path.join(ROOT, 'build', 'src', 'scope-window'))
SCOPE = os.environ.get('SCOPE', os.path.join(os.path.dirname(WINDOW), 'scope'))
OUT = os.environ.get('SCOPE_GUI_OUT', os.path.join(tempfile.gettempdir(), 'scope-gui'))
PATIENCE = float(os.environ.get('SCOPE_GUI_PATIENCE', '1'))     # a sanitized window is slow
DOUBLE_MS = 600         # two clicks within that time are a double click: on a busy machine the second one comes late
FRAME_S = 0.025         # longer than a frame
COMPLAINTS = re.compile(r'.*(?:CRITICAL|WARNING|Sanitizer|runtime error|\(null\)).*')
# Of the environment of the test, not of the window.
HARMLESS = re.compile(r'dconf|Could not open device|AT-SPI|dbind|GVFS|gvfs|Unable to acquire|icon theme|libEGL|MESA|'
                      r'cannot register existing type .*Atspi|system bus|'
                      r"gtk_notebook_get_tab_label: assertion 'list != NULL'")     # GTK's own, of its dialog to print

_session = None


def skip(why):
    print('skipped:', why)
    sys.exit(77)


try:
    import gi
    gi.require_version('Atspi', '2.0')
    gi.require_version('GdkPixbuf', '2.0')
    from gi.repository import Atspi, GdkPixbuf, GLib
except (ImportError, ValueError) as problem:
    # The bindings belong to the system's Python, which need not be the first in PATH.
    system = '/usr/bin/python3'
    if os.path.realpath(sys.executable) != os.path.realpath(system) and os.path.exists(system):
        os.execv(system, [system, *sys.argv])
    skip(f'accessibility cannot be asked: {problem}')


Screen = collections.namedtuple('Screen', 'file begin width height line data')


class Session:
    """A display with a window manager, a session bus with accessibility, a home of its own: one for a test file."""

    def __init__(self, width=1600, height=1000):
        for tool in ('Xvfb', 'dbus-daemon', 'xdotool', 'openbox'):
            if not shutil.which(tool):
                skip(f'{tool} is not installed')
        self.home = tempfile.mkdtemp(prefix='scope-gui-')
        self.children, self.shown = [], None
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(('XDG_', 'GTK', 'GDK', 'DBUS', 'AT_SPI', 'WAYLAND', 'LC_')) and k != 'LANG'}
        env.update(HOME=self.home, LANG='C.UTF-8', GSETTINGS_BACKEND='memory', GDK_BACKEND='x11', GTK_USE_PORTAL='0',
                   GIO_USE_VFS='local', LIBGL_ALWAYS_SOFTWARE='1')
        env.pop('NO_AT_BRIDGE', None)
        env.pop('G_DEBUG', None)        # what a window complains of is read; GTK's own dialogs complain of themselves
        for name in ('RUNTIME_DIR', 'CONFIG_HOME', 'DATA_HOME', 'STATE_HOME', 'CACHE_HOME'):
            env['XDG_' + name] = os.path.join(self.home, name.lower())
            os.mkdir(env['XDG_' + name], 0o700)
        env['DISPLAY'] = ':' + self.display(width, height, env)
        bus = os.path.join(self.home, 'bus.conf')
        with open(bus, 'w') as f:       # no services of the desktop but accessibility
            f.write('<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
                    '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>'
                    '<listen>unix:tmpdir=/tmp</listen><servicedir>/usr/share/dbus-1/accessibility-services</servicedir>'
                    '<servicedir>' + self.services() + '</servicedir>'
                    '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>'
                    '<allow own="*"/></policy></busconfig>')
        daemon = self.spawn(['dbus-daemon', '--config-file=' + bus, '--nofork', '--print-address'], env,
                            stdout=subprocess.PIPE)
        env['DBUS_SESSION_BUS_ADDRESS'] = daemon.stdout.readline().decode().strip()
        self.env = env
        os.environ.update({k: env[k] for k in ('DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME',
                                               'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME')})
        self.spawn(['openbox', '--sm-disable', '--config-file', self.manager()], env)
        self.accessibility()

    def spawn(self, words, env, **more):
        more.setdefault('stdout', subprocess.DEVNULL)
        child = subprocess.Popen(words, env=env, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, **more)
        self.children.append(child)
        return child

    def display(self, width, height, env):
        get, put = os.pipe()
        server = self.spawn(['Xvfb', '-displayfd', str(put), '-screen', '0', f'{width}x{height}x24', '-nolisten', 'tcp',
                             '-noreset', '-fbdir', self.home], env, pass_fds=[put])
        self.server = server.pid
        os.close(put)
        with os.fdopen(get) as f:
            number = f.readline().strip()
        if not number or server.poll() is not None:
            raise RuntimeError('Xvfb did not start')
        return number

    def screen(self):
        """What is on the display: a file of the format xwd, which Xvfb draws into."""
        if not self.shown:
            file = open(os.path.join(self.home, 'Xvfb_screen0'), 'rb', 0)
            head = struct.unpack('>25I', file.read(100))
            self.shown = Screen(file, head[0] + head[19] * 12, head[4], head[5], head[12], bytearray(head[5] * head[12]))
        return self.shown

    def services(self):
        """Only the service of accessibility, of all that the system offers."""
        folder = os.path.join(self.home, 'services')
        os.mkdir(folder)
        for name in ('org.a11y.Bus.service',):
            source = os.path.join('/usr/share/dbus-1/services', name)
            if os.path.exists(source):
                shutil.copy(source, folder)
        return folder

    def manager(self):
        """A window manager without decorations or keys of its own."""
        path = os.path.join(self.home, 'openbox.xml')
        with open(path, 'w') as f:
            f.write('<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc"><focus><focusNew>yes</focusNew>'
                    '</focus><placement><policy>Smart</policy></placement><keyboard></keyboard><mouse>'
                    '<context name="Client"><mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/>'
                    '</mousebind></context></mouse><applications><application class="*"><decor>no</decor></application>'
                    '</applications></openbox_config>')
        return path

    @staticmethod
    def accessibility():
        Atspi.init()
        Atspi.set_timeout(4000, 8000)

    def end(self):
        if self.shown:
            self.shown.file.close()
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            if child.stdout:
                child.stdout.close()
        shutil.rmtree(self.home, True)


def session():
    global _session
    if not _session:
        _session = Session()
    return _session


def xdo(*words):
    subprocess.run(['xdotool', *[str(w) for w in words]], env=session().env, check=True, stdout=subprocess.DEVNULL,
                   timeout=30)


# ---- what is on the screen ------------------------------------------------------------------------------------------------

class Item:
    """One accessible thing: role, name, text, state; it can be clicked and dragged."""

    def __init__(self, window, node):
        self.window, self.node = window, node

    def _ask(self, what, none=None):
        try:
            return what()
        except GLib.Error:          # it has gone
            return none

    @property
    def role(self):
        return self._ask(self.node.get_role_name, '')

    @property
    def name(self):
        return self._ask(self.node.get_name, '') or ''

    @property
    def description(self):
        return self._ask(self.node.get_description, '') or ''

    @property
    def text(self):
        def get():
            t = self.node.get_text_iface()
            return Atspi.Text.get_text(t, 0, Atspi.Text.get_character_count(t)) if t else ''
        return self._ask(get, '')

    @property
    def value(self):
        def get():
            v = self.node.get_value_iface()
            return v and Atspi.Value.get_current_value(v)
        return self._ask(get)

    @property
    def box(self):
        """x, y, width, height on the screen, in device pixels as the pointer counts them."""
        def get():
            c = self.node.get_component_iface()
            return c and Atspi.Component.get_extents(c, Atspi.CoordType.SCREEN)
        e = self._ask(get)
        s = self.window.scale
        return (e.x * s, e.y * s, e.width * s, e.height * s) if e else (0, 0, 0, 0)

    def state(self, name):
        """'showing', 'sensitive', 'checked', 'selected', 'focused', ..."""
        return bool(self._ask(lambda: self.node.get_state_set().contains(getattr(Atspi.StateType, name.upper())), False))

    @property
    def showing(self):
        return self.state('showing') and self.state('visible')

    @property
    def children(self):
        n = self._ask(self.node.get_child_count, 0)
        nodes = (self._ask(lambda i=i: self.node.get_child_at_index(i)) for i in range(min(n, 5000)))
        return [Item(self.window, c) for c in nodes if c]

    def all(self):
        """It and everything below it, what is not shown left out."""
        stack = [self]
        while stack:
            item = stack.pop()
            yield item
            stack.extend(reversed([c for c in item.children if c.state('visible') or c.role in ('application', '')]))

    def find(self, role=None, name=None, showing=True):
        """The first below it: role exactly, name exactly or by a compiled pattern; None: there is none."""
        return next(self.find_all(role, name, showing), None)

    def find_all(self, role=None, name=None, showing=True):
        for item in (self.shown_below(role) if showing else self.all()):
            if item is not self and matches(item, role if not showing else None, name) and (not showing or item.showing):
                yield item

    def shown_below(self, role=None):
        """What is shown below it, of a role, in the order of the tree.  The window looks through its tree itself: an answer takes
        a millisecond or two, where a walk from here asks for each thing, which for a window of some hundred takes 200."""
        rule = Atspi.MatchRule.new(Atspi.StateSet.new([Atspi.StateType.SHOWING, Atspi.StateType.VISIBLE]), ALL, {}, ALL, roles_named(role),
                                   ANY if role else ALL, [], ALL, False)
        nodes = self._ask(lambda: Atspi.Collection.get_matches(self.node, rule, Atspi.CollectionSortOrder.CANONICAL, 0, True), [])
        return [Item(self.window, n) for n in nodes if n]

    def at(self, fx=0.5, fy=0.5):
        x, y, w, h = self.box
        return round(x + w * fx), round(y + h * fy)

    def steady(self):
        """Once it stays where it is.  What was hidden or folded just now makes room at the next frame only, and a pointer that is
        sent to where the thing was until then hits its neighbour."""
        end, last = time.monotonic() + 3 * PATIENCE, None
        while time.monotonic() < end and (now := self.box) != last:
            last = now
            time.sleep(FRAME_S)
            self.window.served(2)
        return self

    def click(self, button=1, fx=0.5, fy=0.5, times=1):
        box = self.steady().box
        if box[2] <= 1:
            raise AttributeError(f'{self} has gone')
        self.window.click(*self.at(fx, fy), button=button, times=times)
        return self

    def hover(self, fx=0.5, fy=0.5):
        self.window.move(*self.steady().at(fx, fy))

    def drag_to(self, other, fx=0.5, fy=0.5):
        """`other`: an Item or x, y."""
        self.steady()
        x, y = other.at(fx, fy) if isinstance(other, Item) else other
        self.window.drag(*self.at(), x, y)

    def action(self, name=None):
        """Does it without pointer or key, as a screen reader does."""
        def do():
            a = self.node.get_action_iface()
            for i in range(Atspi.Action.get_n_actions(a)):
                if name is None or Atspi.Action.get_action_name(a, i) == name:
                    return Atspi.Action.do_action(a, i)
            return False
        return self._ask(do, False)

    def type(self, text):
        """Puts text into a field, in place of what is there."""
        self.click()
        self.window.key('ctrl+a')
        self.window.type(text)
        return self

    def __repr__(self):
        return f'<{self.role} "{self.name}" {self.box}>'


ALL, ANY = Atspi.CollectionMatchType.ALL, Atspi.CollectionMatchType.ANY
_roles = {}


def roles_named(name):
    """Of Atspi.Role, those that are called so; [] for None."""
    if not _roles:
        for role in (getattr(Atspi.Role, word) for word in dir(Atspi.Role) if word.isupper()):
            if isinstance(role, Atspi.Role):
                _roles.setdefault(Atspi.role_get_name(role), []).append(role)
    return _roles[name] if name else []


def matches(item, role, name):
    if role is not None and item.role != role:
        return False
    if name is None:
        return True
    return bool(name.search(item.name)) if hasattr(name, 'search') else item.name == name


def wide(window):
    """Width of a window of the display server; 0: it has gone."""
    done = subprocess.run(['xdotool', 'getwindowgeometry', '--shell', window], env=session().env, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    found = re.search('^WIDTH=([0-9]+)', done.stdout, re.M)
    return int(found[1]) if found else 0


def asleep(pid):
    """It waits for something, or has ended."""
    try:
        with open(f'/proc/{pid}/stat') as f:
            return f.read().rsplit(')', 1)[1].split()[0] in 'SZ'
    except OSError:
        return True


class Window:
    """A running scope-window."""

    def __init__(self, case, words=(), env=None, scale=1, size=None, keep_signals=False, program=WINDOW):
        self.case, self.scale = case, scale
        whole = dict(session().env, **{k: str(v) for k, v in (env or {}).items()})
        whole['GDK_SCALE'] = str(scale)
        whole.setdefault('ASAN_OPTIONS', 'detect_leaks=0')      # what GTK keeps is not ours to tell
        self.log_path = os.path.join(session().home, f'window-{time.monotonic_ns()}.log')
        self.log = open(self.log_path, 'wb')
        self.began = time.monotonic()
        # In a folder of its own: a dialog to save begins there, and a monkey overwrites what it finds.
        self.process = subprocess.Popen([program, *[str(w) for w in words]], env=whole, stdin=subprocess.DEVNULL,
                                        cwd=session().home, stdout=self.log, stderr=self.log, restore_signals=not keep_signals)
        self.pid = self.process.pid
        self.expected_end = False
        self.node = None
        self.clicked = 0, 0, 0, 1       # when, where, and how often last
        if size:
            self.wait(lambda: self.frame, 'the window is there')
            self.resize(*size)

    # -- looking --
    @property
    def application(self):
        if self.node is None:
            desktop = Atspi.get_desktop(0)
            for i in range(desktop.get_child_count()):
                try:
                    child = desktop.get_child_at_index(i)
                    if child and child.get_process_id() == self.pid:
                        self.node = child
                except GLib.Error:
                    pass
        return Item(self, self.node) if self.node else None

    @property
    def frames(self):
        app = self.application
        return [c for c in app.children if c.role in ('frame', 'dialog', 'file chooser', 'alert', 'window')
                and c.state('visible')] if app else []

    @property
    def frame(self):
        """The main window (of several: the one that was made first)."""
        return next((f for f in self.frames if f.role == 'frame'), None)

    def find(self, role=None, name=None, showing=True):
        app = self.application
        return app.find(role, name, showing) if app else None

    def find_all(self, role=None, name=None, showing=True):
        app = self.application
        return list(app.find_all(role, name, showing)) if app else []

    def tree(self, depth=40):
        lines = []

        def walk(item, level):
            s = '' if item.showing else ' (hidden)'
            text = item.text if item.role in ('text', 'entry', 'label') else ''
            more = f' = {text[:60]!r}' if text and text != item.name else ''
            lines.append('  ' * level + f'{item.role} "{item.name}"{more}{s} {item.box}')
            if level < depth and not s:
                for child in item.children:
                    walk(child, level + 1)
        for frame in self.frames:
            walk(frame, 0)
        return '\n'.join(lines)

    # -- waiting --
    def wait(self, condition, what, seconds=15):
        """Until the condition gives something true, which is returned."""
        end, trouble, pause = time.monotonic() + seconds * PATIENCE, '', 0.02
        while True:
            try:
                found = condition()
            except (GLib.Error, AttributeError) as gone:        # between two looks of the condition
                found, trouble = None, f' ({gone})'
            if found:
                return found
            if self.process.poll() is not None and not self.expected_end:
                self.case.fail(f'waiting until {what}: the window ended with {self.process.returncode}\n{self.said()}')
            if time.monotonic() > end:
                self.shot_of_failure()
                self.case.fail(f'not within {seconds * PATIENCE:g} s: {what}{trouble}\n{self.said()}\n{self.tree()}')
            time.sleep(pause)       # between two looks, not instead of one
            pause = min(pause * 1.3, 0.06)      # each look is work for the window: it has to get on with its own

    def wait_for(self, role=None, name=None, seconds=15):
        return self.wait(lambda: self.find(role, name), f'there is a {role or "thing"} named {getattr(name, "pattern", name)}',
                         seconds)

    def wait_gone(self, role=None, name=None, seconds=15):
        self.wait(lambda: not self.find(role, name), f'there is no {role or "thing"} named {getattr(name, "pattern", name)}',
                  seconds)

    def settle(self, quiet=0.3):
        """Until the window has done what was asked of it and drawn it: nothing on the screen changes for a while."""
        last = [None, 0.0]

        def same():
            time.sleep(0.03)        # a picture of the whole screen is six megabytes
            shot, now = self.pixels()[3], time.monotonic()
            if shot != last[0]:
                last[:] = bytes(shot), now
            return now - last[1] >= quiet
        self.wait(same, 'the picture is at rest')

    # -- doing --
    def served(self, most=0.5):
        """Until the display server and the window sleep, having worked off what keys and pointer have sent; not for long, as a
        window that plays never does."""
        end, calm = time.monotonic() + most, 0
        while calm < 2 and time.monotonic() < end:
            calm = calm + 1 if asleep(session().server) and asleep(self.pid) else 0
            time.sleep(0.002)

    def focus(self):
        ids = self.ids()
        if ids:
            xdo('windowfocus', '--sync', ids[0])

    def ids(self):
        done = subprocess.run(['xdotool', 'search', '--onlyvisible', '--pid', str(self.pid)], env=session().env,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout.split()

    def resize(self, width, height):
        """Device pixels; the window then fills the upper left of the screen."""
        asked = [0]

        def sized():
            frame = self.frame
            if frame and time.monotonic() > asked[0] + 2:     # once more: a window that has just come may place itself after that
                asked[0] = time.monotonic()
                ids = sorted(self.ids(), key=lambda i: abs(wide(i) - frame.box[2]))     # a dialog may lie before it
                for window in ids[:1]:
                    xdo('windowmove', window, 0, 0, 'windowsize', window, width, height)
            return frame and abs(frame.box[2] - width) < 80
        self.wait(sized, f'the window is {width} wide')

    def move(self, x, y):
        xdo('mousemove', x, y)
        self.served()

    def apart(self, x, y):
        """Two presses in one place are not meant to be a double click, nor the third a triple one, which GTK makes of what comes
        within twice that time of the first."""
        last, lx, ly, times = self.clicked
        until = last + DOUBLE_MS / 1000 * times + 0.05
        if abs(x - lx) < 8 and abs(y - ly) < 8 and time.monotonic() < until:
            time.sleep(until - time.monotonic())

    def click(self, x, y, button=1, times=1, keys=()):
        """`keys`: held meanwhile."""
        self.apart(x, y)
        held, free = ([word for key in keys for word in (what, key)] for what in ('keydown', 'keyup'))
        self.move(x, y)     # a hand is there before it presses: where both come at once, GTK may not know yet what is entered
        xdo(*held, *(['click', '--repeat', times, '--delay', 30, button] if times > 1 else ['click', button]), *free)
        self.clicked = time.monotonic(), x, y, times
        self.served()

    def drag(self, x0, y0, x1, y1, button=1, steps=12, keys=()):
        self.apart(x0, y0)
        self.move(x0, y0)       # as for a click; and what is dropped on has to have seen the pointer before it lets go
        words = []
        for key in keys:
            words += ['keydown', key]
        words += ['mousedown', button]
        for i in range(1, steps + 1):
            words += ['mousemove', round(x0 + (x1 - x0) * i / steps), round(y0 + (y1 - y0) * i / steps), 'sleep', '0.01']
        xdo(*words)
        self.served()
        xdo('mouseup', button, *(word for key in keys for word in ('keyup', key)))
        self.clicked = time.monotonic(), x1, y1, 1
        self.served()

    def scroll(self, x, y, clicks, keys=()):
        """Up is positive."""
        words = []
        for key in keys:
            words += ['keydown', key]
        words += ['mousemove', x, y, 'click', '--repeat', abs(clicks), '--delay', 10, 4 if clicks > 0 else 5]
        for key in keys:
            words += ['keyup', key]
        xdo(*words)
        self.served()

    def has_keys(self):
        """A window of this process has the keys: not so for a moment after a dialog was closed."""
        done = subprocess.run(['xdotool', 'getwindowfocus', 'getwindowpid'], env=session().env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        return done.stdout.strip() == str(self.pid)

    def key(self, *keys):
        """As xdotool names them: 'space', 'ctrl+shift+z', 'Escape', 'F9'."""
        for key in keys:
            self.wait(self.has_keys, f'keys go to the window ({key})')
            xdo('key', '--delay', '12', key)
            self.served()

    def type(self, text):
        self.wait(self.has_keys, 'keys go to the window')
        xdo('type', '--delay', '8', text)
        self.served()

    @contextlib.contextmanager
    def slowed(self):
        """Meanwhile the window has an eighth of the processor, so that what is quick takes long."""
        over = threading.Event()

        def slow():
            while not over.is_set() and self.process.poll() is None:
                self.process.send_signal(signal.SIGSTOP)
                over.wait(0.07)
                self.process.send_signal(signal.SIGCONT)
                time.sleep(0.01)
        thread = threading.Thread(target=slow)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    # -- pictures --
    def pixels(self):
        """Width, height, bytes in a line, and the bytes of the screen: blue, green, red, nothing.  They are of the next picture
        when that is asked for: six megabytes that are made anew for each look cost more than all else that a test does."""
        screen = session().screen()
        screen.file.seek(screen.begin)
        screen.file.readinto(screen.data)
        return screen.width, screen.height, screen.line, screen.data

    def colour(self, x, y):
        """Red, green, blue; None: not on the screen, as what is just being placed."""
        screen = session().screen()
        bgr = os.pread(screen.file.fileno(), 3, screen.begin + y * screen.line + x * 4) if x >= 0 and y >= 0 else b''
        return tuple(reversed(bgr)) if len(bgr) == 3 else None

    def screenshot(self, path, crop=None):
        """PNG of the whole screen, or of x, y, width, height of it; of 256 colours, to be small: the commonest, and those that are least like them."""
        width, height, line, data = self.pixels()
        x, y, w, h = crop or (0, 0, width, height)
        w, h = min(w, width - x), min(h, height - y)
        rows = [array.array('I', data[i * line + x * 4:i * line + (x + w) * 4]) for i in range(y, y + h)]
        counted = collections.Counter()
        for row in rows:
            counted.update(row)
        palette = [colour for colour, _ in counted.most_common(208)]
        parts = [(c >> 16 & 255, c >> 8 & 255, c & 255) for c in palette]
        far = {}                        # of the others: how far from the nearest that is taken
        for c in counted.keys() - set(palette):
            r, g, b = c >> 16 & 255, c >> 8 & 255, c & 255
            far[c] = min(abs(p[0] - r) + abs(p[1] - g) + abs(p[2] - b) for p in parts)
        while far and len(palette) < 256:
            taken = max(far, key=lambda c: far[c] * counted[c])
            palette.append(taken)
            parts.append((taken >> 16 & 255, taken >> 8 & 255, taken & 255))
            del far[taken]
            for c in far:
                far[c] = min(far[c], abs(parts[-1][0] - (c >> 16 & 255)) + abs(parts[-1][1] - (c >> 8 & 255)) + abs(parts[-1][2] - (c & 255)))
        index = {c: i for i, c in enumerate(palette)}
        for c in counted:
            if c not in index:
                r, g, b = c >> 16 & 255, c >> 8 & 255, c & 255
                index[c] = min(range(len(parts)), key=lambda i: abs(parts[i][0] - r) + abs(parts[i][1] - g) + abs(parts[i][2] - b))
        body = b''.join(b'\0' + bytes(map(index.__getitem__, row)) for row in rows)

        def chunk(kind, content):
            return struct.pack('>I', len(content)) + kind + content + struct.pack('>I', zlib.crc32(kind + content))
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 3, 0, 0, 0))
                    + chunk(b'PLTE', b''.join(bytes(p) for p in parts)) + chunk(b'IDAT', zlib.compress(body, 9))
                    + chunk(b'IEND', b''))
        return path

    def shot_of_failure(self):
        os.makedirs(OUT, exist_ok=True)
        path = os.path.join(OUT, self.case.id().replace('__main__.', '') + '.png')
        try:
            self.screenshot(path)
            print('picture of the failure:', path, file=sys.stderr)
        except (struct.error, OSError):
            pass

    # -- ending --
    def said(self):
        self.log.flush()
        with open(self.log_path, errors='replace') as f:
            return f.read()

    def kill(self):
        """As a crash or a power cut."""
        self.expected_end = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def ended(self, seconds=15):
        """It has ended by itself, well."""
        self.expected_end = True
        self.case.assertEqual(self.process.wait(seconds * PATIENCE), 0, self.said())

    def quit(self):
        """Ctrl+Q, as often as a person would if a window that is just opening takes it."""
        self.expected_end = True
        for _ in range(4):
            self.key('Escape')
            self.key('ctrl+q')
            try:
                self.process.wait(5 * PATIENCE)
                break
            except subprocess.TimeoutExpired:
                pass
        self.ended()

    def check(self):
        """Alive, or ended as wished, and nothing was complained of."""
        status = self.process.poll()
        if status is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        with open(self.log_path, errors='replace') as f:
            said = f.read()
        bad = [line for line in COMPLAINTS.findall(said) if not HARMLESS.search(line)]
        if bad:
            self.case.fail('the window complained:\n' + said[-8000:])
        if status is not None and not self.expected_end:
            self.case.fail(f'the window ended by itself with {status}:\n{said[-8000:]}')


BROKEN = re.compile('the window (complained|ended by itself)')


class Told(Exception):
    """A failure that is told already."""


class Case(unittest.TestCase):
    """Each test has a folder of its own, and windows that are ended and checked after it.

    A test that failed is run once more, and says so: on a machine with much else to do the display server loses a click, or a
    picture comes late, now and then.  A window that crashed or complained fails at once."""

    def run(self, result=None):
        first = unittest.TestResult()
        super().run(first)
        troubles = [text for _, text in first.failures + first.errors]
        if troubles and not any(BROKEN.search(text) for text in troubles):
            sys.stderr.write(f'\n{self.id()} failed and is run once more:\n{troubles[0][:2000]}\n')
            return super().run(result)
        result.startTest(self)
        for _, why in first.skipped:
            result.addSkip(self, why)
        for kind in (first.failures, first.errors):
            for _, text in kind:
                (result.addFailure if kind is first.failures else result.addError)(self, (Told, Told(text), None))
        if not troubles and not first.skipped:
            result.addSuccess(self)
        result.stopTest(self)
        return result

    def setUp(self):
        session()
        random.seed(f"{os.environ.get('SCOPE_SEED', '1')} {self.id()}")
        self.folder = tempfile.mkdtemp(prefix='scope-gui-test-')
        self.addCleanup(shutil.rmtree, self.folder, True)
        for kind in ('state_home', 'config_home', 'data_home'):         # nothing is left of the test before
            path = os.path.join(session().home, kind)
            shutil.rmtree(path, True)
            os.mkdir(path, 0o700)
        gtk = os.path.join(session().home, 'config_home', 'gtk-3.0')
        os.mkdir(gtk)
        with open(os.path.join(gtk, 'settings.ini'), 'w') as f:
            f.write(f'[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\ngtk-double-click-time={DOUBLE_MS}\ngtk-xft-dpi=98304\n')
        os.mkdir(os.path.join(session().home, 'config_home', 'scope'))
        with open(os.path.join(session().home, 'config_home', 'scope', 'preferences'), 'w') as f:
            f.write('[scope]\nspeed=full\n')       # tests have no time to watch
        os.mkdir(os.path.join(session().home, 'state_home', 'scope'), 0o700)
        with open(os.path.join(session().home, 'state_home', 'scope', 'window'), 'w') as f:
            f.write('[shell]\nprogram-folded=false\n')  # most work at the program
        xdo('mousemove', 1, 999)

    def path(self, *words):
        return os.path.join(self.folder, *words)

    def copy(self, name):
        """A copy of a sample that the test may write to."""
        to = self.path(name)
        shutil.copytree(os.path.join(SAMPLES, name), to)
        return to

    def synth(self, tasks, events, seed=1):
        to = self.path(f'synth-{tasks}.trace')
        subprocess.run([SCOPE, 'synth', '--format', 'tapepvm', '--tasks', str(tasks), '--events', str(events), '--seed', str(seed), '-o', to],
                       check=True, stdout=subprocess.DEVNULL, env=session().env)
        return to

    def start(self, *words, scale=1, env=None, size=(1600, 1000), ready=True, keep_signals=False, program=WINDOW):
        """Starts the window, by default as large as the screen, and waits until it is there; `keep_signals`: SIGXFSZ is ignored."""
        w = Window(self, words, env, scale, None, keep_signals, program)
        self.addCleanup(w.check)
        if ready:
            w.wait(lambda: w.frame and w.frame.showing, 'the window is there', 30)
            if size:
                w.wait(w.ids, 'the window is mapped')
                w.resize(*size)
                w.focus()
        return w

    def drop(self, w, seen, *files):
        """Drags files from another window onto this one, until `seen`."""
        source = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'drag_source.py'),
                                   '1480', '300', *files], env=session().env, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(source.stdout.readline(), 'ready\n')
            w.settle()
            w.drag(1520, 340, 700, 500, steps=30)
            w.wait(seen, f'{files} were dropped')
        finally:
            source.terminate()
            source.wait()
            source.stdout.close()


class ByReader(Case):
    """What a screen reader does: by actions, values and texts of accessible things, without pointer or key."""

    def act(self, w, role, name, action=None):
        """Does what there is to be done with a thing, once it is there and may be used."""
        w.wait(lambda: w.find(role, name) and w.find(role, name).state('sensitive') and w.find(role, name).action(action),
               f'{role} {getattr(name, "pattern", name)} does what it is asked')

    def write(self, w, name, text):
        def done():
            field = w.find('text', name)
            return field and Atspi.EditableText.set_text_contents(field.node, text) and field.text == text
        w.wait(done, f'{text} is written into {name}')

    def choose(self, w, words, row):
        """Through the search: its first row is what Enter, and the action of the field, takes."""
        self.act(w, 'push button', 'Search')
        self.write(w, 'Find', words)
        w.wait(lambda: w.find('list box', 'Found') and w.find('list box', 'Found').children, 'something is found')
        w.wait(lambda: row.search(w.find('list box', 'Found').children[0].name), f'{row.pattern} is the first')
        self.act(w, 'text', 'Find', 'activate')
        w.wait_gone('text', 'Find')


def main():
    session()
    try:
        unittest.main(verbosity=2, warnings='ignore')
    finally:
        if _session:
            _session.end()
