// Shaders of the page, GLSL 3.00.
import { DEPTH } from "./light.js";
import { TABLE } from "./scatter.js";

export const BODY_ROW = 64; // vertices of the body in a row of the texture that they are lit in

// What a vertex has as its colour.
export const plainFragment = `
precision highp float;
in vec3 shade;
out vec4 colour;
void main() { colour = vec4(shade, 1.0); }`;

const random = `
float random(uint x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return float(x >> 8) / 16777216.0;
}`;

const tone = `
// Highlights roll off as in the pictures of the renderer: straight up to 0.6, then towards 1; and sRGB.
vec3 tone(vec3 c) {
  c = max(c, 0.0);
  vec3 beyond = max(c - 0.6, 0.0) / 0.4;
  c = min(c, 0.6) + 0.4 * beyond / (1.0 + beyond);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}`;

// What is between a place and the lights (light.js): hairs crossed to each of three, and to the sky; bodies.
const through = (solids) => `
uniform highp sampler3D cloud;
uniform vec3 cloudLow, cloudSize, cloudShift; // its corner, its size [cell], and where things were when it was made
uniform float cloudCell, cloudTexels;
uniform vec3 lightDirection[3], lightColour[3], sky, ground;
uniform float exposure;
vec4 crossedIn(vec3 cells) {
  vec4 t = texture(cloud, clamp(cells, vec3(0.5), cloudSize - 0.5) / cloudTexels);
  return ${DEPTH}.0 * t / (1.0 - 0.999 * t);
}
// About exp(-x), which falls off a little slower, as scattered light does.
float fade(float x) {
  float y = 1.0 / (1.0 + x * 0.0625);
  y *= y; y *= y; y *= y;
  return y * y;
}${solids ? `
uniform highp sampler2D solids;
uniform mat4 solidMatrix[3];
uniform float solidStep;
// The way until the cloud, along a direction; below 0: it is never met.
float wayIn(vec3 cells, vec3 direction) {
  vec3 one = 1.0 / (direction + vec3(lessThan(abs(direction), vec3(1e-6))) * 1e-6), a = -cells * one, b = (cloudSize - cells) * one;
  vec3 low = min(a, b), high = max(a, b);
  float near = max(0.0, max(low.x, max(low.y, low.z))), far = min(high.x, min(high.y, high.z));
  return near <= far ? near : -1.0;
}
// Hairs crossed from a place of a body, which may be beside or below the hair.
vec4 crossedBelow(vec3 p) {
  vec3 cells = (p + cloudShift - cloudLow) / cloudCell;
  if (all(greaterThanEqual(cells, vec3(0.0))) && all(lessThanEqual(cells, cloudSize))) return crossedIn(cells);
  vec4 sum = vec4(0.0);
  for (int l = 0; l < 3; l++) {
    float way = wayIn(cells, lightDirection[l]);
    if (way >= 0.0) sum[l] = crossedIn(cells + way * lightDirection[l])[l];
  }
  if (cells.y < 0.0) { // the sky's shadow grows wide and faint
    for (int k = 0; k < 4; k++) {
      vec2 at = cells.xz - 0.5 * cells.y * vec2(k % 2 == 0 ? -1.0 : 1.0, k < 2 ? -1.0 : 1.0);
      if (all(greaterThanEqual(at, vec2(0.0))) && all(lessThanEqual(at, cloudSize.xz))) sum.w += 0.25 * crossedIn(vec3(at.x, 0.0, at.y)).w;
    }
    sum.w *= 0.5 * cloudSize.x / (0.5 * cloudSize.x - cells.y);
  }
  return sum;
}
// The share of a light that bodies let through.
float open(int l, vec3 p, vec3 n) {
  vec3 at = (solidMatrix[l] * vec4(p + cloudShift + 2.0 * solidStep * n, 1.0)).xyz;
  ivec2 cell = ivec2(floor(at.xy));
  vec2 f = at.xy - floor(at.xy);
  int most = textureSize(solids, 0).x - 2;
  if (cell.x < 0 || cell.y < 0 || cell.x > most || cell.y > most) return 1.0;
  vec4 far = vec4(texelFetch(solids, cell, 0)[l], texelFetch(solids, cell + ivec2(1, 0), 0)[l],
    texelFetch(solids, cell + ivec2(0, 1), 0)[l], texelFetch(solids, cell + ivec2(1, 1), 0)[l]);
  vec4 clear = 1.0 - clamp((far - at.z) / (3.0 * solidStep), 0.0, 1.0);
  return mix(mix(clear.x, clear.y, f.x), mix(clear.z, clear.w, f.x), f.y);
}` : ""}`;

