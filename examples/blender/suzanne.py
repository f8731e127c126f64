# A scene to try the add-on with: Suzanne shakes her head, with hair curves combed to the back.
# usage: blender --background --factory-startup --python suzanne.py -- suzanne.blend
import math
import os
import random
import sys

import bpy
from mathutils import Vector

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 60
scene.render.fps = 24


def material(name, colour, hair):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes = made.node_tree.nodes
    if hair:
        shader = nodes.new("ShaderNodeBsdfHairPrincipled")
        shader.parametrization = "MELANIN"
        shader.inputs["Melanin"].default_value = 0.8
        made.node_tree.links.new(shader.outputs[0], nodes["Material Output"].inputs["Surface"])
    else:
        nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1.0)
        nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.6
    made.diffuse_color = (*colour, 1.0)
    return made


def add_head():
    bpy.ops.mesh.primitive_monkey_add(size=0.24)
    head = bpy.context.object
    head.data.materials.append(material("skin", (0.45, 0.3, 0.22), False))
    bpy.ops.object.shade_smooth()
    head.modifiers.new("Subdivision", "SUBSURF")
    return head


def grows_hair(place):
    """Whether hair grows on a place of Suzanne, in units of half her size: on top and at the back, not on face and ears."""
    return abs(place.x) < 0.66 and (place.z > 0.55 and place.y > -0.45 or place.y > 0.3 and place.z > 0.0)


def find_roots(head, count):
    """Random places on the scalp, with normals, as dense everywhere."""
    now = head.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = now.to_mesh()
    mesh.calc_loop_triangles()
    triangles = [t for t in mesh.loop_triangles if grows_hair(t.center / 0.12)]
    roots = []
    for t in random.choices(triangles, [t.area for t in triangles], k=count):
        a, b = sorted((random.random(), random.random()))
        corners = [mesh.vertices[v].co for v in t.vertices]
        roots.append((a * corners[0] + (b - a) * corners[1] + (1.0 - b) * corners[2], t.normal.copy()))
    now.to_mesh_clear()
    return roots


def comb(root, normal):
    """A strand of 20 points that leaves the skin, turns to the back and down, and waves a little."""
    back = Vector((0.35 * root.x / 0.12, 1.0, -0.25))
    phase = random.uniform(0.0, 6.28)
    length = random.uniform(0.15, 0.19)
    place, points = root.copy(), [root.copy()]
    for i in range(1, 20):
        share = i / 19.0
        way = normal * (1.0 - share) * 0.8 + back.normalized() * 1.1 * share + Vector((0.0, 0.0, -1.3)) * share * share
        wave = Vector((math.cos(phase + 9.0 * share), 0.3 * math.sin(phase + 9.0 * share), math.sin(phase + 9.0 * share)))
        place = place + (way.normalized() + 0.35 * share * wave).normalized() * length / 19.0
        points.append(place)
    return points


def add_hair(head, count):
    """Hair curves, by way of a poly curve: Blender 3.4 has no call that adds them."""
    poly = bpy.data.curves.new("Hair", "CURVE")
    poly.dimensions = "3D"
    for root, normal in find_roots(head, count):
        spline = poly.splines.new("POLY")
        points = comb(root, normal)
        spline.points.add(len(points) - 1)
        for i, point in enumerate(spline.points):
            point.co = (*points[i], 1.0)
            point.radius = 0.0006 * (1.0 - 0.6 * i / len(points))
    thing = bpy.data.objects.new("Hair", poly)
    scene.collection.objects.link(thing)
    bpy.ops.object.select_all(action="DESELECT")
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.convert(target="CURVES")
    hair = bpy.context.object
    hair.data.materials.append(material("hair", (0.2, 0.08, 0.03), True))
    hair.data.surface = head
    hair.parent = head  # so that the groom, too, goes along


def add_motion(head):
    head.rotation_mode = "XYZ"
    for frame, turn, nod in ((1, 0, 0), (8, 0, 0), (16, 50, 5), (26, -50, 5), (34, 30, 0), (42, 0, 20), (50, 0, 0), (60, 0, 0)):
        head.rotation_euler = (math.radians(nod), 0.0, math.radians(turn))
        head.keyframe_insert("rotation_euler", frame=frame)


def add_studio():
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (0.5, -0.55, 0.2)
    camera.rotation_euler = (Vector((0.0, 0.06, 0.0)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 58
    scene.camera = camera
    scene.collection.objects.link(camera)
    for name, place, power in (("Key", (0.8, -0.8, 1.0), 18.0), ("Rim", (-0.6, 0.8, 0.8), 25.0), ("Fill", (-1.0, -0.8, 0.2), 5.0)):
        light = bpy.data.lights.new(name, "AREA")
        light.energy, light.size = power, 0.5
        thing = bpy.data.objects.new(name, light)
        thing.location = place
        thing.rotation_euler = (-Vector(place)).to_track_quat("-Z", "Y").to_euler()
        scene.collection.objects.link(thing)
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.05, 0.055, 0.065, 1.0)
    scene.world = world
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 128
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = 480, 400


random.seed(1)
head = add_head()
add_hair(head, 1500)
add_motion(head)
add_studio()
bpy.context.view_layer.objects.active = head
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(sys.argv[-1]))
