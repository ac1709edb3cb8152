"""What may be varied under a Spark Master."""

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
