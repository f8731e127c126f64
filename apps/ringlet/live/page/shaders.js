// Shaders of the page, GLSL 3.00.
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

// Deep opacity: how much hair is between a point and the key light, in four layers behind the first hair.
const shadow = `
uniform sampler2D lightDepth, lightLayers;
uniform mat4 lightMatrix;
uniform vec4 layerEnds;
uniform float hairOpacity, lightRange;
float occlusion(vec3 world, float back) {
  vec4 p = lightMatrix * vec4(world, 1.0);
  vec3 at = p.xyz * 0.5 + 0.5;
  vec2 one = 1.0 / vec2(textureSize(lightLayers, 0));
  float sum = 0.0;
  for (int i = 0; i < 4; i++) {
    vec2 uv = at.xy + one * (vec2(i & 1, i >> 1) - 0.5) * 1.5;
    float behind = (at.z - texture(lightDepth, uv).r) * lightRange - back;
    vec4 layers = texture(lightLayers, uv);
    vec4 starts = vec4(0.0, layerEnds.xyz);
    vec4 share = clamp((behind - starts) / (layerEnds - starts), 0.0, 1.0);
    sum += dot(layers, share);
  }
  return exp(-0.25 * hairOpacity * sum);
}`;

// ---- growing: one texel is one sample of one hair ----

