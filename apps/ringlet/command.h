/* The frame of every command around its own work: arguments, messages, the other processes of a job. */
#ifndef RINGLET_APP_COMMAND_H
#define RINGLET_APP_COMMAND_H

#include "args.h"
#include "ringlet/ringlet.h"

/* A command's own work. `rest`: the arguments that are not options. */
typedef rlt_status command_work(void *settings, const args_list *rest, rlt_messages *messages);

/* Parses the arguments and works; frees the lists that options filled. Returns the exit code. With `ranks`
 * the other processes of an MPI job are joined before anything else, and left at the end. */
int command_run(const args_command *command, int argc, char **argv, rlt_ranks **ranks, command_work *work,
                void *settings);

/* Joins the other ranks of an MPI job; all but the first say nothing from then on. */
rlt_status command_join(rlt_messages *messages, rlt_ranks **ranks);

#endif
