# Debian packages in build/package:  cmake/make-packages
#   libsgemm0.1    the libraries that programs run with, the drop-ins for BLAS and CLBlast, too
#   libsgemm-dev   headers, CMake package, pkg-config file
#   sgemm-tools    sgemm-info and, where it was built, sgemm-tune
#   sgemm-bench    that program, where it was built
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sgemm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "libsgemm contributors <libsgemm@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)

set(CPACK_COMPONENTS_ALL sgemm_runtime sgemm_dev sgemm_tools)
if(TARGET sgemm-bench)
    get_target_property(bench_libraries sgemm-bench LINK_LIBRARIES)
    if(NOT bench_libraries MATCHES "CUDA::") # not in Debian: no package to depend on
        list(APPEND CPACK_COMPONENTS_ALL sgemm_bench)
    endif()
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")

# Dependencies on other packages are read off the binaries; on each other they are exact.
find_program(SGEMM_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(SGEMM_SHLIBDEPS)
if(SGEMM_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
endif()
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(library_package libsgemm${SGEMM_SOVERSION})
set(CPACK_DEBIAN_SGEMM_RUNTIME_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_SGEMM_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SGEMM_RUNTIME_PACKAGE_RECOMMENDS "opencl-icd")
set(CPACK_DEBIAN_SGEMM_DEV_PACKAGE_NAME libsgemm-dev)
set(CPACK_DEBIAN_SGEMM_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SGEMM_DEV_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), ocl-icd-opencl-dev | opencl-dev, opencl-c-headers")
set(CPACK_DEBIAN_SGEMM_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_SGEMM_TOOLS_PACKAGE_NAME sgemm-tools)
set(CPACK_DEBIAN_SGEMM_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_SGEMM_TOOLS_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SGEMM_BENCH_PACKAGE_NAME sgemm-bench)
set(CPACK_DEBIAN_SGEMM_BENCH_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_SGEMM_BENCH_PACKAGE_DEPENDS # it finds its suites there
    "${library_package} (= ${PROJECT_VERSION}), sgemm-tools (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_SGEMM_BENCH_PACKAGE_SUGGESTS "libopenblas0, libblis4")

set(CPACK_COMPONENT_SGEMM_RUNTIME_DESCRIPTION "Libraries that programs run with, and drop-ins for the SGEMM of BLAS and CLBlast.")
set(CPACK_COMPONENT_SGEMM_DEV_DESCRIPTION "Headers, CMake package and pkg-config file, for C and C++.")
set(CPACK_COMPONENT_SGEMM_TOOLS_DESCRIPTION "sgemm-info shows devices, kernels and plans; sgemm-tune tunes a device.")
set(CPACK_COMPONENT_SGEMM_BENCH_DESCRIPTION "sgemm-bench measures libsgemm and other libraries on the same problems.")
include(CPack)
