/* Letters of 5 x 9 dots, and the legend made with them. */
#include <string.h>

#include "base/number.h"
#include "render/overlay.h"

/* Rows from the top, the leftmost dot in bit 4; capitals end and small letters stand on row 6. */
typedef struct letter {
    char sign;
    unsigned char rows[RLTI_LETTER_HEIGHT];
} letter;

static const letter letters[] = {
    {'0', {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x14, 0x04, 0x04, 0x04, 0x1f}},
    {'2', {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}},
    {'3', {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x04, 0x04, 0x08, 0x08}},
    {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
    {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
    {'a', {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}},
    {'b', {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x1e}},
    {'c', {0x00, 0x00, 0x0e, 0x11, 0x10, 0x11, 0x0e}},
    {'d', {0x01, 0x01, 0x0d, 0x13, 0x11, 0x11, 0x0f}},
    {'e', {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}},
    {'f', {0x06, 0x08, 0x1c, 0x08, 0x08, 0x08, 0x08}},
    {'g', {0x00, 0x00, 0x0f, 0x11, 0x11, 0x13, 0x0d, 0x01, 0x0e}},
    {'h', {0x10, 0x10, 0x16, 0x19, 0x11, 0x11, 0x11}},
    {'i', {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e}},
    {'j', {0x02, 0x00, 0x06, 0x02, 0x02, 0x02, 0x02, 0x12, 0x0c}},
    {'k', {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}},
    {'l', {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15}},
    {'n', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}},
    {'o', {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}},
    {'p', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x1e, 0x10, 0x10}},
    {'q', {0x00, 0x00, 0x0d, 0x13, 0x11, 0x11, 0x0f, 0x01, 0x01}},
    {'r', {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}},
    {'s', {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e}},
    {'t', {0x08, 0x08, 0x1c, 0x08, 0x08, 0x08, 0x06}},
    {'u', {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d}},
    {'v', {0x00, 0x00, 0x11, 0x11, 0x11, 0x0a, 0x04}},
    {'w', {0x00, 0x00, 0x11, 0x11, 0x15, 0x15, 0x0a}},
    {'x', {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11}},
    {'y', {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d, 0x01, 0x0e}},
    {'z', {0x00, 0x00, 0x1f, 0x02, 0x04, 0x08, 0x1f}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}},
    {':', {0x00, 0x00, 0x0c, 0x0c, 0x00, 0x0c, 0x0c}},
    {'-', {0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00}},
    {'+', {0x00, 0x00, 0x04, 0x0e, 0x04, 0x00, 0x00}},
    {'/', {0x01, 0x02, 0x02, 0x04, 0x08, 0x08, 0x10}},
    {',', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c, 0x04, 0x08}},
    {'=', {0x00, 0x00, 0x00, 0x1e, 0x00, 0x1e, 0x00}},
    {'_', {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1f}},
    {'[', {0x0e, 0x08, 0x08, 0x08, 0x08, 0x08, 0x0e}},
    {']', {0x0e, 0x02, 0x02, 0x02, 0x02, 0x02, 0x0e}},
    {'(', {0x02, 0x04, 0x08, 0x08, 0x08, 0x04, 0x02}},
    {')', {0x08, 0x04, 0x02, 0x02, 0x02, 0x04, 0x08}},
    {'%', {0x18, 0x19, 0x02, 0x04, 0x08, 0x13, 0x03}},
};

static const rlti_colour paper = {{0.01f, 0.01f, 0.012f}}, ink = {{0.80f, 0.80f, 0.78f}};

/* A box of whole pixels; `share` of the colour. What is outside the picture is left out. */
static void fill_box(rlti_picture *picture, int x, int y, int width, int height, rlti_colour colour,
                     float share) {
    int factor = RLTI_SUPERSAMPLING;
    for (int j = y * factor; j < (y + height) * factor; j++)
        for (int i = x * factor; i < (x + width) * factor; i++) {
            if (i < 0 || j < 0 || i >= picture->width || j >= picture->height)
                continue;
            float *to = picture->samples[(size_t)j * (size_t)picture->width + (size_t)i].colour;
            for (int c = 0; c < 3; c++)
                to[c] += share * (colour.c[c] - to[c]);
        }
}

static const letter *find_letter(char sign) {
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (letters[i].sign == sign)
            return &letters[i];
    return NULL;
}

void rlti_draw_text(rlti_picture *picture, const char *text, int x, int y, int size, rlti_colour colour) {
    for (; *text != 0; text++, x += RLTI_LETTER_WIDTH * size) {
        const letter *l = find_letter(*text);
        for (int row = 0; l != NULL && row < RLTI_LETTER_HEIGHT; row++)
            for (int column = 0; column < 5; column++)
                if (l->rows[row] & (0x10 >> column))
                    fill_box(picture, x + column * size, y + row * size, size, size, colour, 1.0f);
    }
}

/* ---- legend ---- */

static int text_width(const char *text, int size) {
    return ((int)strlen(text) * RLTI_LETTER_WIDTH - 1) * size;
}

/* One line of the key: up to three colours, then the name. */
typedef struct entry {
    char name[32];
    rlti_colour colours[3];
    int count;
} entry;

