"""The folder of everything that carries a token or a socket; only its owner may go there.

It is `$XDG_RUNTIME_DIR/schedlab`, else a folder of the user's in that for temporary files. Owner and mode are checked
at every use, files are made anew (`O_EXCL`, `O_NOFOLLOW`, 0600), and what is read is a file of the user's own: a
planted link is neither followed nor written through. A shared session has a socket and a token there.
"""

import errno
import fcntl
import os
import re
import secrets
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from engine.errors import ConfigError, Problem, nearest, quoted

SOCKET: Final = ".socket"
TOKEN: Final = ".token"
LONGEST_PATH: Final = 100  # A longer path names no socket [bytes]. Source: unix(7), sun_path.
_LARGEST: Final = 65_536
_MOST_ALIKE: Final = 100  # So many sessions of one name can be shared at once


class Address(NamedTuple):
    name: str
    socket: Path
    token: Path


class SharedSessionEntry(NamedTuple):
    address: Address
    listening: socket.socket
    token: str

    def close(self) -> None:
        self.listening.close()
        remove(self.address)


def default_folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "schedlab" if runtime else Path(tempfile.gettempdir()) / f"schedlab-{os.getuid()}"


def address_in(folder: Path, name: str) -> Address:
    return Address(name, folder / f"{name}{SOCKET}", folder / f"{name}{TOKEN}")


def shared_names(folder: Path) -> list[str]:
    """The sessions that seem to be there, by name."""
    return sorted(path.name.removesuffix(SOCKET) for path in folder.glob(f"*{SOCKET}"))


def open_door(folder: Path, wanted: str) -> SharedSessionEntry:
    """Listen under a name, or the next free one; a `ConfigError` where the folder is another's, or takes nothing."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", wanted).strip(".-")[:40] or "session"
    try:
        make_private(folder)
        with _alone(folder):
            address = _free_address(folder, plain)
            token = secrets.token_urlsafe(32)
            write_private(address.token, token)
            listening = _listening(address.socket)
    except OSError as error:
        problem = Problem(f"cannot be shared: {(error.strerror or str(error)).lower()}", str(folder), key="--share")
        raise ConfigError([problem]) from None
    return SharedSessionEntry(address, listening, token)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _listening(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def make_private(folder: Path) -> None:
    """Make the folder, unless it is there; a `ConfigError` where others can use it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    check_private(folder)


def write_private(path: Path, text: str) -> None:
    """Write a new file for its owner alone; an `OSError` where it is there, also as a link, or cannot be written."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def read_private(path: Path) -> str:
    """At most 64 KB of a file of the user's own; an `OSError` where it is a link, another's, or others can write it."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, encoding="utf-8", errors="replace") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise PermissionError(errno.EPERM, "is not a file of yours alone", str(path))
        return file.read(_LARGEST)


def check_private(folder: Path) -> None:
    """Refuse a folder that others can use, by a `ConfigError`; an `OSError` where it is not there."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ConfigError.of("is not a folder of yours alone", str(folder), hint=f"chmod 700 {folder}")


def _free_address(folder: Path, plain: str) -> Address:
    for number in range(1, _MOST_ALIKE + 1):
        address = address_in(folder, plain if number == 1 else f"{plain}-{number}")
        if len(os.fsencode(address.socket)) > LONGEST_PATH:
            raise ConfigError.of("the path of the socket is too long", str(folder), hint="set XDG_RUNTIME_DIR")
        if not is_alive(address):
            remove(address)
            return address
    raise ConfigError.of(f"{plain} is shared too often", str(folder))


def is_alive(address: Address) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying:
        trying.setblocking(False)
        try:
            trying.connect(str(address.socket))
        except BlockingIOError:  # it is there, and has more visitors waiting than it takes at once
            return True
        except OSError:
            return False
    return True


def remove(address: Address) -> None:
    for path in (address.socket, address.token):
        with suppress(OSError):
            path.unlink()


def read_token(address: Address) -> str:
    """The token of a session; an `OSError` where there is none, or it is not ours to read."""
    return read_private(address.token).strip()


def find(folder: Path, name: str | None, say: Callable[[str], object]) -> Address:
    """The session of this name, or the only one, else a `ConfigError`; `say` tells of each left over, now removed."""
    try:
        check_private(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise ConfigError.of((error.strerror or str(error)).lower(), str(folder)) from None
    alive: list[str] = []
    for each in shared_names(folder):
        if is_alive(address_in(folder, each)):
            alive.append(each)
        else:
            remove(address_in(folder, each))
            say(f"{each} was left over from a program that has ended; it is removed")
    if not alive:
        hint = "schedlab open NAME --share, or schedlab drill play NAME --share"
        raise ConfigError.of("no session is shared on this machine", hint=hint)
    if name is None and len(alive) > 1:
        raise ConfigError.of("several sessions are shared", key="NAME", hint=f"there are {', '.join(alive)}")
    if name is not None and name not in alive:
        hint = nearest(name, alive) or f"there is {', '.join(alive)}"
        raise ConfigError.of(f"no session is shared as {quoted(name)}", key="NAME", hint=hint)
    return address_in(folder, name or alive[0])
