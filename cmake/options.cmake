# Options and the compiler settings of every target in this tree. Nothing here reaches a program that
# uses the library: the settings are directory-wide, not part of a target's interface.

option(BUILD_SHARED_LIBS "Build libsgemm as a shared library" ON)
option(SGEMM_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_BENCH "Build sgemm-bench" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_TOOLS "Build sgemm-info" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
option(SGEMM_WERROR "Treat compiler warnings as errors" OFF)
option(SGEMM_CCACHE "Compile through ccache where it is installed" ${PROJECT_IS_TOP_LEVEL})
set(SGEMM_SANITIZE "" CACHE STRING "Value for -fsanitize=, e.g. address,undefined or thread")
option(SGEMM_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
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
    add_compile_options(/W4 /permissive- /utf-8 $<$<BOOL:${SGEMM_WERROR}>:/WX>)
else()
    # GCC 12 warns of an overlap inside std::string that cannot be (its bug 105651).
    set(wrong_in_gcc_12 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
    add_compile_options(
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
        -Wcast-align -Wcast-qual -Wundef -Wunused -Wvla
        "$<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual>"
        $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-branches>
        $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond>
        $<$<CXX_COMPILER_ID:GNU>:-Wlogical-op>
        $<${wrong_in_gcc_12}:-Wno-restrict>
        $<$<BOOL:${SGEMM_WERROR}>:-Werror>)
endif()

if(SGEMM_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SGEMM_SANITIZE)
    add_compile_options(-fsanitize=${SGEMM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SGEMM_SANITIZE})
endif()
