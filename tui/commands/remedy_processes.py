"""A search for remedies on the cores of this machine, as long as its time lasts."""

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import Annotated

import typer

from engine.explain.remedy_search import RemedySearch
from engine.explain.remedy_workers import shared
from engine.incremental import Task
from tui.commands.budget import Budget

WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="How many processes try; else one a core.")
]


def search_shared(
    search: RemedySearch, budget: Budget, workers: int | None = None, told: Callable[[], None] = lambda: None
) -> None:
    """Do a search until it is done or the budget is spent; `told` is called after each piece.

    One process is this one; the others start when a search takes longer.
    """
    others = (workers or os.cpu_count() or 1) - 1
    with ExitStack() as at_end:

        def make() -> Executor:
            from engine.sweep.executors import local_place  # noqa: PLC0415 -- only a long search pays for it

            place = local_place(others)
            _ = at_end.callback(place.end)
            return place.make()

        work = Task(shared(search, make, others))

        def advance() -> bool:
            told()
            return work.advance()

        _ = budget.spend(advance)
