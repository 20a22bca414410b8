"""What ``import tlb`` finds under ``python -m bhemu.blackhole_py``."""

from bhemu.blackhole_py.tlb import *  # noqa: F401,F403
