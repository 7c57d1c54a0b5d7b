# Runs a command and checks its exit status and what it prints:
#   cmake -DSTATUS=N -DPATTERN=REGEX -P check_command.cmake -- COMMAND ARGUMENT...
cmake_minimum_required(VERSION 3.22)

set(command "")
set(started FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(started)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif(CMAKE_ARGV${i} STREQUAL "--")
        set(started TRUE)
    endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT status STREQUAL STATUS)
    message(FATAL_ERROR "exit status ${status}, not ${STATUS}")
endif()
if(NOT output MATCHES "${PATTERN}")
    message(FATAL_ERROR "the output does not match \"${PATTERN}\"")
endif()
