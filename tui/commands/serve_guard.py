"""Decides who may ask and who may act: names of this server, web pages of others, the token of acts."""

import socket
from collections.abc import Collection
from hmac import compare_digest
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

ACTS: Final = frozenset({"PUT", "POST", "DELETE"})


class Guard:
    """Refuses what comes under a foreign name, from a foreign web page, or acts without the token."""

    def __init__(self, token: str | None, names: Collection[str]) -> None:
        """Let in by these rules.

        Acts have to bring the `token`; None lets anybody act. The server is known under `names`, beside addresses,
        `localhost` and this machine's name.
        """
        self._token = token
        self._names = {each.lower() for each in (*names, "localhost", socket.gethostname(), socket.getfqdn())}

    def refusal(self, request: HTTPConnection) -> tuple[int, str] | None:
        """Status and words of a question that is refused; None of one that is not."""
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if host is not None and not self._is_ours(_name(f"//{host}")):
            return 421, "this host is not served here; --host NAME adds a name"
        if origin is not None and urlsplit(origin).netloc != host:
            return 403, "web pages of other servers may not ask"
        if request.scope.get("method") in ACTS and not self._may_act(request):
            return 401, "acts need the token: -H 'Authorization: Bearer TOKEN'"
        return None

    def _is_ours(self, name: str) -> bool:
        """A name that DNS resolves may be anybody's; an address is where the client went."""
        try:
            ip_address(name)
        except ValueError:
            return name in self._names
        return True

    def _may_act(self, request: HTTPConnection) -> bool:
        if self._token is None:
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and compare_digest(given.strip().encode(), self._token.encode())


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""
