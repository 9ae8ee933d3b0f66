"""wid_ours: the same rows as wid_literal, two cycles sooner."""

from tb.baseline.test_wid_literal import rows_are_right  # noqa: F401
from tb.lib.run import run


def test_wid_ours():
    run("wid_ours", AGG="COUNT", AGG_W=32)
