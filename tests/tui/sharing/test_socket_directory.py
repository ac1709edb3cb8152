"""Where shared sessions are found: for their owner alone, and without what programs left behind."""

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest

from engine.errors import ConfigError
from tests.invoke import said
from tui.sharing.link import READER, Denied, framed, greet
from tui.sharing.socket_directory import (
    SOCKET,
    SharedSessionEntry,
    address_in,
    find,
    is_alive,
    make_private,
    open_door,
    read_private,
    read_token,
    shared_names,
    write_private,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def test_socket_and_token_are_their_owners_alone(folder: Path) -> None:
    opened = open_door(folder, "quiet-shift")
    modes = [path.stat().st_mode & 0o777 for path in (folder, opened.address.socket, opened.address.token)]
    token = read_token(opened.address)
    opened.close()

    assert modes == [0o700, 0o600, 0o600]
    assert token == opened.token
    assert len(token) >= 32
    assert list(folder.iterdir()) == []


def test_a_second_session_of_a_name_gets_another(folder: Path) -> None:
    first, second = open_door(folder, "a b/../c"), open_door(folder, "a b/../c")
    names = shared_names(folder)
    first.close()
    only = find(folder, None, print)
    second.close()

    assert names == ["a-b-..-c", "a-b-..-c-2"]
    assert only == second.address


def test_several_sessions_are_listed(folder: Path) -> None:
    doors = [open_door(folder, "quiet-shift"), open_door(folder, "nothing-starts")]
    with pytest.raises(ConfigError, match=r"several sessions are shared .there are nothing-starts, quiet-shift"):
        _ = find(folder, None, print)
    with pytest.raises(ConfigError, match=r"no session is shared as 'quiet-shft' .*quiet-shift"):
        _ = find(folder, "quiet-shft", print)

    assert find(folder, "quiet-shift", print) == doors[0].address
    for door in doors:
        door.close()


def test_a_socket_that_nobody_listens_at_is_said_and_removed(folder: Path) -> None:
    for name in ("left", "again"):
        opened = open_door(folder, name)
        opened.listening.close()
    again = open_door(folder, "again")
    said: list[str] = []
    found = find(folder, None, said.append)

    assert (again.address.name, found) == ("again", again.address)
    assert said == ["left was left over from a program that has ended; it is removed"]
    assert shared_names(folder) == ["again"]
    again.close()


@pytest.mark.parametrize("mode", [0o701, 0o702, 0o704, 0o710, 0o720, 0o740])
def test_a_folder_that_others_can_use_is_refused(folder: Path, mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    for use in (lambda: open_door(folder, "x"), lambda: find(folder, None, print)):
        with pytest.raises(ConfigError, match=r"is not a folder of yours alone .chmod 700"):
            _ = use()


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(tmp_path / "mine")
    with pytest.raises(ConfigError, match=r"is not a folder of yours alone"):
        _ = open_door(tmp_path / "run", "x")


def test_a_path_too_long_for_a_socket_is_refused(tmp_path: Path) -> None:
    """With what to do about it; one of 100 bytes is not too long."""
    shortest = tmp_path / "x" / f"x{SOCKET}"
    folder = tmp_path / ("x" * (101 - len(os.fsencode(shortest))))
    open_door(folder, "x").close()
    with pytest.raises(ConfigError, match=r"too long .set XDG_RUNTIME_DIR"):
        _ = open_door(folder, "xx")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("x" * 41, "x" * 40), ("..a.b-", "a.b"), ("/tmp/a  b", "tmp-a-b"), ("///", "session"), ("", "session")],
)
def test_a_name_is_made_of_at_most_40_plain_characters(
    tmp_path_factory: pytest.TempPathFactory, wanted: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("n") / "a" / "b"
    opened = open_door(folder, wanted)
    opened.close()

    assert opened.address == address_in(folder, name)


def test_a_session_with_more_visitors_than_it_takes_at_once_is_alive(folder: Path) -> None:
    opened = open_door(folder, "x")
    opened.listening.listen(0)
    with ExitStack() as visitors:
        for _ in range(3):
            visitor = visitors.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            visitor.setblocking(False)
            with suppress(BlockingIOError):
                visitor.connect(str(opened.address.socket))

        assert is_alive(opened.address)
    opened.close()
    assert not is_alive(opened.address)


def answering(opened: SharedSessionEntry, answer: bytes) -> Thread:
    def speak() -> None:
        visitor, _ = opened.listening.accept()
        with visitor:
            _ = visitor.recv(4096)
            visitor.sendall(answer)

    speaker = Thread(target=speak)
    speaker.start()
    return speaker


@pytest.mark.parametrize("answer", [b"\x00\x00\x00\x09220 hello", b"", b"\xff"])
def test_an_answer_of_another_program_is_said(folder: Path, answer: bytes) -> None:
    opened = open_door(folder, "x")
    speaker = answering(opened, answer)
    with pytest.raises(ConfigError, match="its answer is none of this program's"):
        _ = greet(opened.address, READER)
    speaker.join()
    opened.close()


def test_whom_a_session_denies_reads_its_words(folder: Path) -> None:
    opened = open_door(folder, "x")
    speaker = answering(opened, framed(Denied("another instructor is there.")))
    with pytest.raises(ConfigError, match=r"^x: another instructor is there$"):
        _ = greet(opened.address, READER)
    speaker.join()
    opened.close()


def test_several_that_begin_at_once_all_begin(folder: Path) -> None:
    with ThreadPoolExecutor(5) as pool:
        doors = list(pool.map(lambda _: open_door(folder, "one"), range(5)))

    names = sorted(each.address.name for each in doors)
    for each in doors:
        each.close()
    assert names == ["one", "one-2", "one-3", "one-4", "one-5"]


# What carries a token: a folder of the user's alone, files that no planted link leads elsewhere.


def test_a_private_file_is_new_and_its_owners(tmp_path: Path) -> None:
    """Neither a file nor a link that is there is written through; others can do nothing with it."""
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_text("mine")
    link.symlink_to(victim)

    for taken in (victim, link):
        with pytest.raises(FileExistsError):
            write_private(taken, "token")
    write_private(tmp_path / "new", "token")

    assert (victim.read_text(), (tmp_path / "new").stat().st_mode & 0o777) == ("mine", 0o600)
    assert read_private(tmp_path / "new") == "token"


def test_what_others_made_is_not_read(tmp_path: Path) -> None:
    """A link, and a file that others can write."""
    write_private(tmp_path / "kept", "token")
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "open").write_text("token")
    (tmp_path / "open").chmod(0o666)

    for name in ("link", "open"):
        with pytest.raises(OSError, match=r"link|alone"):
            read_private(tmp_path / name)


@pytest.mark.parametrize("text", ["{}", "[]", '{"url": 5, "token": "x"}', "", "\xff"])
def test_a_place_of_another_shape_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`schedlab yarn` says which file, and ends with 2."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    make_private(tmp_path / "schedlab")
    write_private(tmp_path / "schedlab" / "x-1.rm.json", text)

    done = said("", ["yarn", "node", "-list"])

    assert (done.exit_code, "does not say where a drill is served" in done.stderr) == (2, True)
