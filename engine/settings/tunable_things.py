"""What may be varied beside settings: fields of applications, sizes of nodes, the release."""

from typing import Final

from engine.settings.tunables import tunables

APPLICATIONS: Final = tunables(
    "capacity fair fifo spark mr1",
    """
container | own | down 1 /0 | FULL SMALL MAX AM USER REFUSED | owner | of=capacity fair fifo spark
    Tasks that need the memory fail.
cores | own | down 1 | FULL SMALL MAX USER REFUSED | owner | of=capacity fair fifo spark
    Each container does less at a time.
master | own | down 1 /0 | FULL SMALL MAX AM USER REFUSED | owner | of=capacity fair fifo
    A master that needs the memory fails.
driver | own | down 1 /0 | FULL SMALL | owner | of=spark
    A driver that needs the memory fails.
executors | own | down 1 | FULL | owner | of=capacity fair fifo
    It works longer.
executors | holder | down 1 | FULL MAX USER | owner | of=capacity fair fifo
    It works longer.
dynamic.most | holder | down 1 | FULL MAX USER | owner | of=capacity fair fifo spark
    It works longer.
cores_max | holder | down 1 from all_cores | FULL | owner | of=spark
    It works longer.
cores_max | own | up all_cores | FULL PACE | owner | of=spark
    Others get fewer cores.
slow_start | holder | up 1 /20 | FULL | owner | of=capacity fair fifo mr1
    Its reduces begin to copy later.
slow_start | own | up 1 /20 | FULL | owner | of=capacity fair fifo mr1
    Its reduces begin to copy later.
relax | own | one true | STRICT LABEL | owner | of=capacity fair fifo
    It runs away from its data.
hosts | own | one | STRICT DELAY OTHER_FIRST | owner | blunt | of=capacity fair fifo
    It runs away from its data.
queue | own | one @leaves | MAX RUN AM USER REFUSED LABEL NO_NODE | owner | of=capacity fair
    It takes room of the other queue.
queue | own | one @pools | MAX RUN | owner | of=mr1-fair
    It takes slots of the other pool.
priority | own | up 10 | FULL | owner | of=capacity-3.4
    Others of the queue come later.
priority | own | up 4 | FULL | owner | of=mr1
    Others come later.
""",
)

MACHINES: Final = tunables(
    "capacity fair fifo spark",
    """
memory | nodes | up node_memory | FULL SMALL AM MAX USER REFUSED | hardware
    Every node is changed.
vcores | nodes | up node_vcores | FULL SMALL AM MAX USER REFUSED | hardware
    Every node is changed.
scheduler | release | one 3.4 | HELD RUN DELAY LABEL STRICT | patch | blunt | of=capacity-2.7 fair-2.7
    A release behaves differently in much else.
""",
)
