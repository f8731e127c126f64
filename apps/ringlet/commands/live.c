/* ringlet live: a local server and a page to drag the head, turn knobs and see hair move. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "interrupt.h"
#include "live/assets.h"
#include "live/server.h"
#include "live/session.h"
#include "run.h"

extern char **environ;

enum { PORT = 7438, PORT_NONE = -2147483647 }; /* where none is given, and not given */

typedef struct live_settings {
    args_list overrides;
    const char *replay, *groom, *body;
    int port, threads, open, as_json, full, headless;
} live_settings;

/* Everything that has to be ended. */
typedef struct live_run {
    live_board *board;
    live_session *session;
    live_server *server;
    live_recorder replay;
    live_values base;
} live_run;

static int stop(void *context) {
    (void)context;
    return interrupt_asked();
}

/* Opens the page in the browser that the desktop has. */
static void open_browser(const char *url) {
    char *arguments[] = {"xdg-open", (char *)url, NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 01, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 01, 0);
    int code = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0)
        console_line("note: no browser was opened (there is no xdg-open); open the page yourself: %s", url);
}

static void print_url(const live_settings *settings, const char *url) {
    if (settings->as_json) {
        printf("{\"url\": \"%s\"}\n", url); /* one line: whoever started it waits for that */
    } else {
        printf("%s\n", url);
        console_line("open this page in a browser; Ctrl-C ends it");
    }
    fflush(stdout);
}

static void print_end(const live_settings *settings, live_run *run, int is_same) {
    live_session_facts facts;
    char hash[20], checksum[20];
    live_session_facts_get(run->session, &facts);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)facts.hash);
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)facts.checksum);
    if (!settings->as_json)
        return;
    json out = {0};
    json_begin_object(&out, NULL);
    json_integer(&out, "steps", facts.steps);
    json_string(&out, "hash", hash);
    if (settings->replay != NULL && settings->headless)
        json_boolean(&out, "same", is_same);
    json_number(&out, "step_seconds", facts.step_seconds);
    json_number(&out, "pack_seconds", facts.pack_seconds);
    json_number(&out, "solver_cpu_seconds", facts.cpu_seconds);
    json_integer(&out, "late", facts.late);
    json_integer(&out, "dropped", facts.dropped);
    if (run->server != NULL) {
        live_server_facts server;
        json_string(&out, "checksum", checksum);
        live_server_facts_get(run->server, &server);
        json_number(&out, "server_cpu_seconds", server.cpu_seconds - server.start_seconds);
        json_number(&out, "server_start_cpu_seconds", server.start_seconds);
        json_integer(&out, "documents", server.documents);
        json_integer(&out, "bytes", server.bytes);
        json_integer(&out, "refused", server.refused);
    }
    json_end_object(&out);
    (void)json_print(&out, stdout);
    json_free(&out);
}

/* --groom and --body are overrides of the scene's values. Names are of this folder, not of the scene's. */
static int add_file(live_values *base, const char *key, const char *path) {
    char text[2400], here[1024] = "";
    if (path[0] != '/' && getcwd(here, sizeof here - 1) != NULL)
        strcat(here, "/");
    snprintf(text, sizeof text, "%s=%s%s", key, here, path);
    return live_values_set(base, text);
}

/* Hair or a body of a file is not what the default scene says it is. */
static int add_title(live_values *base, const char *path) {
    char text[2400];
    const char *slash = strrchr(path, '/');
    snprintf(text, sizeof text, "title=\"%s\"", slash != NULL ? slash + 1 : path);
    return live_values_set(base, text);
}

/* The scene without a name: curls as they are styled; hair or a body of a file takes the place of plain
 * ones. */
static const char *default_scene(const live_settings *settings) {
    return settings->groom != NULL || settings->body != NULL ? "redhead" : "curls";
}

static rlt_status add_values(const live_settings *settings, int is_default, live_run *run) {
    int good = 1;
    if (is_default && settings->body != NULL) /* a body from a file cannot walk as the default scene's does */
        good = good && live_values_set(&run->base, "motion.kind=still");
    if (is_default && settings->body != NULL &&
        settings->groom == NULL) /* it has no scalp that hair could grow on */
        good = good && live_values_set(&run->base, "hair.region=all");
    if (is_default && (settings->groom != NULL || settings->body != NULL))
        good = good && add_title(&run->base, settings->groom != NULL ? settings->groom : settings->body);
    for (int i = 0; i < settings->overrides.count; i++)
        good = good && live_values_set(&run->base, settings->overrides.texts[i]);
    if (settings->groom != NULL)
        good = good && add_file(&run->base, "hair.file", settings->groom);
    if (settings->body != NULL)
        good = good && add_file(&run->base, "character.file", settings->body) &&
               live_values_set(&run->base, "character.kind=file");
    return good ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
}

/* A scene that is not there at all is wrong use; one with errors is shown in the page, and read again
 * when it is edited. */
static rlt_status check_scene(const char *name, int *is_embedded, rlt_messages *messages) {
    int is_file = access(name, F_OK) == 0;
    *is_embedded = !is_file && strpbrk(name, "/.") == NULL;
    if (is_file)
        return RLT_OK;
    rlt_scene *scene = NULL;
    args_list none = {0};
    rlt_status status = run_load(name, *is_embedded, NULL, &none, messages, &scene);
    rlt_scene_destroy(scene);
    return status;
}

