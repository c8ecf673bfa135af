# The lean scheduler, bin/scheduler where it can be built: the same sources as the full one,
# bin/scheduler-full, but static and against musl, which starts a process in 60 us where glibc takes
# 500 (see docs/performance.md). What it leaves to the full one stands in scheduler/lean/.
#
# It needs gcc, the specs that come with musl's compiler wrapper (Debian: musl-tools) and the archives
# of libcsv and jansson. Without any of them, and in builds that look for mistakes, the full scheduler
# is bin/scheduler.
option(RUBATO_LEAN "a static scheduler beside the full one, for a quick start" ON)

find_file(MUSL_SPECS musl-gcc.specs PATHS /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-musl NO_DEFAULT_PATH)
find_library(JANSSON_ARCHIVE libjansson.a)
find_library(LIBCSV_ARCHIVE libcsv.a)
if(NOT RUBATO_LEAN OR RUBATO_SANITIZE OR RUBATO_COVERAGE OR NOT CMAKE_C_COMPILER_ID STREQUAL GNU
   OR NOT MUSL_SPECS OR NOT JANSSON_ARCHIVE OR NOT LIBCSV_ARCHIVE)
  file(REMOVE ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/scheduler-full) # of an earlier configuration
  return()
endif()

# A library, so that of each file only what is used is linked.
add_library(lean STATIC)
foreach(folder common solver state plan admission policies placement backend report engine)
  get_target_property(sources ${folder} SOURCES)
  get_target_property(at ${folder} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${at}/)
  target_sources(lean PRIVATE ${sources})
endforeach()
get_target_property(sources lean SOURCES)
foreach(left_out config decompressor options options_print)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/common/${left_out}.c)
endforeach()
list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/scheduler/solver/milp_find.c)
set_target_properties(lean PROPERTIES SOURCES "${sources}")

add_executable(lean_scheduler
  scheduler/chronus_options.c
  scheduler/main.c
  scheduler/lean/decompressor.c
  scheduler/lean/fortify.c
  scheduler/lean/handover.c
  scheduler/lean/malloc.c
  scheduler/lean/milp_find.c
  scheduler/lean/options.c
  scheduler/lean/string.c
  scheduler/lean/testbed.c)
set_source_files_properties(scheduler/lean/malloc.c scheduler/lean/string.c
  PROPERTIES COMPILE_OPTIONS -fno-builtin) # or the compiler calls them for what they do
foreach(target lean lean_scheduler)
  # musl's headers stand in the specs; the libraries' own are found behind them.
  target_compile_options(${target} PRIVATE -specs=${MUSL_SPECS} -fno-pie -idirafter /usr/include)
endforeach()
target_link_options(lean_scheduler PRIVATE -specs=${MUSL_SPECS} -static -no-pie)
target_link_libraries(lean_scheduler PRIVATE lean ${LIBCSV_ARCHIVE} ${JANSSON_ARCHIVE})

# Whoever looks up how a source is compiled shall find one answer.
set_target_properties(lean lean_scheduler PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
set_target_properties(scheduler PROPERTIES OUTPUT_NAME scheduler-full)
set_target_properties(lean_scheduler PROPERTIES OUTPUT_NAME scheduler)
add_dependencies(scheduler lean_scheduler)
