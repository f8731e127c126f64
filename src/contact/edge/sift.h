/* Builds of the sieve for pairs of edges that are surely apart: one source, an instruction set each. Which
 * one is used makes no difference to contacts. */
#ifndef RLTI_CONTACT_EDGE_SIFT_H
#define RLTI_CONTACT_EDGE_SIFT_H

enum { RLTI_EDGE_SIEVE_MOST = 16 };

typedef struct rlti_edge_sieve {
    int lanes; /* pairs at a time, at most RLTI_EDGE_SIEVE_MOST */
    /* Edges begin at points a and b, [lanes] each, of rows with a place, a radius, a displacement and 0. Bit
     * k: the k-th pair may have contacts; bit k of `pass`: it may pass. */
    unsigned (*sift)(const float (*flat)[8], const int *a, const int *b, float offset, float margin,
                     unsigned *pass);
} rlti_edge_sieve;

extern const rlti_edge_sieve rlti_edge_sieve_avx512;
extern const rlti_edge_sieve rlti_edge_sieve_avx2;
extern const rlti_edge_sieve rlti_edge_sieve_portable;

#endif
