"""What can go wrong, as exceptions. Each text is a report of one or more lines."""


class Error(Exception):
    """Everything that bhemu raises."""


class InputError(Error, ValueError):
    """Something you gave makes no sense: a board, an address, a file, a snapshot."""


class FaultError(Error):
    """A program on the card broke a rule of the chip; the text says which, where and when."""


class HangError(Error):
    """The card waits and nothing can ever release it; the text says who waits for whom."""


class LimitError(Error):
    """The number of cycles that you allowed has passed."""
