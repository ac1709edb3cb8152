"""The terminal: pictures down, messages up.

`session_protocol` says what may be asked of a cluster: pictures, a clock, acts, questions. `picture` and `answers` are
the values it answers with. `session` implements it around a running engine; nothing else touches a simulation.

Every text goes to the terminal through an edge that writes control characters out: `terminal_edge` for commands,
`screen_edge` for screens. `terminal_input` reads what is typed and ignores what means nothing.

`sharing` puts a session on a socket for other terminals, and has it there as if it were here: the same protocols,
written by `session_codec`.

`instructor_app` is the app of who sits beside a trainee; `drill_watch` says what stands on the trainee's screen.

`drill_app` is the app with a drill around it: `session/drill_play` takes down what is done, `screens/drill_screens` are
brief, answers and debrief.

`app` shows what a session posts and hands the `messages` of screens to `requests`, which ask the session; screens and
session do not know each other. `requests/coaching` shows the steps of `requests/lessons` (demonstration and tour).
`cli` is the command line, which imports textual only where a screen opens; the program begins in
`__main__`, and signals that end it are in `end_signals`.

The main screen, `screens/cluster`, owns the widgets and one `BoardState` (`screens/board`): which panes, views,
filters, marks, the trail, the picture. Its parts own one idea each and see the screen as a `Board`:

- looking: `navigation`, `filtering`, `sorting`, `time_scale` (of pulse and graphs), `trail` (enter, b and back),
  `views`, `marks`, `inspection` (one row), `large_graph`;
- acting: `application_acts`, `node_acts`, `cluster_acts`, `act_menu`; `asking` asks first, in the words of
  `act_questions`;
- the rest: `command_line`, `prompt_line`, `program` (help, columns, saving), `frame` (header, timeline, footer),
  `pane_feed` (rows and titles of the panes), `strip` (below them), `layout` and `heights` (where the panes stand).

Style names and their colours are in `palettes`, signs and their ASCII in `glyphs`; `render/meter`, `node_bar`, `pulse`,
`plot`, `circle`, `frame` and `table` draw with them, `render/group` and `cause` put rows under headlines;
`application_brief` is what the strip says of an application.

A key, a click and a command are all a call, `part.method(arguments)`, which `ClusterScreen.perform` does; `actions`
says what keys call, `screens/command` what commands call. What a kind of row is about, where it leads, what it is
sorted and filtered by, whether it is a problem, stands on its `Noun` in a file of `render`; `screens/dialects` says
which nouns YARN and Spark have, and all else in which their screens differ. `widgets` draw what the pure functions of
`render` say about a row.

To add a pane: a file in `render` with the `Fields` of its rows and a `Noun`, its name in `actions.PANES` (which gives
it a digit), and its line in a dialect of `screens/dialects`; it stands with the events until a slot names it. To add a
field of a row: one `RowField` in its noun's list; sort menu, filter, facts and scopes follow. To add a view of a pane:
a second noun of the same name, with a `view`. To add a key: a line in `actions.ACTIONS`, a method of the part it calls
and, where it belongs in the line of hints, a place in `hints.PLACES`. To add an act: the same in `application_acts`,
`node_acts` or `cluster_acts`, a question in `act_questions`, a message in `messages`, which `requests/acts` carries
out, and a condition in `act_menu.is_offered` where it has one. What escape ends, in order, is `ClusterScreen._leaves`.
"""
