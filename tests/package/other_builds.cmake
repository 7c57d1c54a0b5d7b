# The library as others build it: static, for programs in C; and below a project of their own.

if(PKG_CONFIG_FOUND AND NOT SGEMM_SANITIZE)
    add_test(NAME package.static COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check-static
        $<TARGET_FILE:sgemm_internal>)
    set_tests_properties(package.static PROPERTIES LABELS "package;device"
        ENVIRONMENT "CC=${CMAKE_C_COMPILER};CMAKE_GENERATOR=${CMAKE_GENERATOR}"
        PASS_REGULAR_EXPRESSION "check-static: OK")
endif()

if(SGEMM_BUILD_TOOLS AND SGEMM_BUILD_BENCH)
    set(names ${CMAKE_CURRENT_BINARY_DIR}/names)
    add_test(NAME package.names_begin COMMAND ${CMAKE_COMMAND} -E rm -rf ${names})
    add_test(NAME package.names COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -DSGEMM_SOURCE=${PROJECT_SOURCE_DIR}
        -S ${CMAKE_CURRENT_SOURCE_DIR}/names -B ${names})
    add_test(NAME package.names_installed COMMAND ${CMAKE_COMMAND} -DSTATUS=0 "-DPATTERN=/doc/sgemm\".*/LICENSE\""
        -P ${PROJECT_SOURCE_DIR}/cmake/check_command.cmake -- ${CMAKE_COMMAND} -E cat ${names}/sgemm/cmake_install.cmake)
    set_tests_properties(package.names_begin PROPERTIES FIXTURES_SETUP new_folder)
    set_tests_properties(package.names PROPERTIES FIXTURES_REQUIRED new_folder FIXTURES_SETUP names)
    set_tests_properties(package.names_installed PROPERTIES FIXTURES_REQUIRED names)
    set_tests_properties(package.names_begin package.names package.names_installed PROPERTIES LABELS "package;unit")
endif()

# clang has a warning of what GCC takes in silence: string literals that are too long for some other
# compiler.
find_program(SGEMM_CLANGXX NAMES clang++ clang++-14) # the latter comes with clang-tidy
mark_as_advanced(SGEMM_CLANGXX)
set(compilers ${CMAKE_CXX_COMPILER})
if(SGEMM_CLANGXX)
    list(APPEND compilers ${SGEMM_CLANGXX})
endif()
list(REMOVE_DUPLICATES compilers)
foreach(compiler IN LISTS compilers)
    get_filename_component(name ${compiler} NAME)
    set(build ${CMAKE_CURRENT_BINARY_DIR}/parent-${name})
    set(parent --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/parent ${build}
        --build-generator ${CMAKE_GENERATOR})
    set(options --build-options -DSGEMM_SOURCE=${PROJECT_SOURCE_DIR} -DCMAKE_CXX_COMPILER=${compiler}
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCONSUMER_SOURCE=${PROJECT_SOURCE_DIR}/examples/multiply.c)
    # What is generated; the other sources are compiled with more warnings here, and all together
    # only where it is asked for.
    add_test(NAME package.parent.${name}
        COMMAND ${CMAKE_CTEST_COMMAND} ${parent} --build-target sgemm_embedded ${options})
    set_tests_properties(package.parent.${name} PROPERTIES LABELS "package;unit")
    add_test(NAME long.parent.${name} CONFIGURATIONS long
        COMMAND ${CMAKE_CTEST_COMMAND} ${parent} ${options} --test-command ${build}/consumer)
    set_tests_properties(long.parent.${name} PROPERTIES LABELS long TIMEOUT 3600 RUN_SERIAL TRUE
        PASS_REGULAR_EXPRESSION "OK\n")
endforeach()
