"""What the twin of a cluster advises: that it is frozen, and the best remedy in the time there is."""

from typing import Any

from tests.tui.answered import helped
from tests.tui.session.test_live_twins import FakeTwins, broken
from tui.answers import OpenQuestion, WhySubject
from tui.session.advice import FROZEN, advice_of, best_remedy, freeze_words
from tui.session.live_questions import FOREVER
from tui.session_protocol import OpenTwin


async def test_a_freeze_is_proved_by_a_twin_in_which_all_runs_on() -> None:
    """Nothing is said where something starts, or none can be made."""
    frozen, moves, none = FakeTwins(frozen=True), FakeTwins(), FakeTwins(broken())

    assert [await freeze_words(each) for each in (frozen, moves, none)] == [FROZEN, "", ""]
    assert frozen.words == moves.words == [FOREVER]
    assert await advice_of(lambda: frozen).freeze() == FROZEN


async def test_the_best_remedy_is_looked_for_until_its_time_is_over() -> None:
    """What was found by then is told, and the question is let go."""
    twins = FakeTwins()
    seconds = iter((0.0, 9.9, 9.99, 10.0))

    async def open_told(words: str) -> OpenTwin:
        opened = await FakeTwins.open(twins, words)
        session = twins.made[-1]
        ask = session.ask

        async def asked(subject: WhySubject) -> Any:
            found = await ask(subject)
            session.asked[-1].more = _Telling(session.asked[-1])  # type: ignore[method-assign]  # tells at once
            return found

        session.ask = asked  # type: ignore[method-assign]  # what is asked is told more at once
        return opened

    twins.open = open_told  # type: ignore[method-assign]  # as above
    words = await best_remedy(twins, "nobody", 10.0, lambda: next(seconds))

    assert twins.words == [FOREVER]
    assert twins.calls() == [["close"]]
    assert words == (
        "kill 183342 etl-183342: starts 09:01:01 if, frees 60G/15c and 1 reservation, loses 15 containers"
        " (of 2 tried on the twin of 09:01:00, where what has no known end runs on)"
    )


class _Telling:
    """Tells what helped, and works on for ever."""

    def __init__(self, question: Any) -> None:
        self._question = question

    async def __call__(self) -> Any:
        """Once more."""
        self._question.tell(helped(), doing="trying remedies")
        return self._question.answer


async def test_no_remedy_is_told_where_no_twin_can_be_made() -> None:
    """Nor is anything raised."""
    twins = FakeTwins(broken())

    assert await best_remedy(twins, "nobody") == await advice_of(lambda: twins).remedy("nobody") == ""


async def test_the_end_of_the_holder_is_named_beside_the_best() -> None:
    """Where it helps and is not the best itself; the end of another application, and another remedy of its, are not."""
    twins = FakeTwins()
    found = helped()
    first = found["remedies"][0]
    others = [
        {**first, "number": 2, "application": "other"},
        {**first, "number": 3, "kind": "move", "application": "holder"},
        {**first, "number": 4, "application": "holder", "loses": {"containers": 0, "seconds": 0}},
        {**first, "number": 5, "application": "holder"},
    ]

    async def open_told(words: str) -> OpenTwin:
        opened = await FakeTwins.open(twins, words)
        session = twins.made[-1]
        ask = session.ask

        async def asked(subject: WhySubject) -> Any:
            _ = await ask(subject)
            session.asked[-1].tell({**found, "remedies": [first, *others]}, doing="")
            return OpenQuestion(0, session.asked[-1].answer)

        vars(session).update(ask=asked)
        return opened

    vars(twins).update(open=open_told)
    words = await best_remedy(twins, "holder", 10.0, lambda: 0.0)

    one = "kill 183342 etl-183342: starts 09:01:01 if, frees 60G/15c and 1 reservation, loses"
    assert words.partition(" (of ")[0] == f"{one} 15 containers; or {one} nothing"
