"""The terminal: pictures down, messages up.

`protocol/session` says what may be asked of a cluster: pictures, a clock, acts, questions; `protocol/picture` has the
values it answers with. `session` implements it around a running engine; nothing else touches a simulation. `sharing`
puts a session on a socket for other terminals, and has it there as if it were here.

Every text goes to the terminal through an edge that writes control characters out: `terminal/edges` for commands,
`terminal/screen_edges` for screens, which also reads what is typed and ignores what means nothing.

`app` shows what a session posts and hands the `protocol/messages` of screens to `screens/requests`, which ask the
session; screens and session do not know each other. `drill_app` is the app with a drill around it, `instructor_app` the
app of an instructor beside a trainee. `cli` is the command line, which imports textual only where a screen opens; the
program begins in `__main__`.

The main screen, `screens/cluster`, owns the widgets and one `ViewState` (`board/board`): which panes, views, filters,
marks, the trail, the picture. Its parts own one idea each and see the screen as a `BoardScreen`: those that
look are in `board` and `screens`, those that act in `acts`. A key, a click and a command are all a call,
`part.method(arguments)`, which `ClusterScreen.perform` does; `actions` says what keys call, `acts/command` what
commands call. What escape ends, in order, is `ClusterScreen._leaves`.

What a kind of row is about, where it leads, what it is sorted and filtered by, whether it is a problem, and where it
stands, is on its `PaneView` in a file of `panes`; `board/dialects` says which of them each kind of cluster has, and
all else in which their screens differ. `panes` and `pages` are pure functions that say what stands in a line;
`widgets` draw it, `report` and `cli` print it. A second `PaneView` of the same name is another view of the pane, with
a `view`.
"""
