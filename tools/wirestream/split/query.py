"""The text of a query to divide: the dialect, and further Spark SQL around it.

sqlglot parses it as Spark SQL after the constructs of the dialect are disguised: a window in brackets becomes a sample
of its relation, weights a string, `$name` a quoted name. A query is a chain of blocks, in which each SELECT reads the
one in its FROM, down to a stream or to a part that is not cut (a UNION, a JOIN of streams).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

from wirestream.compiler import syntax, units
from wirestream.compiler.parse import parse as parse_sql
from wirestream.compiler.parse import parse_window
from wirestream.compiler.spelling import spelled
from wirestream.compiler.window_forms import A_WINDOW, in_windows
from wirestream.errors import Position, QueryError
from wirestream.schema.streams import Stream, declared
from wirestream.split import spelling
from wirestream.split.expressions import conjuncts, dialect, foreign, mark_decimals, names, outermost, replaced

WINDOWS = ("RANGE", "SIZE", "SESSION", "ROWS")  # the first words of windows; other brackets hold weights
CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "distinct", "order", "limit", "offset"}
RESERVED = ("FromChip", "Windowed", "Whole")  # views of the job
LEVELS = ((exp.BitwiseLeftShift, exp.BitwiseRightShift), (exp.BitwiseAnd,), (exp.BitwiseXor,), (exp.BitwiseOr,))
BITWISE = tuple(kind for level in LEVELS for kind in level)


@dataclass(frozen=True)
class Whole:
    """A part that is not cut. why: the reason. plain: its text in the dialect; lacks: what the dialect does not
    support."""

    tree: exp.Expression
    why: str
    plain: str
    lacks: str
    windowed: bool

    @property
    def made(self) -> tuple[str, ...] | None:
        """The names of its columns, or None if unknown."""
        select = self.tree.find(exp.Select)
        names = [item.alias_or_name for item in select.expressions] if select else [""]
        return tuple(names) if all(names) and "*" not in names else None


@dataclass(frozen=True)
class Block:
    """One SELECT. source: a block, the name of a stream, or a part that is not cut. columns: of the source, None if
    unknown. alias: of the source in this SELECT. window: as in the text, "" if none; joins: with tables."""

    select: exp.Select
    source: Block | Whole | str
    columns: tuple[str, ...] | None
    alias: str = ""
    window: str = ""
    joins: tuple[exp.Join, ...] = ()

    @property
    def where(self) -> list[exp.Expression]:
        return conjuncts(self.select.args.get("where"))

    @property
    def having(self) -> list[exp.Expression]:
        """Its conditions, with aliases replaced by their expressions."""
        known = set(self.columns or ())
        aliases = {exp.column(i.alias): exp.paren(i.this) for i in self.items if i.alias and i.alias not in known}
        return [replaced(condition, aliases) for condition in conjuncts(self.select.args.get("having"))]

    @property
    def keys(self) -> list[exp.Expression]:
        group = self.select.args.get("group")
        return list(group.expressions) if group else []

    @property
    def items(self) -> list[exp.Expression]:
        """The SELECT list, with a star expanded to its columns."""
        found = []
        for item in self.select.expressions:
            stars = isinstance(item, exp.Star) and self.columns is not None and not self.joins
            found += [exp.column(name) for name in self.columns] if stars else [item]
        return found

    @property
    def made(self) -> tuple[str, ...] | None:
        """The names of its columns, or None if unknown."""
        names = [item.alias_or_name for item in self.items]
        return tuple(names) if all(names) and "*" not in names else None

    @property
    def spec(self) -> syntax.Window | None:
        """The window over the source. Raises QueryError."""
        return parse_window(self.window) if self.window else None

    @property
    def aggregates(self) -> list[exp.Expression]:
        """The calls of aggregates, each once."""
        return list(dict.fromkeys(call for part in self.results for call in outermost(part)))

    @property
    def results(self) -> list[exp.Expression]:
        """The parts that may call aggregates: SELECT, HAVING, ORDER BY."""
        return [*self.items, *self.having, *([self.last["order"]] if "order" in self.last else [])]

    @property
    def outside_aggregates(self) -> list[str]:
        """The columns that it reads outside of aggregates."""
        return names(*(replaced(part, {call: exp.Null() for call in outermost(part)}) for part in self.results))

    @property
    def aggregated(self) -> bool:
        return bool(self.keys or self.aggregates or self.window)

    @property
    def last(self) -> dict[str, exp.Expression]:
        """DISTINCT, ORDER BY, LIMIT and OFFSET, if present."""
        return {name: part for name in ("distinct", "order", "limit", "offset") if (part := self.select.args.get(name))}


@dataclass(frozen=True)
class DividedQuery:
    """chain: the blocks, from the leaf upward. leaf: the name of a stream, or a part that is not cut. name: of the
    result, from INTO. reads: the streams that it reads."""

    name: str
    chain: list[Block]
    leaf: Whole | str
    streams: dict[str, Stream]
    reads: list[str]
    constants: tuple[str, ...] = ()


def parse(text: str, streams: Mapping[str, Stream], tables: Mapping[str, object], name: str = "Result") -> DividedQuery:
    """The single query of a text. streams: those that it does not CREATE; tables: by name. Raises QueryError."""
    streams = dict(streams)
    try:
        statements = list(_statements(text, sqlglot.tokenize(text, dialect="spark")))
    except SqlglotError as error:
        raise QueryError(_first_line(error)) from error
    queries = []
    for tokens in statements:
        if tokens[0].text.upper() == "CREATE":
            (create,) = parse_sql(text[tokens[0].start : tokens[-1].end + 1])
            streams[create.name] = declared(create, len(streams) + 1)
        else:
            queries.append(tokens)
    if len(queries) != 1:
        raise QueryError(f"{len(queries)} queries in the text; split takes one")
    tokens = queries[0]
    if len(tokens) > 2 and tokens[-2].text.upper() == "INTO":
        name, tokens = tokens[-1].text, tokens[:-2]
    words, windows, constants = _for_sqlglot(text, tokens)
    if not windows:
        _check_brackets(text[tokens[0].start : tokens[-1].end + 1])
    try:
        tree = sqlglot.parse_one(words, dialect="spark")
    except SqlglotError as error:
        raise QueryError(_first_line(error)) from error
    tree = tree.transform(_by_precedence)
    spelling.of_tables(tree, [*streams, *tables, *_ctes(tree)])
    if unknown := [t.name for t in tree.find_all(exp.Table) if t.name not in {*streams, *tables, *_ctes(tree)}]:
        raise QueryError(f"{unknown[0]} is neither a stream ({', '.join(streams)}) nor a --table")
    read = dict.fromkeys(table.name for table in tree.find_all(exp.Table))
    if unused := [name for name in tables if name not in read]:
        raise QueryError(f"--table {unused[0]}: the query does not read it")
    reads = [name for name in read if name in streams]
    if not reads:
        raise QueryError("the query reads no stream")
    if name in {*streams, *tables, *RESERVED}:
        raise QueryError(f"INTO {name}: the name is already used; choose another")
    mark_decimals(tree, [streams[name] for name in reads])
    windows = [_without_units(text, tree, n, streams) for n, text in enumerate(windows)]
    leaf, chain = _chain(tree, streams, tables, windows), []
    while isinstance(leaf, Block):
        chain.insert(0, leaf)
        leaf = leaf.source
    for block in chain:
        _check(block)
        _check_case(block.made or ())
    _check_case([*streams, *tables, *RESERVED, name])
    return DividedQuery(name, chain, leaf, streams, reads, constants)


def _by_precedence(node: exp.Expression) -> exp.Expression:
    """The operators on bits grouped by Spark's precedence; sqlglot groups them from the left."""
    if not isinstance(node, BITWISE) or isinstance(node.parent, BITWISE):
        return node
    operators: list[type[exp.Binary]] = []
    operands = [node]
    while isinstance(operands[0], BITWISE):
        first = operands.pop(0)
        operators.insert(0, type(first))
        operands[:0] = [first.this, first.expression]
    operands = [operand.copy().transform(_by_precedence) for operand in operands]  # sqlglot does not enter new nodes
    for kinds in LEVELS:
        k = 0
        while k < len(operators):
            if operators[k] in kinds:
                operands[k : k + 2] = [operators.pop(k)(this=operands[k], expression=operands[k + 1])]
            else:
                k += 1
    return operands[0]


