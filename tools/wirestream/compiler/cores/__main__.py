"""Write the list of cores that a generated circuit may depend on to the `depend` list of a .core file."""

import re
import sys
from pathlib import Path

from wirestream.compiler.cores import ALL

LIST = re.compile(r"(?<=    depend:\n)(?:      - .*\n)+")


def written(text: str) -> str:
    """The text of the file with its `depend` list regenerated."""
    return LIST.sub("".join(f"      - wirestream:{name}\n" for name in sorted(core.name for core in ALL)), text)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(written(path.read_text()))
    print(path)
