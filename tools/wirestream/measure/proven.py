"""The assertions proven by induction, those proven for some cycles only, and the cores without proofs, as Markdown."""

from __future__ import annotations

from itertools import groupby

import yaml

from wirestream.measure.cores import Core, cores
from wirestream.measure.formal import ProofOptions


def options(core: Core) -> ProofOptions | None:
    """The options of the proof of `core`, or None if it has none."""
    proof = yaml.safe_load(core.path.read_text())["targets"].get("formal")
    return ProofOptions.from_flow_options(proof.get("flow_options", {})) if proof else None


def cycles(given: ProofOptions) -> str:
    """The cycles of the base case, over all configurations: ``14`` or ``14 to 30``."""
    values = [dict(pair.split("=") for pair in configuration.split()) for configuration in given.configurations]
    depths = [int(own.get("depth", given.depth)) for own in values]
    return " to ".join(map(str, sorted({min(depths), max(depths)})))


def listed(members: list[Core]) -> list[str]:
    """One line a library with the names of its cores."""
    return [f"- {library}: {', '.join(c.name for c in own)}" for library, own in groupby(members, lambda c: c.library)]


def markdown() -> str:
    """The list, for docs/testing.md."""
    found = [(core, options(core)) for core in cores()]
    whole = [core for core, given in found if given and not given.bounded]
    partly = [(core, given) for core, given in found if given and given.bounded]
    unproven = [core for core, given in found if not given]
    rows = [
        f"| {core.name} | {', '.join(f'`{word}`' for word in given.bounded)} | {cycles(given)} |"
        for core, given in partly
    ]
    return "\n".join(
        [
            f"All assertions of these {len(whole)} cores are proven by induction, so they hold without a bound:\n",
            *listed(whole),
            f"\nIn these {len(partly)} cores, the assertions whose name has one of the listed words are proven only",
            "for the first cycles after a reset; all others are proven by induction:\n",
            "| core | bounded assertions | cycles |",
            "|---|---|--:|",
            *rows,
            f"\nThese {len(unproven)} cores have no properties of their own and are tested only:\n",
            *listed(unproven),
            "",
        ]
    )
