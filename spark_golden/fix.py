"""FIX messages in payloads, parsed with Spark's string functions.

The rules are those of docs/fix.md, applied to text: a payload is split at SOH into fields, fields are grouped into
messages, and every message gets one verdict. The .yml file describes the messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

SOH = "\x01"
DEFAULTS = yaml.safe_load((Path(__file__).parents[1] / "rtl" / "fix" / "defaults.yml").read_text())
TAG = "([1-9][0-9]{0,5})="


@dataclass(frozen=True)
class Wanted:
    """A field that the message `type` may have. group: the count tag of its group, 0 for none; first: the tag that
    starts an entry; entry: from 0."""

    type: str
    place: int
    name: str
    tag: int
    kind: str
    required: bool
    group: int = 0
    first: int = 0
    entry: int = 0


def wanted(description: dict) -> list[Wanted]:
    found = []
    for message in description["messages"].values():
        kind, place = str(message["type"]), 0
        for name, field in message["fields"].items():
            found.append(Wanted(kind, place, name, field["tag"], str(field["type"]), "default" not in field))
            place += 1
        for group in message.get("groups", {}).values():
            first = group["fields"][group["first"]]["tag"]
            for entry in range(group["entries"]):
                for name, field in group["fields"].items():
                    described = (f"{name}{entry + 1}", field["tag"], str(field["type"]), "default" not in field)
                    found.append(Wanted(kind, place, *described, group["tag"], first, entry))
                    place += 1
    return found


@dataclass(frozen=True)
class Role:
    """The role of a tag in messages of `type`: a field outside groups (group 0) or, in the group with this count tag,
    its count, the first field of an entry, or another field."""

    type: str
    tag: int
    group: int
    role: str


def roles(description: dict) -> list[Role]:
    found = []
    for message in description["messages"].values():
        kind = str(message["type"])
        found += [Role(kind, field["tag"], 0, "field") for field in message["fields"].values()]
        for group in message.get("groups", {}).values():
            found.append(Role(kind, group["tag"], group["tag"], "count"))
            for name, field in group["fields"].items():
                found.append(Role(kind, field["tag"], group["tag"], "first" if name == group["first"] else "member"))
    return found


def fields(payloads: DataFrame, data: dict[int, int]) -> DataFrame:
    """payload, text → payload, n, body, ended, fits: the fields of each payload, in order.

    ended: an SOH follows. fits: the rules for lengths and data hold. A data field's body may contain SOH: parts are
    joined until they have the length that the preceding field states. Lengths only count inside messages, from a field
    8 to the next field 10; a field 8 always begins a message.
    """
    length = F.create_map(*(F.lit(str(k)) for pair in data.items() for k in pair))
    is_data = F.array(*(F.lit(str(tag)) for tag in data.values()))

    def read(part: Column) -> Column:
        """The properties of a part alone, computed once for all conditions of `step`. number: the length that it states
        for the data field `stated`, or null."""
        value = F.regexp_extract(part, f"(?s)^{TAG}([0-9]+)\\z", 2)
        number = F.when((value != "") & (F.length(F.regexp_replace(value, "^0+", "")) <= 5), value.cast("int"))
        return F.struct(
            part.alias("body"),
            _tag(part).alias("tag"),
            (F.length(part) - F.length(_tag(part)) - 1).alias("bytes"),
            F.coalesce(length[_tag(part)], F.lit("")).alias("stated"),
            F.when(number.between(1, 65535), number).alias("number"),
            F.array_contains(is_data, _tag(part)).alias("data"),
        )

    def step(state: Column, part: Column) -> Column:
        joined = F.concat(state.open, F.lit(SOH), part.body)
        counted = (part.tag == state.promised) & (part.tag != "")
        waits = counted & (part.bytes < state.need)
        due = F.when(state.promised != "", counted | (part.tag == "8")).otherwise(~part.data)
        fits = due & (counted | (part.stated == "") | part.number.isNotNull())
        begun = F.named_struct(
            *(F.lit("body"), part.body, F.lit("need"), F.when(counted, state.need).otherwise(F.lit(-1))),
            *(F.lit("fits"), fits),
        )
        good = fits & (part.stated != "") & ~counted & state.inside
        promise = F.when(good, part.stated).otherwise(F.lit(""))
        inside = (part.tag == "8") | (state.inside & (part.tag != "10"))
        # inside a data field; the first part of a data field; any other field
        still = F.length(joined) - F.length(F.regexp_extract(joined, f"(?s)^{TAG}", 1)) - 1 < state.need
        done = F.named_struct(F.lit("body"), joined, F.lit("need"), state.need, F.lit("fits"), F.lit(True))
        empty = F.lit("")
        return (
            F.when((state.open != "") & still, _state(state.fields, joined, state.need, empty, state.inside))
            .when(state.open != "", _state(F.array_append(state.fields, done), empty, F.lit(-1), empty, state.inside))
            .when(waits, _state(state.fields, part.body, state.need, empty, state.inside))
            .otherwise(
                _state(
                    *(F.array_append(state.fields, begun), empty),
                    *(F.when(good, part.number).otherwise(F.lit(-1)), promise, inside),
                )
            )
        )

    parts = F.split("text", SOH)
    plain = F.transform(
        parts,
        lambda p: F.named_struct(
            F.lit("body"), p, F.lit("need"), F.lit(-1), F.lit("fits"), ~F.array_contains(is_data, _tag(p))
        ),
    )
    start = _state(F.slice(plain, 1, 0), F.lit(""), F.lit(-1), F.lit(""), F.lit(False))
    # No SOH follows the last part, even if it belongs to a data field.
    whole, rest = F.slice(parts, 1, F.size(parts) - 1), F.element_at(parts, -1)
    has_data = F.col("text").rlike(f"(^|{SOH})({'|'.join(map(str, data))})=")
    folded = F.when(has_data, F.aggregate(F.transform(whole, read), start, step))
    listed = payloads.withColumn("folded", folded)  # a separate column is computed once
    opened = F.col("folded.open")
    stays = F.concat(opened, F.when(opened != "", SOH).otherwise(""), rest)
    tail = F.named_struct(F.lit("body"), stays, F.lit("need"), F.lit(-1), F.lit("fits"), F.lit(True))
    listed = listed.withColumn(
        "parts", F.when(F.col("folded").isNotNull(), F.array_append("folded.fields", tail)).otherwise(plain)
    )
    each = listed.select("payload", F.size("parts").alias("size"), F.posexplode("parts").alias("n", "field"))
    ended = F.col("n") < F.col("size") - 1
    tag = _tag(F.col("field.body"))
    long_enough = (F.col("field.need") < 0) | (F.length("field.body") == F.length(tag) + 1 + F.col("field.need"))
    return each.select(
        "payload", "n", F.col("field.body").alias("body"), ended.alias("ended"), tag.alias("tag"),
        (F.col("field.fits") & long_enough).alias("fits"),
    ).where(F.col("ended") | (F.col("body") != ""))  # fmt: skip


def _state(done: Column, opened: Column, need: Column, promised: Column, inside: Column) -> Column:
    names = ("fields", "open", "need", "promised", "inside")
    return F.named_struct(*(c for name, v in zip(names, (done, opened, need, promised, inside), strict=True)
                            for c in (F.lit(name), v)))  # fmt: skip


def _tag(body: Column) -> Column:
    return F.regexp_extract(body, f"(?s)^{TAG}", 1)


def messages(payloads: DataFrame, description: dict) -> tuple[DataFrame, DataFrame]:
    """payload, text → (verdicts, values).

    verdicts: payload, message, type, verdict ("message" for a good one); garbage has message < 0.
    values: payload, message, type, place, text: the wanted fields of good messages as text, with times and prices as
    numbers.
    """
    order = Window.partitionBy("payload").orderBy("n")
    inside = Window.partitionBy("payload", "message").orderBy("n")
    before = inside.rowsBetween(Window.unboundedPreceding, -1)
    begins = (F.col("tag") == "8") & (F.col("ended") | (F.length("body") > 2))
    closes = (F.col("tag") == "10") & F.col("ended")
    split = fields(payloads, description.get("data", DEFAULTS["data"]))
    split = split.withColumn("message", F.sum(begins.cast("int")).over(order))
    split = split.withColumn("closed", F.coalesce(F.max(closes).over(before), F.lit(False)) | (F.col("message") == 0))
    code_sum = F.aggregate(F.split("body", ""), F.lit(1), lambda total, c: total + F.ascii(c))  # and the SOH
    split = split.withColumn("place", F.row_number().over(inside) - 1).withColumn("sum", code_sum)
    split = split.withColumn("value", F.expr("substr(body, length(tag) + 2)"))
    firsts = sorted({(w.group, w.first) for w in wanted(description) if w.group})
    for group, first in firsts:
        split = split.withColumn(
            f"entries{group}_{first}", F.sum((F.col("tag") == str(first)).cast("int")).over(inside)
        )
    split = split.cache()
    litter = split.where("closed").groupBy("payload", "message").count()
    own = split.where("not closed")
    well = (F.col("tag") != "") & (F.col("value") != "") & F.col("fits")

    def at(place: int, what: Column) -> Column:
        return F.max(F.when(F.col("place") == place, what))

    def yes(column: str) -> Column:
        return F.coalesce(column, F.lit(False))

    closing = F.col("tag") == "10"
    frame = own.groupBy("payload", "message").agg(
        F.max(closes).alias("complete"),
        F.max(F.col("ended") & ~well).alias("malformed"),
        at(0, F.col("value")).alias("version"),
        (at(1, F.col("tag")) == "9").alias("second"),
        (at(2, F.col("tag")) == "35").alias("third"),
        at(1, F.col("value")).alias("length"),
        at(2, F.col("value")).alias("type"),
        F.sum(F.when((F.col("place") > 1) & ~closing, F.length("body") + 1).otherwise(0)).alias("bytes"),
        F.sum(F.when(~closing, F.col("sum")).otherwise(0)).alias("total"),
        F.max(F.when(closing, F.col("value"))).alias("checksum"),
        F.max((F.col("place") > 2) & F.col("tag").isin("9", "35")).alias("again"),
    )

    known = payloads.sparkSession.createDataFrame(wanted(description))
    parts = payloads.sparkSession.createDataFrame(roles(description))
    types = frame.select("payload", "message", "type")
    here = F.lit(0)
    for group, first in firsts:
        in_group = (F.col("group") == group) & (F.col("first") == first)
        here = F.when(in_group, F.col(f"entries{group}_{first}") - 1).otherwise(here)
    body = own.where("place > 2").join(types, ["payload", "message"])
    found = body.join(
        F.broadcast(known.withColumnRenamed("place", "at").withColumnRenamed("type", "of")),
        (F.col("of") == body.type) & (body.tag == known.tag.cast("string")) & (here == F.col("entry")),
    )
    checked = found.select(
        "payload", "message", "at", "n", "kind", _value(sorted({w.kind for w in wanted(description)}))
    ).cache()
    per_field = checked.groupBy("payload", "message", "at").agg(
        (F.count("*") > 1).alias("twice"), F.max(F.col("read").isNull()).alias("bad")
    )
    of_fields = per_field.groupBy("payload", "message").agg(F.max("twice").alias("twice"), F.max("bad").alias("bad"))

    # The groups: their order, ...
    part = F.broadcast(parts.withColumnRenamed("type", "of").withColumnRenamed("tag", "of_tag"))
    placed = body.join(part, (F.col("of") == body.type) & (body.tag == F.col("of_tag").cast("string")))
    step = F.when(F.col("role") == "field", "").when(F.col("role") == "count", F.concat("tag", F.lit("=")))
    step = F.when(F.col("role") == "first", F.concat("group", F.lit("+"))).otherwise(step)
    placed = placed.withColumn("after", F.coalesce(F.last(step, ignorenulls=True).over(before), F.lit("")))
    in_entry = F.col("after") == F.concat("group", F.lit("+"))
    behind_count = F.col("after") == F.concat("group", F.lit("="))
    counts = F.col("role") == "count"
    order_of = placed.groupBy("payload", "message").agg(
        F.max(
            ((F.col("role") == "first") & ~in_entry & ~behind_count) | ((F.col("role") == "member") & ~in_entry)
        ).alias("misplaced"),
        (F.count_if(counts) > F.count_distinct(F.when(counts, F.col("tag")))).alias("twice_counted"),
        F.max(counts & ~F.col("value").rlike("^[0-9]+\\z")).alias("no_count"),
    )
    # ... the entries received and the number announced.
    entries = own.groupBy("payload", "message").agg(
        F.lit(0).alias("none"),
        *(F.max(f"entries{g}_{f}").alias(f"came{g}_{f}") for g, f in firsts),
        *(F.max_by(F.when(F.col("tag") == str(g), F.col("value")), F.when(F.col("tag") == str(g), F.col("n")))
          .alias(f"count{g}_{f}") for g, f in firsts),
    )  # fmt: skip
    needed = known.where("required").select(
        F.col("type").alias("of"), F.col("place").alias("at"), "group", "first", "entry"
    )
    due = types.join(entries, ["payload", "message"]).join(F.broadcast(needed), types.type == needed.of)
    there = F.col("group") == 0
    for group, first in firsts:
        in_group = (F.col("group") == group) & (F.col("first") == first)
        there = there | (in_group & (F.col(f"came{group}_{first}") > F.col("entry")))
    missing = due.where(there).join(per_field, ["payload", "message", "at"], "left_anti")
    missing = missing.groupBy("payload", "message").count().withColumnRenamed("count", "missing")
    uneven = F.lit(False)
    for group, first in firsts:
        count, came = F.col(f"count{group}_{first}"), F.col(f"came{group}_{first}")
        number = F.when(_digits(count, 3) & count.rlike("^[0-9]+\\z"), count.cast("int"))
        good = F.when(count.isNull(), came == 0).otherwise(F.coalesce((number <= 254) & (number == came), F.lit(False)))
        uses = sorted({w.type for w in wanted(description) if (w.group, w.first) == (group, first)})
        uneven = uneven | (F.col("type").isin(uses) & ~good)

    all_of = frame.join(entries, ["payload", "message"]).join(of_fields, ["payload", "message"], "left")
    all_of = all_of.join(missing, ["payload", "message"], "left").join(order_of, ["payload", "message"], "left")
    length = F.when(F.col("length").rlike("^[0-9]+\\z") & _digits(F.col("length"), 5), F.col("length").cast("int"))
    length_good = F.coalesce((length <= 65535) & (length == F.col("bytes")), F.lit(False))
    sum_good = F.col("checksum").rlike("^[0-9]{3}\\z") & (F.col("checksum") == F.lpad(F.col("total") % 256, 3, "0"))
    versions = description.get("begin_strings", DEFAULTS["begin_strings"])
    header = F.col("version").isin(*versions) & F.coalesce("second", F.lit(False)) & F.coalesce("third", F.lit(False))
    types_known = sorted({w.type for w in wanted(description)})
    verdict = (
        F.when(~F.col("complete"), "truncated")
        .when(F.col("malformed"), "malformed")
        .when(~header, "bad_header")
        .when(~length_good, "bad_length")
        .when(~sum_good, "bad_checksum")
        .when(~F.col("type").isin(types_known), "unknown")
        .when(F.col("again") | yes("twice") | yes("twice_counted"), "repeated")
        .when(yes("bad") | yes("no_count"), "bad_value")
        .when(F.coalesce("missing", F.lit(0)) > 0, "missing")
        .when(uneven | yes("misplaced"), "bad_group")
        .otherwise("message")
    )
    verdicts = all_of.select("payload", "message", "type", verdict.alias("verdict"))
    garbage = litter.select("payload", (-F.col("message") - 1).alias("message"), F.lit("").alias("type"))
    verdicts = verdicts.unionByName(garbage.withColumn("verdict", F.lit("garbage"))).cache()
    good = verdicts.where("verdict = 'message'").select("payload", "message", "type")
    values = checked.select("payload", "message", "at", "read").join(good, ["payload", "message"])
    return verdicts, values


def _digits(text: Column, most: int) -> Column:
    """At most this many digits, not counting leading zeros."""
    return F.length(F.regexp_replace(F.regexp_replace(text, "^-", ""), "^0+", "")) <= most


def _value(kinds: list[str]) -> Column:
    """The column `read`: the text of `value`, or null if it does not have the type `kind`."""
    value, read = F.col("value"), F.lit(None).cast("string")
    for kind in kinds:
        read = F.when(F.col("kind") == kind, _read(kind, value)).otherwise(read)
    return read.alias("read")


def _read(kind: str, value: Column) -> Column:
    if kind in ("int", "uint", "long"):
        form = "^[0-9]+\\z" if kind == "uint" else "^-?[0-9]+\\z"
        good = value.rlike(form) & _digits(value, 18 if kind == "long" else 9)
        return F.when(good, F.when(good, value).cast("bigint").cast("string"))
    if kind.startswith("price"):
        return _price(value, int(re.search(r"\d+", kind)[0]))
    if kind == "timestamp":
        return _timestamp(value)
    most = 1 if kind == "char" else int(re.search(r"\d+", kind)[0])
    return F.when(F.length(value) <= most, value)


def _price(value: Column, decimals: int) -> Column:
    """In units of the last of `decimals` digits after the decimal point."""
    form = r"^(-?)([0-9]*)(?:\.([0-9]*))?\z"
    sign, whole = F.regexp_extract(value, form, 1), F.regexp_extract(value, form, 2)
    fraction = F.regexp_replace(F.regexp_extract(value, form, 3), r"0+\z", "")
    good = value.rlike(form) & value.rlike("[0-9]") & _digits(whole, 18 - decimals) & (F.length(fraction) <= decimals)
    digits = F.concat(F.lit("0"), whole, F.rpad(fraction, decimals, "0"))
    return F.when(good, F.when(good, F.concat(sign, digits)).cast("bigint").cast("string"))


def _timestamp(value: Column) -> Column:
    """Nanoseconds since 1970."""
    form = r"^(20[0-9]{2})([0-9]{2})([0-9]{2})-([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?\z"

    def part(n: int) -> Column:
        return F.when(value.rlike(form), F.regexp_extract(value, form, n)).cast("int")

    year, month, day, hour, minute, second = (part(n) for n in range(1, 7))
    some_day = F.when(month.between(1, 12), F.make_date(year, month, F.lit(1)))
    good = value.rlike(form) & day.between(1, F.day(F.last_day(some_day)))
    good &= (hour < 24) & (minute < 60) & (second <= 60)
    seconds = (F.unix_date(some_day) + day - 1).cast("bigint") * 86400 + hour * 3600 + minute * 60 + second
    nanoseconds = F.rpad(F.regexp_extract(value, form, 7), 9, "0").cast("bigint")
    return F.when(good & month.between(1, 12), (seconds * 1_000_000_000 + nanoseconds).cast("string"))