def _without_units(text: str, tree: exp.Expression, number: int, streams: Mapping[str, Stream]) -> str:
    """The text of a window, the sample `number` of the tree, with times as numbers: the view of a job has no units."""
    written = parse_window(text)
    samples = (sample for sample in tree.find_all(exp.TableSample) if sample.args["size"].name == str(number))
    relation = next((sample.parent for sample in samples), None)
    window, attribute = written, getattr(written, "attribute", None)
    if attribute is not None:
        attribute = spelled(attribute, _columns(relation, streams), window.position)
        window = replace(window, attribute=attribute)
    elif relation is not None:
        attribute = next((streams[t.name].time for t in relation.find_all(exp.Table) if t.name in streams), None)
    plain = units.resolved(window, _unit(relation, attribute, streams))
    return text if plain == written else units.text(plain)


def _unit(relation: exp.Expression | None, attribute: str | None, streams: Mapping[str, Stream]) -> str | None:
    """The unit of a column of a stream or a sub-query; None if unknown."""
    if isinstance(relation, exp.Table) and relation.name in streams:
        return streams[relation.name].unit_of(attribute)
    select = _subquery(relation)
    if select is None:
        return None
    passed = next((i for i in select.expressions if isinstance(i, exp.Star) or i.alias_or_name == attribute), None)
    column = passed.unalias() if passed else None
    if not isinstance(column, exp.Star | exp.Column):
        return None
    below = select.args["from_"].this
    name = attribute if isinstance(column, exp.Star) else spelled(column.name, _columns(below, streams))
    return _unit(below, name, streams)


