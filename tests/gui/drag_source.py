# SPDX-License-Identifier: Apache-2.0
"""A small window from which files can be dragged, as from a file manager: drag_source.py X Y FILE..."""
import sys
import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, GLib, Gtk       # noqa: E402


def main():
    x, y, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    window = Gtk.Window(title='files', type=Gtk.WindowType.POPUP)
    box = Gtk.EventBox()
    box.set_size_request(80, 80)
    box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
    box.drag_source_add_uri_targets()
    box.connect('drag-data-get', lambda w, c, data, i, t: data.set_uris([GLib.filename_to_uri(f, None) for f in files]))
    window.add(box)
    window.move(x, y)
    window.show_all()
    print('ready', flush=True)
    Gtk.main()


main()
