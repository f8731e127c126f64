# Drives examples/blender/ringlet_blender.py in Blender on the scene of scene.py, and checks what comes back.
# usage: blender -b SCENE.blend --python-exit-code 3 --python check.py -- SCRIPT RINGLET FOLDER
import importlib.util
import os
import struct
import subprocess
import sys

import bpy
from mathutils import Vector
from mathutils.bvhtree import BVHTree

script, ringlet, folder = sys.argv[-3:]
spec = importlib.util.spec_from_file_location("ringlet_blender", script)
addon = importlib.util.module_from_spec(spec)
spec.loader.exec_module(addon)
addon.register()
failures = []


def check(truth, text):
    if not truth:
        failures.append(text)
        print("FAILED:", text)


def message(*arguments):
    """The error of a command line, or '' where it went well."""
    kept = sys.stderr
    path = os.path.join(folder, "stderr.txt")
    with open(path, "w") as sys.stderr:
        try:
            code = addon.main(list(arguments))
        finally:
            sys.stderr = kept
    with open(path) as lines:
        text = lines.read()
    check((code == 0) == (text == ""), "exit code %d with '%s'" % (code, text))
    return text


def read_hair(path):
    """Strands of a .hair file: this is a reader of its own."""
    with open(path, "rb") as data:
        content = data.read()
    magic, hairs, points, flags, segments = struct.unpack_from("<4sIIII", content)
    check(magic == b"HAIR" and flags & 2, "the .hair file has points")
    at = 128
    if flags & 1:
        counts = [n + 1 for n in struct.unpack_from("<%dH" % hairs, content, at)]
        at += 2 * hairs
    else:
        counts = [segments + 1] * hairs
    values = struct.unpack_from("<%df" % (3 * points), content, at)
    strands, first = [], 0
    for count in counts:
        strands.append([Vector(values[3 * i:3 * i + 3]) for i in range(first, first + count)])
        first += count
    return strands


def shown_strands(name):
    """Strands of an object as Blender evaluates it now."""
    thing = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = thing.data
    places = [0.0] * (3 * len(data.points))
    data.attributes["position"].data.foreach_get("vector", places)
    return [[thing.matrix_world @ Vector(places[3 * i:3 * i + 3])
             for i in range(c.first_point_index, c.first_point_index + c.points_length)] for c in data.curves]


