"""Facts in what people say: dates, times, identifiers, numbers and names, in one form.

Two texts mention the same fact when they write it differently: `2026-03-09` and
`March 9`, `14:30` and `2:30 pm`, `BK-17` and `bk 17`, `three` and `3`. What
cannot be told apart safely is taken for the same, so that a fact that is called
new is new.
"""

import re
from collections.abc import Iterable
from decimal import Decimal

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS) + "|sept"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_UNIT = (
    "st|nd|rd|th|kg|g|mg|km|m|cm|mm|h|hr|hrs|min|mins|k|x|eur|usd|gbp|gb|mb|kwh|kw|l|ml|lb|lbs|oz"
)
_FACT = re.compile(
    rf"""
    (?P<iso>\d{{4}}-(\d{{2}})-(\d{{2}})(?=T|\b))
  | (?P<month_day>\b(?:{_MONTH})\b\.?\s+{_DAY}\b(?![:\d]))
  | (?P<day_month>\b{_DAY}\s+(?:of\s+)?(?:{_MONTH})\b)
  | (?P<slashed>\b\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b)
  | (?P<clock>\b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s*[ap]\.?m\b)?)
  | (?P<hour>\b\d{{1,2}}\s*[ap]\.?m\b)
  | (?P<number>(?<![\w.#-])\#?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?
        (?=(?:{_UNIT})?(?![\w])|-[a-z]{{3}}))
  | (?P<identifier>\#?\w+(?:[-_/.:@+]\w+)*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LIST_MARK = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*])\s+", re.MULTILINE)
_COUNTED = re.compile(
    r"(?<=option )\d+|\b\d+(?:st|nd|rd|th)?(?=\s+(?:more\s+)?"
    r"(?:things?|requests?|questions?|points?|parts?|tasks?|changes?|ones?|options?)\b)"
)
_WORD = re.compile(r"[^\W\d_]+")
# A capital that no sentence, quotation or list explains.
_NAME = re.compile(
    r"(?<=[^\s.!?:;\"\u201c\u201d\u2018(*\u2013\u2014-] )([A-Z][^\W\d_]+)\b(?![-_/]?\d)"
)
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen", "twenty"),
)
_OTHER_NUMBERS = {
    **{"thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12, "once": 1, "twice": 2},
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5},
}
# Capitalised for other reasons than being somebody's name.
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
        monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr sir madam
        hi hello hey dear thanks thank please yes no ok okay sorry great
        am pm utc id ids asap fyi ps eta vip faq pdf english
        not all both only must and or the never any every before after also exactly same
        """,
    )
) | frozenset(_MONTH.split("|"))


def facts(text: str) -> dict[str, str]:
    """Return the facts of a text, each in its one form, with how it is written.

    Args:
        text: What somebody says.
    """
    plain = _COUNTED.sub(" ", _LIST_MARK.sub(" ", text))
    found: dict[str, str] = {}
    for match in _FACT.finditer(plain):
        kind, written = str(match.lastgroup), match.group()
        form = _form(kind, written)
        if form is not None:
            found.setdefault(form, written)
    for match in _NAME.finditer(plain):
        word = _stem(match.group(1))
        if word not in _NO_NAMES:
            found.setdefault(f"name {word}", match.group(1))
    return found


def identifiers(text: str) -> dict[str, str]:
    """Return the identifiers of a text, each in its one form, with how it is written."""
    return {form: told for form, told in facts(text).items() if form.startswith("identifier ")}


def new_facts(text: str, known: Iterable[str]) -> list[str]:
    """Return the facts of a text, as written, that no known text holds.

    Args:
        text: What somebody says.
        known: What they may have it from.
    """
    granted: set[str] = set()
    for source in known:
        granted |= _implied(source)
    return [written for form, written in facts(text).items() if form not in granted]


def _implied(text: str) -> set[str]:
    """Return every form of a fact that somebody who has read a text may mention."""
    implied = set(facts(text))
    for word in _WORD.findall(text):
        lower = word.lower()
        implied.add(f"name {_stem(word)}")
        if lower in _NUMBER_WORDS:
            implied.add(f"number {_NUMBER_WORDS.index(lower)}")
        elif lower in _OTHER_NUMBERS:
            implied.add(f"number {_OTHER_NUMBERS[lower]}")
        elif lower in {"noon", "midnight", "midday"}:
            implied |= {"time 0:00", "number 12"}
    implied |= {f"number {int(digits)}" for digits in re.findall(r"\d+", text)}
    for form in list(implied):
        if form.startswith("time "):
            implied.add(f"number {form.removeprefix('time ').split(':')[0]}")
    return implied


def _form(kind: str, written: str) -> str | None:
    """Return the one form of a match, or `None` if it is no fact."""
    numbers = [int(digits) for digits in re.findall(r"\d+", written)]
    match kind:
        case "iso":
            return _date(numbers[1], numbers[2])
        case "slashed":
            return _date(numbers[0], numbers[1])
        case "month_day" | "day_month":
            month = re.search(_MONTH, written, re.IGNORECASE)
            assert month is not None
            return _date(_month(month.group()), numbers[0])
        case "clock":
            return f"time {numbers[0] % 12}:{numbers[1]:02}"
        case "hour":
            return f"time {numbers[0] % 12}:00"
        case "number":
            return f"number {_number(written.strip('#').replace(',', ''))}"
    token = written.strip("#._-:/+@")
    if "@" in token or "_" in token or (re.search(r"\d", token) and _WORD.search(token)):
        return f"identifier {re.sub(r'[^a-z0-9@]', '', token.lower())}"
    return None


def _date(one: int, other: int) -> str:
    """Return a day of a month; which number is which is written in both ways."""
    return f"date {min(one, other)}/{max(one, other)}"


def _month(name: str) -> int:
    return next(i for i, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def _number(digits: str) -> str:
    return f"{Decimal(digits).normalize():f}"


def _stem(word: str) -> str:
    return word.lower().removesuffix("s")
