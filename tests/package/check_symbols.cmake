# What a shared library shows:
#   cmake -DNM=nm -DREADELF=readelf -DLIBRARY=FILE -DSONAME=NAME -DALLOWED=REGEX
#         [-DHEADER=FILE] [-DEXACTLY=a;b] [-DINCLUDED=a;b] -P check_symbols.cmake
# Each exported name fits ALLOWED; every C function that HEADER declares is there, and those that
# are INCLUDED; or the names are EXACTLY those.
cmake_minimum_required(VERSION 3.22)

execute_process(COMMAND ${NM} -DC --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${READELF} -d ${LIBRARY} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
if(NOT dynamic MATCHES "soname: \\[${SONAME}\\]")
    message(FATAL_ERROR "${LIBRARY}: SONAME is not ${SONAME}:\n${dynamic}")
endif()

string(REPLACE ";" "," output "${output}")
string(REPLACE "[" "(" output "${output}") # brackets join a list's elements
string(REPLACE "]" ")" output "${output}")
string(REPLACE "\n" ";" lines "${output}")
set(names "")
foreach(line IN LISTS lines)
    # "NAME TYPE ADDRESS SIZE"; a demangled name may hold spaces
    if(line MATCHES "^(.*) [A-Za-z] [0-9a-f]+( [0-9a-f]+)?$")
        list(APPEND names "${CMAKE_MATCH_1}")
    endif()
endforeach()
list(LENGTH names count)
if(count EQUAL 0)
    message(FATAL_ERROR "${LIBRARY}: no symbols found")
endif()

foreach(name IN LISTS names)
    if(NOT name MATCHES "${ALLOWED}")
        message(SEND_ERROR "exported, and should not be: ${name}")
    endif()
    # What lies in a namespace of its own below sgemm is internal. (Types of arguments may.)
    if(name MATCHES "^libsgemm::[a-z_0-9]+::")
        message(SEND_ERROR "internal, and exported: ${name}")
    endif()
endforeach()

set(expected ${EXACTLY} ${INCLUDED})
if(HEADER)
    file(READ ${HEADER} text)
    string(REGEX MATCHALL "SGEMM_API [a-z_ *]*[ *]sgemm_[a-z_]+\\(" declarations "${text}")
    foreach(declaration IN LISTS declarations)
        string(REGEX MATCH "(sgemm_[a-z_]+)\\($" ignored "${declaration}")
        list(APPEND expected ${CMAKE_MATCH_1})
    endforeach()
endif()
list(LENGTH expected wanted)
if(wanted EQUAL 0)
    message(FATAL_ERROR "nothing to look for")
endif()
foreach(name IN LISTS expected)
    if(NOT name IN_LIST names)
        message(SEND_ERROR "not exported: ${name}")
    endif()
endforeach()
if(EXACTLY AND NOT count EQUAL wanted)
    message(SEND_ERROR "${count} names exported instead of ${wanted}: ${names}")
endif()
message("${count} names exported, ${wanted} looked for")
