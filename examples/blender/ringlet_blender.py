# Ringlet in Blender, from 3.4 on: hair and its moving scalp go out, simulated hair comes back. No modules but Blender's.
#
# In Blender: Edit > Preferences > Add-ons > Install, this file; then the tab Ringlet of the 3D view's sidebar (N).
# From a shell:
#     blender shot.blend --background --python ringlet_blender.py -- --object Head --save done.blend
#
# Files are plain: the groom and the scalp as .usda text, written here, so that any build of Blender will do (some have
# neither USD nor Alembic); the result as .usda, and beside it as .pc2, which Blender's Mesh Cache modifier plays by itself.
# A large scalp that deforms goes by Blender's own USD or Alembic, where the build has them: binary, and not through Python.

import argparse
import hashlib
import math
import os
import queue
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from array import array

import bpy
from mathutils import Matrix, Vector

bl_info = {
    "name": "Ringlet",
    "description": "Simulate hair with Ringlet",
    "author": "Ringlet",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Ringlet",
    "category": "Physics",
}

UNIT = 0.01  # metres in a unit of the written scenes; Ringlet's material values are made for it
RESULT = "ringlet_source"  # custom property of objects that hold results: the name of the hair they came from


class RingletError(Exception):
    """A problem that is the user's to solve, in one sentence with the remedy."""


def explain(problem):
    """The text of any exception; of one that was not foreseen also its place in this file."""
    if isinstance(problem, (RingletError, OSError)):
        return str(problem)
    places = [place for place in traceback.extract_tb(problem.__traceback__) if place.filename == __file__]
    where = "%s:%d: " % (os.path.basename(__file__), places[-1].lineno) if places else ""
    return "%s%s: %s" % (where, type(problem).__name__, " ".join(str(problem).split()))


# --- Values -----------------------------------------------------------------------------------------------------------

# Materials along the strand, of model rod: [[position, value], ...] of young (Pa), shear (Pa), damping (s).
KINDS = {
    "REAL": ("Real hair", "One human hair as it was measured", ((4e9, 4e9), (1.5e9, 1.5e9), (0.01, 0.01))),
    "STRAIGHT": ("Straight", "Straight hair that falls smoothly", ((4.6e9, 3e7), (1.7e9, 1.1e7), (0.37, 0.5))),
    "WAVY": ("Wavy", "Loose waves", ((4.9e9, 2.8e8), (1.8e9, 1e8), (0.024, 0.29))),
    "CURLS": ("Curls", "Springy curls", ((1.4e10, 8e9), (5.25e9, 3e9), (0.033, 0.38))),
    "COILS": ("Tight coils", "Wisps of small coils that cling together (model coil)", ((4e9, 4e9), (1.5e9, 1.5e9), (0.05, 0.05))),
}


EXCHANGE = (
    ("AUTO", "Automatic", "Text, which any Blender can write; a large scalp that deforms by Blender's own USD or Alembic, where this build has them"),
    ("PLAIN", "Plain", "The scalp as text, written by this add-on"),
    ("USD", "USD by Blender", "The scalp by Blender's own USD exporter"),
    ("ALEMBIC", "Alembic by Blender", "The scalp by Blender's own Alembic exporter"),
)


class RingletSettings(bpy.types.PropertyGroup):
    kind: bpy.props.EnumProperty(
        name="Kind", items=[(key, value[0], value[1]) for key, value in KINDS.items()], default="WAVY")
    stiffness: bpy.props.FloatProperty(
        name="Stiffness", default=1.0, min=0.001, max=1000.0, description="Factor on the stiffness of the kind")
    damping: bpy.props.FloatProperty(
        name="Damping", default=1.0, min=0.0, max=100.0, description="Factor on the damping of the kind; more swings less")
    hold: bpy.props.FloatProperty(
        name="Hold Style", default=0.0, min=0.0, max=1e6,
        description="Pull back to the groomed shape, in 1/s^2: 400 swings back in 0.3 s; 0: none")
    keep: bpy.props.BoolProperty(
        name="Keep Groom", default=True, description="The groom as it is stands in its own weight: nothing sags on frame one")
    drag: bpy.props.FloatProperty(
        name="Air Drag", default=1.0, min=0.0, max=1000.0, description="How strongly air and wind take hair along, in 1/s")
    wind: bpy.props.FloatVectorProperty(
        name="Wind", default=(0.0, 0.0, 0.0), size=3, subtype="VELOCITY", description="Wind in metres a second, along Blender's axes")
    volume: bpy.props.FloatProperty(
        name="Volume", default=0.002, min=0.0, max=1.0, precision=4, subtype="DISTANCE",
        description="Radius of the lock that a strand stands for: locks push each other; 0: hair passes through hair")
    distance: bpy.props.FloatProperty(
        name="Skin Distance", default=0.002, min=0.0, max=1.0, precision=4, subtype="DISTANCE",
        description="Distance that hair keeps from the scalp")
    friction: bpy.props.FloatProperty(
        name="Friction", default=0.3, min=0.0, max=10.0, description="Friction on the scalp and between hairs")
    points: bpy.props.IntProperty(
        name="Points per Hair", default=16, min=0, max=1000, description="Points that each hair is simulated with; 0: its own")
    preroll: bpy.props.IntProperty(
        name="Preroll", default=0, min=0, max=10000, description="Frames simulated before the first, with the scalp held still")
    exchange: bpy.props.EnumProperty(name="Exchange", items=EXCHANGE, default="AUTO", description="Who writes the moving scalp")
    folder: bpy.props.StringProperty(
        name="Folder", default="//ringlet", subtype="DIR_PATH", description="Where the files go; // is the folder of the .blend file")


TEN = ("kind", "stiffness", "damping", "hold", "keep", "drag", "wind", "volume", "distance", "friction")
MORE = ("points", "preroll", "exchange", "folder")


class RingletPreferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    program: bpy.props.StringProperty(
        name="Ringlet", subtype="FILE_PATH", description="The program; empty: the one that the shell would find")

    def draw(self, context):
        self.layout.prop(self, "program")


