# What `cmake --install` puts into a prefix: libraries, headers, CMake package, pkg-config file, licence. The
# components (runtime, dev, tools) are the packages of cmake/packaging.cmake.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sgemm)

install(TARGETS sgemm EXPORT sgemm-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
if(TARGET sgemm_blas)
    install(TARGETS sgemm_blas
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
endif()
install(DIRECTORY include/sgemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
if(SGEMM_BUILD_TOOLS)
    foreach(program IN ITEMS sgemm-info sgemm-tune)
        install(FILES docs/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
        install(FILES docs/completion/sgemm.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT tools)
    endforeach()
endif()
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

install(EXPORT sgemm-targets NAMESPACE sgemm:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/sgemm-config.cmake.in ${PROJECT_BINARY_DIR}/sgemm-config.cmake
    INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sgemm-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sgemm-config.cmake ${PROJECT_BINARY_DIR}/sgemm-config-version.cmake
    DESTINATION ${package_dir} COMPONENT dev)

# The prefix is found from the file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(pkgconfig_cflags "")
if(NOT BUILD_SHARED_LIBS)
    set(pkgconfig_cflags "-DSGEMM_STATIC")
endif()
configure_file(cmake/sgemm.pc.in ${PROJECT_BINARY_DIR}/sgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT dev)
