"""group_cam_fast: the tests of group_cam, at its latencies."""

import pytest

from tb.lib.run import run, run_four_state
from tb.query.test_group_cam import MATRIX, WINDOWS, entries, reads_keys, reset_forgets  # noqa: F401


@pytest.mark.parametrize("parameters", [{**m, "CAPACITY": m["CAPACITY"] + 8} for m in MATRIX], ids=WINDOWS)
def test_group_cam_fast(parameters):
    run("group_cam_fast", **parameters)


def test_four_state():
    run_four_state("group_cam_fast", "reads_keys", **MATRIX[0])
