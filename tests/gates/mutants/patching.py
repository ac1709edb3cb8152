"""Put a mutant, or probes, into the running process: the functions made of its source get the changed code.

So do those that it made when its module was loaded, such as what a table of fields reads with.
"""

import ast
import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType

from tests.gates.mutants.changes import Function, Mutant, changed, probed

Place = tuple[str, int, str]
"""File, first line (a decorator's, if there is one), qualified name of a function's code."""


def functions_in_use(root: Path) -> dict[Place, list[FunctionType]]:
    """Every function of this process that was made of a source below the folder, by the place of its code."""
    found: dict[Place, list[FunctionType]] = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename.startswith(str(root)):
            found[_place(each.__code__)].append(each)
    return found


def exchange(mutant: Mutant, root: Path, in_use: dict[Place, list[FunctionType]]) -> Callable[[], None] | None:
    """What puts the mutant in place of the function it is of.

    Returns:
        None where that cannot be done: a change that leaves out the only use of an outer variable cannot be put into
        an existing function, nor is there anything to change in a module that no test imports.
    """
    path = root / mutant.path
    return _exchange(path, mutant.function, changed(path.read_text(encoding="utf-8"), mutant), in_use)


def probe(
    numbered: dict[int, Mutant], root: Path, in_use: dict[Place, list[FunctionType]]
) -> Callable[[], None] | None:
    """What puts probes before the statements of mutants of one function; None where that cannot be done."""
    one = next(iter(numbered.values()))
    path = root / one.path
    return _exchange(path, one.function, probed(path.read_text(encoding="utf-8"), numbered), in_use)


def _exchange(
    path: Path, name: str, written: tuple[ast.Module, Function], in_use: dict[Place, list[FunctionType]]
) -> Callable[[], None] | None:
    tree, function = written
    code = _code_of(compile(tree, str(path), "exec"), name.split("."))
    uses = in_use.get(_place(code), [])
    if not uses or any(code.co_freevars != use.__code__.co_freevars for use in uses):
        return None

    inside = list(_inside(code))
    known = Counter(map(_place, inside))
    made = [(use, one) for one in inside if known[_place(one)] == 1 for use in in_use.get(_place(one), ())]

    def put() -> None:
        for use, one in made:
            if use.__code__.co_freevars == one.co_freevars:
                use.__code__ = one
        for use in uses:
            use.__code__ = code
            use.__defaults__ = _defaults(use.__defaults__, function)
            if use.__kwdefaults__:
                use.__kwdefaults__ = {**use.__kwdefaults__, **dict(_keyword_defaults(function))}

    return put


def _inside(code: CodeType) -> Iterator[CodeType]:
    """The codes of all functions inside a function's."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _inside(one)


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _code_of(code: CodeType, names: list[str]) -> CodeType:
    """The code of a function within that of its module, by its qualified name; a module has one thing of each name."""
    for name in names:
        code = next(each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == name)
    return code


def _defaults(values: tuple[object, ...] | None, function: Function) -> tuple[object, ...] | None:
    """Default values as the source has them where it has plain ones."""
    if values is None:
        return None
    written = function.args.defaults
    return tuple(
        node.value if isinstance(node, ast.Constant) else value for node, value in zip(written, values, strict=True)
    )


def _keyword_defaults(function: Function) -> Iterator[tuple[str, object]]:
    for argument, node in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if isinstance(node, ast.Constant):
            yield argument.arg, node.value
