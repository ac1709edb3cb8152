"""Why a server could not be asked, in a sentence each."""

import ssl

import httpx
import pytest

from engine.live.rest_client import failure_words, status_words


def caused(error: Exception, *, by: BaseException, how: str) -> Exception:
    setattr(error, how, by)
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx.ConnectTimeout("x"), "h cannot be reached: no connection in time"),
        (httpx.PoolTimeout("x"), "h cannot be reached: no connection in time"),
        (httpx.ReadTimeout("x"), "h does not answer in time"),
        (httpx.WriteTimeout("x"), "h does not answer in time"),
        (httpx.ConnectError("[Errno 111] Connection refused"), "h cannot be reached: connection refused"),
        (httpx.ConnectError("[Errno -5] No address"), "h cannot be reached: no address"),
        (httpx.ConnectError(""), "h cannot be reached: ConnectError"),
        (httpx.TooManyRedirects("x"), "h redirects again and again"),
        (httpx.RemoteProtocolError("x"), "h broke off its answer"),
        (httpx.InvalidURL("Bad port"), "h: bad port"),
        (httpx.InvalidURL("[Errno] Bad"), "h: [Errno] Bad"),
    ],
)
def test_a_failure_is_said_by_its_kind(error: Exception, words: str) -> None:
    assert failure_words("h", error) == words


@pytest.mark.parametrize("how", ["__cause__", "__context__"])
def test_a_certificate_that_is_not_trusted_is_said_however_deep_it_is(how: str) -> None:
    deep = caused(OSError("x"), by=ssl.SSLCertVerificationError("unknown"), how=how)
    words = "h: its certificate is not trusted by this machine (--ca FILE names the authority)"

    assert failure_words("h", caused(httpx.ConnectError("Failed"), by=deep, how=how)) == words
    other = caused(httpx.ConnectError("Failed"), by=ssl.SSLError("x"), how=how)
    assert failure_words("h", other) == "h cannot be reached: failed"


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, b"", "h wants a login (401); see --kerberos, and --token-file for acts"),
        (407, b"", "h wants a login (407); see --kerberos, and --token-file for acts"),
        (403, b"", "h forbids it (403)"),
        (404, b"<html>", "h answers 404"),
        (
            500,
            b'{"RemoteException": {"exception": "Full", "message": " no \\n room "}}',
            "h answers 500: Full: no room",
        ),
        (400, b'{"RemoteException": {"exception": "Full", "message": " "}}', "h answers 400: Full"),
    ],
)
def test_a_status_is_said_with_what_the_server_names(status: int, body: bytes, words: str) -> None:
    assert status_words("h", status, body) == words
