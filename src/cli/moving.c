/* SPDX-License-Identifier: Apache-2.0 */
/* moving.c - pictures that move: GIF by giflib, WebM by ffmpeg as a process that is fed with pixels. */
#include "cli/moving.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "eve/disk.h"
#include "readers/reader.h"
#include "views/painter.h"
#ifdef HAVE_GIF
#include <gif_lib.h>
#endif

#define COLOURS 256

struct Moving {
  char *path, *making; /* making: what will be renamed to it; NULL: pictures are files of their own */
  uint32_t n, done;
  double rate;
  int width, height; /* of the first picture; 0: none was given yet */
#ifdef HAVE_GIF
  GifFileType *gif;
#endif
  uint32_t *before; /* pixels of the last picture: only what differs from it is written */
  GPid child;       /* ffmpeg, which reads the pixels from `feed`; 0: none */
  int feed;         /* -1: closed */
};

static bool
is_gif (const char *path)
{
  return g_str_has_suffix (path, ".gif");
}

static bool
is_webm (const char *path)
{
  return g_str_has_suffix (path, ".webm");
}

bool
moving_can (const char *path, GError **error)
{
  g_autofree char *ffmpeg = is_webm (path) ? g_find_program_in_path ("ffmpeg") : NULL;

#ifndef HAVE_GIF
  if (is_gif (path)) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_FORMAT,
        _ ("this Scope was built without giflib (Debian: libgif-dev); pictures with numbers need nothing: name "
           "a .png"));
    return false;
  }
#endif
  if (!is_webm (path) || ffmpeg != NULL)
    return true;
  g_set_error (
      error, TRACE_ERROR, TRACE_ERROR_FORMAT,
      _ ("WebM is written by ffmpeg, which is not installed (Debian: ffmpeg); .gif, and pictures with numbers as "
         ".png, need nothing"));
  return false;
}

Moving *
moving_begin (const char *path, uint32_t n, double rate, GError **error)
{
  if (!moving_can (path, error))
    return NULL;
  Moving *m = g_new0 (Moving, 1);
  m->path = g_strdup (path);
  m->n = n;
  m->rate = rate;
  if (!is_gif (path) && !is_webm (path))
    return m;
  m->making = g_strdup_printf ("%s.making-XXXXXX", path);
  int fd = g_mkstemp_full (m->making, O_RDWR, 0666);
  if (fd < 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
    g_clear_pointer (&m->making, g_free);
    moving_free (m);
    return NULL;
  }
  close (fd);
  return m;
}

char *
moving_next_path (Moving *m)
{
  const char *dot = strrchr (m->path, '.');
  int digits = 1;

  if (m->making != NULL)
    return NULL;
  for (uint32_t n = m->n; n >= 10; n /= 10)
    digits++;
  return g_strdup_printf ("%.*s-%0*u%s", (int) (dot - m->path), m->path, MAX (digits, 3), ++m->done, dot);
}

static bool
moving_refuse (const Moving *m, const char *why, GError **error)
{
  g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), m->path, why);
  return false;
}

/* ---- GIF ---------------------------------------------------------------------------------------------------------------- */

#ifdef HAVE_GIF
static bool
refuse_gif (const Moving *m, int code, GError **error)
{
  return moving_refuse (m, code == E_GIF_ERR_WRITE_FAILED ? g_strerror (errno) : GifErrorString (code), error);
}

static bool
begin_gif (Moving *m, GError **error)
{
  int code = 0;

  m->gif = EGifOpenFileName (m->making, false, &code);
  if (m->gif == NULL)
    return refuse_gif (m, code, error);
  EGifSetGifVersion (m->gif, true);
  m->before = g_new (uint32_t, (gsize) m->width * (gsize) m->height);
  if (EGifPutScreenDesc (m->gif, m->width, m->height, 8, 0, NULL) != GIF_OK
      || EGifPutExtensionLeader (m->gif, APPLICATION_EXT_FUNC_CODE) != GIF_OK
      || EGifPutExtensionBlock (m->gif, 11, "NETSCAPE2.0") != GIF_OK
      || EGifPutExtensionBlock (m->gif, 3, "\1\0\0") != GIF_OK /* again and again */
      || EGifPutExtensionTrailer (m->gif) != GIF_OK)
    return refuse_gif (m, m->gif->Error, error);
  return true;
}

