#include "args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "list.h"

#define HELP_COLUMNS 100
#define NAME_LIMIT   48 /* longest name that a suggestion is sought for */

static int minimum_of(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Insertions, deletions and replacements that turn a into b. */
static int edit_distance(const char *a, const char *b) {
    int row[NAME_LIMIT + 1];
    int length = (int)strlen(b);
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int above = row[j];
            row[j] = minimum_of(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[length];
}

/* The name nearest to `text`, or NULL when none is near enough to be meant. */
static const char *nearest_of(const char *text, const char *const *names, int count) {
    const char *best = NULL;
    int best_distance = INT_MAX;
    if (strlen(text) > NAME_LIMIT)
        return NULL;
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) > NAME_LIMIT)
            continue;
        int distance = edit_distance(text, names[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
    }
    /* More than about a third of the letters wrong is a different word. */
    int allowed = (int)(strlen(text) + 2) / 3;
    return best_distance <= allowed ? best : NULL;
}

rlt_status args_unknown(const char *problem, const char *text, const char *const *names, int count,
                        const char *remedy) {
    const char *nearest = nearest_of(text, names, count);
    if (nearest)
        console_error("%s '%s'; did you mean '%s'?", problem, text, nearest);
    else
        console_error("%s '%s'; %s", problem, text, remedy);
    return RLT_BAD_INPUT;
}

int args_integer(const char *text, int *value) {
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < INT_MIN || number > INT_MAX)
        return 0;
    *value = (int)number;
    return 1;
}

void args_list_add(args_list *list, const char *text) {
    if (!list_reserve(&list->texts, list->count, &list->capacity, sizeof *list->texts)) {
        fprintf(stderr, "ringlet: out of memory\n");
        exit(1);
    }
    list->texts[list->count++] = text;
}

int args_join_variants(const args_list *list, char text[ARGS_VARIANTS]) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < list->count; i++) {
        const char *one = list->texts[i], *equals = strchr(one, '=');
        int is_good = equals != NULL && equals > one && strchr(one, ',') == NULL;
        int length = snprintf(text + used, ARGS_VARIANTS - used, "%s%s", used > 0 ? "," : "", one);
        if (!is_good || length < 0 || (size_t)length >= ARGS_VARIANTS - used) {
            fprintf(stderr, "ringlet: --variant %s: %s\n", one,
                    is_good ? "too many or too long" : "must be SET=NAME");
            return 0;
        }
        used += (size_t)length;
    }
    return 1;
}

void args_list_free(args_list *list) {
    free(list->texts);
    *list = (args_list){0};
}

/* Breaks long lines at spaces, but for those of lists, which begin with one. */
static void print_wrapped(const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length > HELP_COLUMNS && *text != ' ')
            for (length = HELP_COLUMNS; length > 1 && text[length] != ' ';)
                length--;
        printf("%.*s\n", (int)length, text);
        text += length + (text[length] != 0);
    }
}

static void print_help(const args_command *command) {
    printf("usage: ringlet %s %s\n\n", command->name, command->usage);
    print_wrapped(command->summary);
    printf("\noptions:\n");
    for (const args_option *o = command->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
                 o->letter ? ", " : "  ", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "    --help", "show this text");
    if (command->examples)
        printf("\nexamples:\n%s", command->examples);
}

static args_result wrong_use(const args_command *command, const char *format, const char *a, const char *b) {
    char text[256];
    snprintf(text, sizeof text, format, a, b);
    console_line("ringlet %s: %s\ntry: ringlet %s --help", command->name, text, command->name);
    return ARGS_WRONG;
}

static args_result unknown_option(const args_command *command, const char *name) {
    const char *names[32] = {"help"};
    int count = 1;
    for (const args_option *o = command->options; o->name && count < 32; o++)
        names[count++] = o->name;
    const char *nearest = nearest_of(name, names, count);
    if (nearest)
        return wrong_use(command, "unknown option --%s; did you mean --%s?", name, nearest);
    return wrong_use(command, "unknown option --%s%s", name, "");
}

/* One whole number of "A:B:S", which may be missing; the text moves behind it. */
static int parse_part(const char **text, int *has, int *value) {
    char part[24];
    size_t length = strcspn(*text, ":");
    if (length >= sizeof part)
        return 0;
    memcpy(part, *text, length);
    part[length] = 0;
    *text += length;
    *has = length > 0;
    return length == 0 || args_integer(part, value);
}

static int parse_frames(const char *text, args_frames *frames) {
    int has_step = 0;
    frames->text = text;
    if (!parse_part(&text, &frames->has_first, &frames->first))
        return 0;
    if (!*text) { /* no colon */
        frames->has_last = frames->has_first;
        frames->last = frames->first;
        return frames->takes_one && frames->has_first;
    }
    text++;
    if (!parse_part(&text, &frames->has_last, &frames->last))
        return 0;
    if (!*text)
        return frames->has_first || frames->has_last || frames->takes_step;
    text++;
    return frames->takes_step && parse_part(&text, &has_step, &frames->step) && !*text && has_step &&
           frames->step > 0;
}

static args_result below_minimum(const args_command *command, const args_option *option) {
    char bound[24];
    snprintf(bound, sizeof bound, "%d", option->minimum);
    return wrong_use(command, "--%s: must be at least %s", option->name, bound);
}

