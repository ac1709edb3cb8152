"""Answers why an application waits, whether it will ever start, and what would help.

Input: a simulation between two instants, and an application. Current obstacles are read from the run itself; then it
is copied, in slices, and may go on once that is done. All else works on copies. A lookahead plays a closed copy (no
new arrivals or faults) until the request is served, nothing can change any more, or 24 simulated hours have passed;
all questions about one instant share it. Its end becomes a verdict: waiting, starving, later, blocked, deadlocked,
impossible, outage, none, with a proof (holders, cycle, decisions that overtook it). The search for remedies applies
each possible act or value to a copy, compares it with a baseline that has no act, and ranks by what can be done now,
how many start, and harm. Alerts are found by listeners that the driver calls between instants. All work is generators
that pause after a small piece; the result depends on the number of pieces, never on elapsed time.

A verdict holds for the model with no new submissions.
"""
