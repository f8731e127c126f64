# A scene for the test of examples/blender: a ball that an armature turns and a shape key swells, in feet and metres
# mixed up on purpose (its object is scaled), with particle hair and with hair curves on it. Saves it as a .blend file.
# usage: blender -b --factory-startup --python scene.py -- OUT.blend
import math
import os
import sys

import bpy
from mathutils import Vector

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 3, 8
scene.render.fps = 25


def add_scalp():
    bpy.ops.mesh.primitive_uv_sphere_add(segments=20, ring_count=10, radius=1.0)
    scalp = bpy.context.object
    scalp.name = "Scalp"
    scalp.scale = (0.1, 0.1, 0.1)
    scalp.shape_key_add(name="Basis")
    swell = scalp.shape_key_add(name="swell")
    for point in swell.data:
        point.co.x *= 1.3
    for frame, value in ((3, 0.0), (8, 1.0)):
        swell.value = value
        swell.keyframe_insert("value", frame=frame)
    return scalp


def add_armature(scalp):
    bpy.ops.object.armature_add(location=(0.0, 0.0, 0.0))
    rig = bpy.context.object
    rig.name = "Rig"
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((3, 0.0), (8, 40.0)):
        bone.rotation_euler = (math.radians(angle), 0.0, 0.0)
        bone.location = (0.0, 0.02 * angle / 40.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
        bone.keyframe_insert("location", frame=frame)
    scalp.vertex_groups.new(name=bone.name).add(range(len(scalp.data.vertices)), 1.0, "REPLACE")
    scalp.modifiers.new("Armature", "ARMATURE").object = rig


def add_particles(scalp):
    settings = scalp.modifiers.new("Hair", "PARTICLE_SYSTEM").particle_system.settings
    settings.type = "HAIR"
    settings.count = 12
    settings.hair_length = 0.08
    settings.hair_step = 4


def add_curves(scalp):
    """Hair curves, by way of a poly curve, since Blender 3.4 has no call that adds them."""
    poly = bpy.data.curves.new("Fringe", "CURVE")
    poly.dimensions = "3D"
    for k in range(5):
        out = Vector((math.sin(k), math.cos(k), 0.5)).normalized()
        spline = poly.splines.new("POLY")
        spline.points.add(4)
        for i, point in enumerate(spline.points):
            point.co = (*(out * (0.1 + 0.02 * i)), 1.0)
    thing = bpy.data.objects.new("Fringe", poly)
    scene.collection.objects.link(thing)
    bpy.ops.object.select_all(action="DESELECT")
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.convert(target="CURVES")
    bpy.context.object.data.surface = scalp


scalp = add_scalp()
add_armature(scalp)
add_particles(scalp)
add_curves(scalp)
bpy.ops.mesh.primitive_cube_add()
bpy.context.object.name = "Bald"
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(sys.argv[-1]))
