"""BHEMU_BOOT_CACHE: the first boot is kept, the others go on from it."""

from pathlib import Path

import bhemu
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TILE = (3, 4)


def hash_after_use(check=""):
    card = bhemu.Device("p100a", check=check)
    assert TILE in card.tensix_tiles  # to ask about the board is to do nothing to it
    card.dram_tile(0)
    card.boot()
    card.write(TILE, 0x100000, np.arange(4, dtype=np.uint32))
    card.advance(5000)
    return card.hash()


def test_a_kept_boot_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("BHEMU_BOOT_CACHE", raising=False)
    plain = hash_after_use()
    monkeypatch.setenv("BHEMU_BOOT_CACHE", str(tmp_path / "boots"))
    assert hash_after_use() == plain
    kept = list((tmp_path / "boots").iterdir())
    assert len(kept) == 1
    used = kept[0].stat().st_mtime_ns
    assert hash_after_use() == plain
    assert list((tmp_path / "boots").iterdir()) == kept
    assert kept[0].stat().st_mtime_ns > used  # it was taken over


def test_a_program_runs_on_a_kept_boot(tmp_path, monkeypatch):
    program = ROOT / "examples" / "add_scalar.yaml"
    monkeypatch.delenv("BHEMU_BOOT_CACHE", raising=False)
    plain = bhemu.run(program)
    monkeypatch.setenv("BHEMU_BOOT_CACHE", str(tmp_path))
    for _ in range(2):
        result = bhemu.run(program)
        assert result.status == plain.status
        assert result.cycles == plain.cycles
    assert len(list(tmp_path.iterdir())) == 1


def test_who_looks_at_every_instruction_sees_the_boot(tmp_path, monkeypatch):
    monkeypatch.setenv("BHEMU_BOOT_CACHE", str(tmp_path))
    hash_after_use("all")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_bad_input(monkeypatch):
    monkeypatch.setenv("BHEMU_BOOT_CACHE", "/dev/null/boots")
    card = bhemu.Device("p100a")
    with pytest.raises(bhemu.InputError, match="/dev/null/boots"):
        card.boot()