export const growVertex = `
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

export const growFragment = `
precision highp float;
precision highp int;
uniform highp sampler2D guides, hairs;
uniform int samples, stride, hairCount, perRow, blend, guidesPerRow;
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
    float turns = turnsAlong * (float(wave) + 0.6 + 0.8 * random(at));
    vec3 start = vec3(random(at + 1u), random(at + 2u), random(at + 3u));
    sum += high * s / float(wave + 1) * sin(6.2831853 * (start + turns * s));
  }
  return sum;
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int hair = at.y * perRow + at.x / samples, i = at.x % samples;
  point = vec4(0.0);
  if (hair >= hairCount || at.x >= perRow * samples) return;
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
  vec3 offset = turned(turn, a.xyz), guide = row(g0, 4, i);
  if (blend == 2) {
    vec3 t = row(g0, 1, i), n = row(g0, 2, i), t0 = row(g0, 1, 0), n0 = row(g0, 2, 0);
    float wide = 1.0 + (wispTip - 1.0) * s;
    point.xyz = root + guide + wide * (dot(offset, n0) * n + dot(offset, cross(t0, n0)) * cross(t, n));
  } else {
    vec3 free, n, t;
    if (blend == 1) {
      free = w0 * guide + w1 * row(g1, 4, i) + w2 * row(g2, 4, i);
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
      free = core + turnedCurl.x * n + turnedCurl.y * cross(t, n) + curl.z * t
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
    point.xyz += waves(noise * (d.w < 0.0 ? 6.0 : 1.0), c.w / noiseLength, id, s) + waves(frizz, c.w / frizzLength, id + 8u, s);
  }
  point.w = float(i) / float(last);
}`;

// ---- the colour of hair: one texel is one sample of one hair, as above ----

// Light varies along a hair, hardly across it: a sample is lit once, however many pixels and layers of hair it covers. The way from the
// middle of the ribbon to its side is found here as well: corners of triangles are made several times each in software.
export const shadeFragment = (solid) => `
precision highp float;
precision highp int;
uniform highp sampler2D grown;
uniform float width, tip, tipStart, pixel, floorWidth;
uniform int samples, hairCount, perRow;
uniform vec3 eye, centre, keyDirection, fillDirection, rimDirection, keyColour, fillColour, rimColour, sky, ground;
uniform highp sampler2D kinds; // of each hair: its section's look, its width by the widest
uniform vec3 kindColour[16], kindSigma[16], kindLobe[16]; // lobe: roughness, tilt, variation
uniform float exposure;
out vec4 side; // and the colour, eight bits each
${tone}
${shadow}
${random}
// One light: a lobe that reflects white off the surface, one that passes twice through the hair and takes its colour,
// one that passes once, and the light that many hairs scatter on.
vec3 lit(vec3 l, vec3 v, vec3 t, vec3 n, vec3 body, float visible, float roughness, float tilt) {
  float sl = dot(t, l), sv = dot(t, v), cl = sqrt(max(0.0, 1.0 - sl * sl)), cv = sqrt(max(0.0, 1.0 - sv * sv));
  float half_ = asin(clamp(0.5 * (sl + sv), -1.0, 1.0));
  vec3 lp = l - sl * t, vp = v - sv * t;
  float cosPhi = dot(lp, vp) * inversesqrt(max(1e-6, dot(lp, lp) * dot(vp, vp)));
  float b = max(0.06, roughness * 0.45);
  float r = exp(-pow(half_ + 2.0 * tilt, 2.0) / (2.0 * b * b)) / b;
  float trt = exp(-pow(half_ - 3.0 * tilt, 2.0) / (2.0 * 4.0 * b * b)) / (2.0 * b);
  float tt = exp(-pow(half_ - tilt, 2.0) / (2.0 * 0.8 * b * b)) / b;
  float nr = 0.25 * sqrt(max(0.0, 0.5 + 0.5 * cosPhi));
  float nt = exp(-4.5 * (1.0 + cosPhi));
  vec3 c = 0.032 * vec3(r * nr) + 0.12 * pow(body, vec3(0.6)) * trt * pow(max(0.0, cosPhi), 2.0)
    + 0.15 * pow(body, vec3(0.5)) * tt * nt;
  float wrap = clamp(0.45 + 0.55 * dot(n, l), 0.0, 1.0);
  c += 0.8 * body * cl * wrap * (0.4 + 0.6 * cl);
  return c * visible * max(0.15, cl);
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int hair = at.y * perRow + at.x / samples, i = at.x % samples;
  side = vec4(0.0);
  if (hair >= hairCount || at.x >= perRow * samples) return;
  vec4 p = texelFetch(grown, at, 0);
  vec3 before = texelFetch(grown, at - ivec2(i > 0 ? 1 : 0, 0), 0).xyz;
  vec3 d = texelFetch(grown, at + ivec2(i + 1 < samples ? 1 : 0, 0), 0).xyz - before;
  vec3 t = dot(d, d) > 1e-10 ? normalize(d) : vec3(0.0, -1.0, 0.0);
  vec3 v = normalize(eye - p.xyz), n = normalize(p.xyz - centre);
  float tint = random(uint(hair) + 77u);
  vec4 own = texelFetch(kinds, ivec2(hair % 2040, hair / 2040), 0);
  int kind = int(own.x);
  float roughness = kindLobe[kind].x, tilt = kindLobe[kind].y;
  vec3 body = kindColour[kind] * exp(-(tint - 0.5) * kindLobe[kind].z * 1.6 * kindSigma[kind]);
  float key = occlusion(p.xyz, 0.4), deep = mix(0.45, 1.0, smoothstep(0.0, 0.35, p.w));
  body = pow(body, vec3(mix(1.35, 1.0, key))); // light that comes through much hair has taken more of its colour
  vec3 c = keyColour * lit(keyDirection, v, t, n, body, key, roughness, tilt)
    + fillColour * lit(fillDirection, v, t, n, body, mix(key, 1.0, 0.35) * deep, roughness, tilt)
    + rimColour * lit(rimDirection, v, t, n, body, mix(key, 1.0, 0.6) * deep, roughness, tilt);
  c += 0.7 * body * mix(ground, sky, 0.5 + 0.5 * n.y) * deep * mix(0.25, 1.0, key);
  vec3 bytes = floor(255.0 * clamp(tone(exposure * c), 0.0, 1.0) + 0.5);
  vec3 toEye = eye - p.xyz, across = cross(d, toEye);
  across = dot(across, across) > 1e-12 ? normalize(across) : vec3(1.0, 0.0, 0.0);
  float thin = max(0.0, (p.w - tipStart) / max(1e-6, 1.0 - tipStart));
  float wide = 0.5 * width * own.y * (1.0 + (tip - 1.0) * thin * thin);
  ${solid ? "wide = max(wide, floorWidth * pixel * length(toEye));" : ""}
  side = vec4(wide * across, bytes.r + 256.0 * (bytes.g + 256.0 * bytes.b));
}`;

// ---- hair as ribbons ----

export const hairVertex = (solid) => `
precision highp float;
precision highp int;
in vec3 corner; // hair of its group, texel of its sample in the row of the group, side
uniform highp sampler2D grown, sides;
uniform mat4 viewMatrix, projectionMatrix;
uniform int hairCount, perRow;
uniform float pixel, floorWidth;
uniform vec3 eye;
out vec3 shade;
out float cover;
void main() {
  if (gl_InstanceID * perRow + int(corner.x) >= hairCount) { // of the last group: all corners at one place, nothing is drawn
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  ivec2 at = ivec2(int(corner.y), gl_InstanceID);
  vec3 p = texelFetch(grown, at, 0).xyz;
  vec4 side = texelFetch(sides, at, 0);
  int colour = int(side.w);
  shade = vec3(colour & 255, (colour >> 8) & 255, colour >> 16) / 255.0;
  ${solid ? "cover = 1.0;" : `float wide = length(side.xyz), least = floorWidth * pixel * length(eye - p); // half of the narrowest ribbon
  cover = min(1.0, wide / least);
  side.xyz *= max(1.0, least / max(1e-12, wide));`}
  gl_Position = projectionMatrix * viewMatrix * vec4(p + corner.z * side.xyz, 1.0);
}`;

export const hairFragment = `
precision highp float;
in vec3 shade;
in float cover;
out vec4 colour;
void main() {
  // thinner than a pixel: some of them are left out
  if (cover < 1.0 && fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)) + shade.r * 7.0)) > cover) discard;
  colour = vec4(shade, 1.0);
}`;

// Where no pixel is left out, hidden ones need not be drawn.
export const solidFragment = `
precision mediump float;
in vec3 shade;
out vec4 colour;
void main() { colour = vec4(shade, 1.0); }`;

// ---- what the light sees ----

export const lightVertex = `
precision highp float;
precision highp int;
in vec3 corner;
uniform highp sampler2D grown;
uniform mat4 lightMatrix;
uniform int perRow, lightCount;
out float depth;
void main() {
  if (gl_InstanceID * perRow + int(corner.x) >= lightCount) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec3 p = texelFetch(grown, ivec2(int(corner.y), gl_InstanceID), 0).xyz;
  gl_Position = lightMatrix * vec4(p, 1.0);
  depth = gl_Position.z * 0.5 + 0.5;
}`;

export const lightDepthFragment = `
precision highp float;
in float depth;
out vec4 colour;
void main() { colour = vec4(depth); }`;

export const lightLayersFragment = `
precision highp float;
in float depth;
uniform sampler2D lightDepth;
uniform vec4 layerEnds;
uniform float lightRange;
out vec4 colour;
void main() {
  float first = texelFetch(lightDepth, ivec2(gl_FragCoord.xy), 0).r;
  float behind = (depth - first) * lightRange;
  vec4 starts = vec4(-1e9, layerEnds.xyz);
  colour = vec4(greaterThanEqual(vec4(behind), starts)) * vec4(lessThan(vec4(behind), vec4(layerEnds.xyz, 1e9)));
}`;

// ---- the body ----

// How much of a place is shirt; the edge is how far it is within (pack.c), as render/dress.c has it.
const shirt = `
float shirt(float edge) { return smoothstep(0.0, 1.0, 0.5 + 16.0 * (edge - 0.5)); }`;

const bodyLight = `
uniform vec3 eye, keyDirection, fillDirection, rimDirection, keyColour, fillColour, rimColour, sky, ground;
uniform float exposure;
${tone}
${shadow}
vec3 lit(vec3 skin, float matte, vec3 n, vec3 v, vec3 l) {
  vec3 wrap = (dot(n, l) + vec3(0.30, 0.16, 0.10)) / (1.0 + vec3(0.30, 0.16, 0.10)); // light comes through skin, red first
  vec3 h = normalize(l + v);
  float spec = matte * 0.2 * pow(max(0.0, dot(n, h)), 24.0);
  return skin * max(wrap, 0.0) + spec * max(0.0, dot(n, l));
}
vec3 skinAt(vec3 skin, float matte, vec3 world, vec3 n) {
  vec3 v = normalize(eye - world);
  float key = occlusion(world, 0.1);
  vec3 c = keyColour * lit(skin, matte, n, v, keyDirection) * key + fillColour * lit(skin, matte, n, v, fillDirection) * mix(key, 1.0, 0.5)
    + rimColour * lit(skin, matte, n, v, rimDirection) * mix(key, 1.0, 0.5);
  c += 0.8 * skin * mix(ground, sky, 0.5 + 0.5 * n.y) * mix(0.4, 1.0, key);
  return tone(exposure * c);
}`;

// Lit at each pixel. Colours are square roots of light, the face's picture by 1.25 (pack.c).
export const bodyFine = [`
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
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`, `
precision highp float;
in vec3 world, across, spot;
in vec4 tint;
uniform sampler2D face;
uniform vec3 cloth;
out vec4 colour;
${bodyLight}
${shirt}
void main() {
  vec3 f = texture(face, spot.xy).rgb;
  float dressed = shirt(tint.a);
  vec3 skin = mix(tint.rgb * mix(vec3(1.0), 1.25 * f * f, spot.z), cloth, dressed);
  colour = vec4(skinAt(skin, 1.0 - dressed, world, normalize(across)), 1.0);
}`];

// For browsers that draw in software: lit once at each vertex, a texel each; and drawn with that.
export const bodyShade = `
precision highp float;
uniform highp sampler2D bodyPlaces; // position and normal of each vertex
uniform sampler2D paints;
out vec4 colour;
${bodyLight}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy), own = at * ivec2(2, 1);
  vec3 root = texelFetch(paints, at, 0).rgb;
  colour = vec4(skinAt(root * root, 1.0, texelFetch(bodyPlaces, own, 0).xyz, normalize(texelFetch(bodyPlaces, own + ivec2(1, 0), 0).xyz)), 1.0);
}`;

export const bodyPlain = [`
precision highp float;
in vec3 position;
in vec4 paint;
uniform mat4 viewMatrix, projectionMatrix;
uniform sampler2D lit;
out vec4 shade;
void main() {
  shade = vec4(texelFetch(lit, ivec2(gl_VertexID % ${BODY_ROW}, gl_VertexID / ${BODY_ROW}), 0).rgb, paint.a);
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`, `
precision mediump float;
in vec4 shade;
uniform vec3 dressed; // factor on what the eye sees
out vec4 colour;
${shirt}
void main() { colour = vec4(shade.rgb * mix(vec3(1.0), dressed, shirt(shade.a)), 1.0); }`];

// The same with the face's picture on it: near enough the factor on what the eye sees.
export const bodyFace = [bodyPlain[0].replace("out vec4 shade;", "in vec3 place;\nout vec4 shade;\nout vec3 spot;").replace("void main() {", "void main() {\n  spot = place;"), `
precision mediump float;
in vec4 shade;
in vec3 spot;
uniform sampler2D face;
out vec4 colour;
void main() { colour = vec4(shade.rgb * mix(vec3(1.0), 0.083 + 1.025 * texture(face, spot.xy).rgb, spot.z), 1.0); }`];

// ---- behind all, and lines over it ----

export const backVertex = `
precision highp float;
in vec3 position;
uniform vec3 top, bottom;
uniform float exposure;
out vec3 shade;
${tone}
void main() {
  shade = tone(exposure * mix(bottom, top, position.y * 0.5 + 0.5));
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

export const lineVertex = `
in vec3 position;
in vec3 tint;
uniform mat4 viewMatrix, projectionMatrix;
uniform float size;
out vec3 shade;
void main() {
  shade = tint;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  gl_Position.z -= 2e-4 * gl_Position.w;
  gl_PointSize = size;
}`;
