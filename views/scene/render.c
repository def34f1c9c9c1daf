/* SPDX-License-Identifier: Apache-2.0 */
/* render.c - one context for the process, made with the first scene; what a view has on it; the drawing itself. */
#include "views/scene/render.h"
#include "eve/words.h"
#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "readers/reader.h"
#include "views/scene/shapes.h"

#define SAMPLES 4
#define SMALL_PX 9.0  /* radius of what is small, pixels */
#define TINY_PX 4.5   /* and of what is tiny */
#define SLICE 2048    /* objects that are drawn between two looks at the clock */
#define ACCENT_PX 2.5 /* of the outline of what is selected */

const char *const scene_renderings[] = { "smooth", "flat", "hidden lines", "wire", "points", "boxes", NULL };

typedef struct Batch { /* a shape with all that has it */
  GLuint array, corners, faces, edges, instances;
  GLsizei n_corners, n_faces, n_edges;
  SceneShape shape;
  int sides;
  GArray *sent;    /* the instances that are there; NULL: none yet */
  uint64_t serial; /* of the model that they are of; 0: of none */
} Batch;

/* Where a picture is drawn with samples, as large as it; of a view whose picture is drawn in slices, its own, so that
 * others can be drawn between two slices. */
typedef struct Target {
  GLuint frame, buffers[2]; /* colours and depths; 0: there is none */
  int width, height;
} Target;

struct SceneGpu {
  uint64_t of; /* number of the context that it belongs to */
  Target slices;
  uint64_t ticket; /* of the picture that is drawn there in slices; 0: none */
  Batch batch[SCENE_SHAPES], chosen[SCENE_SHAPES], surface[2];
};

static struct {
  char *renderer;
  EGLDisplay display;
  EGLContext context;
  uint64_t number; /* of the context, from 1; 0: there is none */
  uint64_t made;
  pid_t owner;
  GLuint program, target[3], buffers[5]; /* drawn with samples, resolved, ids; their buffers */
  int width, height, samples;
  double unit_px;       /* pixels of a unit of the scene in its middle, in what is drawn now */
  uint64_t slices_made; /* tickets of pictures that were begun in slices */
} gl;

/* ---- the context ---------------------------------------------------------------------------------------------------------- */

static bool
render_refuse (GError **error, const char *why)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO,
               _ ("scenes cannot be drawn here: %s.  They need OpenGL 3.3 by EGL (Debian: libegl1 libegl-mesa0 "
                  "libgl1-mesa-dri); \"State graph\" shows the same in the plane"),
               why);
  return false;
}

static GLuint
shader (GLenum kind, const char *text)
{
  GLuint s = glCreateShader (kind);

  glShaderSource (s, 1, &text, NULL);
  glCompileShader (s);
  return s;
}

static const char vertex_text[] =
    "#version 330 core\n"
    "layout(location=0) in vec3 place; layout(location=1) in vec3 turned;\n"
    "layout(location=2) in vec4 r0; layout(location=3) in vec4 r1; layout(location=4) in vec4 r2;\n"
    "layout(location=5) in vec4 rgba; layout(location=6) in uint number;\n"
    "uniform mat4 view, projection; uniform vec4 tile; uniform vec2 grow; uniform float dot_px;\n"
    "out vec3 at, normal; flat out vec4 colour; flat out uint id;\n"
    "vec4 seen (vec4 p) { p.xy = p.xy * tile.xy + tile.zw * p.w; return p; }\n"
    "void main () {\n"
    "  vec4 p = vec4 (place, 1);\n"
    "  vec4 e = view * vec4 (dot (r0, p), dot (r1, p), dot (r2, p), 1);\n"
    "  vec3 a = vec3 (r0.x, r1.x, r2.x), b = vec3 (r0.y, r1.y, r2.y), c = vec3 (r0.z, r1.z, r2.z);\n"
    "  vec3 n = a * (turned.x / max (dot (a, a), 1e-12)) + b * (turned.y / max (dot (b, b), 1e-12))\n"
    "           + c * (turned.z / max (dot (c, c), 1e-12));\n"
    "  at = e.xyz; normal = mat3 (view) * n; colour = rgba; id = number;\n"
    "  gl_Position = seen (projection * e);\n"
    "  if (grow.x > 0) {\n"
    "    vec3 mid = vec3 (0, 0, grow.y);\n"
    "    vec4 m = seen (projection * view * vec4 (dot (r0, vec4 (mid, 1)), dot (r1, vec4 (mid, 1)), dot (r2, vec4 "
    "(mid, 1)), 1));\n"
    "    vec2 d = gl_Position.xy / gl_Position.w - m.xy / m.w;\n"
    "    if (dot (d, d) > 1e-12) gl_Position.xy += normalize (d) * grow.x * gl_Position.w;\n"
    "  }\n"
    "  gl_PointSize = dot_px > 0 ? dot_px : clamp (-2 * dot_px * length (a) / gl_Position.w, 2.0, 64.0);\n"
    "}\n";