/* What is another than before; a picture that is the same is a pixel. */
static cairo_rectangle_int_t
changed_part (const Moving *m, const uint32_t *pixels)
{
  int left = m->width, right = -1, top = m->height, bottom = -1;

  if (m->done == 0)
    return (cairo_rectangle_int_t){ 0, 0, m->width, m->height };
  for (int y = 0; y < m->height; y++)
    for (int x = 0; x < m->width; x++)
      if (((pixels[(gsize) y * (gsize) m->width + (gsize) x] ^ m->before[(gsize) y * (gsize) m->width + (gsize) x])
           & 0xffffff)
          != 0) {
        left = MIN (left, x), right = MAX (right, x);
        top = MIN (top, y), bottom = y;
      }
  if (right < 0)
    return (cairo_rectangle_int_t){ 0, 0, 1, 1 };
  return (cairo_rectangle_int_t){ left, top, right - left + 1, bottom - top + 1 };
}

/* Each colour becomes the mean of what is shown by it: the library has rounded them to 32 steps. */
static void
mean_colours (GifColorType *colours, const GifByteType *of, const GifByteType *const channel[3], gsize n)
{
  uint64_t sum[COLOURS][4] = { { 0 } };

  for (gsize i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++)
      sum[of[i]][k] += channel[k][i];
    sum[of[i]][3]++;
  }
  for (int c = 0; c < COLOURS; c++)
    if (sum[c][3] > 0)
      colours[c] = (GifColorType){ (GifByteType) ((sum[c][0] + sum[c][3] / 2) / sum[c][3]),
                                   (GifByteType) ((sum[c][1] + sum[c][3] / 2) / sum[c][3]),
                                   (GifByteType) ((sum[c][2] + sum[c][3] / 2) / sum[c][3]) };
}

static bool
put_gif (Moving *m, const uint32_t *pixels, GError **error)
{
  cairo_rectangle_int_t r = changed_part (m, pixels);
  gsize n = (gsize) r.width * (gsize) r.height, i = 0;
  g_autofree GifByteType *planes = g_malloc (4 * n);
  GifByteType *const channel[] = { planes, planes + n, planes + 2 * n }, *of = planes + 3 * n;
  GifColorType colours[COLOURS] = { { 0 } };
  int size = COLOURS,
      hundredths = (int) lround (100.0 * (m->done + 1) / m->rate) - (int) lround (100.0 * m->done / m->rate);

  for (int y = r.y; y < r.y + r.height; y++)
    for (int x = r.x; x < r.x + r.width; x++, i++) {
      uint32_t rgb = pixels[(gsize) y * (gsize) m->width + (gsize) x];
      channel[0][i] = (GifByteType) (rgb >> 16 & 255);
      channel[1][i] = (GifByteType) (rgb >> 8 & 255);
      channel[2][i] = (GifByteType) (rgb & 255);
    }
  if (GifQuantizeBuffer ((unsigned) r.width, (unsigned) r.height, &size, channel[0], channel[1], channel[2], of,
                         colours)
      != GIF_OK)
    return moving_refuse (m, _ ("there is no memory for its colours"), error);
  mean_colours (colours, of, (const GifByteType *const *) channel, n);
  ColorMapObject *map = GifMakeMapObject (COLOURS, colours);
  GraphicsControlBlock control = { .DisposalMode = DISPOSE_DO_NOT,
                                   .DelayTime = hundredths,
                                   .TransparentColor = NO_TRANSPARENT_COLOR };
  GifByteType extension[4];
  gsize bytes = EGifGCBToExtension (&control, extension);
  bool ok = map != NULL && EGifPutExtension (m->gif, GRAPHICS_EXT_FUNC_CODE, (int) bytes, extension) == GIF_OK
            && EGifPutImageDesc (m->gif, r.x, r.y, r.width, r.height, false, map) == GIF_OK;
  for (int y = 0; ok && y < r.height; y++)
    ok = EGifPutLine (m->gif, of + (gsize) y * (gsize) r.width, r.width) == GIF_OK;
  GifFreeMapObject (map);
  memcpy (m->before, pixels, (gsize) m->width * (gsize) m->height * sizeof *pixels);
  return ok ? true : refuse_gif (m, m->gif->Error, error);
}
#endif

