"""Parses the text of queries to a syntax tree, by the grammar in dialect.lark."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

from lark import Lark, Tree, UnexpectedCharacters, UnexpectedToken, v_args
from lark.exceptions import VisitError

from wirestream.compiler.expression_rules import Expressions, at, name_of
from wirestream.compiler.names import Named, expanded, named, unqualified
from wirestream.compiler.syntax import Item, JoinWindow, Limit, Order, Query, Select, Source, Span, Window
from wirestream.compiler.unexpected import unexpected
from wirestream.compiler.window_forms import Windowed, check_emit, in_brackets, of_clause, of_table
from wirestream.errors import Position, QueryError
from wirestream.schema.declaration import Create, FieldName, Framing, TimeField
from wirestream.schema.fields import Field
from wirestream.schema.units import unit_of

MOST_ROWS = 2**16  # in a window of a JOIN
MOST_DEPTH = 100  # of the parse tree


@cache
def _grammar() -> Lark:
    return Lark(files(__package__).joinpath("dialect.lark").read_text(), parser="lalr", propagate_positions=True)


def parse(text: str) -> list[Create | Query]:
    """The statements of `text`; raises `QueryError` at the first unexpected word."""
    try:
        tree = _grammar().parse(text)
        _check_depth(tree)
        return _Build().transform(tree)
    except UnexpectedToken as error:
        lines = text.splitlines() or [""]
        ends = error.token.type == "$END"
        position = Position(len(lines), len(lines[-1]) + 1) if ends else Position(error.line, error.column)
        offset = len(text) if ends else error.pos_in_stream
        raise QueryError(unexpected(text, offset, error.accepts or error.expected), position) from error
    except UnexpectedCharacters as error:
        raise QueryError(unexpected(text, error.pos_in_stream), Position(error.line, error.column)) from error
    except VisitError as error:
        raise error.orig_exc from None


def parse_window(text: str) -> Window | JoinWindow:
    """A window, given with its brackets, before the pass `units`; raises `QueryError`."""
    (query,) = parse(f"SELECT count(*) AS n FROM s {text}")
    return query.body[0].source.window


def _check_depth(tree: Tree) -> None:
    """Raise `QueryError` if the tree is too deep for the passes, which are recursive."""
    level = [tree]
    for _ in range(MOST_DEPTH):
        level = [part for parent in level for part in parent.children if isinstance(part, Tree)]
    if level:
        position = at(level[0].meta)
        raise QueryError(f"nested, or chained, deeper than {MOST_DEPTH}; only AND and OR have no limit", position)


@v_args(meta=True)
class _Build(Expressions):
    """One method for each rule of the grammar; those of expressions are inherited."""

    def start(self, meta, parts):
        return [part for part in parts if part is not None]

    # ---- declarations

    def create(self, meta, parts):
        name, *fields, time = parts
        return Create(at(meta), str(name), tuple(fields), time=time)

    def time_field(self, meta, parts):
        name, unit = parts
        return TimeField(str(name), unit and unit_of(unit), at(meta))

    def create_messages(self, meta, parts):
        name, kind, of, message, *fields, framing = parts
        names = tuple(FieldName(str(f), at(f)) for f in fields)
        return Create(at(of), str(name), names, (kind.upper(), str(of), str(message)), framing)

    def framing(self, meta, parts):
        given = zip(("reorder", "gap_ms"), parts, strict=True)
        return Framing(**{name: int(number) for name, number in given if number is not None}, position=at(meta))

    def field(self, meta, parts):
        name, kind, nullable = parts
        try:
            return Field(str(name), kind, bool(nullable))
        except ValueError as error:
            scaled = "; decimal(18, 4) holds fractions exactly" if kind in ("float", "double", "real") else ""
            raise QueryError(f"{error}{scaled}", at(meta)) from error

    def type(self, meta, parts):
        name, *arguments = (str(part) for part in parts if part is not None)
        return f"{name}({', '.join(arguments)})" if arguments else name

    def nullable(self, meta, parts):
        return True

    def not_nullable(self, meta, parts):
        return False

    # ---- queries

    def NAME(self, token):
        """Without backquotes; of another type if it had them."""
        quoted = token.startswith("`")
        return token.update(type="QUOTED" if quoted else None, value=token.strip("`"))

    ALIAS = NAME

    def query(self, meta, parts):
        first, *named, body, emit, into = parts
        if first and into:
            raise QueryError(f"the result has two names, {first} and {into}", at(first))
        if emit:
            check_emit(emit, body, at(emit))
        return Query(expanded([n for n in named if n], body), str(into or first or "Result"))

    def named(self, meta, parts):
        name, body = parts
        return Named(at(name), str(name), body)

    def body(self, meta, parts):
        first, *others, order, limit = parts
        if others and (order or limit):
            why = "ORDER BY and LIMIT are for the rows of one window; of a UNION write them into sub-queries"
            raise QueryError(why, at(meta))
        selects = [replace(first, order=order or (), limit=limit), *others]
        return tuple(in_brackets(unqualified(select)) for select in selects)

    def select(self, meta, parts):
        unique, items, source, other, on, where, group, having, qualify = parts
        clauses = where, group or (), having, unique is not None
        return Select(at(meta), items, source, other, on, *clauses, qualify=qualify)

    def unique(self, meta, parts):
        return True

    def items(self, meta, parts):
        return tuple(named(item, place) for place, item in enumerate(parts, 1))

    def everything(self, meta, parts):
        return Item(at(meta), None)

    def item(self, meta, parts):
        return Item(at(meta), *parts)

    def alias(self, meta, parts):
        return str(parts[0])

    def where(self, meta, parts):
        return parts[0]

    def having(self, meta, parts):
        return parts[0]

    def qualify(self, meta, parts):
        return parts[0]

    def group(self, meta, parts):
        return tuple(parts)

    def ordering(self, meta, parts):
        return tuple(parts)

    def order(self, meta, parts):
        expression, direction, nulls = parts
        descending = direction is not None and direction.lower() == "desc"
        return Order(expression, descending, descending if nulls is None else nulls.lower() == "last")

    def limit(self, meta, parts):
        count, offset = parts
        return Limit(at(meta), int(count), int(offset or 0))

    def offset(self, meta, parts):
        return Limit(at(meta), None, int(parts[0]))

    def source(self, meta, parts):
        relation, window, alias, clause = parts
        relation, windowing = relation if isinstance(relation, Windowed) else (relation, None)
        windows = [given for given in (windowing, window, clause) if given is not None]
        if len(windows) > 1:
            raise QueryError("two windows over one source", windows[1].position)
        named = isinstance(relation, str)
        source = relation if named else None, None if named else relation
        return Source(at(meta), *source, windows[0] if windows else None, alias)

    def stream(self, meta, parts):
        return name_of(parts[0])

    def subquery(self, meta, parts):
        return parts[0]

    def windowed_stream(self, meta, parts):
        function, stream, *others = parts
        return self._windowed(meta, name_of(stream), function, *others)

    def windowed_subquery(self, meta, parts):
        function, body, *others = parts
        return self._windowed(meta, body, function, *others)

    def _windowed(self, meta, of, function, descriptor, attribute, *lengths):
        return Windowed(of, of_table(at(meta), function, descriptor, name_of(attribute), *lengths))

    # ---- windows

    def clause(self, meta, parts):
        kind, *lengths = parts
        return of_clause(at(meta), kind, dict(lengths))

    def size(self, meta, parts):
        return "SIZE", parts[0]

    def advance(self, meta, parts):
        return "ADVANCE", parts[0]

    def grace(self, meta, parts):
        return "GRACE", parts[0]

    def gap(self, meta, parts):
        return "GAP", parts[0]

    def range_window(self, meta, parts):
        size, advance, attribute, slack, *options = parts
        return self._window(meta, "time", size, advance, options, attribute=name_of(attribute), slack=slack or 0)

    def time_window(self, meta, parts):
        size, advance, *options = parts
        return self._window(meta, "time", size, advance, options)

    def tuple_window(self, meta, parts):
        size, advance = parts
        if isinstance(size, Span) or isinstance(advance, Span):
            raise QueryError("SIZE and ADVANCE of TUPLES have no unit; a window in time ends in TIME", at(meta))
        return self._window(meta, "tuples", size, advance, [])

    def session_window(self, meta, parts):
        gap, attribute, slack, *options = parts
        return self._window(meta, "session", gap, 1, options, attribute=name_of(attribute), slack=slack or 0)

    def rows_window(self, meta, parts):
        return self._join_window(meta, int(parts[0]))

    def near_window(self, meta, parts):
        near, attribute, slack, rows = parts
        return self._join_window(meta, int(rows), name_of(attribute), near, slack or 0)

    def _join_window(self, meta, rows, *more):
        if not 1 <= rows <= MOST_ROWS:
            raise QueryError(f"ROWS {rows}: must be 1 to {MOST_ROWS}", at(meta))
        return JoinWindow(at(meta), rows, *more)

    def _window(self, meta, unit, size, advance, options, **more):
        return Window(at(meta), unit, size, advance, **more, **dict(options))

    def span(self, meta, parts):
        number, unit = parts
        return Span(int(number), unit_of(unit)) if unit else int(number)

    def starts(self, meta, parts):
        return "start", parts[0]

    def max_ahead(self, meta, parts):
        return "max_ahead", parts[0]

    def resync(self, meta, parts):
        return "resync", int(parts[0])

    def emit_empty(self, meta, parts):
        return "emit_empty", True
