# Writes the source `output` with the release and an identity of `files` in `folder`: the first digits of the SHA-256 of
# the lines that sha256sum prints of them. Two checkouts with the same files get the same identity.
set(lines "")
foreach(file IN LISTS files)
  file(SHA256 "${folder}/${file}" sum)
  string(APPEND lines "${sum}  ${file}\n")
endforeach()
string(SHA256 identity "${lines}")
string(SUBSTRING "${identity}" 0 12 identity)
file(WRITE "${output}" "/* Written by cmake/write_version.cmake. */
#include \"common/version.h\"

const char version_text[] = \"${release} (decisions ${identity})\";
")
