# The program: build/ringlet. It sees the public headers only.

file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/ringlet/*.c)
add_executable(ringlet-program ${program_sources})
target_include_directories(ringlet-program PRIVATE ${PROJECT_SOURCE_DIR}/apps/ringlet)
target_link_libraries(ringlet-program PRIVATE ringlet-flags ${RINGLET_PARTS} m)
set_target_properties(ringlet-program PROPERTIES OUTPUT_NAME ringlet)
