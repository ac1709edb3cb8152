"""The picture and the tables of how fast schedlab is, from what was measured (`tests/gates/bench/growth.jsonl`)."""

from collections.abc import Iterable
from math import log10
from typing import Final

import msgspec

from tests.gates.bench.growth import FIGURES, NODES, SCHEDULERS, Growth

COLOURS: Final = ("#4fb3bf", "#f4b860", "#d3dae4", "#b48ead", "#e07a5f", "#88c070", "#6a9fd8", "#d9a5b3", "#c9d267")
"""Of the schedulers, in their order."""
DASHES: Final = {"pure Python": "6 5", "compiled": ""}
WIDTH, HEIGHT, LEFT, TOP, PLOT_W, PLOT_H = 720, 420, 70, 40, 470, 320
LEAST, MOST = 10, 100_000
TITLE: Final = "CPU time of a heartbeat [steps of the reference loop] by nodes"


def measured() -> list[Growth]:
    """Every case; of one that was measured more than once, the last."""
    lines = FIGURES.read_bytes().splitlines()
    found = [msgspec.json.decode(line, type=Growth) for line in lines]
    return list({(each.build, each.scheduler, each.nodes): each for each in found}.values())


def growth_picture() -> str:
    """A curve for each scheduler and build, both axes logarithmic."""
    found = measured()
    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
        f'<title>{TITLE}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#0f1318"/>',
        '<g font-family="Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13" fill="#d3dae4">',
        f'<text x="{LEFT}" y="24">{TITLE}</text>',
        *(_grid_line(f"{number:,}", _x(number), is_upright=True) for number in NODES),
        *(_grid_line(f"{value:,}", _y(value), is_upright=False) for value in (10, 100, 1_000, 10_000, 100_000)),
    ]
    for place, (scheduler, colour) in enumerate(zip(SCHEDULERS, COLOURS, strict=True)):
        for build, dashes in DASHES.items():
            points = sorted(
                (each.nodes, each.heartbeat_us / each.reference_us)
                for each in found
                if (each.scheduler, each.build) == (scheduler, build)
            )
            shapes.append(_curve([(_x(nodes), _y(value)) for nodes, value in points], colour, dashes))
        shapes.append(_key(scheduler, place, colour, ""))
    for place, (build, dashes) in enumerate(DASHES.items(), len(SCHEDULERS) + 1):
        shapes.append(_key(build, place, "#8b97a6", dashes))
    return "\n".join([*shapes, "</g>", "</svg>", ""])


def _x(nodes: int) -> float:
    return LEFT + PLOT_W * log10(nodes / NODES[0]) / log10(NODES[-1] / NODES[0])


def _y(value: float) -> float:
    return TOP + PLOT_H * (1 - log10(max(value, LEAST) / LEAST) / log10(MOST / LEAST))


def _grid_line(words: str, at: float, *, is_upright: bool) -> str:
    if is_upright:
        line = f'x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{TOP + PLOT_H}"'
        text = f'x="{at:.1f}" y="{TOP + PLOT_H + 20}" text-anchor="middle"'
    else:
        line = f'x1="{LEFT}" x2="{LEFT + PLOT_W}" y1="{at:.1f}" y2="{at:.1f}"'
        text = f'x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end"'
    return f'<line {line} stroke="#22303d"/><text {text}>{words}</text>'


def _curve(points: Iterable[tuple[float, float]], colour: str, dashes: str) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'


def _key(words: str, place: int, colour: str, dashes: str) -> str:
    x, y = LEFT + PLOT_W + 20, TOP + 16 + 22 * place
    line = _curve([(x, y - 4), (x + 26, y - 4)], colour, dashes)
    return f'{line}<text x="{x + 34}" y="{y}">{words}</text>'


def growth_table(build: str) -> str:
    """A table of Markdown: a heartbeat in steps of the reference loop, and in brackets in µs."""
    found = {(each.scheduler, each.nodes): each for each in measured() if each.build == build}
    head = " | ".join(f"{nodes:,}" for nodes in NODES)
    rows = [f"| {build}: nodes | {head} |", f"|---|{'---:|' * len(NODES)}"]
    for scheduler in SCHEDULERS:
        cells = (found.get((scheduler, nodes)) for nodes in NODES)
        shown = (
            f"{each.heartbeat_us / each.reference_us:.0f} ({each.heartbeat_us:.0f})" if each else "" for each in cells
        )
        rows.append(f"| {scheduler} | {' | '.join(shown)} |")
    return "\n".join(rows)
