# What `cmake --install` puts where; the result may be moved as a whole. Components: runtime (the
# command, with its data, manual pages and completion), library, development, python.

set(BHEMU_PYTHON_INSTALL_DIR "" CACHE STRING
  "Folder for the Python package, relative to the prefix; empty: it is not installed (pip does it)")
set(BHEMU_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "Folder for the completion of zsh, relative to the prefix (packages of Debian have another)")

# --- runtime ------------------------------------------------------------------------------------
if(TARGET bhemu_shim)
  install(TARGETS bhemu_shim LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/bhemu COMPONENT runtime)
endif()
if(TARGET bhemu)
  install(TARGETS bhemu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
# The installed bhemu finds its firmware, kernels and examples below share/bhemu.
foreach(folder firmware kernels examples)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/bhemu COMPONENT runtime)
endforeach()

# Manual pages and completion are written by the command itself, so it has to run here.
if(TARGET bhemu AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(manual ${CMAKE_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/stamp
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/manual.sh ${manual} ${CMAKE_CROSSCOMPILING_EMULATOR}
      $<TARGET_FILE:bhemu>
    DEPENDS bhemu ${CMAKE_CURRENT_LIST_DIR}/manual.sh
    COMMENT "Writing manual pages and shell completion" VERBATIM)
  add_custom_target(bhemu_manual ALL DEPENDS ${manual}/stamp)
  add_dependencies(product bhemu_manual)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT runtime)
  install(FILES ${manual}/bhemu.bash RENAME bhemu
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  install(FILES ${manual}/_bhemu
    DESTINATION ${BHEMU_ZSH_DIR} COMPONENT runtime)
  install(FILES ${manual}/bhemu.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
endif()

# --- library and development --------------------------------------------------------------------
if(TARGET libbhemu)
  install(TARGETS libbhemu EXPORT bhemu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library NAMELINK_COMPONENT development)
  # For find_package(bhemu) and pkg-config.
  include(CMakePackageConfigHelpers)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/bhemu)
  install(EXPORT bhemu FILE bhemuTargets.cmake NAMESPACE bhemu:: DESTINATION ${package}
    COMPONENT development)
  configure_package_config_file(cmake/bhemuConfig.cmake.in package/bhemuConfig.cmake
    INSTALL_DESTINATION ${package})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(package/bhemuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  # From the .pc file up to the prefix, however many folders the libraries lie deep.
  file(RELATIVE_PATH bhemu_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" bhemu_pc_prefix "${bhemu_pc_prefix}")
  configure_file(cmake/bhemu.pc.in package/bhemu.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/bhemuConfig.cmake
    ${CMAKE_BINARY_DIR}/package/bhemuConfigVersion.cmake DESTINATION ${package}
    COMPONENT development)
  install(FILES ${CMAKE_BINARY_DIR}/package/bhemu.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endif()
file(GLOB capi_headers CONFIGURE_DEPENDS include/bhemu/*.h include/bhemu/*.hpp)
install(FILES ${capi_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bhemu COMPONENT development)

# --- python -------------------------------------------------------------------------------------
if(TARGET bhemu_python AND BHEMU_PYTHON_INSTALL_DIR)
  install(TARGETS bhemu_python LIBRARY DESTINATION ${BHEMU_PYTHON_INSTALL_DIR}/bhemu
    COMPONENT python)
  install(DIRECTORY python/bhemu DESTINATION ${BHEMU_PYTHON_INSTALL_DIR} COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
endif()
