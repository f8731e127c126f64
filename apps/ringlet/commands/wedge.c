/* ringlet wedge: one scene with every combination of some values, a sheet of pictures and a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "command.h"
#include "commands.h"
#include "console.h"
#include "folder.h"
#include "frames.h"
#include "gallery.h"
#include "interrupt.h"
#include "outfile.h"
#include "quality.h"
#include "run.h"

enum { KEYS_MAX = 16, VALUES_MAX = 256, JOBS_MAX = 10000, TEXT_SIZE = 512, PATH_SIZE = 1024 };

/* One --set: its key, and the values between commas. */
typedef struct axis {
    char key[128];
    int count;
    char (*values)[TEXT_SIZE]; /* [count] */
} axis;

typedef struct wedge {
    const char *scene, *directory;
    args_list sets;
    args_frames frames;
    int job, list, threads, quiet, size;
    int force;   /* jobs of another wedge are replaced */
    int quality; /* of enum quality */
    int axis_count;
    axis axes[KEYS_MAX];
    int jobs;      /* the product of all counts */
    char *refused; /* [jobs + 1], 1: what its folder holds is not of this wedge */
} wedge;

/* Where a value ends: at a comma that is in no bracket and no quotes. */
static const char *value_end(const char *text) {
    int depth = 0;
    char quote = 0;
    for (; *text; text++) {
        if (quote)
            quote = *text == quote ? 0 : quote;
        else if (*text == '"' || *text == '\'')
            quote = *text;
        else if (*text == '[' || *text == '{')
            depth++;
        else if (*text == ']' || *text == '}')
            depth--;
        else if (*text == ',' && depth <= 0)
            break;
    }
    return text;
}

/* KEY=A,B,C; a line is printed where it is not that. */
static int parse_axis(const char *set, axis *a) {
    const char *equals = strchr(set, '=');
    if (!equals || equals == set || (size_t)(equals - set) >= sizeof a->key) {
        console_error("--set %s: must be KEY=VALUE or KEY=VALUE,VALUE,...", set);
        return 0;
    }
    snprintf(a->key, sizeof a->key, "%.*s", (int)(equals - set), set);
    for (size_t end = strlen(a->key); end > 0 && a->key[end - 1] == ' ';) /* as overrides are read */
        a->key[--end] = 0;
    a->values = calloc(VALUES_MAX, sizeof *a->values);
    if (!a->values) {
        console_error("out of memory");
        return 0;
    }
    for (const char *value = equals + 1;;) {
        const char *end = value_end(value);
        if (end == value || (size_t)(end - value) >= TEXT_SIZE || a->count == VALUES_MAX) {
            console_error("--set %s: %s", set,
                          end == value             ? "a value is missing between the commas"
                          : a->count == VALUES_MAX ? "has too many values"
                                                   : "a value is too long");
            return 0;
        }
        snprintf(a->values[a->count++], TEXT_SIZE, "%.*s", (int)(end - value), value);
        if (!*end)
            return 1;
        value = end + 1;
    }
}

/* A later --set of a key would win over the values of the one before, whose labels would be wrong. */
static int is_repeated(const wedge *w, const axis *a) {
    for (const axis *before = w->axes; before < a; before++)
        if (strcmp(before->key, a->key) == 0)
            return 1;
    return 0;
}

static rlt_status parse_axes(wedge *w) {
    w->jobs = 1;
    if (w->sets.count == 0)
        return console_fail(RLT_BAD_INPUT, "there is nothing to compare; add --set KEY=A,B,C");
    if (w->sets.count > KEYS_MAX)
        return console_fail(RLT_BAD_INPUT, "--set: at most %d", KEYS_MAX);
    for (int i = 0; i < w->sets.count; i++) {
        axis *a = &w->axes[w->axis_count++];
        if (!parse_axis(w->sets.texts[i], a))
            return RLT_BAD_INPUT;
        if (is_repeated(w, a))
            return console_fail(RLT_BAD_INPUT,
                                "--set %s: %s is given twice; give all its values in one --set, with commas "
                                "between them",
                                w->sets.texts[i], a->key);
        if (w->jobs > JOBS_MAX / a->count)
            return console_fail(RLT_BAD_INPUT, "--set: makes more than %d jobs; take fewer values", JOBS_MAX);
        w->jobs *= a->count;
    }
    return RLT_OK;
}

