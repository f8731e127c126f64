#include "live/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum input_form {
    FORM_NONE,
    FORM_SWITCH,
    FORM_NUMBERS,
    FORM_GRAB,
    FORM_VALUE,
    FORM_NAME,
    FORM_BITS
} input_form;

typedef struct input_row {
    const char *word;
    input_form form;
    int count;               /* of FORM_NUMBERS */
    double minimum, maximum; /* of these */
} input_row;

/* In the order of live_input_kind. A kilometre from its place is absurd for a head. */
static const input_row rows[INPUT_KINDS] = {
    {"pose", FORM_NUMBERS, 7, -1e5, 1e5},
    {"grab", FORM_GRAB, 3, -1e6, 1e6},
    {"pull", FORM_NUMBERS, 3, -1e6, 1e6},
    {"release", FORM_NONE, 0, 0, 0},
    {"play", FORM_SWITCH, 0, 0, 0},
    {"inertia", FORM_SWITCH, 0, 0, 0},
    {"set", FORM_VALUE, 0, 0, 0},
    {"unset", FORM_VALUE, 0, 0, 0},
    {"fit", FORM_NUMBERS, 1, LIVE_SPEED_MIN, 1},
    {"reset", FORM_NONE, 0, 0, 0},
    {"quality", FORM_SWITCH, 0, 0, 0},
    {"split", FORM_SWITCH, 0, 0, 0},
    {"scene", FORM_NAME, 0, 0, 0},
    {"pause", FORM_SWITCH, 0, 0, 0},
    {"step", FORM_NONE, 0, 0, 0},
    {"rate", FORM_NUMBERS, 1, 0.02, 4},
    {"show", FORM_BITS, 0, 0, 0},
    {"save", FORM_NAME, 0, 0, 0},
    {"motion", FORM_NAME, 0, 0, 0},
    {"take", FORM_NAME, 0, 0, 0},
    {"run", FORM_NAME, 0, 0, 0},
    {"stop", FORM_NONE, 0, 0, 0},
};

/* A word is copied out of the line; returns where the rest begins, NULL where there is no more word. */
static const char *next_word(const char *at, char *word, size_t size) {
    while (*at == ' ')
        at++;
    size_t length = strcspn(at, " ");
    if (length == 0 || length >= size)
        return NULL;
    memcpy(word, at, length);
    word[length] = '\0';
    return at + length;
}

static const char *read_integer(const char **at, int minimum, int maximum, int *value) {
    char word[32], *end;
    *at = next_word(*at, word, sizeof word);
    if (*at == NULL)
        return "a number is missing";
    long number = strtol(word, &end, 10);
    if (*end != '\0' || number < minimum || number > maximum)
        return "a whole number is out of range";
    *value = (int)number;
    return NULL;
}

static const char *read_numbers(const char **at, const input_row *row, double *numbers) {
    for (int i = 0; i < row->count; i++) {
        char word[64], *end;
        *at = next_word(*at, word, sizeof word);
        if (*at == NULL)
            return "a number is missing";
        numbers[i] = strtod(word, &end);
        if (*end != '\0' || !isfinite(numbers[i]))
            return "a number is not finite";
        if (numbers[i] < row->minimum || numbers[i] > row->maximum)
            return "a number is out of range";
    }
    return NULL;
}

static const char *read_name(const char **at, char *name) {
    char word[INPUT_NAME];
    *at = next_word(*at, word, sizeof word);
    if (*at == NULL)
        return "a name is missing, or too long";
    if (strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != strlen(word) ||
        word[0] == '-')
        return "a name has letters, digits, - and _ only";
    snprintf(name, INPUT_TEXT, "%s", word);
    return NULL;
}

/* "key=value" or "key", all that is left of the line. Control characters would be lines of their own in a
 * recording. */
static const char *read_value(const char **at, live_input *input, int with_value) {
    const char *problem = read_integer(at, 0, 2, &input->side);
    if (problem != NULL)
        return problem;
    while (**at == ' ')
        (*at)++;
    size_t length = strlen(*at);
    if (length == 0 || length >= INPUT_TEXT)
        return "a key is missing, or a value is too long";
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)(*at)[i] < 32)
            return "a value has control characters";
    if ((strchr(*at, '=') != NULL) != with_value)
        return with_value ? "a value is missing" : "a key has no value here";
    memcpy(input->text, *at, length + 1);
    *at += length;
    return NULL;
}

static const char *read_rest(const char **at, const input_row *row, live_input *input) {
    int value = 0;
    const char *problem = NULL;
    switch (row->form) {
    case FORM_NONE:
        break;
    case FORM_SWITCH:
        problem = read_integer(at, 0, 1, &value);
        input->numbers[0] = value;
        break;
    case FORM_BITS:
        problem = read_integer(at, 0, 65535, &value);
        input->numbers[0] = value;
        break;
    case FORM_GRAB:
        problem = read_integer(at, 0, 1, &input->side);
        if (problem == NULL)
            problem = read_integer(at, 0, 1000000000, &input->point);
        if (problem == NULL)
            problem = read_numbers(at, row, input->numbers);
        break;
    case FORM_NUMBERS:
        problem = read_numbers(at, row, input->numbers);
        break;
    case FORM_VALUE:
        problem = read_value(at, input, input->kind == INPUT_SET);
        break;
    case FORM_NAME:
        problem = read_name(at, input->text);
        break;
    }
    return problem;
}

const char *live_input_read(const char *text, size_t size, live_input *input) {
    char line[INPUT_TEXT + 64], word[32];
    *input = (live_input){0};
    if (size >= sizeof line)
        return "the line is too long";
    memcpy(line, text, size);
    line[size] = '\0';
    const char *at = strlen(line) == size ? next_word(line, word, sizeof word) : NULL;
    if (at == NULL)
        return "a word is missing";
    int kind = 0;
    while (kind < INPUT_KINDS && strcmp(rows[kind].word, word) != 0)
        kind++;
    if (kind == INPUT_KINDS)
        return "the word is unknown";
    input->kind = (live_input_kind)kind;
    const char *problem = read_rest(&at, &rows[kind], input);
    if (problem == NULL && at[strspn(at, " ")] != '\0')
        problem = "there is more than belongs to it";
    const double *q = input->numbers + 3;
    if (problem == NULL && kind == INPUT_POSE && q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < 1e-6)
        problem = "the turn is no quaternion";
    return problem;
}

void live_input_print(const live_input *input, char *text, size_t size) {
    const input_row *row = &rows[input->kind];
    int used = snprintf(text, size, "%s", row->word);
    if (row->form == FORM_SWITCH || row->form == FORM_BITS)
        used += snprintf(text + used, size - (size_t)used, " %d", (int)input->numbers[0]);
    if (row->form == FORM_GRAB)
        used += snprintf(text + used, size - (size_t)used, " %d %d", input->side, input->point);
    if (row->form == FORM_VALUE)
        used += snprintf(text + used, size - (size_t)used, " %d", input->side);
    for (int i = 0; i < row->count && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, " %.17g", input->numbers[i]);
    if ((row->form == FORM_VALUE || row->form == FORM_NAME) && used < (int)size)
        snprintf(text + used, size - (size_t)used, " %s", input->text);
}

int live_input_is_recorded(const live_input *input) {
    return input->kind < INPUT_RESET;
}
