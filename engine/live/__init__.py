"""Shows a real cluster on the same screens.

A source asks the active server once per round: info, metrics and scheduler each time, applications and nodes every few
rounds, less often if the server is slow (about 5 % of one server thread). The result is a snapshot; a failed round
changes nothing, and the screen shows the age of the last one. What is known over all rounds keeps the last snapshot,
series and alarms, and derives records by comparing two snapshots: what came and went between polls is not seen. What
the server does not report is inferred and marked (`Header.inferred`), read from the log, or `UNKNOWN`. There is no
verdict on a live cluster: `twin` builds a scenario from the snapshot and lists each assumption; questions about the
future go to it, and a freeze is reported only if the twin proves it.

Requests are GET except for `yarn_acts`, which exists only with `--acts`; sizes and depth of answers are bounded, and
no redirect is followed.
"""
