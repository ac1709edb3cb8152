"""Rules of the header, of applications nobody keeps waiting, and of queues of one partition."""

from typing import Any

import msgspec
import pytest

from engine.observe.service import WaitTotal
from engine.observe.snapshot import PartitionUse
from tests.tui import fakes
from tests.tui.render import dialect_pictures
from tui.picture import LIVE, Reception, RunState
from tui.render import application, capacity_queue, header
from tui.render.line import Look, flat
from tui.render.table import place, row_line

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
NODE = fakes.node_row("n1")


# The header


def test_the_memory_of_partitions_is_summed_over_their_nodes() -> None:
    """The default one first; one alone is none."""
    nodes = [
        msgspec.structs.replace(NODE, partition=label, total=(total, 1), used=(used, 1))
        for label, total, used in (("gpu", 10, 1), ("", 20, 2), ("gpu", 30, 3))
    ]

    assert header.partition_uses(nodes) == [
        header.PartitionMeter("", 20, 2),
        header.PartitionMeter("gpu", 40, 4),
    ]
    assert header.partition_uses(nodes[::2]) == []


USES = [
    header.PartitionMeter(label, total, used) for label, total, used in (("", 100, 10), ("a", 100, 90), ("b", 10, 8))
]


@pytest.mark.parametrize(
    ("uses", "width", "titles"),
    [
        (USES, 160, ["default", "a", "b"]),
        (USES, 109, ["a", "b"]),
        (USES[:2], 109, ["default", "a"]),
        ([*USES, header.PartitionMeter("c", 0, 0)], 160, ["a", "b"]),
        ([], 160, ["memory", "vcores"]),
        ([], 109, ["mem", "vc"]),
    ],
)
def test_partitions_have_a_meter_each_or_the_two_fullest(
    uses: list[header.PartitionMeter], width: int, titles: list[str]
) -> None:
    """Three where it is wide, two else; without any the dimensions have one."""
    line = flat(header.spans_of(header.meter_line(fakes.header(), WaitTotal(2, 1), width, uses)))
    places = [line.find(f" {title} ") for title in titles]

    assert places == sorted(places)
    assert places[0] == 0
    assert line.count("%") == len(titles)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (RunState("x", recorded="log", paused=False, present_ms=fakes.NOW + 1000, speed=4.0), "PAST ► ×4"),
        (RunState("x", recorded="log", paused=True, present_ms=fakes.NOW + 1000), "PAST of 09:01:01"),
        (RunState("x", recorded="log", paused=False), "its end"),
        (RunState("x", paused=False, frozen="an instructor"), "frozen"),
        (
            RunState("x", reception=Reception(LIVE, 0, "", fakes.NOW + 3000, took_ms=40, cost_ms=7), paused=False),
            "data 3s old, answers in 40 ms, costs 7 ms",
        ),
        (
            RunState("x", reception=Reception(LIVE, 0, "", fakes.NOW + 3000, late="nodes are slow"), paused=False),
            "data 3s old, nodes are slow",
        ),
    ],
)
def test_the_clock_tells_its_mode(run: RunState, words: str) -> None:
    """A recorded past runs, too; of a live cluster how old its data are."""
    line = header.identity_line(fakes.header(), run, 8 * 3_600_000, 200)

    assert words in flat(header.spans_of(line))


# Applications that nobody keeps waiting


@pytest.mark.parametrize(
    ("used_mb", "share", "scale"),
    [
        (0, "", 50),
        (61440, "5.0%", 50),
        (61441, "5.0%", 50),
        (122880, "10.0%", 100),
        (62669, "5.1%", 100),
        (1228799, "99.9%", 1000),
    ],
)
def test_an_application_has_its_share_of_the_cluster(used_mb: int, share: str, scale: int) -> None:
    """The scale of all bars ends at the next of some round shares."""
    row = fakes.application_row(1, used=(used_mb, 1), waiting_since_ms=None)
    look = LOOK._replace(scales=application.scales([row], LOOK))
    line = flat(row_line(place(application.CALM_COLUMNS, 140), row, look))

    assert look.scales == {"longest": 0, "largest": scale}
    assert share in line
    assert ("━" in line or "╸" in line) is bool(used_mb)


def test_the_share_is_of_all_partitions_together() -> None:
    """Not of the one that is shown."""
    row = fakes.application_row(1, used=(61440, 1))
    look = LOOK._replace(whole=(614400, 1))

    assert application.scales([row], look)["largest"] == 100
    assert "10.0%" in flat(row_line(place(application.CALM_COLUMNS, 140), row, look))
    assert application.scales([], LOOK._replace(total=())) == {"longest": 0, "largest": 50}


@pytest.mark.parametrize(("partition", "words"), [("", "default"), ("gpu", "gpu"), (" 2 gpu", "default 2 gpu")])
def test_the_label_of_an_application_is_said_where_there_are_partitions(partition: str, words: str) -> None:
    """Of several it says where it asks."""
    row = fakes.application_row(1, partition=partition)
    field = application.FIELDS.field("label")

    assert field.value(row, LOOK._replace(partitions=("", "gpu"))) == words
    assert field.value(row, LOOK) == ""


# Queues of one partition


def _in_gpu(row: Any) -> list[str]:
    picture = dialect_pictures.capacity()
    look = capacity_queue.in_partition(LOOK, picture.snapshot, "gpu")
    return flat(row_line(place(capacity_queue.EVERY_COLUMN, 150), row, look)).split()


def test_queues_of_a_partition_have_their_shares_of_it() -> None:
    """What holds in the default partition only is left out; without a part of it there is no access."""
    _, dev, _, ops = dialect_pictures.capacity().snapshot.queues()

    assert _in_gpu(dev)[-7:] == ["4G", "20G", "40G", "20%", "2", "0", "RUNNING"]
    assert _in_gpu(ops)[2:4] == ["no", "access"]


def test_the_look_of_a_partition_has_its_total_and_the_names_of_all() -> None:
    """One that is not there is the default one; of another scheduler there is none."""
    picture = dialect_pictures.capacity()
    looks = [capacity_queue.in_partition(LOOK, picture.snapshot, label) for label in ("gpu", "", "none")]

    assert [(look.partition, look.total, look.partitions, look.whole) for look in looks] == [
        ("gpu", (40960, 40), ("", "gpu"), (143360, 140)),
        ("", (102400, 100), ("", "gpu"), (143360, 140)),
        ("", (102400, 100), ("", "gpu"), (143360, 140)),
    ]
    assert capacity_queue.in_partition(LOOK, fakes.frozen_cluster(), "gpu") is LOOK
    fair = fakes.FakeSnapshot(picture.snapshot.header, queues=fakes.frozen_cluster().queues())
    assert capacity_queue.in_partition(LOOK, fair, "gpu") is LOOK
    assert capacity_queue.partitions_of(fakes.frozen_cluster()) == {}


@pytest.mark.parametrize(("used", "guaranteed", "part"), [(15, 30, "50%"), (30, 20, "150%"), (5, 0, "0%")])
def test_the_part_of_a_guarantee_is_that_of_the_partition(used: int, guaranteed: int, part: str) -> None:
    """Of no guarantee nothing is used."""
    _, dev, *_ = dialect_pictures.capacity().snapshot.queues()
    use = PartitionUse("gpu", 0.5, 1.0, (guaranteed, 0), (40960, 40), (used, 4))
    row = msgspec.structs.replace(dev, partitions=(use,))

    assert part in _in_gpu(row)