def skin():
    thing = bpy.data.objects["Scalp"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = thing.to_mesh()
    tree = BVHTree.FromPolygons([thing.matrix_world @ v.co for v in mesh.vertices], [list(p.vertices) for p in mesh.polygons])
    thing.to_mesh_clear()
    return tree


def check_errors():
    frame = bpy.context.scene.frame_current
    check("Rig, Scalp" in message("--object", "Nobody"), "an object that is not there: the others are listed")
    check("select the scalp" in message("--object", "Rig"), "an object that has no hair and cannot have")
    check("is not a program" in message("--folder", folder, "--ringlet", "/nowhere/ringlet"), "a wrong path of the program")
    path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
    kept, addon.__file__ = addon.__file__, "/nowhere/x/y/z.py"
    check("Preferences" in message("--folder", folder), "no program: where to set it")
    os.environ["PATH"], addon.__file__ = path, kept
    check("no such value" in message("--value", "stifness=2"), "a value that does not exist")
    for value in ("stiffness=-1", "damping=nan", "points=1001", "wind=0,nan,0", "hold=inf"):
        check("--value %s: is not from" % value in message("--value", value), "%s is refused" % value)
    check("--set hair.drag=1: is for ringlet simulate" in message("--only", "export", "--set", "hair.drag=1"), "--set without a run")
    check("is for the export" in message("--only", "import", "--value", "drag=1"), "--value without an export")
    check("--save /nowhere/x.blend: the folder" in message("--save", "/nowhere/x.blend"), "a result that cannot be saved")
    os.makedirs(os.path.join(folder, "sub"), exist_ok=True)
    check("is a folder" in message("--only", "export", "--folder", folder, "--save", os.path.join(folder, "sub")), "a folder to save as")
    kept, addon.whole_run = addon.whole_run, lambda job, parts: 1 // 0
    check(":" in message() and "ZeroDivisionError" in message(), "an exception that nobody foresaw is an error, too")
    addon.whole_run = kept
    check("simulate first" in message("--folder", folder, "--only", "import"), "no result yet")
    wrong = message("--folder", folder, "--ringlet", ringlet, "--only", "simulate", "--set", "hair.drag=-1")
    check("hair.drag" in wrong and "exit code 2" in wrong, "what Ringlet reports is passed on")
    check("has no hair" in message("--object", "Bald"), "a mesh without hair")
    scalp = bpy.data.objects["Scalp"]
    builds = scalp.modifiers.new("Build", "BUILD")
    builds.frame_start, builds.frame_duration = 1, 20
    check("are not those of frame 3" in message("--folder", folder), "faces that change")
    scalp.modifiers.remove(builds)
    check(bpy.context.scene.frame_current == frame, "the present frame is kept")


def check_frame(frame, strands, gaps):
    """What Blender shows is what Ringlet wrote, and roots are on the skin as they were groomed."""
    bpy.context.scene.frame_set(frame)
    shown = shown_strands("Scalp Hair simulated") + shown_strands("Fringe simulated")
    check([len(s) for s in shown] == [len(s) for s in strands], "frame %d: the strands and their points" % frame)
    worst = max((a - b).length for s, t in zip(shown, strands) for a, b in zip(s, t))
    check(worst < 1e-6, "frame %d: points differ by %g m" % (frame, worst))
    tree = skin()
    now = [tree.find_nearest(strand[0])[3] for strand in shown]
    check(max(abs(a - b) for a, b in zip(now, gaps or now)) < 2e-4, "frame %d: roots left the skin" % frame)
    check(max(now[:12]) < 1e-5, "frame %d: roots of particles are %g m off the skin" % (frame, max(now[:12])))
    return now, shown


def check_result():
    blend = os.path.join(folder, "done.blend")
    check(message("--folder", folder, "--ringlet", ringlet, "--save", blend) == "", "a whole run")
    addon.unregister()  # the animation needs no add-on
    bpy.ops.wm.open_mainfile(filepath=blend)
    gaps, first = None, None
    for frame in (3, 6, 8):
        out = os.path.join(folder, "one.hair")
        subprocess.run([ringlet, "convert", os.path.join(folder, "Scalp-sim.usda"), out, "--frames", str(frame), "-q", "--force"], check=True)
        gaps, shown = check_frame(frame, read_hair(out), gaps)
        first = first or shown
    moved = [(s[-1] - t[-1]).length for s, t in zip(first, shown)]
    check(0.01 < max(moved) < 0.5, "tips move by %g m" % max(moved))
    check(all(abs((s[1] - s[0]).length - (t[1] - t[0]).length) < 1e-3 for s, t in zip(first, shown)), "hair keeps its length")
    check(not bpy.data.objects["Fringe simulated"].hide_render, "the result is rendered")
    check(bpy.data.objects["Fringe"].hide_render, "the groom is not")
    with open(os.path.join(folder, "Scalp.yaml")) as scene:
        check("gravity: [0, -981, 0]" in scene.read(), "gravity of the scene")
    return shown


def check_again(stiff):
    """A second run keeps the objects and an edited scene; hair that is hidden now is read all the same. It is limp."""
    addon.register()
    with open(os.path.join(folder, "Scalp.yaml"), "a") as scene:
        scene.write("# by hand\n")
    before = sorted(o.name for o in bpy.data.objects)
    check(message("--folder", folder, "--ringlet", ringlet, "--value", "points=8", "--set", "hair.sag.mode=off",
                  "--set", "hair.rod.young=1e6", "--set", "hair.rod.shear=1e6") == "", "a second run")
    check(sorted(o.name for o in bpy.data.objects) == before, "the second run made objects of its own")
    with open(os.path.join(folder, "Scalp.yaml")) as scene:
        check("# by hand" in scene.read(), "the edited scene is kept")
    bpy.context.scene.frame_set(8)
    shown = shown_strands("Scalp Hair simulated") + shown_strands("Fringe simulated")
    check(len(shown) == 17 and all(len(s) == 8 for s in shown), "other points per hair")
    tree = skin()
    check(max(tree.find_nearest(strand[0])[3] for strand in shown[:12]) < 1e-5, "roots of the second run are off the skin")
    falls = sum(((s[-1] - t[-1]) for s, t in zip(shown, stiff)), Vector()) / len(shown)
    check(falls.z < -0.005 and abs(falls.x) < -falls.z and abs(falls.y) < -falls.z, "limp hair falls by %s" % str(falls))


def check_values():
    """The panel's values reach the scene, turned to its axes."""
    os.remove(os.path.join(folder, "Scalp.yaml"))
    check(message("--folder", folder, "--only", "export", "--value", "wind=1,2,3", "--value", "kind=COILS", "--value", "hold=400",
                  "--value", "volume=0", "--value", "keep=off", "--value", "distance=0.005") == "", "an export")
    with open(os.path.join(folder, "Scalp.yaml")) as scene:
        text = scene.read()
    for part in ("velocity: [100, 300, -200]", "model: coil", "kind: pin, stiffness: 400", "contact: {enabled: off}",
                 "sag: {mode: off}", "thickness: 0.5,"):
        check(part in text, "the scene has " + part)
    bpy.context.view_layer.objects.active = bpy.data.objects["Fringe simulated"]
    try:
        bpy.ops.ringlet.export()
        check(False, "a result is no hair to simulate")
    except RuntimeError as problem:
        check("is attached to no mesh" in str(problem), "the button's error: %s" % problem)
    bpy.context.view_layer.objects.active = bpy.data.objects["Fringe"]
    bpy.data.objects["Scalp"].ringlet.folder = folder
    check(bpy.ops.ringlet.bring() == {"FINISHED"}, "the button")
    checked = subprocess.run([ringlet, "check", os.path.join(folder, "Scalp.yaml")], stdout=subprocess.DEVNULL)
    check(checked.returncode == 0, "ringlet check of the scene")


def check_names():
    """Objects of other scripts, or with signs that files cannot have, have files of their own."""
    scalp, names = bpy.data.objects["Scalp"], ("Анна", "Вера", "a b", "a_b", "a/b", "a-sim", "Scalp.001")
    check(len({addon.file_stem(name) for name in names}) == len(names), "files of their own: %s" % [addon.file_stem(n) for n in names])
    check(addon.file_stem("Анна") == "Анна" and addon.file_stem("Scalp.001") == "Scalp.001", "names that stay")
    check(not any(sign in addon.file_stem(name) for name in names for sign in "/- "), "signs that files do not have")
    scalp.name = "Анна"
    check(message("--folder", folder, "--ringlet", ringlet, "--value", "kind=WAVY", "--value", "stiffness=0.001") == "", "a run of Анна")
    for ending in (".usda", ".yaml", "-sim.usda"):
        check(os.path.exists(os.path.join(folder, "Анна" + ending)), "Анна%s is there" % ending)


class Exporter:
    """Stands for an exporter of Blender, which Debian's build does not have: writes what the real one writes, its prims
    named as there (a transform by the object, a mesh by its data, below /root), and keeps the options that it was given."""

    def __init__(self, options, off=0.0):
        self.properties = dict.fromkeys(options.split())
        self.off = off
        self.given = None

    def get_rna_type(self):
        return self

    def __call__(self, **given):
        self.given = given
        check(set(given) <= set(self.properties), "options that the exporter has: %s" % sorted(given))
        check([thing.name for thing in bpy.context.selected_objects] == ["Scalp"], "the scalp alone is selected")
        scene, path = bpy.context.scene, os.path.join(folder, "made.usda")
        with open(path, "w") as out:
            out.write('#usda 1.0\n(\n    doc = "Blender v4.2.0"\n    defaultPrim = "root"\n    metersPerUnit = 1\n    upAxis = "Z"\n'
                      '    timeCodesPerSecond = 25\n    startTimeCode = 3\n    endTimeCode = 8\n)\n\ndef Xform "root"\n{\n'
                      '    def Xform "Scalp"\n    {\n')
            frames = []
            for frame in range(3, 9):
                scene.frame_set(frame)
                frames.append((frame,) + addon.mesh_of(bpy.data.objects["Scalp"], frame, bpy.context.evaluated_depsgraph_get()))
            out.write("        matrix4d xformOp:transform.timeSamples = {\n")
            for frame, _, _, _, matrix in frames:
                out.write("            %d: %s,\n" % (frame, addon.text_matrix(matrix)))
            out.write('        }\n        uniform token[] xformOpOrder = ["xformOp:transform"]\n\n        def Mesh "Sphere"\n        {\n')
            out.write("            int[] faceVertexCounts = %s\n" % addon.text_numbers(frames[0][2]))
            out.write("            int[] faceVertexIndices = %s\n            point3f[] points.timeSamples = {\n" % addon.text_numbers(frames[0][3]))
            for frame, points, _, _, _ in frames:
                out.write("            %d: %s,\n" % (frame, addon.text_points([value + self.off for value in points])))
            out.write('            }\n            uniform token subdivisionScheme = "none"\n        }\n    }\n}\n')
        subprocess.run([ringlet, "convert", path, given["filepath"], "--force", "-q"], check=True, stdout=subprocess.DEVNULL)
        os.remove(path)
        return {"FINISHED"}


USD = "filepath check_existing selected_objects_only export_animation export_hair export_shapekeys export_subdivision evaluation_mode"
ALEMBIC = "filepath start end selected export_hair export_particles evaluation_mode as_background_job global_scale"


def own_run(choice, name, exporter):
    """Points of the first hair's last frame, of a run with the scalp by one of Blender's exporters."""
    addon.own_formats = lambda: ["USD", "ALEMBIC"]
    asked = []
    addon.operator = lambda operator: asked.append(operator) or exporter
    bpy.data.objects["Scalp"].ringlet.exchange = choice
    check(message("--folder", folder, "--ringlet", ringlet) == "", "a run with %s" % choice)
    check(asked == ([name] if name else []), "%s calls %s" % (choice, asked))
    return [values for prim, frame, values in addon.read_usda(os.path.join(folder, "Scalp-sim.usda")) if prim == "Scalp_Hair" and frame == 8][0]


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) if len(a) == len(b) else float("inf")


