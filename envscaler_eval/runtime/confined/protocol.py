"""What host and workers have agreed on beside the form of messages."""

DONE = b"+"
"""An answer follows."""
REFUSED = b"-"
"""A reason follows; the worker goes on."""
ENDED = b"x"
"""A reason follows; the worker has ended."""

TURN_BYTES = 4
"""How many bytes the number of an answer takes, between its kind and its body."""

UNCONFINED = 71
"""Exit status of a fork that could not be confined."""
BROKEN = 70
"""Exit status of a fork whose own code failed."""