def find_program(asked=""):
    """The path of the program ringlet: as asked for, from the preferences, RINGLET, PATH, or this repository."""
    addon = bpy.context.preferences.addons.get(__name__)
    for path in (asked, addon.preferences.program if addon and addon.preferences else "", os.environ.get("RINGLET", "")):
        if path:
            path = os.path.abspath(os.path.expanduser(path))
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                raise RingletError("%s: is not a program; name the file 'ringlet' itself" % path)
            return path
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "ringlet")
    path = shutil.which("ringlet") or (here if os.access(here, os.X_OK) else None)
    if path is None:
        raise RingletError("the program 'ringlet' is not found; set its path in Edit > Preferences > Add-ons > Ringlet, "
                           "in the environment variable RINGLET, or by --ringlet")
    return os.path.abspath(path)


# --- What is simulated ------------------------------------------------------------------------------------------------


def find_scalp(thing):
    """The mesh that hair of an object grows on: itself, or what a Curves object is attached to."""
    if thing is None:
        raise RingletError("no object is active; select the scalp, or its hair")
    if thing.type == "MESH":
        return thing
    if thing.type == "CURVES":
        surface = thing.data.surface or thing.parent
        if surface is not None and surface.type == "MESH":
            return surface
        raise RingletError("%s: is attached to no mesh; set Surface in its Object Data properties" % thing.name)
    raise RingletError("%s: is neither a mesh nor hair curves; select the scalp, or its hair" % thing.name)


class Source:
    """Hair of one particle system, or of one Curves object."""

    def __init__(self, name, modifier=None, thing=None):
        self.name = name
        self.modifier = modifier
        self.thing = thing
        self.prim = ""
        self.strands = []
        self.radii = []


def find_sources(scalp, scene):
    """All hair on a scalp, in a fixed order; each with the name of a prim of its own."""
    found = []
    for modifier in scalp.modifiers:
        if modifier.type == "PARTICLE_SYSTEM" and modifier.particle_system.settings.type == "HAIR":
            found.append(Source("%s %s" % (scalp.name, modifier.particle_system.name), modifier=modifier))
    for thing in sorted(scene.objects, key=lambda o: o.name):
        if thing.type == "CURVES" and RESULT not in thing and (thing.data.surface or thing.parent) == scalp:
            found.append(Source(thing.name, thing=thing))
    if not found:
        raise RingletError("%s: has no hair; add a particle system of type Hair, or hair curves with it as their surface" % scalp.name)
    taken = set()
    for source in found:
        stem = prim = prim_name(source.name)
        number = 1
        while prim in taken:
            number += 1
            prim = "%s_%d" % (stem, number)
        taken.add(prim)
        source.prim = prim
    return found


def prim_name(name):
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return name if re.match(r"[A-Za-z_]", name) else "_" + name


def file_stem(name):
    """A name for the files of an object that no other object has: letters of all scripts stay, and what else is replaced is
    told apart by a hash. Never with '-', which comes before endings."""
    stem = re.sub(r"[^\w.]", "_", name)
    return stem if stem == name else "%s.%s" % (stem, hashlib.md5(name.encode()).hexdigest()[:8])


class Shown:
    """Shows objects and modifiers, since Blender evaluates nothing that is hidden; hides again what was."""

    def __init__(self, things, modifiers):
        self.undo = []
        for thing in things:
            if bpy.context.view_layer.objects.get(thing.name) is None:
                raise RingletError("%s: is not in the view layer; include its collection" % thing.name)
            self.undo.append((thing, thing.hide_viewport, thing.hide_get()))
            thing.hide_viewport = False
            thing.hide_set(False)
        self.modifiers = [(modifier, modifier.show_viewport) for modifier in modifiers]
        for modifier in modifiers:
            modifier.show_viewport = True

    def close(self):
        for thing, viewport, hidden in self.undo:
            thing.hide_set(hidden)
            thing.hide_viewport = viewport
        for modifier, shown in self.modifiers:
            modifier.show_viewport = shown


# --- Reading hair -----------------------------------------------------------------------------------------------------


def read_particles(source, scalp_now):
    """Strands of a particle system in the world: the keys as the artist combed them, on the scalp as it is now."""
    modifier = scalp_now.modifiers[source.modifier.name]
    system = modifier.particle_system
    place = scalp_now.matrix_world
    settings = system.settings
    # HairKey.co crashes Blender 3.4 for evaluated objects; co_object is what works.
    for particle in system.particles:
        keys = [place @ key.co_object(scalp_now, modifier, particle) for key in particle.hair_keys]
        source.strands.append(keys)
        root, tip = settings.root_radius * settings.radius_scale, settings.tip_radius * settings.radius_scale
        last = max(1, len(keys) - 1)
        source.radii.append([root + (tip - root) * i / last for i in range(len(keys))])


def read_curves(source, depsgraph):
    """Strands of a Curves object in the world: with its modifiers, unless these make other curves (children)."""
    thing = source.thing
    now = thing.evaluated_get(depsgraph)
    data = now.data
    if len(data.points) != len(thing.data.points) or len(data.curves) != len(thing.data.curves):
        data = thing.data
    count = len(data.points)
    places = array("f", bytes(12 * count))
    if count:
        data.attributes["position"].data.foreach_get("vector", places)
    radii = array("f", [0.001]) * count
    if "radius" in data.attributes and data.attributes["radius"].domain == "POINT":
        data.attributes["radius"].data.foreach_get("value", radii)
    matrix = now.matrix_world
    for curve in data.curves:
        first, length = curve.first_point_index, curve.points_length
        source.strands.append([matrix @ Vector(places[3 * i:3 * i + 3]) for i in range(first, first + length)])
        source.radii.append(list(radii[first:first + length]))


def material_of(source, scalp):
    if source.thing is not None:
        return source.thing.data.materials[0] if len(source.thing.data.materials) else None
    slot = source.modifier.particle_system.settings.material - 1
    return scalp.material_slots[slot].material if 0 <= slot < len(scalp.material_slots) else None


def catmull(a, b, c, d, t):
    return 0.5 * (2.0 * b + t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a))))


