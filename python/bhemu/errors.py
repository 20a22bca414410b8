"""What can go wrong, as exceptions. Each text is a report of one or more lines."""


class Error(Exception):
    """Everything that bhemu raises."""


class InputError(Error, ValueError):
    """Something you gave makes no sense: a board, an address, a file, a snapshot."""


class FaultError(Error):
    """A program on the card broke a rule of the chip; the text says which, where and when.
    ``first_cause`` and ``device``, of a program file, as in HangError."""

    first_cause: "dict | None" = None
    device = None


class Standstill(Error):
    """``first_cause`` is a dict with ``sentence``, ``remedy``, ``place`` (the user's line),
    ``tile`` and ``agent``, or None; ``waiters`` a list of dicts with ``tiles``, ``agent``, ``pc``,
    ``where``, ``what`` and ``who`` (in words), ``waits`` (the same as dicts with ``kind`` and what
    belongs to it, see docs/DEBUGGING.md), ``compared`` (``value``, ``relation`` and ``wanted`` of
    what a polling core compares, or None) and ``released_by`` (indices of the waiters that would
    release it: the wait-for graph); ``device`` the Device, as it stands, or None."""

    first_cause: "dict | None" = None
    waiters: "list[dict]" = []
    device = None


class HangError(Standstill):
    """The card waits and nothing can ever release it; the text says who waits for whom."""


class LimitError(Standstill):
    """The number of cycles that you allowed has passed; the text says where everything stands."""
