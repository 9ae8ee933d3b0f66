"""What a core costs and promises: synthesis, proofs, lint, reports."""