def resample(points, radii, count):
    """Spreads count points evenly along the smooth curve through points; the first and last stay where they are."""
    fine = []
    last = len(points) - 1
    for i in range(last):
        b, c = points[i], points[i + 1]
        a = points[i - 1] if i > 0 else 2.0 * b - c
        d = points[i + 2] if i + 2 <= last else 2.0 * c - b
        fine.extend((catmull(a, b, c, d, k / 8.0), radii[i] + (radii[i + 1] - radii[i]) * k / 8.0) for k in range(8))
    fine.append((points[last], radii[last]))
    along = [0.0]
    for i in range(1, len(fine)):
        along.append(along[-1] + (fine[i][0] - fine[i - 1][0]).length)
    result, thick, at = [], [], 0
    for k in range(count):
        wanted = along[-1] * k / (count - 1)
        while at < len(fine) - 2 and along[at + 1] < wanted:
            at += 1
        step = along[at + 1] - along[at]
        t = min(1.0, (wanted - along[at]) / step) if step > 0.0 else 0.0
        result.append(fine[at][0].lerp(fine[at + 1][0], t))
        thick.append(fine[at][1] + (fine[at + 1][1] - fine[at][1]) * t)
    result[0], result[-1] = points[0], points[-1]
    return result, thick


def finish_strands(source, count):
    """Leaves out strands without length; gives the others as many points as asked for. Returns how many were left out."""
    kept = []
    for points, radii in zip(source.strands, source.radii):
        length = sum((points[i] - points[i - 1]).length for i in range(1, len(points)))
        if length > 0.0 and math.isfinite(length):
            kept.append(resample(points, radii, max(3, count)) if count or len(points) < 3 else (points, radii))
    left_out = len(source.strands) - len(kept)
    source.strands = [points for points, _ in kept]
    source.radii = [radii for _, radii in kept]
    return left_out


# --- Writing files ----------------------------------------------------------------------------------------------------


def text_points(values):
    it = iter(values)
    return "[" + ", ".join(["(%.9g, %.9g, %.9g)" % triple for triple in zip(it, it, it)]) + "]"


def text_numbers(values):
    return "[" + ", ".join(["%.9g" % value for value in values]) + "]"


def text_matrix(matrix):
    """A matrix as USD has it: for row vectors, so transposed."""
    return "(" + ", ".join("(%.17g, %.17g, %.17g, %.17g)" % tuple(column) for column in matrix.transposed()) + ")"


def mesh_of(scalp, frame, depsgraph):
    """Vertices of the scalp with all its modifiers, its faces, and its place in the world."""
    now = scalp.evaluated_get(depsgraph)
    mesh = now.to_mesh()
    points = array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", points)
    counts = array("i", bytes(4 * len(mesh.polygons)))
    mesh.polygons.foreach_get("loop_total", counts)
    corners = array("i", bytes(4 * len(mesh.loops)))
    mesh.loops.foreach_get("vertex_index", corners)
    now.to_mesh_clear()
    if not counts:
        raise RingletError("%s: has no faces at frame %d, so hair has nothing to grow on" % (scalp.name, frame))
    return points, counts, corners, now.matrix_world.copy()


def write_curves(out, source):
    flat = [value for strand in source.strands for point in strand for value in point]
    out.write('        def BasisCurves "%s"\n        {\n' % source.prim)
    out.write("            int[] curveVertexCounts = [%s]\n" % ", ".join(str(len(strand)) for strand in source.strands))
    out.write("            point3f[] points = %s\n" % text_points(flat))
    out.write('            uniform token type = "linear"\n            uniform token wrap = "nonperiodic"\n')
    out.write("            float[] widths = %s (\n                interpolation = \"vertex\"\n            )\n"
              % text_numbers(2.0 * radius for radii in source.radii for radius in radii))
    out.write("        }\n")


class MeshSamples:
    """Writes time samples of points where they change, and both ends of a stretch where they do not."""

    def __init__(self, out):
        self.out = out
        self.last = None
        self.unwritten = None

    def add(self, frame, points):
        if self.last is not None and points == self.last:
            self.unwritten = frame
            return
        if self.unwritten is not None:
            self.write(self.unwritten, self.last)
            self.unwritten = None
        self.write(frame, points)
        self.last = points

    def write(self, frame, points):
        self.out.write("            %d: %s,\n" % (frame, text_points(points)))


def frames_per_second(scene):
    return scene.render.fps / scene.render.fps_base


def metres_per_unit(scene):
    """Blender's length of a unit, which it holds in single precision: 0.01, not 0.00999999978."""
    return float("%.6g" % scene.unit_settings.scale_length) if scene.unit_settings.system != "NONE" else 1.0


def write_header(out, scene, title, below=""):
    out.write('#usda 1.0\n(\n    defaultPrim = "ringlet"\n    doc = "%s"\n' % title.replace("\\", "\\\\").replace('"', '\\"'))
    out.write('    metersPerUnit = %.9g\n    upAxis = "Z"\n' % metres_per_unit(scene))
    if below:
        out.write("    subLayers = [@./%s@]\n" % below)
    out.write("    timeCodesPerSecond = %.9g\n" % frames_per_second(scene))
    out.write('    startTimeCode = %d\n    endTimeCode = %d\n)\n\ndef Xform "ringlet"\n{\n' % (scene.frame_start, scene.frame_end))


def write_scalp(out, scalp, scene):
    """Steps through the frames and writes the scalp of each. Yields after every frame."""
    places, faces, samples = [], None, MeshSamples(out)
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        points, counts, corners, matrix = mesh_of(scalp, frame, bpy.context.evaluated_depsgraph_get())
        if faces is None:
            faces = (counts, corners)
            out.write('    def Mesh "scalp"\n    {\n        int[] faceVertexCounts = %s\n' % text_numbers(counts))
            out.write('        int[] faceVertexIndices = %s\n        uniform token subdivisionScheme = "none"\n' % text_numbers(corners))
            out.write("        point3f[] points.timeSamples = {\n")
        elif faces != (counts, corners):
            raise RingletError("%s: its faces at frame %d are not those of frame %d; turn off modifiers that make other faces "
                               "over time (Decimate, Remesh, Boolean)" % (scalp.name, frame, scene.frame_start))
        samples.add(frame, points)
        places.append((frame, matrix))
        yield frame
    out.write("        }\n        matrix4d xformOp:transform.timeSamples = {\n")
    for frame, matrix in places:
        out.write("            %d: %s,\n" % (frame, text_matrix(matrix)))
    out.write('        }\n        uniform token[] xformOpOrder = ["xformOp:transform"]\n    }\n')


