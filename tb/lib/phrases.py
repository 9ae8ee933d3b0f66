"""Phrases that a native engineer would not write, each with what to write instead.

    .venv/bin/python -m tb.lib.phrases              # the tracked files; exit status 1 if there are any
    .venv/bin/python -m tb.lib.phrases rtl/net docs # these only

Only whole phrases are listed: no single word is forbidden. A phrase may run over the end of a line, in comments and in
strings too. A phrase that is right in some context names the context.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tb import REPOSITORY

# Not text for people, or the phrases themselves.
SKIPPED = re.compile(
    r".*\.(svg|png|pcap|json|lock)|.*/testdata/.*|LICENSE|tb/lib/phrases\.py|tb/flows/test_phrases\.py"
)
# Between two lines of a comment, or two strings that Python joins.
BREAK = re.compile(r"""\s*\n\s*(?://+|[#*|>])?\s*|["']\s+f?["']""")


@dataclass(frozen=True)
class Phrase:
    """A phrase to avoid, in upper or lower case.

    pattern:  regular expression in lower case; a blank also matches the end of a line.
    instead:  what to write.
    example:  a text with the phrase.
    fine:     a text that is similar, and right.
    allowed:  regular expression of the contexts in which the phrase is right: it matches the phrase and more.
    """

    pattern: str
    instead: str
    example: str
    fine: str
    allowed: str = ""

    def find(self, text: str) -> Iterator[re.Match[str]]:
        """Where the phrase is in a text of `flat`, but for the contexts in which it is allowed."""
        right = [found.span() for found in self._matches(self.allowed, text)] if self.allowed else []
        for found in self._matches(self.pattern, text):
            if not any(start <= found.start() and found.end() <= end for start, end in right):
                yield found

    @staticmethod
    def _matches(pattern: str, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(rf"\b(?:{pattern.replace(' ', ' +')})\b", text)


def flat(text: str) -> str:
    """The text in lower case with blanks for the ends of its lines, every character in its place."""
    return BREAK.sub(lambda found: " " * len(found[0]), text.lower())


BE = "(?:is|are|be|been|was|were)"
STAND = "(?:stand|stands|stood|standing)"

PHRASES = (
    Phrase(
        "cycles? behind",
        "a cycle after, cycles after",
        example="m_last is high a cycle behind the row",
        fine="the copy lags two cycles behind the original",
        allowed="lags? .{0,20} cycles? behind",
    ),
    Phrase(
        f"{BE} told|told (?:as|at|by|in|of|with)",
        "is output, is reported, is counted, is given",
        example="each loss is told",
        fine="the two lines are told apart by their ports",
        allowed=f"{BE} told (?:apart|to)",
    ),
    Phrase(
        "nothing (?:is|was) (?:said|told|asked|wanted)",
        "default: ..., by default",
        example="HASH if nothing is said",
        fine="nothing is lost",
    ),
    Phrase(
        rf"(?:a|an|the) \w+ {BE} wanted",
        "expected ..., no ... in the file",
        example="a query is wanted, not a stream",
        fine="the option if a query is wanted",
        allowed=rf"(?:if|unless|when|where) (?:a|an|the) \w+ {BE} wanted",
    ),
    Phrase(
        "and here is (?:none|one)",
        "no ... in the file; this is one",
        example="AS names a side of a JOIN, and here is none",
        fine="the request has no answer, and there is none to come",
    ),
    Phrase(
        "(?:there|here) already",
        "existing, already present",
        example="the stream is there already",
        fine="the lower half is already there",
    ),
    Phrase(
        "what is there",
        "name it: the contents, the data, the existing files",
        example="it counts what is there",
        fine="what is there to do",
        allowed="what is there to",
    ),
    Phrase(
        "what (?:comes|came|goes|went|lies|stands|stood) (?:after|at|before|behind|beside|here|in|on|there|under)",
        "name it: the tuples after it, the input",
        example="what comes after a reset is whole",
        fine="what comes next",
    ),
    Phrase(
        f"{STAND} (?:at|before|behind|beside|here|in|on|there)",
        "is at, is in, precedes, follows",
        example="the byte stands in the upper half",
        fine="the number stands in for the time",
        allowed=f"{STAND} in (?:for|the way)",
    ),
    Phrase(
        f"{BE} asked for",
        "is requested",
        example="the next array is asked for early",
        fine="no checksum unless asked for",
    ),
    Phrase(
        "behind the (?:last|first)",
        "after the last, after the first",
        example="a FLUSH behind the last tuple",
        fine="the door behind the desk",
    ),
    Phrase(
        "behind (?:it|them)",
        "after it, downstream of it, followed by",
        example="a row, with its punctuation behind it",
        fine="the reader falls behind if the ring is full",
    ),
    Phrase(
        "one behind (?:the other|another)",
        "one after another, back to back, in series",
        example="two stages one behind the other",
        fine="one after another",
    ),
    Phrase(
        "beside (?:it|its|them|that|this|these|those|what)",
        "next to it (place), with it (time), in addition to it",
        example="the key travels beside it",
        fine="a figure beside the table",
    ),
    Phrase(
        "(?:as|what) (?:it|this|they) (?:is|are|stands?|has|have) now",
        "describe it; leave the comparison in time to the log",
        example="the plan as it is now",
        fine="as it is written",
    ),
    Phrase(
        "it cannot be that",
        "... is impossible, ... never",
        example="it cannot be that both are valid",
        fine="the register cannot be that of the RAM",
    ),
    Phrase(
        r"whoever \w+|(?:by|for|from|of|to) who (?!is\b|are\b|in\b)\w+",
        "name the actor: the reader, the sender, the user",
        example="whoever reads the ring is slow",
        fine="for those who read",
    ),
    Phrase(
        "(?:find|finds|found|finding) no (?:place|room)",
        "does not fit, is refused because ... is full",
        example="a frame that finds no room is dropped",
        fine="there is no room for a frame",
    ),
    Phrase(
        "(?:make|makes|made) (?:itself|themselves) known",
        "announces itself, resolved by ARP",
        example="as soon as a host makes itself known",
        fine="the host announces itself",
    ),
    Phrase(
        "to be had",
        "supported, available",
        example="not to be had: aggregates over a join",
        fine="not supported: aggregates over a join",
    ),
    Phrase(
        "what (?:is|was) (?:on (?:its|their) way|under way)",
        "name it: the tuples in flight",
        example="what is on its way comes out",
        fine="a frame on its way to the sink",
    ),
    Phrase(
        r"(?:it|that|what|which) is no \w+",
        "is not a ...",
        example="what is no number is refused",
        fine="a file that is no longer too long",
        allowed=r"\w+ is no (?:longer|more|less|later|earlier|better|worse)",
    ),
    Phrase(
        r"(?:after|by|for|in|of|to|with) so many \w+",
        "that many, a given number of",
        example="a field of so many bits",
        fine="of so many rows that none is left",
        allowed=r"\w+ so many \w+ that",
    ),
    Phrase(
        r"(?:begin|begins|began|begun|make|made|write|writes|written|draw|drawn|judged|computed) anew",
        "restarts, again, regenerated",
        example="the ring begins anew",
        fine="the ring starts again",
    ),
    Phrase(
        "(?:is|are|was) as any other",
        "is like any other",
        example="a job after a reset is as any other",
        fine="as long as any other",
    ),
    Phrase(
        r"that no \w+ is like",
        "that matches no ...",
        example="an entry that no fault is like",
        fine="that no field has",
    ),
    Phrase(
        "none sooner than",
        "at least ... cycles after",
        example="a push a cycle, but none sooner than 3 cycles",
        fine="no sooner than its row",
    ),
    Phrase(
        r"of whatever \w+",
        "of any ...",
        example="items of whatever kind",
        fine="whatever the width",
    ),
)


def find(text: str) -> list[tuple[int, str, str]]:
    """(line, phrase as it is in the text, what to write instead), in the order of the text."""
    line = flat(text)
    found = sorted((match.start(), match[0], phrase.instead) for phrase in PHRASES for match in phrase.find(line))
    return [(text.count("\n", 0, start) + 1, " ".join(words.split()), instead) for start, words, instead in found]


def tracked(root: Path = REPOSITORY) -> list[str]:
    """The text files that Git tracks below `root`, without those of SKIPPED."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and not SKIPPED.fullmatch(name)]


def check(names: list[str], root: Path = REPOSITORY) -> list[str]:
    """A line `file:line: phrase -> what to write instead` for each phrase in the files."""
    found = []
    for name in names:
        file = root / name
        if file.is_file():  # else it is deleted, and not committed yet
            found += [f"{name}:{line}: {phrase} -> {instead}" for line, phrase, instead in find(file.read_text())]
    return found


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb.lib.phrases", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", nargs="*", help="files or folders from the top of the checkout (default: all tracked)")
    names = tracked()
    if paths := tuple(f"{path.rstrip('/')}/" for path in parser.parse_args(argv).path):
        names = [name for name in names if f"{name}/".startswith(paths)]
        if not names:
            parser.error("no tracked text file there")
    found = check(names)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
