"""Every core with properties is proven; `make formal` and `make soak` also try all mutants."""

import pytest

from tb import BUILD
from wirestream.design import cores, describe, from_edam
from wirestream.measure.formal import ProofOptions, prove

PROVEN = cores(target="formal")


@pytest.mark.parametrize("core", PROVEN)
@pytest.mark.parametrize("short", [True, pytest.param(False, marks=pytest.mark.soak)], ids=["short", "whole"])
def test_proof(core, short):
    edam = describe(core, "formal")
    prove(from_edam(edam, BUILD), ProofOptions.from_flow_options(edam["flow_options"]), short=short)


def test_the_cores_that_must_be_proven_are():
    assert {core.split(":")[2] for core in PROVEN} >= {"skid_buffer", "sync_fifo", "frame_fifo"}
