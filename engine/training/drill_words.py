"""The words an author of drills may write, each with an example, as the models of a drill file have them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from engine.formats.file_schema import file_schema
from engine.scenario.expectations import MEASURES, NARROWED_BY
from engine.training.drill_check import PANES
from engine.training.drill_file import drill_model, load_drill, packaged_drills

_NAMED: Final = ("queue", "node", "application")
"""Subjects that need a name."""
_WHEN: Final = ("at", "within", "until")
"""Keys of a goal, of which it has one."""

Schema = Mapping[str, Any]  # as JSON Schema has it


class DrillWord(NamedTuple):
    """One word, with an example of its use in a drill file."""

    kind: str
    """`measure` (of goals and clues), `goal` (when it has to hold), `pane` (of clues and hints), `act` (of steps),
    `exam` (its tables), or `cause`."""
    word: str
    about: str
    example: str


def drill_words() -> Iterator[DrillWord]:
    """Every word, kind by kind.

    Raises:
        ConfigError: A packaged drill cannot be read.
    """
    yield from _measures()
    yield from _of_models(file_schema(drill_model(), "drill")["$defs"])
    for pane in sorted(PANES):
        yield DrillWord("pane", pane, "a clue stands there, a hint names it", f'pane = "{pane}"')
    found: dict[str, str] = {}
    for name in packaged_drills():
        question = load_drill(name).drill.question("cause")
        for cause in question.answers if question is not None else ():
            found.setdefault(cause, name)
    for cause, name in sorted(found.items()):
        yield DrillWord("cause", cause, f"asked for in {name}", f'answers = ["{cause}"]')


def _measures() -> Iterator[DrillWord]:
    for of, measures in MEASURES.items():
        name = f', {of} = "..."' if of in _NAMED else ""
        for what, about in measures.items():
            example = f'{{ of = "{of}"{name}, what = "{what}", at_least = 1 }}'
            narrowed = sorted(NARROWED_BY[of] - {of})
            more = f"; narrowed by {', '.join(narrowed)}" if narrowed else ""
            no_clue = "; of goals only" if of == "decisions" else ""
            yield DrillWord("measure", f"{of}.{what}", f"{about}{more}{no_clue}", example)


def _of_models(parts: Mapping[str, Schema]) -> Iterator[DrillWord]:
    """Return when a goal has to hold, every act, and the tables of an exam; `parts` has the schema of each model."""
    for key in _WHEN:
        form = parts["Expectation"]["properties"][key]
        yield DrillWord(
            "goal", key, form.get("description", "Holds at this instant."), f"{key} = {_value(form, parts)}"
        )
    acts = {
        do: part
        for part in parts.values()
        if "at" in part["properties"]
        for do in _choices(part["properties"].get("do", {}))
    }
    for do, part in sorted(acts.items()):
        yield DrillWord("act", do, _sentence(part), _table(part, parts, do))
    for name, form in parts["Exam"]["properties"].items():
        if "$ref" in form["items"]:
            part = parts[form["items"]["$ref"].rpartition("/")[2]]
            example = _table({**part, "required": part["properties"]}, parts)
        else:
            part, example = form, _table(acts["lose"], parts, "lose")
        yield DrillWord("exam", name, _sentence(part), f"{name} = [{example}]")


def _sentence(schema: Schema) -> str:
    return str(schema["description"]).partition("\n")[0]


def _choices(schema: Schema) -> list[Any]:
    return list(schema.get("enum", [schema["const"]] if "const" in schema else []))


def _table(part: Schema, parts: Mapping[str, Schema], do: str = "") -> str:
    """A table with the keys that it needs; the text of a file is named by a file."""
    form = part["properties"]
    needed = {key: form[key] for key in (*part.get("required", ()), *form.keys() & {"allocations_file"})}
    values = [f"{key} = {json.dumps(do) if key == 'do' else _value(form, parts)}" for key, form in needed.items()]
    return f"{{ {', '.join(values)} }}"


def _value(form: Schema, parts: Mapping[str, Schema]) -> str:
    """A value of a field, as TOML writes it; that of an instant or a size is a number."""
    if "oneOf" in form or "$ref" in form:
        one = form["oneOf"][0] if "oneOf" in form else form
        return _table(parts[one["$ref"].rpartition("/")[2]], parts)
    if choices := _choices(form):
        return json.dumps(choices[0])
    if "anyOf" in form:
        return "60"
    if form.get("type") == "array":
        return f"[{_value(form['items'], parts)}]"
    return {"boolean": "true", "integer": "1", "number": "1", "string": '"..."'}[form["type"]]
