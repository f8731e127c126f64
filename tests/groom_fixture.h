/* Grooms grown on a generated head in tests. */
#ifndef TESTS_GROOM_FIXTURE_H
#define TESTS_GROOM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groom/strands.h"

typedef struct fixture {
    rlti_scene_data scene;
    rlti_hair_data hair[2];
    rlti_body *body;
    rlt_messages *messages;
    rlti_strands *strands;
} fixture;

/* The RedHead groom: long curls on all of the scalp. */
static inline rlti_hair_data redhead(void) {
    rlti_hair_data hair;
    memset(&hair, 0, sizeof hair);
    strcpy(hair.name, "curls");
    strcpy(hair.region, "scalp");
    hair.style = RLTI_STYLE_HELIX;
    hair.count = 579;
    hair.total_points = 44552;
    hair.length = 76.0;
    hair.length_variation = 0.1;
    hair.segment = 1.0;
    hair.radius = 1.2;
    hair.pitch = 4.5;
    hair.taper = 0.2;
    hair.straight_root = 0.03;
    hair.variation = 0.25;
    hair.fall = 1.0;
    hair.direction[1] = -1.0;
    hair.spacing = 1.0;
    hair.thickness = 0.1;
    hair.seed = 1;
    return hair;
}

/* One perfect helix hung on the head bone. */
static inline rlti_hair_data single(void) {
    rlti_hair_data hair = redhead();
    strcpy(hair.region, "none");
    hair.count = 1;
    hair.total_points = 0;
    hair.length_variation = 0.0;
    hair.taper = 0.0;
    hair.straight_root = 0.0;
    hair.variation = 0.0;
    return hair;
}

static inline void set_up(fixture *f, rlti_hair_data hair, int resolution) {
    memset(f, 0, sizeof *f);
    f->scene.metres_per_unit = 0.01;
    f->scene.time.fps = 24.0;
    f->scene.time.first = 1;
    f->scene.time.last = 2;
    f->scene.character.kind = resolution > 0 ? RLTI_CHARACTER_HEAD : RLTI_CHARACTER_NONE;
    f->scene.character.resolution = resolution;
    f->scene.character.scale = 1.0;
    f->scene.character.position[0] = 3.0;
    f->scene.character.position[1] = 150.0;
    f->scene.character.position[2] = -2.0;
    f->hair[0] = hair;
    f->hair[1] = hair;
    f->scene.hair = f->hair;
    f->scene.hair_count = 1;
    f->messages = rlt_messages_create();
    assert_int_equal(rlti_body_create(&f->scene, f->messages, &f->body), RLT_OK);
}

static inline rlt_status grow(fixture *f) {
    rlti_groom_destroy(f->strands);
    f->strands = NULL;
    rlt_messages_clear(f->messages);
    return rlti_groom_create(&f->scene, f->body, f->messages, &f->strands);
}

static inline void grow_well(fixture *f) {
    assert_int_equal(grow(f), RLT_OK);
    for (int i = 0; i < rlt_messages_count(f->messages); i++)
        print_message("%s\n", rlt_messages_text(f->messages, i));
    assert_int_equal(rlt_messages_count(f->messages), 0);
}

static inline void tear_down(fixture *f) {
    rlti_groom_destroy(f->strands);
    rlti_body_destroy(f->body);
    rlt_messages_destroy(f->messages);
}

static inline int points_of(const rlti_strands *strands, int s) {
    return strands->first[s + 1] - strands->first[s];
}

/* Longest over shortest segment of one strand; also their sum. */
static inline double unevenness(const rlti_strands *strands, int s, double *length) {
    double shortest = 1e9, longest = 0.0, sum = 0.0;
    for (int i = strands->first[s]; i + 1 < strands->first[s + 1]; i++) {
        double edge = rlti_length(rlti_sub(strands->points[i + 1], strands->points[i]));
        shortest = fmin(shortest, edge);
        longest = fmax(longest, edge);
        sum += edge;
    }
    *length = sum;
    return longest / shortest;
}

#endif
