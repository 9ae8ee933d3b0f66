"""What a shell knows: streams, the files of their data, constants, and the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirestream.arguments import UsageError
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.parse import parse
from wirestream.compiler.planner import CAPACITY
from wirestream.errors import QueryError
from wirestream.record import own
from wirestream.record.arrival import Arrival
from wirestream.record.files import identifier
from wirestream.record.inference import infer
from wirestream.record.invented import invented
from wirestream.record.tables import Losses, read
from wirestream.schema import formats
from wirestream.schema.declaration import Create
from wirestream.schema.formats import Format
from wirestream.schema.streams import Stream, declared, known
from wirestream.shell.statements import divided

INVENTED, SEED = 5_000, 3  # tuples of a stream without data


@dataclass(frozen=True)
class Query:
    """A compiled query, and its text. name: of the circuit, if it is not the query's."""

    sql: str
    built: Compiled
    name: str | None = None


@dataclass
class Session:
    """given: the streams and formats that need no declaration. streams: those declared here. files: of data, by the
    stream. constants: values of $names. query: the last one. groups: that fit a GROUP BY."""

    given: list[Stream | Format]
    streams: dict[str, Stream] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    constants: dict[str, int | str] = field(default_factory=dict)
    query: Query | None = None
    groups: int = CAPACITY

    @classmethod
    def of(cls, paths: Iterable[Path], groups: int = CAPACITY) -> Session:
        """With the shipped streams, and those of .yml files."""
        return cls(known(paths), groups=groups)

    @property
    def known(self) -> dict[str, Stream]:
        """All streams, by name."""
        return {s.schema.name: s for s in self.given if isinstance(s, Stream)} | self.streams

    def take(self, sql: str, name: str | None = None) -> list[str]:
        """Declare the streams of a text, and compile its queries, if any, to one circuit. name: of the circuit. Returns
        the names of the declared streams. Raises `QueryError`; then nothing has changed."""
        statements = parse(sql)
        creates = [one for one in statements if isinstance(one, Create)]
        streams = dict(self.streams)
        for create in creates:
            if create.name in {s.schema.name for s in self.given if isinstance(s, Stream)}:
                message = f"stream {create.name} already exists; choose another name"
                raise QueryError(message, create.position)
            streams[create.name] = self._declared(create, streams)
        if len(creates) < len(statements):
            self.query = self._compiled(sql, name, streams, self.groups)
        self.streams = streams
        return [create.name for create in creates]

    def resize(self, groups: int) -> None:
        """Compile the query, and those that follow, for this number of groups. Raises `QueryError`; then nothing has
        changed."""
        if query := self.query:
            self.query = self._compiled(query.sql, query.name, self.streams, groups)
        self.groups = groups

    def _compiled(self, sql: str, name: str | None, streams: Mapping[str, Stream], groups: int) -> Query:
        """streams: declared here, by this text or before it."""
        created = {one.name for one in parse(sql) if isinstance(one, Create)}
        others = [stream for stream in streams.values() if stream.schema.name not in created]
        return Query(sql, compile_queries(sql, [*self.given, *others], name, capacity=groups), name)

    def _declared(self, create: Create, streams: dict[str, Stream]) -> Stream:
        """A stream as `compile_queries` declares it; one that is declared again keeps its number."""
        before = streams.get(create.name)
        number = before.schema.stream_id if before else len(self.given) + len(streams) + 1
        known_formats = [*formats.shipped(), *(one for one in self.given if isinstance(one, Format))]
        return declared(create, number, known_formats)

    def load(self, text: str) -> tuple[str, int, str, list[str]]:
        """Take ``[STREAM=]FILE`` as the data of a stream. Returns the stream's name, the number of tuples, the
        declaration that was inferred from the file, if any, and a line for each kind of loss."""
        name, file = own.named(text)
        if name and identifier(name) != name:
            raise UsageError(f"\\load {text}: {name} is not a name of a stream")
        path, streams = file.expanduser(), {stream.lower(): stream for stream in self.known}
        if not path.is_file():
            raise UsageError(f"\\load {text}: no file {path}")
        wanted = name or identifier(path.name.partition(".")[0])
        create = ""
        if not (name := streams.get(wanted.lower(), "")):
            create = infer(path, name or wanted.capitalize())
            (name,) = self.take(divided(create)[0][0].text)
        losses = Losses()
        count = len(read(path, self.known[name].schema, losses))
        self.files[name] = path
        return name, count, create, losses.lines()

    def data(self, query: Query) -> tuple[Arrival, list[str]]:
        """The tuples to send to a query, and what to say about them: those of the files, or invented ones if none of
        its streams has a file."""
        entries = query.built.circuit.entries
        streams = list(dict.fromkeys(entry.stream for entry in entries))
        names = [stream.schema.name for stream in streams]
        if of_messages := next((s for s in streams if s.origin), None):
            name, kind = of_messages.schema.name, of_messages.origin.format.kind
            raise UsageError(
                f"{name} has {kind} messages, which the shell does not send: run the query with `wirestream board`,"
                f" and send them with `wirestream orders --tunnel --format {kind.lower()}`"
            )
        files = {s: self.files[s.schema.name] for s in streams if s.schema.name in self.files}
        if not files:
            each = " each" * (len(streams) > 1)
            lines = [f"no data of {' and '.join(names)}: {INVENTED:,} invented tuples{each}; \\load FILE takes yours"]
            return invented(query.built, query.sql, INVENTED, SEED), lines
        if missing := [name for name in names if name not in self.files]:
            raise UsageError(f"no data of {' and '.join(missing)}: \\load {missing[0]}=FILE")
        return own.of_files(files, entries)

    def constants_of(self, query: Query) -> dict[str, int | str]:
        """The values of the query's constants. Raises `UsageError` if one has none."""
        wanted = query.built.circuit.runtime
        if missing := sorted(wanted.keys() - self.constants.keys()):
            raise UsageError(f"${missing[0]} has no value: \\set {missing[0]}=VALUE")
        return {name: self.constants[name] for name in wanted}
