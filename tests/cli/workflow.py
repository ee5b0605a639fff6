"""What a runner of GitHub workflows does with a step, as documented."""

from collections.abc import Mapping


def outputs(text: str) -> Mapping[str, str]:
    """Read the file at GITHUB_OUTPUT: ``name=value``, or ``name<<MARK``, lines and ``MARK``."""
    found, lines = {}, iter(text.split("\n")[:-1])
    for line in lines:
        name, marked, mark = line.partition("<<")
        if not marked:
            name, equals, found[name] = line.partition("=")
            assert equals, line
            continue
        held = []
        while (line := next(lines)) != mark:
            held.append(line)
        found[name] = "\n".join(held)
    return found