/* Which value of each key a job has: the last key changes from one job to the next. Jobs count from 1. */
static void choose(const wedge *w, int job, int chosen[KEYS_MAX]) {
    int rest = job - 1;
    for (int k = w->axis_count; k-- > 0;) {
        chosen[k] = rest % w->axes[k].count;
        rest /= w->axes[k].count;
    }
}

/* "key=value" of every key, as overrides of a run. */
static void make_overrides(const wedge *w, int job, char (*texts)[TEXT_SIZE + 160], args_list *overrides) {
    int chosen[KEYS_MAX];
    choose(w, job, chosen);
    for (int k = 0; k < w->axis_count; k++) {
        snprintf(texts[k], sizeof texts[k], "%s=%s", w->axes[k].key, w->axes[k].values[chosen[k]]);
        args_list_add(overrides, texts[k]);
    }
}

/* Lists what a job sets: its values, after what the quality changes of the scene with them. Memory of the
 * run's lists is for free_sets. */
static rlt_status make_sets(const wedge *w, int job, run_settings *run, rlt_messages *messages) {
    char(*texts)[TEXT_SIZE + 160] = calloc(KEYS_MAX, sizeof *texts);
    if (!texts)
        return console_fail(RLT_FAILED, "out of memory");
    args_list_add(&run->owned, texts[0]); /* the first of them, which frees all */
    make_overrides(w, job, texts, &run->overrides);
    return quality_apply((quality)w->quality, run, messages);
}

static void free_sets(run_settings *run) {
    args_list_free(&run->overrides);
    run_free_texts(run);
}

/* Values that differ between the jobs, all of them where there is one job, with `between` from one to the
 * next; without the groups of their keys where these are to be shortened. */
static void describe(const wedge *w, int job, const char *between, int shorten, char *text, size_t size) {
    int chosen[KEYS_MAX];
    size_t used = 0;
    choose(w, job, chosen);
    text[0] = 0;
    for (int k = 0; k < w->axis_count && used < size; k++) {
        const axis *a = &w->axes[k];
        const char *dot = strrchr(a->key, '.');
        if (a->count < 2 && w->jobs > 1)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? between : "",
                                 shorten && dot ? dot + 1 : a->key, a->values[chosen[k]]);
    }
}

/* DIR/0001/NAME */
static int job_path(const wedge *w, int job, const char *name, char path[PATH_SIZE]) {
    int length = snprintf(path, PATH_SIZE, "%s/%04d%s%s", w->directory, job, name[0] ? "/" : "", name);
    return length > 0 && length < PATH_SIZE;
}

static void print_list(const wedge *w) {
    for (int job = 1; job <= w->jobs; job++) {
        char text[4 * TEXT_SIZE];
        describe(w, job, " ", 0, text, sizeof text);
        printf("%d\t%s\n", job, text);
    }
}

/* ---- one job ---- */

/* The job's line of the table, kept beside its animation. */
static rlt_status write_row(const wedge *w, int job, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    char path[PATH_SIZE];
    outfile out;
    if (!job_path(w, job, "row.csv", path) || !outfile_begin(&out))
        return RLT_FAILED;
    fprintf(out.text, "%s,%d,%d,%d,%d,%.3f,%.6g,%.6g,%lld,%016llx\n", run_status_name(result), result->first,
            result->last, s->strands, s->points, result->seconds, s->fastest, s->longest, s->contacts,
            result->hash);
    return outfile_end(&out, 1, path);
}

