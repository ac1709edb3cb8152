"""The terminal: pictures down, messages up.

`session_protocol` says what may be asked of a cluster: a view, a clock, acts, questions. `view_state` and `answers` are
the values it answers with. `session` implements it around a running engine; nothing else touches a simulation.

`app` shows what a session posts and hands the `messages` of screens to `requests`, which ask the session; screens and
session do not know each other. The main screen is built in layers: `screens/frame` (header, tabs, hints), `board`
(panes), then the keys in `looking`, `finding`, `drilling`, `viewing`, `inspecting`, `graphing`, `marking`, `row_acts`
and `acts`, up to `cluster`. `screens` arrange `widgets`; `widgets` draw what the pure functions of `render` say about
a row; `keymap` is the one table of what keys do. `cli` and `commands` are the typer front end, which imports textual
only where a screen opens.

To add a pane: a file in `render` with columns, identity and details, from which `screens/nouns.py` makes a `Noun` and
gives it a slot, and a name in `keymap.PANES`. To add a key: a line in `keymap.ACTIONS`, an `action_` method of the
screen and, where it belongs in the line of hints, a place in `hints.PLACES`.
"""
