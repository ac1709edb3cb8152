"""A model of a cluster, real scheduling policies on it, and a simulated clock; it knows nothing of terminals.

The map, from the ground up; imports go only down this list:

- `errors`, `units`, `grouping`, `incremental`: what everything may use.
- `state`: how the state of a simulation is declared and copied.
- `model`: what a control plane believes of its cluster, and the only place where that changes.
- `settings`: a table for each set of settings: key, default, unit, parser, bounds, whether it changes while running.
- `scenario`: a run described as validated data.
- `schedulers`: who gets what. `workload`: what asks for it. The two meet only in the model.
- `control_plane`: the front door of the real systems: an event in, an answer out.
- `formats`: foreign files, read into our types.
- `simulation`: lets time pass.
- `observe`: snapshot, journal, metrics.
- `run`: a scenario played with its operator and its expectations.
- `explain`: why an application waits, whether it can ever start, what would help.
- `measures`: a run in figures, from its start to its end. `compare`: runs side by side, and where they part.
- `sweep`: many runs over values of keys, and what they mean.
- `live`: real clusters on the same screens: what their servers answer, as a snapshot.
- `serve`: the other way round: a simulation that answers as a real server does.
- `recorded`: pasts that were recorded and not simulated: a log, kept polls of a cluster, as snapshots in time.
- `training`: drills for people on call: an incident, what a trainee does in it, and what that is worth.
- `api`: what scripts of others may rely on.

Time is integer milliseconds since the epoch, memory integer MB. The same scenario, seed and version give the same
journal, byte for byte.

Glossary. Each word means one thing, in names, docstrings, messages and on the screen:

- act: a change of the cluster from outside, by an operator or by itself (kill, move, drain). Its value is a struct of
  `scenario.acts`, the same in a file, a journal and a message.
- alert: a detected state of the cluster that needs an operator, with the instant since when.
- application, attempt, application master (AM), container, node, queue: as in YARN; executor, driver, worker: Spark;
  job, task, attempt, tracker, slot, pool: MapReduce 1.
- ask: one resource request of an application master: a size, a count, a place, a priority.
- checkpoint: a packed copy of a simulation at an instant, which a seek unpacks and replays from.
- control plane: what a cluster's users and nodes talk to: ResourceManager, Spark Master, JobTracker.
- decision: what a scheduler did: allocated, reserved, unreserved, preempted, killed.
- evaluation: the answer to "may this attempt get this ask on this node": allocate, reserve, or an obstacle.
- drill: a scenario with a brief, goals, questions and hints, which a trainee solves; an exercise is one such try.
- event: a fact given to a control plane (node heartbeat, submission); also what the clock holds.
- fault: an act that happens by itself, as a scenario lists it.
- fork: an independent copy of a running simulation.
- holder: an application that holds what another one waits for.
- incremental: work done in slices, so that a screen stays responsive.
- instant: a point of simulated time.
- lookahead: a fork played on without outside events, to see what comes. A verdict is defined on it.
- obstacle: why an ask gets nothing in a queue or on a node, with its numbers. `Reason` names the kinds of obstacles.
- offer: a node is shown to the scheduler, which decides what to place there.
- pass: background work of a control plane that runs at an interval.
- pattern: a known way in which a cluster fails, detected by its alert.
- poll: one round of answers of a live cluster, as a snapshot; kept polls are a run that can be looked at, not played.
- problem: a mistake in a user's file, key or option, with file, line, key and the nearest valid name.
- record: anything that happened, as listeners get it: decisions, acts, state changes.
- refusal: the control plane rejects an event or act. Not an obstacle: nothing waits.
- remedy: an act that starts a waiting application, tried on a lookahead.
- run: a scenario that is played; a kept run is one on disk; a branch is a run that goes on from a past instant.
- scenario: cluster, scheduler, workload, faults, operator script and expectations, as a file.
- script: the timed acts of an operator in a scenario.
- snapshot: what a cluster looks like at an instant; every screen is drawn from one.
- step: a line of a drill's record: a timed act, or something that changes no cluster (an answer, a look, a hint).
- timed act: an act and its instant.
- view: what an observer may read of a cluster (`ClusterView`) or of its policy (`PolicyView`), at the moment it asks.
- verdict: whether a waiting application will start, and when, or that it never will, with the proof.
"""