/* Runs one combination, or finds it done; a run that was stopped or killed is resumed, and a finished one of
 * another scene is refused, or with --force made anew, which run.c says. */
static rlt_status run_job(wedge *w, int job, rlt_messages *messages) {
    char folder[PATH_SIZE], output[PATH_SIZE], row[PATH_SIZE], text[4 * TEXT_SIZE];
    run_result result = {0};
    run_settings run = {.scene = w->scene,
                        .output = output,
                        .frames = w->frames,
                        .threads = w->threads,
                        .quiet = w->quiet,
                        .checkpoint = KEEPER_AUTOMATIC,
                        .force = w->force,
                        .resume = 1,
                        .takes_up = 1};
    rlt_status status = RLT_FAILED;
    describe(w, job, " ", 0, text, sizeof text);
    if (!w->quiet)
        console_line("job %d/%d  %s", job, w->jobs, text);
    if (!job_path(w, job, "", folder) || !job_path(w, job, "hair.usdc", output) ||
        !job_path(w, job, "row.csv", row))
        console_error("-o %s: the name is too long; choose a shorter one", w->directory);
    else if (!folder_make(folder))
        console_error("%s: cannot be made", folder);
    else
        status = make_sets(w, job, &run, messages);
    if (status == RLT_OK)
        status = run_scene(&run, messages, &result);
    w->refused[job] = status == RLT_BAD_INPUT;
    console_messages(messages, 0);
    rlt_messages_clear(messages);
    if (result.interrupted)
        console_error("stopped on request; the same command continues from here");
    if (result.written > 0 && (!result.was_complete || access(row, F_OK) != 0)) {
        rlt_status written = write_row(w, job, &result);
        status = status == RLT_OK ? written : status;
    }
    free_sets(&run);
    return status;
}

/* ---- the sheet and the table ---- */