static rlt_status serve(const live_settings *settings, live_run *run) {
    live_server_def def = {.port = settings->port != PORT_NONE ? settings->port : PORT,
                           .or_other = settings->port == PORT_NONE,
                           .board = run->board,
                           .assets = live_assets,
                           .receive = live_session_receive,
                           .present = live_session_present,
                           .context = run->session};
    interrupt_catch();
    rlt_status status = live_server_create(&def, &run->server);
    if (status == RLT_OK)
        status = live_session_start(run->session);
    if (status != RLT_OK)
        return status;
    print_url(settings, live_server_url(run->server));
    if (settings->open)
        open_browser(live_server_url(run->server));
    live_server_run(run->server, stop, NULL);
    live_session_stop(run->session);
    return RLT_OK;
}

/* A recording has its scene and values; none other may be named beside it. */
static rlt_status take_recorded(const live_settings *settings, const live_run *run, const args_list *rest,
                                const char **scene) {
    const char *recorded = run->replay.start.scene;
    *scene = recorded;
    if (rest->count > 0 && strcmp(rest->texts[0], recorded) != 0)
        return console_fail(RLT_BAD_INPUT, "live: %s is a recording of %s: leave out %s", settings->replay,
                            recorded, rest->texts[0]);
    if (settings->overrides.count > 0 || settings->groom != NULL || settings->body != NULL)
        return console_fail(RLT_BAD_INPUT,
                            "live: %s has the values that it was recorded with: leave out --set, --groom and "
                            "--body",
                            settings->replay);
    return RLT_OK;
}

static rlt_status live(void *context, const args_list *rest, rlt_messages *messages) {
    live_settings *settings = context;
    live_run run = {.board = live_board_create()};
    const char *scene = rest->count > 0 ? rest->texts[0] : default_scene(settings);
    int is_same = 0, is_embedded = 0;
    rlt_status status = run.board != NULL ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
    if (status == RLT_OK && settings->port != PORT_NONE && (settings->port < 0 || settings->port > 65535))
        status = console_fail(RLT_BAD_INPUT, "live: --port %d: must be 0 to 65535", settings->port);
    if (status == RLT_OK && settings->headless && settings->replay == NULL)
        status = console_fail(RLT_BAD_INPUT, "live: --headless needs --replay FILE");
    if (status == RLT_OK && settings->replay != NULL)
        status = recorder_read(&run.replay, settings->replay);
    if (status == RLT_OK && settings->replay != NULL)
        status = take_recorded(settings, &run, rest, &scene);
    if (status == RLT_OK)
        status = check_scene(scene, &is_embedded, messages);
    if (status == RLT_OK)
        status = add_values(settings, rest->count == 0 && settings->replay == NULL, &run);
    live_session_def def = {.board = run.board,
                            .scene = scene,
                            .is_embedded = is_embedded,
                            .base = &run.base,
                            .threads = settings->threads,
                            .is_full = settings->full,
                            .replay = settings->replay != NULL ? &run.replay : NULL,
                            .folder = "."};
    if (status == RLT_OK)
        status = live_session_create(&def, &run.session);
    if (status == RLT_OK && settings->headless)
        status = live_session_replay(run.session, &is_same);
    else if (status == RLT_OK)
        status = serve(settings, &run);
    console_messages(messages, 0);
    if (status == RLT_OK)
        print_end(settings, &run, is_same);
    if (status == RLT_OK && settings->headless && !is_same)
        status = console_fail(RLT_FAILED,
                              "%s: the end is different: the scene, its files or the program have changed",
                              settings->replay);
    live_server_destroy(run.server);
    live_session_destroy(run.session);
    live_board_destroy(run.board);
    recorder_clear(&run.replay);
    live_values_clear(&run.base);
    return status;
}

int command_live(int argc, char **argv) {
    live_settings settings = {.port = PORT_NONE};
    const args_option options[] = {
        {"port", 'p', ARGS_INT, &settings.port, "N",
         "of the server; 0: any free one (default: 7438, or another)", 0, NULL},
        {"open", 'o', ARGS_FLAG, &settings.open, NULL, "open the page in the browser", 0, NULL},
        {"full", 0, ARGS_FLAG, &settings.full, NULL, "all of the scene, however slow that is", 0, NULL},
        {"groom", 0, ARGS_TEXT, &settings.groom, "FILE", "hair from this file (USD, Alembic, .hair, .tfx)", 0,
         NULL},
        {"body", 0, ARGS_TEXT, &settings.body, "FILE", "the character's mesh from this file", 0, NULL},
        {"replay", 0, ARGS_TEXT, &settings.replay, "FILE", "do again what was recorded", 0, NULL},
        {"headless", 0, ARGS_FLAG, &settings.headless, NULL,
         "with --replay: without a page, as fast as it goes; fails where the end is different", 0, NULL},
        ARGS_THREADS(&settings.threads),
        ARGS_SET(&settings.overrides),
        {"json", 0, ARGS_FLAG, &settings.as_json, NULL,
         "print JSON: first {\"url\": ...}, at the end one object about the run", 0, NULL},
        {0},
    };
    const args_command command = {
        .name = "live",
        .usage = "[SCENE] [options]",
        .summary = "Shows a scene (default: curls, the red curls) in the browser, in motion: drag the head, "
                   "pull hair, "
                   "change values, save the scene. The page is at the printed address, on this machine only. "
                   "docs/guide/live.md.",
        .options = options,
        .examples = "  ringlet live --open\n"
                    "  ringlet live shot.yaml --port 0\n"
                    "  ringlet live --groom hair.usda --body head.obj\n"
                    "  ringlet live --replay take.inputs --headless\n",
        .minimum = 0,
        .maximum = 1,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, live, &settings);
}
