"""Evaluate a query's clauses in Spark: read, select, join, cut into windows, aggregate.

================= ======================================================================================
in the text       for Spark
================= ======================================================================================
windows           time windows: `time_rules` and `windows`; tuple windows: row numbers by arrival; a session ends where
                  the next selected tuple is a GAP or more away
JOIN              `pairs`; conditions of one side before tuple windows, all others after
================= ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_golden.aggregates import is_aggregate
from spark_golden.clauses import NUMBER, Item, Select, Side, conjuncts
from spark_golden.declaration import INTEGER, NANOSECONDS, UNITS, Stream, spark_type, unit_of
from spark_golden.expressions import ORDER, SESSION, WINDOW, Shim
from spark_golden.pairs import pairs, pairs_in_time
from spark_golden.query import Query
from spark_golden.row_order import in_order, named_items, numbered, orders
from spark_golden.session import session
from spark_golden.time_rules import ACCEPTED, TUPLE, column_of, judge, with_queries
from spark_golden.tokens import Token
from spark_golden.window_clause import Duration, JoinWindow, Window
from spark_golden.window_words import BEGIN, BOUNDS, END, LAST
from spark_golden.windows import floor_div, windows_begun, windows_closed

# Like SESSION, ORDER and WINDOW, not names of fields. CLOSED: the watermark at the end, for session windows.
# END: that of a time window, if it is not a number in Spark.
CLOSED = "#closed"
FIELD = "field_"  # prefix of field names while the rules add their own columns


def ticks(column: str, unit: str) -> str:
    """A time as a number, as SQL. unit: see `unit_of`."""
    if not unit:
        return column
    return f"CAST(unix_date({column}) AS LONG)" if unit == "d" else f"unix_{UNITS[unit]}({column})"


def of_ticks(number: str, unit: str) -> str:
    """A number of 64 bits as the time that it is in a unit, as SQL."""
    if unit == "d":
        return f"date_from_unix_date(CAST({number} AS INT))"
    return f"timestamp_{UNITS[unit]}({number})"


def _timed(frame: DataFrame, attribute: str, nanoseconds: int | None) -> DataFrame:
    """A frame with a time as a number in END. nanoseconds: the length of its unit."""
    unit = {"date": "d"}.get(kind := dict(frame.dtypes)[attribute], "")
    if kind == "timestamp":
        unit = next(name for name in UNITS if NANOSECONDS[name] == nanoseconds)
    return frame.withColumn(END, F.expr(ticks(f"`{attribute}`", unit)))


@dataclass(frozen=True)
class Rows:
    """Rows with SESSION, ORDER (of arrival), WINDOW (the end of an enclosing time window), and `names`.

    origin: the stream of all rows, and the attribute of their windows. ordered: whether ORDER is meaningful. windows:
    with EMIT_EMPTY, all windows.
    """

    frame: DataFrame
    names: tuple[str, ...]
    origin: tuple[str, str | None]
    ordered: bool = True
    windows: DataFrame | None = None

    @property
    def hidden(self) -> list[str]:
        return [name for name in self.frame.columns if name.startswith("#")]


@dataclass
class Evaluation:
    """The rows of one query. constants: the value of each `$name`. replaced: gets a line for each rewrite for Spark."""

    streams: Mapping[str, Stream]
    frames: Mapping[str, DataFrame]
    constants: Mapping[str, int | str]
    replaced: dict[str, None] = field(default_factory=lambda: {f"integers: {INTEGER}": None})

    def body(self, arms: list[Select], above: Window | None = None) -> Rows:
        """above: the time window over these rows; its attribute is one of their columns."""
        first, *others = found = [self.select(arm, above) for arm in arms]
        if not others:
            return first
        if any(rows.names != first.names for rows in others):
            raise ValueError("the arms of a UNION must have the same columns in the same order")
        if above and any(rows.origin != first.origin for rows in others):
            raise ValueError("a time window over a UNION of several streams or times is not supported")
        frames = [rows.frame.withColumn(ORDER, F.lit(0)).select(*first.hidden, *first.names) for rows in found]
        whole = frames[0]
        for frame in frames[1:]:
            whole = whole.unionAll(frame)
        return replace(first, frame=whole, ordered=False)

    def select(self, select: Select, above: Window | None) -> Rows:
        if select.other:
            return self._joined(select, above)
        window = select.window
        if isinstance(window, JoinWindow):
            raise ValueError(f"{window} is only valid in a JOIN")
        if above and window:
            raise ValueError("a time window over the rows of a window is not supported")
        if select.unique:
            select = _as_groups(select)
        window = self._in_units(select.side)
        if above:
            below = self.source(select.source, replace(above, attribute=self._passed(select, above.attribute)))
        elif window and window.in_time:
            window = replace(window, attribute=window.attribute or self._time(select.source))
            below = self.source(select.source, window)
        else:
            below = self.source(select.source, None)
        plain = {name: name for name in below.names}
        if select.where:
            below = replace(below, frame=below.frame.where(self._shim(plain, below.frame)(select.where)))
        if select.over and (not window or select.sorted or _aggregates(select)):
            raise ValueError("ROW_NUMBER() needs a window after FROM, without aggregates, GROUP BY, ORDER BY and LIMIT")
        if window and (select.over or (select.sorted and not _aggregates(select))):
            return self._tuples(select, window, below)
        if window:
            return self._aggregated(select, window, below)
        if select.group or select.having or select.sorted:
            raise ValueError("GROUP BY, HAVING, ORDER BY and LIMIT need a window after FROM")
        items = [i for item in select.items for i in (self._all(below) if item.expression is None else [item])]
        shim = self._shim(plain, below.frame)
        columns = [f"{shim(item.expression)} AS `{item.name}`" for item in items]
        hidden = [f"`{name}`" for name in below.hidden]
        return replace(below, frame=below.frame.selectExpr(*hidden, *columns), names=_names(items))

    def _joined(self, select: Select, above: Window | None) -> Rows:
        """The pairs of a JOIN; the names of their columns are SIDE.COLUMN."""
        if above or select.group or select.having or select.sorted:
            raise ValueError("a window, GROUP BY, HAVING or ORDER BY over a JOIN is not supported: it has no order")
        sides = (select.side, select.other)
        windows = [self._join_window(replace(side, window=self._in_units(side))) for side in sides]
        times = [self._nanoseconds(side.source, side.window.attribute) for side in sides if windows[0].attribute]
        if len(set(times) - {None}) > 1:
            raise ValueError("the times of a JOIN have different units")
        aliases = [side.alias or (side.source if isinstance(side.source, str) else "") for side in sides]
        if "" in aliases or len(set(aliases)) == 1:
            raise ValueError("both sides of a JOIN need a name, and the names must differ")
        if len({replace(window, attribute=None) for window in windows}) > 1:
            raise ValueError("both sides of a JOIN must have the same window")
        below = [self.source(side.source, None) for side in sides]
        if not all(rows.ordered for rows in below):
            raise ValueError("a JOIN of a UNION is not supported: its rows have no order")
        named = [{f"{alias}.{name}": name for name in rows.names} for alias, rows in zip(aliases, below, strict=True)]
        both = [*named[0], *named[1]]
        names = [name for rows in below for name in rows.names]
        known = dict(zip(both, both, strict=True))
        known |= {name: full for name, full in zip(names, both, strict=True) if names.count(name) == 1}
        frames = []
        for rows, columns in zip(below, named, strict=True):
            renamed = [f"`{name}` AS `{full}`" for full, name in columns.items()]
            frames.append(rows.frame.selectExpr(f"`{SESSION}` AS session", f"`{ORDER}` AS seq", *renamed))
        shim = replace(self._shim(known, *frames), joined=True)
        shims = [replace(shim, columns={n: f for n, f in known.items() if f in side}) for side in named]
        of_pairs = []
        for condition in (c for part in (select.on, select.where) if part for c in conjuncts(part)):
            reads = {t.text for t in condition if t.kind == "name"} & known.keys()
            of = [n for n, side in enumerate(named) if reads and all(known[name] in side for name in reads)]
            if of and windows[0].attribute is None:
                frames[of[0]] = frames[of[0]].where(shims[of[0]](condition))
            else:
                of_pairs.append(shim(condition))
        on = " AND ".join(f"({condition})" for condition in of_pairs) or "true"
        self.replaced[f"{windows[0]} and {windows[1]}: pairs by arrival"] = None
        if windows[0].attribute is None:
            found = pairs(*frames, windows[0].rows, on)
        else:
            attributes = [f"{alias}.{window.attribute}" for alias, window in zip(aliases, windows, strict=True)]
            if unknown := [attribute for attribute in attributes if attribute not in known]:
                raise ValueError(f"unknown column {unknown[0]}")
            frames = [_timed(*side) for side in zip(frames, attributes, times, strict=True)]
            found = pairs_in_time(*frames, windows[0].near, windows[0].slack, on, (END, END))
        items = [i for item in select.items for i in (self._every(both) if item.expression is None else [item])]
        columns = [f"{shim(item.expression)} AS `{item.name}`" for item in items]
        frame = found.selectExpr(f"a.session AS `{SESSION}`", f"0L AS `{ORDER}`", *columns)
        return Rows(frame, _names(items), below[0].origin, ordered=False)

    @staticmethod
    def _every(names: list[str]) -> list[Item]:
        return [Item(name.rpartition(".")[2], [Token("name", name, 0)]) for name in names]

    @staticmethod
    def _join_window(side: Side) -> JoinWindow:
        window = side.window
        if isinstance(window, Window) and not window.in_time and window.advance == 1:
            return JoinWindow(window.size)
        if not isinstance(window, JoinWindow):
            raise ValueError(f"a side of a JOIN needs a window [ROWS …], not {window}")
        return window

    def source(self, source: str | list[Select], above: Window | None) -> Rows:
        if not isinstance(source, str):
            return self.body(source, above)
        if source not in self.streams:
            raise ValueError(f"unknown stream {source}")
        if source not in self.frames:
            raise ValueError(f"no tuples of {source}")
        fields = self.streams[source].fields
        types = {name: spark_type(declared) for name, declared in fields.items()}
        names, origin = tuple(types), (source, above and above.attribute)
        if above is None:
            tuples = self.frames[source].where(F.col("kind") == TUPLE)
            cast = [f"CAST(`{column_of(name)}` AS {kind}) AS `{name}`" for name, kind in types.items()]
            return Rows(tuples.selectExpr(f"session AS `{SESSION}`", f"seq AS `{ORDER}`", *cast), names, origin)
        if above.attribute not in names:
            raise ValueError(f"{source} has no {above.attribute} for its windows")
        rules = (
            "0L AS stream",
            "CAST(session AS LONG)",
            "CAST(seq AS LONG)",
            "kind",
            f"{ticks(f'`{column_of(above.attribute)}`', unit_of(fields[above.attribute]))} AS Time",
        )
        cast = [f"CAST(`{column_of(name)}` AS {kind}) AS {FIELD}{name}" for name, kind in types.items()]
        return self._in_windows(Rows(self.frames[source].selectExpr(*rules, *cast), names, origin), above)

    def _in_windows(self, items: Rows, window: Window) -> Rows:
        """Every accepted tuple once for each window that contains it and is closed at the end of its session.

        For session windows, which depend on the selection, every tuple once, with its time as WINDOW."""
        self.replaced[f"{window}: time windows"] = None
        options = {name: getattr(window, name) for name in ("start", "max_ahead", "resync")}
        rules = Query(window.size, window.advance, window.slack, **options)
        judged = judge(with_queries(session(), items.frame, [rules]), "fold" if rules.max_ahead else "window")
        fields = [f"{FIELD}{name} AS `{name}`" for name in items.names]
        if window.session:
            judged = judged.withColumn("closed", F.max("watermark").over(Over.partitionBy("session")))
            hidden = {"session": SESSION, f"CAST(Time AS {INTEGER})": WINDOW, "closed": CLOSED, "seq": ORDER}
            named = [f"{column} AS `{name}`" for column, name in hidden.items()]
            return replace(items, frame=judged.where(F.col("verdict") == ACCEPTED).selectExpr(*named, *fields))
        closed = F.max(windows_closed("watermark")).over(Over.partitionBy("session"))
        judged = judged.withColumn("closed", closed)

        def exploded(frame: DataFrame, first: Column, last: Column) -> DataFrame:
            """Once for each window in a range of numbers. The ends themselves are exploded, because Spark 4.3 loses
            columns that it computes from an exploded column and filters by. The end of a window that is not closed may
            not fit a long, so it is not computed."""
            least, most = (F.col("start") + number * window.advance + window.size for number in (first, last))
            ends = F.when(first <= last, F.sequence(least, most, F.lit(window.advance).cast("long")))
            frame = frame.withColumn(WINDOW, F.explode(ends))
            return frame.withColumns({SESSION: F.col("session"), WINDOW: F.col(WINDOW).cast(INTEGER)})

        last = F.least(windows_begun("Time"), F.col("closed")) - 1
        held = exploded(judged.where(F.col("verdict") == ACCEPTED), windows_closed("Time"), last)
        frame = held.selectExpr(*(f"`{name}`" for name in (SESSION, WINDOW)), f"seq AS `{ORDER}`", *fields)
        if not window.emit_empty:
            return replace(items, frame=frame)
        sessions = judged.select("session", "start", "closed").distinct()
        windows = exploded(sessions, F.lit(0).cast("long"), F.col("closed") - 1).select(SESSION, WINDOW)
        return replace(items, frame=frame, windows=windows)

    def _in_sessions(self, frame: DataFrame, window: Window) -> DataFrame:
        """Every tuple with the end of its session window, if that is closed at the end of the stream's session."""
        by_time = Over.partitionBy(SESSION).orderBy(WINDOW)
        begins = F.col(WINDOW) - F.lag(WINDOW).over(by_time) >= window.size
        frame = frame.withColumn("#begins", F.when(begins, 1).otherwise(0))
        frame = frame.withColumn("#n", F.sum("#begins").over(by_time))
        end = F.max(WINDOW).over(Over.partitionBy(SESSION, "#n")) + window.size
        return frame.withColumn(WINDOW, end.cast(INTEGER)).where(F.col(WINDOW) <= F.col(CLOSED))

    def _in_tuple_windows(self, frame: DataFrame, window: Window) -> DataFrame:
        """Every tuple once for each full window that contains it."""
        self.replaced[f"{window}: row numbers by arrival"] = None
        of_session = Over.partitionBy(SESSION)
        n = F.row_number().over(of_session.orderBy(ORDER)) - 1
        frame = frame.withColumn("#n", n).withColumn("#total", F.count(F.lit(1)).over(of_session))
        size, advance = F.lit(window.size), F.lit(window.advance)
        first = F.greatest(F.lit(0), floor_div(F.col("#n") - size, advance) + 1)
        last = F.least(floor_div(F.col("#n"), advance), floor_div(F.col("#total") - size, advance))
        return frame.withColumn(WINDOW, F.explode(F.when(first <= last, F.sequence(first, last))))

    def _tuples(self, select: Select, window: Window, below: Rows) -> Rows:
        """The first tuples of each window, or of each partition of it."""
        if window.session or window.emit_empty:
            raise ValueError("the first tuples of a window with SESSION or EMIT_EMPTY")
        if not window.in_time and not below.ordered:
            raise ValueError("a tuple window over a UNION is not supported: its rows have no order")
        frame = below.frame if window.in_time else self._in_tuple_windows(below.frame, window)
        times = self._bounds(window, self._unit(below.origin), below.origin) if window.in_time else {}
        frame = frame.withColumns({name: F.expr(time) for name, time in times.items()})
        shim = self._shim({name: name for name in (*below.names, *times)}, frame)
        items = [i for item in select.items for i in (self._all(below) if item.expression is None else [item])]
        if select.over:
            frame = numbered(frame, select, shim)
            shim = replace(shim, columns=shim.columns | {NUMBER: NUMBER})
            if select.qualify:
                frame = frame.where(shim(named_items(select.qualify, items)))
        else:
            frame = frame.withColumns({f"#by{k}": F.expr(shim(key)) for k, key in enumerate(orders(select))})
            frame = in_order(frame, select)
        outputs = [F.expr(shim(item.expression)).alias(item.name) for item in items]
        return Rows(frame.select(SESSION, ORDER, *outputs), _names(items), below.origin)

    def _aggregated(self, select: Select, window: Window, below: Rows) -> Rows:
        frame, units = below.frame, [SESSION, WINDOW]
        if window.in_time:  # every window has its own groups
            select = replace(select, group=[key for key in select.group if key[0].text not in BOUNDS.values()])
        grouped = {f"#key{n}": _key(key, select.items, below.names) for n, key in enumerate(select.group)}
        columns = {key[0].text: name for name, key in grouped.items() if len(key) == 1 and key[0].kind == "name"}
        if unknown := [key for key in columns if key not in below.names]:
            raise ValueError(f"unknown column {unknown[0]}; known: {', '.join(below.names)}")
        if window.in_time:
            if window.attribute in columns:
                raise ValueError(f"{window.attribute} is the window's end and cannot also be a key")
            columns[window.attribute] = WINDOW
            if window.emit_empty and select.group:
                raise ValueError("EMIT_EMPTY cannot be combined with GROUP BY")
            if window.session and select.group:
                raise ValueError("SESSION cannot be combined with GROUP BY")
            if window.session:
                frame = self._in_sessions(frame, window)
            if below.windows is not None:
                frame = below.windows.join(frame, units, "left")
        elif not below.ordered:
            raise ValueError("a tuple window over a UNION is not supported: its rows have no order")
        else:
            frame = self._in_tuple_windows(frame, window)
        if window.in_time:
            unit = self._unit(below.origin)
            times = self._bounds(window, unit, below.origin)
            frame, units = frame.withColumns({name: F.expr(time) for name, time in times.items()}), [*units, *times]
            columns |= {name: name for name in times} | ({window.attribute: END} if unit else {})
        if any(item.expression is None for item in select.items):
            raise ValueError("* is not valid with a window; name the columns")
        plain = {name: name for name in below.names}
        of_tuple, shim = (self._shim(names, below.frame) for names in (plain, columns))
        places = zip(grouped, (key if key[0].kind != "number" else None for key in select.group), strict=True)
        written = [*grouped.items(), *((name, key) for name, key in places if key)]
        keys = {shim.parsed(key): name for name, key in written}
        shim = replace(shim, inside=plain, ordered=below.ordered, keys=keys, empty=window.emit_empty)
        frame = frame.withColumns({name: F.expr(of_tuple(key)) for name, key in grouped.items()})
        values = [F.expr(shim(item.expression)).alias(f"#{k}") for k, item in enumerate(select.items)]
        keep = F.expr(shim(select.having) if select.having else "true").alias("#having")
        by = [F.expr(shim(key)).alias(f"#by{k}") for k, key in enumerate(orders(select))]
        order = F.struct(WINDOW, F.min(ORDER)).alias(ORDER)  # by window, then by the groups' first arrival
        frame = frame.groupBy(*units, *grouped).agg(order, keep, *values, *by).where("`#having`")
        frame = in_order(frame, select) if select.sorted else frame
        outputs = [F.col(f"#{k}").alias(item.name) for k, item in enumerate(select.items)]
        return Rows(frame.select(SESSION, ORDER, *outputs), _names(select.items), below.origin)

    def _bounds(self, window: Window, unit: str, origin: tuple[str, str]) -> dict[str, str]:
        """The bounds of a time window as SQL. unit: of its attribute, see `unit_of`. origin: as of `Rows`."""
        begin = f"`{WINDOW}` - {window.size}"
        if unit:
            begin, end = (of_ticks(f"CAST({number} AS LONG)", unit) for number in (begin, f"`{WINDOW}`"))
        else:
            begin, end = f"CAST({begin} AS {INTEGER})", f"CAST(`{WINDOW}` AS {INTEGER})"
        last = {LAST: f"{end} - INTERVAL 1 MILLISECOND"} if unit in ("ms", "us") else {}
        if self.streams[origin[0]].fields[origin[1]].startswith("timestamp(ns"):  # a number in Spark
            last = {LAST: f"{end} - 1000000"}
        return {END: end} | last | ({} if window.session else {BEGIN: begin})

    # ---- units

    def _in_units(self, side: Side) -> Window | JoinWindow | None:
        """The window of a side with all its times in units of its attribute."""
        window, found = side.window, {}
        for name in ("size", "advance", "near", "slack", "start", "max_ahead"):
            if isinstance(time := getattr(window, name, None), Duration):
                unit = self._nanoseconds(side.source, window.attribute or self._time(side.source))
                if unit is None:
                    raise ValueError(f"{window.attribute} has no unit, so {time.number} {time.word} has no meaning")
                found[name] = time.units(unit)
        return replace(window, **found) if found else window

    def _nanoseconds(self, source: str | list[Select], attribute: str | None) -> int | None:
        """The unit of a column of a stream or of a sub-query, if it is a field of a stream."""
        if isinstance(source, str):
            return self.streams[source].nanoseconds(attribute) if source in self.streams else None
        (select, *_) = source
        return self._nanoseconds(select.source, self._passed(select, attribute))

    # ---- names

    def _shim(self, columns: Mapping[str, str], *frames: DataFrame) -> Shim:
        """columns: the column of a frame for each name."""
        kinds = {name: kind for frame in frames for name, kind in frame.dtypes}
        found = {name for name, kind in kinds.items() if kind.startswith("decimal") and kind != INTEGER.lower()}
        decimals = frozenset(found | {name for name, column in columns.items() if column in found})
        return Shim(self.constants, columns, decimals=decimals, frames=frames, replaced=self.replaced)

    def _all(self, rows: Rows) -> list[Item]:
        return [Item(name, [Token("name", name, 0)]) for name in rows.names]

    def _unit(self, origin: tuple[str, str | None]) -> str:
        """The unit of a stream's attribute, if it is not a number in Spark."""
        stream, attribute = origin
        return unit_of(self.streams[stream].fields[attribute]) if attribute else ""

    def _time(self, source: str | list[Select]) -> str:
        """The time attribute of the first stream read."""
        while not isinstance(source, str):
            source = source[0].source
        if source not in self.streams or self.streams[source].time is None:
            raise ValueError(f"{source} has no time attribute; add WATTR")
        return self.streams[source].time

    def _passed(self, select: Select, attribute: str) -> str:
        """The source column that a SELECT passes on as the windowing attribute."""
        passed = [item.bare if item.expression else attribute for item in select.items if item.name in ("*", attribute)]
        if len(passed) != 1 or passed[0] is None:
            raise ValueError(f"the sub-query does not pass the windowing attribute {attribute} on unchanged")
        return passed[0]


