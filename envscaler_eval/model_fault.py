"""What pydantic complains of, as a person would say it."""

from pydantic import ValidationError


def first_fault(error: ValidationError) -> str:
    """Return the first complaint in one line: where, what is wrong, and the remedy."""
    fault = error.errors(include_url=False)[0]
    where = ""
    for part in fault["loc"]:
        where = f"{where} {part + 1}" if isinstance(part, int) else f"{where} {part}"
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing":
        message = "is missing; add it"
    elif fault["type"] == "extra_forbidden":
        message = "is no field of it; check the spelling or remove it"
    elif fault["type"] in ("literal_error", "string_pattern_mismatch"):
        message = f"is {fault['input']!r}; {message[0].lower()}{message[1:]}"
    return f"{where.strip()}: {message}" if where else message
