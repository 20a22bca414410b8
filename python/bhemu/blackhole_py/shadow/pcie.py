"""What ``import pcie`` finds under ``python -m bhemu.blackhole_py``."""

from bhemu.blackhole_py.pcie import *  # noqa: F401,F403
