"""The page on speed: what was measured, beside the real classes and by the size of the cluster."""

from typing import Final

from tests.gates.bench.table import measured as measured_runs
from tests.gates.bench.table import rows
from tests.manual.growth_picture import growth_table, measured

PAGE: Final = """# How fast it is

schedlab is pure Python; that is what `make demo`, `pip install` and a checkout run. The parts of the engine that
decide and simulate can also be compiled by mypyc. Both builds make the same decisions and write the same journals,
byte for byte.

## A compiled wheel

```console
$ make wheel
$ SCHEDLAB_COMPILE=1 pip wheel --no-deps -w wheels .
```

`make wheel` builds both wheels into `build/wheels`; the second command builds the compiled one alone. It needs a C
compiler and five to ten minutes of CPU time; where compiling fails the build says so, and the wheel is pure Python. A
compiled wheel is for one version of Python on one kind of machine and needs nothing beside what the pure one needs.
`schedlab --version` says which build runs. It is experimental. `make test-compiled` compiles into a scratch folder
and runs the recorded cases, the journals and the tests of the engine there.

## Beside the real classes

{beside}

The first rows are containers per CPU second of node heartbeats, by scheduler and nodes: FairScheduler 2.7.2 and 3.4.1,
FifoScheduler 2.7.2, CapacityScheduler 2.7.2 and 3.4.1, each beside the real class, which ran in the same minutes on the
same two cores. The others are CPU seconds of a whole play: a day of Facebook's of 2009 on 600 nodes, and a trace of
Hadoop's own simulator on 1,000 and 10,000 nodes. Least, median and greatest of one to three runs on a machine that had
other work; × is the median of how many times as fast as the real class of the same run. `python -m
tests.gates.bench.table` in a checkout measures yours.

## Memory

A whole simulation of 10,000 nodes that hold 200,000 containers peaks at 265 MB, which is 964 bytes for each container.
A task that waits takes 315 bytes. Of a month of 50,000 jobs the second half adds nothing to the 88 MB that the first
has needed. `python -m tests.gates.bench memory` measures yours.

## By the size of the cluster

![CPU time of a heartbeat by nodes, for each scheduler and build](../pictures/growth.svg)

CPU time of a node's heartbeat, with its report and its offer, in steps of a reference loop and in brackets in µs. The
loop is plain Python that needs nothing of schedlab; it ran in the same process right after, so that figures of two
machines, and of busy and quiet minutes of one, can be compared. Nodes of 16 GB are full all the time; 100 applications
in 10 queues always want more. MapReduce 1: trackers with two slots of a kind, simulated with what they run, and 40
jobs. A heartbeat decides nothing under Spark; its line is of an event at the Master of so many full workers.

{pure}

{compiled}

A step of the loop took {least} to {most} µs on the machine of these figures, which had other work. An empty cell was
not measured.
`python -m tests.gates.bench.growth` in a checkout measures yours.
"""


def speed_page() -> str:
    """The page, with the figures of `tests/gates/bench/growth.jsonl`."""
    steps = [each.reference_us for each in measured()]
    return PAGE.format(
        beside="\n".join(rows(measured_runs())),
        pure=growth_table("pure Python"),
        compiled=growth_table("compiled"),
        least=f"{min(steps):.2f}",
        most=f"{max(steps):.2f}",
    )
