"""A document as JSON, as the two releases write it."""

from typing import Any

import msgspec

from engine.serve.bodies import without_odd
from engine.serve.fields import TYPE, Document, Repeated
from engine.serve.release import HadoopRelease


def json_bytes(root: str, body: Any, release: HadoopRelease) -> bytes:  # Any: a part of a document
    """A document as JSON; U+FFFD stands where a text cannot be encoded, so that one text spoils no list.

    Args:
        root: Its name; empty where JSON has none.
        body: What is in it; nothing at all is null in 2.7.2.
    """
    try:
        return _encoded(root, body, release)
    except UnicodeEncodeError:
        return _encoded(root, _encodable(body), release)


def _encoded(root: str, body: Any, release: HadoopRelease) -> bytes:
    content = _plain(body)
    if root:
        content = {root: content if content or release.is_34 else None}
    return msgspec.json.encode(content)


def _encodable(value: Any) -> Any:
    """The same with texts that can be encoded."""
    if isinstance(value, str):
        return without_odd(value)
    if isinstance(value, Repeated):
        return Repeated([_encodable(each) for each in value.items])
    if isinstance(value, dict):
        return {without_odd(name): _encodable(each) for name, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return _plain_fields(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _plain_fields(value: Document) -> Any:
    fields = [("type" if name == TYPE else name, each) for name, each in value.items()]
    if not any(isinstance(each, Repeated) for _, each in fields):
        return {name: _plain(each) for name, each in fields}
    parts = [
        msgspec.json.encode(name) + b":" + msgspec.json.encode(_plain(item))
        for name, each in fields
        for item in (each.items if isinstance(each, Repeated) else (each,))
    ]
    return msgspec.Raw(b"{" + b",".join(parts) + b"}")
