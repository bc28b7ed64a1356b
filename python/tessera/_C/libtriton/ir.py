"""Read-only IR: operations, their operands and results, blocks and regions.

    module = ASTSource(...).make_ir(target, options, {}, {}, context())
    module.walk(lambda op: print(op.get_name(), [op.get_operand(i).id() for i in range(op.get_num_operands())]))

Names are Triton's. The library parses the IR (tessera_module_outline in include/tessera.h), and these classes wrap the result, so
nothing can be changed. `id()` identifies values, blocks and regions within one module.
"""
from __future__ import annotations

from ... import _native


class context:
    """A placeholder: the library creates its own contexts."""

    def disable_multithreading(self) -> None:
        pass


def load_dialects(context) -> None:
    """Does nothing: all dialects are part of the library."""


class value:

    def __init__(self, number: int) -> None:
        self._number = number

    def id(self) -> int:
        return self._number

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and other._number == self._number

    def __hash__(self) -> int:
        return self._number


class region(value):
    pass


class block(value):

    def __init__(self, number: int, facts: dict) -> None:
        super().__init__(number)
        self._facts = facts

    def get_num_arguments(self) -> int:
        return len(self._facts["arguments"])

    def get_argument(self, index: int) -> value:
        return value(self._facts["arguments"][index])

    def get_parent(self) -> region:
        return region(self._facts["region"])


class operation:

    def __init__(self, facts: dict, blocks: list) -> None:
        self._facts, self._blocks = facts, blocks

    def get_name(self) -> str:
        return self._facts["name"]

    def get_num_operands(self) -> int:
        return len(self._facts["operands"])

    def get_operand(self, index: int) -> value:
        return value(self._facts["operands"][index])

    def get_num_results(self) -> int:
        return len(self._facts["results"])

    def get_result(self, index: int) -> value:
        return value(self._facts["results"][index])

    def get_num_regions(self) -> int:
        return len(self._facts["regions"])

    def get_region(self, index: int) -> region:
        return region(self._facts["regions"][index])

    def get_block(self) -> block | None:
        """The block of the operation; None for the module."""
        number = self._facts["block"]
        return None if number is None else block(number, self._blocks[number])

    def _attribute(self, name: str, kind: type):
        found = self._facts["attributes"].get(name)
        return found if type(found) is kind else None

    def get_str_attr(self, name: str) -> str | None:
        return self._attribute(name, str)

    get_flat_symbol_ref_attr = get_str_attr

    def get_bool_attr(self, name: str) -> bool | None:
        return self._attribute(name, bool)

    def get_int_attr(self, name: str) -> int | None:
        return self._attribute(name, int)


class module(operation):
    """Parses the contents of a .ttir or .ttgir file; ValueError if they are invalid."""

    def __init__(self, text: str, context=None, path: str = "module.ttir") -> None:
        self._text, self.context = text, context
        outline = _native.outline(text, path)
        self._operations = outline["operations"]
        super().__init__(self._operations[-1], outline["blocks"])

    def walk(self, visit) -> None:
        """Calls visit(operation) for all operations: nested ones before the operation that holds them, the module last."""
        for facts in self._operations[:-1]:
            visit(operation(facts, self._blocks))
        visit(self)

    def verify(self) -> bool:
        """Always true: the constructor raises if the module is invalid."""
        return True

    def __str__(self) -> str:
        return self._text

    str_nodebug = __str__


def parse_mlir_module(path: str, context) -> module:
    with open(path, encoding="utf-8") as file:
        return module(file.read(), context, path)
