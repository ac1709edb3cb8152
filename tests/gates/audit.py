"""Whether the pins of `constraints.txt` are current, and whether advisories name one: `python -m tests.gates.audit`.

Versions for the oldest Python, and the advisories that pip-audit reads, are asked of the index that pip is set to.
What cannot be reached is said and fails nothing. A pin fails that the index does not have, has withdrawn, or that an
advisory names.
"""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import httpx
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import parse_sdist_filename, parse_wheel_filename
from packaging.version import Version

PINS: Final = Path(__file__).parents[2] / "constraints.txt"
SIMPLE: Final = {"Accept": "application/vnd.pypi.simple.v1+json"}
AT_ONCE: Final = 8
OLDEST: Final = "3.11.2"  # The oldest Python that the pins are for


def pins(text: str) -> dict[str, str]:
    """Name → version of every line `name==version`."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def index_url() -> str:
    """Where pip looks for packages: as it is set, else its own."""
    for asked in (
        ["-m", "pip", "config", "get", "global.index-url"],
        ["-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"],
    ):
        told = subprocess.run([sys.executable, *asked], capture_output=True, text=True, check=False).stdout.strip()
        if told:
            return told.rstrip("/")
    sys.exit("pip is not there to say where packages are")


def finding(name: str, pin: str, page: Any) -> tuple[str, bool]:
    """What is to be said of a pin, and whether it fails; nothing of the newest. `page` is that of the index."""
    names = _files_of_releases(page)
    files = names.get(pin, [])
    if not files:
        return f"{name}=={pin}: the index does not have it", True
    if all(each.get("yanked") for each in files):
        return f"{name}=={pin}: withdrawn", True
    taken = [text for text, each in names.items() if any(map(_is_for_us, each)) and not Version(text).is_prerelease]
    newest = max(taken, key=Version, default=pin)
    if Version(newest) > Version(pin):
        return f"{name}=={pin}: {newest} is there", False
    return "", False


def _files_of_releases(page: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in page.get("files", ()):
        try:
            parsed = parse_wheel_filename if each["filename"].endswith(".whl") else parse_sdist_filename
            version = str(parsed(each["filename"])[1])
        except ValueError:
            continue  # an installer of another kind, or a name of before there were rules
        found.setdefault(version, []).append(each)
    return found


def _is_for_us(file: Any) -> bool:
    try:
        return not file.get("yanked") and OLDEST in SpecifierSet(file.get("requires-python") or "")
    except InvalidSpecifier:
        return False


def advisories(name: str, pin: str, page: Any) -> list[str]:
    """What advisories say of a pin, in a line each. `page` is that of the database."""
    return [
        f"{name}=={pin}: {each['id']}, mended in {', '.join(each.get('fixed_in', ())) or 'no release'}"
        for each in page.get("vulnerabilities", ())
        if not each.get("withdrawn")
    ]


async def asked(client: httpx.AsyncClient, limit: asyncio.Semaphore, url: str, headers: dict[str, str]) -> Any:
    """A page as JSON; None where it cannot be had."""
    async with limit:
        try:
            answer = await client.get(url, headers=headers)
            return answer.json() if answer.status_code == httpx.codes.OK else None
        except (httpx.HTTPError, json.JSONDecodeError):
            return None


async def audit() -> int:
    """Ask of every pin, print what was found, and count what fails."""
    wanted, index, limit = pins(PINS.read_text()), index_url(), asyncio.Semaphore(AT_ONCE)
    async with httpx.AsyncClient(follow_redirects=True, timeout=30) as client:
        pages = await asyncio.gather(*(asked(client, limit, f"{index}/{name}/", SIMPLE) for name in wanted))
        known = await asyncio.gather(
            *(
                asked(client, limit, f"{index.removesuffix('/simple')}/pypi/{name}/{pin}/json", {})
                for name, pin in wanted.items()
            )
        )
    findings = [finding(name, pin, page) for (name, pin), page in zip(wanted.items(), pages, strict=True) if page]
    answered = [(name, pin, page) for (name, pin), page in zip(wanted.items(), known, strict=True) if page]
    warned = [line for each in answered for line in advisories(*each)]
    for line in [*(words for words, _ in findings if words), *warned]:
        print(line)
    for found, of in ((pages, "versions"), (known, "advisories")):
        if missing := sum(page is None for page in found):
            print(f"{of} of {missing} of {len(wanted)} pins could not be asked", file=sys.stderr)
    return sum(fails for _, fails in findings) + len(warned)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(audit()) else 0)