static const char fragment_text[] =
    "#version 330 core\n"
    "in vec3 at, normal; flat in vec4 colour; flat in uint id;\n"
    "uniform int mode; uniform bool parallel; uniform vec3 paper, fog; uniform vec4 one;\n"
    "layout(location=0) out vec4 painted; layout(location=1) out uint shown;\n"
    "void main () {\n"
    "  shown = id;\n"
    "  if (mode == 3) { painted = vec4 (paper, 1); return; }\n"
    "  if (mode == 4) { painted = one; return; }\n"
    "  vec3 c = colour.rgb;\n"
    "  if (mode < 2) {\n"
    "    vec3 n = mode == 1 ? cross (dFdx (at), dFdy (at)) : normal;\n"
    "    n = normalize (n);\n"
    "    if (dot (n, parallel ? vec3 (0, 0, -1) : at) > 0) n = -n;\n"
    "    float lit = max (dot (n, normalize (vec3 (-0.35, 0.55, 0.9))), 0.0);\n"
    "    c *= 0.56 + 0.48 * lit;\n"
    "    if (mode == 0) {\n" /* a gleam: to the 40th */
    "      float g = max (dot (n, normalize (vec3 (-0.25, 0.4, 1.2))), 0.0); g *= g; g *= g; g *= g; float e = g;\n"
    "      g *= g; g *= g; c += vec3 (0.14 * g * e);\n"
    "    }\n"
    "  }\n"
    "  float far = clamp ((-at.z - fog.x) / max (fog.y - fog.x, 1e-6), 0.0, 1.0) * fog.z;\n"
    "  painted = vec4 (mix (c, paper, far), colour.a);\n"
    "}\n";

static bool
make_program (GError **error)
{
  GLuint vertex = shader (GL_VERTEX_SHADER, vertex_text), fragment = shader (GL_FRAGMENT_SHADER, fragment_text);
  GLint ok = 0;

  gl.program = glCreateProgram ();
  glAttachShader (gl.program, vertex);
  glAttachShader (gl.program, fragment);
  glLinkProgram (gl.program);
  glGetProgramiv (gl.program, GL_LINK_STATUS, &ok);
  glDeleteShader (vertex);
  glDeleteShader (fragment);
  return ok ? true : render_refuse (error, _ ("its shaders are not understood by this OpenGL"));
}

