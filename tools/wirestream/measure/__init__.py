"""Synthesis, proofs, lint and reports of cores."""
