"""The terminal: pictures down, messages up.

`session` is the one door to a running engine: it drives the clock in small slices on the event loop and takes a
picture (`picture`) a few times a second when something changed. `app` hands pictures to the screen and messages of
the screen to the session; neither knows the other. `screens` arrange `widgets`; `widgets` draw what the pure
functions of `render` say about a row; `keymap` is the one table of what keys do. `cli` and `commands` are the typer
front end, which imports textual only where a screen opens.

To add a pane: a file in `render` with columns, identity and details, a line and a slot in
`screens/nouns.py` and one in `keymap.PANES`. To add a key: a line in `keymap.ACTIONS`, an `action_`
method of the screen and, where it belongs in the line of hints, a place in `hints.PLACES`.
"""
