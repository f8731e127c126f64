# The library in parts, so that a program links no more than it uses: the core with all of src/ but the folders of the
# other parts, the step kernel once per instruction set, and the scenes of scenes/ as text. docs/design/architecture.md
# says what lies where.

find_package(Threads REQUIRED)
find_package(PNG REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)

file(GLOB_RECURSE ringlet_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER ringlet_sources EXCLUDE REGEX "/src/(files|render|mpi)/")
if(NOT RINGLET_X86)
    list(FILTER ringlet_sources EXCLUDE REGEX "/(kernel|kernel_pairs|implicit|sift|sweep|sweep_single)_avx[0-9a-z]*\\.c$")
endif()
foreach(part files render mpi)
    file(GLOB ringlet-${part}_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${part}/*.c)
endforeach()

# One of two twins: with the optional library, or without.
function(twins list use with without)
    set(sources ${${list}})
    if(${use})
        list(FILTER sources EXCLUDE REGEX "/${without}\\.c$")
    else()
        list(FILTER sources EXCLUDE REGEX "/${with}\\.c$")
    endif()
    set(${list} ${sources} PARENT_SCOPE)
endfunction()
twins(ringlet-mpi_sources RINGLET_USE_MPI ranks_mpi ranks_none)
twins(ringlet-render_sources RINGLET_USE_EMBREE trace_embree trace_none)
twins(ringlet-render_sources RINGLET_USE_OPENEXR image_exr image_exr_none)
twins(ringlet-render_sources RINGLET_USE_MOVIE movie_av movie_none)

# One kernel source, compiled per instruction set and chosen at run time. The reference and the portable build
# have no flags beyond the baseline; the optimiser level never changes a value. Tests compile lane code the same way.
function(kernel_flags name)
    foreach(file src/solve/kernel_${name}.c src/solve/implicit_${name}.c src/contact/edge/sift_${name}.c src/contact/edge/kernel_pairs_${name}.c src/contact/couple/sweep_${name}.c src/contact/couple/sweep_single_${name}.c tests/lanes/probe_${name}.c tests/lanes/probe_${name}_double.c)
        if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
            set_source_files_properties(${PROJECT_SOURCE_DIR}/${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
        endif()
    endforeach()
endfunction()
if(CMAKE_BUILD_TYPE MATCHES "^(Debug|Sanitize)$") # sanitizers make four times as much of what -O3 unrolls, to compile
    set(fast "")
    set(plain "")
    if(RINGLET_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # the stacks it makes for uses after return are aligned to 32 bytes, below what it counts on (GCC bug 110027)
        set(fast "--param=asan-use-after-return=0")
    endif()
else()
    set(fast -O3)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        # it would carry in registers what the damping loop reloads on purpose, and spill the rest: 8% slower
        list(APPEND fast -fno-predictive-commoning)
    endif()
    set(plain -O2)
endif()
kernel_flags(avx2 ${fast} -mavx2 -mfma -mno-avx512f)
kernel_flags(avx512 ${fast} -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
kernel_flags(portable ${plain})
kernel_flags(reference ${plain})
kernel_flags(flops ${plain})

# Loops over the samples of a hair, made for vector registers: -O2 leaves them alone.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/fill/fill_hairs.c
        ${PROJECT_SOURCE_DIR}/src/fill/fill_locks.c PROPERTIES COMPILE_OPTIONS "-O3")
endif()

# scenes/*.yaml and scenes/presets/*.yaml become C text, so that the program runs without its source tree.
file(GLOB scene_files CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/scenes/*.yaml ${PROJECT_SOURCE_DIR}/scenes/presets/*.yaml)
set(embedded ${PROJECT_BINARY_DIR}/embedded.c)
add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUT=${embedded} -DSCENES_DIR=${PROJECT_SOURCE_DIR}/scenes
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${scene_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding scenes" VERBATIM)
list(APPEND ringlet_sources ${embedded})

# Libraries that each part needs.
set(ringlet_needs $<BUILD_INTERFACE:option-metis> PkgConfig::YAML PkgConfig::LZ4)
set(ringlet-files_needs "")
set(ringlet-render_needs $<BUILD_INTERFACE:option-movie> $<BUILD_INTERFACE:option-embree>
    $<BUILD_INTERFACE:option-openexr> PNG::PNG)
set(ringlet-mpi_needs $<BUILD_INTERFACE:option-mpi>)

# part, its kind, and what its targets' names end with
function(ringlet_part part kind ending)
    set(target ${part}${ending})
    add_library(${target} ${kind} ${${part}_sources})
    target_include_directories(${target}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ringlet-flags> ${${part}_needs} Threads::Threads m)
    if(NOT part STREQUAL "ringlet")
        target_link_libraries(${target} PUBLIC ringlet${ending})
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${part})
endfunction()

foreach(part ${RINGLET_PARTS})
    ringlet_part(${part} STATIC "")
endforeach()

# A shared part exports rlt_*. The core also has rlti_* for the other parts, under a version of its own: parts of
# different builds do not load together.
if(RINGLET_SHARED)
    set(exports ${PROJECT_BINARY_DIR}/ringlet.map)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/ringlet.map.in ${exports} @ONLY)
    foreach(part ${RINGLET_PARTS})
        ringlet_part(${part} SHARED -shared)
        target_link_options(${part}-shared PRIVATE
            -Wl,--version-script=${exports} -Wl,--no-undefined -Wl,-Bsymbolic-functions)
        set_target_properties(${part}-shared PROPERTIES
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${exports})
    endforeach()
endif()