def _as_groups(select: Select) -> Select:
    """A SELECT DISTINCT with its columns as keys of GROUP BY."""
    if _aggregates(select) or any(item.expression is None for item in select.items):
        raise ValueError("SELECT DISTINCT of groups or of *")
    return replace(select, group=[item.expression for item in select.items if item.expression])


def _aggregates(select: Select) -> bool:
    """Whether the rows are aggregates and keys."""
    texts = [item.expression or [] for item in select.items] + [order.expression for order in select.order]
    calls = [name for text in texts for name, sign in pairwise(text) if sign.keyword == "(" and name.kind == "name"]
    return bool(any(map(is_aggregate, calls)) or select.group or select.having)


def _key(key: list[Token], items: list[Item], names: tuple[str, ...]) -> list[Token]:
    """The expression of a key of GROUP BY, which can be the name or the number of a column of SELECT."""
    if len(key) != 1:
        return key
    if key[0].kind == "number" and 1 <= int(key[0].text) <= len(items):
        return items[int(key[0].text) - 1].expression or key
    of = [item.expression for item in items if item.name == key[0].text and item.expression]
    return of[0] if key[0].kind == "name" and key[0].text not in names and of else key


def _names(items: list[Item]) -> tuple[str, ...]:
    names = tuple(item.name for item in items)
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two columns named {twice[0]}")
    return names
