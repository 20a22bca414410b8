// The libttsim ABI as its clients declare it (tenstorrent/ttsim docs/libttsim_api.md).
#pragma once

#include <cstdint>

extern "C" {
void libttsim_init();
void libttsim_exit();
void libttsim_set_pci_dma_mem_callbacks(void (*)(uint64_t, void*, uint32_t),
                                        void (*)(uint64_t, const void*, uint32_t));
uint32_t libttsim_pci_config_rd32(uint32_t, uint32_t);
void libttsim_pci_config_wr32(uint32_t, uint32_t, uint32_t);
void libttsim_pci_mem_rd_bytes(uint64_t, void*, uint32_t);
void libttsim_pci_mem_wr_bytes(uint64_t, const void*, uint32_t);
void libttsim_tile_rd_bytes(uint32_t, uint32_t, uint64_t, void*, uint32_t);
void libttsim_tile_wr_bytes(uint32_t, uint32_t, uint64_t, const void*, uint32_t);
void libttsim_clock(uint32_t);
}
