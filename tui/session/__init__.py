"""Puts a running engine behind the protocols of `tui.session_protocol`; nothing else touches a simulation.

`session` puts it together, `opening` opens one on a scenario or a kept run. Four classes implement the protocols:
`pictures`, `clock`, `acts` and `asking` (`reasoning` finds the answers).

All of them share one `driving.RunDriver`: it lets the engine work in small slices on the event loop, at the `pacing` of
the run's script. It owns what is kept beside the run: `event_log`, `time_travel` (any past instant), `keeping` (on
disk), `alert_monitor`. `background` works out why each application waits and, with `releasing`, who frees a node.

`live_pictures` shows a live cluster, `series_pictures` a recorded past (`series_place`: where one stands in it,
`series_clock`: the keys of time); `poll_keeping` makes such a past of what is watched. Neither has a simulation:
`live_questions` answers what is known without one. `destinations` says where the keys of time lead in any past.
`twin_session` opens a session of a simulation that stands as such a cluster stands.

`drill_play` is a session in which a drill is played, `drill_seat` what an instructor does there.

`definitions`, `presets` and `templates` read the scenario; `gc_tuning` keeps the garbage collector's pauses short.
"""
