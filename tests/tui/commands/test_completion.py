"""Words a shell is offered: from the index where it has them, else from the function that the command names."""

import subprocess
import sys

import pytest

from tui.cli.completion import offered


def _offered(verb: str, *words: str) -> list[str]:
    return [word for word, _ in offered(verb, words[:-1], words[-1])]


@pytest.mark.parametrize(
    ("verb", "words", "found"),
    [
        ("drill", ("pl",), ["play"]),
        ("drill", ("play", "quiet"), ["quiet-shift"]),
        ("drill", ("play", "quiet-shift", "qu"), []),
        ("scenario", ("check", "fair-order", "fair-two-users-"), ["fair-two-users-3.4"]),
        ("why", ("reservation-deadlock", "--app", "18335"), ["183351", "183354", "183358"]),
        ("why", ("reservation-deadlock", "--node", "10.120.117.84"), ["10.120.117.84"]),
        ("why", ("reservation-deadlock", "--queue", "root.et"), ["root.etl"]),
        ("why", ("--app", "183354", "reservation-deadlock", "--at", "1"), ["14:00:00", "14:30:00"]),
        ("why", ("reservation-deadlock", "--remedies", "--p"), ["--priority"]),
        ("play", ("fair-order", "--until", "09:0"), ["09:00:00", "09:06:00"]),
        ("settings", ("--theme", "li"), ["light"]),
        ("play", ("fair-order", "--journal", "x"), []),
        ("drill", ("nothing", "x"), []),
    ],
)
def test_words_are_those_that_may_stand_there(verb: str, words: tuple[str, ...], found: list[str]) -> None:
    assert _offered(verb, *words) == found


def test_what_the_index_knows_loads_no_engine() -> None:
    code = (
        "import sys; from tui.cli.completion import offered;"
        "print(len(offered('why', ['reservation-deadlock', '--app'], '1833')), 'engine' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split()[1:] == ["False"]
    assert int(done.stdout.split()[0]) > 3