static int read_row(const wedge *w, int job, char *line, size_t size) {
    char path[PATH_SIZE];
    FILE *file = !w->refused[job] && job_path(w, job, "row.csv", path) ? fopen(path, "r") : NULL;
    line[0] = 0;
    if (!file)
        return 0;
    int good = fgets(line, (int)size, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    return good;
}

/* A value in quotes where it has a comma or quotes of its own. */
static void put_csv(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static rlt_status write_table(const wedge *w) {
    char path[PATH_SIZE], line[512];
    outfile out;
    snprintf(path, sizeof path, "%s/table.csv", w->directory);
    if (!outfile_begin(&out))
        return console_fail(RLT_FAILED, "out of memory");
    fputs("job", out.text);
    for (int k = 0; k < w->axis_count; k++) {
        fputc(',', out.text);
        put_csv(out.text, w->axes[k].key);
    }
    fputs(",status,first,last,strands,points,seconds,fastest,longest,contacts,hash\n", out.text);
    for (int job = 1; job <= w->jobs; job++) {
        int chosen[KEYS_MAX];
        choose(w, job, chosen);
        fprintf(out.text, "%d", job);
        for (int k = 0; k < w->axis_count; k++) {
            fputc(',', out.text);
            put_csv(out.text, w->axes[k].values[chosen[k]]);
        }
        fprintf(out.text, ",%s\n", read_row(w, job, line, sizeof line) ? line : "missing,,,,,,,,,");
    }
    return outfile_end(&out, 1, path);
}

typedef struct shot {
    gallery *gallery;
    const rlt_scene *scene;
    const char *text;
    int index;
    rlt_messages *messages;
} shot;

static rlt_status take(const rlt_frame_view *view, const double *velocities, void *context) {
    const shot *s = context;
    (void)velocities;
    return gallery_add(s->gallery, s->index, s->scene, view, s->text, s->messages);
}

/* The last frame of a job's animation. */
static rlt_status show_job(const wedge *w, int job, gallery *g, rlt_messages *messages) {
    char output[PATH_SIZE], text[4 * TEXT_SIZE];
    run_settings run = {.scene = w->scene, .frames = w->frames, .quiet = 1};
    rlt_scene *scene = NULL;
    describe(w, job, "\n", 1, text, sizeof text);
    if (w->refused[job] || !job_path(w, job, "hair.usdc", output) || access(output, F_OK) != 0)
        return gallery_skip(g, job - 1, text, messages);
    frames_settings animation = {.input = output, .threads = w->threads, .quiet = 1};
    frames_input input = {.settings = &animation};
    rlt_status status = make_sets(w, job, &run, messages);
    if (status == RLT_OK)
        status = run_load(w->scene, 0, &w->frames, &run.overrides, messages, &scene);
    shot s = {g, scene, text, job - 1, messages};
    const frames_watch watch = {take, NULL, &s};
    if (status == RLT_OK)
        status = frames_open(&input, messages);
    if (status == RLT_OK)
        status = frames_choose(&input, FRAMES_LAST, "");
    if (status == RLT_OK)
        status = frames_each(&input, &watch, messages);
    frames_close(&input);
    rlt_scene_destroy(scene);
    free_sets(&run);
    return status;
}

static rlt_status gather(const wedge *w, rlt_messages *messages) {
    char sheet[PATH_SIZE];
    gallery g = {.size = w->size, .threads = w->threads, .hairs = 8000, .margin = 1.15};
    snprintf(sheet, sizeof sheet, "%s/sheet.png", w->directory);
    g.columns = 1; /* a row for each value of the keys before the last one that varies */
    for (int k = w->axis_count; k-- > 0 && g.columns == 1;)
        g.columns = w->axes[k].count;
    if (g.columns == 1 || g.columns > 8)
        for (g.columns = 1; g.columns * g.columns < w->jobs && g.columns < 8;)
            g.columns++;
    rlt_status status = write_table(w);
    if (status == RLT_OK)
        status = gallery_begin(&g, w->jobs);
    for (int job = 1; job <= w->jobs && status == RLT_OK && !interrupt_asked(); job++)
        status = show_job(w, job, &g, messages);
    rlt_status written = gallery_end(&g, status == RLT_OK ? sheet : NULL, messages);
    status = status == RLT_OK ? written : status;
    console_messages(messages, 0);
    if (status == RLT_OK && !w->quiet)
        console_line("%s/sheet.png, %s/table.csv: %d jobs", w->directory, w->directory, w->jobs);
    return status;
}

/* Every value once, before any job is listed or run: a slip in the last one is not found after a night. */
static rlt_status check_values(const wedge *w, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int k = 0, after = w->jobs; k < w->axis_count && status == RLT_OK; k++) {
        after /= w->axes[k].count;
        for (int v = 0; v < w->axes[k].count && status == RLT_OK; v++) {
            char(*texts)[TEXT_SIZE + 160] = calloc(KEYS_MAX, sizeof *texts);
            args_list overrides = {0};
            rlt_scene *scene = NULL;
            if (!texts)
                return console_fail(RLT_FAILED, "out of memory");
            make_overrides(w, 1 + v * after, texts, &overrides);
            status = run_load(w->scene, 0, &w->frames, &overrides, messages, &scene);
            if (status != RLT_OK)
                console_messages(messages, 0);
            rlt_messages_clear(messages);
            rlt_scene_destroy(scene);
            args_list_free(&overrides);
            free(texts);
        }
    }
    return status;
}

/* ---- whose folder it is ---- */

/* Identity of a wedge: scene, frames, quality and values. The caller frees it. */
static char *identify(const wedge *w, const rlt_scene *scene) {
    char *text = NULL, values[4 * TEXT_SIZE];
    size_t size = 0;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *c = rlt_scene_text(scene); *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    fprintf(out, "scene %016llx\nframes %s\nquality %s\n", (unsigned long long)hash,
            w->frames.text ? w->frames.text : "all", quality_names[w->quality]);
    for (int job = 1; job <= w->jobs; job++) {
        describe(w, job, " ", 0, values, sizeof values);
        fprintf(out, "%04d %s\n", job, values);
    }
    int good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

static rlt_status say_taken(const wedge *w, const char *word) {
    const char *what = strcmp(word, "scene") == 0     ? "of another scene, or of this one before an edit"
                       : strcmp(word, "frames") == 0  ? "of other frames"
                       : strcmp(word, "quality") == 0 ? "of another quality"
                                                      : "of other values";
    return console_fail(RLT_BAD_INPUT, "%s: holds a wedge %s; --force replaces it, or give another folder",
                        w->directory, what);
}

/* Checkpoints of another wedge's jobs fit none of this one. */
static void remove_checkpoints(const wedge *w) {
    char path[PATH_SIZE];
    for (int job = 1; job <= w->jobs; job++)
        if (job_path(w, job, "hair.usdc.checkpoint", path))
            (void)unlink(path);
}

/* RLT_BAD_INPUT where the folder is another wedge's: pictures of two are never mixed in one sheet. Later
 * calls, with `again`, find out whether it still is this one's. */
static rlt_status claim_folder(const wedge *w, int again, rlt_messages *messages) {
    char path[PATH_SIZE], word[32];
    run_settings run = {.scene = w->scene, .frames = w->frames, .quiet = 1};
    rlt_scene *scene = NULL;
    char(*texts)[TEXT_SIZE + 160] = calloc(KEYS_MAX, sizeof *texts);
    if (!texts)
        return console_fail(RLT_FAILED, "out of memory");
    make_overrides(w, 1, texts, &run.overrides);
    rlt_status status = run_load(w->scene, 0, &w->frames, &run.overrides, messages, &scene);
    rlt_messages_clear(messages); /* they come with the first job */
    char *text = status == RLT_OK ? identify(w, scene) : NULL;
    snprintf(path, sizeof path, "%s/wedge.txt", w->directory);
    if (status == RLT_OK && !text)
        status = console_fail(RLT_FAILED, "out of memory");
    else if (status == RLT_OK && !again && !folder_make(w->directory))
        status = console_fail(RLT_FAILED, "%s: cannot be made", w->directory);
    if (status == RLT_OK) {
        int taken = claim_holds(path, text, word);
        if (!taken && !again) {
            if (w->force && access(path, F_OK) == 0)
                remove_checkpoints(w);
            taken = claim_take(path, text, w->force);
        }
        status = taken > 0 ? RLT_OK : taken < 0 ? RLT_FAILED : say_taken(w, word);
    }
    free(text);
    free(texts);
    args_list_free(&run.overrides);
    rlt_scene_destroy(scene);
    return status;
}

/* All jobs, the sheet and the table. The sheet's lock says that this process makes them: of two at once one
 * continues, and the other says who has it. */
static rlt_status run_all(wedge *w, rlt_messages *messages) {
    char sheet[PATH_SIZE];
    rlt_lock *lock = NULL;
    snprintf(sheet, sizeof sheet, "%s/sheet.png", w->directory);
    rlt_status worst = outfile_lock(sheet, &lock);
    if (worst != RLT_OK)
        return worst;
    for (int job = 1; job <= w->jobs && !interrupt_asked(); job++) {
        rlt_status status = run_job(w, job, messages);
        worst = worst == RLT_OK ? status : worst;
    }
    rlt_status gathered = interrupt_asked() ? RLT_FAILED : claim_folder(w, 1, messages);
    if (gathered == RLT_OK)
        gathered = gather(w, messages);
    rlt_lock_release(lock);
    return worst == RLT_OK ? gathered : worst;
}

static rlt_status run_wedge(void *context, const args_list *rest, rlt_messages *messages) {
    wedge *w = context;
    w->scene = rest->texts[0];
    rlt_status status = parse_axes(w);
    if (status == RLT_OK && !w->list && !w->directory)
        status = console_fail(RLT_BAD_INPUT, "no folder is named; add -o DIR");
    if (status == RLT_OK)
        status = check_values(w, messages);
    if (status == RLT_OK && w->list) {
        print_list(w);
    } else if (status == RLT_OK && w->job > w->jobs) {
        status = console_fail(RLT_BAD_INPUT, "--job %d: there are %d; --list prints them", w->job, w->jobs);
    } else if (status == RLT_OK && strlen(w->directory) > PATH_SIZE - 64) {
        status = console_fail(RLT_BAD_INPUT, "-o: the name is too long; choose a shorter one");
    } else if (status == RLT_OK) {
        interrupt_catch();
        w->refused = calloc((size_t)w->jobs + 1, 1);
        status = w->refused ? claim_folder(w, 0, messages) : console_fail(RLT_FAILED, "out of memory");
        if (status == RLT_OK)
            status = w->job > 0 ? run_job(w, w->job, messages) : run_all(w, messages);
        free(w->refused);
    }
    for (int k = 0; k < w->axis_count; k++)
        free(w->axes[k].values);
    return status;
}

int command_wedge(int argc, char **argv) {
    wedge w = {.size = 320};
    const args_option options[] = {
        {"output", 'o', ARGS_TEXT, &w.directory, "DIR", "folder for the results (required)", 0, NULL},
        {"set", 0, ARGS_LIST, &w.sets, "KEY=A,B,C",
         "values to try; may be repeated: all combinations are run", 0, NULL},
        {"frames", 'f', ARGS_FRAMES, &w.frames, "A:B", "write these frames only", 0, NULL},
        {"list", 0, ARGS_FLAG, &w.list, NULL, "print the jobs, one a line, and run none", 0, NULL},
        {"job", 0, ARGS_INT, &w.job, "N", "run this one only, counted from 1, for farms", 1, NULL},
        {"size", 0, ARGS_INT, &w.size, "N", "pixels of each picture on the sheet (default 320)", 32, NULL},
        QUALITY_OPTION(&w.quality),
        {"force", 0, ARGS_FLAG, &w.force, NULL, "replace jobs of another scene or of other values", 0, NULL},
        ARGS_THREADS(&w.threads),
        ARGS_QUIET(&w.quiet),
        {0},
    };
    const args_command command = {
        .name = "wedge",
        .usage = "SCENE --set KEY=A,B,C... -o DIR [options]",
        .summary =
            "Runs a scene with every combination of some values. DIR/0001, DIR/0002, ... get an animation "
            "each, DIR/sheet.png a picture of the last frame of each with its values, taken with one camera, "
            "and DIR/table.csv the numbers. The same command again runs only what is missing: jobs that were "
            "killed continue from their checkpoint. A folder that holds a wedge of another scene, of other "
            "values, frames or quality is refused without --force, which runs what differs anew. On a farm, "
            "run --job N for each line of --list, any number at once, then the command without --job for the "
            "sheet; of two without --job the second ends and says who has the folder. Exit codes: 0 done, 1 "
            "a "
            "job failed or was stopped, 2 wrong use or bad scene, 3 a job diverged.",
        .options = options,
        .examples =
            "  ringlet wedge wavy --set hair.drag=1,2,4 --set wind.strength=0,3 -o wedge --frames 1:24\n"
            "  ringlet wedge shot.yaml --set hair.radius=1,2 -o wedge --quality draft\n"
            "  ringlet wedge shot.yaml --set hair.radius=1,2 --list\n"
            "  ringlet wedge shot.yaml --set hair.radius=1,2 -o wedge --job 2\n",
        .minimum = 1,
        .maximum = 1,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, run_wedge, &w);
}
