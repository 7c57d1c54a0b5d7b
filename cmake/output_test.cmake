# sgemm_output_test(NAME LABEL PROGRAM ARGUMENTS...): output that the target PROGRAM cannot write is
# an error. It finds no table and no journal of the user.
function(sgemm_output_test name label program)
    if(UNIX)
        add_test(NAME ${name}
            COMMAND ${PROJECT_SOURCE_DIR}/cmake/check-output $<TARGET_FILE:${program}> ${ARGN})
        set_tests_properties(${name} PROPERTIES
            LABELS ${label} ENVIRONMENT "XDG_DATA_HOME=${CMAKE_CURRENT_BINARY_DIR}/output-home")
    endif()
endfunction()
