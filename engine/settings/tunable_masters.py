"""What may be varied under a Spark Master and under a JobTracker."""

from typing import Final

from engine.settings.tunables import tunables

SPARK: Final = tunables(
    "spark",
    """
spark.deploy.maxDrivers | whole | down 1 from apps | FULL | restart
    Fewer drivers run at a time; the others wait.
spark.deploy.maxDrivers | whole | up apps | RUN FULL | restart
    More drivers share the workers.
spark.deploy.defaultCores | whole | down 1 from all_cores | FULL | restart
    Applications that state no maximum get fewer cores.
spark.deploy.spreadOutApps | whole | one true false | FULL | restart
    Executors are spread over workers, or packed on few.
spark.deploy.spreadOutDrivers | whole | one true false | FULL | restart
    Drivers are spread over workers, or packed on few.
spark.deploy.workerSelectionPolicy | whole
    | one CORES_FREE_DESC CORES_FREE_ASC MEMORY_FREE_DESC MEMORY_FREE_ASC WORKER_ID | FULL | restart
    Executors go to other workers.
spark.worker.timeout | whole | sooner 1 /1 | NODE_DEAD NODE_SILENT FULL | restart
    | witness=none: only with a worker that falls silent
    A worker that is slow to answer counts as lost.
""",
)

MAPREDUCE_1: Final = tunables(
    "mr1",
    """
mapred.tasktracker.map.tasks.maximum | whole | up 64 | FULL PACE | restart
    More maps share the memory of a tracker.
mapred.tasktracker.reduce.tasks.maximum | whole | up 64 | FULL PACE | restart
    More reduces share the memory of a tracker.
mapred.fairscheduler.preemption | whole | one true | HELD | restart | of=mr1-fair
    Tasks of pools above their share are killed.
mapred.fairscheduler.assignmultiple | whole | one true false | FULL PACE | restart | of=mr1-fair
    A tracker takes many tasks at once, or one a heartbeat.
mapred.fairscheduler.locality.delay | whole | one 0 | DELAY FULL | restart | of=mr1-fair
    More maps run away from their data.
mapred.fairscheduler.sizebasedweight | whole | one true false | FULL | restart | of=mr1-fair
    Shares follow the sizes of jobs, or not.
maxRunningJobs | leaf | up apps | RUN | refresh | of=mr1-fair
    More jobs share the pool.
maxMaps | leaf | up all_maps | MAX | refresh | of=mr1-fair
    The pool may take more map slots.
maxReduces | leaf | up all_reduces | MAX | refresh | of=mr1-fair
    The pool may take more reduce slots.
minMaps | leaf | up all_maps | FULL | refresh | of=mr1-fair
    Other pools have fewer map slots.
minReduces | leaf | up all_reduces | FULL | refresh | of=mr1-fair
    Other pools have fewer reduce slots.
weight | leaf | up 100 | FULL | refresh | of=mr1-fair
    Other pools have fewer slots.
minSharePreemptionTimeout | leaf | sooner 1 /1 from 3600 | FULL | refresh
    | needs=mapred.fairscheduler.preemption=true | of=mr1-fair
    Tasks of other pools are killed sooner.
maxRunningJobs | user | up apps | RUN | refresh | of=mr1-fair
    The user may run more jobs.
poolMaxJobsDefault | root | up apps | RUN | refresh | of=mr1-fair
    More jobs share every pool.
userMaxJobsDefault | root | up apps | RUN | refresh | of=mr1-fair
    Every user may run more jobs.
fairSharePreemptionTimeout | root | sooner 1 /1 from 3600 | FULL | refresh
    | needs=mapred.fairscheduler.preemption=true | of=mr1-fair
    Tasks of other pools are killed sooner.
maximum-capacity | leaf | up 100 | MAX | refresh | of=mr1-capacity
    The queue may take more of what others do not use.
user-limit-factor | leaf | up 100 | USER | refresh | of=mr1-capacity
    One user may take the part of others.
minimum-user-limit-percent | leaf | up 100 | USER | refresh | of=mr1-capacity
    Fewer users run at a time.
maximum-initialized-active-tasks | leaf | up 2147483647 | RUN | refresh | of=mr1-capacity
    More jobs fill the JobTracker's memory.
maximum-initialized-active-tasks-per-user | leaf | up 2147483647 | RUN | refresh | of=mr1-capacity
    More jobs of a user fill the JobTracker's memory.
mapred.capacity-scheduler.maximum-system-jobs | whole | up 30000 | RUN | restart | of=mr1-capacity
    More jobs fill the JobTracker's memory.
""",
)
