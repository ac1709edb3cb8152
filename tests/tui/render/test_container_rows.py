"""Containers and users, one line and one strip each, as plain text."""

from tests.tui import fake_holders, fakes
from tui.panes import container
from tui.panes.arrangement import SortFilter, parse
from tui.panes.field import APPLICATION, NODE, QUEUE, USER, Scope
from tui.panes.line import RenderContext

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)


def test_containers_are_filtered_by_their_fields() -> None:
    rows = fake_holders.held_cluster().containers()

    def kept(words: str) -> list[str]:
        chosen = parse(words, container.NOUN.criteria.fields)
        return [container.short_id(row.id) for row in rows if chosen.keeps(row, LOOK)]

    assert (kept("state:am"), kept("state:preempt"), kept("memory>8g"), kept("age>6m node:117.84")) == (
        ["1"],
        ["8"],
        ["2"],
        ["8"],
    )


def test_a_scope_keeps_exactly_what_belongs_to_it() -> None:
    row = fake_holders.container_row(1, "n1", queue="root.etl.daily")
    application = f"application_{fakes.TIMESTAMP}_183330"

    kept = [
        SortFilter(scope=Scope(kind, name)).keeps(row, container.NOUN.criteria, LOOK)
        for kind, name in (
            (QUEUE, "root.etl"),
            (QUEUE, "root.et"),
            (APPLICATION, application),
            (APPLICATION, application[:-1]),
            (NODE, "n1:45454"),
            (NODE, "n1"),
            (USER, "etl"),
            (USER, "et"),
        )
    ]

    assert kept == [True, False, True, False, True, False, True, False]
