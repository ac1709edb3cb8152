"""Puts a running engine behind the protocols of `tui.session_protocol`; nothing else touches a simulation.

`session` puts it together, shows pictures and compares; `opening` opens one on a scenario, a kept run or the
twin of a cluster. `clock`, `acts` and `asking` implement the other protocols (`reasoning` finds the answers).

All of them share one `driving.RunDriver`: it lets the engine work in small slices on the event loop, at the `pacing` of
the run's script. It owns what is kept beside the run: `event_log`, `time_travel` (any past instant), `keeping` (on
disk), `alert_monitor`. `background` works out why each application waits and who frees a node.

`live_pictures` shows a live cluster, `series_clock` a recorded past and the keys of time in it (`series_place`: where
one stands in it, and how what is watched becomes such a past). Neither has a simulation:
`live_questions` answers what is known without one. `live_alarms` tells alarms of a live cluster, with the `advice` of
its twin. `destinations` says where the keys of time lead in any past.

`drill_play` is a session in which a drill is played, `drill_seat` what an instructor does there.

`definitions`, `presets` and `templates` read the scenario; `gc_tuning` keeps the garbage collector's pauses short.
"""