// What is written of a colour: as it is seen; in pictures that are added up, light.
const shown = (adds) => `
${tone}
vec3 shown(vec3 c) { return ${adds ? "max(exposure * c, 0.0)" : "tone(exposure * c)"}; }`;

// ---- growing: one texel is one sample of one hair ----

export const growVertex = `
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

// Of locks only the middle line is made: what winds around it is drawn at the pixels.
export const growFragment = (locks) => `
precision highp float;
precision highp int;
uniform highp sampler2D guides, hairs;
uniform int samples, drawn, stride, hairFirst, hairCount, perRow, blend, guidesPerRow; // samples of a guide, and of a hair
uniform float clump, clumpLarge, clumpSmall, clumpStart, noise, noiseLength, frizz, frizzLength, wispTip;
out vec4 point;
// Divisions are dear in software: one for each guide, none for each of its numbers.
ivec2 placeOf(int guide) { return ivec2((guide % guidesPerRow) * stride, guide / guidesPerRow); }
vec3 row(ivec2 guide, int kind, int i) { return texelFetch(guides, guide + ivec2(kind * samples + i, 0), 0).xyz; }
vec3 turned(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
vec3 unitOr(vec3 v, vec3 other) { return dot(v, v) > 1e-4 ? normalize(v) : other; }
${random}
// Two waves an axis, of the random numbers from id on.
vec3 waves(float high, float turnsAlong, uint id, float s) {
  vec3 sum = vec3(0.0);
  for (int wave = 0; wave < 2; wave++) {
    uint at = id + uint(wave * 4);
    float turns = min(turnsAlong * (float(wave) + 0.6 + 0.8 * random(at)), float(samples - 1) * 0.25);
    vec3 start = vec3(random(at + 1u), random(at + 2u), random(at + 3u));
    float shown = min(1.0, float(drawn - 1) / (5.0 * turns)); // samples that are too far apart would make corners of it
    sum += high * shown * shown * s / float(wave + 1) * sin(6.2831853 * (start + turns * s));
  }
  return sum;
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int hair = hairFirst + at.y * perRow + at.x / drawn, i = at.x % drawn * (samples - 1) / (drawn - 1);
  point = vec4(0.0);
  if (hair >= hairCount || at.x >= perRow * drawn) return;
  ivec2 facts = ivec2(hair % 408 * 5, hair / 408); // 5 texels a hair
  vec4 a = texelFetch(hairs, facts, 0), b = texelFetch(hairs, facts + ivec2(1, 0), 0), c = texelFetch(hairs, facts + ivec2(2, 0), 0);
  vec4 d = texelFetch(hairs, facts + ivec2(3, 0), 0), e = texelFetch(hairs, facts + ivec2(4, 0), 0);
  ivec2 g0 = placeOf(int(a.w)), g1 = placeOf(int(b.x)), g2 = placeOf(int(b.y));
  float w0 = b.z, w1 = b.w, w2 = max(0.0, 1.0 - w0 - w1);
  int last = int(c.y);
  i = min(i, last);
  float s = float(i) / float(samples - 1);
  vec3 root = row(g0, 5, 0);
  vec4 turn = normalize(texelFetch(guides, g0 + ivec2(5 * samples + 1, 0), 0));
  vec3 offset = turned(turn, a.xyz), guide = row(g0, ${locks ? "0" : "4"}, i);
  if (blend == 2) {
    vec3 t = row(g0, 1, i), n = row(g0, 2, i), t0 = row(g0, 1, 0), n0 = row(g0, 2, 0);
    float wide = 1.0 + (wispTip - 1.0) * s;
    point.xyz = root + guide + wide * (dot(offset, n0) * n + dot(offset, cross(t0, n0)) * cross(t, n));
  } else {
    vec3 free, n, t;
    if (blend == 1) {
      free = w0 * guide + w1 * row(g1, ${locks ? "0" : "4"}, i) + w2 * row(g2, ${locks ? "0" : "4"}, i);
    } else {
      vec3 core = w0 * row(g0, 0, i) + w1 * row(g1, 0, i) + w2 * row(g2, 0, i);
      vec3 t0 = row(g0, 1, i), n0 = row(g0, 2, i);
      t = unitOr(w0 * t0 + w1 * row(g1, 1, i) + w2 * row(g2, 1, i), t0);
      n = w0 * n0 + w1 * row(g1, 2, i) + w2 * row(g2, 2, i);
      n = unitOr(n - dot(n, t) * t, n0);
      vec3 curl = row(g0, 3, i), first = row(g0, 3, 0);
      float ca = cos(c.x), sa = sin(c.x);
      vec2 turnedCurl = c.z * vec2(ca * curl.x - sa * curl.y, sa * curl.x + ca * curl.y);
      vec2 turnedFirst = c.z * vec2(ca * first.x - sa * first.y, sa * first.x + ca * first.y);
      vec3 t1 = row(g0, 1, 0), n1 = row(g0, 2, 0);
      free = core + ${locks ? "" : "turnedCurl.x * n + turnedCurl.y * cross(t, n) + "}curl.z * t
        - (turnedFirst.x * n1 + turnedFirst.y * cross(t1, n1) + first.z * t1);
    }
    free += offset;
    float k = (s - clumpStart) / max(1e-6, 1.0 - clumpStart);
    float ramp = k > 0.0 ? k * (2.0 - k) : 0.0;
    point.xyz = root + mix(free, guide, (blend == 3 ? clumpLarge : clump) * ramp);
    if (blend == 3) { // around the middle of its lock
      float q = clump * ramp * (d.w < 0.0 ? 0.2 : 1.0), wide = q * abs(d.w) * (1.0 + (wispTip - 1.0) * s);
      vec2 place = wide * mix(e.xy, e.zw, clumpSmall * ramp);
      point.xyz += (1.0 - q) * turned(turn, d.xyz) + place.x * n + place.y * cross(t, n);
    }
  }
  if (c.w > 0.0) { // not the guides
    uint id = uint(hair) * 16u;
    point.xyz += waves(noise * (d.w < 0.0 ? 6.0 : 1.0), c.w / noiseLength * (d.w < 0.0 ? 0.33333 : 1.0), id, s) + waves(frizz, c.w / frizzLength, id + 8u, s);
  }
  point.w = float(i) / float(last);
}`;

// ---- the colour of hair: one texel is one sample of one hair, as above ----

// Light varies along a hair, hardly across it: a sample is lit once, however many pixels and layers of hair it covers. The way from the
// middle of the ribbon to its side is found here as well: corners of triangles are made several times each in software.
const lit = `
// Light that was scattered once, by tables of the hair's direction, and more often, with the colour of a mass of hair.
vec3 lit(vec3 t, vec4 crossed, int kind) {
  vec3 d = vec3(yaw.x * t.x - yaw.y * t.z, t.y, yaw.y * t.x + yaw.x * t.z);
  d /= abs(d.x) + abs(d.y) + abs(d.z);
  vec2 place = d.z < 0.0 ? (1.0 - abs(d.yx)) * vec2(d.x < 0.0 ? -1.0 : 1.0, d.y < 0.0 ? -1.0 : 1.0) : d.xy;
  ivec2 square = ivec2(clamp((0.5 + 0.5 * place) * ${TABLE}.0, vec2(0.0), vec2(${TABLE - 1}.0)));
  vec3 often = around * (0.10 + 0.90 * fade(0.35 * crossed.w)), once = vec3(0.0);
  for (int l = 0; l < 3; l++) {
    float sine = dot(t, lightDirection[l]), way = crossed[l];
    often += 0.30 * sqrt(max(0.0, 1.0 - sine * sine)) * fade(0.4 * way) * lightColour[l];
    vec3 left = way * (1.0 - kindPass[kind]);
    once += texelFetch(table, square + ivec2(0, ${TABLE} * (3 * kind + l)), 0).rgb * vec3(fade(left.r), fade(left.g), fade(left.b));
  }
  return kindAlbedo[kind] * often + once;
}
vec3 tintOf(int hair, int kind) {
  uint id = uint(hair) * 4u;
  float bell = random(id + 77u) + random(id + 78u) + random(id + 79u) - 1.5;
  return pow(max(kindAlbedo[kind], vec3(0.01)), vec3(0.5 * kindVariation[kind] * bell));
}
float packed(vec3 c) {
  vec3 bytes = floor(255.0 * clamp(c, 0.0, 1.0) + 0.5);
  return bytes.r + 256.0 * (bytes.g + 256.0 * bytes.b);
}`;

const shadeHead = (adds) => `
precision highp float;
precision highp int;
uniform highp sampler2D grown, table;
uniform float width, tip, tipStart, pixel, floorWidth;
uniform int samples, drawn, hairFirst, hairCount, perRow;
uniform vec3 eye, around;
uniform vec2 yaw; // cosine and sine of how far the camera has turned around
uniform highp sampler2D kinds; // of each hair: its section's look, its width by the widest
uniform vec3 kindAlbedo[16], kindPass[16];
uniform float kindVariation[16];
${through(false)}
${shown(adds)}
${random}
${lit}`;

export const shadeFragment = (adds) => `${shadeHead(adds)}
out vec4 side; // and the colour, eight bits each
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int hair = hairFirst + at.y * perRow + at.x / drawn, i = at.x % drawn;
  side = vec4(0.0);
  if (hair >= hairCount || at.x >= perRow * drawn) return;
  vec4 p = texelFetch(grown, at, 0);
  vec3 before = texelFetch(grown, at - ivec2(i > 0 ? 1 : 0, 0), 0).xyz;
  vec3 d = texelFetch(grown, at + ivec2(i + 1 < drawn ? 1 : 0, 0), 0).xyz - before;
  vec3 t = dot(d, d) > 1e-10 ? normalize(d) : vec3(0.0, -1.0, 0.0);
  vec4 own = texelFetch(kinds, ivec2(hair % 2040, hair / 2040), 0);
  int kind = int(own.x);
  vec3 c = shown(tintOf(hair, kind) * lit(t, crossedIn((p.xyz + cloudShift - cloudLow) / cloudCell), kind));
  vec3 toEye = eye - p.xyz, across = cross(d, toEye);
  across = dot(across, across) > 1e-12 ? normalize(across) : vec3(1.0, 0.0, 0.0);
  float thin = max(0.0, (p.w - tipStart) / max(1e-6, 1.0 - tipStart));
  float wide = 0.5 * width * own.y * (1.0 + (tip - 1.0) * thin * thin);
  side = vec4(wide * across, packed(${adds ? "sqrt(0.25 * c)" : "c"}));
}`;

// ---- hair as ribbons ----

const colourOfTexel = (adds) => `
vec3 colourOf(float packed) {
  int colour = int(packed);
  vec3 c = vec3(colour & 255, (colour >> 8) & 255, colour >> 16) / 255.0;
  return ${adds ? "4.0 * c * c" : "c"};
}`;

export const hairVertex = (adds) => `
precision highp float;
precision highp int;
in vec3 corner; // hair of its group, texel of its sample in the row of the group, side
uniform highp sampler2D grown, sides;
uniform mat4 viewMatrix, projectionMatrix;
uniform int hairFirst, hairCount, perRow;
uniform float pixel, floorWidth;
uniform vec3 eye;
out vec3 shade;
out float cover;
flat out float chance;
${random}
${colourOfTexel(adds)}
void main() {
  int hair = hairFirst + gl_InstanceID * perRow + int(corner.x);
  if (hair >= hairCount) { // of the last group: all corners at one place, nothing is drawn
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  ivec2 at = ivec2(int(corner.y), gl_InstanceID);
  vec3 p = texelFetch(grown, at, 0).xyz;
  vec4 side = texelFetch(sides, at, 0);
  shade = colourOf(side.w);
  float wide = length(side.xyz), least = floorWidth * pixel * length(eye - p); // half of the narrowest ribbon
  cover = min(1.0, wide / least);
  chance = random(uint(hair) + 5u);
  side.xyz *= max(1.0, least / max(1e-12, wide));
  gl_Position = projectionMatrix * (viewMatrix * vec4(p + corner.z * side.xyz, 1.0));
}`;

// Thinner than a pixel: in pictures that are added up some hairs are left out of one, where they are thin; in others some of their pixels.
export const hairFragment = (adds) => `
precision highp float;
in vec3 shade;
in float cover;
flat in float chance;
out vec4 colour;
void main() {
  if (cover < ${adds ? "chance" : "1.0 && fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)) + chance * 7.0)) > cover"}) discard;
  colour = vec4(shade, 1.0);
}`;

// ---- locks, for browsers that draw in software: few wide ribbons, whose pixels find the curl on them ----

// One texel is one sample of a lock's middle line: how it is lit, and how the lock winds around it.
export const lockShadeFragment = `${shadeHead(false)}
uniform highp sampler2D guides, hairs;
uniform int stride, guidesPerRow;
uniform vec2 thick; // half of a lock's thickness: by its hair's width, and by the curl's radius, at most
layout(location = 0) out vec4 side; // to the ribbon's side, and the colour, eight bits each
layout(location = 1) out vec4 wind; // how far it has turned [rad], the curl's radius, half the lock's thickness, turning along [rad/unit]
layout(location = 2) out vec4 seen; // cosine and sine of where the side is as the curl turns; half way between light and eye: across, along
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int hair = hairFirst + at.y * perRow + at.x / drawn, i = at.x % drawn;
  side = wind = seen = vec4(0.0);
  if (hair >= hairCount || at.x >= perRow * drawn) return;
  vec4 p = texelFetch(grown, at, 0);
  vec3 d = texelFetch(grown, at + ivec2(i + 1 < drawn ? 1 : 0, 0), 0).xyz - texelFetch(grown, at - ivec2(i > 0 ? 1 : 0, 0), 0).xyz;
  vec3 t = dot(d, d) > 1e-10 ? normalize(d) : vec3(0.0, -1.0, 0.0), toEye = eye - p.xyz;
  vec3 v = normalize(toEye), across = cross(t, v);
  across = dot(across, across) > 1e-8 ? normalize(across) : vec3(1.0, 0.0, 0.0);
  ivec2 facts = ivec2(hair % 408 * 5, hair / 408);
  vec4 a = texelFetch(hairs, facts, 0), c = texelFetch(hairs, facts + ivec2(2, 0), 0);
  int guide = int(a.w), k = i * (samples - 1) / (drawn - 1);
  ivec2 g = ivec2(guide % guidesPerRow * stride, guide / guidesPerRow);
  vec4 curl = texelFetch(guides, g + ivec2(3 * samples + k, 0), 0);
  vec3 n = texelFetch(guides, g + ivec2(2 * samples + k, 0), 0).xyz;
  n = normalize(n - dot(n, t) * t);
  vec4 own = texelFetch(kinds, ivec2(hair % 2040, hair / 2040), 0);
  int kind = int(own.x);
  int next = min(samples - 1, k + 1);
  float winding = (texelFetch(guides, g + ivec2(3 * samples + next, 0), 0).w - curl.w) * float(samples - 1) / float(drawn - 1) /
    max(1e-6, 0.5 * length(d) * (i == 0 || i + 1 == drawn ? 2.0 : 1.0));
  float radius = c.z * length(curl.xy), thin = max(0.0, (p.w - tipStart) / max(1e-6, 1.0 - tipStart)), far = pixel * length(toEye);
  float half_ = thick.x * own.y * (1.0 - 0.75 * thin * thin) *
    (1.5 - 0.5 * smoothstep(0.0, 0.2, p.w)) * (0.5 + 0.5 * smoothstep(0.0, 0.06, p.w)); // wide near the root: no bare skin between few of them
  float ratio = radius / half_, slope = abs(radius * winding), fluff = smoothstep(0.5, 1.0, slope) * (1.0 - smoothstep(0.3, 0.6, ratio));
  half_ *= 1.0 + 0.8 * fluff; // narrow coils stand off from each other
  radius *= smoothstep(0.15, 0.5, ratio) * smoothstep(4.0, 9.0, 6.2831853 / max(1e-6, abs(winding) * far)); // a bend is no curl; too fine to be seen
  half_ = max(0.7 * far, mix(half_, min(half_, thick.y * radius), smoothstep(0.3, 0.6, radius / half_))); // narrow, that its curls are seen
  wind = vec4(curl.w + c.x, radius, half_, winding);
  vec3 h = normalize(lightDirection[0] + v);
  seen = vec4(dot(across, n), dot(across, cross(t, n)), dot(h, across), dot(h, t));
  vec3 cell = (p.xyz + cloudShift - cloudLow) / cloudCell + 0.5 * v; // the cloud is coarse: what is asked for is before the lock, not around it
  vec4 crossed = vec4(0.0, 0.0, 0.0, crossedIn(cell + vec3(0.0, 0.8, 0.0)).w);
  for (int l = 0; l < 3; l++) crossed[l] = 1.2 + 0.5 * crossedIn(cell + 0.9 * lightDirection[l])[l];
  vec3 aside = min(0.9, 0.5 * slope) * across; // its hair runs to both sides
  vec3 light = shown(tintOf(hair, kind) * 0.5 * (lit(normalize(t + aside), crossed, kind) + lit(normalize(t - aside), crossed, kind)));
  side = vec4((radius + half_) * across, packed(light));
}`;

export const lockVertex = `
precision highp float;
precision highp int;
in vec3 corner;
uniform highp sampler2D grown, sides, winds, seens;
uniform mat4 viewMatrix, projectionMatrix;
uniform int hairFirst, hairCount, perRow;
out vec3 shade;
out vec4 wind; // place across, curl's radius, one by half the thickness, how far it runs across on a length along
out vec3 turn; // turns so far, cosine and sine of where the side is
out vec2 halfway;
${colourOfTexel(false)}
void main() {
  if (hairFirst + gl_InstanceID * perRow + int(corner.x) >= hairCount) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  ivec2 at = ivec2(int(corner.y), gl_InstanceID);
  vec4 side = texelFetch(sides, at, 0), w = texelFetch(winds, at, 0), s = texelFetch(seens, at, 0);
  shade = colourOf(side.w);
  wind = vec4(corner.z * (w.y + w.z), w.y, 1.0 / w.z, w.y * w.w);
  turn = vec3(w.x * 0.1591549, s.xy);
  halfway = s.zw;
  gl_Position = projectionMatrix * (viewMatrix * vec4(texelFetch(grown, at, 0).xyz + corner.z * side.xyz, 1.0));
}`;

export const lockFragment = `
precision highp float;
in vec3 shade;
in vec4 wind;
in vec3 turn;
in vec2 halfway;
out vec4 colour;
// About the sine of so many turns: a parabola for each half.
vec2 wave(vec2 turns) {
  vec2 x = fract(turns) - 0.5;
  return x * (16.0 * abs(x) - 8.0);
}
void main() {
  vec2 w = wave(vec2(turn.x, turn.x + 0.25));
  float x = w.y * turn.y + w.x * turn.z, z = w.x * turn.y - w.y * turn.z; // of a circle: across, and to the eye
  float across = -wind.w * z, steep = inversesqrt(1.0 + across * across), off = (wind.x - wind.y * x) * steep * wind.z; // -1 to 1 within the lock
  if (abs(off) > 1.0) discard;
  float sine = (across * halfway.x + halfway.y + 0.8 * wind.w * x) * steep, shine = max(0.0, 1.0 - sine * sine);
  shine *= shine; shine *= shine;
  vec2 streaks = wave(vec2(1.4, 3.1) * off + shade.rg * vec2(6.0, -14.0));
  float curled = min(1.0, wind.y * wind.z); // curls are round, and darker where they turn away; straight locks lie side by side
  colour = vec4(shade * (0.80 - (0.10 + 0.20 * curled) * off * off + 0.09 * streaks.x + 0.06 * streaks.y + 0.5 * shine + 0.3 * curled * z), 1.0);
}`;

// A line of one pixel, for hairs that are thinner.
export const lineHairVertex = hairVertex(true).replace("p + corner.z * side.xyz", "p");

// ---- the body ----

// How much of a place is shirt; the edge is how far it is within (pack.c), as render/dress.c has it.
const shirt = `
float shirt(float edge) { return smoothstep(0.0, 1.0, 0.5 + 16.0 * (edge - 0.5)); }`;

const bodyLight = (adds) => `
uniform vec3 eye;
${through(true)}
${shown(adds)}
// Skin and cloth, as src/render/raster_body.c has them.
vec3 skinAt(vec3 skin, float bare, vec3 world, vec3 n, float lift) {
  vec3 v = normalize(eye - world);
  float away = dot(n, v);
  if (away < 0.0) n = normalize(n - 1.001 * away * v);
  vec4 crossed = crossedBelow(world + lift * n);
  vec3 sum = mix(ground, sky, 0.5 + 0.5 * n.y) * skin * (0.3 + 0.7 * exp(-0.4 * crossed.w));
  vec3 spread = vec3(0.22, 0.07, 0.03) * bare;
  for (int l = 0; l < 3; l++) {
    float cosine = dot(n, lightDirection[l]);
    if (!(cosine > -spread.x)) continue;
    float left = exp(-0.4 * crossed[l]) * (0.06 + 0.94 * open(l, world, n));
    vec3 w = max((cosine + spread) / (1.0 + spread), 0.0) * 0.31831;
    float sharp = max(0.0, dot(normalize(lightDirection[l] + v), n));
    sharp *= sharp; sharp *= sharp; sharp *= sharp; sharp *= sharp;
    sum += left * lightColour[l] * (skin * w + 0.045 * bare * sharp * max(0.0, cosine));
  }
  return shown(sum);
}`;

// Lit at each pixel. Colours are square roots of light, the face's picture by 1.25 (pack.c).
export const bodyFine = (adds) => [`
in vec3 position;
in vec3 normal;
in vec3 place;
in vec4 paint;
uniform mat4 viewMatrix, projectionMatrix;
out vec3 world, across, spot;
out vec4 tint;
void main() {
  world = position;
  across = normal;
  tint = vec4(paint.rgb * paint.rgb, paint.a);
  spot = place;
  gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
}`, `
precision highp float;
in vec3 world, across, spot;
in vec4 tint;
uniform sampler2D face;
uniform vec3 cloth;
uniform float lift;
out vec4 colour;
${bodyLight(adds)}
${shirt}
void main() {
  vec3 f = texture(face, spot.xy).rgb;
  float dressed = shirt(tint.a);
  vec3 skin = mix(tint.rgb * mix(vec3(1.0), 1.25 * f * f, spot.z), cloth, dressed);
  colour = vec4(skinAt(skin, 1.0 - dressed, world, normalize(across), lift), 1.0);
}`];

// In pictures that are added up: lit once, at the pixels of the first; along edges as the pixel beside.
export const bodyKept = [bodyFine(true)[0], `
precision highp float;
uniform highp sampler2D kept;
out vec4 colour;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  colour = texelFetch(kept, at, 0);
  for (int i = 0; i < 8 && colour.a < 0.5; i++)
    colour = texelFetch(kept, at + ivec2(i == 0 || i > 5 ? 1 : i == 1 || i == 4 || i == 5 ? -1 : 0, i == 2 || i == 4 || i == 6 ? 1 : i == 3 || i == 5 || i == 7 ? -1 : 0), 0);
  if (colour.a < 0.5) discard;
}`];

// For browsers that draw in software: lit once at each vertex, a texel each as skin and as cloth; and drawn with that.
export const bodyShade = `
precision highp float;
uniform highp sampler2D bodyPlaces; // position and normal of each vertex
uniform sampler2D paints;
uniform vec3 cloth;
uniform float lift;
out vec4 colour;
${bodyLight(false)}
void main() {
  ivec2 at = ivec2(int(gl_FragCoord.x) % ${BODY_ROW}, int(gl_FragCoord.y)), own = at * ivec2(2, 1);
  vec3 root = texelFetch(paints, at, 0).rgb, world = texelFetch(bodyPlaces, own, 0).xyz;
  float within = texelFetch(paints, at, 0).a;
  bool dressed = int(gl_FragCoord.x) >= ${BODY_ROW};
  colour = vec4(0.0);
  if (dressed ? within < 0.2 : within > 0.8) return; // far from the shirt's edge: the other one is never seen
  vec3 n = normalize(texelFetch(bodyPlaces, own + ivec2(1, 0), 0).xyz);
  colour = vec4(skinAt(dressed ? cloth : root * root, dressed ? 0.0 : 1.0, world, n, lift), 1.0);
}`;

export const bodyPlain = [`
precision highp float;
in vec3 position;
in vec4 paint;
uniform mat4 viewMatrix, projectionMatrix;
uniform sampler2D lit;
out vec4 shade;
out vec3 clothed;
void main() {
  ivec2 at = ivec2(gl_VertexID % ${BODY_ROW}, gl_VertexID / ${BODY_ROW});
  shade = vec4(texelFetch(lit, at, 0).rgb, paint.a);
  clothed = texelFetch(lit, at + ivec2(${BODY_ROW}, 0), 0).rgb;
  gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
}`, `
precision mediump float;
in vec4 shade;
in vec3 clothed;
out vec4 colour;
${shirt}
void main() { colour = vec4(mix(shade.rgb, clothed, shirt(shade.a)), 1.0); }`];

// The same with the face's picture on it: near enough the factor on what the eye sees.
export const bodyFace = [bodyPlain[0].replace("out vec4 shade;", "in vec3 place;\nout vec4 shade;\nout vec3 spot;").replace("void main() {", "void main() {\n  spot = place;"), `
precision mediump float;
in vec4 shade;
in vec3 spot;
uniform sampler2D face;
out vec4 colour;
void main() { colour = vec4(shade.rgb * mix(vec3(1.0), 0.083 + 1.025 * texture(face, spot.xy).rgb, spot.z), 1.0); }`];

// ---- behind all, and lines over it ----

export const backVertex = (adds) => `
precision highp float;
in vec3 position;
uniform vec3 top, bottom;
uniform float exposure;
out vec3 shade;
${shown(adds)}
void main() {
  shade = shown(mix(bottom, top, position.y * 0.5 + 0.5));
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

// The mean of pictures that were added up, as it is seen.
export const meanFragment = `
precision highp float;
uniform sampler2D sum;
uniform float count;
out vec4 colour;
${tone}
void main() { colour = vec4(tone(texelFetch(sum, ivec2(gl_FragCoord.xy), 0).rgb / count), 1.0); }`;

export const copyFragment = `
precision highp float;
uniform sampler2D one;
out vec4 colour;
void main() { colour = vec4(texelFetch(one, ivec2(gl_FragCoord.xy), 0).rgb, 1.0); }`;

// Lines keep their colours where pictures are added up, too: there they are light.
export const lineFragment = `
precision highp float;
in vec3 shade;
uniform bool adds;
out vec4 colour;
void main() { colour = vec4(adds ? pow(min(shade, 0.9), vec3(2.2)) : shade, 1.0); }`;

export const lineVertex = `
in vec3 position;
in vec3 tint;
uniform mat4 viewMatrix, projectionMatrix;
uniform float size;
out vec3 shade;
void main() {
  shade = tint;
  gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
  gl_Position.z -= 2e-4 * gl_Position.w;
  gl_PointSize = size;
}`;
