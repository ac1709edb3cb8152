"""What each rule about a cluster says: the words, the line, the way out, and the sizes of a scenario that shows it."""

from pathlib import Path
from typing import Any

import pytest

from engine.formats.finding import NodeSizes
from tests.engine.formats.test_cluster_lint import DEFAULT, MAXIMUM, TWO, findings

NODES = NodeSizes(2, 8192, 8), NodeSizes(10, 4096, 64)
"""57,344 MB."""
SMALL = (MAXIMUM, "1024")
MINIMUM = "yarn.scheduler.minimum-allocation-mb"
SUBMIT = "root.b.acl_submit_applications"
ADMINISTER = "root.default.acl_administer_queue"
NEVER = "so an ask between them never starts"
HELD = (
    "such an ask reserves nodes that are partly used, and nobody else is given their rest; 2 such asks hold all 2"
    " nodes that large"
)
VCORES = (
    "compares memory alone: vcores are not counted, and nodes run more of them than they have"
    " (yarn.scheduler.capacity.resource-calculator: org.apache.hadoop.yarn.util.resource.DominantResourceCalculator)"
)
CALCULATOR = f"yarn.scheduler.capacity.resource-calculator: {VCORES}"
OPEN = "keeps nobody out: root is open to everybody, and so is every queue below"

CAPACITY: list[tuple[tuple[tuple[str, str], ...], dict[str, Any], list[str]]] = [
    (
        (*DEFAULT, (MAXIMUM, "4097")),
        {"nodes": NODES},
        [f"cs.xml:4: {MAXIMUM}: 4097 MB is more than half of a node of 8192 MB: {HELD} (at most 2048)", CALCULATOR],
    ),
    (
        (*DEFAULT, (MAXIMUM, "4096")),
        {"nodes": (NodeSizes(10, 4096, 64), NodeSizes(2, 4097, 64))},
        [
            f"cs.xml:4: {MAXIMUM}: 4096 MB is more than half of a node of 4097 MB: {HELD.partition(';')[0]};"
            " 12 such asks hold all 12 nodes (at most 1024)",
            CALCULATOR,
        ],
    ),
    (
        (*DEFAULT, (MAXIMUM, "8193")),
        {"nodes": NODES},
        [f"cs.xml:4: {MAXIMUM}: 8193 MB: no node has more than 8192 MB, {NEVER} (at most 8192)", CALCULATOR],
    ),
    (
        ((MAXIMUM, "9000"), (MINIMUM, "4097")),
        {"nodes": (NodeSizes(0, 4096, 1),), "era": "3.4"},
        [
            f"cs.xml:3: {MINIMUM}: 4097 MB: a node of 4096 MB is refused when it registers (at most 4096)",
            f"cs.xml:2: {MAXIMUM}: 9000 MB: no node has more than 4096 MB, {NEVER} (at most 4096)",
        ],
    ),
    (
        ((MAXIMUM, "2100"), (MINIMUM, "1024")),
        {"nodes": (NodeSizes(0, 4096, 1),)},
        [
            f"cs.xml:2: {MAXIMUM}: 2100 MB is more than half of a node of 4096 MB:"
            f" {HELD.partition(';')[0]}; each ask holds a node (at most 1024)"
        ],
    ),
    (((MAXIMUM, "2100"),), {"nodes": (NodeSizes(1, 4095, 1),)}, []),
    (((MAXIMUM, "2100"),), {"nodes": ()}, []),
    (
        (("root.queues", "a"), ("root.a.capacity", "100")),
        {},
        [
            "cs.xml:2: yarn.scheduler.capacity.root.queues: there is no queue `default` and no mapping: an application"
            " that names no queue is refused (add a queue default, or yarn.scheduler.capacity.queue-mappings)"
        ],
    ),
    (
        (*TWO, (SUBMIT, "x"), (ADMINISTER, "x"), ("yarn.acl.enable", "false")),
        {},
        [
            f"cs.xml:5: yarn.scheduler.capacity.{SUBMIT}: keeps nobody out, as for 1 more: yarn.acl.enable is not true"
            " (yarn.acl.enable=true)"
        ],
    ),
    (
        (*TWO, (SUBMIT, "x"), ("root.acl_submit_applications", " "), ("yarn.acl.enable", "false")),
        {},
        [
            "cs.xml:6: yarn.scheduler.capacity.root.acl_submit_applications: keeps nobody out, as for 1 more:"
            " yarn.acl.enable is not true (yarn.acl.enable=true)"
        ],
    ),
    (
        (*TWO, (SUBMIT, "x"), (ADMINISTER, "x"), ("yarn.acl.enable", "true")),
        {},
        [
            f"cs.xml:5: yarn.scheduler.capacity.{SUBMIT}: {OPEN} (yarn.scheduler.capacity.root.acl_submit_applications"
            " and yarn.scheduler.capacity.root.acl_administer_queue: one blank is nobody)",
            f"cs.xml:6: yarn.scheduler.capacity.{ADMINISTER}: {OPEN}"
            " (yarn.scheduler.capacity.root.acl_administer_queue: one blank is nobody)",
        ],
    ),
    (
        (*TWO, ("root.b.maximum-capacity", "80"), ("root.default.maximum-capacity", "90")),
        {},
        [
            "cs.xml:5: yarn.scheduler.capacity.root.b.maximum-capacity: root.b may grow to 80 %, but one user of it"
            " only to 60 %, even where the rest is free (so for 1 more queues)"
            " (yarn.scheduler.capacity.root.b.user-limit-factor: 1.333)"
        ],
    ),
    (
        (*TWO, ("yarn.nodemanager.resource.cpu-vcores", "8")),
        {},
        [f"cs.xml:5: yarn.nodemanager.resource.cpu-vcores: {VCORES}"],
    ),
]

