# Writes text files into a C++ source, so that the library needs no files at run time.
#
#   cmake -DROOT=DIR -DFILES=a.cl;b.cl [-DCOMMON=common.clh;...] -DKIND=source|table -DOUTPUT=FILE
#         -P embed_kernels.cmake
#
# KIND source: `FILES` (relative to ROOT), those in OpenCL C (*.cl) with COMMON in front, `#line`
#              before both, and the SHA-256 of the whole: what a device's compiler gets is what is
#              hashed. A line `#include "FILE"` is replaced by FILE (relative to ROOT): devices have
#              no include path.
# KIND table:  `FILES` as they are; there may be none.
#
# Only tab, line feed and printable ASCII are accepted: device compilers do not agree on the rest,
# and CMake counts bytes.
cmake_minimum_required(VERSION 3.22)

function(read_text path out)
    if(NOT EXISTS "${path}")
        message(FATAL_ERROR "${path}: cannot embed: no such file")
    endif()
    file(READ "${path}" text) # an unreadable file is an error of its own
    file(SIZE "${path}" size)
    string(LENGTH "${text}" length)
    if(NOT length EQUAL size OR text MATCHES "[^\t\n -~]")
        message(FATAL_ERROR "${path}: cannot embed: holds something else than printable ASCII, tab and "
                            "line feed (\"${CMAKE_MATCH_0}\")")
    endif()
    if(text STREQUAL "")
        message(FATAL_ERROR "${path}: cannot embed: empty")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Puts the text of each included file in its place; included files include none.
function(expand_includes name text out)
    set(done "")
    set(first 1) # the line of the file that `text` begins with
    while(text MATCHES "\n#include \"([^\"\n]+)\"\n")
        set(line "${CMAKE_MATCH_0}")
        set(file "${CMAKE_MATCH_1}")
        string(FIND "${text}" "${line}" begin)
        string(LENGTH "${line}" length)
        # The next include may follow at once, and begins with a line's end.
        math(EXPR end "${begin} + ${length} - 1")
        string(SUBSTRING "${text}" 0 ${begin} before)
        string(SUBSTRING "${text}" ${end} -1 text)
        read_text("${ROOT}/${file}" included)
        if(included MATCHES "#include \"")
            message(FATAL_ERROR "${file}: included files include none")
        endif()
        string(REGEX MATCHALL "\n" lines "${before}")
        list(LENGTH lines number)
        math(EXPR first "${first} + ${number} + 1") # that of the include
        math(EXPR next "${first} + 1")
        string(APPEND done "${before}\n#line 1 \"${file}\"\n${included}#line ${next} \"${name}\"")
    endwhile()
    set(${out} "${done}${text}" PARENT_SCOPE)
endfunction()

# The text as bytes, 32 in a line: compilers need not accept a string literal of more than 65536
# characters (MSVC: 16380).
function(to_bytes text out)
    string(HEX "${text}" digits)
    string(REPEAT "." 64 line)
    string(REGEX REPLACE "(${line})" "\\1\n" digits "${digits}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${digits}")
    set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

foreach(required IN ITEMS ROOT KIND OUTPUT)
    if(NOT DEFINED ${required})
        message(FATAL_ERROR "embed_kernels.cmake: -D${required}= is missing")
    endif()
endforeach()
list(LENGTH FILES count)
if(KIND STREQUAL "source")
    set(header "catalog/embedded_sources.hpp")
    set(space "libsgemm::catalog")
    set(type "EmbeddedSource")
    set(function "embedded_sources")
    if(count EQUAL 0)
        message(FATAL_ERROR "${ROOT}: no kernels to embed")
    endif()
elseif(KIND STREQUAL "table")
    set(header "tables/embedded_tables.hpp")
    set(space "libsgemm::tables")
    set(type "EmbeddedTable")
    set(function "embedded_tables")
else()
    message(FATAL_ERROR "embed_kernels.cmake: KIND is source or table, not \"${KIND}\"")
endif()

set(prefix "")
foreach(file IN LISTS COMMON)
    read_text("${ROOT}/${file}" text)
    string(APPEND prefix "#line 1 \"${file}\"\n${text}\n")
endforeach()

set(arrays "")
set(entries "")
set(number 0)
foreach(name IN LISTS FILES)
    read_text("${ROOT}/${name}" text)
    set(hash "")
    if(KIND STREQUAL "source")
        expand_includes("${name}" "${text}" text)
        set(common "")
        if(name MATCHES "\\.cl$")
            set(common "${prefix}")
        endif()
        set(text "${common}#line 1 \"${name}\"\n${text}")
        string(SHA256 hash "${text}")
        set(hash ", \"${hash}\"sv")
    endif()
    to_bytes("${text}" bytes)
    set(array "text_${number}")
    math(EXPR number "${number} + 1")
    string(APPEND arrays "// ${name}\nconstexpr char ${array}[] = {\n${bytes}};\n\n")
    string(APPEND entries "    {\"${name}\"sv, {${array}, sizeof ${array}}${hash}},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Written by cmake/embed_kernels.cmake.
#include \"${header}\"

#include <array>

namespace ${space} {
namespace {

using namespace std::string_view_literals;

${arrays}constexpr std::array<${type}, ${count}> embedded{{
${entries}}};

} // namespace

std::span<const ${type}> ${function}() {
    return embedded;
}

} // namespace ${space}
")
