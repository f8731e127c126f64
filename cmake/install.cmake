# Library, headers, pkg-config file, program, man page, shell completions.

# A static library brings what it needs to every user, a shared one only to those who link statically.
if(RINGLET_SHARED)
    set(pc_libs "")
    set(pc_libs_private "-lm -pthread${RINGLET_OPTION_LIBS}")
    set(pc_requires ".private")
else()
    set(pc_libs " -lm -pthread${RINGLET_OPTION_LIBS}")
    set(pc_libs_private "")
    set(pc_requires "")
endif()
set(pc_option_requires "${RINGLET_OPTION_REQUIRES}")
configure_file(cmake/ringlet.pc.in ringlet.pc @ONLY)

install(TARGETS ringlet ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ringlet-shared)
    install(TARGETS ringlet-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS ringlet-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ringlet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/ringlet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES docs/ringlet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES scripts/completion/ringlet.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ringlet)
install(FILES scripts/completion/_ringlet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
