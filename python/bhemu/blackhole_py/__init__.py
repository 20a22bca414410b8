"""The host layer of blackhole-py over emulated cards.

blackhole-py (a driver of Blackhole cards in Python) reaches its card through the module ``pcie``,
or in its January 2026 generation through ``tlb``. The modules of the same names here have the same
classes, and below them an emulated card that runs in its own thread while Python spins on host
memory. Three ways to use them:

    from bhemu.blackhole_py.pcie import PCIDevice      # in place of: from pcie import PCIDevice
    python -m bhemu.blackhole_py PROGRAM.py ARGUMENTS  # nothing is changed in the program
    bhemu shim -- python PROGRAM.py ARGUMENTS          # not even modules are replaced

The card in slot 0 appears when it is first opened, with the settings of ``BHEMU_BOARD`` and so on;
``insert(Card("p150", threads=2))`` before that decides otherwise.
"""

from bhemu.blackhole_py.nodes import NODES, Card, Mapping

insert = NODES.insert

__all__ = ["NODES", "Card", "Mapping", "insert"]
