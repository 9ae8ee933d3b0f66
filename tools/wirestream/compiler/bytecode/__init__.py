"""From a plan to a program of the query machine, and from its rows to those of the query.

===============  =======================================================================================
`machine_code`   the whole: a query's text to programs
`terms`          the plan's columns as one graph of values
`values`         values and conditions to instructions; `relays` are jumps that reach further
`projection`     queries without windows
`windows`        windows without groups: `rolling` for the last tuples, `groups` for GROUP BY
`states`         the states of aggregates, which all windows keep
`text`           the text of a section, and where words are kept
`given`          the constants of a query
`rows`           what the words of a row mean
`receiver`       rows of a program to rows of the query; `finishing` computes SELECT and HAVING
`output`         the files, and what `compile` and `explain` say
===============  =======================================================================================
"""
