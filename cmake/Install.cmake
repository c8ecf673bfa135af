# What `cmake --install` puts where. The programs look for share/rubato/throughputs in the folders
# above them, so that an installation works from wherever it is moved to.
install(TARGETS rubato scheduler master worker trainer RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS milp_cbc LIBRARY DESTINATION lib/rubato)

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
  DESTINATION share/bash-completion/completions)

# What the README names is found beside it: as here, or by a link to share/rubato.
install(FILES README.md LICENSE CONTRIBUTING.md DESTINATION share/doc/rubato)
install(DIRECTORY docs examples DESTINATION share/doc/rubato
  USE_SOURCE_PERMISSIONS
  PATTERN "__pycache__" EXCLUDE)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/doc_links)
foreach(folder cluster_specs throughputs traces)
  file(CREATE_LINK ../../rubato/${folder} ${CMAKE_BINARY_DIR}/doc_links/${folder} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/doc_links/${folder} DESTINATION share/doc/rubato)
endforeach()
