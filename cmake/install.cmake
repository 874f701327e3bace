# SPDX-License-Identifier: Apache-2.0

# The installed files, and the packages that `cpack` makes of them: a .deb and a tarball. Program and data are where the
# program looks for them: PREFIX/bin/ptxlat and PREFIX/share/ptxlat. With PTXLAT_WHEEL they go into the Python package,
# which has its own PREFIX (pyproject.toml).
include(GNUInstallDirs)
option(PTXLAT_WHEEL "Install what a Python wheel has" OFF)

install(TARGETS ptxlat RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/ptx_templates ${CMAKE_SOURCE_DIR}/site ${CMAKE_SOURCE_DIR}/simulators
  DESTINATION share/ptxlat)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/tools/toolkits.sh ${CMAKE_SOURCE_DIR}/tools/toolkit_piece.py
  DESTINATION share/ptxlat/tools)
install(FILES ${CMAKE_SOURCE_DIR}/tools/common.sh ${CMAKE_SOURCE_DIR}/tools/wheels.txt
  DESTINATION share/ptxlat/tools)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tools/slurm DESTINATION share/ptxlat/tools USE_SOURCE_PERMISSIONS)

# Only the committed tables: a checkout may have others that somebody measured. Without a .git, all tables.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} ls-files tables OUTPUT_VARIABLE tables
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(tables)
  string(REPLACE "\n" ";" tables "${tables}")
else()
  file(GLOB_RECURSE tables RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tables/*)
endif()
if(PTXLAT_WHEEL)
  # The files that the module reads, and provenance: a fifth of everything.
  list(FILTER tables INCLUDE REGEX "/(latency[.]csv|forms[.]csv|run[.]json|LICENSE|opcodes[.]csv|facts[.]csv|arrivals[.]csv)([.]gz)?$")
endif()
foreach(table ${tables})
  cmake_path(GET table PARENT_PATH folder)
  install(FILES ${CMAKE_SOURCE_DIR}/${table} DESTINATION share/ptxlat/${folder})
endforeach()
if(PTXLAT_WHEEL)
  return()
endif()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.tsv" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/CHANGELOG.md
  ${CMAKE_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# The program itself generates man page and shell completions.
set(interface ${CMAKE_BINARY_DIR}/interface)
foreach(form man bash zsh fish)
  add_custom_command(OUTPUT ${interface}/${form}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${interface}
    COMMAND $<TARGET_FILE:ptxlat> interface ${form} -o ${interface}/${form}
    DEPENDS ptxlat VERBATIM)
endforeach()
add_custom_target(interface ALL DEPENDS ${interface}/man ${interface}/bash ${interface}/zsh ${interface}/fish)
install(FILES ${interface}/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME ptxlat.1)
install(FILES ${interface}/bash DESTINATION share/bash-completion/completions RENAME ptxlat)
install(FILES ${interface}/zsh DESTINATION share/zsh/vendor-completions RENAME _ptxlat)
install(FILES ${interface}/fish DESTINATION share/fish/vendor_completions.d RENAME ptxlat.fish)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME ptxlat)
set(CPACK_PACKAGE_CONTACT "The ptxlat authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Latency of every PTX instruction, with the machine code that proves it")
set(CPACK_PACKAGE_DESCRIPTION
  "ptxlat measures the latency of every PTX instruction on an NVIDIA GPU and proves each number with the machine code that
produced it. The package has the program, its catalogue and tables that were measured before.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# toolkits.sh, which downloads an assembler and a disassembler.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-pip-whl, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, gcc, make, libjs-chart.js")
include(CPack)
