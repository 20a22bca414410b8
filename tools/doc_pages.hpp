// The pages of docs/ that restate tables: each a function from the rows of .def files to Markdown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support_checks.hpp"

namespace bhemu::docs {

struct Page {
  std::string path;  // below docs/
  std::string text;
};

std::string rules_page();
std::string riscv_page();
std::string tensix_page();
std::string timing_page();
std::string footprint_page();
std::string support_page(const support::Tables& tables, const support::Tests& tests);
/// The tables of format pairs, a part of the support page.
std::string format_sections();
std::string address_map_page();
std::string debug_registers_page();
std::string ethernet_page();
std::string debug_bus_page();
std::string perf_counters_page();
std::string riscv_debug_page();
std::string noc_registers_page();
std::string csr_page();
std::string config_page();
std::string card_page();
std::string ordering_page();
std::string kmd_page();

std::map<std::string, unsigned> riscv_extensions();
support::Tables support_tables();

/// docs/coverage: the checked list.
std::vector<Page> coverage_pages(const support::Tests& tests);

std::vector<Page> all_pages(const support::Tests& tests);

}  // namespace bhemu::docs
