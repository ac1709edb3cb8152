"""Submitting by command: `submit preset=etl n=40` read into the fields of the form."""

from collections.abc import Mapping, Sequence
from typing import Final

from tui.screens.submit import FIELDS, STANDALONE_FIELDS
from tui.view_state import PRESET, Preset

_BOTH: Final = {"app": "name", "user": "user", "mem": "memory", "for": "duration"}
YARN_WORDS: Final = {**_BOTH, "queue": "queue", "n": "containers", "vc": "vcores", "am": "master"}
"""Word of the command → field of the form."""
STANDALONE_WORDS: Final = {**_BOTH, "n": "tasks", "cores": "cores_max", "vc": "executor_cores"}
"""The same of Spark's standalone Master."""


class WordsError(ValueError):
    """What is wrong with the words of the command."""


def offers(presets: Sequence[str], queues: Sequence[str], *, is_standalone: bool) -> list[str]:
    """What can stand in the command."""
    words = [f"{word}=" for word in (STANDALONE_WORDS if is_standalone else YARN_WORDS)]
    paths = () if is_standalone else queues
    return [*(f"{PRESET}={name}" for name in presets), *words, *(f"queue={path}" for path in paths)]


def read(words: Sequence[str], *, is_standalone: bool) -> dict[str, str]:
    """Name of each field that is given → its text; also that of the preset.

    Raises:
        WordsError: A word is no `key=value`, its key is unknown, or it is there twice.
    """
    known = STANDALONE_WORDS if is_standalone else YARN_WORDS
    found: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        field = PRESET if key == PRESET else known.get(key, key if key in known.values() else "")
        if not sign or not field:
            raise WordsError(f"{word!r}: there is {PRESET}=, {'=, '.join(known)}=")
        if field in found:
            raise WordsError(f"{key} is given twice")
        found[field] = value
    return found


def fields_of(
    given: Mapping[str, str], beginnings: Mapping[str, str], presets: Sequence[Preset], *, is_standalone: bool
) -> dict[str, str]:
    """A whole form: what is given, then the preset, then what the row and the form begin with.

    A preset that is not there is left to whoever submits: it says so.
    """
    preset = next((one for one in presets if one.name == given.get(PRESET)), None)
    if preset is not None:
        return {**preset.fields, **given}
    plain = {field.name: field.value for field in (STANDALONE_FIELDS if is_standalone else FIELDS)}
    return {**plain, **{name: text for name, text in beginnings.items() if name in plain}, **given}
