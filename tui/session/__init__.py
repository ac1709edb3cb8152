"""The session: a running engine behind the protocols of `tui.session_protocol`; nothing else touches a simulation.

`session` implements the protocols, `opening` builds it. `driving` lets the engine work in small slices on the event
loop, `time_keys` stops, steps and goes back, `acts` turns what the user does into actions (`preview` tries a setting on
a copy). Kept beside the run: `event_log`, `time_travel` (any past instant), `keeping` (on disk), `alert_monitor`.
`background` works out why each application waits and, with `releasing`, who frees a reserved node; `asking` and
`reasoning` answer `w`. `definitions`, `presets` and `templates` read the scenario; `gc_tuning` keeps the
garbage collector's pauses short.
"""
