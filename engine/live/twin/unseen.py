"""What applications that have not begun will ask for: as others like them hold."""

from collections.abc import Mapping, Sequence
from statistics import median_low

from engine.live.twin.holdings import HeldByApplication
from engine.observe.snapshot import Amounts, ApplicationRow


def unseen_asks(rows: Sequence[ApplicationRow], holdings: HeldByApplication) -> Mapping[str, tuple[Amounts, int]]:
    """Application that has not begun → size and number of containers it will ask for.

    They are those of a running application of the same name (digits aside), else of the same type and queue, else of
    the same type: of several the one in the middle. Applications like which there is none are left out.

    Args:
        holdings: Application → what it holds.
    """
    begun: dict[tuple[str, ...], list[tuple[int, Amounts]]] = {}
    for row in rows:
        held = [each for each in holdings.get(row.id, ()) if not each.is_am]
        if row.state == "RUNNING" and held:
            usual = max(held, key=lambda each: each.count).size
            for kind in _kinds(row):
                begun.setdefault(kind, []).append((sum(each.count for each in held), usual))
    found = {}
    for row in rows:
        alike = next((begun[kind] for kind in _kinds(row) if kind in begun), None)
        if row.state != "RUNNING" and alike is not None:
            number, size = median_low(alike)
            found[row.id] = (size, number)
    return found


def _kinds(row: ApplicationRow) -> tuple[tuple[str, ...], ...]:
    """What it is like, the closest first: its name, its type and queue, its type.

    Digits of a name count for nothing, as jobs that come again and again are numbered.
    """
    stem = "".join(letter for letter in row.name if not letter.isdigit())
    return ("name", stem), ("queue", row.type, row.queue), ("type", row.type)
