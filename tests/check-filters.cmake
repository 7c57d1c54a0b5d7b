# cmake -DPROGRAM=... -DFILTERS=... -P check-filters.cmake
# Each pattern of the filters names tests that the program has: a filter of tests that have another
# name now would pass, and run nothing.
string(REGEX MATCHALL "[^:-]+" patterns "${FILTERS}")
list(REMOVE_DUPLICATES patterns)
foreach(pattern IN LISTS patterns)
    execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${pattern} OUTPUT_VARIABLE tests)
    if(NOT tests MATCHES "\n  [A-Za-z]")
        message(SEND_ERROR "no test is called ${pattern}")
    endif()
endforeach()
