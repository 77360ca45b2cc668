"""Shrinks the source of a kernel that fails: fewer statements, simpler expressions."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

__all__ = ["shrunk"]

MOST_ATTEMPTS = 250


def shrunk(source: str, failure: Callable[[str], str]) -> str:
    """Return a smaller source with the same kind of failure."""
    kind = _kind(failure(source))
    attempts = 0
    smaller = bool(kind)
    while smaller:
        smaller = False
        for candidate in _candidates(source):
            attempts += 1
            if attempts > MOST_ATTEMPTS:
                return source
            if _kind(failure(candidate)) == kind:
                source, smaller = candidate, True
                break
    return source


def _kind(failure: str) -> str:
    """Return what a smaller kernel must share: how it fails, and with which exception if any."""
    first = failure.split(":")[0]
    if first == "raised":
        return first + failure.strip().splitlines()[-1][:40]
    return first + ("unchecked" if "\nunchecked" in failure else "")


def _candidates(source: str) -> Iterator[str]:
    """Yield sources that are a little smaller, the largest cuts first."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in functions:
        if node.name != "entry":
            yield _without(tree, node)
    for node in functions:
        for statement in ast.walk(node):
            if isinstance(statement, ast.stmt) and statement is not node:
                yield from _smaller_statements(tree, statement)
    for node in functions:
        for expression in ast.walk(node):
            if isinstance(expression, ast.expr):
                yield from _smaller_expressions(tree, expression)


class _Replace(ast.NodeTransformer):
    def __init__(self, position: int, by: list[ast.stmt] | ast.expr) -> None:
        self._position, self._by = position, by

    def visit(self, node: ast.AST) -> object:
        if getattr(node, "mark", None) == self._position:
            return self._by
        return self.generic_visit(node)


def _replaced(tree: ast.Module, node: ast.AST, by: list[ast.stmt] | ast.expr) -> str:
    node.mark = 1  # type: ignore[attr-defined]
    made = copy.deepcopy(tree)
    del node.mark  # type: ignore[attr-defined]
    _Replace(1, copy.deepcopy(by)).visit(made)
    for each in ast.walk(made):
        if isinstance(each, ast.FunctionDef | ast.If | ast.For | ast.While) and not each.body:
            each.body = [ast.Pass()]
    text = ast.unparse(ast.fix_missing_locations(made))
    return text + "\n"


def _valid(text: str) -> Iterator[str]:
    try:
        compile(text, "<shrunk>", "exec")
    except SyntaxError:
        return
    yield text


def _without(tree: ast.Module, node: ast.stmt) -> str:
    return _replaced(tree, node, [])


def _smaller_statements(tree: ast.Module, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Pass):
        return
    yield from _valid(_without(tree, node))
    if isinstance(node, ast.If | ast.For | ast.While):
        yield from _valid(_replaced(tree, node, node.body))
        if node.orelse:
            yield from _valid(_replaced(tree, node, node.orelse))


def _smaller_expressions(tree: ast.Module, node: ast.expr) -> Iterator[str]:
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load) or isinstance(node, ast.Constant):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _valid(_replaced(tree, node, child))
    if not isinstance(node, ast.Name):
        for constant in (ast.Constant(1), ast.Constant(1.0), ast.Constant(True)):
            yield from _valid(_replaced(tree, node, constant))
