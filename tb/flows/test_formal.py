"""The proof flow itself: it must turn red on a false property, on no property, on a vacuous proof, on a weak one."""

from dataclasses import replace

import pytest

from wirestream.design import Design
from wirestream.formal import ProofFailure, ProofOptions, prove

COUNTER = """
module ws_counter (input wire clk, input wire rst, input wire step, output wire [2:0] value);
    reg [2:0] count_reg;
    assign value = count_reg;
    always @(posedge clk)
        if (rst) count_reg <= 3'd0;
        else if (step && count_reg != 3'd5) count_reg <= count_reg + 3'd1;
`ifdef FORMAL
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            {PROPERTIES}
        end
    end
`endif
endmodule
"""
WHOLE = """assert (value <= 5);
            if ($past(rst)) assert (value == 0);
            else if ($past(value) == 5) assert (value == 5);
            else assert (value == $past(value) + $past(step));"""
REACHED = "cover (value == 5);"
OPTIONS = ProofOptions(depth=12, mutants=0)


def counter(tmp_path, *properties: str) -> Design:
    source = tmp_path / "ws_counter.v"
    source.write_text(COUNTER.replace("{PROPERTIES}", "\n            ".join(properties)))
    return Design(f"wirestream:test:{tmp_path.name}", "ws_counter", (source,))


def test_true_properties_pass(tmp_path):
    prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, mutants=20))


def test_false_property_fails_and_leaves_a_trace(tmp_path):
    with pytest.raises(ProofFailure, match=r"base case fails(?s:.*)trace: .*base_case.vcd"):
        prove(counter(tmp_path, "assert (value < 4);", REACHED), OPTIONS)


def test_property_that_is_not_inductive_fails(tmp_path):
    with pytest.raises(ProofFailure, match="induction fails"):
        prove(counter(tmp_path, "assert (value != 7);", REACHED), OPTIONS)


def test_no_assertion_fails(tmp_path):
    with pytest.raises(ProofFailure, match="no assertion"):
        prove(counter(tmp_path, REACHED), OPTIONS)


def test_no_cover_fails(tmp_path):
    with pytest.raises(ProofFailure, match="no cover"):
        prove(counter(tmp_path, WHOLE), OPTIONS)


def test_vacuous_cover_fails(tmp_path):
    with pytest.raises(ProofFailure, match=r"cover fails(?s:.*)Unreached"):
        prove(counter(tmp_path, WHOLE, "assume (!step);", REACHED), OPTIONS)


def test_reference_into_another_module_fails(tmp_path):
    with pytest.raises(ProofFailure, match="implicitly declared"):
        prove(counter(tmp_path, WHOLE, REACHED, "assert (other.signal);"), OPTIONS)


def test_weak_property_lets_mutants_live(tmp_path):
    with pytest.raises(ProofFailure, match="mutants break no property"):
        prove(counter(tmp_path, "assert (value <= 5);", REACHED), replace(OPTIONS, mutants=20))
