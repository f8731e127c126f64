# The program: build/ringlet. It sees the public headers only.

file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/ringlet/*.c)
if(RINGLET_USE_LIVE)
    list(FILTER program_sources EXCLUDE REGEX "/commands/live_none\\.c$")
else()
    list(FILTER program_sources EXCLUDE REGEX "/(live/[a-z_]+|commands/live|bench/bench_live)\\.c$")
endif()
add_executable(ringlet-program ${program_sources})
target_include_directories(ringlet-program PRIVATE ${PROJECT_SOURCE_DIR}/apps/ringlet)
target_link_libraries(ringlet-program PRIVATE ringlet-flags ${RINGLET_PARTS} option-live m)
set_target_properties(ringlet-program PROPERTIES OUTPUT_NAME ringlet)
if(RINGLET_USE_LIVE)
    set(assets ${PROJECT_SOURCE_DIR}/apps/ringlet/live/assets.c)
    file(GLOB page_files CONFIGURE_DEPENDS ${page_source}/*.html ${page_source}/*.css ${page_source}/*.webp)
    set_source_files_properties(${assets} PROPERTIES
        OBJECT_DEPENDS "${page_script};${page_files}"
        COMPILE_DEFINITIONS "LIVE_PAGE_SCRIPT=\"${page_script}\";LIVE_PAGE_SOURCE=\"${page_source}\"")
    # loops over positions, made for vector registers: -O2 leaves them alone
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/ringlet/live/pack.c PROPERTIES COMPILE_OPTIONS "-O3")
    endif()
    # so that every generator has a rule for the script
    add_custom_target(live-page DEPENDS ${page_script})
    add_dependencies(ringlet-program live-page)
else()
    set_source_files_properties(${PROJECT_SOURCE_DIR}/apps/ringlet/commands/live_none.c PROPERTIES
        COMPILE_DEFINITIONS "LIVE_MISSING=\"${RINGLET_LIVE_MISSING}\"")
endif()
