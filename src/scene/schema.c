#include "scene/schema.h"

#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "ringlet/scene.h"
#include "scene/live.h"
#include "scene/scene_data.h"

/* Each of these gives range text, least, greatest and whether the least is excluded: text and numbers come
 * from the same tokens and cannot disagree. */
#define AT_LEAST(a)   ">= " #a, (a), INFINITY, 0
#define AUTO_OR(a)    "auto or >= " #a, (a), INFINITY, 0
#define ABOVE(a)      "> " #a, (a), INFINITY, 1
#define WITHIN(a, b)  #a ".." #b, (a), (b), 0
#define ONE_OF(words) words, 0, 0, 0
#define WORDS(note)   note, 0, 0, 0

#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)0)->member)
#define SCENE(member)        RLTI_PART_SCENE, MEMBER(rlti_scene_data, member)
#define HAIR(member)         RLTI_PART_HAIR, MEMBER(rlti_hair_data, member)
#define COLLIDER(member)     RLTI_PART_COLLIDER, MEMBER(rlti_collider_data, member)
#define CONSTRAINT(member)   RLTI_PART_CONSTRAINT, MEMBER(rlti_constraint_data, member)

#define NUMBER  RLTI_TYPE_NUMBER
#define INTEGER RLTI_TYPE_INTEGER
#define SWITCH  RLTI_TYPE_SWITCH
#define CHOICE  RLTI_TYPE_CHOICE
#define TEXT    RLTI_TYPE_TEXT
#define PRESET  RLTI_TYPE_PRESET
#define VECTOR  RLTI_TYPE_VECTOR
#define RANGE   RLTI_TYPE_RANGE
#define RAMP    RLTI_TYPE_RAMP
#define NAMES   RLTI_TYPE_NAMES
#define STRANDS RLTI_TYPE_STRANDS
#define KEYS    RLTI_TYPE_KEYS
#define TRACK   RLTI_TYPE_TRACK
#define FRAMES  RLTI_TYPE_FRAMES

_Static_assert(sizeof(rlti_style) == sizeof(int), "choices are stored as int");

