# The small libraries are linked from their archives where the system has them, from their shared
# objects where it does not: finding, mapping and binding a shared object takes some 25 us at each
# start, and a simulation of a small trace lasts less than a millisecond. Their licences allow it
# (jansson: MIT, libconfuse: ISC, libcsv: LGPL 2.1, which asks that whoever passes a program on lets
# others link it again; our sources do). Libraries that only `rubato` needs stay shared.
set(shared_first ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(RUBATO_STATIC_LIBRARIES)
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES ${CMAKE_STATIC_LIBRARY_SUFFIX})
endif()
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(CONFUSE REQUIRED IMPORTED_TARGET libconfuse)
find_library(LIBCSV csv REQUIRED)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_first})
