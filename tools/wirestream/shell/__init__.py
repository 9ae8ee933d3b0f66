"""A shell for queries on a simulated board: the command `wirestream sql`.

===========  ===============================================================
`command`    the options, and the three ways in: a terminal, a script, -c
`terminal`   the prompt: history, keys
`completion` what can follow in a statement
`statements` text to statements and commands
`commands`   what each of them does
`session`    what is known: streams, files, constants, the query
`circuits`   simulators, kept by content
`running`    a board in the background, and the host that talks to it
`output`     rows as a table, CSV or JSON
===========  ===============================================================
"""
