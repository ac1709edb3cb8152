"""Lines that a terminal adds to what a program wrote when its text is copied: prompts, warnings, curl's meter."""

import re
from typing import Final

_PROMPT: Final = (
    rb"(?:\([\w.-]{1,40}\) ?)?(?:"
    rb"\[[^\]\n]{1,80}@[^\]\n]{1,120}\] ?[$#%>]"  # [ann@host ~]$
    rb"|[\w.-]{1,40}@[\w.-]{1,80}[: ][^\n$#%>]{0,120}[$#%>]"  # ann@host:~$
    rb"|(?:ba|z|k|da)?sh-[\d.]{1,8}[$#%]"  # sh-4.2$
    rb"|(?:PS )?[A-Za-z]:\\[^\n>]{0,160}>"  # C:\>
    rb"|[$%#>] (?:sudo [^\n]{0,80} )?(?:yarn|mapred|hadoop|hdfs|curl|wget|sacct|z?cat|less|head|tail|kubectl|ssh)\b"
    rb"|\$ \w|[$%#>]\s*\Z"
    rb")"
)
_LOG: Final = (
    rb"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}|\d\d/\d\d/\d\d \d\d:\d\d:\d\d) (?:INFO|WARN) +"
    rb"(?:[\w.]*\.)?(?:client\.[\w$.]+|impl\.(?:Timeline|Yarn)ClientImpl|util\.NativeCodeLoader): "
)
"""Of the client; a log of a server begins otherwise."""
_METER: Final = (
    rb"\s*% Total\s+% Received|\s*Dload\s+Upload"
    rb"|\s*\d{1,3}\s+[\d.]+[kMG]?\s+\d{1,3}\s[^\n]*(?:\d\d|--):(?:\d\d|--)"
)
_OTHERS: Final = (
    rb"SLF4J: |log4j:WARN|Picked up _?JAVA|(?:OpenJDK|Java HotSpot)[^\n]{0,60}warning|WARNING: |DEPRECATED: "
    rb"|Last login: |Instead use the |" + _METER
)
PROMPT: Final = re.compile(_PROMPT)
_ADDED: Final = re.compile(rb"(?:(?:" + _PROMPT + rb"|" + _LOG + rb"|" + _OTHERS + rb")[^\n]*(?:\n|\Z)|[ \t\r]*\n)+")
NOTE: Final = "the text was copied from a terminal: lines of its prompt and warnings are passed over"


def added_by_terminal(head: bytes) -> int:
    """Bytes of whole lines at the beginning that a terminal added; 0 where there are none but blank ones.

    >>> added_by_terminal(b"[ann@host ~]$ sacct -P" + bytes([10]) + b"JobID|State"), added_by_terminal(b"x=1")
    (23, 0)
    """
    match = _ADDED.match(head)
    return match.end() if match is not None and match[0].strip() else 0
