"""The host's side of a board: send, receive, registers, and a board that is simulated."""
