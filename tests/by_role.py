"""Options of reading in one mapping -> arguments of readers, columns by their roles."""

from collections.abc import Mapping
from typing import Any

from modelcompare.readers.messages import ROLES


def by_role(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `read_predictions` that name columns and pass other options."""
    columns = {role: value for role, value in options.items() if role in ROLES}
    others = {name: value for name, value in options.items() if name not in ROLES}
    return others | {"columns": columns}
