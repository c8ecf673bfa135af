# What `cmake --install` puts where. The programs look for share/rubato/throughputs in the folders
# above them, so that an installation works from wherever it is moved to.
install(TARGETS rubato rubato-more scheduler scheduler-live master worker trainer
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS milp_cbc remote_link LIBRARY DESTINATION lib/rubato)
install(TARGETS milp_serve RUNTIME DESTINATION lib/rubato)

install(DIRECTORY cluster_specs throughputs traces
  DESTINATION share/rubato
  FILES_MATCHING PATTERN "*.csv" PATTERN "README.md")

install(DIRECTORY ${CMAKE_BINARY_DIR}/man/
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  FILES_MATCHING PATTERN "*.1")
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man5
  FILES_MATCHING PATTERN "*.5")

install(DIRECTORY ${CMAKE_BINARY_DIR}/man/
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man7
  FILES_MATCHING PATTERN "*.7")

# bash-completion looks here, below each folder of XDG_DATA_DIRS and beside the bin/ of a program.
install(FILES ${CMAKE_BINARY_DIR}/completion/rubato ${CMAKE_BINARY_DIR}/completion/scheduler
  ${CMAKE_BINARY_DIR}/completion/master ${CMAKE_BINARY_DIR}/completion/worker
  ${CMAKE_BINARY_DIR}/completion/trainer
  DESTINATION share/bash-completion/completions)

# Units of systemd and the user that they run as; the units name the programs by their whole path.
set(install_units [[
  foreach(name scheduler master worker)
    file(READ "@PROJECT_SOURCE_DIR@/packaging/systemd/rubato-${name}.service" unit)
    string(REPLACE "/usr/local/bin" "${CMAKE_INSTALL_PREFIX}/bin" unit "${unit}")
    file(WRITE "@CMAKE_BINARY_DIR@/systemd/rubato-${name}.service" "${unit}")
    file(INSTALL "@CMAKE_BINARY_DIR@/systemd/rubato-${name}.service"
      DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system")
  endforeach()
]])
string(CONFIGURE "${install_units}" install_units @ONLY)
install(CODE "${install_units}")
install(FILES packaging/sysusers/rubato.conf DESTINATION lib/sysusers.d)

# What the README names is found beside it: as here, or by a link to share/rubato.
install(FILES README.md LICENSE CONTRIBUTING.md SECURITY.md DESTINATION share/doc/rubato)
install(DIRECTORY docs examples packaging DESTINATION share/doc/rubato
  USE_SOURCE_PERMISSIONS
  PATTERN "__pycache__" EXCLUDE
  PATTERN "reliability.md" EXCLUDE) # it leads to tests, which are not installed
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/doc_links)
foreach(folder cluster_specs throughputs traces)
  file(CREATE_LINK ../../rubato/${folder} ${CMAKE_BINARY_DIR}/doc_links/${folder} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/doc_links/${folder} DESTINATION share/doc/rubato)
endforeach()
