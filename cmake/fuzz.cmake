# One libFuzzer program per tests/fuzz_*.c; clang only.

if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RINGLET_FUZZ needs clang: cmake --preset fuzz")
endif()
# The fuzzer finds its way by what it has reached in the library.
foreach(part ${RINGLET_PARTS})
    target_compile_options(${part} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz_*.c)
foreach(source ${fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE ringlet-flags ${RINGLET_PARTS})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endforeach()
