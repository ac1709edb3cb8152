"""Types of the fields of acts that a file writes otherwise than an act holds them."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field, TypeAdapter

from engine.model.decision import ContainerId
from engine.scenario.applications import ApplicationSpec
from engine.scenario.cluster import DEFAULT_PORT

APPLICATION: Final[TypeAdapter[ApplicationSpec]] = TypeAdapter(ApplicationSpec)


def fields_of(spec: ApplicationSpec) -> Mapping[str, Any]:
    """The fields of an application that differ from their defaults, and its `type`."""
    return {"type": spec.type, **spec.model_dump(mode="json", exclude_defaults=True)}


def _same(value: Any) -> Any:
    return value


def _container(container: ContainerId | str) -> str:
    return container if isinstance(container, str) else "_".join(map(str, container))


class InFile(NamedTuple):
    """The form of an act's field in a file."""

    type: Any
    """Its type there."""
    key: str = ""
    """Its name there; empty where it is that of the act."""
    read: Callable[[Any], Any] = _same
    """Makes the act's value of the file's."""
    write: Callable[[Any], Any] = _same
    """Makes the file's value of the act's."""
    names: str = ""
    """What it names, so that a name can be looked up in a cluster: `application`, `master`, `queue`, `node` or
    `container`."""


ApplicationRef = Annotated[int | str, InFile(str, write=str, names="application")]
"""An application by its number; in a file by its id, a unique end of it (`183354`) or its name."""

MasterRef = Annotated[str, InFile(str, names="master")]
"""An application by its number as text, or by its name."""

NodeRef = Annotated[str, InFile(str, names="node")]
"""A node by `host:port`; in a file also by its host."""

QueueRef = Annotated[str, InFile(str, names="queue")]
"""A queue by its name for the scheduler's commands; a screen names its path."""

ContainerRef = Annotated[ContainerId | str, InFile(str, write=_container, names="container")]
"""A container as (application, attempt, container); in a file by its id or those numbers (`0012_01_000003`)."""

NewNode = Annotated[
    str,
    InFile(
        Annotated[str, Field(min_length=1)],
        "host",
        read=lambda host: f"{host}:{DEFAULT_PORT}",
        write=lambda node: node.partition(":")[0],
    ),
]
"""A node that is not there, as `host:port`; a file gives its host."""

Rule = Annotated[str, InFile(Literal["strict", "limited", "off"])]
"""A reservation rule."""

Application = Annotated[Mapping[str, Any], InFile(ApplicationSpec, read=fields_of, write=APPLICATION.validate_python)]
"""An application as the fields of an `ApplicationSpec` that differ from their defaults, and its `type`."""
