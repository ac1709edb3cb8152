"""How `schedlab watch` connects: whom it trusts."""

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Final

import httpx

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import read_file_text

TIMEOUT_S: Final = 10.0
"""How long a server may take for a connection, and between two parts of an answer."""


def connector(authority: Path | None, *, insecure: bool) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that trust what the user trusts.

    Raises:
        ConfigError: The file of certificates cannot be read.
    """
    context = ssl.create_default_context() if authority is None else _trusting(authority)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    limits = httpx.Limits(max_connections=2)
    return lambda: httpx.AsyncClient(verify=context, timeout=TIMEOUT_S, limits=limits, follow_redirects=False)


def _trusting(authority: Path) -> ssl.SSLContext:
    """What trusts the authorities of a file and no others.

    Raises:
        ConfigError: It holds no certificates.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError([Problem("holds no certificates in PEM form", str(authority), key="--ca")]) from None
    return context
