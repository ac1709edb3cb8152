"""Values that belong nowhere, in every place of a scenario: checked, then played."""

import tomllib
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any, Final

import tomli_w

from engine.formats.scenario_toml import loads
from engine.run import Run
from engine.settings.capacity import CAPACITY_34
from engine.settings.fair import FAIR_34
from engine.settings.spark import SPARK as SPARK_SETTINGS
from tests.gates.attacks.samples import CAPACITY, SPARK, VALUES, YARN
from tests.gates.attacks.tally import SECONDS, Tally

PLAYED_MS: Final = 60_000
"""How much of each scenario that is accepted is played."""

SCHEDULERS: Final = {
    YARN: ("fair-2.7", "fair-3.4", "fifo", "fifo-3.4"),
    SPARK: ("spark",),
    CAPACITY: ("capacity-2.7", "capacity-3.4"),
}
"""Document → the schedulers it is tried with."""

CAPACITY_KEYS: Final = (
    *(key for key, entry in CAPACITY_34.whole.items() if entry.key.prefix),
    *(
        entry.key.of(queue)
        for queue in ("root", "root.a", "root.b", "root.b.c")
        for entry in CAPACITY_34.queue.values()
        if entry.listed
    ),
)


def attack(count: int, seed: int, longest_s: float = SECONDS) -> Tally:
    """Put values into scenarios; a scenario that is accepted must begin and go on."""
    random = Random(f"values {seed}")
    tally = Tally("values", longest_s)
    for number in range(count):
        text = random.choice((YARN, YARN, SPARK, CAPACITY, CAPACITY))
        document = tomllib.loads(text) | {"scheduler": random.choice(SCHEDULERS[text])}
        changes = [change(document, random) for _ in range(random.choice((1, 1, 1, 2, 3)))]
        tally.attempt(f"value {number} {'; '.join(changes)}", partial(check_and_play, document))
    return tally


def change(document: dict[str, Any], random: Random) -> str:
    """Put a value somewhere into a document; what was done, in words."""
    value = deepcopy(random.choice(VALUES))
    if random.random() < 0.25:
        path: tuple[str | int, ...] = ("settings", random.choice(_keys(str(document.get("scheduler")))))
    else:
        path = random.choice(list(places(document)))
    target: Any = document
    try:
        for key in path[:-1]:
            target = target[key]
        if value is None:
            del target[path[-1]]
        else:
            target[path[-1]] = value
    except (KeyError, IndexError, TypeError):
        return "nothing"  # a change before took the place away
    return f"{'.'.join(map(str, path))} = {str(value)[:40]!r}"


def _keys(scheduler: str) -> tuple[str, ...]:
    if scheduler == "spark":
        return tuple(SPARK_SETTINGS.whole)
    return CAPACITY_KEYS if scheduler.startswith("capacity") else tuple(FAIR_34.listed())


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything inside a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def check_and_play(document: dict[str, Any]) -> None:
    """Read a document; what is accepted begins without a refusal and is played for a while.

    Raises:
        ConfigError: It is refused.
        AssertionError: It is accepted, and then a run does not begin.
    """
    try:
        text = tomli_w.dumps(document)
    except (TypeError, ValueError):
        return  # nothing that TOML can say
    scenario = loads(text, "attack.toml")
    run = Run(scenario)
    run.advance(min(PLAYED_MS, run.until_ms))
