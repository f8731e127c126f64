/* The commands of the program, one file each. argv[0] is the command's name; the result is the exit code:
 * 0 done, 1 the run failed, 2 wrong use or bad input, 3 diverged. */
#ifndef RINGLET_APP_COMMANDS_H
#define RINGLET_APP_COMMANDS_H

typedef int command_function(int argc, char **argv);

command_function command_bench, command_check, command_convert, command_demo, command_inspect, command_live,
    command_plan, command_render, command_fill, command_scenes, command_schema, command_simulate,
    command_validate, command_wedge, command_presets, command_new;

#endif