PREEMPTION = ("yarn.scheduler.fair.preemption", "true")
FAIR: list[tuple[tuple[tuple[str, str], ...], dict[str, Any], list[str]]] = [
    (
        (SMALL, ("yarn.scheduler.maximum-allocation-vcores", "65")),
        {"nodes": NODES, "queues": '<queue name="a"/>'},
        [f"cs.xml:3: yarn.scheduler.maximum-allocation-vcores: 65: no node has more than 64, {NEVER} (at most 64)"],
    ),
    (
        (PREEMPTION, ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", "1.5")),
        {"queues": '<queue name="a"><minSharePreemptionTimeout>3</minSharePreemptionTimeout></queue>'},
        [
            "cs.xml:2: yarn.scheduler.fair.preemption: preemption is on and every timeout that is stated is of minimum"
            " shares, and no queue has one: nothing is preempted (defaultFairSharePreemptionTimeout in fs.xml)",
            "cs.xml:3: yarn.scheduler.fair.preemption.cluster-utilization-threshold: preemption is on from more than"
            " 150% of the cluster on: nothing is preempted (0.8, the default)",
        ],
    ),
    (
        (PREEMPTION,),
        {"queues": '<queue name="a"/>'},
        [
            "cs.xml:2: yarn.scheduler.fair.preemption: preemption is on and every timeout is never: nothing is"
            " preempted (defaultFairSharePreemptionTimeout in fs.xml)"
        ],
    ),
    (
        (("yarn.scheduler.fair.reservable-nodes", "1.6"),),
        {"queues": '<queue name="a"/>', "era": "3.4"},
        [
            "cs.xml:2: yarn.scheduler.fair.reservable-nodes: one application may reserve 100% of the nodes, and nobody"
            " else is given their rest (0.05, the default)"
        ],
    ),
    (
        (SMALL,),
        {
            "nodes": NODES,
            "queues": '<queue name="b"><minResources>60000 mb, 1 vcores</minResources></queue>\n<queue name="a">'
            '<minResources>6000 mb, 1 vcores</minResources><queue name="c"><minResources>6000 mb, 1 vcores'
            "</minResources></queue></queue>",
        },
        [
            "fs.xml:2: root.b: the minimum shares add up to 66000 MB, the cluster has 57344 MB: they are scaled, and"
            " queues without one are given nothing while those ask (less than the cluster)"
        ],
    ),
]

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


@pytest.mark.parametrize(("properties", "keys", "expected"), [*CAPACITY, *FAIR])
def test_a_rule_says_what_happens_where_and_the_way_out(
    tmp_path: Path, properties: tuple[tuple[str, str], ...], keys: dict[str, Any], expected: list[str]
) -> None:
    assert said(tmp_path, *properties, **keys) == expected


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