/* ---- WebM --------------------------------------------------------------------------------------------------------------- */

static bool
begin_webm (Moving *m, GError **error)
{
  g_autofree char *options = g_strdup_printf (
      "ffmpeg -loglevel error -f rawvideo -pix_fmt %s -s %dx%d -r %g -i - -f webm -c:v libvpx-vp9 -crf 24 -b:v 0 "
      "-pix_fmt yuv444p -row-mt 1 -cpu-used 4 -y FILE",
      G_BYTE_ORDER == G_LITTLE_ENDIAN ? "bgr0" : "0rgb", m->width, m->height, m->rate);
  g_auto (GStrv) command = g_strsplit (options, " ", -1);
  char **file = &command[g_strv_length (command) - 1];

  g_free (*file);
  *file = g_strdup (m->making);
  return g_spawn_async_with_pipes (NULL, command, NULL,
                                   G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
                                       | G_SPAWN_CLOEXEC_PIPES,
                                   NULL, NULL, &m->child, &m->feed, NULL, NULL, error);
}

static bool
put_webm (Moving *m, const uint32_t *pixels, GError **error)
{
  gsize bytes = (gsize) m->width * (gsize) m->height * sizeof *pixels;

  return disk_write (m->feed, pixels, bytes) ? true : moving_refuse (m, _ ("ffmpeg has ended before"), error);
}

/* Closes what ffmpeg reads, and waits until it has ended; false: it could not make the file. */
static bool
end_webm (Moving *m, GError **error)
{
  int status = 0;
  bool ok = close (m->feed) == 0;

  m->feed = -1;
  while (waitpid (m->child, &status, 0) < 0 && errno == EINTR)
    ;
  m->child = 0;
  return g_spawn_check_wait_status (status, error) && ok;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

bool
moving_add (Moving *m, cairo_surface_t *picture, GError **error)
{
  int width = cairo_image_surface_get_width (picture), height = cairo_image_surface_get_height (picture);
  const uint32_t *pixels = (const uint32_t *) (const void *) cairo_image_surface_get_data (picture);
  bool ok = true;

  if (cairo_image_surface_get_stride (picture) != 4 * width
      || (m->width != 0 && (m->width != width || m->height != height)))
    return moving_refuse (m, _ ("its pictures are not of one size"), error);
  if (m->width == 0) {
    m->width = width, m->height = height;
    if (is_webm (m->path))
      ok = begin_webm (m, error);
#ifdef HAVE_GIF
    else
      ok = width <= UINT16_MAX && height <= UINT16_MAX && begin_gif (m, error);
#endif
  }
#ifdef HAVE_GIF
  if (ok && m->gif != NULL)
    ok = put_gif (m, pixels, error);
#endif
  if (ok && m->child != 0)
    ok = put_webm (m, pixels, error);
  m->done++;
  return ok;
}

bool
moving_end (Moving *m, GError **error)
{
  g_autoptr (GError) why = NULL;

  if (m->making == NULL)
    return true;
#ifdef HAVE_GIF
  int code = 0;
  GifFileType *gif = g_steal_pointer (&m->gif);
  if (gif != NULL && EGifCloseFile (gif, &code) != GIF_OK)
    return refuse_gif (m, code, error);
#endif
  if (m->child != 0 && !end_webm (m, &why))
    return moving_refuse (m, why != NULL ? why->message : g_strerror (errno), error);
  if (g_rename (m->making, m->path) != 0)
    return moving_refuse (m, g_strerror (errno), error);
  g_clear_pointer (&m->making, g_free);
  return true;
}

void
moving_free (Moving *m)
{
  if (m->child != 0) {
    kill (m->child, SIGKILL);
    end_webm (m, NULL);
  }
#ifdef HAVE_GIF
  if (m->gif != NULL)
    EGifCloseFile (m->gif, NULL);
#endif
  if (m->making != NULL)
    g_unlink (m->making);
  g_free (m->making);
  g_free (m->before);
  g_free (m->path);
  g_free (m);
}
