"""Limits on parallel applications in capacity-3.4: who is parked, what is said of it, whose turn it is."""

import pytest

from engine.control_plane.protocol import ApplicationFinished, ApplicationSubmitted, SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from engine.schedulers.obstacle_texts import Obstacle, Reason
from tests.build import START_MS, ask, attempt_of, resource_manager
from tests.engine.schedulers.test_capacity_view import PREFIX, SETTINGS

LIMIT = "max-parallel-apps"


def manager(**limits: str) -> ResourceManager:
    """With the queues a, p.x and p.y; limits by their keys with `__` for dots."""
    more = {f"{PREFIX}{key.replace('__', '.')}.{LIMIT}": text for key, text in limits.items()}
    return resource_manager("capacity-3.4", settings={**SETTINGS, **more})


def submitted(rm: ResourceManager, *applications: str) -> list[int]:
    """Applications that ask for a container, a second after each other, from `user queue`."""
    numbers = []
    for place, each in enumerate(applications):
        user, _, queue = each.partition(" ")
        answer = rm.handle(ApplicationSubmitted(user, queue), START_MS + 1000 * place)
        assert answer.application is not None
        numbers.append(answer.application)
        ask(rm, answer.application, 1)
    return numbers


def running(rm: ResourceManager, numbers: list[int]) -> list[bool]:
    return [getattr(attempt_of(rm, number), "runnable", True) for number in numbers]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"root__a": "1"}, [True, False, False, True, True]),
        ({"root__a": "2"}, [True, True, False, True, True]),
        ({"root__a": "3"}, [True, True, True, True, True]),
        ({"root": "4"}, [True, True, True, True, False]),
        ({"root__p": "1"}, [True, True, True, True, False]),
        ({"user__ann": "1"}, [True, False, True, False, True]),
        ({"user": "1"}, [True, False, True, False, False]),
        ({"user": "1", "user__ann": "2"}, [True, True, True, False, False]),
        ({"root__a": "0"}, [False, False, False, True, True]),
    ],
)
def test_applications_beyond_a_limit_are_parked(limits: dict[str, str], expected: list[bool]) -> None:
    """Of a queue or one above it, of a user, or of all users alike."""
    rm = manager(**limits)
    numbers = submitted(rm, "ann a", "ann a", "bob a", "ann x", "bob x")
    assert running(rm, numbers) == expected


@pytest.mark.parametrize(
    ("limits", "numbers", "subject"),
    [
        ({"root__p__x": "1"}, (1, 1), "queue root.p.x"),
        ({"root__p": "1"}, (1, 1), "queue root.p"),
        ({"root__p": "1", "root": "1"}, (1, 1), "queue root.p"),
        ({"user__ann": "1"}, (1, 1), "user ann"),
        ({"user": "0"}, (0, 0), "user ann"),
    ],
)
def test_the_limit_that_parks_is_named(limits: dict[str, str], numbers: tuple[int, int], subject: str) -> None:
    rm = manager(**limits)
    _, parked = submitted(rm, "ann x", "ann x")
    found = rm.scheduler.policy.obstacle(attempt_of(rm, parked))
    assert found == Obstacle(Reason.QUEUE_NOT_RUNNING_IT, numbers, subject)


def test_whoever_came_first_has_the_next_turn() -> None:
    rm = manager(root__a="1")
    numbers = submitted(rm, "ann a", "bob a", "cy a")
    rm.handle(ApplicationFinished(numbers[0], "FINISHED"), START_MS + 9000)
    assert running(rm, numbers[1:]) == [True, False]
    rm.handle(ApplicationFinished(numbers[1], "FINISHED"), START_MS + 9000)
    assert running(rm, numbers[2:]) == [True]


@pytest.mark.parametrize(
    ("limit", "expected"), [("1", [True, False, False]), ("2", [True, True, False]), ("9", [True] * 3)]
)
def test_a_raised_limit_lets_as_many_go_on(limit: str, expected: list[bool]) -> None:
    rm = manager(root__a="1")
    numbers = submitted(rm, "ann a", "bob a", "cy a")
    assert rm.handle(SettingsChanged({f"{PREFIX}root.a.{LIMIT}": limit}), START_MS + 9000).rejected == ""
    assert running(rm, numbers) == expected
