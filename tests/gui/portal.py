# SPDX-License-Identifier: Apache-2.0
"""A desktop's portal that knows the colour scheme alone: 0 none, 1 dark, 2 light.  Each line of the input is the next one."""
import os
import sys

import gi
gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib

NAME, PATH, FACE = 'org.freedesktop.portal.Desktop', '/org/freedesktop/portal/desktop', 'org.freedesktop.portal.Settings'
WORDS = ('org.freedesktop.appearance', 'color-scheme')
KNOWN = f'''<node><interface name="{FACE}">
<method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal></interface></node>'''
scheme = int(sys.argv[1])


def on_call(bus, sender, path, interface, method, parameters, invocation):
    if parameters.unpack() == WORDS:
        invocation.return_value(GLib.Variant('(v)', (GLib.Variant('v', GLib.Variant('u', scheme)),)))
    else:
        invocation.return_dbus_error('org.freedesktop.portal.Error.NotFound', 'unknown')


def on_line(source, condition):
    global scheme
    lines = os.read(0, 4096).split()
    for line in lines:
        scheme = int(line)
        bus.emit_signal(None, PATH, FACE, 'SettingChanged', GLib.Variant('(ssv)', (*WORDS, GLib.Variant('u', scheme))))
    if not lines:
        loop.quit()
    return bool(lines)


loop = GLib.MainLoop()
bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(KNOWN).interfaces[0], on_call, None, None)
Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, None, None)
GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, on_line)
loop.run()
