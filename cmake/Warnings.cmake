# The warnings that every file of ours compiles without, on gcc and clang.
add_compile_options(
  -Wall
  -Wextra
  -Wshadow
  -Wstrict-prototypes
  -Wmissing-prototypes
  -Wconversion)
option(RUBATO_WERROR "warnings are errors" OFF)
if(RUBATO_WERROR)
  add_compile_options(-Werror)
endif()