static void
render_let_go (void)
{
  eglMakeCurrent (gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

/* The wrapper of functions that is used ends the process where a library is missing: so they are looked for first. */
static bool
libraries (void)
{
  void *egl = dlopen ("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL), *opengl = dlopen ("libOpenGL.so.0", RTLD_LAZY);

  if (opengl == NULL)
    opengl = dlopen ("libGL.so.1", RTLD_LAZY);
  return egl != NULL && opengl != NULL; /* they stay: others use them from now on */
}

/* Whether contexts of it need neither a window nor a format of one. */
static bool
is_enough (EGLDisplay display)
{
  const char *can;

  if (display == EGL_NO_DISPLAY || !eglInitialize (display, NULL, NULL))
    return false;
  can = eglQueryString (display, EGL_EXTENSIONS);
  return can != NULL && strstr (can, "EGL_KHR_no_config_context") != NULL
         && strstr (can, "EGL_KHR_surfaceless_context") != NULL;
}

/* Mesa gives one for no screen; drivers of some cards give only one for a card, and then the first card will do. */
static EGLDisplay
display_without_screen (void)
{
  const char *can = eglQueryString (EGL_NO_DISPLAY, EGL_EXTENSIONS);
  EGLDeviceEXT cards[8];
  EGLint n = 0;
  EGLDisplay display = EGL_NO_DISPLAY;

  if (can == NULL)
    return EGL_NO_DISPLAY;
  if (strstr (can, "EGL_MESA_platform_surfaceless") != NULL)
    display = eglGetPlatformDisplayEXT (EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
  if (is_enough (display))
    return display;
  if (strstr (can, "EGL_EXT_platform_device") == NULL || !eglQueryDevicesEXT (G_N_ELEMENTS (cards), cards, &n))
    return EGL_NO_DISPLAY;
  for (int k = 0; k < n; ++k)
    if (is_enough (display = eglGetPlatformDisplayEXT (EGL_PLATFORM_DEVICE_EXT, cards[k], NULL)))
      return display;
  return EGL_NO_DISPLAY;
}

static bool
make_context (GError **error)
{
  static const EGLint version[] = {
    EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE
  };

  if (!libraries ())
    return render_refuse (error, _ ("libEGL or libOpenGL is not there"));
  gl.display = display_without_screen ();
  if (gl.display == EGL_NO_DISPLAY)
    return render_refuse (error, _ ("EGL draws nothing without a display"));
  if (!eglBindAPI (EGL_OPENGL_API))
    return render_refuse (error, _ ("EGL cannot be begun"));
  gl.context = eglCreateContext (gl.display, (EGLConfig) 0, EGL_NO_CONTEXT, version);
  if (gl.context == EGL_NO_CONTEXT || !eglMakeCurrent (gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl.context))
    return render_refuse (error, _ ("EGL gives no context of OpenGL 3.3"));
  g_free (gl.renderer);
  gl.renderer = g_strdup ((const char *) glGetString (GL_RENDERER));
  gl.owner = getpid ();
  gl.width = gl.height = 0;
  if (!make_program (error)) {
    render_let_go ();
    return false;
  }
  gl.number = ++gl.made;
  return true;
}

const char *
scene_renderer (void)
{
  return gl.renderer;
}

/* What it had on the card is gone with it. */
static void
lose_context (void)
{
  render_let_go ();
  eglDestroyContext (gl.display, gl.context);
  gl.number = 0;
}

static bool
render_enter (GError **error)
{
  if (gl.number != 0 && gl.owner != getpid ()) /* the threads that draw have stayed behind in the other one */
    return render_refuse (error, _ ("this process was split off from another that draws scenes"));
  if (gl.number == 0)
    return make_context (error);
  if (eglBindAPI (EGL_OPENGL_API) && eglMakeCurrent (gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl.context))
    return true;
  lose_context ();
  return make_context (error);
}

static GLuint
storage (int which, GLenum format, int samples)
{
  glBindRenderbuffer (GL_RENDERBUFFER, gl.buffers[which]);
  glRenderbufferStorageMultisample (GL_RENDERBUFFER, samples, format, gl.width, gl.height);
  return gl.buffers[which];
}

static void
render_attach (int target, GLenum point, GLuint buffer)
{
  glBindFramebuffer (GL_FRAMEBUFFER, gl.target[target]);
  glFramebufferRenderbuffer (GL_FRAMEBUFFER, point, GL_RENDERBUFFER, buffer);
}

/* Targets that are large enough. */
static bool
make_targets (int width, int height, GError **error)
{
  static const GLenum both[] = { GL_NONE, GL_COLOR_ATTACHMENT1 };
  bool ok = true;

  if (gl.width >= width && gl.height >= height)
    return true;
  if (gl.width > 0) {
    glDeleteFramebuffers (3, gl.target);
    glDeleteRenderbuffers (5, gl.buffers);
  }
  gl.width = MAX (gl.width, width);
  gl.height = MAX (gl.height, height);
  glGetIntegerv (GL_MAX_SAMPLES, &gl.samples);
  gl.samples = MIN (gl.samples, SAMPLES);
  glGenFramebuffers (3, gl.target);
  glGenRenderbuffers (5, gl.buffers);
  render_attach (0, GL_COLOR_ATTACHMENT0, storage (0, GL_RGBA8, gl.samples));
  render_attach (0, GL_DEPTH_ATTACHMENT, storage (1, GL_DEPTH_COMPONENT24, gl.samples));
  ok &= glCheckFramebufferStatus (GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  render_attach (1, GL_COLOR_ATTACHMENT0, storage (2, GL_RGBA8, 0));
  render_attach (2, GL_COLOR_ATTACHMENT1, storage (3, GL_R32UI, 0));
  render_attach (2, GL_DEPTH_ATTACHMENT, storage (4, GL_DEPTH_COMPONENT24, 0));
  render_attach (1, GL_DEPTH_ATTACHMENT, gl.buffers[4]);
  glBindFramebuffer (GL_FRAMEBUFFER, gl.target[2]);
  glDrawBuffers (2, both);
  ok &= glCheckFramebufferStatus (GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (ok)
    return true;
  glDeleteFramebuffers (3, gl.target);
  glDeleteRenderbuffers (5, gl.buffers);
  gl.width = gl.height = 0;
  return render_refuse (error, _ ("there is no room for a picture of this size"));
}

static void
free_target (Target *t, bool on_card)
{
  if (on_card && t->frame != 0) {
    glDeleteFramebuffers (1, &t->frame);
    glDeleteRenderbuffers (2, t->buffers);
  }
  *t = (Target){ 0 };
}

/* As large as the picture; after make_targets(), which says how many samples there are. */
static bool
make_slices (Target *t, int width, int height, GError **error)
{
  static const GLenum formats[] = { GL_RGBA8, GL_DEPTH_COMPONENT24 },
                      points[] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT };

  if (t->frame != 0 && t->width == width && t->height == height)
    return true;
  free_target (t, true);
  t->width = width, t->height = height;
  glGenFramebuffers (1, &t->frame);
  glGenRenderbuffers (2, t->buffers);
  glBindFramebuffer (GL_FRAMEBUFFER, t->frame);
  for (int k = 0; k < 2; k++) {
    glBindRenderbuffer (GL_RENDERBUFFER, t->buffers[k]);
    glRenderbufferStorageMultisample (GL_RENDERBUFFER, gl.samples, formats[k], width, height);
    glFramebufferRenderbuffer (GL_FRAMEBUFFER, points[k], GL_RENDERBUFFER, t->buffers[k]);
  }
  if (glCheckFramebufferStatus (GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
    return true;
  free_target (t, true);
  return render_refuse (error, _ ("there is no room for a picture of this size"));
}

/* ---- what is on the card ------------------------------------------------------------------------------------------------ */

static void
free_batch (Batch *b, bool on_card)
{
  if (on_card && b->array != 0) {
    GLuint buffers[] = { b->corners, b->faces, b->edges, b->instances };
    glDeleteBuffers (4, buffers);
    glDeleteVertexArrays (1, &b->array);
  }
  g_clear_pointer (&b->sent, g_array_unref);
  *b = (Batch){ 0 };
}

static void
clear_gpu (SceneGpu *g, bool on_card)
{
  for (int s = 0; s < SCENE_SHAPES; s++) {
    free_batch (&g->batch[s], on_card);
    free_batch (&g->chosen[s], on_card);
  }
  for (int k = 0; k < 2; k++)
    free_batch (&g->surface[k], on_card);
  free_target (&g->slices, on_card);
  *g = (SceneGpu){ 0 };
}

void
scene_gpu_free (SceneGpu *g)
{
  if (g == NULL)
    return;
  bool there = gl.number != 0 && g->of == gl.number && gl.owner == getpid () && render_enter (NULL);
  clear_gpu (g, there);
  if (there)
    render_let_go ();
  g_free (g);
}

void
scene_render_end (SceneGpu *g)
{
  if (g == NULL || g->slices.frame == 0)
    return;
  bool there = gl.number != 0 && g->of == gl.number && gl.owner == getpid () && render_enter (NULL);
  free_target (&g->slices, there);
  g->ticket = 0;
  if (there)
    render_let_go ();
}

/* Sends an array, unless it is the one that is there. */
static void
render_send (GLenum kind, GLuint buffer, const GArray *from, GArray **sent)
{
  guint bytes = from->len * g_array_get_element_size ((GArray *) from);

  if (*sent != NULL && (*sent)->len == from->len && (bytes == 0 || memcmp ((*sent)->data, from->data, bytes) == 0))
    return;
  glBindBuffer (kind, buffer);
  glBufferData (kind, bytes, from->data, GL_DYNAMIC_DRAW);
  g_clear_pointer (sent, g_array_unref);
  *sent = g_array_copy ((GArray *) from);
}

static void
render_attribute (GLuint at, int n, GLenum kind, size_t stride, size_t offset, GLuint each)
{
  const void *place = (const void *) offset;

  glEnableVertexAttribArray (at);
  if (kind == GL_UNSIGNED_INT)
    glVertexAttribIPointer (at, n, kind, (GLsizei) stride, place);
  else
    glVertexAttribPointer (at, n, kind, kind == GL_UNSIGNED_BYTE, (GLsizei) stride, place);
  glVertexAttribDivisor (at, each);
}

/* From one of them on, each `every`th is one after the other. */
static void
point_to_instances (const Batch *b, uint32_t every, uint64_t from)
{
  size_t stride = every * sizeof (SceneInstance), at = from * sizeof (SceneInstance);

  glBindBuffer (GL_ARRAY_BUFFER, b->instances);
  for (GLuint r = 0; r < 3; r++)
    render_attribute (2 + r, 4, GL_FLOAT, stride, at + offsetof (SceneInstance, row) + 16 * r, 1);
  render_attribute (5, 4, GL_UNSIGNED_BYTE, stride, at + offsetof (SceneInstance, rgba), 1);
  render_attribute (6, 1, GL_UNSIGNED_INT, stride, at + offsetof (SceneInstance, id), 1);
}

/* Into how many a round is divided: less where there are many, and still less where they are small, as corners are what
 * takes time where no card draws. */
static int
sides_of (SceneShape shape, const GArray *instances)
{
  guint n = instances->len;
  int sides = n <= 100 ? 32 : n <= 500 ? 20 : n <= 2000 ? 12 : n <= 20000 ? 8 : 4;

  if (n <= 2000)
    return sides;
  const SceneInstance *first = &g_array_index (instances, SceneInstance, 0); /* of cones the thickest */
  double x = (double) first->row[0][0], y = (double) first->row[1][0], z = (double) first->row[2][0],
         px = sqrt (x * x + y * y + z * z) * gl.unit_px;
  return px > SMALL_PX ? sides : shape >= SCENE_CONE ? 3 : MIN (sides, px < TINY_PX ? 5 : 6);
}

static void
render_prepare (Batch *b, SceneShape shape, const GArray *instances, uint64_t serial)
{
  int sides = sides_of (shape, instances);

  if (b->array == 0 || b->sides != sides || b->shape != shape) {
    SceneMesh m = scene_mesh (shape, sides);
    GLuint buffers[4];
    free_batch (b, true);
    b->sides = sides;
    b->shape = shape;
    glGenBuffers (4, buffers);
    glGenVertexArrays (1, &b->array);
    b->corners = buffers[0], b->faces = buffers[1], b->edges = buffers[2], b->instances = buffers[3];
    b->n_corners = (GLsizei) m.corners->len / 6, b->n_faces = (GLsizei) m.faces->len,
    b->n_edges = (GLsizei) m.edges->len;
    glBindVertexArray (b->array);
    glBindBuffer (GL_ARRAY_BUFFER, b->corners);
    glBufferData (GL_ARRAY_BUFFER, m.corners->len * sizeof (float), m.corners->data, GL_STATIC_DRAW);
    render_attribute (0, 3, GL_FLOAT, 6 * sizeof (float), 0, 0);
    render_attribute (1, 3, GL_FLOAT, 6 * sizeof (float), 3 * sizeof (float), 0);
    point_to_instances (b, 1, 0);
    glBindBuffer (GL_ELEMENT_ARRAY_BUFFER, b->faces);
    glBufferData (GL_ELEMENT_ARRAY_BUFFER, m.faces->len * sizeof (uint16_t), m.faces->data, GL_STATIC_DRAW);
    glBindBuffer (GL_ELEMENT_ARRAY_BUFFER, b->edges);
    glBufferData (GL_ELEMENT_ARRAY_BUFFER, m.edges->len * sizeof (uint16_t), m.edges->data, GL_STATIC_DRAW);
    scene_mesh_free (&m);
  }
  glBindVertexArray (b->array);
  if (serial != 0 && b->serial == serial && b->sent != NULL)
    return;
  render_send (GL_ARRAY_BUFFER, b->instances, instances, &b->sent);
  b->serial = serial;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------------ */

static GLint
uniform (const char *name)
{
  return glGetUniformLocation (gl.program, name);
}

static void
set_colour (const char *name, uint32_t rgb)
{
  glUniform3f (uniform (name), (float) (rgb >> 16 & 255) / 255, (float) (rgb >> 8 & 255) / 255,
               (float) (rgb & 255) / 255);
}

static bool
set_camera (const SceneCamera *c, const SceneFrame *f, const SceneLook *look, int x, int y, int width, int height,
            GError **error)
{
  double view[16], projection[16], middle[3] = { 0 };
  float v[16], p[16], w = (float) f->width, h = (float) f->height;

  if (!scene_camera_matrices (c, f, view, projection))
    return render_refuse (error, _ ("the camera sees nothing"));
  for (int i = 0; i < 16; i++)
    v[i] = (float) view[i], p[i] = (float) projection[i];
  for (int k = 0; k < 3; k++)
    middle[2] += view[4 * k + 2] * f->middle[k];
  double depth = -(middle[2] + view[14]);
  gl.unit_px = scene_camera_px (c, f, depth);
  glUseProgram (gl.program);
  glUniformMatrix4fv (uniform ("view"), 1, GL_FALSE, v);
  glUniformMatrix4fv (uniform ("projection"), 1, GL_FALSE, p);
  /* the part, upside down: the first row that is read is the top one */
  glUniform4f (uniform ("tile"), w / (float) width, -h / (float) height,
               (w - 2 * (float) x - (float) width) / (float) width,
               (h - 2 * (float) y - (float) height) / (float) height);
  glUniform1i (uniform ("parallel"), c->parallel);
  glUniform3f (uniform ("fog"), (float) (depth - f->radius), (float) (depth + f->radius), (float) look->fog);
  glUniform1f (uniform ("dot_px"), (float) (look->spots ? -projection[5] * f->height / 2 : 2.2 * look->px));
  set_colour ("paper", look->paper);
  return true;
}

/* So many triangles from one on; each is its own instance, where it is. */
static void
draw_surface (SceneGpu *g, const SceneModel *m, int which, GLenum as, uint64_t from, uint64_t n)
{
  static const float rows[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
  Batch *b = &g->surface[which];
  const GArray *corners = m->faces[which];
  size_t stride = sizeof (SceneCorner);

  if (corners->len == 0)
    return;
  if (b->array == 0) {
    glGenVertexArrays (1, &b->array);
    glGenBuffers (1, &b->corners);
    glBindVertexArray (b->array);
    glBindBuffer (GL_ARRAY_BUFFER, b->corners);
    render_attribute (0, 3, GL_FLOAT, stride, offsetof (SceneCorner, at), 0);
    render_attribute (1, 3, GL_FLOAT, stride, offsetof (SceneCorner, normal), 0);
    render_attribute (5, 4, GL_UNSIGNED_BYTE, stride, offsetof (SceneCorner, rgba), 0);
    render_attribute (6, 1, GL_UNSIGNED_INT, stride, offsetof (SceneCorner, id), 0);
  }
  glBindVertexArray (b->array);
  if (b->serial != m->serial)
    render_send (GL_ARRAY_BUFFER, b->corners, corners, &b->sent);
  b->serial = m->serial;
  for (GLuint r = 0; r < 3; r++)
    glVertexAttrib4fv (2 + r, rows[r]);
  glPolygonMode (GL_FRONT_AND_BACK, as == GL_LINES ? GL_LINE : as == GL_POINTS ? GL_POINT : GL_FILL);
  glDrawArrays (GL_TRIANGLES, (GLint) (3 * from), (GLsizei) MIN (3 * n, corners->len - 3 * from));
  glPolygonMode (GL_FRONT_AND_BACK, GL_FILL);
}

static uint64_t
n_of_shape (const SceneModel *m, SceneShape shape, const SceneLook *look)
{
  return shape == SCENE_CONE ? MIN (m->of[shape]->len, look->n_links) : m->of[shape]->len;
}

/* So many from one on.  `boxes`: the box around each object in the place of its shape. */
static void
draw_batch (SceneGpu *g, const SceneModel *m, SceneShape shape, GLenum as, const SceneLook *look, uint64_t from,
            uint64_t most)
{
  Batch *b = &g->batch[shape];
  bool box = look->rendering == SCENE_BOXES && shape < SCENE_CONE;
  GLsizei n = (GLsizei) MIN (n_of_shape (m, shape, look) - from, most);
  const GArray *instances = m->of[shape];
  uint64_t serial = m->serial;

  if (n == 0)
    return;
  render_prepare (b, box ? SCENE_CUBE : shape, instances, serial);
  if (look->spots && shape < SCENE_CONE) {
    uint32_t every = CLAMP (look->every, 1, SCENE_EVERY_MOST);
    glDisableVertexAttribArray (0); /* all corners are the middle */
    glVertexAttrib3f (0, 0, 0, 0);
    point_to_instances (b, every, 0);
    glDrawArraysInstanced (GL_POINTS, 0, 1, (n + (GLsizei) every - 1) / (GLsizei) every);
    point_to_instances (b, 1, 0);
    glEnableVertexAttribArray (0);
    return;
  }
  if (from > 0)
    point_to_instances (b, 1, from);
  if (as == GL_POINTS) {
    glDrawArraysInstanced (GL_POINTS, 0, b->n_corners, n);
  } else {
    glBindBuffer (GL_ELEMENT_ARRAY_BUFFER, as == GL_LINES ? b->edges : b->faces);
    glDrawElementsInstanced (as, as == GL_LINES ? b->n_edges : b->n_faces, GL_UNSIGNED_SHORT, NULL, n);
  }
  if (from > 0)
    point_to_instances (b, 1, 0);
}

/* So many objects from one on, shape by shape, and behind them triangles of the surface. */
static void
draw_some (SceneGpu *g, const SceneModel *m, GLenum as, const SceneLook *look, uint64_t from, uint64_t n)
{
  uint64_t before = 0, end = from + n;

  if (as == GL_TRIANGLES && !look->open) { /* nobody sees the inner side of what is closed */
    glEnable (GL_CULL_FACE);
    glCullFace (GL_BACK);
  }
  for (int s = 0; s <= SCENE_PLATE; s++) {
    uint64_t all = s < SCENE_PLATE ? n_of_shape (m, (SceneShape) s, look) : m->faces[0]->len / 3;
    uint64_t first = MAX (from, before), last = MIN (end, before + all);
    if (s == SCENE_PLATE)
      glDisable (GL_CULL_FACE);
    if (first < last && s < SCENE_PLATE)
      draw_batch (g, m, (SceneShape) s, as, look, first - before, last - first);
    else if (first < last)
      draw_surface (g, m, 0, as, first - before, last - first);
    before += all;
  }
}

static uint64_t
n_of_all (const SceneModel *m, const SceneLook *look)
{
  uint64_t n = m->faces[0]->len / 3;

  for (int s = 0; s < SCENE_PLATE; s++)
    n += n_of_shape (m, (SceneShape) s, look);
  return n;
}

static bool
render_is_chosen (const SceneModel *m, uint32_t id)
{
  return id > 0 && id <= m->things->len && g_array_index (m->things, SceneThing, id - 1).chosen;
}

/* What is selected, a little larger, its near side left out: what is seen of it is an outline. */
static void
draw_outlines (SceneGpu *g, const SceneModel *m, const SceneLook *look, int width)
{
  glUniform1i (uniform ("mode"), 4);
  glUniform4f (uniform ("one"), (float) (DRAWING_ACCENT >> 16) / 255, (float) (DRAWING_ACCENT >> 8 & 255) / 255,
               (float) (DRAWING_ACCENT & 255) / 255, 1);
  glEnable (GL_CULL_FACE);
  glCullFace (GL_FRONT);
  for (int s = 0; s < SCENE_PLATE; s++) {
    g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (SceneInstance));
    for (guint i = 0; i < m->of[s]->len; i++)
      if (render_is_chosen (m, g_array_index (m->of[s], SceneInstance, i).id))
        g_array_append_vals (some, &g_array_index (m->of[s], SceneInstance, i), 1);
    if (some->len == 0)
      continue;
    Batch *b = &g->chosen[s];
    render_prepare (b, (SceneShape) s, some, 0);
    glUniform2f (uniform ("grow"), (float) (2 * ACCENT_PX * look->px / width), s == SCENE_CONE ? 0.4f : 0);
    glBindBuffer (GL_ELEMENT_ARRAY_BUFFER, b->faces);
    glDrawElementsInstanced (GL_TRIANGLES, b->n_faces, GL_UNSIGNED_SHORT, NULL, (GLsizei) some->len);
  }
  glUniform2f (uniform ("grow"), 0, 0);
  glDisable (GL_CULL_FACE);
}

static void
draw_plates (SceneGpu *g, const SceneModel *m, const SceneLook *look)
{
  glUniform1i (uniform ("mode"), 2);
  glEnable (GL_BLEND);
  glBlendFunc (GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  glDepthMask (GL_FALSE);
  draw_batch (g, m, SCENE_PLATE, GL_TRIANGLES, look, 0, UINT64_MAX);
  draw_surface (g, m, 1, GL_TRIANGLES, 0, m->faces[1]->len / 3);
  glDepthMask (GL_TRUE);
  glDisable (GL_BLEND);
}

/* What is solid, in the rendering that is asked for. */
static void
draw_solid (SceneGpu *g, const SceneModel *m, const SceneLook *look, uint64_t from, uint64_t n)
{
  GLenum as = look->rendering == SCENE_POINTS                                          ? GL_POINTS
              : look->rendering == SCENE_WIRE || look->rendering == SCENE_HIDDEN_LINES ? GL_LINES
                                                                                       : GL_TRIANGLES;

  if (look->rendering == SCENE_HIDDEN_LINES) { /* paper in the place of faces, a little farther than their edges */
    glUniform1i (uniform ("mode"), 3);
    glEnable (GL_POLYGON_OFFSET_FILL);
    glPolygonOffset (1, 2);
    draw_some (g, m, GL_TRIANGLES, look, from, n);
    glDisable (GL_POLYGON_OFFSET_FILL);
  }
  glUniform1i (uniform ("mode"), as != GL_TRIANGLES ? 2 : look->rendering == SCENE_SMOOTH ? 0 : 1);
  draw_some (g, m, as, look, from, n);
}

/* What comes over it. */
static void
draw_over (SceneGpu *g, const SceneModel *m, const SceneLook *look, int width)
{
  if (m->n_chosen > 0 && !look->rough)
    draw_outlines (g, m, look, width);
  draw_plates (g, m, look);
}

static bool
render_begin (SceneGpu **g, const SceneCamera *c, const SceneFrame *f, const SceneLook *look, int x, int y, int width,
              int height, GError **error)
{
  if (width < 1 || height < 1 || width > SCENE_TILE || height > SCENE_TILE)
    return render_refuse (error, _ ("there is no room for a picture of this size"));
  if (!render_enter (error))
    return false;
  if (*g == NULL)
    *g = g_new0 (SceneGpu, 1);
  if ((*g)->of != gl.number)
    clear_gpu (*g, false);
  (*g)->of = gl.number;
  if (!make_targets (width, height, error) || !set_camera (c, f, look, x, y, width, height, error)) {
    render_let_go ();
    return false;
  }
  glUniform2f (uniform ("grow"), 0, 0);
  glViewport (0, 0, width, height);
  glEnable (GL_DEPTH_TEST);
  glEnable (GL_PROGRAM_POINT_SIZE);
  glFrontFace (GL_CW); /* as it is upside down */
  glPixelStorei (GL_PACK_ALIGNMENT, 4);
  return true;
}

static bool
render_finish (GError **error)
{
  GLenum wrong = glGetError ();

  if (wrong == GL_NO_ERROR) {
    render_let_go ();
    return true;
  }
  lose_context ();
  return render_refuse (error, wrong == GL_OUT_OF_MEMORY ? _ ("the memory of the card does not hold the scene")
                                                         : _ ("OpenGL has lost its context"));
}

static void
render_clear (const SceneLook *look, GLuint target)
{
  glBindFramebuffer (GL_FRAMEBUFFER, target);
  glClearColor ((float) (look->paper >> 16 & 255) / 255, (float) (look->paper >> 8 & 255) / 255,
                (float) (look->paper & 255) / 255, 1);
  glClear (GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void
take_pixels (GLuint from, int width, int height, uint32_t *pixels)
{
  if (from != gl.target[1]) {
    glBindFramebuffer (GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer (GL_DRAW_FRAMEBUFFER, gl.target[1]);
    glBlitFramebuffer (0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  }
  glBindFramebuffer (GL_FRAMEBUFFER, gl.target[1]);
  glReadPixels (0, 0, width, height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, pixels);
}

bool
scene_render (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f, const SceneLook *look,
              int x, int y, int width, int height, uint32_t *pixels, GError **error)
{
  if (!render_begin (g, c, f, look, x, y, width, height, error))
    return false;
  GLuint target = gl.target[look->rough ? 1 : 0];
  render_clear (look, target);
  draw_solid (*g, m, look, 0, UINT64_MAX / 2);
  draw_over (*g, m, look, width);
  take_pixels (target, width, height, pixels);
  return render_finish (error);
}

bool
scene_render_slice (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f, const SceneLook *look,
                    int x, int y, int width, int height, SceneSlices *s, double budget_ms, uint32_t *pixels,
                    GError **error)
{
  gint64 until = g_get_monotonic_time () + (gint64) (budget_ms * 1000);
  uint64_t all = n_of_all (m, look);

  if (!render_begin (g, c, f, look, x, y, width, height, error))
    return false;
  bool lost = (*g)->slices.frame == 0; /* with its context */
  if (!make_slices (&(*g)->slices, width, height, error)) {
    render_let_go ();
    return false;
  }
  if (s->ticket == 0 || lost || (*g)->ticket != s->ticket) {
    *s = (SceneSlices){ .ticket = (*g)->ticket = ++gl.slices_made };
    render_clear (look, (*g)->slices.frame);
  }
  glBindFramebuffer (GL_FRAMEBUFFER, (*g)->slices.frame);
  do {
    draw_solid (*g, m, look, s->drawn, SLICE);
    s->drawn += SLICE;
    glFinish ();
  } while (s->drawn < all && g_get_monotonic_time () < until);
  s->done = s->drawn >= all;
  if (s->done) {
    draw_over (*g, m, look, width);
    take_pixels ((*g)->slices.frame, width, height, pixels);
    (*g)->ticket = 0;
  }
  return render_finish (error);
}

bool
scene_render_ids (SceneGpu **g, const SceneModel *m, const SceneCamera *c, const SceneFrame *f, const SceneLook *look,
                  int x, int y, int width, int height, uint32_t *ids, GError **error)
{
  static const GLuint nothing[4];
  SceneLook solid = *look; /* between the lines of a wire is its object too */

  solid.rendering = SCENE_FLAT;
  solid.spots = false;
  if (!render_begin (g, c, f, look, x, y, width, height, error))
    return false;
  glBindFramebuffer (GL_FRAMEBUFFER, gl.target[2]);
  glClearBufferuiv (GL_COLOR, 1, nothing);
  glClear (GL_DEPTH_BUFFER_BIT);
  glUniform1i (uniform ("mode"), 4);
  draw_some (*g, m, GL_TRIANGLES, &solid, 0, UINT64_MAX / 2);
  glReadBuffer (GL_COLOR_ATTACHMENT1);
  glReadPixels (0, 0, width, height, GL_RED_INTEGER, GL_UNSIGNED_INT, ids);
  return render_finish (error);
}
