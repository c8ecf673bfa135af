# What makes a mistake in memory hard to use for an attacker, in optimised builds without sanitizers,
# which look for such mistakes themselves. Position-independent programs, of which all that the
# loader fills in is read-only once it has; stacks and the calls of libc that know the size of a
# buffer are checked. tests/tools/hardening_test.sh reads it back from the programs.
include(CheckCCompilerFlag)

if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT RUBATO_SANITIZE)
  set(is_module $<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>)
  add_compile_options(
    $<$<NOT:${is_module}>:-fPIE>
    -fstack-protector-strong
    -U_FORTIFY_SOURCE # some compilers define it themselves
    -D_FORTIFY_SOURCE=2)
  add_link_options(
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
    -Wl,-z,relro
    -Wl,-z,now
    -Wl,-z,noexecstack)
  check_c_compiler_flag(-fcf-protection RUBATO_HAS_CF_PROTECTION)
  if(RUBATO_HAS_CF_PROTECTION)
    add_compile_options(-fcf-protection)
  endif()
endif()
