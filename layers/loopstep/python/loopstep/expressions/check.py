"""Static typing of expressions (LANGUAGE §6): types, enums, nominal literals, presence under guards.

Facts are sets of reference paths that are proven present where an expression is true, and where it is false.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.ast import (
    Ast,
    Call,
    Chain,
    Comparison,
    Faulty,
    ListOf,
    Literal,
    Path,
    Reference,
    Unary,
    path_text,
    references,
)
from loopstep.expressions.faults import ExprFault
from loopstep.expressions.functions import FUNCTIONS
from loopstep.expressions.kinds import (
    BOOLEAN,
    EMPTY,
    INTEGER,
    NOMINAL,
    NUMBER,
    NUMBERS,
    SCALARS,
    boolean_hint,
    both,
    compare_hint,
    join,
    literal_schema,
    plain,
    quoted,
)
from loopstep.expressions.scope import WORDS, Resolved, Scope, article, is_known
from loopstep.types.assignable import literal as literal_fits
from loopstep.types.schema import MISSING, Schema, describe
from loopstep.types.text import is_member

Facts = frozenset[Path]
NONE: Facts = frozenset()


class Typed(NamedTuple):
    """A checked expression.

    `schema` None: unknown type that fits everything (a fault in it was reported). `present`: False only for a bare
    reference that may be absent. `literal`: the value where the expression is a literal or a list of literals, else
    MISSING; then `types.assignable.literal` judges it against its target. `secret`: it reads a secret field.
    `refs`: every reference in order, resolved or not. `types` and `resolved` are by `id(node)`.
    """

    ast: Ast
    schema: Schema | None
    present: bool
    faults: tuple[ExprFault, ...]
    refs: tuple[Reference, ...]
    literal: Any
    secret: bool
    types: dict[int, Schema | None]
    resolved: dict[int, Resolved]


def check(ast: Ast, scope: Scope) -> Typed:
    """Types of the expression and all its independent faults. A bare reference may be absent (see `present`)."""
    checker = _Checker(scope)
    present = True
    if isinstance(ast, Reference):
        found = checker.resolve(ast, NONE)
        present = found is None or found.present
        schema = checker.keep(ast, found.schema if found else None)
    elif isinstance(ast, Literal) and ast.value is None:
        checker.fault(ast, "null is no value of its own", "leave the field out; null stands beside == and !=")
        schema = None
    else:
        schema, _, _ = checker.visit(ast, NONE)
    return checker.typed(ast, schema, present)


def check_boolean(ast: Ast, scope: Scope) -> Typed:
    """The same for `when` and `while`: also expr.not_boolean, and reference.optional for a bare optional boolean."""
    checker = _Checker(scope)
    schema, _, _ = checker.visit(ast, NONE)
    if schema is not None and schema.type != "boolean":
        message = f"this must be true or false, not {article(describe(schema))}"
        checker.report(ExprFault("expr.not_boolean", message, ast.start, ast.end, boolean_hint(schema)))
    return checker.typed(ast, schema, True)


def constant(node: Ast) -> Any:
    """The JSON value of a literal or a list of literals, else MISSING."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, ListOf):
        values = [constant(item) for item in node.items]
        return MISSING if any(value is MISSING for value in values) else values
    return MISSING


def _beginnings(path: Path) -> Facts:
    return frozenset(path[:length] for length in range(2, len(path) + 1)) | {path}


def _is_null(node: Ast) -> bool:
    return isinstance(node, Literal) and node.value is None


_Result = tuple[Schema | None, Facts, Facts]  # the type, what is proven where it is true, and where it is false


