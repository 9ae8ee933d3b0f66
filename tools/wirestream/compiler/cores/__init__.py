"""The contracts of cores, one class per core (see `base`): `ALL` that circuits instantiate, and those `ALONE`.

`python -m wirestream.compiler.cores FILE` writes the cores that a generated circuit depends on to a .core file.
"""

from wirestream.compiler.cores.base import Core
from wirestream.compiler.cores.division import Divide, DivideConst, SquareRoot
from wirestream.compiler.cores.expressions import Choose, Compute, ComputeWide, Delay, Lookup, Multiply, Select
from wirestream.compiler.cores.groups import GroupBy, GroupPanes
from wirestream.compiler.cores.joins import QueryJoin
from wirestream.compiler.cores.merging import Multiplex, Union
from wirestream.compiler.cores.quantiles import GroupRanks, QuantileRanks, QuantileScan
from wirestream.compiler.cores.several import PaneAggregate, SessionAggregate, TupleNumbers, WidAggregate
from wirestream.compiler.cores.sorting import (
    Comparator,
    MergeSort,
    PaneTopK,
    RowNumber,
    SortKey,
    SortNetwork,
    TopK,
)
from wirestream.compiler.cores.strings import MatchText, TextCrc32, TextEdit, TextExtract, TextMeasure
from wirestream.compiler.cores.windows import Aggregate, WeightedSum, Window

ALL: tuple[type[Core], ...] = (
    *(Aggregate, Choose, Compute, ComputeWide, Delay, Divide, DivideConst, GroupBy, GroupPanes, GroupRanks, Lookup),
    *(MatchText, MergeSort, Multiplex, Multiply, PaneAggregate, PaneTopK, QuantileRanks, QuantileScan, QueryJoin),
    *(RowNumber, Select, SessionAggregate, SortKey, SquareRoot, TextCrc32, TextEdit, TextExtract, TextMeasure, TopK),
    *(TupleNumbers, Union, WeightedSum, WidAggregate, Window),
)
ALONE: tuple[type[Core], ...] = (Comparator, SortNetwork)  # for a design of one's own
