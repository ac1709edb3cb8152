"""Numbers of tables of machines and jobs at their limits: Alibaba's, Google's, openb's, SWIM's."""

import pytest

from engine.formats.traces.application import MIB, MappingRules, TraceApplication, TraceNode, TraceTasks, whole
from tests.engine.formats.traces.samples import imported

RULES = MappingRules(machine_mb=1000, machine_vcores=10, container_mb=77, container_vcores=3)


@pytest.mark.parametrize(
    ("value", "most", "found"),
    [
        (2**53, None, 2**53),
        (2**53 + 1, None, None),
        ("9007199254740992", None, 2**53),
        ("9" * 19, 10**19, 10**19 - 1),
        ("9" * 20, 10**20, None),
        ("1e15", None, 10**15),
        ("1e16", None, None),
        ("-1e0", None, None),
        (2.9, 2, 2),
        ("2.9", 2, None),
        ("2.0", 2, 2),
    ],
)
def test_a_whole_number_is_exact(value: object, most: int | None, found: int | None) -> None:
    """Up to the largest that is, unless another bound is given; texts have 19 digits."""
    assert (whole(value) if most is None else whole(value, 0, most)) == found


def alibaba_jobs(*rows: tuple[str, object, str, object, object, object, object]) -> list[TraceApplication]:
    """Jobs of rows of task, instances, job, begin, end, cores and memory."""
    lines = [
        f"{task},{count},{job},1,Terminated,{begin},{end},{cores},{memory}"
        for task, count, job, begin, end, cores, memory in rows
    ]
    return imported("\n".join(lines) + "\n", "alibaba", RULES)[0]


@pytest.mark.parametrize(
    ("cores", "memory", "size"),
    [
        (100, 50, (500, 1)),
        (101, 0.1, (1, 2)),
        (1, 0.11, (2, 1)),
        (1_000_000, 100, (1000, 10_000)),
        (1_000_001, 101, (77, 3)),
        (0, 0, (77, 3)),
        ("", "", (77, 3)),
    ],
)
def test_an_instance_has_parts_of_a_machine_rounded_up(cores: object, memory: object, size: tuple[int, int]) -> None:
    """Hundredths of a core, and of the largest machine's memory; what is none is that of a container."""
    (job,) = alibaba_jobs(("a", 10_000_000, "j_1", 100, 200, cores, memory))

    assert job.tasks == (TraceTasks("container", 10_000_000, (100_000,), *size),)


@pytest.mark.parametrize(
    ("cores", "memory", "node"),
    [
        (1, 100, TraceNode("m", None, 1000, 1)),
        (100_000, 0.2, TraceNode("m", None, 2, 100_000)),
        (5, 0.05, TraceNode("m", None, 1, 5)),
        (100_001, 50, None),
        (0, 50, None),
        (5, 0, None),
        (5, 100.1, None),
    ],
)
def test_a_machine_of_alibaba_is_within_its_bounds(cores: object, memory: object, node: TraceNode | None) -> None:
    _, report = imported(f"machine_id,cpu_num,mem_size\nm,{cores},{memory}\n", "alibaba-nodes", RULES)

    assert list(report.nodes.values()) == ([node] if node else [])
    assert report.faults == (node is None)


def event(at_us: object, kind: object, task: int = 0, size: str = "0.25,0.1") -> str:
    return f"{at_us},,1,{task},,{kind},ann,2,9,{size},0.1,0"


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("1,1", (1000, 10)),
        ("0.11,0.0011", (2, 2)),
        ("0.1,0.001", (1, 1)),
        ("0.0001,0.0001", (1, 1)),
        ("1.1,1.1", (77, 3)),
        ("0,0", (77, 3)),
    ],
)
def test_a_task_of_google_has_parts_of_a_machine_rounded_up(size: str, found: tuple[int, int]) -> None:
    lines = [event(10**6, 0, size=size), event(2 * 10**6, 1), event(3 * 10**6, 4)]
    ((job,), _) = imported("\n".join(lines), "google", RULES)

    assert job.tasks == (TraceTasks("container", 1, (1000,), *found),)


@pytest.mark.parametrize(
    ("row", "node"),
    [
        ("5,0,plat,1,1", TraceNode("5", None, 1000, 10)),
        ("5,0,plat,0.29,0.0019", TraceNode("5", None, 1, 2)),
        ("5,0,plat,0.01,0.0001", TraceNode("5", None, 1, 1)),
        ("5,0,plat,1.1,1", None),
        ("5,0,plat,1,1.1", None),
        ("5,1,plat,1,1", None),
        ("5,2,plat,1,1", None),
    ],
)
def test_a_machine_of_google_is_added_once_with_a_size(row: str, node: TraceNode | None) -> None:
    text = f"time,machine id,event type,platform id,cpus,memory\n0,{row}\n"
    _, report = imported(text, "google-nodes", RULES)

    assert list(report.nodes.values()) == ([node] if node else [])
    assert report.faults == 0


@pytest.mark.parametrize(
    ("read", "shuffled", "written", "tasks"),
    [
        (2 * MIB, 0, 2 * MIB, (TraceTasks("map", 1, (4_001,)),)),
        (2 * MIB + 1, 0, 2 * MIB - 1, (TraceTasks("map", 2, (2_001,)),)),
        (MIB, MIB, 3 * MIB, (TraceTasks("map", 1, (2_001,)), TraceTasks("reduce", 1, (2_001,)))),
        (0, 5 * MIB, MIB, (TraceTasks("map", 1, (5_001,)), TraceTasks("reduce", 2, (1_501,)))),
        (0, 0, 0, (TraceTasks("map", 1, (1,)),)),
    ],
)
def test_a_job_of_swim_takes_as_long_as_its_bytes(
    read: int, shuffled: int, written: int, tasks: tuple[TraceTasks, ...]
) -> None:
    """Maps write what is shuffled, or else the output, and reduces read the one and write the other."""
    rules = MappingRules(split_mb=2, reduce_mb=3, map_mb_per_s=1.0, reduce_mb_per_s=2.0, start_up_ms=1)
    ((job,), _) = imported(f"j\t7\t0\t{read}\t{shuffled}\t{written}\n", "swim", rules)

    assert job == TraceApplication(
        id="j",
        name="j",
        submitted_ms=7_000,
        tasks=tasks,
        behaviour="mapreduce",
        inferred={
            "maps": rules.split_rule,
            "reduces": rules.reduce_rule,
            "durations": rules.rate_rule,
            "memory and vcores": rules.size_rule,
        },
    )


@pytest.mark.parametrize("line", ["j\t1\t1\t1\t1", "j\tx\t1\t1\t1\t1", "j\t1\t1\t1\t1\t-1", "j\t1\t\t1\t1\t1"])
def test_a_line_of_swim_has_five_numbers(line: str) -> None:
    found, report = imported(f"{line}\na\t1\t1\t1\t1\t1\tpath\n", "swim")

    assert ([job.id for job in found], report.faults) == (["a"], 1)
