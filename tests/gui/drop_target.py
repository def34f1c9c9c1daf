# SPDX-License-Identifier: Apache-2.0
"""A small window of another program, onto which data are dropped: drop_target.py X Y KIND FILE.  It takes one kind alone, and writes
what it is given into the file, in one piece."""
import os
import sys
import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk       # noqa: E402


def main():
    x, y, kind, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    window = Gtk.Window(title='another program', type=Gtk.WindowType.POPUP)
    box = Gtk.EventBox()
    box.set_size_request(80, 80)
    box.drag_dest_set(Gtk.DestDefaults.ALL, [Gtk.TargetEntry.new(kind, 0, 0)], Gdk.DragAction.COPY)

    def received(widget, context, px, py, data, info, time):
        with open(path + '.new', 'wb') as f:
            f.write(data.get_data() or b'')
        os.rename(path + '.new', path)
    box.connect('drag-data-received', received)
    window.add(box)
    window.move(x, y)
    window.show_all()
    print('ready', flush=True)
    Gtk.main()


main()
