"""The driver of a terminal: no byte that is typed can end the program, and no order of signals spoils the terminal.

Textual's driver stops with an error at bytes that are no UTF-8 and at sequences whose numbers mean nothing. Here they
are ignored, and so is a size that no terminal has. Textual's driver takes every SIGCONT for the end of a suspension of
its own and starts a second time; here it starts only what was stopped.
"""

import os
import re
import selectors
import signal
import termios
import tty
from codecs import getincrementaldecoder
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.color import Color
from textual.content import Content
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.message import Message

from tui.terminal.edges import CONTROLS, visible_line
from tui.terminal.format import IN_ASCII

# The edge through which every line of a screen goes to the terminal, and the words of its titles.
#
# Rows are drawn from texts in which `terminal_edge` has written control characters out. What textual's own widgets
# draw passes here as well, so that none is left. With `--ascii` every glyph becomes the character that stands for it,
# and whatever else is not ASCII `?`, users' own words included.


class ScreenEdge(LineFilter):
    """Takes control characters out of every line; the line stays as wide as it was."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments; where a control character takes a cell, it is `?`."""
        if all(words.isprintable() for words, _, _ in segments):
            return segments
        return [
            Segment(CONTROLS.sub(lambda found: "?" * cell_len(found[0]), words), style, control)
            for words, style, control in segments
        ]


def _in_ascii(words: str) -> str:
    """The words with glyphs in ASCII, and a `?` for each cell of any other character that is not.

    >>> _in_ascii("日报-daily"), _in_ascii("plain"), _in_ascii("12 × 89G → ▾")
    ('????-daily', 'plain', '12 x 89G > v')
    """
    if words.isascii():
        return words
    words = words.translate(IN_ASCII)
    return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in words)


class AsciiOnly(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(_in_ascii(words), style, control) for words, style, control in segments]


def literal(words: str) -> Content:
    """Words as they are: one line, and no markup of textual's in them."""
    return Content(visible_line(words))


PIECE: Final = 4096  # Most bytes read at once

PATIENCE_S: Final = 0.1  # How long bytes are waited for before the end of the program is looked for

WIDEST: Final = 2000
HIGHEST: Final = 1000  # The largest terminal [cells]; what reports a larger one is not believed

PASTE_BEGINS: Final = "\x1b[200~"
PASTE_ENDS: Final = "\x1b[201~"
LONGEST_PASTE: Final = 1_000_000  # What is pasted beyond is left out [characters]
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # What no paste has to say, escapes above all

_MEANINGLESS: Final = (ArithmeticError, LookupError, TypeError, ValueError, ParseError)
"""How textual's parser fails at numbers that stand for no character, cell or size."""


class TypedInput:
    """Turns bytes into textual's messages."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("ignore").decode
        self._parser = XTermParser()
        self._pasted: str | None = None  # What was pasted so far; None while nothing is

    def read(self, data: bytes) -> list[Message]:
        """Read more bytes; one that means nothing is ignored, with the sequence it belongs to."""
        found: list[Message] = []
        text = self._decode(data)
        while text:
            if self._pasted is None:
                typed, begins, text = text.partition(PASTE_BEGINS)
                found += self._typed(typed)
                self._pasted = "" if begins else None
                continue
            pasted, ends, rest = (self._pasted + text).partition(PASTE_ENDS)
            text, self._pasted = rest, None if ends else pasted[:LONGEST_PASTE]
            if ends:
                found.append(events.Paste(_CONTROL.sub("", pasted[:LONGEST_PASTE])))
        return [message for message in found if _is_believed(message)]

    def _typed(self, text: str) -> list[Message]:
        found: list[Message] = []
        for sign in text:
            try:
                found += self._parser.feed(sign)
            except _MEANINGLESS:
                self._parser = XTermParser()
        return found

    def wait(self) -> list[Message]:
        """Read the bytes so far as no more come: an escape that begins no sequence is the key."""
        try:
            return [message for message in self._parser.tick() if _is_believed(message)]
        except _MEANINGLESS:
            self._parser = XTermParser()
            return []


def _is_believed(message: Message) -> bool:
    if isinstance(message, events.Resize):
        return 0 < message.size.width <= WIDEST and 0 < message.size.height <= HIGHEST
    if isinstance(message, events.Key) and message.character is not None:
        return not any("\ud800" <= sign <= "\udfff" for sign in message.character)
    return True


class TolerantDriver(LinuxDriver):
    """Textual's driver for terminals, which ignores what means nothing and leaves the terminal as it found it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._is_wanted = False  # Whether the app has the terminal, or gets it back when the process goes on
        self._attrs_found: list[Any] | None = None  # The terminal's attributes before the app had it for the first time
        super().__init__(*args, **options)

    def start_application_mode(self) -> None:
        """Take the terminal; its attributes count as they were before the first time."""
        self._is_wanted = True
        super().start_application_mode()  # type: ignore[no-untyped-call]  # textual does not say what it returns
        if self._attrs_found is None:
            self._attrs_found = self.attrs_before
        else:
            self.attrs_before = self._attrs_found

    def stop_application_mode(self) -> None:
        self._is_wanted = False
        super().stop_application_mode()

    @property
    def _is_started(self) -> bool:
        return self._key_thread is not None and self._key_thread.is_alive()

    def _start_again(self) -> None:
        if self._is_wanted and not self._is_started:
            self.resume_application_mode()
            self._app.call_later(self._app.refresh, layout=True)

    def _sigtstp_application(self, *_: object) -> None:
        self._call_soon(self._stop)

    def _sigcont_application(self, *_: object) -> None:
        self._call_soon(self._continue)

    def _call_soon(self, handle: Callable[[], None]) -> None:
        """Let the loop handle a signal: it may have come while the app held the lock of what it writes to."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(handle)

    def _stop(self) -> None:
        """Stop the process as the kernel does by default: not where no shell could let it go on."""
        if self._is_started:
            self.suspend_application_mode()
            self._is_wanted = True
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        self._start_again()

    def _continue(self) -> None:
        """Draw anew: another program may have used the terminal meanwhile. What was typed stays."""
        if not self._is_started:
            self._start_again()
            return
        with suppress(termios.error):
            attrs = termios.tcgetattr(self.fileno)
            attrs[tty.LFLAG] = self._patch_lflag(attrs[tty.LFLAG])
            attrs[tty.IFLAG] = self._patch_iflag(attrs[tty.IFLAG])
            termios.tcsetattr(self.fileno, termios.TCSANOW, attrs)
        self.write("\x1b[?1049h\x1b[?25l")  # the other screen, without a cursor
        self._enable_mouse_support()
        self._enable_bracketed_paste()
        self._app.call_later(self._app.refresh, layout=True)

    def run_input_thread(self) -> None:
        typed = TypedInput()
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                data = self._read_some() if selector.select(PATIENCE_S) else b""
                if data is None:
                    return
                for message in typed.read(data):
                    self.process_message(message)
                for message in typed.wait():
                    self.process_message(message)

    def _read_some(self) -> bytes | None:
        try:
            return os.read(self.fileno, PIECE) or None
        except OSError:
            return None