/* clang-format off */
static const rlti_row rows[] = {
    {"title", TEXT, "", WORDS("at most 255 bytes"), SCENE(title), "\"\"", "Short description of the scene."},
    {"gravity", VECTOR, "unit/s^2", WITHIN(-1e6, 1e6), SCENE(gravity), "[0, -981, 0]", "Acceleration of free fall; y is up."},
    {"units.metres_per_unit", NUMBER, "m", ABOVE(0), SCENE(metres_per_unit), "0.01", "Length of one scene unit; the material values are stated for units of about a centimetre."},

    {"time.fps", NUMBER, "1/s", WITHIN(1, 1000), SCENE(time.fps), "24", "Frames per second."},
    {"time.first", INTEGER, "frame", WITHIN(-1000000, 1000000), SCENE(time.first), "1", "First frame that is written."},
    {"time.last", INTEGER, "frame", WITHIN(-1000000, 1000000), SCENE(time.last), "232", "Last frame that is written."},
    {"time.preroll", INTEGER, "frame", WITHIN(0, 10000), SCENE(time.preroll), "0", "Frames simulated before the first, with the body held still, so that hair comes to rest; not written."},
    {"time.preroll_pose", CHOICE, "", ONE_OF("first | ease"), SCENE(time.preroll_pose), "first", "Motion of the body in the preroll: hold the pose of the first frame, or begin in the rest pose, in which hair was groomed, and go over to it in the first three quarters."},
    {"time.steps", CHOICE, "", ONE_OF("auto | fixed"), SCENE(time.steps), "auto", "Steps that are not given here: auto takes up to four times as many force steps as are usual (15) where stiff hair or short segments need them, and lowers damping that the steps cannot bear; a note says what it did. fixed: the usual ones, and a scene that needs more is refused. Values that are given always count. Hair of model rod and coil needs neither."},
    {"time.outer_steps", INTEGER, "", WITHIN(1, 10000), SCENE(time.outer_steps), "60", "Outer steps per frame; collisions are found once in each. Where all hair is of model rod, its hair.rod.steps count instead."},
    {"time.force_steps", INTEGER, "", WITHIN(1, 1000), SCENE(time.force_steps), "15", "Force steps per outer step; stiffer hair needs more."},
    {"time.damping_steps", INTEGER, "", WITHIN(1, 1000), SCENE(time.damping_steps), "10", "Damping steps per force step; more damping needs more."},

    {"wind.velocity", VECTOR, "unit/s", WITHIN(-1e5, 1e5), SCENE(wind.velocity), "[0, 0, 0]", "Steady wind; it moves hair through hair.drag."},
    {"wind.gust_strength", NUMBER, "", WITHIN(0, 10), SCENE(wind.gust_strength), "0", "How far gusts raise and lower the steady wind, relative to it."},
    {"wind.gust_period", NUMBER, "s", ABOVE(0), SCENE(wind.gust_period), "2", "Time from one gust to the next."},
    {"wind.turbulence", NUMBER, "unit/s", WITHIN(0, 1e5), SCENE(wind.turbulence), "0", "Root-mean-square speed of the turbulent part."},
    {"wind.turbulence_length", NUMBER, "unit", ABOVE(0), SCENE(wind.turbulence_length), "20", "Size of the largest eddies."},
    {"wind.strength", TRACK, "", WITHIN(0, 100), SCENE(wind.strength), "1", "Factor on all of the wind over the frames: [[1, 1], [48, 1], [60, 0]] blows for two seconds and stops."},
    {"wind.seed", INTEGER, "", WITHIN(0, 2147483647), SCENE(wind.seed), "1", "Another seed gives another wind of the same kind."},

    {"files.metres_per_unit", NUMBER, "m", AT_LEAST(0), SCENE(files.metres_per_unit), "0", "Length of one unit in files that do not state it (Alembic, .hair, .tfx, .obj); 0: the same as the scene's. Where a file states its own, that counts."},
    {"files.up", CHOICE, "", ONE_OF("Y | Z"), SCENE(files.up), "Y", "The axis that points up in files that do not state it; in the scene it is y."},
    {"files.variants", TEXT, "", WORDS("at most 511 bytes"), SCENE(files.variants), "\"\"", "Variants to take from USD files in place of those they choose: set=name, several with commas between (look=wet,size=long). Every prim with such a set takes it."},
    {"files.time_offset", NUMBER, "s", WITHIN(-1e6, 1e6), SCENE(files.time_offset), "0", "Seconds in a file = frame / time.fps + this; so frame 24 of a scene at 24 frames/s is second 1, and USD's time code 24 where the file has 24 a second."},

    {"character.kind", CHOICE, "", ONE_OF("none | head | horse | file | ball"), SCENE(character.kind), "head", "The character: a generated head with neck and shoulders, a generated horse, a mesh from a file, a ball of the head's size, or nobody."},
    {"character.file", TEXT, "", WORDS("at most 511 bytes"), SCENE(character.file), "\"\"", "The body's file (.usda .usdc .usdz .abc .obj), relative to the scene's file; it moves as the file says."},
    {"character.prim", TEXT, "", WORDS("at most 511 bytes"), SCENE(character.prim), "\"\"", "The body's mesh in the file: its path, that of a prim above it, or a pattern with * and ? (/hero/geo/body, */body); empty: the only mesh."},
    {"character.subdivide", INTEGER, "", WITHIN(0, 4), SCENE(character.subdivide), "0", "How often the cage of a subdivision surface is smoothed; 0 takes the cage as it is."},
    {"character.keys", KEYS, "", WORDS("at most 256 keys"), SCENE(character.keys), "[]", "Moves a body from a file, or the roots of hair without a body: a list of [frame, x, y, z, rx, ry, rz], units and degrees, smooth in between; comes after what the file says."},
    {"character.root_frames", CHOICE, "", ONE_OF("auto | best-fit | cross"), SCENE(character.root_frames), "auto", "How hair roots turn where skin deforms: by the rotation that fits the skin around them best, or by cross products of the edges of their triangle; auto: best-fit for a body from a file, cross for generated ones."},
    {"character.jump", NUMBER, "unit", AT_LEAST(0), SCENE(character.jump), "0", "A character that moves further than this from one frame to the next, all of it, jumps: hair goes along in one piece, with its shape and its speed; 0: it never does."},
    {"character.cuts", FRAMES, "", WITHIN(-1000000, 1000000), SCENE(character.cuts), "[]", "Frames that are the first after a cut, as in [48, 96]: the character has jumped there from the frame before, however far, and hair goes along in one piece."},
    {"character.resolution", INTEGER, "", WITHIN(8, 512), SCENE(character.resolution), "48", "Fineness of the mesh; 48 gives about 6,000 triangles for the head, 18,000 for the horse."},
    {"character.strap", NUMBER, "unit", WITHIN(0, 10), SCENE(character.strap), "0", "A strap from the left shoulder to the right side of the generated head's bust, part of its mesh, at this height over the skin; 0: none."},
    {"character.position", VECTOR, "unit", WITHIN(-1e9, 1e9), SCENE(character.position), "[0, 0, 0]", "The middle of the head; of the horse, the ground below its middle."},
    {"character.scale", NUMBER, "", WITHIN(0.01, 100), SCENE(character.scale), "1", "Size; 1 is an adult head, about 23 units high, or a horse of 160 units at the withers."},

    {"motion.kind", CHOICE, "", ONE_OF("still | walk | calisthenics | stop | spin | flip | sidestep | shake | walk-shake | keys"), SCENE(motion.kind), "still", "Motion of the character; flip and walk-shake are for the head only, sidestep for the horse. shake: to and fro and around, twice a second, for two seconds. walk-shake: walks, shakes its head from 1.5 to 3 seconds and stops at 3.5 seconds. keys: as motion.keys or motion.file say."},
    {"motion.keys", KEYS, "", WORDS("at most 256 keys"), SCENE(motion.keys), "[]", "Motion of your own for a generated character, with kind keys: a list of [frame, x, y, z, rx, ry, rz], smooth in between. x, y, z shift the whole, in units; rx bows forward, ry turns to the character's left, rz tilts to its right, in degrees, about motion.pivot."},
    {"motion.file", TEXT, "", WORDS("at most 511 bytes"), SCENE(motion.file), "\"\"", "The same keys from a text file (.csv, .chan), with kind keys, up to a million, relative to the scene's file: a line for each key, frame, x, y, z, rx, ry, rz, with commas or blanks between. A first line may name the columns."},
    {"motion.pivot", CHOICE, "", ONE_OF("neck | torso"), SCENE(motion.pivot), "neck", "What the angles of motion.keys and motion.file turn: the head on its neck, two fifths of them below the neck and the rest below the head; or the whole character about its torso's joint."},
    {"motion.amount", NUMBER, "", WITHIN(0, 10), SCENE(motion.amount), "1", "Amplitude of the movements of walk, calisthenics, flip, sidestep, shake and walk-shake; 1 is natural."},
    {"motion.speed", NUMBER, "unit/s", WITHIN(-10000, 10000), SCENE(motion.speed), "0", "Forward speed of walk and walk-shake; 0 walks on the spot. The horse's hooves stand still on the ground at 104."},
    {"motion.stop_g", NUMBER, "9.81 m/s^2", WITHIN(0.01, 1000), SCENE(motion.stop_g), "10", "Deceleration of the stop."},
    {"motion.spin", NUMBER, "1/s", WITHIN(-20, 20), SCENE(motion.spin), "0.5", "Turns per second of the spin."},
    {"motion.start", NUMBER, "s", WITHIN(-10000, 10000), SCENE(motion.start), "0", "Stillness before the motion begins; below 0 it began that long before the first frame, and the preroll shows it."},

    {"motion.brows", TRACK, "unit", WITHIN(-3, 3), SCENE(motion.brows), "0", "How far the head's brows are raised over the frames; forehead and front of the scalp are drawn along."},

    {"hair.name", TEXT, "", WORDS("at most 63 bytes"), HAIR(name), "hair", "Name of this hair in the written files."},
    {"hair.preset", PRESET, "", WORDS("name of a preset"), HAIR(preset), "\"\"", "Values to start from; the section's own keys come after it, wherever they stand."},
    {"hair.role", CHOICE, "", ONE_OF("hair | shape"), HAIR(role), "hair", "hair is simulated; a shape is not: other hair changes to it (hair.reshape.groom)."},
    {"hair.region", TEXT, "", WORDS("at most 63 bytes"), HAIR(region), "scalp", "Region of the character's mesh the hair grows on; none: a row of roots that hang on the head bone."},
    {"hair.style", CHOICE, "", ONE_OF("straight | wavy | helix | coil"), HAIR(style), "helix", "Shape of the strands at rest; helix and coil are the same."},
    {"hair.count", INTEGER, "", WITHIN(0, 10000000), HAIR(count), "0", "Number of strands; 0: from density."},
    {"hair.density", NUMBER, "1/unit^2", WITHIN(0, 1000000), HAIR(density), "0", "Strands per square unit of the region, used when count is 0."},
    {"hair.total_points", INTEGER, "", WITHIN(0, 100000000), HAIR(total_points), "0", "Exact number of points of all strands together; 0: from length and segment."},
    {"hair.length", NUMBER, "unit", ABOVE(0), HAIR(length), "40", "Length along the strand, curls unrolled."},
    {"hair.length_variation", NUMBER, "", WITHIN(0, 0.9), HAIR(length_variation), "0.1", "Relative difference of length between strands, up to plus or minus this."},
    {"hair.segment", NUMBER, "unit", ABOVE(0), HAIR(segment), "1", "Rest distance between points aimed at; not used with points_per_turn or total_points."},
    {"hair.radius", NUMBER, "unit", AT_LEAST(0), HAIR(radius), "1.2", "Radius of the curl."},
    {"hair.pitch", NUMBER, "unit", ABOVE(0), HAIR(pitch), "4.5", "Advance along the curl's axis in one turn."},
    {"hair.points_per_turn", NUMBER, "", WITHIN(0, 1000), HAIR(points_per_turn), "0", "Points on one turn of the curl; 0: from segment."},
    {"hair.taper", NUMBER, "", WITHIN(0, 1), HAIR(taper), "0.2", "How much of the curl's radius is lost from root to tip."},
    {"hair.straight_root", NUMBER, "", WITHIN(0, 1), HAIR(straight_root), "0.1", "Fraction of the length over which the curl fades in from the root."},
    {"hair.variation", NUMBER, "", WITHIN(0, 1), HAIR(variation), "0.15", "Difference of radius, pitch and phase between strands."},
    {"hair.fall", NUMBER, "", WITHIN(0, 1), HAIR(fall), "0.7", "How far strands turn from straight out of the skin (0) to straight down (1)."},
    {"hair.comb", NUMBER, "", WITHIN(0, 1), HAIR(comb), "0", "How far strands follow the direction in which the character's coat is combed (1) instead of straight out of the skin (0), before they fall. On the head: away from a parting a little left of the middle, and back from the face."},
    {"hair.wander", NUMBER, "", WITHIN(0, 1), HAIR(wander), "0", "How far the middle lines of strands stray to all sides, each in its own way and about once along its length; 0: they do not. Tight coils without it stand like spikes."},
    {"hair.tie.style", CHOICE, "", ONE_OF("none | ponytail | bun"), HAIR(tie.style), "none", "Generated hair is gathered at hair.tie.position and held there: what is left of it hangs as a ponytail, or is wound to a bun."},
    {"hair.tie.position", VECTOR, "unit", WITHIN(-1e6, 1e6), HAIR(tie.position), "[0, 7, -11.5]", "Middle of the tie, in the rest pose, just off the skin. The default is the back of the head, above the middle; [0, 13.5, -6] is a topknot's, [0, -6, -12] is low at the nape."},
    {"hair.tie.radius", NUMBER, "unit", WITHIN(0.1, 100), HAIR(tie.radius), "1.1", "Radius of the tie: how tight hair is gathered."},
    {"hair.tie.size", NUMBER, "unit", WITHIN(0.2, 100), HAIR(tie.size), "3.4", "Radius of the bun."},
    {"hair.tie.share", NUMBER, "", WITHIN(0, 1), HAIR(tie.share), "1", "Share of the strands that are tied: those that grow highest on the head; the others fall as they would. 0.5 is hair worn half up."},
    {"hair.direction", VECTOR, "", WITHIN(-1e9, 1e9), HAIR(direction), "[0, -1, 0]", "Direction of growth for region none."},
    {"hair.spacing", NUMBER, "unit", AT_LEAST(0), HAIR(spacing), "2", "Distance between roots for region none."},
    {"hair.seed", INTEGER, "", WITHIN(0, 2147483647), HAIR(seed), "1", "Another seed gives another groom of the same kind."},
    {"hair.strands", STRANDS, "unit", WITHIN(-1e9, 1e9), HAIR(strands), "[]", "Strands given point by point, root first: a list of lists of [x, y, z]; they replace the generated ones."},
    {"hair.file", TEXT, "", WORDS("at most 511 bytes"), HAIR(file), "\"\"", "A groom's file (.usda .usdc .usdz .abc .hair .tfx), relative to the scene's file: its curves replace generated strands, point by point."},
    {"hair.prim", TEXT, "", WORDS("at most 511 bytes"), HAIR(prim), "\"\"", "The curves in the file: the path of a prim, which means all below it too, or a pattern with * and ? (/groom/*, */scalp_hair); empty: all curves."},
    {"hair.guides", CHOICE, "", ONE_OF("auto | all | guides | hairs"), HAIR(guides), "auto", "Which curves of the file: those marked as guides (purpose guide, groom_guide), those not marked, or all; auto: the guides where some are marked, else all."},
    {"hair.group", INTEGER, "", WITHIN(-1, 2147483647), HAIR(group), "-1", "Only curves of this group (groom_group_id) of the file; -1: all."},
    {"hair.rest", CHOICE, "", ONE_OF("file | points"), HAIR(rest), "file", "Rest shape: the file's rest attribute (rest, pref, Pref) where it has one, or always the curves' points."},
    {"hair.resample", INTEGER, "", WITHIN(0, 10000), HAIR(resample), "0", "Points of each strand, spread evenly along the curve; 0: the curve's own points. At least 3."},
    {"hair.resample_segment", NUMBER, "unit", AT_LEAST(0), HAIR(resample_segment), "0", "Distance between points aimed at, where resample is 0; 0: the curve's own points."},
    {"hair.cut", NUMBER, "unit", AT_LEAST(0), HAIR(cut), "0", "Strands of a groom from a file that are longer than this are cut to it, all others stay: their points move up along their own curve, so that their number and painted maps stay, too. 0: none is cut. Not for curves that move in the file."},
    {"hair.segment_floor", NUMBER, "", WITHIN(0, 10), HAIR(segment_floor), "0.2", "Segments of a groom from a file that are shorter than this share of its median segment count as that long for stiffness and mass; the shortest decide how many steps a run needs."},
    {"hair.bind", CHOICE, "", ONE_OF("auto | uv | closest | none"), HAIR(bind), "auto", "How roots from a file are bound to the body: by their root uv, by the closest point, or not at all; auto: by uv where groom and body have one that fits, else by the closest point."},
    {"hair.bind_limit", NUMBER, "unit", AT_LEAST(0), HAIR(bind_limit), "1", "Roots further from the body than this are counted and reported."},
    {"hair.model", TEXT, "", WORDS("at most 63 bytes"), HAIR(model), "taz", "The strand model: taz, explicit springs with smoothed bending frames and core springs; rod, an implicit elastic rod with the stiffness of real hair (hair.rod); coil, the same material as points alone, for tight curls (hair.rod, hair.coil)."},
    {"hair.formulation", CHOICE, "", ONE_OF("variational | paper"), HAIR(formulation), "variational", "Forces as true gradients of the energy, or as printed in the paper."},
    {"hair.mass", RAMP, "mass", ABOVE(0), HAIR(mass), "1", "Mass of a point of a strand with 1-unit segments; of model rod, with the default radius and density, and its stiffness follows."},
    {"hair.width", NUMBER, "unit", ABOVE(0), HAIR(width), "0.05", "Drawn diameter where a file gives none, written to files; no effect on the motion."},
    {"hair.drag", RAMP, "1/s", AT_LEAST(0), HAIR(drag), "0.5", "Air drag: acceleration towards the wind's velocity, per difference of velocity."},

    {"hair.stretch.stiffness", RAMP, "mass/s^2", AT_LEAST(0), HAIR(stretch_stiffness), "[[0, 1e7], [1, 5e6]]", "Resistance to stretching along the strand (k_s)."},
    {"hair.stretch.damping", RAMP, "mass/s", AT_LEAST(0), HAIR(stretch_damping), "[[0, 4743], [1, 4472]]", "Damping of stretching (c_s); 2 sqrt(k m) is critical."},
    {"hair.stretch.limit", NUMBER, "", AT_LEAST(0), HAIR(stretch_limit), "1.1", "Longest edge allowed, as a multiple of its rest length; 0: no limit."},
    {"hair.stretch.velocity_limit", NUMBER, "unit/s", AT_LEAST(0), HAIR(velocity_limit), "2000", "Maximum difference of speed across an edge of 1 unit; 0: no limit."},

    {"hair.bend.smoothing", NUMBER, "unit", AT_LEAST(0), HAIR(bend_smoothing), "10", "Length over which the curve that carries the bending frames is smoothed (alpha_b)."},
    {"hair.bend.stiffness", RAMP, "mass/s^2", AT_LEAST(0), HAIR(bend_stiffness), "[[0, 7.2e4], [1, 100]]", "Resistance to bending and twisting out of the rest shape (k_b)."},
    {"hair.bend.damping", RAMP, "mass/s", AT_LEAST(0), HAIR(bend_damping), "[[0, 2495], [1, 40]]", "Damping of bending (c_b)."},

    {"hair.core.smoothing", NUMBER, "unit", AT_LEAST(0), HAIR(core_smoothing), "3", "Length over which the curve through the middle of the curl is smoothed (alpha_c)."},
    {"hair.core.stiffness", RAMP, "mass/s^2", AT_LEAST(0), HAIR(core_stiffness), "1.5e4", "Resistance of the curl to being pulled long, at rest (k_c); 0 here and in stiffness_max turns it off."},
    {"hair.core.stiffness_max", RAMP, "mass/s^2", AT_LEAST(0), HAIR(core_stiffness_max), "6e5", "The same when the curl is pulled to the end of core.blend; below stretch.stiffness."},
    {"hair.core.damping", RAMP, "mass/s", AT_LEAST(0), HAIR(core_damping), "100", "Damping of the curl's length at rest (c_c)."},
    {"hair.core.damping_max", RAMP, "mass/s", AT_LEAST(0), HAIR(core_damping_max), "1e4", "The same at the end of core.blend."},
    {"hair.core.blend", RANGE, "", AT_LEAST(1), HAIR(core_blend), "[1, 1.2]", "Length of the curl, as a multiple of its rest length, at which the rise to the maxima begins and ends."},

    {"hair.rod.radius", RAMP, "um", ABOVE(0), HAIR(rod.radius), "40", "Radius of one hair in micrometres; where it is elliptical, of a circle of the same area."},
    {"hair.rod.eccentricity", NUMBER, "", WITHIN(0, 0.99), HAIR(rod.eccentricity), "0", "Eccentricity e of the hair's section: its thin diameter is sqrt(1 - e^2) times the thick one; 0: round. The thin side bends in the plane of the root's curvature, or where the strand is straight in any."},
    {"hair.rod.young", RAMP, "Pa", ABOVE(0), HAIR(rod.young), "4e9", "Young's modulus: resistance to stretching and bending; real hair 3e9 to 5e9."},
    {"hair.rod.shear", RAMP, "Pa", ABOVE(0), HAIR(rod.shear), "1.5e9", "Shear modulus: resistance to twisting; real hair 1e9 to 1.5e9."},
    {"hair.rod.density", NUMBER, "kg/m^3", WITHIN(1, 30000), HAIR(rod.density), "1320", "Density of hair."},
    {"hair.rod.hairs", NUMBER, "", WITHIN(1, 1e9), HAIR(rod.hairs), "1", "Hairs that a strand stands for, side by side: mass and stiffness grow alike, so only contacts with other hair notice."},
    {"hair.rod.wet", NUMBER, "", WITHIN(0, 1), HAIR(rod.wet), "0", "How wet hair is: 1 is soaked, not dripping, and 1.32 times as heavy, with 0.71 of the stiffness against bending and 0.34 of that against twisting; the groom's shape stays."},
    {"hair.rod.damping", RAMP, "s", WITHIN(0, 100), HAIR(rod.damping), "0.01", "Inner damping of stretching, bending and twisting, as a multiple of each stiffness; 0: only the steps damp."},
    {"hair.rod.steps", INTEGER, "", WITHIN(1, 1000), HAIR(rod.steps), "4", "Implicit steps per frame, at least; in a scene with other models one for each outer step. Fewer damp more and see bodies more seldom, but stay stable."},
    {"hair.rod.iterations", INTEGER, "", WITHIN(1, 1000), HAIR(rod.iterations), "100", "Maximum of Newton iterations in a step; strands that need more are reported."},
    {"hair.rod.tolerance", NUMBER, "", WITHIN(0, 1), HAIR(rod.tolerance), "1e-3", "Newton ends where no point of the strand moved further in its last iteration, as a share of a segment; 0: always all iterations, and for model coil without a line search."},
    {"hair.rod.integration", CHOICE, "", ONE_OF("euler | midpoint"), HAIR(rod.integration), "euler", "Implicit Euler, which damps with the length of the step, or implicit midpoint, which keeps energy in steps of up to 1/240 s."},
    {"hair.rod.gradient", CHOICE, "", ONE_OF("exact | printed"), HAIR(rod.gradient), "exact", "Forces as the exact gradient of the energy, or in the approximate form of the paper."},
    {"hair.rod.root", CHOICE, "", ONE_OF("held | free"), HAIR(rod.root), "held", "Roots are held by the skin, or nothing holds them: hair that is cut and falls."},

    {"hair.coil.stretch", RAMP, "", WITHIN(1e-9, 1e9), HAIR(coil.stretch), "1", "Stiffness against stretching, as a multiple of what hair.rod makes of one hair."},
    {"hair.coil.bend", RAMP, "", WITHIN(0, 1e9), HAIR(coil.bend), "1", "Stiffness against bending, as a multiple of one hair's: hairs of a wisp that cling to each other bend as one thicker hair."},
    {"hair.coil.torsion", RAMP, "", WITHIN(0, 1e9), HAIR(coil.torsion), "1", "Stiffness against torsion, as a multiple of one hair's."},
    {"hair.coil.matrix", CHOICE, "", ONE_OF("filtered | stretch | gauss-newton | unfiltered"), HAIR(coil.matrix), "filtered", "Second derivatives in Newton's matrix: all with their negative eigenvalues left out, those of stretch only, none, or all as they are. For comparisons; results are the same where Newton converges."},

    {"hair.sag.mode", CHOICE, "", ONE_OF("off | preload | solve | auto"), HAIR(sag.mode), "auto", "How the groom is kept from sagging under its weight: auto, solve for a groom from a file and off for hair that grows here; not at all, by lifted rest targets (approximate), or by rest targets and lengths in equilibrium, stiffened where that would not be stable."},
    {"hair.sag.amount", NUMBER, "", WITHIN(0, 10), HAIR(sag.amount), "1", "How much of the weight a preload lifts (c); 1: all of it."},
    {"hair.sag.mass", CHOICE, "", ONE_OF("summed | point"), HAIR(sag.mass), "summed", "Mass that a preload lifts at each point: that from there to the tip, or the point's own only."},
    {"hair.sag.limit", NUMBER, "", WITHIN(1.01, 100), HAIR(sag.limit), "1.2", "Maximum length of a rest target of the solve, as a multiple of its edge; beyond it bending is made stiffer."},
    {"hair.sag.stiffen", NUMBER, "", WITHIN(1, 1e6), HAIR(sag.stiffen), "1000", "Maximum factor by which the solve may stiffen bending; 1: never."},
    {"hair.sag.check", SWITCH, "", ONE_OF("off | on"), HAIR(sag.check), "on", "Whether the solve checks the stability of each strand; takes milliseconds for each. Where it cannot (formulation paper, more than 400 edges), it kicks the worst 16 strands of the section and sees whether they come back."},

    {"hair.reshape.curves", CHOICE, "", ONE_OF("off | posed | rest"), HAIR(reshape.curves), "off", "The rest shape is that of the groom file's curves as they move there: posed, they move along with the body; rest, they change in the rest pose."},
    {"hair.reshape.scale", SWITCH, "", ONE_OF("off | on"), HAIR(reshape.scale), "off", "Whether rest lengths follow the size of the character: the square root of the area of the skin that this hair grows on, against that in the rest pose."},
    {"hair.reshape.groom", TEXT, "", WORDS("at most 63 bytes"), HAIR(reshape.groom), "\"\"", "Name of a hair section of role shape with as many strands: the rest shape is blended with its."},
    {"hair.reshape.blend", TRACK, "", WITHIN(0, 1), HAIR(reshape.blend), "0", "How far over the frames: 0 is this groom, 1 the other."},

    {"hair.collide.enabled", SWITCH, "", ONE_OF("off | on"), HAIR(collide), "on", "Whether this hair collides with bodies."},
    {"hair.collide.thickness", NUMBER, "unit", AT_LEAST(0), HAIR(thickness), "0.3", "Distance hair keeps from surfaces."},
    {"hair.collide.stiffness", NUMBER, "1/s^2", AT_LEAST(0), HAIR(collide_stiffness), "1e6", "Push out of a surface: acceleration per depth."},
    {"hair.collide.damping", NUMBER, "1/s", AT_LEAST(0), HAIR(collide_damping), "2000", "Damping of the push."},
    {"hair.collide.friction", NUMBER, "", WITHIN(0, 10), HAIR(friction), "0.3", "Coulomb friction coefficient against bodies."},
    {"hair.collide.inside", CHOICE, "", ONE_OF("leave | push"), HAIR(inside), "leave", "Points groomed inside a collider: leave them at their groomed depth, or push them out gently."},
    {"hair.collide.groups", NAMES, "", WORDS("at most 16 names"), HAIR(groups), "[]", "Groups of colliders this hair meets; empty: all of them."},
    {"hair.collide.except", NAMES, "", WORDS("at most 16 names"), HAIR(except), "[]", "Names of colliders this hair does not meet."},

    {"hair.contact.enabled", SWITCH, "", ONE_OF("off | on"), HAIR(contact), "on", "Whether this hair touches other hair."},
    {"hair.contact.group", TEXT, "", WORDS("at most 63 bytes"), HAIR(contact_group), "all", "Hair touches only hair of the same group."},
    {"hair.contact.radius", RAMP, "unit", AT_LEAST(0), HAIR(contact_radius), "[[0, 0.2], [0.3, 0.8], [1, 0.8]]", "Radius of the volume a point of this guide stands for (r_i); 0: no contacts there."},
    {"hair.contact.method", CHOICE, "", ONE_OF("springs | solve"), HAIR(contact_method), "springs", "How rods meet rods: by springs on pruned points, or solved together with their elasticity and with exact friction (docs/guide/contacts.md)."},
    {"hair.contact.stiffness", NUMBER, "mass/s^2", AT_LEAST(0), HAIR(contact_stiffness), "4000", "Push between two hairs that touch, per depth."},
    {"hair.contact.damping", NUMBER, "mass/s", AT_LEAST(0), HAIR(contact_damping), "40", "Damping of their approach and of their parting."},
    {"hair.contact.ramp", NUMBER, "s", AT_LEAST(0), HAIR(contact_ramp), "0.01", "Time over which the push of a new contact rises; damping acts at once."},
    {"hair.contact.break", NUMBER, "", AT_LEAST(1), HAIR(contact_break), "1.2", "Distance at which a contact breaks, as a multiple of the distance at which it began; up to it first the pull, then the damping fades."},
    {"hair.contact.cling", NUMBER, "", WITHIN(0, 1), HAIR(contact_cling), "0.2", "Pull of a contact that is coming apart, as a share of the push; 0: hair parts freely."},
    {"hair.contact.friction", NUMBER, "", WITHIN(0, 10), HAIR(contact_friction), "0.3", "Coulomb friction coefficient between hairs; 0: they slide freely."},
    {"hair.contact.static_friction", NUMBER, "", AUTO_OR(0), HAIR(contact_static_friction), "auto", "Coulomb friction coefficient between hairs that do not slide yet, at least contact.friction; auto: the same. Contacts that are solved (contact.method)."},
    {"hair.contact.charge", NUMBER, "mass unit/s^2", AT_LEAST(0), HAIR(contact_charge), "0", "Static charge: maximum repulsion between two points."},
    {"hair.contact.charge_range", NUMBER, "", AT_LEAST(1), HAIR(contact_charge_range), "2", "Where the repulsion ends, as a multiple of the touching distance."},
    {"hair.contact.groom", CHOICE, "", ONE_OF("keep | push"), HAIR(contact_groom), "keep", "Volumes that overlap in the groom: keep their groomed distance, or push each other apart."},

    {"hair.link.count", INTEGER, "", WITHIN(0, 64), HAIR(link.count), "0", "Links of a point with other hair, at most: springs between points that are near each other in the groom, which hold a lock together; 0: none. They are solved with contacts (hair.contact.method: solve)."},
    {"hair.link.reach", NUMBER, "unit", ABOVE(0), HAIR(link.reach), "2", "Points of two hairs of one contact group are linked where they are nearer than this in the groom, nearest first."},
    {"hair.link.self", NUMBER, "unit", AT_LEAST(0), HAIR(link.self), "0", "Points of one hair are linked, too, where the hair between them is longer than this; 0: never."},
    {"hair.link.stretch_stiffness", RAMP, "1/s^2", WITHIN(0, 1e12), HAIR(link.stretch_stiffness), "4000", "Pull of a link that is longer than in the groom: acceleration per distance. Any value is stable, and means the same for any steps and points. 0: hair parts freely there."},
    {"hair.link.stretch_damping", NUMBER, "s", WITHIN(0, 1000), HAIR(link.stretch_damping), "0.1", "Damping of the pull, as a multiple of its stiffness."},
    {"hair.link.compress_stiffness", RAMP, "1/s^2", WITHIN(0, 1e12), HAIR(link.compress_stiffness), "4000", "Push of a link that is shorter than in the groom, in the same way; 0: hair comes together freely there."},
    {"hair.link.compress_damping", NUMBER, "s", WITHIN(0, 1000), HAIR(link.compress_damping), "0.1", "Damping of the push, as a multiple of its stiffness."},
    {"hair.link.fade", NUMBER, "", AT_LEAST(0), HAIR(link.fade), "0", "Distance at which the pull is gone, as a multiple of reach; it fades from the groomed distance on, so a lock that is torn apart comes apart. 0: it does not fade."},

    {"hair.prune.particles", SWITCH, "", ONE_OF("off | on"), HAIR(prune_particles), "on", "Leave out points of a hair that lie within the volumes of their neighbours."},
    {"hair.prune.sparsity", NUMBER, "", WITHIN(0, 10), HAIR(prune_sparsity), "0.75", "Spacing of the points kept, relative to the sum of their radii (s); 1: volumes just touch."},
    {"hair.prune.pairs", SWITCH, "", ONE_OF("off | on"), HAIR(prune_pairs), "on", "Leave out pairs of hairs that are unlikely to meet; off: every hair may touch every other."},
    {"hair.prune.reach", NUMBER, "", ABOVE(0), HAIR(prune_reach), "5", "A pair is kept where the volumes, enlarged by this factor, touch in the groom (r_c)."},
    {"hair.prune.touches", INTEGER, "", WITHIN(0, 1000000), HAIR(prune_touches), "1", "How many such touches a pair needs (n_t)."},
    {"hair.prune.random", NUMBER, "", WITHIN(0, 1), HAIR(prune_random), "0.5", "Fraction of the remaining pairs left out at random; their neighbours carry the contact."},
    {"hair.prune.seed", INTEGER, "", WITHIN(0, 2147483647), HAIR(prune_seed), "1", "Another seed leaves out other pairs."},

    {"hair.fill.count", INTEGER, "", WITHIN(0, 100000000), HAIR(fill.count), "0", "Hairs in pictures, of all sections together, by the largest count that one says; 0: from per_guide."},
    {"hair.fill.per_guide", NUMBER, "", WITHIN(0, 1000000), HAIR(fill.per_guide), "50", "Hairs in pictures for each simulated strand, used when count is 0."},
    {"hair.fill.full", INTEGER, "", WITHIN(0, 1000000), HAIR(fill.full), "0", "Strands at which the hair is full: each of fewer carries as many hairs, wisps and locks more, so that no skin shows. 0: however few."},
    {"hair.fill.blend", CHOICE, "", ONE_OF("curls | points | wisps | locks"), HAIR(fill.blend), "locks", "Hairs between strands: locks, each with a curl of its own; curls wound around blended middle lines, hair by hair; points blended one by one; or wisps that follow one strand each."},
    {"hair.fill.points", INTEGER, "", WITHIN(0, 1024), HAIR(fill.points), "0", "Points of a hair of full length; 0: as many as the longest strand has."},
    {"hair.fill.neighbours", INTEGER, "", WITHIN(1, 8), HAIR(fill.neighbours), "3", "Strands that a hair is blended from."},
    {"hair.fill.spread", NUMBER, "", WITHIN(0, 100), HAIR(fill.spread), "0.8", "How far from its strand's root a hair may grow, in mean distances of strands."},
    {"hair.fill.parting", NUMBER, "degree", WITHIN(0, 180), HAIR(fill.parting), "75", "Strands that fall in directions this far apart do not blend."},
    {"hair.fill.clump", NUMBER, "", WITHIN(0, 1), HAIR(fill.clump), "0.8", "How far hairs are drawn together towards the tip: into their lock, or with curls and points to their strand. 0.3 is a smooth sheet, 1 wet."},
    {"hair.fill.clump_large", NUMBER, "", WITHIN(0, 1), HAIR(fill.clump_large), "0.2", "How far the locks of a strand are drawn to it towards the tip: clumps of a larger scale."},
    {"hair.fill.clump_small", NUMBER, "", WITHIN(0, 1), HAIR(fill.clump_small), "0.5", "How far the hairs of a lock gather in small groups within it: clumps of a smaller scale."},
    {"hair.fill.locks", INTEGER, "", WITHIN(1, 64), HAIR(fill.locks), "4", "Locks around each strand, of different sizes, with blend: locks. Fewer where a lock would have fewer than 5 hairs."},
    {"hair.fill.lock_radius", NUMBER, "unit", WITHIN(0, 1000000), HAIR(fill.lock_radius), "0", "Radius of a lock, about; 0: from the distance of locks."},
    {"hair.fill.clump_start", NUMBER, "", WITHIN(0, 1), HAIR(fill.clump_start), "0.03", "Fraction of the length at which clumps begin."},
    {"hair.fill.wisp_radius", NUMBER, "unit", WITHIN(0, 1000000), HAIR(fill.wisp_radius), "0", "Radius of a wisp; 0: half the mean distance of strands."},
    {"hair.fill.wisp_tip", NUMBER, "", WITHIN(0, 10), HAIR(fill.wisp_tip), "0.4", "Radius of a wisp or a lock at the tip, as a share."},
    {"hair.fill.phase", NUMBER, "degree", WITHIN(0, 180), HAIR(fill.phase), "70", "Locks (with blend: curls, hairs) are turned about the middle of their curl by up to this: curls of neighbours do not line up."},
    {"hair.fill.length_variation", NUMBER, "", WITHIN(0, 1), HAIR(fill.length_variation), "0.2", "Hairs are shorter by up to this share."},
    {"hair.fill.noise", NUMBER, "unit", WITHIN(0, 1000000), HAIR(fill.noise), "0.15", "Slow deviation of single hairs, full at the tip."},
    {"hair.fill.noise_length", NUMBER, "unit", WITHIN(0.000001, 1e9), HAIR(fill.noise_length), "4", "Length over which that changes."},
    {"hair.fill.frizz", NUMBER, "unit", WITHIN(0, 1000000), HAIR(fill.frizz), "0.02", "Short waves of single hairs, full at the tip."},
    {"hair.fill.frizz_length", NUMBER, "unit", WITHIN(0.000001, 1e9), HAIR(fill.frizz_length), "1.5", "Length of such a wave."},
    {"hair.fill.strays", NUMBER, "", WITHIN(0, 1), HAIR(fill.strays), "0.04", "Share of hairs that leave their lock."},
    {"hair.fill.hairline", NUMBER, "", WITHIN(0, 1), HAIR(fill.hairline), "0.7", "How far hair becomes sparse, short and thin where it ends, with blend: locks; 0: it ends at once."},
    {"hair.fill.width", NUMBER, "", WITHIN(0.001, 1000), HAIR(fill.width), "1", "Width of hairs in pictures, as a multiple of hair.width."},
    {"hair.fill.tip", NUMBER, "", WITHIN(0, 10), HAIR(fill.tip), "0.35", "Width at the tip, as a share of that at the root."},
    {"hair.fill.tip_start", NUMBER, "", WITHIN(0, 1), HAIR(fill.tip_start), "0.2", "Fraction of the length at which hairs begin to taper to that."},
    {"hair.fill.outside", SWITCH, "", ONE_OF("off | on"), HAIR(fill.outside), "on", "Whether hairs between strands are kept out of the body."},
    {"hair.fill.seed", INTEGER, "", WITHIN(0, 2147483647), HAIR(fill.seed), "1", "Another seed, other hairs of the same kind."},

    {"hair.look.eumelanin", NUMBER, "", WITHIN(0, 50), HAIR(look.eumelanin), "1", "Brown-black pigment: 0.1 is blond, 1.3 brown, 6 black."},
    {"hair.look.pheomelanin", NUMBER, "", WITHIN(0, 50), HAIR(look.pheomelanin), "0.2", "Red-yellow pigment: 1.3 with next to none of the other is red, 2 deep red."},
    {"hair.look.dye", VECTOR, "", WITHIN(0, 1), HAIR(look.dye), "[0, 0, 0]", "Colour of a mass of such hair, linear red, green, blue; unless black it takes the place of the pigments."},
    {"hair.look.roughness", NUMBER, "", WITHIN(0.01, 1), HAIR(look.roughness), "0.3", "Width of highlights along the hair."},
    {"hair.look.roughness_around", NUMBER, "", WITHIN(0.01, 1), HAIR(look.roughness_around), "0.45", "The same around it."},
    {"hair.look.tilt", NUMBER, "degree", WITHIN(-10, 10), HAIR(look.tilt), "2.5", "Tilt of the cuticle's scales, which parts the two highlights."},
    {"hair.look.variation", NUMBER, "", WITHIN(0, 1), HAIR(look.variation), "0.35", "Difference of pigment between hairs."},

    {"contacts.block", CHOICE, "", ONE_OF("lumped | whole"), SCENE(contact_block), "whole", "Contacts that are solved: how strands give way to forces while these are found: as points of their mass, which is the paper's choice, or exactly, by the whole inverses of their matrices."},
    {"contacts.newton", INTEGER, "", WITHIN(1, 100), SCENE(contact_newton), "6", "Contacts that are solved: Newton iterations of a step in which they are found and solved anew, at most. Up to 3, and of coils with hair.rod.tolerance 0 any, is a fixed count as in the Rod's paper: what it comes to is taken; beyond, steps that do not settle are halved, and hair that has passed hair is brought back."},
    {"contacts.early", INTEGER, "", WITHIN(0, 100), SCENE(contact_early), "1", "Contacts that are solved: Newton iterations of each strand by itself before these."},
    {"contacts.iterations", INTEGER, "", WITHIN(1, 10000), SCENE(contact_iterations), "20", "Contacts that are solved: sweeps over all of them for each Newton iteration, at most, twice as many where hair has free roots; of lumped masses, back-solves."},
    {"contacts.sweeps", INTEGER, "", WITHIN(1, 100), SCENE(contact_sweeps), "3", "Contacts that are solved with lumped masses: sweeps over all of them for each back-solve."},
    {"contacts.tolerance", NUMBER, "", AT_LEAST(0), SCENE(contact_tolerance), "0.001", "Contacts that are solved: how far the worst may be from the law of contact and friction when iterations end, as a share of the mean radius."},
    {"contacts.compliance", NUMBER, "", WITHIN(0, 1), SCENE(contact_compliance), "0.001", "Contacts that are solved: how far they give way, as a share of what their points would alone; sets that cannot be closed share their error."},
    {"contacts.self", SWITCH, "", ONE_OF("off | on"), SCENE(contact_self), "off", "Contacts that are solved: whether a strand meets itself, too."},
    {"contacts.margin", NUMBER, "unit", AUTO_OR(0), SCENE(contact_margin), "auto", "Pairs of points this much further apart than contact are remembered, and searched for anew only when hair has moved by half of it. Less takes less memory and more searches; no effect on the motion. auto: from the radii and distances of the two hairs' points."},

    {"colliders.name", TEXT, "", WORDS("at most 63 bytes"), COLLIDER(name), "collider", "Name in messages."},
    {"colliders.kind", CHOICE, "", ONE_OF("sphere | capsule | body | mesh"), COLLIDER(kind), "sphere", "Shape; body is the character's own mesh, mesh one from a file."},
    {"colliders.enabled", SWITCH, "", ONE_OF("off | on"), COLLIDER(enabled), "on", "Whether it is there at all."},
    {"colliders.group", TEXT, "", WORDS("at most 63 bytes"), COLLIDER(group), "all", "The group hair.collide.groups speaks of."},
    {"colliders.bone", CHOICE, "", ONE_OF(RLTI_BONES), COLLIDER(bone), "none", "The bone a sphere, a capsule or a mesh from a file moves with; none: fixed in the world. The head has torso, neck and head, the horse all."},
    {"colliders.position", VECTOR, "unit", WITHIN(-1e9, 1e9), COLLIDER(position), "[0, 0, 0]", "Centre of a sphere, start of a capsule, in the rest pose."},
    {"colliders.end", VECTOR, "unit", WITHIN(-1e9, 1e9), COLLIDER(end), "[0, 0, 0]", "End of a capsule, in the rest pose."},
    {"colliders.radius", NUMBER, "unit", AT_LEAST(0), COLLIDER(radius), "0", "Radius of a sphere or capsule."},
    {"colliders.file", TEXT, "", WORDS("at most 511 bytes"), COLLIDER(file), "\"\"", "File of a mesh (.usda .usdc .usdz .abc .obj), relative to the scene's file; in the name of OBJ files a run of # stands for the frame number of a sequence: body.####.obj."},
    {"colliders.prim", TEXT, "", WORDS("at most 511 bytes"), COLLIDER(prim), "\"\"", "The mesh in the file: its path, that of a prim above it, or a pattern; empty: the only mesh."},
    {"colliders.subdivide", INTEGER, "", WITHIN(0, 4), COLLIDER(subdivide), "0", "How often the cage of a subdivision surface is smoothed."},
    {"colliders.sides", CHOICE, "", ONE_OF("auto | one | two"), COLLIDER(sides), "auto", "Sides of a mesh hair may be on: one, outside; two, as for cloth; auto: one for closed parts, two for open ones."},

    {"constraints.name", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(name), "constraint", "Name in messages."},
    {"constraints.kind", CHOICE, "", ONE_OF("centroid | scalp | pin | attach | tips | bound | blend | pose | freeze | field"), CONSTRAINT(kind), "centroid", "Law by which points are held. centroid: each keeps its groomed distance from the middle of all chosen points, which moves with them. scalp: from the nearest point of the scalp. pin: its groomed place, carried by the root, or the file's moving curves. attach: its place on a collider. tips: chosen points that touch in the groom stay together. bound: the distance between the first and the last chosen point of each strand. blend: simulation and animation mixed, by ramp times weight: 1 is the animation, 0 the simulation. pose: its place in a pose, reached at a frame with the smallest force. freeze: the place it has, relative to the root, when the weight rises above 0. field: it is pushed away where it comes nearer to a collider than range."},
    {"constraints.enabled", SWITCH, "", ONE_OF("off | on"), CONSTRAINT(enabled), "on", "Whether it is there at all."},
    {"constraints.hair", NAMES, "", WORDS("at most 16 names"), CONSTRAINT(hair), "[]", "Hair sections whose points are chosen; empty: all."},
    {"constraints.region", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(region), "\"\"", "Only strands that grow on this region of the body; empty: all."},
    {"constraints.first_strand", INTEGER, "", WITHIN(0, 100000000), CONSTRAINT(first_strand), "0", "Only strands from this one on, counted from 0 in each hair section."},
    {"constraints.last_strand", INTEGER, "", WITHIN(-1, 100000000), CONSTRAINT(last_strand), "-1", "Only strands up to and with this one; -1: to the last."},
    {"constraints.along", RANGE, "", WITHIN(0, 1), CONSTRAINT(along), "[0, 1]", "Only points in this part of the strand's length, 0 at the root, 1 at the tip. The root itself is never chosen."},
    {"constraints.ramp", RAMP, "", WITHIN(0, 1), CONSTRAINT(ramp), "1", "Factor on the stiffness along the strand, or an attribute of the groom (a painted map); points where it is 0 are not chosen."},
    {"constraints.hold", CHOICE, "", ONE_OF("soft | hard"), CONSTRAINT(hard), "soft", "soft: a spring; hard: reached in every force step, whatever pulls. freeze is always hard."},
    {"constraints.stiffness", NUMBER, "1/s^2", WITHIN(0, 1e12), CONSTRAINT(stiffness), "400", "Stiffness of the spring: acceleration per distance; 400 swings in 0.3 s. Any value is stable, and means the same for any steps and points. pose: the maximum it uses, 3e4 where it is not given."},
    {"constraints.damping", NUMBER, "", WITHIN(0, 1000), CONSTRAINT(damping), "1", "Damping of the spring, as a multiple of critical damping."},
    {"constraints.weight", TRACK, "", WITHIN(0, 1), CONSTRAINT(weight), "1", "Factor on the stiffness over the frames; 0: as if it were not there."},
    {"constraints.speed", NUMBER, "unit/s", ABOVE(0), CONSTRAINT(speed), "300", "Points are drawn back at most this fast, however far they are."},
    {"constraints.scalp", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(scalp), "\"\"", "scalp: the region of the body that points keep their distance from; empty: the region scalp where the body has one, otherwise all of it."},
    {"constraints.target", CHOICE, "", ONE_OF("auto | groom | file | shape"), CONSTRAINT(target), "auto", "pin, blend, pose: the groom carried by the strand's root; the curves of the groom's file as they move there, for a pose as they are at its frame; or another groom, carried by the roots too. auto: the groom, but blend takes the file's curves where these move."},
    {"constraints.shape", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(shape), "\"\"", "target shape: name of a hair section of role shape with as many strands as each that is chosen from."},
    {"constraints.object", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(object), "\"\"", "attach, field: the name of the collider that holds the points, or that they are kept off."},
    {"constraints.range", NUMBER, "unit", ABOVE(0), CONSTRAINT(range), "2", "field: how far from the object the push begins; it grows from there. Hair that is groomed nearer may come as near as that."},
    {"constraints.part", TEXT, "", WORDS("at most 63 bytes"), CONSTRAINT(part), "\"\"", "field: only this region of the body, as face; empty: all of the object."},
    {"constraints.grip", CHOICE, "", ONE_OF("groom | inside"), CONSTRAINT(grip), "groom", "attach: points keep the place they have beside the object in the rest pose; inside: they are anywhere inside the sphere, as in a hand."},
    {"constraints.touch", NUMBER, "", ABOVE(0), CONSTRAINT(touch), "1", "tips: points of different strands nearer than this multiple of the sum of their contact radii in the groom are tied."},
    {"constraints.neighbours", INTEGER, "", WITHIN(1, 16), CONSTRAINT(neighbours), "3", "tips: maximum number of ties of one point; nearest first."},
    {"constraints.bounds", RANGE, "", WITHIN(0, 1000), CONSTRAINT(bounds), "[0, 1.1]", "bound: minimum and maximum distance, as multiples of the groomed one; from the root where one point of the strand is chosen."},
    {"constraints.frame", INTEGER, "frame", WITHIN(-1000000, 1000000), CONSTRAINT(frame), "0", "pose: when it is reached; after time.first."},
    {"constraints.lead", NUMBER, "frame", WITHIN(0.1, 100000), CONSTRAINT(lead), "12", "pose: how long before its frame it begins to act; longer needs less force."},
    {"constraints.stay", NUMBER, "frame", WITHIN(0, 100000), CONSTRAINT(stay), "0", "pose: how long it is held."},
    {"constraints.release", NUMBER, "frame", WITHIN(0, 100000), CONSTRAINT(release), "6", "pose: how long it then takes to fade out."},

    {"health.check_steps", SWITCH, "", ONE_OF("off | on"), SCENE(check_steps), "on", "Refuse time steps too long for the stiffness and damping, instead of running into jitter or divergence."},
    {"health.speed_limit", NUMBER, "unit/s", ABOVE(0), SCENE(speed_limit), "20000", "A point faster than this has diverged, and the run stops."},
    {"health.stretch_alarm", NUMBER, "", ABOVE(1), SCENE(stretch_alarm), "3", "An edge longer than this multiple of its rest length has diverged, and the run stops."},

    {"render.azimuth", NUMBER, "degree", WITHIN(-360, 360), SCENE(picture.azimuth), "25", "Direction that pictures are taken from: 0 is the front, 90 the character's left."},
    {"render.elevation", NUMBER, "degree", WITHIN(-89, 89), SCENE(picture.elevation), "6", "Height of the camera over the horizon."},
    {"render.frame", CHOICE, "", ONE_OF("all | hair"), SCENE(picture.hair_only), "all", "Extent of the picture: hair and body, or the hair."},
    {"render.margin", NUMBER, "", WITHIN(0.1, 10), SCENE(picture.margin), "1.06", "Size of the picture relative to that extent; 1 just fits, less is closer."},
    {"render.field_of_view", NUMBER, "degree", WITHIN(1, 120), SCENE(picture.field_of_view), "25", "Field of view of the camera, from top to bottom."},
    {"render.eye", VECTOR, "unit", WITHIN(-1e9, 1e9), SCENE(picture.eye), "[0, 0, 0]", "Where the camera is; the same place as target: found so that all is in the picture, from azimuth, elevation and margin."},
    {"render.target", VECTOR, "unit", WITHIN(-1e9, 1e9), SCENE(picture.target), "[0, 0, 0]", "Point that the camera is aimed at, in the middle of the picture."},
    {"render.aperture", NUMBER, "unit", WITHIN(0, 1e6), SCENE(picture.aperture), "0", "Diameter of the lens: depth of field; 0: all is sharp."},
    {"render.focus", NUMBER, "unit", WITHIN(0, 1e9), SCENE(picture.focus), "0", "Distance that is sharp; 0: the target's."},
    {"render.exposure", NUMBER, "", WITHIN(0, 1000), SCENE(picture.exposure), "1", "Factor on all light."},
    {"render.key", NUMBER, "", WITHIN(0, 100), SCENE(picture.key), "1", "Strength of the main light."},
    {"render.fill", NUMBER, "", WITHIN(0, 100), SCENE(picture.fill), "1", "Strength of the soft light from the other side."},
    {"render.rim", NUMBER, "", WITHIN(0, 100), SCENE(picture.rim), "1", "Strength of the light from behind."},
    {"render.body", SWITCH, "", ONE_OF("off | on"), SCENE(picture.body), "on", "Whether pictures show the body."},
    {"render.exact", SWITCH, "", ONE_OF("off | on"), SCENE(picture.exact), "off", "Light is followed from hair to hair by every ray, and every hair throws its own shadow, however far; off: light is found once at each point of a hair, scattered light is a mean, far hairs are a cloud of their density: much quicker, and without grain."},
    {"render.bounces", INTEGER, "", WITHIN(0, 64), SCENE(picture.bounces), "10", "Times that light may go from hair to hair, or from the body, in traced pictures; white hair is brighter with more. 0: no light of the surroundings."},
    {"render.ground", SWITCH, "", ONE_OF("off | on"), SCENE(picture.ground), "off", "Whether there is a floor below it."},
    {"render.skin", VECTOR, "", WITHIN(0, 1), SCENE(picture.skin), "[0.43, 0.31, 0.25]", "Colour of the body, linear red, green, blue."},
    {"render.background_top", VECTOR, "", WITHIN(0, 100), SCENE(picture.background_top), "[0.035, 0.042, 0.055]", "Colour behind all, at the top."},
    {"render.background_bottom", VECTOR, "", WITHIN(0, 100), SCENE(picture.background_bottom), "[0.16, 0.165, 0.175]", "The same at the bottom."},
};
/* clang-format on */

