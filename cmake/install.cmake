# What `cmake --install` puts into a prefix: libraries, headers, CMake package, pkg-config file,
# licence. The components (sgemm_runtime, sgemm_dev, sgemm_tools, sgemm_bench) are the packages of
# cmake/packaging.cmake.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sgemm)

install(TARGETS sgemm EXPORT sgemm-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sgemm_runtime NAMELINK_COMPONENT sgemm_dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sgemm_dev
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sgemm_runtime)
if(TARGET sgemm_blas)
    install(TARGETS sgemm_blas sgemm_clblast EXPORT sgemm-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sgemm_runtime NAMELINK_COMPONENT sgemm_dev)
endif()
install(DIRECTORY include/sgemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sgemm_dev)
# sgemm_install_pages(COMPONENT PROGRAMS...): manual pages and completion.
function(sgemm_install_pages component)
    foreach(program IN LISTS ARGN)
        install(FILES docs/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
        install(FILES docs/completion/sgemm.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions COMPONENT ${component})
    endforeach()
endfunction()
if(SGEMM_BUILD_TOOLS)
    sgemm_install_pages(sgemm_tools sgemm-info sgemm-tune)
endif()
if(SGEMM_BUILD_BENCH)
    sgemm_install_pages(sgemm_bench sgemm-bench)
endif()
if(SGEMM_BUILD_TOOLS OR SGEMM_BUILD_BENCH) # suites that --shapes names
    install(DIRECTORY bench/shapes DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/sgemm COMPONENT sgemm_tools)
endif()
set(doc_dir ${CMAKE_INSTALL_DOCDIR})
if(NOT PROJECT_IS_TOP_LEVEL) # that folder is another project's, with a licence of its own
    set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/sgemm)
endif()
install(FILES LICENSE CHANGELOG.md DESTINATION ${doc_dir} COMPONENT sgemm_dev)

install(EXPORT sgemm-targets NAMESPACE sgemm:: DESTINATION ${package_dir} COMPONENT sgemm_dev)
configure_package_config_file(cmake/sgemm-config.cmake.in ${PROJECT_BINARY_DIR}/sgemm-config.cmake
    INSTALL_DESTINATION ${package_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sgemm-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sgemm-config.cmake ${PROJECT_BINARY_DIR}/sgemm-config-version.cmake
    DESTINATION ${package_dir} COMPONENT sgemm_dev)

# The prefix is found from the file's own place, so that an installed tree can be moved; folders
# that are absolute stay where they are.
set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(pkgconfig_prefix "\${pcfiledir}/${pkgconfig_to_prefix}")
endif()
set(pkgconfig_folder "\${prefix}")
cmake_path(APPEND pkgconfig_folder "${CMAKE_INSTALL_LIBDIR}" OUTPUT_VARIABLE pkgconfig_libdir)
cmake_path(APPEND pkgconfig_folder "${CMAKE_INSTALL_INCLUDEDIR}" OUTPUT_VARIABLE pkgconfig_includedir)
list(TRANSFORM cxx_runtime PREPEND -l OUTPUT_VARIABLE pkgconfig_private)
list(JOIN pkgconfig_private " " pkgconfig_private)
set(pkgconfig_libs "-lOpenCL")
set(pkgconfig_private "-pthread ${pkgconfig_private}")
set(pkgconfig_cflags "")
if(NOT BUILD_SHARED_LIBS) # nobody need say --static where there is nothing else
    string(APPEND pkgconfig_libs " ${pkgconfig_private}")
    set(pkgconfig_private "")
    set(pkgconfig_cflags "-DSGEMM_STATIC")
endif()
configure_file(cmake/sgemm.pc.in ${PROJECT_BINARY_DIR}/sgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT sgemm_dev)