def check_own():
    """The scalp by Blender's own exporters: the same hair as from text; what is wrong in their files is found."""
    scalp, usd, alembic = bpy.data.objects["Scalp"], os.path.join(folder, "Scalp-scalp.usd"), os.path.join(folder, "Scalp-scalp.abc")
    check("has no USD; choose" in message("--folder", folder, "--value", "exchange=USD"), "a build without USD")
    check("has no Alembic; choose" in message("--folder", folder, "--value", "exchange=ALEMBIC"), "a build without Alembic")
    kept = addon.own_formats, addon.operator, addon.LARGE
    for text in ("kind=WAVY", "wind=0,0,0", "volume=0.002"):
        addon.set_value(scalp.ringlet, text)
    plain = own_run("AUTO", "", None)  # small: as text, also where there is USD
    check(not os.path.exists(usd), "text needs no file of the scalp")
    for choice, name, exporter, path in (("USD", "usd_export", Exporter(USD), usd), ("ALEMBIC", "alembic_export", Exporter(ALEMBIC), alembic)):
        bpy.context.view_layer.objects.active = bpy.data.objects["Bald"]
        worst = apart(plain, own_run(choice, name, exporter))
        check(worst < 1e-4, "%s: hair is %g m from that of text" % (choice, worst))
        check(exporter.given["evaluation_mode"] == "VIEWPORT" and exporter.given["export_hair"] is False, "%s: options" % choice)
        check(exporter.given["filepath"] == path.replace("scalp.", "scalp.part."), "%s: the file's name" % choice)
        check(bpy.context.view_layer.objects.active.name == "Bald", "%s: the active object stays" % choice)
        with open(os.path.join(folder, "Scalp.usda")) as lines:
            check('def Mesh "scalp"' not in lines.read(), "%s: the scalp is written once" % choice)
        with open(os.path.join(folder, "Scalp.yaml")) as lines:
            check(('file: "%s"}' % os.path.basename(path)) in lines.read(), "%s: the scene names it" % choice)
        seen = subprocess.run([ringlet, "inspect", os.path.join(folder, "Scalp-sim.usda")], stdout=subprocess.PIPE, text=True).stdout
        check(("Sphere  mesh" in seen) == (choice == "USD"), "%s: the scalp below the result: %s" % (choice, seen))
        check([os.path.exists(p) for p in (usd, alembic)] == [choice == "USD", choice == "ALEMBIC"], "%s: no file of an earlier export" % choice)
    check(exporter.given["start"] == 3 and exporter.given["end"] == 8, "Alembic: frames")
    addon.operator = lambda name: Exporter(USD, off=0.01)
    check("is off by 0.00" in message("--folder", folder, "--ringlet", ringlet, "--value", "exchange=USD"), "a scalp elsewhere")
    addon.operator = lambda name: Exporter("filepath")
    check("has no option selected" in message("--folder", folder, "--ringlet", ringlet), "an exporter of another kind")
    addon.LARGE = 1
    check(apart(plain, own_run("AUTO", "usd_export", Exporter(USD))) < 1e-4 and os.path.exists(usd), "automatic: a large scalp by USD")
    check(apart(plain, own_run("AUTO", "usd_export", Exporter(USD, off=0.01))) == 0.0, "automatic: text where Blender's file is wrong")
    check(not [name for name in os.listdir(folder) if "scalp" in name], "nothing is left of it: %s" % os.listdir(folder))
    addon.own_formats, addon.operator, addon.LARGE = kept


check_errors()
check_again(check_result())
check_values()
check_own()
check_names()
print("ringlet_blender: %d failures" % len(failures))
sys.exit(1 if failures else 0)
