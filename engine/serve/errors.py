"""Declares refusals: the exception of a RemoteException, and its status in either release.

Source: GenericExceptionHandler, recorded answers of 2.7.2 and 3.4.1.
"""

from typing import Final, NamedTuple

from engine.errors import EngineError
from engine.serve.fields import Document
from engine.serve.release import HadoopRelease

_WEBAPP: Final = "org.apache.hadoop.yarn.webapp."


class Refused(NamedTuple):
    """The body of a RemoteException."""

    exception: str
    """Class of the exception, with its package."""
    message: str | None
    status: int | None = None
    """None: a mistake of the server, whose status the release decides."""


class RestError(EngineError):
    """A question or act that the server refuses."""

    def __init__(self, in_27: Refused, in_34: Refused | None = None) -> None:
        """Refuse, in either release's words.

        Args:
            in_27: In 2.7.2.
            in_34: In 3.4.1; None: the same.
        """
        super().__init__(in_27.message or in_27.exception)
        self._in_27, self._in_34 = in_27, in_34 or in_27

    def refused(self, release: HadoopRelease) -> Refused:
        """Its text in a release."""
        return self._in_34 if release.is_34 else self._in_27

    def status(self, release: HadoopRelease) -> int:
        """The status of the answer."""
        return self.refused(release).status or release.mistake_status

    def body(self, release: HadoopRelease) -> Document:
        """The RemoteException."""
        said = self.refused(release)
        name = said.exception.rpartition(".")[2]
        message = {} if said.message is None else {"message": said.message}
        return {"exception": name, **message, "javaClassName": said.exception}


def bad_request(message: str) -> RestError:
    """400, refused by the web application itself."""
    return RestError(_bad(f"java.lang.Exception: {message}"))


def not_found(message: str) -> RestError:
    """404."""
    return RestError(Refused(_WEBAPP + "NotFoundException", f"java.lang.Exception: {message}", 404))


def illegal_argument(message: str) -> RestError:
    """400, of a value that Java itself does not take."""
    return RestError(Refused("java.lang.IllegalArgumentException", message, 400))


def bad_number(text: str, name: str) -> RestError:
    """400: a text where a number belongs."""
    return RestError(
        Refused("java.lang.NumberFormatException", f'For input string: "{text}"', 400),
        _bad(f"java.lang.Exception: {name} value must be a number!"),
    )


def bad_application_id(text: str) -> RestError:
    """No id of an application: a mistake of the server in 2.7.2, refused in 3.4.1."""
    prefix = text.partition("_")[0]
    words = f"Invalid ApplicationId prefix: {text}. The valid ApplicationId should start with prefix application"
    if prefix == "application":
        words = f"Invalid ApplicationId: {text}"
    return RestError(
        Refused("java.util.NoSuchElementException", None),
        _bad(f"java.lang.IllegalArgumentException: {words}"),
    )


def null_pointer() -> RestError:
    """A mistake of the server."""
    return RestError(Refused("java.lang.NullPointerException", None))


def mistake() -> RestError:
    """A mistake of the web framework, as for a method that a path does not have."""
    return RestError(Refused("javax.ws.rs.WebApplicationException", None))


def unreadable() -> RestError:
    """A body that is no JSON and no XML; 2.7.2 takes it for an empty one."""
    words = "javax.xml.bind.UnmarshalException\n - with linked exception:\n[javax.xml.stream.XMLStreamException]"
    return RestError(
        _bad("java.lang.Exception: Only 'KILLED' is allowed as a target state."),
        Refused("javax.ws.rs.WebApplicationException", words, 400),
    )


def undeclared() -> RestError:
    """Translate a refusal inside the ResourceManager, such as of an unknown queue."""
    return RestError(Refused("java.lang.reflect.UndeclaredThrowableException", None))


def _bad(message: str) -> Refused:
    return Refused(_WEBAPP + "BadRequestException", message, 400)
