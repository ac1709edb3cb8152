"""Settings: what goes before what, and what is said of mistakes."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from engine.errors import ConfigError
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press
from tui.app import SchedlabApp
from tui.dialogs.forms import MenuScreen
from tui.keymap import key_name
from tui.settings import Given, UserSettings, ValueSource, resolve
from tui.terminal.palettes import BADGES, PALETTES
from tui.terminal.theme import THEMES, StyleTable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def _resolved(
    file: Path, text: str, flags: Mapping[str, Given | None] = MappingProxyType({}), /, **environment: str
) -> UserSettings:
    file.write_text(text, encoding="utf-8")
    return resolve(flags, file, environment)


def _problems(file: Path, text: str, **environment: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        _resolved(file, text, {}, **environment)
    return [str(problem).removeprefix(f"{file}:") for problem in refused.value.problems]


def test_a_flag_goes_before_a_variable_before_the_file_before_the_default(file: Path) -> None:
    found = _resolved(
        file,
        'paused = true\nascii = true\ntheme = "light"\n',
        {"theme": "16"},
        SCHEDLAB_THEME="none",
        SCHEDLAB_ASCII="no",
    )

    assert found.values["theme"] == ("16", ValueSource("flag", "-c theme"))
    assert found.values["ascii"] == (False, ValueSource("variable", "SCHEDLAB_ASCII"))
    assert found.values["paused"] == (True, ValueSource("file", str(file), 1))
    assert found.values["speed"] == (None, ValueSource("default"))


@pytest.mark.parametrize(
    ("text", "environment", "theme"),
    [
        ("", {"NO_COLOR": "1"}, "none"),
        ("", {"NO_COLOR": ""}, "dark"),
        ('theme = "light"', {"NO_COLOR": "1"}, "none"),
        ("", {"NO_COLOR": "1", "SCHEDLAB_THEME": "light"}, "light"),
    ],
)
def test_no_color_is_a_variable_that_names_the_plain_theme(
    text: str, environment: dict[str, str], theme: str, file: Path
) -> None:
    """It goes before the file; what names a theme goes before it; empty it is nothing."""
    assert _resolved(file, text, {}, **environment).text("theme") == theme


def test_every_problem_is_told_at_once_in_the_order_of_the_file(file: Path) -> None:
    text = 'asci = true\ntheme = "lihgt"\nspeed = "fast"\npaused = 1\n[keys]\nkil = "x"\ndrain = "ctrl+nope"\n'
    text += '[cluster.prod]\nurll = "rm1:8088"\n'

    assert _problems(file, text) == [
        "1: asci: no such setting (did you mean ascii?)",
        "2: theme: no theme lihgt (did you mean light?)",
        "3: speed: 'fast' is not a speed (a number from 0, and 0 is flat out)",
        "4: paused: 1 is neither true nor false",
        "6: keys.kil: no such action (did you mean kill?)",
        '7: keys.drain: \'ctrl+nope\' is not a key, nor a list of keys (as in "x", "+", "f5", "ctrl+x", ["K", "f9"])',
        '8: cluster.prod: Object missing required field `url` ([cluster.prod] url = "http://rm1:8088")',
        "9: cluster.prod.urll: no such setting (did you mean url?)",
    ]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"theme = \n", "1: is not TOML"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"keys = 3", "1: keys: is not a table"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, "is nested too deeply"),
        (b"[theme]\na = 1", "1: theme: no theme"),
        (b"[settings]\na = 1", "1: settings: no such setting"),
    ],
)
def test_a_broken_file_is_one_clear_problem(content: bytes, complaint: str, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(ConfigError) as refused:
        resolve({}, file, {})

    assert complaint in str(refused.value)


def test_keys_can_be_given_to_actions(file: Path) -> None:
    found = _resolved(file, '[keys]\nkill = ["f12", "F9"]\npane.next = "f13"\n"tick.event" = "f11"\n')
    keys = {action.id: action.keys for action in found.registry}

    assert (keys["kill"], keys["pane.next"], keys["tick.event"]) == (("f12", "f9"), ("f13",), ("f11",))
    assert found.keys["pane.next"].source.line == 3


def test_a_key_that_is_taken_is_refused(file: Path) -> None:
    """With the action that has it, and its line where the user put it there."""
    taken, both, again = _problems(file, '[keys]\nkill = "p"\nsubmit = "f13"\ndrain = "f13"\n')

    assert taken == (
        "2: keys.kill: the key p is taken by pause: Stop the clock, or let it run. "
        "(give pause another key, or choose one)"
    )
    assert (both.startswith("3: keys.submit: the key F13 is taken by keys.drain (line 4)"), again[:2]) == (True, "4:")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("K", "K"),
        ("f9", "f9"),
        ("F12", "f12"),
        ("PgUp", "pageup"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        ("-", "minus"),
        (",", "comma"),
        ("/", "slash"),
        ("@", "at"),
        ("}", "right_curly_bracket"),
        ("Ctrl+S", "ctrl+S"),
        ("shift+tab", "shift+tab"),
        ("space", "space"),
        ("f99", None),
        ("super+x", None),
        ("", None),
        ("\n", None),
    ],
)
def test_keys_are_read_as_people_write_them(written: str, name: str | None) -> None:
    assert key_name(written) == name


def test_the_example_of_the_manual_is_taken(file: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "guides" / "team.md"
    example = page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]

    assert _resolved(file, example).text("theme") == "colour-blind"


# Looks: every palette is complete and readable.

LEAST = 4.5
"""Contrast of text. Source: WCAG 2.2, success criterion 1.4.3."""
LEAST_OF_BLUE = 4.1
"""Likewise of `data` in `16`, where the terminal decides what its own bright blue is."""
WORDS = ("text", "soft", "faint", "strong", "accent", "alarm", "watch", "good", "data", "held")
"""Tokens words are written in."""
SURFACES_OF_WORDS = ("bg", "panel", "raise", "fill")

VGA = (
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
    "#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
)  # fmt: skip
COLOURED = [name for name in PALETTES if name != "none"]
TRUE_COLOURS = [name for name in COLOURED if name != "16"]


def _luminance(color: Color) -> float:
    parts = [part / 255 for part in color.rgb]
    red, green, blue = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, by the usual formula."""
    light, dark = sorted((_luminance(Color.parse(one)), _luminance(Color.parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _ratio(style: Style, terminal: tuple[str, ...]) -> float:
    """The contrast of a style's words with what is behind them, on a terminal with these sixteen colours."""
    assert style.color is not None
    assert style.bgcolor is not None
    front, back = [
        terminal[colour.number] if colour.number is not None else colour.get_truecolor().hex
        for colour in (style.color, style.bgcolor)
    ]
    return contrast(front, back)


@pytest.mark.parametrize("back", SURFACES_OF_WORDS)
@pytest.mark.parametrize("palette", TRUE_COLOURS)
def test_words_can_be_read(palette: str, back: str) -> None:
    """Every token words are written in has a contrast of at least 4.5, also in the cursor row and under a plot."""
    ratios = {front: _ratio(StyleTable(palette)[f"{front} on {back}"], VGA) for front in WORDS}

    assert {front: ratio for front, ratio in ratios.items() if ratio < LEAST} == {}


@pytest.mark.parametrize("badge", BADGES)
@pytest.mark.parametrize("palette", TRUE_COLOURS)
def test_badges_can_be_read(palette: str, badge: str) -> None:
    assert _ratio(StyleTable(palette)[f"bold onbadge on {badge}"], VGA) >= LEAST


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.ansi], ids=lambda theme: theme.name)
def test_dialogs_can_be_read(theme: Theme) -> None:
    """Words, titles and warnings of dialogs have a contrast of at least 4.5 with what they lie on."""
    fronts = [theme.foreground, theme.secondary, theme.accent, theme.warning, theme.error, theme.success]
    ratios = {
        (front, back): contrast(str(front), str(back)) for front in fronts for back in (theme.background, theme.panel)
    }

    assert {pair: ratio for pair, ratio in ratios.items() if ratio < LEAST} == {}


def _mixed(one: str, other: str) -> float:
    """How far apart two colours are for somebody who does not tell red from green: blue and brightness remain."""
    first, second = Color.parse(one), Color.parse(other)
    brightness = abs(_luminance(first) - _luminance(second))
    return brightness + abs(first.b - second.b) / 255


def test_states_differ_without_red_and_green() -> None:
    """In the palette for colour-blind people good, the second degree and the alarm differ in brightness or blue."""
    front = PALETTES["colour-blind"]
    pairs = [("good", "watch"), ("good", "alarm"), ("watch", "alarm")]

    assert [pair for pair in pairs if _mixed(front[pair[0]], front[pair[1]]) < 0.25] == []


@pytest.mark.parametrize("key", ["1", "S", "K", "question_mark"])
async def test_sixteen_colours_never_lie_on_the_terminals_own_background(key: str) -> None:
    """It may be as light as the words: every cell with a colour has one behind it, in dialogs too."""
    app = SchedlabApp(FakeSession(), palette="16")
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, key)
        segments = [segment for strip in app.screen._compositor.render_strips() for segment in strip]

    bare = [
        segment.text
        for segment in segments
        if (style := segment.style) is not None
        and style.color is not None
        and not style.color.is_default
        and (style.bgcolor is None or style.bgcolor.is_default)
    ]
    assert bare == []


