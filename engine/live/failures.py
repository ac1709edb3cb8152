"""Names in one sentence each why a live cluster's server could not be asked."""

import re
import ssl
from typing import Final

import httpx
import msgspec

_NUMBER: Final = re.compile(r"^\[Errno -?\d+\] ")
"""The number of an error, which says nothing to people."""

_LOGIN: Final = frozenset({401, 407})


def failure_words(where: str, error: Exception) -> str:
    """Return why a request failed, in one sentence. `where` is `host:port` of the server."""
    if _is_untrusted(error):
        return f"{where}: its certificate is not trusted by this machine (--ca FILE names the authority)"
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return f"{where} cannot be reached: no connection in time"
    if isinstance(error, httpx.TimeoutException):
        return f"{where} does not answer in time"
    if isinstance(error, httpx.ConnectError):
        return f"{where} cannot be reached: {_reason(error)}"
    if isinstance(error, httpx.TooManyRedirects):
        return f"{where} redirects again and again"
    if isinstance(error, httpx.TransportError):
        return f"{where} broke off its answer"
    return f"{where}: {_reason(error)}"


def status_words(where: str, status: int, body: bytes) -> str:
    """Return why an answer with an error's status is none, in one sentence."""
    if status in _LOGIN:
        return f"{where} wants a login ({status}); see --kerberos, and --token-file for acts"
    if status == httpx.codes.FORBIDDEN:
        return f"{where} forbids it (403)"
    exception = remote_exception(body)
    return f"{where} answers {status}{f': {exception}' if exception else ''}"


class _Exception(msgspec.Struct, frozen=True):
    exception: str = ""
    message: str = ""


class _Body(msgspec.Struct, frozen=True):
    RemoteException: _Exception


def remote_exception(body: bytes) -> str:
    """The exception that an answer names, with its message; empty where it names none."""
    try:
        found = msgspec.json.decode(body, type=_Body).RemoteException
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    message = " ".join(found.message.split())
    return f"{found.exception}: {message}" if message else found.exception


def _is_untrusted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: Exception) -> str:
    text = _NUMBER.sub("", str(error))
    return text[:1].lower() + text[1:] if text else type(error).__name__
