"""The words of the screens: each term with its meaning and where it stands. Help lists them.

One thing has one word. A text that needs another word for a term of this table is wrong; `tests/tui/test_words.py`
forbids those that were in use.
"""

from typing import Final, NamedTuple


class Term(NamedTuple):
    """A word that the screens use in one meaning only."""

    term: str
    meaning: str
    where: str
    """Panes, pages and lines that use it."""


TERMS: Final = (
    Term("waits", "It asks for more than it has been given.", "header, Applications, w"),
    Term("asks", "The size and number of containers it still wants.", "Applications, strip, w"),
    Term("has", "The containers it holds, and their total.", "Applications, strip"),
    Term("holds", "It has containers, or nodes reserved, that others need.", "header, groups, w"),
    Term("reserved for", "The node gives nothing to others until this much is free on it.", "Nodes, Reservations"),
    Term("short", "Memory that a reservation still lacks on its node.", "Nodes, Reservations, groups"),
    Term("fair share", "Memory a queue is due, by weights and demand, at this instant.", "Queues"),
    Term("guarantee", "The part of the cluster a queue is promised.", "Queues"),
    Term("proof", "A copy was simulated with no new submissions, until nothing can happen any more.", "w, W, alerts"),
    Term("tried on a copy", "The act was done on a copy; the cluster itself is unchanged.", "w, W, questions"),
    Term("remedy", "An act that starts an application that waits.", "w, W, fix"),
    Term("similar", "Remedies that start the same applications at the same time.", "w, W, fix"),
    Term("at most", "The largest value was tried; a smaller one may be enough.", "w, W, fix"),
    Term("inevitable", "Without an act the outcome cannot change from then on.", "w, why"),
    Term("affected", "Applications an alert names; in a freeze all that wait.", "alerts"),
    Term("past", "An earlier instant is shown; the run itself stays where it is.", "header"),
    Term("branch", "The run continues from a past instant; what came after is dropped.", "B, u"),
    Term("mark", "An alert or an act on the pulse.", "pulse, { and }"),
    Term("twin", "A simulation made from a cluster or a recording, which may be changed.", "watch, logs"),
    Term("inferred", "A reason derived from figures that a live cluster reports.", "watch, w"),
)
