"""HTML in which everything that is not markup already is escaped."""

from html import escape

Attribute = str | int | bool


class Html(str):
    """Text that is markup; every other text is escaped when it becomes part of one."""

    __slots__ = ()


def raw(text: str) -> Html:
    """Text that is known to be markup; never for what comes from a file or a user."""
    return Html(text)


def written(content: str) -> str:
    """Content as it stands in the file.

    >>> written("a<b>"), written(raw("<hr>"))
    ('a&lt;b&gt;', '<hr>')
    """
    return content if isinstance(content, Html) else escape(content, quote=True)


def joined(*contents: str) -> Html:
    """Contents one after another."""
    return Html("".join(map(written, contents)))


def element(name: str, *contents: str, **attributes: Attribute) -> Html:
    """An element; `class_` names its classes, `_` in names of attributes is `-`, False leaves one out.

    >>> str(element("td", "a&b", class_="n", aria_label="x", hidden=False))
    '<td class="n" aria-label="x">a&amp;b</td>'
    """
    given = {key.strip("_").replace("_", "-"): escape(str(value)) for key, value in attributes.items() if value}
    words = "".join(f' {key}="{value}"' for key, value in given.items())
    return Html(f"<{name}{words}>{joined(*contents)}</{name}>")
