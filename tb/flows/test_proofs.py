"""Every core with properties is proven; `make formal` does the same with all mutants."""

from dataclasses import replace

import pytest

from wirestream.design import BUILD, cores, describe, from_edam
from wirestream.formal import ProofOptions, prove

MUTANTS = 4  # of a core; enough to see that the properties are still connected to the circuit


@pytest.mark.parametrize("core", cores(target="formal"))
def test_proof(core):
    edam = describe(core, "formal")
    options = ProofOptions.from_flow_options(edam["flow_options"])
    prove(from_edam(edam, BUILD), replace(options, mutants=min(options.mutants, MUTANTS)))


def test_the_cores_that_must_be_proven_are():
    proven = {core.split(":")[2] for core in cores(target="formal")}
    assert proven >= {"skid_buffer", "sync_fifo", "frame_fifo"}