_Static_assert(sizeof rows / sizeof rows[0] <= RLTI_SCHEMA_MAX, "raise RLTI_SCHEMA_MAX");

int rlti_schema_count(void) {
    return (int)(sizeof rows / sizeof rows[0]);
}

const rlti_row *rlti_schema_row(int index) {
    return &rows[index];
}

int rlti_schema_find(const char *key) {
    for (int i = 0; i < rlti_schema_count(); i++)
        if (strcmp(rows[i].key, key) == 0)
            return i;
    return -1;
}

/* The rest of a key after "prefix.", or NULL when the key is elsewhere. */
static const char *below(const char *key, const char *prefix) {
    size_t length = strlen(prefix);
    if (length == 0)
        return key;
    return strncmp(key, prefix, length) == 0 && key[length] == '.' ? key + length + 1 : NULL;
}

int rlti_schema_child(const char *prefix, const char *name, int *is_section) {
    size_t length = strlen(name);
    if (length == 0 || strchr(name, '.') != NULL)
        return -1;
    for (int i = 0; i < rlti_schema_count(); i++) {
        const char *rest = below(rows[i].key, prefix);
        if (rest == NULL || strncmp(rest, name, length) != 0)
            continue;
        if (rest[length] == '\0' || rest[length] == '.') {
            *is_section = rest[length] == '.';
            return i;
        }
    }
    return -1;
}

