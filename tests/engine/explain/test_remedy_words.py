"""Remedies in words, and what they count as."""

import pytest

from engine.explain.remedy import (
    GROUPS,
    HARDWARE,
    KINDS,
    NOW,
    PATCH,
    Remedy,
    Wording,
    exact_amounts,
    only,
    remedy_sentence,
)
from engine.model.resource import YARN_DIMENSIONS
from engine.scenario import acts
from engine.settings.site import MAXIMUM_MB

SPARK = ("memory_mb", "cores")
MR1 = ("map_slots", "reduce_slots")

CASES = [
    (Remedy(acts.KillApplication(7), name="big"), "kill", NOW, 7, "kill application 7 (big)"),
    (Remedy(acts.KillApplication(7)), "kill", NOW, 7, "kill 7"),
    (Remedy(acts.KillApplication(0), name="none"), "kill", NOW, 0, "kill application 0 (none)"),
    (Remedy(acts.KillApplication(-1), name="drv"), "kill", NOW, -1, "kill driver 0 (drv)"),
    (Remedy(acts.KillApplication(-3)), "kill", NOW, -3, "kill driver 2"),
    (Remedy(acts.KillApplication(7), name="j", dimensions=MR1), "kill", NOW, 7, "kill job 7 (j)"),
    (
        Remedy(acts.KillContainer((5, 1, 1)), name="m"),
        "kill-master",
        NOW,
        5,
        "kill the application master of application 5 (m)",
    ),
    (
        Remedy(acts.MoveApplication(7, "x"), name="big", queue="root.b"),
        "move",
        NOW,
        7,
        "move application 7 (big) to root.b",
    ),
    (Remedy(acts.SetPriority(7, 4), name="big"), "priority", NOW, 7, "give application 7 (big) priority 4"),
    (Remedy(acts.ReturnNode("n1:1"), host="n1"), "return", NOW, 0, "return n1"),
    (Remedy(acts.DrainNode("n1:1"), host="n1"), "drain", NOW, 0, "drain n1"),
    (
        Remedy(acts.ResizeNode("n1:1", 2048, 1), host="n1"),
        "resize",
        HARDWARE,
        0,
        "enlarge n1 to 2048 MB and 1 vcore",
    ),
    (Remedy(acts.AddNode("new", 64_000, 4)), "add-node", HARDWARE, 0, "add a node of 64000 MB and 4 vcores"),
    (
        Remedy(acts.AddNode("new", 512, 1), dimensions=SPARK),
        "add-node",
        HARDWARE,
        0,
        "add a worker of 512 MB and 1 core",
    ),
    (
        Remedy(acts.AddNode("new", 2, 1), dimensions=MR1),
        "add-node",
        HARDWARE,
        0,
        "add a tracker of 2 map slots and 1 reduce slot",
    ),
    (Remedy(acts.RestartResourceManager()), "start", NOW, 0, "start the ResourceManager"),
    (
        Remedy(acts.RestartResourceManager(), again=(3,)),
        "start",
        NOW,
        0,
        "start the ResourceManager, then submit application 3 again, which it loses",
    ),
    (
        Remedy(acts.RestartJobTracker(), dimensions=MR1, again=(3, 4)),
        "start",
        NOW,
        0,
        "start the JobTracker, then submit the 2 jobs again that it loses",
    ),
    (Remedy(acts.SetPreemption(on=True)), "preemption", NOW, 0, "switch preemption on"),
    (Remedy(acts.SetPreemption(on=False)), "preemption", NOW, 0, "switch preemption off"),
    (Remedy(acts.SetReservationRule("off")), "rule", PATCH, 0, "set the reservation rule to off"),
    (
        Remedy(acts.SetQueueSetting("root.a", "weight", "3"), queue="root.a", setting="weight"),
        "queue-setting",
        NOW,
        0,
        "set weight of root.a to 3",
    ),
    (
        Remedy(acts.SetSetting("a.b.weight", "3"), queue="root.a", setting="weight"),
        "queue-setting",
        NOW,
        0,
        "set weight of root.a to 3",
    ),
    (Remedy(acts.SetSetting("a.b", "3")), "setting", NOW, 0, "set a.b to 3"),
    (
        Remedy(acts.SetSetting(MAXIMUM_MB.name, "3")),
        "setting",
        NOW,
        0,
        f"set {MAXIMUM_MB.name} to 3 for later asks",
    ),
]


@pytest.mark.parametrize(("remedy", "kind", "group", "application", "sentence"), CASES)
def test_a_remedy_has_a_kind_a_group_and_a_sentence(
    remedy: Remedy, kind: str, group: str, application: int, sentence: str
) -> None:
    """In the words of its system; 0 is nobody."""
    assert (remedy.kind, remedy.group, remedy.application) == (kind, group, application)
    assert remedy_sentence(remedy) == sentence


def test_every_kind_and_group_is_there() -> None:
    """Those that change least for others come first."""
    assert {remedy.kind for remedy, *_ in CASES} == set(KINDS)
    assert {remedy.group for remedy, *_ in CASES} == set(GROUPS)
    assert (KINDS[0], KINDS[-1], len(KINDS)) == ("start", "kill", 13)


def test_a_container_that_is_no_number_belongs_to_nobody() -> None:
    """Nor does an application that is named by its id."""
    assert Remedy(acts.KillContainer("container_1")).application == 0
    assert Remedy(acts.KillApplication("application_1")).application == 0


@pytest.mark.parametrize(
    ("amounts", "dimensions", "words"),
    [
        ((64_000, 1), YARN_DIMENSIONS, "64000 MB and 1 vcore"),
        ((1, 2), YARN_DIMENSIONS, "1 MB and 2 vcores"),
        ((0, 2), YARN_DIMENSIONS, "2 vcores"),
        ((5, 0), SPARK, "5 MB"),
        ((2, 1), MR1, "2 map slots and 1 reduce slot"),
        ((0, 0), MR1, ""),
        ((3,), MR1, "3 map slots"),
    ],
)
def test_amounts_have_their_units(amounts: tuple[int, ...], dimensions: tuple[str, ...], words: str) -> None:
    """In the singular of one; nothing of none."""
    assert exact_amounts(amounts, dimensions) == words
    assert exact_amounts(amounts, dimensions, "+") == words.replace(" and ", "+")


def test_a_sentence_may_be_worded_otherwise() -> None:
    """Each of its parts."""
    wording = Wording(
        application=lambda remedy: f"<{remedy.application}>",
        host=lambda host: f"<{host}>",
        size=lambda amounts, dimensions: f"<{amounts[0]}/{amounts[1]}>",
        setting=lambda name, value: f"{name}={value}",
    )
    remedies = [
        Remedy(acts.MoveApplication(7, "x"), name="big", queue="root.b"),
        Remedy(acts.ResizeNode("n1:1", 2048, 1), host="n1"),
        Remedy(acts.SetSetting("a.b", "3")),
        Remedy(acts.SetQueueSetting("root.a", "weight", "3"), queue="root.a", setting="weight"),
        Remedy(acts.DrainNode("n1:1"), host="n1"),
    ]

    assert [remedy_sentence(each, wording) for each in remedies] == [
        "move <7> to root.b",
        "enlarge <n1> to <2048/1>",
        "a.b=3",
        "weight of root.a=3",
        "drain <n1>",
    ]


def test_a_remedy_without_a_value_is_a_family_of_its_own() -> None:
    """Whatever value it is made of."""
    remedy = Remedy(acts.SetPreemption(on=True))
    family = only(remedy)

    assert (family.kind, family.make((9,)), family.lows, family.highs) == ("preemption", remedy, (), ())