@pytest.mark.parametrize("key", ["1", "S", "K"])
@pytest.mark.parametrize("palette", COLOURED)
async def test_every_word_on_screen_can_be_read(palette: str, key: str) -> None:
    """Whatever is written on what: panes, strips, dialogs, buttons, fields; what a dialog covers is dim."""
    app = SchedlabApp(FakeSession(), palette=palette)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, key)
        segments = _segments_of_top(app)

    ratios = {
        (segment.text.strip(), str(segment.style)): _ratio(segment.style, VGA)
        for segment in segments
        if segment.style is not None and any(sign.isalnum() for sign in segment.text)
    }
    least = LEAST_OF_BLUE if palette == "16" else LEAST
    assert {where: round(ratio, 2) for where, ratio in ratios.items() if ratio < least} == {}


def _segments_of_top(app: SchedlabApp) -> list[Segment]:
    """What is drawn of the topmost screen; of a dialog only its box."""
    screen = app.screen
    strips = screen._compositor.render_strips()
    if not screen.is_modal:
        return [segment for strip in strips for segment in strip]
    box = screen.children[0].region
    return [segment for strip in strips[box.y : box.bottom] for segment in strip.crop(box.x, box.right)]


def test_without_colour_weight_and_reverse_remain() -> None:
    """The alarm is bold, its badge reversed, and a token for values is nothing at all."""
    table = StyleTable("none")

    assert (table["alarm"], table["bold onbadge on alarm"]) == (Style(bold=True), Style(bold=True, reverse=True))
    assert table["data on fill"] == Style()