def ramp(ends, factor):
    first, last = ends[0] * factor, ends[1] * factor
    return "%.6g" % first if first == last else "[[0, %.6g], [1, %.6g]]" % (first, last)


def turned(vector, factor):
    """A vector of Blender, where z is up, in the scene, where y is."""
    return "[%.6g, %.6g, %.6g]" % (vector[0] * factor, vector[2] * factor, 0.0 - vector[1] * factor)


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def character_text(stem, exchange, scene):
    """The lines of the scene that name the scalp's file; Blender's own files have one mesh, below prims of its choice."""
    if exchange == "PLAIN":
        return ["character: {kind: file, file: %s, prim: /ringlet/scalp}" % quoted(stem + ".usda")]
    lines = ["character: {kind: file, file: %s}" % quoted(stem + OWN[exchange][1])]
    if exchange == "ALEMBIC":  # states no unit; is Y up
        lines.insert(0, "files: {metres_per_unit: %.9g}" % metres_per_unit(scene))
    return lines


def scene_text(stem, scalp, scene, values, exchange="PLAIN"):
    """The scene file: what was exported, and the panel's ten values."""
    young, shear, damping = KINDS[values.kind][2]
    coil = values.kind == "COILS"
    own = metres_per_unit(scene) / UNIT  # Blender's lengths in units
    gravity = scene.gravity if scene.use_gravity else (0.0, 0.0, 0.0)
    lines = [
        "title: %s" % quoted("%s from Blender" % scalp.name),
        "# ringlet simulate %s.yaml -o %s-sim.usda" % (stem, stem),
        "",
        "gravity: %s" % turned(gravity, 1.0 / UNIT),
        "time: {fps: %.9g, first: %d, last: %d, preroll: %d}" % (frames_per_second(scene), scene.frame_start, scene.frame_end, values.preroll),
        "wind: {velocity: %s}" % turned(values.wind, own),
        "",
        *character_text(stem, exchange, scene),
        "",
        "hair:",
        "  file: %s" % quoted(stem + ".usda"),
        "  prim: /ringlet/hair",
        "  bind: closest        # roots are on the skin of the first frame",
        "  model: %s" % ("coil" if coil else "rod"),
        "  rod:",
        "    young: %s     # Pa" % ramp(young, 1.0 if coil else values.stiffness),
        "    shear: %s" % ramp(shear, 1.0 if coil else values.stiffness),
        "    damping: %s   # s" % ramp(damping, values.damping),
    ]
    if coil:
        lines.append("  coil: {bend: %.6g, torsion: %.6g}" % (30.0 * values.stiffness, 30.0 * values.stiffness))
    lines += [
        "  sag: {mode: %s}" % ("solve" if values.keep else "off"),
        "  drag: %.6g" % values.drag,
        "  collide: {thickness: %.6g, friction: %.6g}" % (values.distance * own, values.friction),
    ]
    if values.volume > 0.0:
        lines.append("  contact: {radius: %.6g, friction: %.6g}" % (values.volume * own, values.friction))
    else:
        lines.append("  contact: {enabled: off}")
    if values.hold > 0.0:
        lines += ["", "constraints:", "  - {name: style, kind: pin, stiffness: %.6g}" % values.hold]
    return "\n".join(lines) + "\n"


MARK = "# Made from Blender's panel; an edited file is kept. "


