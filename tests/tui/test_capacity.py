"""The app before a CapacityScheduler, on packaged scenarios with the clock standing."""

import re

from tests.tui.screen_text import screen_text
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import MenuScreen
from tui.screens.page import HelpScreen


def keys(words: str) -> list[str]:
    names = {" ": "space", ".": "full_stop", "-": "minus", "=": "equals_sign", "_": "underscore"}
    return [names.get(sign, sign) for sign in words]


async def test_the_reservation_rule_is_offered_nowhere() -> None:
    """A thing of FairScheduler: not in the hints, the menu of acts, the help or the commands; its key says why."""
    app = SchedlabApp(by_hand("prod-dev-capacity", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        hints = screen_text(app).splitlines()[-1]
        await pilot.press("a")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        offered = [choice.value for choice in menu.choices]
        await pilot.press("escape", "question_mark")
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        helped = shown.text
        await pilot.press("escape", "R")
        await pilot.pause()
        said = screen_text(app).splitlines()[-1]

    assert ("K kill" in hints, "resv" in hints) == (True, False)
    assert ("cluster_acts.toggle_preemption" in offered, "cluster_acts.cycle_reservation" in offered) == (True, False)
    assert ("reservation rule" in helped, "strict" in helped) == (False, False)
    assert "no reservation rule to change" in said


async def test_a_limit_is_tried_and_changed_by_a_command() -> None:
    app = SchedlabApp(by_hand("capacity-am-limit", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("colon", *keys("set queue.root.default.maximum-am-resource-percent 0.5"), "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await pilot.press("y")
        await pilot.pause()
        shown = screen_text(app)

    assert "AM limit of memory, before and after:" in words
    assert "root.default       7G ->     32G" in words
    assert "maximum-am-resource-percent of root.default is 0.5." in shown


async def test_the_form_takes_a_capacity_with_that_of_its_sibling() -> None:
    app = SchedlabApp(by_hand("capacity-user-limit", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("2", "j", "E", "down", *keys("40"), "enter")
        await pilot.pause()
        alone = screen_text(app)
        await pilot.press(*keys(" etl=60"), "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)

    assert "apacit" in alone
    assert "guaranteed of memory, before and after:" in dialog.words


async def test_queues_stand_in_each_partition_and_a_key_or_a_command_narrows_them() -> None:
    """The root of each is its head; a queue without access says so. `i` goes from one to the next, esc to all."""
    app = SchedlabApp(by_hand("node-labels-capacity", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("2", "f")
        await pilot.pause()
        every = _rows(screen_text(app))
        await pilot.press("i", "i")
        await pilot.pause()
        gpu = screen_text(app)
        await pilot.press("colon", *keys("partition none"), "enter")
        await pilot.pause()
        unknown = screen_text(app).splitlines()[-1]
        await pilot.press("colon", *keys("partition default"), "enter")
        await pilot.pause()
        default = _rows(screen_text(app))
        await pilot.press("escape", "escape", "f")
        await pilot.pause()
        back = _rows(screen_text(app))

    assert every == [
        ">default 32G 32G 32G 1 0+1", "office 32G 16G 32G 1 0+1", "research 0 16G 32G 0 0",
        "gpu 8G 16G 16G 1 0", "office no access", "research 8G 16G 16G 1 0",
    ]  # fmt: skip
    assert ("partition:gpu" in gpu, _rows(gpu)) == (True, [f">{every[3]}", *every[4:]])
    assert "There is no partition none; there is default, gpu." in unknown
    assert (default, back) == (every[:3], every)


async def test_every_figure_says_of_which_partition_it_is() -> None:
    """A meter for each, nodes below the name of theirs with its sums, the strip of a queue with each partition."""
    app = SchedlabApp(by_hand("node-labels-capacity", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2", "down")
        await pilot.pause()
        office = screen_text(app)
        await pilot.press("3", "end")
        await pilot.pause()
        node = screen_text(app)

    meters = " ".join(office.splitlines()[2].split())
    assert meters.startswith(f"default {'=' * 16} 100% 32G of 32G gpu {'=' * 8}{'-' * 8} 50% 8G of 16G running 2")
    assert "default  8G/8c each; 32G used, 0 free" in office
    assert "gpu  8G/8c each; 8G used, 8G free" in office
    assert ("3 Nodes  4 default  2 gpu" in office, "in gpu   no access" in office) == (True, True)
    assert "partition gpu" in node


def _rows(screen: str) -> list[str]:
    """The rows of the pane of queues, without what its meters are drawn with."""
    inside = screen.splitlines()[6:]
    lines = [
        re.sub(r"[|*]|[-=]{2,}[-=|]*", " ", line)
        for line in inside[: next(n for n, x in enumerate(inside) if not x.strip("| "))]
    ]
    return [" ".join(line.split()) for line in lines]
