"""A transport that asks a server in process and, for episodes drawn at random, does what networks and servers do."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

import httpx

LOGIN: Final = "<html><body><form action='/login'>user <input name='user'></form></body></html>"
GOOD: Final = (20, 400)
"""(fewest, most) questions in a row that are answered as the server answers them."""
BAD: Final = (1, 12)
"""The same of those that are not."""
KINDS: Final = ("refused", "hung", "cut", "error", "login", "standby", "restarted", "skewed")
SKEWS_S: Final = (-7_200, -90, 0, 30, 3_600)
"""By how much the clock of the one who asks may be wrong [s]."""
TIMEOUT_S: Final = 10.0
"""How long a hung server is waited for."""


class FaultyTransport(httpx.AsyncBaseTransport):
    """Draws a kind of fault for a few questions, then lets many pass."""

    def __init__(self, server: httpx.AsyncBaseTransport, hand: Random, wait: Callable[[float], None]) -> None:
        """Begin with good ones.

        Args:
            server: Answers.
            hand: What faults are drawn with.
            wait: Lets so much time pass [s].
        """
        self._server, self._hand, self._wait = server, hand, wait
        self._left = hand.randint(*GOOD)
        self._kind = ""
        """The fault of the episode; empty while there is none."""
        self.is_calm = False
        """Whether nothing fails any more."""
        self.seen: Counter[str] = Counter()
        """Questions by the fault they met; under the empty name those that were answered."""
        self.skew_s = 0
        """By how much the clock of the one who asks is wrong now."""
        self.lives = 0
        """How often the server seemed to restart: it has another cluster timestamp since."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kind = "" if self.is_calm else self._next()
        self.seen[kind] += 1
        if kind == "refused":
            raise httpx.ConnectError("connection refused", request=request)
        if kind == "hung":
            self._wait(TIMEOUT_S)
            raise httpx.ReadTimeout("timed out", request=request)
        if kind == "error":
            return httpx.Response(500, text="<html>Internal Server Error</html>", request=request)
        if kind == "login":
            return httpx.Response(200, text=LOGIN, headers={"Content-Type": "text/html"}, request=request)
        if kind == "standby":
            return httpx.Response(307, text="This is standby RM. The redirect url is: /", request=request)
        response = await self._server.handle_async_request(request)
        body = await response.aread()
        if kind == "cut":
            body = body[: len(body) // 2]
        return httpx.Response(response.status_code, headers=_plain(response), content=self._renamed(body))

    def _next(self) -> str:
        """The fault that this question meets; an episode more begins when one is over."""
        if not self._left:
            self._kind = "" if self._kind else self._hand.choice(KINDS)
            self._left = self._hand.randint(*(BAD if self._kind else GOOD))
            if self._kind == "skewed":
                self.skew_s = self._hand.choice(SKEWS_S)
            self.lives += self._kind == "restarted"
        self._left -= 1
        return self._kind

    def _renamed(self, body: bytes) -> bytes:
        """The body of a server that has restarted: its timestamp, which is in every id, is another one."""
        if not self.lives or b'"startedOn":' not in body:
            return body
        begin = body.index(b'"startedOn":') + len(b'"startedOn":')
        end = body.index(b",", begin)
        return body[:begin] + str(int(body[begin:end]) + self.lives).encode() + body[end:]


def _plain(response: httpx.Response) -> dict[str, str]:
    """The headers that count, of a body that is unpacked."""
    return {name: response.headers[name] for name in ("content-type", "date") if name in response.headers}