def write_scene(path, text):
    """Writes the scene, unless there is one that was edited by hand. Returns whether it was written."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as old:
            head, _, rest = old.read().partition("\n")
        if head != MARK + hashlib.md5(rest.encode()).hexdigest():
            return False
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write(MARK + hashlib.md5(text.encode()).hexdigest() + "\n" + text)
    return True


# --- A run: export, simulation, import, as one generator of (share done, text) -----------------------------------------


class Job:
    """What a run works on: the scalp, its hair, and where the files are."""

    def __init__(self, context, thing, program="", folder="", extra=()):
        self.scene = context.scene
        self.scalp = find_scalp(thing)
        if context.mode.startswith("EDIT"):
            raise RingletError("%s: is in edit mode, where changes are not seen yet; leave it (Tab)" % thing.name)
        self.values = self.scalp.ringlet
        self.sources = find_sources(self.scalp, self.scene)
        self.program = program
        self.extra = list(extra)
        self.messages = []  # for the end of the run
        self.warnings = []  # Ringlet's own
        self.folder = folder or self.values.folder
        if self.folder.startswith("//") and not bpy.data.is_saved:
            self.folder = os.path.join(tempfile.gettempdir(), "ringlet")
            self.messages.append("the .blend file is not saved, so files are in %s" % self.folder)
        self.folder = os.path.abspath(bpy.path.abspath(self.folder))
        self.stem = file_stem(self.scalp.name)
        if self.scene.frame_end < self.scene.frame_start:
            raise RingletError("the scene ends at frame %d, before it starts" % self.scene.frame_end)

    def path(self, ending):
        return os.path.join(self.folder, self.stem + ending)


def read_hair(job):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scalp_now = job.scalp.evaluated_get(depsgraph)
    for source in job.sources:
        if source.modifier is not None:
            read_particles(source, scalp_now)
        else:
            read_curves(source, depsgraph)
        left_out = finish_strands(source, job.values.points)
        if left_out:
            job.messages.append("%s: %d strands without length are left out" % (source.name, left_out))
    job.sources = [source for source in job.sources if source.strands]
    if not job.sources:
        raise RingletError("%s: its hair has no strands" % job.scalp.name)


# --- The scalp by Blender's own exporters -----------------------------------------------------------------------------

OWN = {"USD": ("usd", "-scalp.usd"), "ALEMBIC": ("alembic", "-scalp.abc")}  # build option, ending of the file
LARGE = 10000000  # points of all frames, from which on text (about 35 bytes each) is slow


def own_formats():
    """Formats that this build of Blender has. Its operators are no sign: bpy.ops has an attribute for any name."""
    return [name for name, (option, _) in OWN.items() if getattr(bpy.app.build_options, option, False)]


def choose_exchange(scalp, scene):
    """How the scalp goes out: PLAIN, USD or ALEMBIC."""
    asked, have = scalp.ringlet.exchange, own_formats()
    if asked in OWN and asked not in have:
        raise RingletError("Exchange: this build of Blender has no %s; choose Automatic or Plain" % ("USD" if asked == "USD" else "Alembic"))
    if asked != "AUTO":
        return asked
    deforms = scalp.data.shape_keys or scalp.parent_type != "OBJECT" or any(m.type != "PARTICLE_SYSTEM" for m in scalp.modifiers)
    count = len(scalp.data.vertices) * (scene.frame_end - scene.frame_start + 1)
    return have[0] if have and deforms and count >= LARGE else "PLAIN"


def operator(name):
    return getattr(bpy.ops.wm, name)


def call_exporter(name, needed, wished):
    """Calls an exporter of Blender with what is needed, and of what is wished with the options that this version has."""
    call = operator(name)
    known = call.get_rna_type().properties.keys()
    missing = [option for option in needed if option not in known]
    if missing:
        raise RingletError("%s of this Blender has no option %s" % (name, missing[0]))
    try:
        result = call(**needed, **{option: value for option, value in wished.items() if option in known})
    except RuntimeError as problem:
        raise RingletError("%s: %s" % (name, " ".join(str(problem).split()))) from None
    if result != {"FINISHED"} or not os.path.exists(needed["filepath"]):
        raise RingletError("%s wrote no file" % name)


def run_exporter(path, exchange, scene):
    """The scalp, which is what is selected, with modifiers as the 3D view shows them and all frames of the scene."""
    both = {"export_hair": False, "export_particles": False, "evaluation_mode": "VIEWPORT", "check_existing": False}
    if exchange == "USD":
        call_exporter("usd_export", {"filepath": path, "selected_objects_only": True, "export_animation": True}, dict(
            both, export_materials=False, export_uvmaps=False, export_normals=False, use_instancing=False,
            export_armatures=False, export_shapekeys=False, export_subdivision="TESSELLATE", convert_orientation=False,
            export_lights=False, export_cameras=False, convert_world_material=False))
    else:
        call_exporter("alembic_export", {"filepath": path, "selected": True, "start": scene.frame_start, "end": scene.frame_end}, dict(
            both, uvs=False, normals=False, orcos=False, use_instancing=False, as_background_job=False, global_scale=1.0))


def compare_scalp(job, path, exchange, frame):
    """Reads a frame of what Blender exported as Ringlet reads it, and compares it with the scalp at this frame."""
    job.scene.frame_set(frame)
    points, _, _, matrix = mesh_of(job.scalp, frame, bpy.context.evaluated_depsgraph_get())
    turn = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1))) if exchange == "ALEMBIC" else Matrix()
    wanted = [turn @ matrix @ Vector(points[i:i + 3]) for i in range(0, len(points), 3)]
    text = job.path("-scalp.part.obj")
    command = [find_program(job.program), "convert", path, text, "--frames", str(frame), "--static", "--force", "-q"]
    if exchange == "ALEMBIC":
        command += ["--fps", "%.9g" % frames_per_second(job.scene)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if run.returncode != 0:
        raise RingletError("%s: %s" % (path, "; ".join(run.stdout.split("\n")[-3:])))
    with open(text, encoding="utf-8") as lines:
        found = [Vector([float(word) for word in line.split()[1:4]]) for line in lines if line.startswith("v ")]
    os.remove(text)
    if len(found) != len(wanted):
        raise RingletError("the scalp that Blender exported has %d vertices at frame %d, and %d in the 3D view"
                           % (len(found), frame, len(wanted)))
    worst = max((a - b).length for a, b in zip(found, wanted))
    if not worst <= 1e-5 * max(max(map(abs, place)) for place in wanted) + 1e-7:
        raise RingletError("the scalp that Blender exported is off by %g at frame %d" % (worst, frame))


def export_own(job, exchange):
    """Writes the scalp by one of Blender's exporters; the first and the last frame must be where they are in Blender."""
    ending = OWN[exchange][1]
    part = job.path(ending.replace(".", ".part."))
    layer = bpy.context.view_layer
    selected, active = list(bpy.context.selected_objects), layer.objects.active
    try:
        for thing in selected:
            thing.select_set(False)
        job.scalp.select_set(True)
        layer.objects.active = job.scalp
        run_exporter(part, exchange, job.scene)
        for frame in sorted({job.scene.frame_start, job.scene.frame_end}):
            compare_scalp(job, part, exchange, frame)
        os.replace(part, job.path(ending))
    finally:
        job.scalp.select_set(False)
        for thing in selected:
            thing.select_set(True)
        layer.objects.active = active
        for path in (part, job.path("-scalp.part.obj")):
            if os.path.exists(path):
                os.remove(path)


def try_own(job):
    """The scalp by Blender's own exporter, where that was chosen; returns what it was written by. What automatic chose and
    what fails is written as text."""
    exchange = choose_exchange(job.scalp, job.scene)
    if exchange in OWN:
        try:
            export_own(job, exchange)
        except (RingletError, OSError) as problem:
            if job.values.exchange != "AUTO":
                raise RingletError("%s; choose Exchange: Plain" % problem) from None
            job.messages.append("%s; the scalp is written as text" % problem)
            exchange = "PLAIN"
    for name, (_, ending) in OWN.items():  # an edited scene must not find the scalp of an earlier export
        if name != exchange and os.path.exists(job.path(ending)):
            os.remove(job.path(ending))
    return exchange