static args_result set_int(const args_command *command, const args_option *option, const char *value) {
    int number = 0;
    if (!args_integer(value, &number))
        return wrong_use(command, "--%s %s: must be a whole number", option->name, value);
    if (number < option->minimum)
        return below_minimum(command, option);
    *(int *)option->value = number;
    return ARGS_RUN;
}

static args_result set_number(const args_command *command, const args_option *option, const char *value) {
    char *end = NULL;
    double number = strtod(value, &end); /* the program never leaves the C locale */
    if (end == value || *end || !isfinite(number))
        return wrong_use(command, "--%s %s: must be a number", option->name, value);
    if (option->kind == ARGS_POSITIVE && !(number > 0.0))
        return wrong_use(command, "--%s: must be above %s", option->name, "0");
    if (number < option->minimum)
        return below_minimum(command, option);
    *(double *)option->value = number;
    return ARGS_RUN;
}

static args_result set_frames(const args_command *command, const args_option *option, const char *value) {
    args_frames *frames = option->value;
    int good = parse_frames(value, frames);
    if (!good && frames->has_first && frames->has_last &&
        !strchr(value, ':')) { /* a simulation begins before */
        char text[128];
        snprintf(text, sizeof text,
                 "--%s %d: one number could mean two things: %d:%d is that frame, :%d all up "
                 "to it",
                 option->name, frames->first, frames->first, frames->first, frames->first);
        return wrong_use(command, "%s%s", text, "");
    }
    if (!good)
        return wrong_use(command,
                         frames->takes_step  ? "--%s %s: must be A, A:B or A:B:STEP with whole numbers"
                         : frames->takes_one ? "--%s %s: must be A, A:B, A: or :B with whole numbers"
                                             : "--%s %s: must be A:B, A: or :B with whole numbers",
                         option->name, value);
    if (frames->has_first && frames->has_last && frames->first > frames->last)
        return wrong_use(command, "--%s %s: the first frame is after the last", option->name, value);
    return ARGS_RUN;
}

/* Its place among the choices, or -1. */
static int find_choice(const args_option *option, const char *word) {
    for (int i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], word) == 0)
            return i;
    return -1;
}

static args_result set_choice(const args_command *command, const args_option *option, const char *value) {
    char known[160] = "", name[96];
    int found = find_choice(option, value);
    if (found >= 0) {
        *(int *)option->value = found;
        return ARGS_RUN;
    }
    for (int i = 0; option->choices[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", option->choices[i]);
    }
    snprintf(name, sizeof name, "%s %s", option->name, value);
    return wrong_use(command, "--%s: must be one of %s", name, known);
}

static args_result set_option(const args_command *command, const args_option *option, const char *value) {
    switch (option->kind) {
    case ARGS_FLAG:
        *(int *)option->value = 1;
        break;
    case ARGS_TEXT:
        *(const char **)option->value = value;
        break;
    case ARGS_LIST:
        args_list_add(option->value, value);
        break;
    case ARGS_INT:
        return set_int(command, option, value);
    case ARGS_NUMBER:
    case ARGS_POSITIVE:
        return set_number(command, option, value);
    case ARGS_FRAMES:
        return set_frames(command, option, value);
    case ARGS_CHOICE:
    case ARGS_MAYBE:
        return set_choice(command, option, value);
    }
    return ARGS_RUN;
}

/* One option at argv[*at]; *at moves on to its last word. */
static args_result parse_option(const args_command *command, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    int is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    char name[64];
    if (is_long)
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - word - 2) : 63, word + 2);
    else
        snprintf(name, sizeof name, "%s", word + 1);

    const args_option *option = command->options;
    while (option->name && !(is_long ? strcmp(option->name, name) == 0
                                     : (option->letter && name[0] == option->letter && !name[1])))
        option++;
    if (!option->name)
        return is_long ? unknown_option(command, name) : wrong_use(command, "unknown option %s%s", word, "");
    if (option->kind == ARGS_FLAG) {
        if (equals)
            return wrong_use(command, "--%s: takes no value%s", name, "");
        return set_option(command, option, NULL);
    }
    if (equals)
        return set_option(command, option, equals + 1);
    if (option->kind == ARGS_MAYBE && find_choice(option, *at + 1 < argc ? argv[*at + 1] : "") < 0)
        return set_option(command, option, option->choices[1]);
    if (*at + 1 >= argc)
        return wrong_use(command, "--%s: needs a value: %s", option->name, option->argument);
    *at += 1;
    return set_option(command, option, argv[*at]);
}

args_result args_parse(const args_command *command, int argc, char **argv, args_list *rest) {
    int only_rest = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (only_rest || word[0] != '-' || !word[1]) {
            args_list_add(rest, word);
        } else if (strcmp(word, "--") == 0) {
            only_rest = 1;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(command);
            return ARGS_DONE;
        } else {
            args_result result = parse_option(command, argc, argv, &i);
            if (result != ARGS_RUN)
                return result;
        }
    }
    if (rest->count < command->minimum)
        return wrong_use(command, "an argument is missing; usage: ringlet %s %s", command->name,
                         command->usage);
    if (command->maximum >= 0 && rest->count > command->maximum)
        return wrong_use(command, "unexpected argument '%s'%s", rest->texts[command->maximum], "");
    return ARGS_RUN;
}