class _Checker:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.faults: list[ExprFault] = []
        self.types: dict[int, Schema | None] = {}
        self.resolved: dict[int, Resolved] = {}
        self.reported = NONE  # paths whose absence was reported: a guard there mends what follows

    def typed(self, ast: Ast, schema: Schema | None, present: bool) -> Typed:
        refs = tuple(references(ast))
        secret = any(found.secret for found in self.resolved.values())
        faults = tuple(sorted(self.faults, key=lambda fault: (fault.start, fault.end)))
        return Typed(ast, schema, present, faults, refs, constant(ast), secret, self.types, self.resolved)

    # -- reports -----------------------------------------------------------------------------------------------------

    def report(self, fault: ExprFault) -> None:
        if not any(known.start == fault.start and known.code == fault.code for known in self.faults):
            self.faults.append(fault)

    def fault(self, node: Ast, message: str, hint: str = "") -> None:
        self.report(ExprFault("expr.type_mismatch", message, node.start, node.end, hint))

    def keep(self, node: Ast, schema: Schema | None) -> Schema | None:
        self.types[id(node)] = schema
        return schema

    # -- references --------------------------------------------------------------------------------------------------

    def resolve(self, node: Reference, facts: Facts) -> Resolved | None:
        found = self.scope.resolve(node, facts)
        if isinstance(found, ExprFault):
            self.report(found)
            return None
        self.resolved[id(node)] = found
        return found

    def used(self, node: Reference, facts: Facts) -> Schema | None:
        """A reference whose value is needed: reference.optional where it may be absent, once per path."""
        found = self.resolve(node, facts | self.reported)
        if found is None:
            return self.keep(node, None)
        if not found.present:
            self.reported |= _beginnings(node.path)
            text = path_text(node.path)
            message = f"{text} may be absent here"
            hint = f"guard it: {text} != null && …"
            self.report(ExprFault("reference.optional", message, node.start, node.end, hint))
        return self.keep(node, found.schema)

    # -- every node --------------------------------------------------------------------------------------------------

    def visit(self, node: Ast, facts: Facts) -> _Result:
        """The type of a node whose value is needed; `facts` is what holds where it is evaluated."""
        if isinstance(node, Reference):
            return self.used(node, facts), NONE, NONE
        if isinstance(node, Chain):
            return self.logic(node, facts) if node.op in ("&&", "||") else self.arithmetic(node, facts)
        if isinstance(node, Comparison):
            return self.compare(node, facts)
        if isinstance(node, Unary):
            return self.unary(node, facts)
        if isinstance(node, Literal):
            return self.literal(node), NONE, NONE
        if isinstance(node, Call):
            return self.call(node, facts), NONE, NONE
        if isinstance(node, ListOf):
            return self.list_of(node, facts), NONE, NONE
        self.faulty(node)
        return None, NONE, NONE

    def faulty(self, node: Faulty) -> None:
        for reference in node.references:
            self.resolve(reference, NONE)

    def literal(self, node: Literal) -> Schema | None:
        if node.value is None:
            self.fault(node, "null stands beside == and != only")
            return self.keep(node, None)
        return self.keep(node, literal_schema(node.value))

    def list_of(self, node: ListOf, facts: Facts) -> Schema | None:
        if not node.items:
            return self.keep(node, EMPTY)
        types = [self.visit(item, facts)[0] for item in node.items]
        if any(found is None for found in types):
            return self.keep(node, None)
        merged: Schema | None = types[0]
        for item, found in zip(node.items[1:], types[1:], strict=True):
            before = merged
            merged = join(merged, found) if merged is not None and found is not None else None
            if merged is None:
                left = describe(plain(before)) if before is not None else ""
                right = describe(plain(found)) if found is not None else ""
                self.fault(item, f"a list of mixed types: {left} and {right}", "the elements of a list have one type")
                return self.keep(node, None)
        if merged is not None and merged.type in NOMINAL:
            for item, found in zip(node.items, types, strict=True):
                if found is not None and found.type != merged.type and not self.adopt(item, merged):
                    self.fault(item, f"a list of mixed types: {merged.type} and {found.type}")
                    return self.keep(node, None)
        return self.keep(node, Schema(type="array", required=True, items=merged))

    def logic(self, node: Chain, facts: Facts) -> _Result:
        """`a && b`: b is evaluated where a is true; `a || b`: where a is false."""
        both = node.op == "&&"
        here, every, some = facts, NONE, None
        wrong: list[int] = []
        for place, operand in enumerate(node.operands):
            schema, true, false = self.visit(operand, here)
            self.operand(node, place, schema, "boolean", wrong)
            go_on, leave = (true, false) if both else (false, true)
            left_here = every | leave
            some = left_here if some is None else some & left_here
            every = every | go_on
            here = here | go_on
        left = some or NONE
        return (self.keep(node, BOOLEAN), every, left) if both else (self.keep(node, BOOLEAN), left, every)

    def unary(self, node: Unary, facts: Facts) -> _Result:
        schema, true, false = self.visit(node.operand, facts)
        if node.op == "!":
            self.must_be(node.operand, schema, "boolean", "!")
            return self.keep(node, BOOLEAN), false, true
        right = self.must_be(node.operand, schema, "number", "-")
        result = INTEGER if schema is not None and schema.type == "integer" else NUMBER
        return self.keep(node, result if right and schema is not None else None), NONE, NONE

    def arithmetic(self, node: Chain, facts: Facts) -> _Result:
        types: list[Schema | None] = []
        wrong: list[int] = []
        for place, operand in enumerate(node.operands):
            types.append(self.visit(operand, facts)[0])
            self.operand(node, place, types[place], "number", wrong)
        if wrong or None in types:
            return self.keep(node, None), NONE, NONE
        whole = all(found is not None and found.type == "integer" for found in types)
        return self.keep(node, INTEGER if whole else NUMBER), NONE, NONE

    def operand(self, node: Chain, place: int, schema: Schema | None, wanted: str, wrong: list[int]) -> None:
        """One operand of a chain. An operator is reported once, so the first two operands share a report."""
        op = "-" if node.minus[place] else node.op
        if place == 1 and wrong == [0]:
            return
        if not self.must_be(node.operands[place], schema, wanted, op):
            wrong.append(place)

    def must_be(self, node: Ast, schema: Schema | None, wanted: str, op: str) -> bool:
        if schema is None or schema.type == wanted or (wanted == "number" and schema.type == "integer"):
            return True
        takes = "numbers" if wanted == "number" else "booleans"
        hint = ""
        if wanted == "number" and schema.type == "string":
            hint = "texts are put together in a template, and turned into numbers with `convert`"
        elif schema.type == "any":
            hint = f"give it a type first: {{ref: …, convert: {{to: {wanted}}}}}"
        elif wanted == "boolean":
            hint = boolean_hint(schema)
        self.fault(node, f"{op} takes {takes}, not {article(describe(plain(schema)))}", hint)
        return False

    # -- comparisons -------------------------------------------------------------------------------------------------

    def compare(self, node: Comparison, facts: Facts) -> _Result:
        self.keep(node, BOOLEAN)
        if node.op in ("==", "!=") and (_is_null(node.left) or _is_null(node.right)):
            return self.compare_null(node, facts)
        for side in (node.left, node.right):
            if isinstance(side, Reference) and WORDS.get(str(side.path[0])) == "null":  # its own fault says: write null
                self.resolve(side, facts)
                return BOOLEAN, NONE, NONE
        left = self.visit(node.left, facts)[0]
        right = self.visit(node.right, facts)[0]
        if node.op == "in":
            self.member(node, node.left, left, node.right, right, "in takes an array of scalars on its right")
        elif left is not None and right is not None:
            equality = node.op in ("==", "!=")
            self.equal(node, left, right) if equality else self.ordered(node, left, right)
        return BOOLEAN, NONE, NONE

    def compare_null(self, node: Comparison, facts: Facts) -> _Result:
        other = node.right if _is_null(node.left) else node.left
        if isinstance(other, Reference):
            found = self.resolve(other, facts)
            self.keep(other, found.schema if found else None)
            if found is not None and found.schema is not None and not found.optional and found.schema.type != "any":
                self.fault(node, f"{path_text(other.path)} is never absent", "remove the comparison with null")
            proven = _beginnings(other.path)
            return (BOOLEAN, proven, NONE) if node.op == "!=" else (BOOLEAN, NONE, proven)
        if not _is_null(other):
            schema = self.visit(other, facts)[0]
            if schema is None:
                return BOOLEAN, NONE, NONE
        self.fault(node, "only a reference that may be absent compares with null", "remove the comparison")
        return BOOLEAN, NONE, NONE

    def equal(self, node: Comparison, left: Schema, right: Schema) -> None:
        for side in (left, right):
            if side.type not in SCALARS:
                hint = "compare its fields, or use length(…) or contains(…)"
                if side.type == "any":
                    hint = "give it a type first, by an input of that type and `convert`"
                self.fault(node, f"{describe(plain(side))} compares with null only", hint)
                return
        if not self.one_type(node.left, left, node.right, right):
            message = f"{node.op} compares two values of one type, not {both(left, right)}"
            self.fault(node, message, compare_hint(left, right))
            return
        self.within(node.left, node.right, right)
        self.within(node.right, node.left, left)

    def ordered(self, node: Comparison, left: Schema, right: Schema) -> None:
        numbers = left.type in NUMBERS and right.type in NUMBERS
        if not numbers and not left.type == right.type == "string":
            message = f"{node.op} compares two numbers or two strings, not {both(left, right)}"
            self.fault(node, message, compare_hint(left, right))

    def one_type(self, left_node: Ast, left: Schema, right_node: Ast, right: Schema) -> bool:
        """One scalar type on both sides, after a literal took the nominal type beside it."""
        if left.type == right.type or (left.type in NUMBERS and right.type in NUMBERS):
            return True
        if right.type in NOMINAL and left.type == "string":
            return self.adopt(left_node, right)
        return left.type in NOMINAL and right.type == "string" and self.adopt(right_node, left)

    def adopt(self, node: Ast, nominal: Schema) -> bool:
        """Whether the node is a literal text; one without the nominal form is reported here and fits."""
        if not isinstance(node, Literal):
            return False
        if literal_fits(node.value, Schema(type=nominal.type))[1] is not None:
            self.fault(node, f"{quoted(node.value)} is no {nominal.type}")
        return True

    def within(self, node: Ast, beside: Ast, other: Schema) -> None:
        """A literal outside the declared enum of what stands beside it."""
        if not isinstance(node, Literal) or isinstance(beside, (Literal, ListOf)) or other.enum is None:
            return
        if not is_member(node.value, other.enum):
            members = ", ".join(quoted(member) for member in other.enum[:12])
            self.fault(node, f"{quoted(node.value)} is none of {members}", "this could never be true")

    def member(self, node: Ast, item: Ast, found: Schema | None, array: Ast, whole: Schema | None, rule: str) -> None:
        """`item in array` and `contains(array, item)`."""
        if whole is None:
            return
        element = whole.items
        if whole is EMPTY:
            if found is not None and found.type not in SCALARS:
                self.fault(item, f"{describe(plain(found))} is no scalar")
            return
        if element is not None and not is_known(element):
            return
        if whole.type != "array" or element is None or element.type not in SCALARS:
            hint = "declare the type of its `items`" if whole.type == "array" else ""
            if whole.type == "string":
                hint = "write contains(text, part) for a part of a text"
            self.fault(array, f"{rule}, not {article(describe(plain(whole)))}", hint)
            return
        if found is None:
            return
        if not self.one_member_type(item, found, array, element):
            self.fault(node, f"the elements are {describe(plain(element))}, not {describe(plain(found))}")
            return
        before = len(self.faults)
        self.within(item, array, element)
        for each in array.items if isinstance(array, ListOf) else ():
            if len(self.faults) == before:  # `in` is reported once
                self.within(each, item, found)

    def one_member_type(self, item: Ast, found: Schema, array: Ast, element: Schema) -> bool:
        if found.type in NOMINAL and element.type == "string":
            before = len(self.faults)
            listed = array.items if isinstance(array, ListOf) else (array,)
            return all(len(self.faults) > before or self.adopt(each, found) for each in listed)
        return self.one_type(item, found, array, element)

    # -- functions ---------------------------------------------------------------------------------------------------

    def call(self, node: Call, facts: Facts) -> Schema | None:
        function = FUNCTIONS[node.name]
        types = [self.visit(argument, facts)[0] for argument in node.arguments]
        self.keep(node, INTEGER if function.result == "integer" else BOOLEAN)
        first = types[0]
        if first is None:
            if all(signature == ("string",) * function.arity for signature in function.signatures):
                self.texts(node, types)
        elif first.type not in (kinds := [signature[0] for signature in function.signatures]):
            hint = "give it a type first, by an input of that type and `convert`" if first.type == "any" else ""
            shown = article(describe(plain(first)))
            self.fault(node.arguments[0], f"{node.name} takes {' or '.join(map(article, kinds))}, not {shown}", hint)
        elif function.arity == 2:
            signature = next(one for one in function.signatures if one[0] == first.type)
            if signature[1] == "element":
                rule = f"{node.name} takes an array of scalars"
                self.member(node, node.arguments[1], types[1], node.arguments[0], first, rule)
            else:
                self.texts(node, [None, types[1]])
        return self.types[id(node)]

    def texts(self, node: Call, types: list[Schema | None]) -> None:
        for argument, found in zip(node.arguments, types, strict=True):
            if found is not None and found.type != "string":
                self.fault(argument, f"{node.name} takes strings, not {article(describe(plain(found)))}")
                return