def export(job):
    """Writes STEM.usda with the hair of the first frame and, unless Blender's own exporter does, the scalp over time; and STEM.yaml."""
    scene = job.scene
    os.makedirs(job.folder, exist_ok=True)
    present = scene.frame_current
    modifiers = [source.modifier for source in job.sources if source.modifier]
    shown = Shown([job.scalp] + [source.thing for source in job.sources if source.thing], modifiers)
    part = job.path(".usda.part")
    try:
        scene.frame_set(scene.frame_start)
        read_hair(job)
        exchange = try_own(job)
        below = job.stem + OWN["USD"][1] if exchange == "USD" else ""
        with open(part, "w", encoding="utf-8", newline="\n") as out:
            write_header(out, scene, job.scalp.name, below)
            for frame in write_scalp(out, job.scalp, scene) if exchange == "PLAIN" else ():
                done = (frame - scene.frame_start + 1) / (scene.frame_end - scene.frame_start + 1)
                yield 0.2 * done, "export: frame %d of %d" % (frame, scene.frame_end)
            out.write('    def Scope "hair"\n    {\n')
            for source in job.sources:
                write_curves(out, source)
            out.write("    }\n}\n")
        os.replace(part, job.path(".usda"))
    finally:
        shown.close()
        scene.frame_set(present)
        if os.path.exists(part):
            os.remove(part)
    if not write_scene(job.path(".yaml"), scene_text(job.stem, job.scalp, scene, job.values, exchange)):
        job.messages.append("%s was edited by hand and is kept; remove it to have the panel's values again" % job.path(".yaml"))
    count = sum(len(source.strands) for source in job.sources)
    own = "" if exchange == "PLAIN" else ", the scalp by Blender's own exporter to %s" % job.path(OWN[exchange][1])
    yield 0.2, "export: %d strands%s to %s%s" % (count, "" if own else " and the scalp", job.path(".usda"), own)


def read_lines(stream, lines):
    for line in stream:
        lines.put(line.rstrip())
    stream.close()


def simulate(job):
    """Runs ringlet simulate. Yields what it reports; a cancelled run stops after its present frame."""
    program = find_program(job.program)
    command = [program, "simulate", job.path(".yaml"), "-o", job.path("-sim.usda"), "--no-velocities", "--force"] + job.extra
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = queue.Queue()
    reader = threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True)
    reader.start()
    tail, share = [], 0.2
    first = job.scene.frame_start - job.values.preroll
    try:
        while reader.is_alive() or not lines.empty():
            try:
                line = lines.get_nowait()
            except queue.Empty:
                yield share, None
                continue
            tail = (tail + [line])[-5:]
            match = re.match(r"(?:preroll )?frame (-?\d+)/(-?\d+)", line)
            if match:
                share = 0.2 + 0.7 * min(1.0, max(0.0, (int(match[1]) - first) / max(1, int(match[2]) - first)))
            elif "warning:" in line:
                job.warnings.append(line)
            yield share, line
        code = process.wait()
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait()
    if code != 0:
        problems = [line for line in tail if "error" in line] or tail
        raise RingletError("ringlet stopped with exit code %d: %s" % (code, "; ".join(problems)))


# --- Bringing the result back -----------------------------------------------------------------------------------------


class PointCache:
    """A .pc2 file of point positions, which Blender's Mesh Cache modifier reads."""

    def __init__(self, path, count):
        self.out = open(path + ".part", "wb")
        self.path, self.count, self.samples = path, count, 0
        self.header()

    def header(self):
        self.out.write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, self.count, 0.0, 1.0, self.samples))

    def add(self, values):
        if sys.byteorder != "little":
            values.byteswap()
        values.tofile(self.out)
        self.samples += 1

    def close(self):
        self.out.seek(0)
        self.header()
        self.out.close()
        os.replace(self.path + ".part", self.path)


PRIM = re.compile(r'\s*(?:def|over)\s+(?:\w+\s+)?"([^"]+)"')
SAMPLE = re.compile(r"\s*(-?[0-9.]+): \[(.*)\],?\s*$")
ARRAY = re.compile(r"\s*(?:int|float)\[\] (curveVertexCounts|widths) = \[(.*)\]")


def parse_points(text):
    return array("f", map(float, text.replace("(", " ").replace(")", " ").replace(",", " ").split()))


def read_usda(path):
    """Yields (prim, name, values) of arrays and (prim, frame, points) of this file and of Ringlet's, line by line."""
    prim, inside = "", False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            head = line[:200]
            match = PRIM.match(head)
            if match:
                prim, inside = match[1], False
            elif "points.timeSamples = {" in head and head.lstrip().startswith("point3f[] points."):
                inside = True
            elif inside and head.strip() == "}":
                inside = False
            elif inside:
                match = SAMPLE.match(line)
                if match:
                    yield prim, float(match[1]), parse_points(match[2])
            else:
                match = ARRAY.match(line)
                if match:
                    number = int if match[1] == "curveVertexCounts" else float
                    yield prim, match[1], [number(word) for word in match[2].split(",") if word.strip()]


def read_arrays(job):
    """Counts and widths of the exported hair; the result is a layer over that file, with the points alone."""
    arrays = {}
    for prim, name, values in read_usda(job.path(".usda")):
        if isinstance(name, str):
            arrays.setdefault(prim, {})[name] = values
    return arrays


