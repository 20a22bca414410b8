"""The programs of tt-metal that are run, and what is known of those tests that do not pass."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """Programs of tt-metal's build with tests of GoogleTest; programs whose status is the result
    ("program"); or tests of its sources that Python runs ("pytest")."""

    name: str
    targets: tuple  # of the build; files or folders of the sources for Python
    folder: str  # where the build, or the checkout, has them
    kind: str = "gtest"
    left_out: str = "*DISABLED_*"  # a GoogleTest filter


EXAMPLES = tuple(f"metal_example_{name}" for name in (
    "add_2_integers_in_riscv",
    "add_2_integers_in_compute",
    "hello_world_compute_kernel",
    "hello_world_datamovement_kernel",
    "hello_world_datatypes_kernel",
    "loopback",
    "noc_tile_transfer",
    "eltwise_binary",
    "eltwise_sfpu",
    "sfpu_eltwise_chain",
    "custom_sfpi_add",
    "custom_smoothstep",
    "pad_multi_core",
    "shard_data_rm",
    "vecadd_multi_core",
    "vecadd_sharding",
    "matmul_multi_core",
    "matmul_multicore_reuse",
    "matmul_multicore_reuse_mcast",
    "matmul_single_core",
))

PROFILER = (
    "test_custom_cycle_count",
    "test_custom_cycle_count_slow_dispatch",
    "test_full_buffer",
    "test_multi_op",
    "test_multi_op_buffer_overflow",
    "test_dispatch_cores",
    "test_timestamped_events",
    "test_noc_event_profiler",
    "test_device_api_debugger",
)

TESTS = "test/tt_metal"

SUITES = (
    Suite("examples", EXAMPLES, "programming_examples", kind="program"),
    Suite("api", ("unit_tests_api",), TESTS),
    Suite("dispatch", ("unit_tests_dispatch",), TESTS),
    Suite("data_movement", ("unit_tests_data_movement",), TESTS),
    Suite("llk", ("unit_tests_llk",), TESTS),
    Suite("device", ("unit_tests_device",), TESTS),
    Suite("debug_tools", ("unit_tests_debug_tools",), TESTS),
    Suite("eth", ("unit_tests_eth",), TESTS),
    Suite("noc", ("unit_tests_noc",), TESTS),
    Suite("integration", ("unit_tests_integration",), TESTS),
    Suite("sfpi", ("unit_tests_sfpi",), TESTS),
    Suite("ttnn", ("unit_tests_ttnn", "unit_tests_ttnn_tensor"), "test/ttnn"),
    Suite("ttnn_python", ("unit_tests/operations", "unit_tests/base_functionality",
                          "unit_tests/tensor"), "tests/ttnn", kind="pytest"),
    Suite("profiler", PROFILER, "programming_examples/profiler", kind="program"),
)

BY_NAME = {suite.name: suite for suite in SUITES}


@dataclass(frozen=True)
class Known:
    """Why a test does not pass that is itself at fault, or wants what is not there."""

    pattern: str  # of SUITE:TEST
    why: str
    said: str = ""  # what its log has to say


KNOWN = (
    Known("examples:metal_example_hello_world_datatypes_kernel",
          "reads DRAM at (1, 0) of NoC 0, where a Wormhole has a bank and a Blackhole nothing"),
    Known(r"llk:MeshDeviceFixture\.TensixComputeReduceH(MathOnly|ShortInit\w*)?",
          "its reader takes zeros from (0, 0) instead of its own tile; mended by tt-metal PR "
          "41408"),
    Known(r"debug_tools:MeshWatcherFixture\.TestWatcherWaypoints",
          "waits for a part of the AI clock, which tt-umd's simulator class gives as 0: BRISC "
          "writes four values at once, and a core that waits for exactly one of them misses it"),
    Known(r"debug_tools:MeshWatcherFixture\.DeviceMcast\w*(AroundX|XWrap)\w*",
          "counts the tiles of the compute grid; the rectangle that goes round the torus holds "
          "those of the dispatch column, too, which acknowledge as well"),
    Known(r"(device:MeshDeviceFixture\.TensixValidateKernelDoesNotTargetHarvestedCores|"
          r"api:CompileTimeArgsTest\.TensixTestNamedCompileTimeArgs)",
          "launches without waiting for the end and reads the results at once, for which the "
          "host of a card is slow enough"),
    Known(r"device:TensixReleaseOwnership\.ReleaseOwnershipWithSubprocess",
          "wants the program test_clean_init beside it"),
    Known(r"device:MockDeviceAPINightlyFixture\.NIGHTLY_SwitchFromMockToRealHardware\w*",
          "wants the kind of device to be Silicon"),
    Known("profiler:test_device_api_debugger",
          "reads from L1 address 1 into an aligned buffer, which the NoC cannot do"),
    Known(r"ttnn_python:.*",
          "wants uint16, uint32, or bool by DLPack of torch, which 1.13 does not have",
          r"Unsupported kUInt bits|Current buffer size is 0 different from shape volume|"
          r"tensor: torch.Tensor, data_type"),
)


def explain(suite, test, log):
    for row in KNOWN:
        if re.fullmatch(row.pattern, f"{suite}:{test}", re.DOTALL) and re.search(row.said, log):
            return row
    return None
