"""What each rule about a cluster says: the words, the line, the way out, and the sizes of a scenario that shows it."""

from pathlib import Path
from typing import Any

import pytest

from engine.formats.finding import Finding, NodeSizes
from tests.engine.formats.test_cluster_lint import MAXIMUM, findings

NODES = NodeSizes(2, 8192, 8), NodeSizes(10, 4096, 64)
"""57,344 MB."""
MINIMUM = "yarn.scheduler.minimum-allocation-mb"


STARVED = "none starts"
MASTERS = [
    (
        '<queue name="b"><maxResources>4000 mb, 1 vcores</maxResources><maxAMShare>0.1</maxAMShare></queue>',
        "",
        "2.7",
        2,
        f"masters of root.b may have 400 MB, the smallest has 1024 MB ({MINIMUM} by default): {STARVED}"
        " (maxAMShare of 0.257 or more)",
    ),
    (
        '<queueMaxAMShareDefault>0.1</queueMaxAMShareDefault>\n<queue name="b"><maxResources>500 mb, 1 vcores'
        "</maxResources></queue>",
        "",
        "2.7",
        2,
        f"masters of root.b may have 50 MB, the smallest has 1024 MB ({MINIMUM} by default): {STARVED}"
        " (a larger maxResources)",
    ),
    (
        '<queue name="c"/><queue name="b">\n<maxResources>3000 mb, 1 vcores</maxResources></queue>',
        "2048",
        "3.4",
        3,
        f"masters of root.b may have 1500 MB, the smallest has 2048 MB: {STARVED} (maxAMShare of 0.683 or more)",
    ),
    (
        '<queue name="b">\n<maxResources>2048 mb, 1 vcores</maxResources></queue>',
        "2048",
        "2.7",
        3,
        f"masters of root.b may have 1024 MB, the smallest has 2048 MB: {STARVED} (maxAMShare of 1 or more)",
    ),
]


def said(folder: Path, *properties: tuple[str, str], **keys: Any) -> list[str]:
    return [str(each.problem).replace(f"{folder}/", "") for each in findings(folder, *properties, **keys)]


@pytest.mark.parametrize(("queues", "least", "era", "line", "words"), MASTERS)
def test_the_share_that_lets_a_master_start_is_enough(
    tmp_path: Path, queues: str, least: str, era: str, line: int, words: str
) -> None:
    """More than the part that the smallest container is; what was said lets one start."""
    properties = [(MAXIMUM, "2048"), *([(MINIMUM, least)] if least else [])]
    found = said(tmp_path, *properties, nodes=NODES, queues=queues, era=era)
    assert found == [f"fs.xml:{line}: root.b.maxAMShare: {words}"]

    share = words.partition("maxAMShare of ")[2].partition(" ")[0]
    if share:
        mended = f"<maxAMShare>{share}</maxAMShare></queue>"
        queues = queues.replace("<maxAMShare>0.1</maxAMShare>", "").replace("</queue>", mended)
        assert said(tmp_path, *properties, nodes=NODES, queues=queues, era=era) == []


@pytest.mark.parametrize(
    ("most", "rule", "values"),
    [
        (4097, "reservations", (8192, 4097, 8193, 8192, 2048, 5119)),
        (8193, "maximum-above-node", (8192, 8193, 8193, 8192, 2048, 4097)),
        (9000, "maximum-above-node", (5000, 9000, 5001, 4096, 1250, 2501)),
        (900, "maximum-above-node", (800, 900, 801, 1, 200, 924)),
    ],
)
def test_a_scenario_that_shows_it_has_its_sizes(tmp_path: Path, most: int, rule: str, values: tuple[int, ...]) -> None:
    least = (MINIMUM, "512")
    found = findings(tmp_path, (MAXIMUM, str(most)), least, nodes=(NodeSizes(1, values[0], 1),))[-1]

    names = ("node_mb", "maximum_mb", "above_mb", "fits_mb", "quarter_mb", "beside_mb")
    assert (found.rule, found.values) == (rule, dict(zip(names, values, strict=True)))


_C, _P = "yarn.scheduler.capacity.", "yarn.resourcemanager.monitor.capacity.preemption."
QUEUES = tuple((f"{_C}root.{key}", value) for key, value in (("queues", "default"), ("default.capacity", "100")))
ON = ("yarn.resourcemanager.scheduler.monitor.enable", "true")


@pytest.mark.parametrize(
    ("properties", "queues", "mended", "rule", "words"),
    [
        ((ON, (f"{_P}total_preemption_per_round", "0.01")), "", "0.1", "preemption-round", "a round may take 573 MB"),
        ((ON, (f"{_P}max_ignored_over_capacity", "1")), "", "0.1", "preemption-ignores", "2 times its guarantee"),
        ((ON, (f"{_P}max_wait_before_kill", "600001")), "", "600000", "preemption-slow", "waits 10m1ms"),
        ((ON,), "", "false", "preemption-idle", "nothing to take"),
        ((ON, (f"{_P}intra-queue-preemption.enabled", "true")), "", "false", "preemption-of-no-user", "each user may"),
        (
            (("yarn.app.mapreduce.am.command-opts", "-Xmx2g"),),
            "",
            "-Xmx1g",
            "heap-above-container",
            "a heap of 2048 MB",
        ),
        (
            ((f"{_C}root.default.default-application-priority", "5"),),
            "",
            "0",
            "priority-capped",
            "5 counts as 0, the largest priority",
        ),
        (
            (("yarn.scheduler.fair.user-as-default-queue", "true"),),
            '<queue name="default"><maxRunningApps>3</maxRunningApps></queue>',
            "false",
            "default-queue-passed-by",
            "a queue of his own",
        ),
        (
            (("yarn.scheduler.fair.preemption", "true"),),
            '<queue name="a"><fairSharePreemptionTimeout>60000</fairSharePreemptionTimeout></queue>',
            "false",
            "preemption-slow",
            "the value is in seconds",
        ),
    ],
)
def test_values_that_hurt_and_their_mends(
    tmp_path: Path, properties: tuple[tuple[str, str], ...], queues: str, mended: str, rule: str, words: str
) -> None:
    """The last property at another value is not warned of."""
    keys = (*(() if queues else QUEUES), (MAXIMUM, "1024"))

    def found(*given: tuple[str, str]) -> list[Finding]:
        every = findings(tmp_path, *keys, *given, nodes=NODES, era="3.4", queues=queues)
        return [each for each in every if each.rule == rule]

    hurts = found(*properties)
    assert len(hurts) == 1
    assert words in str(hurts[0].problem)
    mends = (*properties[:-1], (properties[-1][0], mended))
    assert found(*mends) == []
