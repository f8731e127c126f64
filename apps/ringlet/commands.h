/* The commands of the program, one file each. argv[0] is the command's name; the result is the exit code:
 * 0 done, 1 the run failed, 2 wrong use or bad input, 3 diverged. */
#ifndef RINGLET_APP_COMMANDS_H
#define RINGLET_APP_COMMANDS_H

int command_bench(int argc, char **argv);
int command_check(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_render(int argc, char **argv);
int command_fill(int argc, char **argv);
int command_scenes(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_simulate(int argc, char **argv);
int command_validate(int argc, char **argv);

#endif
