"""The terminal: pictures down, messages up.

`session` is the one door to a running engine, a package that nobody looks behind: `door` says what others may ask of
it, `picture` what it shows, `messages` what it is told, `answers` what it replies to `w`.

`app` hands pictures to the screen and messages of the screen to the session; neither knows the other. It is built in
layers: `colouring`, `acting`, `answering`, `app`. So is the main screen: `screens/frame` (header, tabs, hints), `board`
(panes), then the keys in `looking`, `finding`, `drilling`, `viewing`, `inspecting`, `graphing`, `marking`, `row_acts`
and `acts`, up to `cluster`. `screens` arrange `widgets`; `widgets` draw what the pure functions of `render` say about
a row; `keymap` is the one table of what keys do. `cli` and `commands` are the typer front end, which imports textual
only where a screen opens.

To add a pane: a file in `render` with columns, identity and details, from which `screens/nouns.py` makes a `Noun` and
gives it a slot, and a name in `keymap.PANES`. To add a key: a line in `keymap.ACTIONS`, an `action_` method of the
screen and, where it belongs in the line of hints, a place in `hints.PLACES`.
"""
