"""The one door to a running engine, and all that is behind it; nothing else of the terminal touches a simulation.

`session` is the door, `opening` builds it. `driving` lets the engine work in small slices on the event loop,
`time_keys` stops, steps and goes back, `acts` turns what the user does into actions (`preview` tries a setting on a
copy). Kept beside the run: `tape` (events), `past` (any instant again), `keeping` (on disk), `lookout` (alerts). Found
out little by little: `unhurried` (why each waits, in the list) and `releasing` (who frees a reserved node), driven by
`beside`; `asking` and `reasoning` (answers to `w`). Told when asked: `definitions`, `presets` and `templates`;
`draining` adds to a picture what only the world knows. `collecting` keeps the collector's pauses short.
"""
