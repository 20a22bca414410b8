"""The race detector from Python (docs/RACES.md)."""

from pathlib import Path

import pytest

import bhemu

GALLERY = Path(__file__).resolve().parents[2] / "examples" / "races"


def test_a_race_is_an_object_with_its_row_and_lines():
    result = bhemu.run(GALLERY / "store_then_send_broken.yaml", race=True)
    assert [(one.kind, one.row) for one in result.races] == [("race", 44)]
    found = result.races[0]
    assert found.tiles == [(1, 2)]
    assert found.text.count("store_then_send.c:") >= 2
    assert not found.suppressed


def test_a_program_in_order_has_none():
    result = bhemu.run(GALLERY / "store_then_send_mended.yaml", race="documented")
    assert result.ok
    assert [one for one in result.races if one.kind == "race"] == []


def test_nobody_looks_unless_asked():
    assert bhemu.run(GALLERY / "store_then_send_broken.yaml", check=False).races == []


def test_a_level_that_is_none_is_refused():
    with pytest.raises(bhemu.InputError, match="custom or documented"):
        bhemu.run(GALLERY / "store_then_send_mended.yaml", race="strict")
