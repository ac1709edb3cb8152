"""Acts with their instants, as the script and the faults of a scenario and the record of a drill list them.

The tables of a file are derived from the structs of `engine.scenario.acts`; nothing here names a single act.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, Union, get_type_hints

import msgspec
from pydantic import BaseModel, Field, GetCoreSchemaHandler, create_model, model_validator
from pydantic_core import CoreSchema

from engine.model.decision import ContainerId
from engine.scenario.act_fields import InFile
from engine.scenario.acts import ACTS, FAULTS, Act
from engine.scenario.parts import FILE_CONFIG, InstantMs, bare_numbers_as_seconds

Finders = Mapping[str, Callable[[str], int | str | ContainerId]]
"""What a field names, as `InFile.names` says → what finds the number or id of a name."""


class Timed(BaseModel):
    """Something that happens at an instant; what happens at one instant happens in the order written."""

    model_config = FILE_CONFIG
    _in_seconds = model_validator(mode="before")(bare_numbers_as_seconds)

    at_ms: InstantMs = Field(ge=0)


class TimedAct(Timed):
    """An act at an instant; each act has a derived class, whose further fields are those of the act in a file."""

    do: str

    @property
    def act(self) -> Act:
        """The act itself."""
        kind = _KINDS[self.do]
        made: Act = kind(**{name: form.read(getattr(self, form.key)) for name, form in _FORMS[kind].items()})
        return made


def _form(name: str, hint: Any) -> InFile:
    """Return a field as a file writes it."""
    found = next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, InFile)), InFile(hint))
    return found if found.key else found._replace(key=name)


_KINDS: Final[Mapping[str, type[Act]]] = {kind.do: kind for kind in ACTS}
_FORMS: Final[Mapping[type[Act], Mapping[str, InFile]]] = {
    kind: {name: _form(name, get_type_hints(kind, include_extras=True)[name]) for name in kind.__struct_fields__}
    for kind in ACTS
}


def _table(kind: type[Act]) -> type[TimedAct]:
    """The table that a file writes an act as."""
    fields: dict[str, Any] = {"do": (Literal[kind.do], ...)}
    for field in msgspec.structs.fields(kind):
        form = _FORMS[kind][field.name]
        fields[form.key] = (form.type, ... if field.default is msgspec.NODEFAULT else field.default)
    return create_model(kind.__name__, __base__=TimedAct, __doc__=kind.__doc__, __module__=__name__, **fields)


_TABLES: Final = {kind: _table(kind) for kind in ACTS}


class OneOf:
    """Makes pydantic read a `TimedAct` as one of the tables of some acts; `do` tells which."""

    def __init__(self, kinds: tuple[type[Act], ...]) -> None:
        tables: Any = Union[tuple(_TABLES[kind] for kind in kinds)]  # noqa: UP007  # the members are only known here
        self.tables = Annotated[tables, Field(discriminator="do")]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.tables)


ScriptedAct = Annotated[TimedAct, OneOf(ACTS)]
"""Any act at an instant."""

ScriptedFault = Annotated[TimedAct, OneOf(FAULTS)]
"""A fault at an instant."""


def timed(act: Act, at_ms: int = 0) -> TimedAct:
    """An act at an instant [ms]."""
    fields = {form.key: form.write(getattr(act, name)) for name, form in _FORMS[type(act)].items()}
    return _TABLES[type(act)](at_ms=at_ms, do=act.do, **fields)


def resolved(act: Act, finders: Finders) -> Act:
    """An act whose names, as files give them, are looked up."""
    found = {
        name: finders[form.names](value)
        for name, form in _FORMS[type(act)].items()
        if form.names in finders and isinstance(value := getattr(act, name), str)
    }
    return msgspec.structs.replace(act, **found) if found else act


def written(step: Timed) -> dict[str, Any]:
    """Return a step as a file writes it, without its instant and without keys that have their defaults."""
    fields = step.model_dump(mode="json", exclude_defaults=True)
    return {key.removesuffix("_mb"): value for key, value in fields.items() if key != "at_ms"}


def written_act(act: Act) -> dict[str, Any]:
    """Return an act as a file writes it; an application is named by its number."""
    return written(timed(act))