static void add_entry(entry *entries, int *count, const char *name, rlti_colour colour) {
    entry *e = &entries[*count];
    *e = (entry){.count = 1};
    strncpy(e->name, name, sizeof e->name - 1);
    e->colours[0] = colour;
    ++*count;
}

/* The key of what is shown, but for values. Returns how many lines. */
static int list_entries(unsigned show, entry *entries) {
    int count = 0;
    for (int i = 0; rlt_show_name(i) != NULL; i++) {
        unsigned bit = 1u << i;
        if (!(show & bit) || (bit & RLT_SHOW_VALUES))
            continue;
        add_entry(entries, &count, rlt_show_name(i), rlti_show_colour((rlt_show)bit));
        if (bit == RLT_SHOW_FRAMES) {
            entries[count - 1].count = 3;
            for (int axis = 0; axis < 3; axis++)
                entries[count - 1].colours[axis] = rlti_axis_colour(axis);
        }
        if (bit == RLT_SHOW_PRUNED)
            add_entry(entries, &count, "kept", rlti_kept_colour());
        if (bit == RLT_SHOW_CONTACTS) {
            add_entry(entries, &count, "springs", rlti_spring_colour());
            add_entry(entries, &count, "no contact", rlti_free_colour());
        }
    }
    if (show & RLT_SHOW_FORCES) {
        add_entry(entries, &count, "sticks", rlti_grip_colour(0));
        add_entry(entries, &count, "slips", rlti_grip_colour(1));
    }
    if (show & RLT_SHOW_HOLDS)
        add_entry(entries, &count, "held exactly", rlti_show_colour(RLT_SHOW_HOLDS));
    return count;
}

static void draw_entries(rlti_picture *picture, const entry *entries, int count, int size) {
    int step = (RLTI_LETTER_HEIGHT + 2) * size, widest = 0, swatch = 5 * size;
    for (int i = 0; i < count; i++) {
        int width = entries[i].count * (swatch + size) + 2 * size + text_width(entries[i].name, size);
        widest = width > widest ? width : widest;
    }
    fill_box(picture, 2 * size, 2 * size, widest + 6 * size, count * step + 4 * size, paper, 0.6f);
    for (int i = 0; i < count; i++) {
        int x = 5 * size, y = 5 * size + i * step;
        for (int k = 0; k < entries[i].count; k++, x += swatch + size)
            fill_box(picture, x, y + size, swatch, swatch, entries[i].colours[k], 1.0f);
        rlti_draw_text(picture, entries[i].name, x + 2 * size, y, size, ink);
    }
}

void rlti_draw_label(rlti_picture *picture, const char *text, int x, int y, int size) {
    fill_box(picture, x, y, text_width(text, size) + 6 * size, (RLTI_LETTER_HEIGHT + 4) * size, paper, 0.6f);
    rlti_draw_text(picture, text, x + 3 * size, y + 2 * size, size, ink);
}

/* Title, bar, and the numbers at its ends (and in the middle where it fits). */
static void draw_scale(rlti_picture *picture, const rlti_value_scale *scale, int size) {
    char numbers[3][32];
    const double values[3] = {scale->low, scale->middle, scale->high};
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        rlti_number_format(values[i], numbers[i], sizeof numbers[i]);
        sum += text_width(numbers[i], size);
    }
    int bar = picture->pixel_width / 2, title = text_width(scale->title, size);
    bar = bar > title ? bar : title;
    bar = bar < picture->pixel_width - 10 * size ? bar : picture->pixel_width - 10 * size;
    int step = (RLTI_LETTER_HEIGHT + 2) * size, height = 2 * step + 10 * size;
    int x = 5 * size, y = picture->pixel_height - height + size;
    fill_box(picture, x - 3 * size, y - 3 * size, bar + 6 * size, height, paper, 0.6f);
    rlti_draw_text(picture, scale->title, x, y, size, ink);
    for (int i = 0; i < bar; i++) {
        rlti_colour colour = rlti_scale_colour(scale, rlti_scale_value(scale, (i + 0.5) / bar));
        fill_box(picture, x + i, y + step, 1, 6 * size, colour, 1.0f);
    }
    int below = y + step + 8 * size;
    rlti_draw_text(picture, numbers[0], x, below, size, ink);
    if (sum + 12 * size <= bar)
        rlti_draw_text(picture, numbers[1], x + (bar - text_width(numbers[1], size)) / 2, below, size, ink);
    rlti_draw_text(picture, numbers[2], x + bar - text_width(numbers[2], size), below, size, ink);
}

void rlti_draw_legend(rlti_picture *picture, unsigned show, const rlti_value_scale *scale) {
    entry entries[12];
    /* with values the guides are in their colours, but for holds and forces */
    int coloured = scale != NULL && scale->what != RLT_SHOW_HOLDS && scale->what != RLT_SHOW_FORCES;
    int count = list_entries(coloured ? show & ~(unsigned)RLT_SHOW_GUIDES : show, entries);
    int size = (picture->pixel_height + 160) / 320;
    size = size > 1 ? size : 1;
    if (count > 0)
        draw_entries(picture, entries, count, size);
    if (scale != NULL)
        draw_scale(picture, scale, size);
}
