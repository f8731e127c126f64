#include "command.h"

#include "console.h"

rlt_status command_join(rlt_messages *messages, rlt_ranks **ranks) {
    rlt_status status = rlt_ranks_start(messages, ranks);
    if (rlt_ranks_rank(*ranks) > 0)
        console_silence();
    if (status != RLT_OK)
        console_messages(messages, 0);
    return status;
}

/* RLT_BAD_INPUT, with a line printed, in a job of several processes. */
static rlt_status check_alone(const char *command, rlt_messages *messages) {
    rlt_ranks *ranks = NULL;
    rlt_status status = command_join(messages, &ranks);
    if (status == RLT_OK && rlt_ranks_count(ranks) > 1) {
        console_error("%s runs in one process; start it without mpirun", command);
        status = RLT_BAD_INPUT;
    }
    rlt_ranks_finish(ranks);
    return status;
}

static rlt_status parse_and_work(const args_command *command, int argc, char **argv, args_list *rest,
                                 command_work *work, void *settings, rlt_messages *messages) {
    args_result parsed = args_parse(command, argc, argv, rest);
    if (parsed != ARGS_RUN)
        return parsed == ARGS_WRONG ? RLT_BAD_INPUT : RLT_OK;
    rlt_status status = command->alone ? check_alone(command->name, messages) : RLT_OK;
    return status == RLT_OK ? work(settings, rest, messages) : status;
}

int command_run(const args_command *command, int argc, char **argv, rlt_ranks **ranks, command_work *work,
                void *settings) {
    args_list rest = {0};
    rlt_messages *messages = rlt_messages_create();
    if (!messages)
        return console_fail(RLT_FAILED, "out of memory");
    rlt_status status = ranks ? command_join(messages, ranks) : RLT_OK;
    if (status == RLT_OK)
        status = parse_and_work(command, argc, argv, &rest, work, settings, messages);
    if (ranks)
        rlt_ranks_finish(*ranks);
    rlt_messages_destroy(messages);
    args_list_free(&rest);
    for (const args_option *o = command->options; o->name; o++)
        if (o->kind == ARGS_LIST)
            args_list_free(o->value);
    return (int)status;
}
