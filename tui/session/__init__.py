"""Puts one run, live cluster or recording behind small async protocols: state to draw, clock, acts, questions.

Arguments and answers are plain values, so that `sharing` can send them over a socket. The driver owns the loop: it runs
the engine for a few milliseconds on the event loop, sleeps at least 1.5 ms, and posts a change about every 0.2 s (at
once after a key or an act); the screen then asks for the state. While paused it works on open questions and alerts with
long rests, and stops completely when nothing is left. There are no locks: all engine work is on one thread except
comparisons and large live snapshots, which use data that nothing else touches. The run must not move while it is being
copied, so the driver waits for alerts, background work and the timeline's copies. An engine error stops the clock and
becomes `RunState.failure`; the screen never sees a traceback.

A session never imports a screen. For screens, only this package touches a simulation; commands without a screen play
runs themselves.
"""
