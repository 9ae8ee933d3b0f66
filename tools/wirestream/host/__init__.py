"""The host side of a board: send, receive, registers, and a simulated board."""