# Another theme while the program runs: everything is drawn anew, dialogs too, and what was tried can be taken back.


def _app(palette: str = "dark", **options: Any) -> SchedlabApp:
    return SchedlabApp(FakeSession(), palette=palette, **options)


def _segments(app: SchedlabApp) -> list[Segment]:
    return [segment for strip in app.screen._compositor.render_strips() for segment in strip]


def _drawn(app: SchedlabApp) -> list[tuple[str, str]]:
    """Every cell with its style, as a terminal gets it."""
    return [(sign, str(segment.style)) for segment in _segments(app) for sign in segment.text]


@pytest.mark.parametrize(
    ("first", "theme"), [*(("dark", theme) for theme in PALETTES if theme != "dark"), ("none", "dark"), ("16", "light")]
)
async def test_a_theme_chosen_looks_as_one_begun_with(first: str, theme: str) -> None:
    """Cell by cell: panes, borders, tabs, hints; only what is told of it differs, and goes."""
    began, switched = _app(theme), _app(first)
    async with began.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        wanted = _drawn(began)
    async with switched.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *f"theme {theme}", "enter")
        assert switched.cluster is not None
        switched.cluster.frame.answer("escape", is_typed=True)
        await pilot.pause()
        found = _drawn(switched)

    assert found == wanted


async def test_themes_are_tried_while_one_looks_for_one() -> None:
    """The key F2 opens the menu at the theme in use; moving tries, esc takes it back, enter keeps it."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "f2")
        opened = isinstance(app.screen, MenuScreen)
        await press(pilot, "down")
        tried, background = app.colours.palette, app.screen_stack[-2].styles.background
        await press(pilot, "escape")
        back = app.colours.palette
        await press(pilot, "f2", "down", "down", "enter")
        kept = app.colours.palette

    assert (opened, tried, back, kept) == (True, "light", "dark", "high-contrast")
    assert background == Color.parse(PALETTES["light"]["bg"])
