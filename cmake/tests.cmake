# One executable and one CTest entry per tests/test_*.c. Label `slow` for tests/test_slow_*.c, else `quick`.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Lane code of src/ once per instruction set, for the tests that compare them.
file(GLOB probe_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/lanes/*.c)
if(NOT RINGLET_X86)
    list(FILTER probe_sources EXCLUDE REGEX "/probe_avx[0-9a-z_]*\\.c$")
endif()
add_library(lanes-probes STATIC ${probe_sources})
target_include_directories(lanes-probes PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(lanes-probes PRIVATE ringlet-flags PUBLIC ringlet)

# LAPACK's banded solver, to compare ours with; a test that is skipped where it is not found.
find_library(LAPACK_LIBRARY lapack)
mark_as_advanced(LAPACK_LIBRARY)

file(GLOB test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c)
foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests
        ${PROJECT_SOURCE_DIR}/apps/ringlet)
    set(parts ${RINGLET_PARTS} PkgConfig::YAML PNG::PNG)
    if(name STREQUAL "test_core") # all of the core, and nothing else of the library
        set(parts $<LINK_LIBRARY:WHOLE_ARCHIVE,ringlet>)
        target_compile_definitions(${name} PRIVATE RLT_PC_FILE="${PROJECT_BINARY_DIR}/ringlet.pc")
    endif()
    target_link_libraries(${name} PRIVATE
        ringlet-flags ${parts} PkgConfig::CMOCKA Threads::Threads m)
    if(name STREQUAL "test_image_exr") # reads what was written
        target_link_libraries(${name} PRIVATE option-openexr)
        target_compile_definitions(${name} PRIVATE RLTI_HAVE_OPENEXR=$<BOOL:${RINGLET_USE_OPENEXR}>)
    endif()
    if(name MATCHES "^test_(lanes_math|band)$")
        target_link_libraries(${name} PRIVATE lanes-probes)
    endif()
    if(name STREQUAL "test_band")
        target_link_libraries(${name} PRIVATE $<$<BOOL:${LAPACK_LIBRARY}>:${LAPACK_LIBRARY}>)
        target_compile_definitions(${name} PRIVATE RLTI_HAVE_LAPACK=$<BOOL:${LAPACK_LIBRARY}>)
    endif()
    target_compile_definitions(${name} PRIVATE RLT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${name} PRIVATE RLT_PROGRAM="$<TARGET_FILE:ringlet-program>")
    add_dependencies(${name} ringlet-program) # many run it
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    if(name MATCHES "^test_slow_")
        # These begin first, so that no core waits for the last of them at the end.
        set_tests_properties(${name} PROPERTIES LABELS slow TIMEOUT 1800 COST 100)
    else()
        set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 600)
        # These step many hairs to compare numbers: code that shorter tests run, too. Address sanitizers take minutes
        # for each, so that they see them in `make validate` only.
        if(name MATCHES "^test_(validate_rod|taz|bench|wedge|streams|resume|resume_ranks|invariance|constraint_same|rod_solver|rod_groups|rod_links|coil_solver|coil_holds|coil_energy|spread|without|reshape|npm|made|implicit|partition|margin|sag_kick)$")
            set_tests_properties(${name} PROPERTIES LABELS "quick;numbers" TIMEOUT 1200)
        endif()
    endif()
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
        "UBSAN_OPTIONS=print_stacktrace=1" "ASAN_OPTIONS=detect_stack_use_after_return=1" "LC_ALL=C.UTF-8")
endforeach()
if(TARGET test_movie)
    target_link_libraries(test_movie PRIVATE option-movie)
endif()
# The program as it is without optional libraries: the twins without them stand before the library's own.
function(without name)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/render/)
    list(TRANSFORM ARGN APPEND .c)
    add_executable(ringlet-${name} $<TARGET_OBJECTS:ringlet-program> ${ARGN})
    target_include_directories(ringlet-${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(ringlet-${name} PRIVATE ringlet-flags ${RINGLET_PARTS} option-live m)
    set_target_properties(ringlet-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_dependencies(test_without ringlet-${name})
endfunction()
if(TARGET test_without)
    without(plain trace_none image_exr_none movie_none)
    without(no-files image_exr_none movie_none)
endif()

# The walks of allocation faults, with more steps: `make validate`.
foreach(name faults faults_scenes)
    add_test(NAME test_slow_${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    set_tests_properties(test_slow_${name} PROPERTIES LABELS validate TIMEOUT 1800)
    set_property(TEST test_slow_${name} APPEND PROPERTY ENVIRONMENT "RINGLET_FAULTS=full" "LC_ALL=C.UTF-8")
endforeach()

# The torture program (make torture). CTest runs a few trials of each kind, the same ones each time.
file(GLOB torture_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/torture/*.c)
add_executable(torture ${torture_sources})
target_link_libraries(torture PRIVATE ringlet-flags)
target_compile_definitions(torture PRIVATE RLT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_compile_definitions(torture PRIVATE RLT_PROGRAM="$<TARGET_FILE:ringlet-program>")
set_target_properties(torture PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(torture ringlet-program)
# These kinds; what they find depends on the machine's speed in part, so they are few and short here.
foreach(kind kill interrupt damage full two edit input change closed link)
    add_test(NAME torture_${kind} COMMAND torture --kind ${kind} --rounds 2 --seed 2 --each)
    set_tests_properties(torture_${kind} PROPERTIES LABELS quick TIMEOUT 600)
    set_property(TEST torture_${kind} APPEND PROPERTY ENVIRONMENT "TMPDIR=${PROJECT_BINARY_DIR}/tests" "LC_ALL=C.UTF-8")
endforeach()

# The examples in C, built and run as they are.
add_executable(shaken_head ${PROJECT_SOURCE_DIR}/examples/live/shaken_head.c)
target_link_libraries(shaken_head PRIVATE ringlet-flags ringlet m)
set_target_properties(shaken_head PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME example_shaken_head COMMAND shaken_head WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
set_tests_properties(example_shaken_head PROPERTIES LABELS quick TIMEOUT 60
    PASS_REGULAR_EXPRESSION "60: head  2\\.60, tip +[-0-9.]+ +[-0-9.]+ +[-0-9.]+")
