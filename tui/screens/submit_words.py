"""Submitting by command: `submit preset=etl n=40` read into the fields of the form."""

from collections.abc import Mapping, Sequence

from tui.picture import PRESET, Preset
from tui.screens.submit import SubmitForm


class WordsError(ValueError):
    """A mistake in the words of the command."""


def offers(presets: Sequence[str], queues: Sequence[str], form: SubmitForm) -> list[str]:
    """The words that complete the command."""
    words = [f"{word}=" for word in form.words]
    queue = next((word for word, field in form.words.items() if field == "queue"), "")
    paths = queues if queue else ()
    return [*(f"{PRESET}={name}" for name in presets), *words, *(f"{queue}={path}" for path in paths)]


def read(words: Sequence[str], form: SubmitForm) -> dict[str, str]:
    """Name of each field that is given → its text; also that of the preset.

    Raises:
        WordsError: A word is no `key=value`, its key is unknown, or it is there twice.
    """
    known = form.words
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
    given: Mapping[str, str], beginnings: Mapping[str, str], presets: Sequence[Preset], form: SubmitForm
) -> dict[str, str]:
    """A whole form: what is given, then the preset, then what the row and the form begin with.

    A preset that is not there is left to whoever submits: it says so.
    """
    preset = next((one for one in presets if one.name == given.get(PRESET)), None)
    if preset is not None:
        return {**preset.fields, **given}
    plain = {field.name: field.value for field in form.fields}
    return {**plain, **{name: text for name, text in beginnings.items() if name in plain}, **given}
