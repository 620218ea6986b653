"""Expression texts to syntax trees (grammar.txt, LANGUAGE §6); never raises.

A wrong spelling whose meaning is clear (`and`, `=`, `/`, an unknown function) is reported and parsing goes on, so that
all of them show at once; what cannot be read further ends it.
"""

from __future__ import annotations

from loopstep.expressions.ast import (
    Ast,
    Call,
    Chain,
    Comparison,
    Faulty,
    ListOf,
    Literal,
    Reference,
    Unary,
)
from loopstep.expressions.faults import ExprFault
from loopstep.expressions.functions import FUNCTIONS
from loopstep.expressions.spelling import NO_OPERATOR, OPERATORS, UNEXPECTED, unknown_function
from loopstep.expressions.tokens import Token, tokens

MAX_LENGTH = 4096
MAX_DEPTH = 64

_OR, _AND, _COMPARE, _SUM, _PRODUCT = 1, 2, 3, 4, 5
_POWER = {
    "||": _OR, "&&": _AND, "==": _COMPARE, "!=": _COMPARE, "<": _COMPARE, "<=": _COMPARE, ">": _COMPARE,
    ">=": _COMPARE, "in": _COMPARE, "+": _SUM, "-": _SUM, "*": _PRODUCT,
}  # fmt: skip
_WORDS = {"true": True, "false": False, "null": None}


class _Stop(Exception):
    """Parsing cannot go on; its fault is already in the list."""


def parse(text: str) -> tuple[Ast | None, list[ExprFault]]:
    """The tree of an `expr`, `when` or `while`, and its faults in order: expr.syntax, document.too_large, limit.depth.

    With faults the tree is None, or a Faulty that `check` accepts: it reports what is wrong with the references.
    """
    return parse_between(text, 0, len(text))


def parse_between(text: str, start: int, end: int) -> tuple[Ast | None, list[ExprFault]]:
    """The same for `text[start:end]`, with offsets into `text`."""
    if end - start > MAX_LENGTH:
        return None, [_too_long(start, end)]
    parser = _Parser(tokens(text, start, end))
    try:
        tree: Ast | None = parser.whole()
    except _Stop:
        tree = None
    return tree, sorted(parser.faults, key=lambda fault: fault.start)


def parse_ref(text: str) -> tuple[Reference | None, list[ExprFault]]:
    """The reference that a `ref` text is; anything else is expr.syntax."""
    if len(text) > MAX_LENGTH:
        return None, [_too_long(0, len(text))]
    parser = _Parser(tokens(text, 0, len(text)))
    try:
        return parser.only_reference(), parser.faults
    except _Stop:
        return None, parser.faults


