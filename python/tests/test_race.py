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


@pytest.mark.parametrize("name", ["remote_lock", "remote_spin_lock", "taken_lock", "third_tile"])
@pytest.mark.parametrize("form", ["broken", "mended"])
def test_findings_do_not_depend_on_the_number_of_host_threads(name, form):
    """Sections end in one tile and are asked for in others, which other threads run."""
    program = bhemu.Program(GALLERY / f"{name}_{form}.yaml")
    found = [program.run(race=True, check=False, threads=threads).races for threads in (1, 2, 4)]
    assert found[0] == found[1] == found[2]
    assert [one.text for one in found[0]] == [one.text for one in found[2]]
    assert bool(found[0]) == (form == "broken")
