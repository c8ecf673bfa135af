# czmq, libzmq and msgpack-c, as the target `messages`: from their archives where the system has all of them, from their
# shared objects where it does not. As a shared object Debian's libzmq brings PGM, NORM and Kerberos along, and its czmq
# systemd: 28 files that the loader maps and binds at each start of a trainer, 4 of its 5 ms. Nobody here uses them, and
# protocol/lean/absent_libraries.c stands in for them. The licences allow it (libzmq: LGPL 3 with an exception for static
# linking, czmq: MPL 2, libsodium: ISC, msgpack-c: Boost, libuuid: 3-clause BSD, libbsd: BSD and ISC, libstdc++ and libgcc:
# GPL 3 with the GCC runtime library exception).
pkg_check_modules(CZMQ REQUIRED IMPORTED_TARGET libczmq libzmq)
pkg_check_modules(MSGPACK REQUIRED IMPORTED_TARGET msgpack)
add_library(messages INTERFACE)

# Sanitizers look for the shared C++ library.
if(RUBATO_STATIC_LIBRARIES AND NOT RUBATO_SANITIZE)
  set(archives)
  foreach(name czmq zmq sodium msgpackc uuid bsd)
    find_library(ARCHIVE_${name} lib${name}.a)
    if(name STREQUAL bsd)
      list(APPEND archives c) # first, or libbsd.a would replace functions of libc
    endif()
    list(APPEND archives ${ARCHIVE_${name}})
  endforeach()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE ARCHIVE_cxx OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(absent ${PROJECT_SOURCE_DIR}/protocol/lean/absent_libraries.c)
  file(WRITE ${CMAKE_BINARY_DIR}/messages_check.c [[
    #include <czmq.h>
    #include <msgpack.h>

    int main(void)
    {
        zsock_t *socket = zsock_new(ZMQ_ROUTER);
        msgpack_zone *zone = msgpack_zone_new(1);

        return zsock_bind(socket, "tcp://127.0.0.1:*") < 0 || !zmq_has("curve") || !zone;
    }
  ]])
  # Another build of libzmq may want other libraries.
  try_compile(MESSAGES_FROM_ARCHIVES ${CMAKE_BINARY_DIR}/messages_check
    SOURCES ${CMAKE_BINARY_DIR}/messages_check.c ${absent}
    LINK_OPTIONS -static-libgcc
    LINK_LIBRARIES ${archives} ${ARCHIVE_cxx} m)
endif()

if(MESSAGES_FROM_ARCHIVES)
  add_library(absent_libraries STATIC ${absent})
  target_include_directories(messages INTERFACE ${CZMQ_INCLUDE_DIRS} ${MSGPACK_INCLUDE_DIRS})
  target_link_options(messages INTERFACE -static-libgcc)
  target_link_libraries(messages INTERFACE ${archives} absent_libraries ${ARCHIVE_cxx} m)
else()
  target_link_libraries(messages INTERFACE PkgConfig::CZMQ PkgConfig::MSGPACK)
endif()
