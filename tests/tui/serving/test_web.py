"""`schedlab web` without a browser: who gets in, what a page may do, what is kept and what is bounded."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.tui.serving.web_page import TOKEN, Site, python, site
from tui.cli.listening import is_loopback
from tui.serving.web_app import FILES
from tui.serving.web_program import ProcessLimits, environment_of


@pytest.fixture
async def there() -> AsyncIterator[Site]:
    """A server that the visitor has entered; two may be there."""
    async with site() as one:
        await one.enter()
        yield one


async def test_the_token_is_changed_into_a_cookie_and_leaves_the_address() -> None:
    """Without either there is no page; the cookie is hidden from scripts and other sites, and is not the token."""
    async with site() as there:
        without = await there.client.get("/")
        wrong = await there.client.get("/", params={"token": TOKEN + "x"})
        entered = await there.client.get("/", params={"token": TOKEN})
        page = await there.client.get("/")

    assert (without.status_code, wrong.status_code, page.status_code) == (401, 401, 200)
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert ("HttpOnly" in cookie, "SameSite=strict" in cookie, TOKEN in cookie) == (True, True, False)


async def test_the_page_asks_nobody_else(there: Site) -> None:
    """Its policy allows no other server, and of its own files none names one that it would fetch from."""
    answers = {name: await there.client.get(f"/{name}") for name in FILES}
    policy = answers[""].headers["content-security-policy"]

    assert {answer.status_code for answer in answers.values()} == {200}
    assert ("default-src 'none'" in policy, "frame-ancestors 'none'" in policy, "http" in policy) == (True, True, False)
    assert all(answer.headers["referrer-policy"] == "no-referrer" for answer in answers.values())
    ours = "".join(answers[name].text for name in ("", "page.css", "page.js"))
    assert re.findall(r"https?://|@import|url\(", ours) == []
    assert (await there.client.get("/web.py")).status_code == 404
    assert (await there.client.post("/")).status_code == 405
    assert (await there.client.get("/", headers={"Host": "evil.example"})).status_code == 421


@pytest.mark.parametrize(
    ("headers", "origin", "status"),
    [
        ({}, "http://evil.example", 403),
        ({}, "null", 403),
        ({}, None, 403),
        ({"Cookie": "schedlab-1=x"}, "", 401),
    ],
    ids=["foreign page", "page of nobody", "no page", "no pass"],
)
async def test_a_socket_that_is_not_of_the_page_is_refused(
    headers: dict[str, str], origin: str | None, status: int, there: Site
) -> None:
    cookie = "; ".join(f"{name}={text}" for name, text in there.client.cookies.items())
    named: Any = f"http://{there.address}" if origin == "" else origin
    with pytest.raises(InvalidStatus) as refused:
        async with connect(
            f"ws://{there.address}/socket", origin=named, additional_headers={"Cookie": cookie, **headers}
        ):
            pass

    assert refused.value.response.status_code == status


async def test_keys_reach_the_program_and_what_it_draws_the_page(there: Site) -> None:
    async with there.page() as page:
        await page.draws(b"ready")
        await page.send("keys", "größer")

        assert await page.draws("größer".encode()) == "größer".encode()


async def test_a_program_outlives_a_reload(there: Site) -> None:
    """The page gets the same one, with the modes its terminal has to have; somebody else's is not to be had."""
    async with there.page() as page:
        kind, run = await page.told()
        await page.draws(b"ready")
    async with there.page(run) as again:
        assert (kind, await again.told()) == ("run", ("run", run))
        await again.send("keys", "here")
        assert await again.draws(b"here") == b"\x1b[?1049h\x1b[?25lhere"
        async with there.page(run + "x") as stranger:
            assert (await stranger.told())[1] != run


async def test_a_second_window_of_a_program_takes_it_over(there: Site) -> None:
    async with there.page() as first:
        _, run = await first.told()
        async with there.page(run) as second:
            assert await second.told() == ("run", run)
            assert await first.told() == ("refused", "Another window shows this program now.")


async def test_who_types_nothing_for_too_long_is_told_and_ended(there: Site) -> None:
    async with there.page() as page:
        await page.draws(b"ready")
        there.wall.now += 1800
        await there.served.visits.look()

        words = "Nothing was typed for 30 minutes; the program was ended."
        assert await page.told() == ("ended", words)


@pytest.mark.parametrize("message", ['["keys", "' + "x" * 20_000 + '"]', '["act", "kill"]', "{", "[" * 10_000, '"x"'])
async def test_a_message_that_no_page_sends_ends_the_connection(message: str, there: Site) -> None:
    async with there.page() as page:
        await page.draws(b"ready")
        await page.wire.send(message)
        with pytest.raises(ConnectionClosed):
            await page.draws(b"never")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("bytearray(400_000_000)", b"MemoryError"),
        ("import os; os.write(os.open('/tmp', os.O_TMPFILE | os.O_WRONLY), b'x')", b"File too large"),
        ("import resource; print(resource.getrlimit(resource.RLIMIT_CPU)); raise OSError", b"(7, 7)"),
        ("import os; print(os.getsid(0) == os.getpid(), os.nice(0) >= 5); raise OSError", b"True True"),
    ],
    ids=["memory", "files", "time", "terminal of its own"],
)
async def test_a_program_is_confined(code: str, words: bytes) -> None:
    """In memory, in time of a processor, in what it may write; the page is told how it ended."""
    async with site(python(code), confines=ProcessLimits(256, 7, 0)) as there:
        await there.enter()
        async with there.page() as page:
            await page.draws(words)
            assert await page.told() == ("ended", "The program has ended with code 1.")


def test_a_program_gets_no_secrets_of_the_environment() -> None:
    own = {"PATH": "/bin", "LC_ALL": "C", "SCHEDLAB_THEME": "light", "AWS_SECRET_ACCESS_KEY": "x", "TERM": "dumb"}

    assert environment_of(own, {"SCHEDLAB_READ_ONLY": "true"}) == {
        "PATH": "/bin",
        "LC_ALL": "C",
        "SCHEDLAB_THEME": "light",
        "SCHEDLAB_READ_ONLY": "true",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }


@pytest.mark.parametrize(
    ("bind", "is_here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
     ("10.0.0.1", False), ("host", False)],
)  # fmt: skip
def test_loopback_is_what_only_this_machine_reaches(bind: str, is_here: bool) -> None:
    assert is_loopback(bind) is is_here
