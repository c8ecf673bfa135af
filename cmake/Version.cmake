# The library `version`: which Rubato this is (common/version.h). The identity changes with every file below, whose code
# or tables of names decide, or write down a decision whose digest a state keeps.
set(deciding_sources)
foreach(folder admission engine external placement plan planner policies record reference solver state)
  list(APPEND deciding_sources ${PROJECT_SOURCE_DIR}/scheduler/${folder}/*.[ch])
endforeach()
foreach(source heap.[ch] list.h rng.[ch] sort.[ch] wide.h)
  list(APPEND deciding_sources ${PROJECT_SOURCE_DIR}/common/${source})
endforeach()
file(GLOB deciding_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${deciding_sources})
if(NOT deciding_files)
  message(FATAL_ERROR "there are no sources that decide: the identity of the version would be that of nothing")
endif()
list(SORT deciding_files)
list(TRANSFORM deciding_files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE deciding_paths)

set(version_source ${CMAKE_CURRENT_BINARY_DIR}/version.c)
add_custom_command(OUTPUT ${version_source}
  COMMAND ${CMAKE_COMMAND} -D "files=${deciding_files}" -D folder=${PROJECT_SOURCE_DIR}
    -D release=${PROJECT_VERSION} -D output=${version_source} -P ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake
  DEPENDS ${deciding_paths} ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake
  COMMENT "Reading which decisions this version makes"
  VERBATIM)
add_library(version STATIC ${version_source})