#define WORD_MAX 40

static int minimum(int a, int b) {
    return a < b ? a : b;
}

/* Insertions, deletions, replacements, and swaps of neighbours that turn a into b (both at most WORD_MAX). */
static int edit_distance(const char *a, const char *b) {
    int n = (int)strlen(a), m = (int)strlen(b);
    int cost[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            int replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = minimum(replace, 1 + minimum(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = minimum(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[n][m];
}

int rlti_words_close(const char *a, const char *b, int *distance) {
    size_t length = strlen(a) > strlen(b) ? strlen(a) : strlen(b);
    if (length > WORD_MAX)
        return 0;
    *distance = edit_distance(a, b);
    return *distance * 3 <= (int)length; /* one slip in three letters */
}

int rlti_schema_suggest(const char *prefix, const char *name, char *best, size_t size) {
    int best_distance = WORD_MAX;
    for (int i = 0; i < rlti_schema_count(); i++) {
        const char *rest = below(rows[i].key, prefix);
        if (rest == NULL)
            continue;
        char word[WORD_MAX + 1];
        size_t length = strcspn(rest, ".");
        if (length > WORD_MAX || length >= size)
            continue;
        memcpy(word, rest, length);
        word[length] = '\0';
        int distance = 0;
        if (rlti_words_close(word, name, &distance) && distance < best_distance) {
            best_distance = distance;
            memcpy(best, word, length + 1);
        }
    }
    return best_distance < WORD_MAX;
}

const char *rlti_type_name(rlti_type type) {
    static const char *const names[] = {"number", "integer", "switch", "choice",  "text", "preset", "vector",
                                        "range",  "ramp",    "names",  "strands", "keys", "track",  "frames"};
    _Static_assert(sizeof names / sizeof names[0] == RLTI_TYPE_FRAMES + 1, "a name for each type");
    return names[type];
}

int rlti_choice_value(const rlti_row *row, const char *word) {
    size_t length = strlen(word);
    const char *choice = row->range;
    for (int value = 0;; value++) {
        const char *end = strstr(choice, " | ");
        size_t size = end == NULL ? strlen(choice) : (size_t)(end - choice);
        if (size == length && memcmp(choice, word, size) == 0)
            return value;
        if (end == NULL)
            return -1;
        choice = end + 3;
    }
}

/* Length of a key without its last word. */
static int group_length(const char *key) {
    const char *dot = strrchr(key, '.');
    return dot != NULL ? (int)(dot - key) : 0;
}

static rlt_live live_of(const rlti_row *row) {
    rlti_change change = rlti_row_change(row);
    return change == RLTI_CHANGE_REBUILD ? RLT_LIVE_REBUILD
           : change == RLTI_CHANGE_LOOK  ? RLT_LIVE_LOOK
                                         : RLT_LIVE_SET;
}

int rlt_schema_get(int index, rlt_schema_entry *entry) {
    if (index < 0 || index >= rlti_schema_count() || entry == NULL)
        return 0;
    const rlti_row *row = &rows[index];
    const rlt_schema_entry own = {.key = row->key,
                                  .type = rlti_type_name(row->type),
                                  .unit = row->unit,
                                  .range = row->range,
                                  .default_value = row->default_value,
                                  .help = row->help,
                                  .group_length = group_length(row->key),
                                  .minimum = row->min,
                                  .maximum = row->max,
                                  .exclusive = row->exclusive,
                                  .live = (int)live_of(row)};
    return RLTI_WRITE(rlt_schema_entry, entry, &own, NULL) == RLT_OK;
}

int rlti_row_takes_auto(const rlti_row *row) {
    return strncmp(row->range, "auto or ", strlen("auto or ")) == 0;
}