def _too_long(start: int, end: int) -> ExprFault:
    message = f"the expression has {end - start} characters, at most {MAX_LENGTH} are allowed"
    return ExprFault("document.too_large", message, start, end, "split it over several nodes")


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.place = 0
        self.depth = 0
        self.faults: list[ExprFault] = []
        self.references: list[Reference] = []

    # -- tokens ------------------------------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def next(self) -> Token:
        token = self.tokens[self.place]
        if self.place < len(self.tokens) - 1:
            self.place += 1
        return token

    def take(self, mark: str) -> Token | None:
        token = self.tokens[self.place]
        return self.next() if token.kind == "mark" and token.value == mark else None

    def fault(self, message: str, start: int, end: int, hint: str = "") -> None:
        self.faults.append(ExprFault("expr.syntax", message, start, end, hint))

    def stop(self, message: str, token: Token, hint: str = "") -> _Stop:
        if token.kind == "bad":
            self.faults.append(token.value)
        else:
            self.fault(message, token.start, token.end, hint)
        return _Stop()

    def enter(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"the expression nests deeper than {MAX_DEPTH} levels"
            self.faults.append(ExprFault("limit.depth", message, token.start, token.end, "split it over several nodes"))
            raise _Stop

    # -- whole texts -------------------------------------------------------------------------------------------------

    def whole(self) -> Ast:
        first = self.token
        if first.kind == "end":
            raise self.stop("the expression is empty", first, "write a literal, a reference or an expression")
        tree = self.expression(_OR)
        if self.token.kind != "end":
            raise self.trailing()
        if self.faults:
            return Faulty(tuple(self.references), first.start, self.token.end)
        return tree

    def only_reference(self) -> Reference:
        first = self.next()
        if first.kind == "end":
            raise self.stop("the reference is empty", first, "write a reference, as in state.total")
        if first.kind != "name" or first.value in _WORDS or first.value == "in":
            hint = UNEXPECTED.get(first.value) if first.kind == "mark" else None
            raise self.stop("a ref is one reference", first, hint or "use `value` for a literal, `expr` for more")
        reference = self.reference(first)
        if self.token.kind != "end":
            hint = UNEXPECTED.get(self.token.value) if self.token.kind == "mark" else None
            raise self.stop(
                "a ref is one reference and nothing else", self.token, hint or "use `expr` for an expression"
            )
        return reference

    def trailing(self) -> _Stop:
        token = self.token
        if token.kind == "mark":
            if token.value == ")":
                return self.stop("this ) closes nothing", token, "remove it, or add its (")
            if token.value in (".", "["):
                return self.stop("only a reference goes on with . or [ ]", token, "and it is written without blanks")
            return self.stop(f"{token.value} is not expected here", token, UNEXPECTED.get(token.value, ""))
        if token.kind == "name" and token.value in ("not", "NOT"):
            return self.stop("not is no operator", token, "write !(a in b), or a != b")
        return self.stop("an operator is missing before this", token, "join with && || == != < <= > >= in + - *")

    # -- operators ---------------------------------------------------------------------------------------------------

    def operator(self) -> tuple[str, int] | None:
        """The operator at this place and its power. A spelling of another language is reported and understood."""
        token = self.token
        if token.kind not in ("mark", "name"):
            return None
        power = _POWER.get(token.value)
        if power:
            return token.value, power
        meant = OPERATORS.get(token.value if token.kind == "mark" else token.value.lower())
        if meant:
            return meant, _POWER[meant]
        return (token.value, _PRODUCT) if token.value in NO_OPERATOR else None

    def misspelt(self, token: Token, meant: str) -> None:
        if token.value in NO_OPERATOR:
            self.fault(f"{token.value} is no operator", token.start, token.end, NO_OPERATOR[token.value])
        elif token.value != meant:
            self.fault(f"{token.value} is no operator", token.start, token.end, f"write {meant}")

    def expression(self, floor: int) -> Ast:
        left = self.unary()
        while (found := self.operator()) and found[1] >= floor:
            power = found[1]
            left = self.comparison(left) if power == _COMPARE else self.chain(left, power)
        return left

    def chain(self, first: Ast, power: int) -> Ast:
        operands, minus, op = [first], [False], ""
        while (found := self.operator()) and found[1] == power:
            op = found[0]
            self.misspelt(self.next(), op)
            operands.append(self.expression(power + 1))
            minus.append(op == "-")
        name = "+" if power == _SUM else op
        return Chain(name, tuple(operands), tuple(minus), operands[0].start, operands[-1].end)

    def comparison(self, left: Ast) -> Ast:
        op = (self.operator() or ("", 0))[0]
        self.misspelt(self.next(), op)
        right = self.expression(_SUM)
        while (again := self.operator()) and again[1] == _COMPARE:
            token = self.next()
            hint = "write a < b && b < c" if again[0] != "==" else "write a == b && b == c"
            self.fault("comparisons do not chain", token.start, token.end, hint)
            right = self.expression(_SUM)
        return Comparison(op, left, right, left.start, right.end)

    def unary(self) -> Ast:
        token = self.token
        negation = token.kind == "name" and token.value in ("not", "NOT") and self.operand_follows()
        if not negation and not (token.kind == "mark" and token.value in ("!", "-")):
            return self.primary()
        self.next()
        if negation:
            self.fault(f"{token.value} is no operator", token.start, token.end, "write !")
        number = self.token
        if token.value == "-" and number.kind == "literal" and not isinstance(number.value, str):
            self.next()
            return Literal(-number.value, token.start, number.end)
        self.enter(token)
        operand = self.unary()
        self.depth -= 1
        return Unary("-" if token.value == "-" else "!", operand, token.start, operand.end)

    def operand_follows(self) -> bool:
        """Behind `not`: an operand, other than its own brackets."""
        following = self.tokens[self.place + 1]
        if following.kind == "mark":
            return following.value in ("!", "-")
        return following.kind == "literal" or (following.kind == "name" and following.value not in _POWER)

    # -- operands ----------------------------------------------------------------------------------------------------

    def primary(self) -> Ast:
        token = self.token
        if token.kind == "literal":
            self.next()
            return Literal(token.value, token.start, token.end)
        if token.kind == "name":
            return self.named(self.next())
        if token.kind == "mark" and token.value in ("(", "["):
            self.enter(token)
            self.next()
            tree = self.bracketed(token) if token.value == "(" else self.listed(token)
            self.depth -= 1
            return tree
        raise self.no_operand(token)

    def no_operand(self, token: Token) -> _Stop:
        if token.kind == "end":
            return self.stop("the expression ends where a value should follow", token)
        if token.value == ".":
            following = self.tokens[min(self.place + 1, len(self.tokens) - 1)]
            hint = "write 0 before the point" if following.kind == "literal" else "start with a root, as in input.x"
            return self.stop("a value cannot start with a point", token, hint)
        return self.stop(f"a value should stand before {token.value}", token, UNEXPECTED.get(token.value, ""))

    def bracketed(self, opening: Token) -> Ast:
        tree = self.expression(_OR)
        self.close(")", opening)
        return tree

    def listed(self, opening: Token) -> Ast:
        items: list[Ast] = []
        closing = self.take("]")
        while closing is None:
            items.append(self.expression(_OR))
            if self.take(","):
                continue
            closing = self.close("]", opening)
        return ListOf(tuple(items), opening.start, closing.end)

    def close(self, mark: str, opening: Token) -> Token:
        closing = self.take(mark)
        if closing is not None:
            return closing
        if self.token.kind == "end":
            raise self.stop(f"{opening.value} is never closed", opening, f"add the closing {mark}")
        raise self.trailing()

    def named(self, name: Token) -> Ast:
        if self.token.kind == "mark" and self.token.value == "(":
            return self.call(name)
        if name.value in _WORDS:
            if self.token.value in (".", "[") and self.token.start == name.end:
                raise self.stop(f"{name.value} has no parts", self.token, "references start with a root, as in input.x")
            return Literal(_WORDS[name.value], name.start, name.end)
        if name.value == "in":
            raise self.stop("a value should stand before in", name)
        return self.reference(name)

    def call(self, name: Token) -> Ast:
        opening = self.next()
        self.enter(name)
        arguments: list[Ast] = []
        closing = self.take(")")
        while closing is None:
            arguments.append(self.expression(_OR))
            if self.take(","):
                continue
            closing = self.close(")", opening)
        self.depth -= 1
        function = FUNCTIONS.get(name.value)
        if function is None:
            hint = unknown_function(name.value)
            self.fault(f"there is no function {name.value}", name.start, name.end, hint)
        elif len(arguments) != function.arity:
            message = f"{name.value} takes {function.arity}, not {len(arguments)} arguments"
            self.fault(message, name.start, closing.end, f"write {function.usage}")
        return Call(name.value, tuple(arguments), name.start, closing.end)

    def reference(self, root: Token) -> Reference:
        path: list[str | int] = [root.value]
        end = root.end
        while self.token.kind == "mark" and self.token.start == end:
            if self.token.value == "?.":
                raise self.stop("a reference goes on with a plain point", self.token, UNEXPECTED["?."])
            if self.token.value == ".":
                end = self.field(path)
            elif self.token.value == "[":
                end = self.index(path)
            else:
                break
        reference = Reference(tuple(path), root.start, end)
        self.references.append(reference)
        return reference

    def field(self, path: list[str | int]) -> int:
        point = self.next()
        name = self.token
        if name.kind != "name" or name.start != point.end:
            hint = "array elements are written [0]" if name.kind == "literal" else "as in input.customer.name"
            raise self.stop("a name should follow the point", name if name.kind != "end" else point, hint)
        path.append(name.value)
        self.next()
        if self.token.kind == "mark" and self.token.value == "(" and self.token.start == name.end:
            usage = FUNCTIONS[name.value].usage if name.value in FUNCTIONS else unknown_function(name.value)
            raise self.stop("values have no methods", name, f"write {usage}" if name.value in FUNCTIONS else usage)
        return name.end

    def index(self, path: list[str | int]) -> int:
        opening = self.next()
        number = self.token
        if (
            number.kind == "literal"
            and type(number.value) is int
            and number.end - number.start == len(str(number.value))
        ):
            self.next()
            if self.token.kind == "mark" and self.token.value == "]":
                path.append(number.value)
                return self.next().end
        if number.kind == "bad":
            raise self.stop("", number)
        hint = "write .name for a field" if isinstance(number.value, str) and number.kind == "literal" else (
            "indexes count from 0, written out: items[0]"
        )  # fmt: skip
        raise self.stop("an index is a whole number", opening if self.token.kind == "end" else number, hint)