def _columns(relation: exp.Expression | None, streams: Mapping[str, Stream]) -> list[str]:
    """The names of the columns of a stream or a sub-query, as far as they are known."""
    if isinstance(relation, exp.Table) and relation.name in streams:
        return [field.name for field in streams[relation.name].schema.fields]
    select = _subquery(relation)
    items = select.expressions if select else []
    below = _columns(select.args["from_"].this, streams) if select else []
    return [name for i in items for name in (below if isinstance(i, exp.Star) else [i.alias_or_name])]


def _subquery(relation: exp.Expression | None) -> exp.Select | None:
    """The SELECT of a sub-query, which WITH may name."""
    if isinstance(relation, exp.Table):
        relation = next((cte for cte in relation.root().find_all(exp.CTE) if cte.alias == relation.name), None)
    select = relation.find(exp.Select) if isinstance(relation, exp.Subquery | exp.CTE) else None
    return select if select is not None and "from_" in select.args else None


def _chain(tree: exp.Expression, streams: Mapping, tables: Mapping, windows: list[str]) -> Block | Whole:
    why = _why_whole(tree, streams, tables)
    if why:
        plain = re.sub(r"TABLESAMPLE \((\d+) ROWS\)", lambda m: windows[int(m[1])], dialect(tree, qualified=True))
        return Whole(tree, why, plain, _lacks(tree, plain, streams), bool(tree.find(exp.TableSample)))
    relation, joins = tree.args["from_"].this, tuple(tree.args.get("joins") or ())
    sample = relation.args.get("sample")
    window = windows[int(sample.args["size"].name)] if sample else ""
    if window and joins:
        raise QueryError("a window and a JOIN with a table in one SELECT; put FROM and its window into a sub-query")
    if isinstance(relation, exp.Subquery):
        below = _chain(relation.this, streams, tables, windows)
        spelling.of_columns(tree, below.made or (), relation.alias)
        return Block(tree, below, below.made, relation.alias, window, joins)
    columns = tuple(f.name for f in streams[relation.name].schema.fields)
    spelling.of_columns(tree, columns, relation.alias or relation.name)
    return Block(tree, relation.name, columns, relation.alias or relation.name, window, joins)


def _numbered(select: exp.Expression) -> bool:
    """Whether its rows are tuples of a window with OVER."""
    if not isinstance(select, exp.Select) or "from_" not in select.args:
        return False
    over = (part for part in (*select.expressions, select.args.get("qualify")) if part)
    return bool(select.args["from_"].this.args.get("sample")) and any(part.find(exp.Window) for part in over)


def _lacks(tree: exp.Expression, plain: str, streams: Mapping) -> str:
    """What the dialect does not support in a part that is not cut, or ""."""
    for node in tree.walk():
        inside = isinstance(node.parent, exp.From | exp.Join | exp.Union | exp.CTE) or node is tree
        if isinstance(node, exp.Subquery | exp.Union) and not (inside or isinstance(node.parent, exp.Subquery)):
            return "a query in an expression"
        if isinstance(node, exp.Table) and node.name not in {*streams, *_ctes(tree)}:
            return f"the table {node.name}"
    for select in tree.find_all(exp.Select):
        parts = (part for part in _expressions(select) if not (_numbered(select) and part.find(exp.Window)))
        if lacks := next(filter(None, map(foreign, parts)), ""):
            return lacks
    try:
        parse_sql(plain)
    except QueryError as error:
        return error.message
    return ""


def _expressions(select: exp.Select) -> Iterator[exp.Expression]:
    """Those of its clauses."""
    yield from select.expressions
    yield from (clause.this for name in ("where", "having") if (clause := select.args.get(name)))
    yield from (on for join in select.args.get("joins") or () if (on := join.args.get("on")))
    if group := select.args.get("group"):
        yield from group.expressions


