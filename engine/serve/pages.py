"""The few pages for people that clients stumble on.

Source: recorded answers of 2.7.2 and 3.4.1, shortened.
"""

from typing import Final

from engine.serve.http import HttpAnswer
from engine.serve.release import HadoopRelease

_PAGE: Final = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html>
  <meta http-equiv="X-UA-Compatible" content="IE=8">
  <meta http-equiv="Content-type" content="text/html; charset=UTF-8">
  <title>
    {title}
  </title>
  <body>
    <h1>
      {title}
    </h1>
    {text}
  </body>
</html>
"""


def _html(release: HadoopRelease) -> str:
    return "text/html;charset=utf-8" if release.is_34 else "text/html; charset=utf-8"


def page_not_found(release: HadoopRelease) -> HttpAnswer:
    """404 for a person, which clients get, too."""
    page = _PAGE.format(title="Sorry, got error 404", text="Please consult RFC 2616 for meanings of the error code.")
    return HttpAnswer(404, _html(release), page.encode())


def front_page(release: HadoopRelease) -> HttpAnswer:
    """`/cluster`: says where the answers are."""
    text = "A simulation, served by schedlab: <a href='/ws/v1/cluster/info'>/ws/v1/cluster/info</a>"
    return HttpAnswer(200, _html(release), _PAGE.format(title="All Applications", text=text).encode())


def to_front_page(release: HadoopRelease, address: str) -> HttpAnswer:
    """`/` sends a browser on."""
    kind = "text/plain;charset=utf-8" if release.is_34 else "text/plain; charset=UTF-8"
    return HttpAnswer(302, kind, b"", {"Location": f"http://{address}/cluster"})
