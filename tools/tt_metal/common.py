"""What the parts of `./dev tt-metal` share."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


class ToolError(Exception):
    """One sentence for the user."""


def say(text):
    print(f"==> {text}", flush=True)
