"""The proof flow must fail on a false property, on a missing one, on a vacuous proof and on a weak property."""

import re
from dataclasses import replace

import pytest

from wirestream.design import Design
from wirestream.measure.formal import Problem, ProofFailure, ProofOptions, prove

COUNTER = """
module ws_counter #(parameter START = 0) (input wire clk, input wire rst, input wire step, output wire [2:0] value);
    reg [2:0] count_reg;
    assign value = count_reg;
    always @(posedge clk)
        if (rst) count_reg <= START;
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
DIVIDER = """
module ws_divider (input wire clk, input wire [7:0] number, input wire signed [5:0] digit);
`ifdef FORMAL
    wire [7:0] quotient = number / 7, left = number % 7, one = number / 1, none = number % 1;
    wire signed [5:0] part = digit / 5, rest = digit % 5;
    always @(posedge clk) begin
        assert (left < 7 && quotient * 7 + left == number && one == number && none == 0);
        assert (rest > -5 && rest < 5 && part * 5 + rest == digit && (rest == 0 || rest < 0 == digit < 0));
        cover (left == 6 && quotient == 35);
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


PDR = replace(OPTIONS, depth=8, pdr=1)


def test_pdr_proves_what_is_not_inductive(tmp_path):
    prove(counter(tmp_path, "assert (value != 7);", REACHED), PDR)


def test_pdr_finds_a_false_property_after_the_base_case_and_leaves_a_trace(tmp_path):
    late = counter(tmp_path, "assert (value != 4);", "cover (value == 1);")
    with pytest.raises(ProofFailure, match=r"induction fails(?s:.*)trace: .*induction.vcd"):
        prove(late, replace(PDR, depth=4))
    with pytest.raises(ProofFailure, match=r"base case fails(?s:.*)trace: .*base_case.vcd"):
        prove(late, PDR)


def test_pdr_keeps_assumptions_and_leaves_out_bounded_assertions(tmp_path):
    odd = "soon: assert (value != 5);", "assert (value != 7);", "cover (value == 1);"
    prove(counter(tmp_path, *odd), replace(PDR, depth=4, bounded=("soon",)))
    with pytest.raises(ProofFailure, match="induction fails"):
        prove(counter(tmp_path, *odd), replace(PDR, depth=4))
    prove(counter(tmp_path, "if (value == 4) assume (!step);", *odd), replace(PDR, depth=4))


SAT = replace(OPTIONS, sat=1, induction=3)


def test_induction_by_abc(tmp_path):
    """Also of an assertion that needs several cycles of induction, with assumptions, and without bounded assertions."""
    prove(counter(tmp_path, WHOLE, REACHED), SAT)
    with pytest.raises(ProofFailure, match=r"induction fails(?s:.*)trace: .*induction.vcd"):
        prove(counter(tmp_path, "assert (value != 7);", REACHED), SAT)
    later = "if ($past(value, 2) == 6) assert (value != 6);", "soon: assert (value != 7);", REACHED
    prove(counter(tmp_path, "if (value == 6) assume (step);", *later), replace(SAT, bounded=("soon",)))
    with pytest.raises(ProofFailure, match="induction fails"):
        prove(counter(tmp_path, *later), replace(SAT, bounded=("soon",)))


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


LINE, FAULT = "else if (step && count_reg != 3'd5) count_reg <= count_reg + 3'd1;", "const0 at add Y[0]"
SURVIVORS = re.compile(r"^  ws_counter\.v:\d+: (.*)  \((.*)\)$", re.MULTILINE)


def test_equivalent_entries_excuse_the_mutants_that_they_name(tmp_path, capsys):
    weak, options = counter(tmp_path, "assert (value <= 5);", REACHED), replace(OPTIONS, mutants=20)
    with pytest.raises(ProofFailure, match="mutants break no property") as failure:
        prove(weak, options)
    survivors = SURVIVORS.findall(str(failure.value))
    entries = tuple(f"{line} | {fault} | any | for the test" for line, fault in survivors)
    prove(weak, replace(options, equivalent=entries))
    assert f"of 20 mutants killed, {len(entries)} equivalent" in capsys.readouterr().out
    prove(weak, replace(options, equivalent=entries), short=True)
    assert re.search(r": 3 of 3 mutants killed, [\d.]+ s\n$", capsys.readouterr().out)
    with pytest.raises(ProofFailure, match="1 mutants break no property") as failure:
        prove(weak, replace(options, equivalent=entries[1:]))
    assert SURVIVORS.findall(str(failure.value)) == survivors[:1]


@pytest.mark.parametrize(
    "entry",
    [
        f"{LINE[5:]} | {FAULT} | any",
        f"{LINE} | const0 at add Y[7] | any",
        f"{LINE} | {FAULT} | START=1",
        f"{LINE} | {FAULT} | STOP=0",
    ],
)
def test_an_entry_of_another_line_mutation_or_configuration_matches_nothing(tmp_path, entry):
    whole = counter(tmp_path, WHOLE, REACHED)
    options = replace(OPTIONS, configurations=("START=0",), equivalent=(f"{LINE} | {FAULT} | START=0 | matches",))
    prove(whole, options)
    for short in (False, True):
        with pytest.raises(ProofFailure) as failure:
            prove(whole, replace(options, equivalent=(*options.equivalent, f"{entry} | none")), short=short)
        assert str(failure.value).endswith(f"these entries of `equivalent` match no mutant:\n  {entry}")


def test_an_entry_without_a_mutation_fails(tmp_path):
    with pytest.raises(ProofFailure, match="has entries LINE"):
        prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, equivalent=(f"{LINE} | no reason",)))


def test_a_short_proof_tries_three_mutants(tmp_path, capsys):
    prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, mutants=20), short=True)
    assert "3 of 3 mutants killed" in capsys.readouterr().out


def test_a_short_proof_leaves_out_what_is_long(tmp_path, capsys):
    options = replace(OPTIONS, configurations=("mutants=0", "mutants=0 long=1"))
    for short, proofs in ((True, 1), (False, 2)):
        prove(counter(tmp_path, WHOLE, REACHED), options, short=short)
        assert capsys.readouterr().out.count("assertions proven") == proofs


def test_a_fault_in_the_last_cycle_of_the_base_case_is_found(tmp_path):
    late = counter(tmp_path, "soon: assert (value != 4);", "assert (value <= 5);", "cover (value == 1);")
    options = replace(OPTIONS, bounded=("soon",))
    prove(late, replace(options, depth=6))
    with pytest.raises(ProofFailure, match="base case fails"):
        prove(late, replace(options, depth=7))


def test_a_cover_in_the_last_cycle_is_reached(tmp_path):
    prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, cover=8))
    with pytest.raises(ProofFailure, match=r"cover fails(?s:.*)Unreached"):
        prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, cover=7))


def test_one_unreached_cover_of_three_is_named(tmp_path):
    covers = "cover (value == 1);", "never: cover (value == 6);", "cover (value == 2);"
    with pytest.raises(ProofFailure, match=r"cover fails\n  Unreached cover statement: never$"):
        prove(counter(tmp_path, WHOLE, *covers), OPTIONS)


def test_assumptions_that_end_before_the_base_case_fail(tmp_path):
    ends = "assume (value != 5);", "if ($past(value) == 4) assume (step);", "if ($past(value) < 4) assume (step);"
    with pytest.raises(ProofFailure, match=r"base case fails(?s:.*)UNSAT"):
        prove(counter(tmp_path, WHOLE, "assume (!rst);", *ends, "cover (value == 4);"), OPTIONS)


def test_division_by_a_constant_is_the_solvers(tmp_path):
    """The template for ABC agrees with the operators, which Yices evaluates in the induction."""
    source = tmp_path / "ws_divider.v"
    source.write_text(DIVIDER)
    prove(Design(f"wirestream:test:{tmp_path.name}", "ws_divider", (source,)), replace(OPTIONS, depth=2))


def test_bounded_property_needs_no_induction_but_the_base_case(tmp_path):
    bounded = replace(OPTIONS, bounded=("soon",))
    prove(counter(tmp_path, "soon: assert (value != 7);", "assert (value <= 5);", REACHED), bounded)
    with pytest.raises(ProofFailure, match="induction fails"):
        prove(counter(tmp_path, "later: assert (value != 7);", REACHED), bounded)
    with pytest.raises(ProofFailure, match="base case fails"):
        prove(counter(tmp_path, "soon: assert (value != 5);", REACHED), bounded)


def test_induction_longer_than_the_base_case_fails(tmp_path):
    with pytest.raises(ProofFailure, match="longer than the base case"):
        prove(counter(tmp_path, WHOLE, REACHED), replace(OPTIONS, induction=13))


def test_mutants_by_induction(tmp_path):
    """Faults that become visible after at least five cycles, with a base case of four."""
    whole = counter(tmp_path, WHOLE, "cover (value == 1);")
    short = replace(OPTIONS, depth=4, mutants=20)
    prove(whole, replace(short, by_induction=1))
    with pytest.raises(ProofFailure, match="mutants break no property"):
        prove(whole, short)


STAGE = """
module ws_stage #(parameter KEEPS = 1) (
    input wire clk, input wire rst,
    input wire [7:0] s_data, input wire s_valid, output wire s_ready,
    output reg [7:0] m_data, output reg m_valid, input wire m_ready
);
    assign s_ready = !m_valid || m_ready;
    always @(posedge clk) begin
        if (s_ready || !KEEPS) m_data <= s_data;
        if (s_ready) m_valid <= s_valid;
        if (rst) m_valid <= 1'b0;
    end
`ifdef FORMAL
{RULES}
`endif
endmodule

"""
PAIR = """
module ws_pair (
    input wire clk, input wire rst,
    input wire [7:0] s_data, input wire s_valid, output wire s_ready,
    output wire [7:0] m_data, output wire m_valid, input wire m_ready
);
    wire [7:0] data;
    wire       valid, ready;
    ws_stage first (clk, rst, s_data, s_valid, s_ready, data, valid, ready);
    ws_stage second (clk, rst, {BETWEEN}, valid, ready, m_data, m_valid, m_ready);
`ifdef FORMAL
{RULES}
`endif
endmodule
"""
RULES = """
    ws_axis_rules #(.ASSUME(1)) s_rules (
        .clk(clk), .rst(rst), .tdata(s_data), .tkeep(1'b1), .tvalid(s_valid), .tready(s_ready), .tlast(1'b1),
        .tuser(1'b0));
    ws_axis_rules m_rules (
        .clk(clk), .rst(rst), .tdata(m_data), .tkeep(1'b1), .tvalid(m_valid), .tready(m_ready), .tlast(1'b1),
        .tuser(1'b0));
"""


def pair(tmp_path, between: str = "data") -> Design:
    """Two stages in series; `between` is the data input of the second."""
    sources = tmp_path / "ws_stage.v", tmp_path / "ws_pair.v"
    for source, text in zip(sources, (STAGE, PAIR), strict=True):
        source.write_text(text.replace("{RULES}", RULES).replace("{BETWEEN}", between))
    return Design(f"wirestream:test:{tmp_path.name}", "ws_pair", sources)


def test_rules_are_assumed_at_inputs_and_asserted_at_outputs(tmp_path):
    stage = replace(pair(tmp_path), toplevel="ws_stage")
    prove(stage, OPTIONS)
    with pytest.raises(ProofFailure, match=r"base case fails(?s:.*)m_rules.waits_beat"):
        prove(stage.with_parameters(KEEPS=0), OPTIONS)


def test_rules_of_a_core_below_are_obligations(tmp_path):
    prove(pair(tmp_path), OPTIONS)
    restless = pair(tmp_path, "s_data")
    with pytest.raises(ProofFailure, match=r"base case fails(?s:.*)second.s_rules.waits_beat"):
        prove(restless, OPTIONS)
    prove(restless, replace(OPTIONS, below=0))  # its own output is nevertheless correct


def test_mutants_are_put_where_they_are_wanted(tmp_path):
    wanted = "ws_stage.v: assign s_ready"
    faults = Problem(pair(tmp_path), tmp_path / "build", replace(OPTIONS, mutated=(wanted,))).mutants(1)
    assert faults
    assert all(re.match(r"ws_stage\.v:\d+: assign s_ready", str(fault)) for fault in faults)
    assert not Problem(pair(tmp_path), tmp_path / "build", OPTIONS).mutants(1)  # ws_pair itself is only wires


CROSSING = """
module ws_crossing (input wire a_clk, input wire b_clk, output reg [1:0] a, output reg [1:0] b);
    initial {a, b} = 4'd0;
    always @(posedge a_clk) a <= a + 2'd1;
    always @(posedge b_clk) b <= a;
`ifdef FORMAL
    (* gclk *) wire step;
    reg past_valid = 1'b0;
    always @(posedge step) begin
        past_valid <= 1'b1;
        {PROPERTY}
        cover (a == 2 && b == 0);   // two edges of one clock while the other stops
    end
`endif
endmodule
"""


def crossing(tmp_path, text: str) -> Design:
    source = tmp_path / "ws_crossing.v"
    source.write_text(CROSSING.replace("{PROPERTY}", text))
    return Design(f"wirestream:test:{tmp_path.name}", "ws_crossing", (source,))


def test_clocks_run_freely(tmp_path):
    kept = "if (past_valid && (!b_clk || $past(b_clk))) assert ($stable(b));"
    prove(crossing(tmp_path, kept), replace(OPTIONS, multiclock=1))
    with pytest.raises(ProofFailure, match="base case fails"):
        prove(crossing(tmp_path, "assert (b == a || b + 2'd1 == a);"), replace(OPTIONS, multiclock=1))
