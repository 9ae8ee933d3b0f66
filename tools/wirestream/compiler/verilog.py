"""The hardware plan as structural Verilog: instances of cores, and the wires between them."""

from __future__ import annotations

from wirestream.compiler import algebra
from wirestream.compiler.hardware import Circuit, Instance


def module_name(circuit: Circuit) -> str:
    """Apart from every core's, whatever the query is called."""
    return f"ws_query_{circuit.name.lower()}"


def verilog(circuit: Circuit, sql: str) -> str:
    """The module of a circuit on the wire (no ready; docs: the wire contract), with the query as its header."""
    schema = circuit.result
    source, spill = circuit.source.stream.schema, circuit.overflow
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        *(f"// {line}".rstrip() for line in _header(circuit, sql)),
        "",
        "`default_nettype none",
        "/* verilator lint_off UNUSEDSIGNAL */",
        "/* verilator lint_off PINCONNECTEMPTY */",
        "",
        f"module {module_name(circuit)} (",
        "    input  wire clk,",
        "    input  wire rst,",
        *(f"    input  wire [{kind.width - 1}:0] const_{name}," for name, kind in sorted(circuit.runtime.items())),
        "    input  wire s_valid,",
        "    input  wire s_punct,",
        "    input  wire s_eos,",
        f"    input  wire [{source.record_bits - 1}:0] s_data,",
        "    output wire m_valid,",
        "    output wire m_punct,",
        "    output wire m_eos,",
        f"    output wire [{schema.record_bits - 1}:0] m_data{',' if spill else ''}",
        *(
            ["    output wire o_valid,", "    output wire o_punct,", f"    output wire [{spill.width - 1}:0] o_data"]
            if spill
            else []
        ),
        ");",
        "",
        *(f"    wire {f'[{width - 1}:0] ' if width > 1 else ''}{name};" for name, width in circuit.wires),
        "",
    ]
    for instance in circuit.instances:
        lines += [*_instance(instance), ""]
    output = circuit.output
    for port, text in (("valid", output.valid), ("punct", output.punct), ("eos", output.eos)):
        lines.append(f"    assign m_{port} = {text};")
    lines.append(f"    assign m_data  = {{{', '.join(signal.text for signal in circuit.row)}}};")
    if spill:
        lines += [f"    assign o_{port} = {getattr(spill, port)};" for port in ("valid", "punct", "data")]
    lines += ["", "endmodule", "", "`default_nettype wire", ""]
    return "\n".join(lines)


def _header(circuit: Circuit, sql: str) -> list[str]:
    spill = circuit.overflow
    more = (
        [f"o_data       {{{', '.join(spill.columns)}}}: tuples of groups beyond {circuit.close_rows}"] if spill else []
    )
    closes = f"   CLOSE_CYCLES {circuit.close_cycles}   CLOSE_ROWS {circuit.close_rows}" if circuit.window else ""
    return [
        f"{module_name(circuit)}: written by wirestream compile from",
        "",
        *(f"  {line}" for line in sql.strip().splitlines()),
        "",
        f"Latency      {circuit.latency} cycle{'s' * (circuit.latency != 1)}",
        f"Issue rate   1 tuple {'a cycle' if circuit.interval == 1 else f'in {circuit.interval} cycles'}{closes}",
        f"s_data       {_record(circuit.source.stream.schema)}",
        f"m_data       {_record(circuit.result)}",
        *more,
    ]


def _record(schema) -> str:
    fields = ", ".join(f"{f.name} {f.type}" for f in schema.fields)
    used = sum(algebra.of_field(f.type).width for f in schema.fields)
    return f"{{{fields}{f', {schema.record_bits - used} zero bits' if used < schema.record_bits else ''}}}"


def _instance(instance: Instance) -> list[str]:
    parameters = ", ".join(f".{name}({_parameter(value)})" for name, value in instance.parameters.items())
    ports = [f".{name}({text})" for name, text in instance.ports.items()]
    lines, line = [], "       "
    for n, port in enumerate(ports):
        port += "," if n < len(ports) - 1 else ""
        if len(line) + len(port) + 1 > 116 and line.strip():
            lines.append(line)
            line = "       "
        line += f" {port}"
    return [f"    {instance.module} #({parameters}) {instance.name} (", *lines, line, "    );"]


def _parameter(value: int | str) -> str:
    if isinstance(value, int) or "'" in value:
        return str(value)
    return f'"{value}"'
