/* Types of the sweeps, for double and for single precision: sweep.h includes this twice, with
 * RLTI_COUPLE_REAL, RLTI_COUPLE_LANES, items of a batch, and RLTI_COUPLE_OF, the names, defined. */

/* A point: its displacement, and by how much a force moves it. */
typedef RLTI_COUPLE_REAL RLTI_COUPLE_OF(rlti_couple_row)[4];

/* Contacts of lumped masses, in world axes. Lanes that are not used, and sides that are bodies, have the row
 * of no point, which is 0. What stands first is all that a sweep reads of contacts that are open. */
typedef struct RLTI_COUPLE_OF(rlti_couple_lumps) {
    _Alignas(64) RLTI_COUPLE_REAL normal[3][RLTI_COUPLE_LANES]; /* rows of lanes are loaded whole */
    RLTI_COUPLE_REAL gap[RLTI_COUPLE_LANES], share[2][RLTI_COUPLE_LANES];
    int point[2][RLTI_COUPLE_LANES];  /* first points of the edges, counted within the task */
    uint8_t again[RLTI_COUPLE_LANES]; /* how often it has stuck after it had slipped */
    uint16_t used, hair;              /* bits: lanes with a contact, and with hair on its second side */
    uint16_t slips;                   /* bits: slipped in the last sweep */
    uint16_t forces;                  /* bits: lanes whose force may be other than 0 */
    uint16_t sticks, slides;          /* bits: by the last measure, those that act and stick, or slip */
    uint16_t shown;                   /* bits: lanes whose contact is known to stick or slip */
    uint16_t idle; /* 1: all were open in the first sweep of an iteration, without a force */

    _Alignas(64) RLTI_COUPLE_REAL slip[3][RLTI_COUPLE_LANES], r[3][RLTI_COUPLE_LANES]; /* r: force */
    int item[RLTI_COUPLE_LANES];                    /* the contact's number; -1: not used */
    RLTI_COUPLE_REAL model[RLTI_COUPLE_LANES];      /* displacement a force */
    RLTI_COUPLE_REAL inverse[2][RLTI_COUPLE_LANES]; /* 1 / (model + compliance), 1 / model */
    RLTI_COUPLE_REAL
    friction[2][RLTI_COUPLE_LANES]; /* static and kinetic; the same once it has stuck again too often */
    RLTI_COUPLE_REAL most[RLTI_COUPLE_LANES]; /* force along the normal */
} RLTI_COUPLE_OF(rlti_couple_lumps);

/* Links of lumped masses: the fields of rlti_couple_spring. */
typedef struct RLTI_COUPLE_OF(rlti_couple_springs) {
    _Alignas(64) RLTI_COUPLE_REAL axis[3][RLTI_COUPLE_LANES];
    RLTI_COUPLE_REAL r[RLTI_COUPLE_LANES], model[RLTI_COUPLE_LANES];
    RLTI_COUPLE_REAL slope[2][RLTI_COUPLE_LANES], zero[2][RLTI_COUPLE_LANES];
    int point[2][RLTI_COUPLE_LANES];
    int item[RLTI_COUPLE_LANES];
    uint16_t used, both; /* bits: lanes with a link, and with one whose pull and push may both act */
    RLTI_COUPLE_REAL middle[2][RLTI_COUPLE_LANES],
        bound[2][RLTI_COUPLE_LANES]; /* where pull and push both act */
} RLTI_COUPLE_OF(rlti_couple_springs);

/* Forces of a batch's items in the last iteration: as they were carried on, and as they came to. */
typedef struct RLTI_COUPLE_OF(rlti_couple_carried) {
    _Alignas(64) RLTI_COUPLE_REAL base[3][RLTI_COUPLE_LANES], last[3][RLTI_COUPLE_LANES];
} RLTI_COUPLE_OF(rlti_couple_carried);
typedef struct RLTI_COUPLE_OF(rlti_couple_carried_links) {
    RLTI_COUPLE_REAL base[RLTI_COUPLE_LANES], last[RLTI_COUPLE_LANES];
} RLTI_COUPLE_OF(rlti_couple_carried_links);

typedef struct RLTI_COUPLE_OF(rlti_couple_kernel) {
    /* Batches one after the other, which move points. Return by how much the largest change of a force moves
     * its contact, squared, and its link. `again`: this is not the first sweep of the iteration, and batches
     * of which nothing acted in that are left out. */
    double (*contacts)(RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count,
                       RLTI_COUPLE_OF(rlti_couple_row) * points, int again);
    double (*links)(RLTI_COUPLE_OF(rlti_couple_springs) * batches, int count,
                    RLTI_COUPLE_OF(rlti_couple_row) * points);
    /* Contacts as they begin, in a batch that has their numbers and points; `warm`: with their forces;
     * `nowhere`: the point of a side that is a body. */
    void (*fill)(RLTI_COUPLE_OF(rlti_couple_lumps) * batch, const rlti_couple_contact *contacts, int warm,
                 int nowhere);
    /* How contacts give way. Those that nothing can move have no force. */
    void (*blocks)(RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count,
                   const RLTI_COUPLE_OF(rlti_couple_row) * points, double compliance);
    /* The laws of a batch's links, but for what both pull and push do: their lanes are in `both`. */
    void (*make_links)(RLTI_COUPLE_OF(rlti_couple_springs) * batch, const rlti_couple_link *links, int warm,
                       const RLTI_COUPLE_OF(rlti_couple_row) * points);
    /* Adds the forces of items to those of their points, in double precision: momentum is kept. */
    void (*push_contacts)(const RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count, rlti_vec3 *forces);
    void (*push_links)(const RLTI_COUPLE_OF(rlti_couple_springs) * batches, int count, rlti_vec3 *forces);
    /* How far forces of contacts turn back; and these carried on by a share of their last change. Batches
     * that have had none are left out. */
    double (*turn)(const RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count,
                   const RLTI_COUPLE_OF(rlti_couple_carried) * carried);
    void (*carry)(RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count,
                  RLTI_COUPLE_OF(rlti_couple_carried) * carried, RLTI_COUPLE_REAL share);
    /* Adds to `result` how far contacts are from their laws where points are, and what they do there. */
    void (*measure)(RLTI_COUPLE_OF(rlti_couple_lumps) * batches, int count,
                    const RLTI_COUPLE_OF(rlti_couple_row) * points, const rlti_couple_settings *settings,
                    rlti_couple_result *result);
    void (*measure_links)(const RLTI_COUPLE_OF(rlti_couple_springs) * batches, int count,
                          const RLTI_COUPLE_OF(rlti_couple_row) * points,
                          const rlti_couple_settings *settings, rlti_couple_result *result);
} RLTI_COUPLE_OF(rlti_couple_kernel);

extern const RLTI_COUPLE_OF(rlti_couple_kernel) RLTI_COUPLE_BUILD(avx512);
extern const RLTI_COUPLE_OF(rlti_couple_kernel) RLTI_COUPLE_BUILD(avx2);
extern const RLTI_COUPLE_OF(rlti_couple_kernel) RLTI_COUPLE_BUILD(portable);