def write_caches(job):
    """The result as one .pc2 for each source. Returns {prim: (first frame, first points, path)} at the end."""
    wanted = {source.prim for source in job.sources}
    caches, found = {}, {}
    try:
        for prim, frame, values in read_usda(job.path("-sim.usda")):
            if prim not in wanted or isinstance(frame, str):
                continue
            if prim not in caches:
                caches[prim] = PointCache(job.path("-%s.pc2" % prim), len(values) // 3)
                found[prim] = (round(frame), values[:], caches[prim].path)
            if len(values) != 3 * caches[prim].count:
                raise RingletError("%s: frame %g of %s has another number of points than the first; simulate again"
                                   % (job.path("-sim.usda"), frame, prim))
            caches[prim].add(values)
            yield 0.95, ""
        for cache in caches.values():
            cache.close()
    finally:
        for cache in caches.values():
            if not cache.out.closed:
                cache.out.close()
                os.remove(cache.path + ".part")
    return found


def result_object(name, kind, source, make):
    """The object of a result, made at the first time; later runs keep it, with what the artist added to it."""
    for thing in bpy.data.objects:
        if thing.get(RESULT) == source and thing.get("ringlet_kind") == kind:
            return thing
    thing = bpy.data.objects.new(name, make(name))
    thing[RESULT] = source
    thing["ringlet_kind"] = kind
    return thing


def poly_curves(name, counts, points, widths):
    """A legacy Curve of POLY splines: the kind of object whose points a Mesh Cache may move."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    at = 0
    for count in counts:
        spline = data.splines.new("POLY")
        spline.points.add(count - 1)
        places = array("f", [1.0]) * (4 * count)
        for axis in range(3):
            places[axis::4] = points[3 * at + axis:3 * (at + count):3]
        spline.points.foreach_set("co", places)
        if len(widths) * 3 == len(points):
            spline.points.foreach_set("radius", array("f", [0.5 * width for width in widths[at:at + count]]))
        at += count
    return data


def hair_nodes(cache, material):
    """Geometry nodes that show the points of the cache as hair curves, with the material of the groom."""
    group = bpy.data.node_groups.new(cache.name, "GeometryNodeTree")
    if hasattr(group, "interface"):  # from 4.0 on
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.outputs.new("NodeSocketGeometry", "Geometry")
    if hasattr(group, "is_modifier"):  # from 4.0 on: False would hide it from the modifier's list
        group.is_modifier = True
    read = group.nodes.new("GeometryNodeObjectInfo")
    read.inputs["Object"].default_value = cache
    smooth = group.nodes.new("GeometryNodeCurveSplineType")
    smooth.spline_type = "CATMULL_ROM"
    paint = group.nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material
    out = group.nodes.new("NodeGroupOutput")
    smooth.location, paint.location, out.location = (200, 0), (400, 0), (600, 0)
    group.links.new(read.outputs["Geometry"], smooth.inputs[0])
    group.links.new(smooth.outputs[0], paint.inputs["Geometry"])
    group.links.new(paint.outputs[0], out.inputs[0])
    return group


def bring(job):
    """Makes, or renews, a Curves object for each source: its points are those of the result, at every frame."""
    for ending in (".usda", "-sim.usda"):
        if not os.path.exists(job.path(ending)):
            raise RingletError("%s: is not there; simulate first" % job.path(ending))
    arrays = read_arrays(job)
    for source in job.sources:
        if source.prim not in arrays:
            job.messages.append("%s: was not exported, so there is no result of it" % source.name)
    job.sources = [source for source in job.sources if source.prim in arrays]
    results = yield from write_caches(job)
    for source in job.sources:
        counts = arrays.get(source.prim, {}).get("curveVertexCounts", ())
        if source.prim not in results or 3 * sum(counts) != len(results[source.prim][1]):
            raise RingletError("%s: does not fit the hair %s, which was changed since; simulate again" % (job.path("-sim.usda"), source.name))
        first, points, path = results[source.prim]
        data = poly_curves(source.name + " cache", counts, points, arrays[source.prim].get("widths", ()))
        cache = result_object(source.name + " cache", "cache", source.name, lambda name: data)
        if cache.data != data:
            old = cache.data
            cache.data = data
            bpy.data.curves.remove(old)
        modifier = cache.modifiers.get("Ringlet") or cache.modifiers.new("Ringlet", "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.filepath = bpy.path.relpath(path) if bpy.data.is_saved else path
        modifier.frame_start = first
        modifier.use_apply_on_spline = True
        hair = result_object(source.name + " simulated", "hair", source.name, bpy.data.hair_curves.new)
        if "Ringlet" not in hair.modifiers:
            hair.modifiers.new("Ringlet", "NODES").node_group = hair_nodes(cache, material_of(source, job.scalp))
        for thing in (cache, hair):
            if not thing.users_collection:
                (job.scalp.users_collection or (job.scene.collection,))[0].objects.link(thing)
        cache.hide_render = True
        cache.hide_set(True)
        hide_source(source)
    yield 1.0, "import: %s" % ", ".join(source.name + " simulated" for source in job.sources)


def hide_source(source):
    """The groom itself would be seen twice."""
    if source.modifier is not None:
        source.modifier.show_viewport = source.modifier.show_render = False
    else:
        source.thing.hide_render = True
        source.thing.hide_set(True)


def whole_run(job, parts=("export", "simulate", "import")):
    if "simulate" in parts:
        find_program(job.program)
    if "export" in parts:
        yield from export(job)
    if "simulate" in parts:
        yield from simulate(job)
    if "import" in parts:
        yield from bring(job)


# --- Buttons and panel ------------------------------------------------------------------------------------------------


class RingletRun:
    """An operator that takes a run step by step, so that Blender stays awake; Esc stops it."""

    bl_options = {"REGISTER"}
    parts = ()

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in {"MESH", "CURVES"}

    def execute(self, context):
        try:
            job = Job(context, context.object)
            for _, text in whole_run(job, self.parts):
                if text:
                    print("ringlet:", text)
        except Exception as problem:
            self.report({"ERROR"}, explain(problem))
            return {"CANCELLED"}
        return self.finish(context, job)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.job = Job(context, context.object)
        except Exception as problem:
            self.report({"ERROR"}, explain(problem))
            return {"CANCELLED"}
        self.run = whole_run(self.job, self.parts)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.05, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.run.close()
            return self.end(context, {"CANCELLED"}, "stopped")
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        until = time.monotonic() + 0.1
        try:
            while time.monotonic() < until:
                share, text = next(self.run)
                context.window_manager.progress_update(100 * share)
                if text is None:
                    break
                if text:
                    context.workspace.status_text_set("Ringlet: %s (Esc stops)" % text)
        except StopIteration:
            self.end(context, {"FINISHED"}, "")
            return self.finish(context, self.job)
        except Exception as problem:
            self.report({"ERROR"}, explain(problem))
            return self.end(context, {"CANCELLED"}, "")
        return {"RUNNING_MODAL"}

    def end(self, context, result, text):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        if text:
            self.report({"INFO"}, "Ringlet: " + text)
        return result

    def finish(self, context, job):
        for message in job.messages + job.warnings[:5]:
            self.report({"WARNING"}, message)
        return {"FINISHED"}


class RINGLET_OT_export(RingletRun, bpy.types.Operator):
    """Write the hair, the moving scalp and a starter scene for Ringlet"""
    bl_idname, bl_label, parts = "ringlet.export", "Export", ("export",)


class RINGLET_OT_simulate(RingletRun, bpy.types.Operator):
    """Export, simulate all frames of the scene, and bring the hair back"""
    bl_idname, bl_label, parts = "ringlet.simulate", "Simulate", ("export", "simulate", "import")


class RINGLET_OT_bring(RingletRun, bpy.types.Operator):
    """Bring back hair that was simulated before, or in a shell"""
    bl_idname, bl_label, parts = "ringlet.bring", "Import Result", ("import",)


class RINGLET_PT_panel(bpy.types.Panel):
    bl_label = "Ringlet"
    bl_idname = "RINGLET_PT_panel"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Ringlet"

    def draw(self, context):
        layout = self.layout
        try:
            scalp = find_scalp(context.object)
            names = [source.name for source in find_sources(scalp, context.scene)]
        except RingletError as problem:
            layout.label(text=str(problem), icon="INFO")
            return
        layout.label(text="%s: %s" % (scalp.name, ", ".join(names)), icon="STRANDS")
        layout.use_property_split = True
        column = layout.column()
        for name in TEN:
            column.prop(scalp.ringlet, name)
        column.separator()
        for name in MORE:
            column.prop(scalp.ringlet, name)
        try:
            if choose_exchange(scalp, context.scene) in OWN:
                layout.label(text="Blender's own exporter writes the scalp", icon="INFO")
        except RingletError as problem:
            layout.label(text=str(problem), icon="ERROR")
        layout.operator("ringlet.simulate", icon="PLAY")
        row = layout.row(align=True)
        row.operator("ringlet.export")
        row.operator("ringlet.bring")


CLASSES = (RingletSettings, RingletPreferences, RINGLET_OT_export, RINGLET_OT_simulate, RINGLET_OT_bring, RINGLET_PT_panel)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.ringlet = bpy.props.PointerProperty(type=RingletSettings)


def unregister():
    del bpy.types.Object.ringlet
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)


# --- From a shell -----------------------------------------------------------------------------------------------------


def pick_object(name, scene):
    if name:
        thing = scene.objects.get(name)
        if thing is None:
            raise RingletError("there is no object '%s' in the scene; there are: %s" % (name, ", ".join(sorted(o.name for o in scene.objects))))
        return thing
    scalps = set()
    for thing in scene.objects:
        try:
            scalp = find_scalp(thing)
            if RESULT not in thing and find_sources(scalp, scene):
                scalps.add(scalp.name)
        except RingletError:
            pass
    if len(scalps) != 1:
        raise RingletError("objects with hair: %s; name one by --object" % (", ".join(sorted(scalps)) or "none"))
    return scene.objects[scalps.pop()]


def check_number(rule, text, value):
    """Refuses what Blender would clamp without a word, and nan, which it would take."""
    narrow = value if isinstance(value, int) else array("f", [value])[0]  # as Blender holds it, and its bounds
    if not rule.hard_min <= narrow <= rule.hard_max:  # not for nan, either
        raise RingletError("--value %s: is not from %g to %g" % (text, rule.hard_min, rule.hard_max))


def check_options(options):
    """Refuses options that the asked part of a run would not use, and a result that could not be saved, before the work."""
    if options.set and options.only in ("export", "import"):
        raise RingletError("--set %s: is for ringlet simulate, which --only %s does not run; leave one of them out"
                           % (options.set[0], options.only))
    unused = [text for text in options.value if not text.startswith("folder=")]
    if unused and options.only == "import":
        raise RingletError("--value %s: is for the export, which --only import does not do; leave one of them out" % unused[0])
    if options.save and os.path.isdir(options.save):  # Blender would rename it
        raise RingletError("--save %s: is a folder; name a .blend file" % options.save)
    folder = os.path.dirname(os.path.abspath(options.save))
    if options.save and not os.access(folder, os.W_OK):
        raise RingletError("--save %s: the folder %s is not there, or not to be written in" % (options.save, folder))


def save(path):
    try:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(path))
    except RuntimeError as problem:
        raise RingletError("--save %s: %s" % (path, " ".join(str(problem).split()))) from None


def set_value(values, text):
    name, _, value = text.partition("=")
    names = TEN + MORE
    if name not in names:
        raise RingletError("--value %s: no such value; there are: %s" % (text, ", ".join(names)))
    old = getattr(values, name)
    try:
        if isinstance(old, bool):
            value = {"on": True, "off": False}[value]
        elif isinstance(old, (int, float)):
            value = type(old)(value)
            check_number(values.bl_rna.properties[name], text, value)
        elif not isinstance(old, str):
            value = [float(word) for word in value.split(",")]
            for part in value:
                check_number(values.bl_rna.properties[name], text, part)
        setattr(values, name, value)
    except (KeyError, TypeError, ValueError):
        raise RingletError("--value %s: is not a value of %s" % (text, name)) from None


def main(arguments):
    parser = argparse.ArgumentParser(prog="ringlet_blender.py", description="Simulates the hair of an object with Ringlet.")
    parser.add_argument("--object", default="", help="scalp, or its hair; default: the only object with hair")
    parser.add_argument("--folder", default="", help="where the files go; default: the panel's")
    parser.add_argument("--ringlet", default="", help="the program; default: the preferences', RINGLET, or PATH")
    parser.add_argument("--only", choices=("export", "simulate", "import"), help="one part of the run; simulate exports, too")
    parser.add_argument("--value", action="append", default=[], metavar="NAME=VALUE", help="a value of the panel, as stiffness=2")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a value of the scene, as for ringlet simulate")
    parser.add_argument("--save", default="", help="save the result as this .blend file")
    options = parser.parse_args(arguments)
    try:
        check_options(options)
        scene = bpy.context.scene
        thing = pick_object(options.object, scene)
        for text in options.value:
            set_value(find_scalp(thing).ringlet, text)
        extra = [word for text in options.set for word in ("--set", text)]
        job = Job(bpy.context, thing, options.ringlet, options.folder, extra)
        parts = {None: ("export", "simulate", "import"), "simulate": ("export", "simulate")}.get(options.only, (options.only,))
        for _, text in whole_run(job, parts):
            if text is None:
                time.sleep(0.01)
            elif text:
                print("ringlet:", text, flush=True)
        for message in job.messages:
            print("ringlet:", message)
        if options.save:
            save(options.save)
    except Exception as problem:  # Blender would print it and exit with 0
        print("ringlet: error:", explain(problem), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    register()
    if bpy.app.background:
        sys.exit(main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []))