def _why_whole(tree: exp.Expression, streams: Mapping, tables: Mapping) -> str:
    """Why a text is not a block, or "" if it is one."""
    if isinstance(tree, exp.Union):
        return "a UNION is not cut"
    if not isinstance(tree, exp.Select) or "from_" not in tree.args:
        return "only a SELECT is cut"
    args = {name: part for name, part in tree.args.items() if part}
    if more := args.keys() - CLAUSES:
        return f"a query with {min(more).strip('_').upper()} is not cut"
    for name in args.keys() - {"from_", "joins"}:
        for part in args[name] if isinstance(args[name], list) else [args[name]]:
            if part.find(exp.Select):
                return "a query with another one in an expression is not cut"
    if args["from_"].this.args.get("sample") and args.keys() & {"distinct", "order", "limit", "offset"}:
        return "the rows of each window with DISTINCT, ORDER BY or LIMIT are not cut"
    if _numbered(tree) or _numbered(args["from_"].this.this):
        return "the rows of each window with ROW_NUMBER() are not cut"
    group = args.get("group")
    if group and any(part for name, part in group.args.items() if name != "expressions"):
        return "a GROUP BY of several sets is not cut"
    relation = args["from_"].this
    plain = isinstance(relation, exp.Table | exp.Subquery)
    if not plain or {n for n, part in relation.args.items() if part} - {"this", "alias", "sample"}:
        return "only a SELECT from a stream, a table or a sub-query is cut"
    if relation.args.get("alias") and relation.args["alias"].columns:
        return "an alias with columns is not cut"
    if isinstance(relation, exp.Table) and relation.name not in streams:
        return "Spark computes what reads a table"
    for join in args.get("joins", ()):
        if not isinstance(join.this, exp.Table) or join.this.name not in tables:
            return "a JOIN of streams is not cut"
    return ""


def _check(block: Block) -> None:
    """Raise QueryError for an unknown column."""
    if block.columns is None:
        return
    aliases = {item.alias for item in block.items}
    parts = [*block.items, *block.where, *block.keys, *block.having, *block.last.values()]
    for column in (column for part in parts for column in part.find_all(exp.Column)):
        of_source = column.table == block.alias if column.table or block.joins else column.name not in aliases
        star, constant = isinstance(column.this, exp.Star), column.name.startswith("$")
        if of_source and column.name not in block.columns and not (star or constant):
            raise QueryError(f"unknown column {column.name}; known: {', '.join(block.columns)}")
        if column.table and column.table != block.alias and not block.joins:
            raise QueryError(f"{column.table} is not read here, only {block.alias or 'a sub-query'}")


def _check_case(names: Iterable[str]) -> None:
    """Raise QueryError for names that Spark does not distinguish."""
    found: dict[str, str] = {}
    for name in names:
        other = found.setdefault(name.casefold(), name)
        if other != name:
            raise QueryError(f"{other} and {name} differ only in case, which Spark ignores")


def _ctes(tree: exp.Expression) -> list[str]:
    return [cte.alias for cte in tree.find_all(exp.CTE)]


def _statements(text: str, tokens: list[Token]) -> Iterator[list[Token]]:
    begin = 0
    for k, token in enumerate(tokens):
        if token.token_type == TokenType.SEMICOLON or k == len(tokens) - 1:
            part = tokens[begin : k + (token.token_type != TokenType.SEMICOLON)]
            if part:
                yield part
            begin = k + 1


def _for_sqlglot(text: str, tokens: list[Token]) -> tuple[str, list[str], tuple[str, ...]]:
    """The text for sqlglot, and the windows and constants in it."""
    words, windows, constants, k = [], [], [], 0
    while k < len(tokens):
        token = tokens[k]
        if token.token_type == TokenType.L_BRACKET:
            end = next((n for n in range(k, len(tokens)) if tokens[n].token_type == TokenType.R_BRACKET), None)
            if end is None:
                raise QueryError("[ is never closed", _position(text, token))
            inside = text[token.start : tokens[end].end + 1]
            if tokens[k + 1].text.upper() in WINDOWS:
                words.append(f"TABLESAMPLE ({len(windows)} ROWS)")
                windows.append(inside)
            else:
                words.append(f"'{inside}'")
            k = end
        elif token.text == "$" and k + 1 < len(tokens):
            constants.append(tokens[k + 1].text)
            words.append(f"`${constants[-1]}`")
            k += 1
        elif token.token_type == TokenType.TABLE_SAMPLE:
            raise QueryError("TABLESAMPLE is random, so no two engines give the same rows", _position(text, token))
        else:
            words.append(text[token.start : token.end + 1])
        k += 1
    return " ".join(words), windows, tuple(dict.fromkeys(constants))


def _check_brackets(text: str) -> None:
    """Raise QueryError if a query without windows in brackets has some in other words."""
    try:
        (query,) = parse_sql(text)
    except QueryError:  # not of the dialect
        return
    if in_windows(query.body):
        raise QueryError(f"in a query to divide {A_WINDOW}")


def _position(text: str, token: Token) -> Position:
    before = text[: token.start]
    return Position(before.count("\n") + 1, token.start - before.rfind("\n"))


def _first_line(error: Exception) -> str:
    line = next(line for line in str(error).splitlines() if line.strip())
    return re.sub(r"\x1b\[\d*m", "", line)
