"""A busy day on 1,000 nodes, and a full cluster to copy: scenarios made for measuring."""

from engine.scenario import ClusterSpec, MapReduceSpec, NodeGroup, Repeat, Scenario, ServiceSpec, Size

NODES = 1_000
DAY_MS = 86_400_000
TEAMS = 10
EVERY_MS = 600_000


def cluster(nodes: int = NODES) -> ClusterSpec:
    """Nodes of 64 GB and 32 vcores in 25 racks."""
    racks = tuple(f"/rack{number:02d}" for number in range(25))
    return ClusterSpec(groups=(NodeGroup(count=nodes, memory_mb=65536, vcores=32, racks=racks),))


def day() -> Scenario:
    """Ten teams submit a MapReduce job each every ten minutes, a minute apart; a service each holds 20 containers."""
    jobs = tuple(
        MapReduceSpec(
            type="mapreduce",
            user=f"team{team}",
            name=f"job-{team}",
            at_ms=team * EVERY_MS // TEAMS,
            maps=160,
            reduces=8,
            map=Size(memory_mb=2048, vcores=1),
            reduce=Size(memory_mb=4096, vcores=1),
            map_duration_ms=(20_000, 120_000),
            reduce_duration_ms=(60_000, 240_000),
            replication=3,
            repeat=Repeat(times=DAY_MS // EVERY_MS, every_ms=EVERY_MS),
        )
        for team in range(TEAMS)
    )
    return Scenario(
        name="day-1000",
        seed=1,
        duration_ms=DAY_MS,
        settings={"yarn.scheduler.fair.assignmultiple": "true"},
        cluster=cluster(),
        workload=(*services(TEAMS, 20), *jobs),
    )


def saturated() -> Scenario:
    """Always more asked for than there is: jobs of 4,000 maps of ten to thirty minutes, one every two minutes.

    32,000 maps run at a time, 27 begin each second, and ten jobs more than that wait from the first instant on.
    """
    maps, every_ms = 4_000, 144_000
    jobs = tuple(
        MapReduceSpec(
            type="mapreduce",
            user=f"team{number % TEAMS}",
            name=f"job-{number}",
            at_ms=max(0, number - 18) * every_ms,
            maps=maps,
            reduces=0,
            map=Size(memory_mb=2048, vcores=1),
            map_duration_ms=(600_000, 1_800_000),
            replication=1,
        )
        for number in range(18 + DAY_MS // every_ms)
    )
    return Scenario(
        name="saturated-1000",
        seed=1,
        duration_ms=DAY_MS,
        settings={"yarn.scheduler.fair.assignmultiple": "true"},
        cluster=cluster(),
        workload=jobs,
    )


def full(nodes: int = NODES) -> Scenario:
    """100 applications that hold 20 containers for each node, so that there is something to copy."""
    return Scenario(
        name=f"full-{nodes}",
        duration_ms=600_000,
        settings={"yarn.scheduler.fair.assignmultiple": "true"},
        cluster=cluster(nodes),
        workload=services(100, nodes // 5),
    )


def services(count: int, instances: int) -> tuple[ServiceSpec, ...]:
    """So many services of so many instances, spread over the teams."""
    size = Size(memory_mb=2048, vcores=1)
    return tuple(
        ServiceSpec(type="service", user=f"team{number % TEAMS}", instances=instances, instance=size)
        for number in range(count)
    )
