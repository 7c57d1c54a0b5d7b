# Options and the compiler settings of every target in this tree. Nothing here reaches a program
# that uses the library: the settings are directory-wide, not part of a target's interface. Below
# another project only the library is built, and what is that project's to say is left to it: kind
# of library, warnings, compile_commands.json.

if(PROJECT_IS_TOP_LEVEL)
    option(BUILD_SHARED_LIBS "Build libsgemm as a shared library" ON)
endif()
option(SGEMM_BUILD_BLAS "Build libsgemm_blas and libsgemm_clblast, the drop-ins" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_BENCH "Build sgemm-bench" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_TOOLS "Build sgemm-info and sgemm-tune" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_WERROR "Treat compiler warnings as errors" OFF)
option(SGEMM_CCACHE "Compile through ccache where it is installed" ${PROJECT_IS_TOP_LEVEL})
set(SGEMM_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")
option(SGEMM_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
endif()

if(SGEMM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(SGEMM_CCACHE_PROGRAM ccache)
    mark_as_advanced(SGEMM_CCACHE_PROGRAM)
    if(SGEMM_CCACHE_PROGRAM)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${SGEMM_CCACHE_PROGRAM})
        set(CMAKE_C_COMPILER_LAUNCHER ${SGEMM_CCACHE_PROGRAM})
    endif()
endif()

if(MSVC)
    add_compile_options(/permissive- /utf-8 $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:/W4> $<$<BOOL:${SGEMM_WERROR}>:/WX>)
else()
    if(PROJECT_IS_TOP_LEVEL)
        add_compile_options(
            -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
            -Wcast-align -Wcast-qual -Wundef -Wunused -Wvla
            "$<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual>"
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-branches>
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
            $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>)
    endif()
    # GCC 12 warns of an overlap inside std::string that cannot be (its bug 105651).
    set(wrong_in_gcc_12 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
    add_compile_options($<${wrong_in_gcc_12}:-Wno-restrict> $<$<BOOL:${SGEMM_WERROR}>:-Werror>)
endif()

if(SGEMM_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SGEMM_SANITIZE)
    add_compile_options(-fsanitize=${SGEMM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SGEMM_SANITIZE})
endif()

# What a program in C links with beside a static library in C++: stdc++ and m, or the like.
set(cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM cxx_runtime "" ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_DUPLICATES cxx_runtime)

# Where installed programs look for the library: from their own place, so that an installed tree can
# be moved.
set(installed_rpath ${CMAKE_INSTALL_FULL_LIBDIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set(installed_rpath $ORIGIN/${bin_to_lib})
endif()
