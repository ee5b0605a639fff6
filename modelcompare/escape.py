"""Escapes: one for each place that the text of a name goes to."""

from __future__ import annotations

import re
import shlex

# What moves a cursor, breaks a line, turns the direction of writing, takes no room, or is half a
# character. Joiners stay: words of some scripts need them.
_BEYOND_ASCII = (
    "\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff"
)
_UNSEEN = re.compile(f"[\x00-\x1f{_BEYOND_ASCII}]")
_UNSEEN_IN_JSON = re.compile(f"[{_BEYOND_ASCII}]")
# A GitHub runner obeys lines of its log that begin with "::" or contain "##[", in every output
# format; Azure's runner obeys "##vso[", TeamCity's "##teamcity[".
_ORDER = re.compile(r"(?<!\w):(?=:)|#(?=#\w*\[)")
ORDER_AT_START = re.compile(r"^(\s*):(?=:)", re.M)
_ORDER_WITHIN = re.compile(r"#(?=#\w*\[)")
_MARKDOWN = re.compile(r"[\\|*_`<>\[\]#&~$]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def visible(text: str) -> str:
    r"""Write control characters, line breaks and lone surrogates out.

    >>> print(visible("\x1b[2Jbert\n"))
    \x1b[2Jbert\n
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def terminal(text: str) -> str:
    r"""Keep a text from steering a terminal, or the runner of a workflow that shows it.

    >>> print(terminal("::error::\x07"))
    \x3a:error::\x07
    """
    seen = visible(text)
    if "::" not in seen and "##" not in seen:
        return seen
    return _ORDER.sub(lambda found: f"\\x{ord(found[0]):02x}", seen)


def shell(text: str) -> str:
    r"""Write a word of a command, in one line that steers nothing where it is shown.

    >>> print(shell("a b"), shell("x\n::error::y"))
    'a b' $'x\n::error::y'
    """
    if terminal(text) == text:
        return shlex.quote(text)
    within = text.replace("\\", r"\\").replace("'", r"\'")
    return f"$'{terminal(within)}'"


def at_line_start(line: str) -> str:
    r"""Keep a line that was broken off a longer text from being an order to a runner.

    >>> print(at_line_start("  ::error::x"))
      \x3a:error::x
    """
    return ORDER_AT_START.sub(r"\1\\x3a", line)


def markdown(text: str) -> str:
    r"""Escape what Markdown would take for markup.

    >>> print(markdown("<b>|f1_macro"))
    \<b\>\|f1\_macro
    """
    return ORDER_AT_START.sub(r"\1\\:", _MARKDOWN.sub(r"\\\g<0>", visible(text)))


def markdown_code(text: str) -> str:
    """Set a text as code, between more backticks than it contains in a row."""
    text = terminal(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}"


def html(text: str) -> str:
    """Escape what HTML would take for markup."""
    # Its table of entities is slow to load, and the command line's help needs none.
    from html import escape

    return markup(escape(visible(text)))


def markup(text: str) -> str:
    """Write what a runner would take for an order in characters of HTML or SVG."""
    return ORDER_AT_START.sub(r"\1&#58;", _ORDER_WITHIN.sub("&#35;", text))


def csv(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula, as OWASP advises.

    Numbers stay as they are. https://owasp.org/www-community/attacks/CSV_Injection

    >>> csv("=cmd|'/c calc'!A0"), csv("-1"), csv("bert")
    ("'=cmd|'/c calc'!A0", '-1', 'bert')
    """
    starts_anything = text.lstrip().startswith((*_FORMULA, "::"))
    is_formula = starts_anything and not _NUMBER.fullmatch(text)
    text = _ORDER_WITHIN.sub(r"\\x23", visible(text))
    return f"'{text}" if is_formula else text


def json(document: str) -> str:
    """Escape in a whole document what `json.dumps` leaves of `visible`'s characters, and orders."""
    document = _ORDER_WITHIN.sub(r"\\u0023", document)
    return _UNSEEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


def yaml(value: str | float) -> str:
    """Write a text or a number of a YAML file; without its point ``1e-05`` would be a text.

    >>> print(yaml("no"), yaml("a: #b"), yaml(1e-05))
    "no" "a: #b" 1.0e-05
    """
    if isinstance(value, str):
        from json import dumps

        return json(dumps(visible(value), ensure_ascii=False))
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def figure(text: str) -> str:
    """Write out what no font can draw; lines may break."""
    return "\n".join(map(visible, text.split("\n")))
