"""Signals that end the program: in order, and only those that somebody wants heard."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from tui.terminal.edges import END_SIGNALS, end_at_once, ended_by_signals, ending, heard, listening


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in END_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", END_SIGNALS)
def test_a_signal_ends_the_program_by_its_number(number: signal.Signals) -> None:
    """With 128 + n, as an exit that cleans up; afterwards, when all is done, without a word."""
    with pytest.raises(SystemExit) as ended, ended_by_signals():
        os.kill(os.getpid(), number)

    assert ended.value.code == 128 + number
    assert {signal.getsignal(each) for each in END_SIGNALS} == {signal.SIG_DFL}


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with ended_by_signals(), listening() as interruption:
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.SIGHUP not in heard()
    end_at_once()

    assert (interruption.came(), signal.getsignal(signal.SIGHUP)) == (False, signal.SIG_IGN)


def test_a_run_is_ended_between_two_instants_and_at_once_the_second_time() -> None:
    with ended_by_signals(), listening() as interruption:
        os.kill(os.getpid(), signal.SIGINT)
        assert (interruption.came(), interruption.signal) == (True, signal.SIGINT)
        with pytest.raises(SystemExit):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", END_SIGNALS)
async def test_a_running_loop_hears_of_a_signal(number: signal.Signals) -> None:
    before, came = signal.getsignal(number), asyncio.Queue[int]()
    with ending(came.put_nowait):
        os.kill(os.getpid(), number)
        first = await came.get()

    assert (first, signal.getsignal(number)) == (number, before)


async def test_the_second_signal_ends_a_running_loop_at_once() -> None:
    with ended_by_signals(), ending(lambda number: None):
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        with pytest.raises(SystemExit) as ended:
            os.kill(os.getpid(), signal.SIGINT)

    assert ended.value.code == 128 + signal.SIGINT
