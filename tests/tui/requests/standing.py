"""A context without a screen: an app that remembers what is pushed, a main screen that remembers what it is told."""

from types import SimpleNamespace
from typing import Any

import msgspec

from tests.tui.fake_session import FakeSession
from tests.tui.small_run import now
from tui.picture import Picture, Track
from tui.requests.context import Context, Options
from tui.theme import StyleTable


class FakeApp:
    """Screens are a list; nothing is drawn, and works are done by hand."""

    def __init__(self, width: int = 80) -> None:
        self.screen_stack: list[Any] = [SimpleNamespace()]
        self.pushed: list[tuple[Any, Any]] = []
        self.works: list[Any] = []
        self.size = SimpleNamespace(width=width)

    @property
    def screen(self) -> Any:
        """The one on top."""
        return self.screen_stack[-1]

    def push_screen(self, screen: Any, answered: Any = None) -> None:
        """Remember it, and what is to be called with its answer."""
        self.pushed.append((screen, answered))

    def pop_screen(self) -> None:
        """Remember it."""
        self.pushed.append((None, None))

    def run_worker(self, work: Any) -> None:
        """Keep it."""
        self.works.append(work)


class FakeCluster:
    """A main screen: what is offered, killed and asked there."""

    def __init__(self, picture: Picture | None = None) -> None:
        self.offered: list[Any] = []
        self.asked: list[tuple[Any, Any]] = []
        self.killed: list[str] = []
        self.shown: list[Any] = []
        self.mounted: list[Any] = []
        self.may_kill, self.is_covered, self.is_mounted = True, False, True
        self.look = SimpleNamespace(time_ms=0)
        self.state = SimpleNamespace(picture=picture, muted=frozenset())
        self.undoing = SimpleNamespace(offer=self.offered.append)
        self.cluster_acts = SimpleNamespace(ask_queue_setting=lambda event, shares: self.asked.append((event, shares)))
        self.application_acts = SimpleNamespace(kill_named=self.killed.append)
        self.prompt = SimpleNamespace(is_open=False, say=lambda words, style: self.shown.append((words, style)))

    def may(self, call: str) -> bool:
        """As a test says."""
        return self.may_kill

    def tell(self, words: str, severity: str) -> None:
        """Remember it."""
        self.shown.append((words, severity))

    def show(self, picture: Picture) -> None:
        """Remember it."""
        self.state.picture = picture
        self.shown.append(picture)

    def show_definition(self, definition: Any) -> None:
        """Remember it."""
        self.shown.append(definition)


class Standing(Context):
    """A context of a fake session; whatever is told is remembered."""

    def __init__(self, session: Any = None, *, is_open: bool = True, width: int = 80, **options: Any) -> None:
        app: Any = FakeApp(width)
        super().__init__(app, msgspec.structs.replace(Options(), **options), StyleTable("dark"))
        self.fake_app: FakeApp = app
        self.session: Any = session if session is not None else FakeSession()
        self.told: list[tuple[str, str]] = []
        self.connection = self.session if is_open else None
        self.fake = FakeCluster(now(self.session.pictures.picture()) if isinstance(self.session, FakeSession) else None)
        cluster: Any = self.fake
        self.cluster = cluster if is_open else None

    def tell(self, words: str, severity: str = "information") -> None:
        """Remember it."""
        self.told.append((words, severity))


class Without(FakeSession):
    """A session that lacks a clock, acts and questions."""

    clock = acts = questions = None


def acted(*times_ms: int) -> FakeSession:
    """A session in whose past there were acts."""
    return FakeSession(track=Track(1_000, 1_000, (), dict.fromkeys(times_ms, "KillApplication")))


async def hand_over(requests: Any, event: Any) -> None:
    """Carry out one request."""
    await requests.routes()[type(event)](event)
