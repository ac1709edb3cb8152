"""How `schedlab watch` connects: whom it trusts."""

import ssl
from collections.abc import Callable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from pathlib import Path
from typing import Final

import httpx

from engine.errors import ConfigError, Problem
from engine.formats.regular_files import read_file_text

TIMEOUT_S: Final = 10.0
"""How long a server may take for a connection, and between two parts of an answer."""


def connector(authority: Path | None, *, insecure: bool, kerberos: bool = False) -> Callable[[], httpx.AsyncClient]:
    """Makes clients that trust what the user trusts, and log in as the user.

    Raises:
        ConfigError: The file of certificates cannot be read, or there is no library for Kerberos.
    """
    login = _login() if kerberos else None
    context = ssl.create_default_context() if authority is None else _trusting(authority)
    if insecure:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    limits = httpx.Limits(max_connections=2)
    return lambda: httpx.AsyncClient(
        verify=context,
        timeout=TIMEOUT_S,
        limits=limits,
        follow_redirects=False,
        auth=login,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # none is kept
    )


def _login() -> httpx.Auth:
    """Logs in by SPNEGO with the ticket that `kinit` got."""
    try:
        gssapi = import_module("httpx_gssapi")
    except (ImportError, OSError):  # the library is there without the Kerberos of the system
        hint = "pip install 'schedlab[kerberos]', which needs the Kerberos libraries of the system"
        raise ConfigError([Problem("needs httpx-gssapi", key="--kerberos", hint=hint)]) from None
    login: httpx.Auth = gssapi.HTTPSPNEGOAuth(opportunistic_auth=True)
    return login


def _trusting(authority: Path) -> ssl.SSLContext:
    """Makes a TLS context that trusts the authorities of a file and no others."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        text = read_file_text(authority).encode("ascii", "replace").decode("ascii")  # comments may be of other letters
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise ConfigError([Problem("holds no certificates in PEM form", str(authority), key="--ca")]) from None
    return context
