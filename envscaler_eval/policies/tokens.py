"""How many tokens a text has, without a vocabulary."""

_CHARACTERS_PER_TOKEN = 4


def estimated_tokens(characters: int) -> int:
    """Return about how many tokens so many characters of English or JSON are."""
    return characters // _CHARACTERS_PER_TOKEN
