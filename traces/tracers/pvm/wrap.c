/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - a function in front of each one of libpvm3 and libgpvm3.
 *
 * The library is preloaded, so these come first in the search order of the dynamic linker; the true ones are
 * found with RTLD_NEXT.  libpvm3 and libgpvm3 call their own functions through here too: those calls come at
 * depth 2 and more and go straight on.  Reading what a call moved (pvm_bufinfo) is done outside the span
 * between tape_go and tape_stop, so that it does not count as time of the call. */
#include "record.h"
#include "replay.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define SITE __builtin_return_address (0)

TapeReal tape_real;

static void *
pvm_wrap_find (const char *name)
{
  void *f = dlsym (RTLD_NEXT, name);
  static const char *const libraries[] = { "libpvm3.so.3", "libgpvm3.so.3", "libpvm3.so", "libgpvm3.so" };

  /* A program that loads PVM with dlopen hides it from RTLD_NEXT. */
  for (unsigned i = 0; !f && i < sizeof libraries / sizeof *libraries; i++) {
    void *library = dlopen (libraries[i], RTLD_LAZY | RTLD_NOLOAD);

    if (library)
      f = dlsym (library, name);
  }
  return f;
}

void
tape_real_init (void)
{
  if (tape_real.pvm_mytid)
    return;
#define WRAPPED(name) *(void **) &tape_real.name = pvm_wrap_find (#name);
#include "wrapped.def"
#undef WRAPPED
  tape_real.pvmmytid = pvm_wrap_find ("pvmmytid");
}

static void
pvm_wrap_missing (const char *name)
{
  tape_real_init ();
  fprintf (stderr, "libtape-pvm: %s: not in the PVM library of this program\n", name);
  abort ();
}

static inline void
pvm_wrap_need (const void *f, const char *name)
{
  if (!TAPE_LIKELY (f != NULL))
    pvm_wrap_missing (name);
}

#define REAL(name) (pvm_wrap_need (*(void **) &tape_real.name, #name), tape_real.name)

/* -- every other call: a name and a result -- */

#define PLAIN(type, name, kind, params, args, result)                                                                  \
  TAPE_EXPORT type name params                                                                                         \
  {                                                                                                                    \
    TapeRecord *t = tape_enter (TAPE_##kind, 1, 0, SITE);                                                              \
    type r;                                                                                                            \
    if (t)                                                                                                             \
      t->field[0] = 0;                                                                                                 \
    tape_go (t, 0);                                                                                                    \
    r = REAL (name) args;                                                                                              \
    tape_stop (t);                                                                                                     \
    if (t)                                                                                                             \
      t->field[0] = (result);                                                                                          \
    tape_leave ();                                                                                                     \
    return r;                                                                                                          \
  }
#define PLAIN_INT(name, kind, params, args) PLAIN (int, name, kind, params, args, r)

typedef int (*Handler) (int);
typedef int (*Matcher) (int, int, int);
typedef int (*OldMatcher) (int (*) (int, int, int)); /* what pvm3.h says that pvm_recvf returns */

PLAIN_INT (pvm_addhosts, AddHosts, (char **names, int n, int *infos), (names, n, infos))
PLAIN_INT (pvm_addmhf, AddMhf, (int src, int tag, int ctx, Handler f), (src, tag, ctx, f))
PLAIN_INT (pvm_archcode, ArchCode, (char *arch), (arch))
PLAIN_INT (pvm_bufinfo, BufInfo, (int id, int *length, int *tag, int *tid), (id, length, tag, tid))
PLAIN_INT (pvm_catchout, CatchOut, (FILE * f), (f))
PLAIN_INT (pvm_config, Config, (int *hosts, int *archs, struct pvmhostinfo **infos), (hosts, archs, infos))
PLAIN_INT (pvm_delhosts, DelHosts, (char **names, int n, int *infos), (names, n, infos))
PLAIN_INT (pvm_delinfo, DelInfo, (char *name, int index, int flags), (name, index, flags))
PLAIN_INT (pvm_delmhf, DelMhf, (int id), (id))
PLAIN_INT (pvm_delete, Delete, (char *name, int index), (name, index))
PLAIN_INT (pvm_export, Export, (char *name), (name))
PLAIN_INT (pvm_freebuf, FreeBuf, (int id), (id))
PLAIN_INT (pvm_freecontext, FreeContext, (int ctx), (ctx))
PLAIN_INT (pvm_freezegroup, FreezeGroup, (char *group, int size), (group, size))
PLAIN_INT (pvm_getcontext, GetContext, (void), ())
PLAIN_INT (pvm_getfds, GetFds, (int **fds), (fds))
PLAIN_INT (pvm_getinst, GetInst, (char *group, int tid), (group, tid))
PLAIN_INT (pvm_gettid, GetTid, (char *group, int instance), (group, instance))
PLAIN_INT (pvm_getmboxinfo, GetMboxInfo, (char *pattern, int *n, struct pvmmboxinfo **infos), (pattern, n, infos))
PLAIN_INT (pvm_getminfo, GetMinfo, (int id, struct pvmminfo *info), (id, info))
PLAIN_INT (pvm_getmwid, GetMwid, (int id), (id))
PLAIN_INT (pvm_getnoresets, GetNoResets, (int **tids, int *n), (tids, n))
PLAIN_INT (pvm_getopt, GetOpt, (int what), (what))
PLAIN_INT (pvm_getrbuf, GetRbuf, (void), ())
PLAIN_INT (pvm_getsbuf, GetSbuf, (void), ())
PLAIN_INT (pvm_grphostinfo, GrpHostInfo, (char *group, int host, int *coordinator, int *members, int *hosts),
           (group, host, coordinator, members, hosts))
PLAIN_INT (pvm_grpvhostinfo, GrpVHostInfo, (char *group, int **coordinators, int **members, int *hosts),
           (group, coordinators, members, hosts))
PLAIN_INT (pvm_gsize, GSize, (char *group), (group))
PLAIN_INT (pvm_halt, Halt, (void), ())
PLAIN_INT (pvm_hostsync, HostSync, (int host, struct timeval *clk, struct timeval *delta), (host, clk, delta))
PLAIN_INT (pvm_insert, Insert, (char *name, int index, int data), (name, index, data))
PLAIN_INT (pvm_kill, Kill, (int tid), (tid))
PLAIN_INT (pvm_lookup, Lookup, (char *name, int index, int *data), (name, index, data))
PLAIN_INT (pvm_mkbuf, MkBuf, (int encoding), (encoding))
PLAIN_INT (pvm_mstat, MStat, (char *host), (host))
PLAIN_INT (pvm_mytid, MyTid, (void), ())
PLAIN_INT (pvm_newcontext, NewContext, (void), ())
PLAIN_INT (pvm_notify, Notify, (int what, int tag, int n, int *tids), (what, tag, n, tids))
PLAIN_INT (pvm_parent, Parent, (void), ())
PLAIN_INT (pvm_perror, Perror, (char *text), (text))
PLAIN_INT (pvm_pstat, PStat, (int tid), (tid))
PLAIN_INT (pvm_putinfo, PutInfo, (char *name, int id, int flags), (name, id, flags))
PLAIN_INT (pvm_recvinfo, RecvInfo, (char *name, int index, int flags), (name, index, flags))
PLAIN_INT (pvm_reg_hoster, RegHoster, (void), ())
PLAIN_INT (pvm_reg_rm, RegRm, (struct pvmhostinfo * *infos), (infos))
PLAIN_INT (pvm_reg_tasker, RegTasker, (void), ())
PLAIN_INT (pvm_reg_tracer, RegTracer, (int a, int b, int c, int d, char *e, int f, int g), (a, b, c, d, e, f, g))
PLAIN_INT (pvm_sendsig, SendSig, (int tid, int signum), (tid, signum))
PLAIN_INT (pvm_setcontext, SetContext, (int ctx), (ctx))
PLAIN_INT (pvm_setminfo, SetMinfo, (int id, struct pvmminfo *info), (id, info))
PLAIN_INT (pvm_setmwid, SetMwid, (int id, int wait), (id, wait))
PLAIN_INT (pvm_setopt, SetOpt, (int what, int value), (what, value))
PLAIN_INT (pvm_setrbuf, SetRbuf, (int id), (id))
PLAIN_INT (pvm_setsbuf, SetSbuf, (int id), (id))
PLAIN_INT (pvm_siblings, Siblings, (int **tids), (tids))
PLAIN_INT (pvm_start_pvmd, StartPvmd, (int argc, char **argv, int block), (argc, argv, block))
PLAIN (char *, pvm_strerror, StrError, (void), (), 0)
PLAIN_INT (pvm_tasks, Tasks, (int where, int *n, struct pvmtaskinfo **infos), (where, n, infos))
PLAIN_INT (pvm_tickle, Tickle, (int n, int *arg, int *m, int *out), (n, arg, m, out))
PLAIN_INT (pvm_tidtohost, TidToHost, (int tid), (tid))
PLAIN_INT (pvm_unexport, UnExport, (char *name), (name))
PLAIN (char *, pvm_version, Version, (void), (), 0)

/* Those that a run under a recorded order answers otherwise. */
#define REAL_OR_PLAYED(name, args, ordered) (TAPE_LIKELY (!tape_replays) ? REAL (name) args : (ordered))

TAPE_EXPORT int
pvm_probe (int tid, int tag)
{
  TapeRecord *t = tape_enter (TAPE_Probe, 1, 0, SITE);
  int r;

  if (t)
    t->field[0] = 0;
  tape_go (t, 0);
  r = REAL_OR_PLAYED (pvm_probe, (tid, tag), replay_probe (tid, tag));
  tape_stop (t);
  if (t)
    t->field[0] = r;
  tape_leave ();
  return r;
}

TAPE_EXPORT OldMatcher
pvm_recvf (Matcher f)
{
  TapeRecord *t = tape_enter (TAPE_Recvf, 1, 0, SITE);
  OldMatcher r;

  if (t)
    t->field[0] = 0;
  tape_go (t, 0);
  if (tape_replays && f)
    replay_matcher ();
  r = REAL (pvm_recvf) (f);
  tape_stop (t);
  tape_leave ();
  return r;
}

TAPE_EXPORT void
pvm_gsdump (void)
{
  TapeRecord *t = tape_enter (TAPE_GsDump, 1, 0, SITE);

  if (t)
    t->field[0] = 0;
  tape_go (t, 0);
  REAL (pvm_gsdump) ();
  tape_stop (t);
  tape_leave ();
}

TAPE_EXPORT int
pvm_exit (void)
{
  int r;

  /* One record, at the beginning of the call: the date at which the program was done.  enter leaves none of
   * its own: Exit comes through tape_exit_record, which is also the way of a process that ends without it. */
  tape_enter (0, 0, 0, NULL);
  if (tape_depth == 1 && tape.state == TAPE_ON && tape.tid)
    tape_exit_record (0, SITE);
  r = REAL (pvm_exit) ();
  if (tape_depth == 1)
    tape_finish ();
  tape_depth--;
  return r;
}

/* -- packing: payload in bytes, whatever the encoding makes of it -- */

/* What lies in a buffer of PvmDataInPlace is not counted by PVM before it is sent. */
static int64_t packed;

#define begins_buffer(encoding) (packed = 0, (encoding))
PLAIN_INT (pvm_initsend, InitSend, (int encoding), (begins_buffer (encoding)))

static inline int64_t
payload (int n, int64_t size)
{
  return n > 0 ? n * size : 0;
}

#define PACK(name, kind, type, unit)                                                                                   \
  TAPE_EXPORT int name (type *p, int n, int stride)                                                                    \
  {                                                                                                                    \
    TapeRecord *t = tape_enter (TAPE_##kind, 4, 0, SITE);                                                              \
    int r;                                                                                                             \
    if (t) {                                                                                                           \
      t->field[0] = n;                                                                                                 \
      t->field[1] = stride;                                                                                            \
      t->field[2] = payload (n, unit);                                                                                 \
      t->field[3] = 0;                                                                                                 \
    }                                                                                                                  \
    tape_go (t, 0);                                                                                                    \
    r = REAL (name) (p, n, stride);                                                                                    \
    tape_stop (t);                                                                                                     \
    if (t)                                                                                                             \
      t->field[3] = r;                                                                                                 \
    if (tape_depth == 1)                                                                                               \
      packed += payload (n, unit);                                                                                     \
    tape_leave ();                                                                                                     \
    return r;                                                                                                          \
  }
#define PACKS(name, kind, type, unit)                                                                                  \
  PACK (pvm_pk##name, Pk##kind, type, unit) PACK (pvm_upk##name, Upk##kind, type, unit)

PACKS (byte, Byte, char, 1)
PACKS (cplx, Cplx, float, 8)
PACKS (dcplx, Dcplx, double, 16)
PACKS (double, Double, double, 8)
PACKS (float, Float, float, 4)
PACKS (int, Int, int, (int64_t) sizeof (int))
PACKS (long, Long, long, (int64_t) sizeof (long))
PACKS (short, Short, short, 2)
PACKS (uint, Uint, unsigned int, (int64_t) sizeof (int))
PACKS (ulong, Ulong, unsigned long, (int64_t) sizeof (long))
PACKS (ushort, Ushort, unsigned short, 2)

/* The bytes of a string are known before packing, and after unpacking. */
static inline void
string_fields (TapeRecord *t, const char *s, int r)
{
  if (t) {
    t->field[0] = t->field[2] = s ? (int64_t) strlen (s) + 1 : 0;
    t->field[1] = 1;
    t->field[3] = r;
  }
}

TAPE_EXPORT int
pvm_pkstr (char *s)
{
  TapeRecord *t = tape_enter (TAPE_PkStr, 4, 0, SITE);
  int r;

  string_fields (t, s, 0);
  tape_go (t, 0);
  r = REAL (pvm_pkstr) (s);
  tape_stop (t);
  if (t)
    t->field[3] = r;
  tape_leave ();
  return r;
}

TAPE_EXPORT int
pvm_upkstr (char *s)
{
  TapeRecord *t = tape_enter (TAPE_UpkStr, 4, 0, SITE);
  int r;

  string_fields (t, NULL, 0);
  tape_go (t, 0);
  r = REAL (pvm_upkstr) (s);
  tape_stop (t);
  if (r >= 0)
    string_fields (t, s, r);
  else if (t)
    t->field[3] = r;
  tape_leave ();
  return r;
}

static int64_t
buffer_bytes (int id)
{
  int bytes = 0;

  if (id <= 0 || tape_real.pvm_bufinfo (id, &bytes, NULL, NULL) < 0)
    return 0;
  return bytes;
}

static int64_t
send_bytes (void)
{
  int64_t bytes = buffer_bytes (tape_real.pvm_getsbuf ());

  return bytes ? bytes : packed;
}

#define PACK_MESSAGE(name, kind)                                                                                       \
  TAPE_EXPORT int name (int id)                                                                                        \
  {                                                                                                                    \
    TapeRecord *t = tape_enter (TAPE_##kind, 3, 0, SITE);                                                              \
    int r;                                                                                                             \
    if (t) {                                                                                                           \
      t->field[0] = id;                                                                                                \
      t->field[1] = buffer_bytes (id);                                                                                 \
      t->field[2] = 0;                                                                                                 \
    }                                                                                                                  \
    tape_go (t, 0);                                                                                                    \
    r = REAL (name) (id);                                                                                              \
    tape_stop (t);                                                                                                     \
    if (t)                                                                                                             \
      t->field[2] = r;                                                                                                 \
    tape_leave ();                                                                                                     \
    return r;                                                                                                          \
  }
PACK_MESSAGE (pvm_pkmesg, PkMesg)
PACK_MESSAGE (pvm_pkmesgbody, PkMesgBody)

TAPE_EXPORT int
pvm_upkmesg (void)
{
  TapeRecord *t = tape_enter (TAPE_UpkMesg, 2, 0, SITE);
  int r;

  if (t)
    t->field[0] = t->field[1] = 0;
  tape_go (t, 0);
  r = REAL (pvm_upkmesg) ();
  tape_stop (t);
  if (t) {
    t->field[0] = buffer_bytes (r);
    t->field[1] = r;
  }
  tape_leave ();
  return r;
}

/* pvm_packf and pvm_unpackf cannot hand their arguments on; PVM exports the two that take a va_list.  Bytes:
 * what the send buffer grew by; and for unpacking, what the format names. */
TAPE_EXPORT int
pvm_packf (const char *fmt, ...)
{
  TapeRecord *t = tape_enter (TAPE_Packf, 2, 0, SITE);
  int64_t before = t && !(fmt && strncmp (fmt, "%+", 2) == 0) ? send_bytes () : 0;
  va_list ap;
  int r;

  if (t)
    t->field[0] = t->field[1] = 0;
  va_start (ap, fmt);
  tape_go (t, 0);
  r = REAL (pvm_vpackf) (fmt, ap);
  tape_stop (t);
  va_end (ap);
  if (t) {
    t->field[0] = send_bytes () - before;
    t->field[1] = r;
  }
  tape_leave ();
  return r;
}

/* A format is a list of %[count][.stride][h|l|u]TYPE; a `*` takes an int, all else a pointer. */
static int64_t
format_bytes (const char *p, va_list ap)
{
  int64_t bytes = 0;

  while ((p = strchr (p, '%')) != NULL) {
    int64_t count = 1, unit = 0;
    bool small = false, big = false;

    p++;
    if (*p == '+') {
      va_arg (ap, int);
      continue;
    }
    if (*p == '*') {
      count = va_arg (ap, int);
      p++;
    } else if (*p >= '0' && *p <= '9') {
      count = strtol (p, (char **) &p, 10);
    }
    if (*p == '.') {
      if (*++p == '*') {
        va_arg (ap, int);
        p++;
      } else {
        p += strspn (p, "0123456789");
      }
    }
    for (; *p == 'h' || *p == 'l' || *p == 'u'; p++) {
      small |= *p == 'h';
      big |= *p == 'l';
    }
    switch (*p) {
    case 'c':
      unit = 1;
      break;
    case 'd':
      unit = small ? 2 : big ? (int64_t) sizeof (long) : (int64_t) sizeof (int);
      break;
    case 'f':
      unit = big ? 8 : 4;
      break;
    case 'x':
      unit = big ? 16 : 8;
      break;
    case 's':
      bytes += (int64_t) strlen (va_arg (ap, char *)) + 1;
      continue;
    default:
      return bytes;
    }
    va_arg (ap, void *);
    bytes += count * unit;
  }
  return bytes;
}

TAPE_EXPORT int
pvm_unpackf (const char *fmt, ...)
{
  TapeRecord *t = tape_enter (TAPE_Unpackf, 2, 0, SITE);
  va_list ap, again;
  int r;

  if (t)
    t->field[0] = t->field[1] = 0;
  va_start (ap, fmt);
  va_copy (again, ap);
  tape_go (t, 0);
  r = REAL (pvm_vunpackf) (fmt, ap);
  tape_stop (t);
  if (t) {
    t->field[0] = r >= 0 && fmt ? format_bytes (fmt, again) : 0;
    t->field[1] = r;
  }
  va_end (again);
  va_end (ap);
  tape_leave ();
  return r;
}

/* -- words in a record -- */

#define LONGEST 1023

static inline size_t
word_length (const char *s)
{
  return s ? strnlen (s, LONGEST) : 0;
}

/* Writes a word at `at` in the tail, its length in `field`; returns where the next one goes. */
static inline char *
pvm_wrap_put_word (TapeRecord *t, int field, char *at, const char *s, size_t length)
{
  t->field[field] = (int64_t) length;
  if (length)
    memcpy (at, s, length);
  return at + TAPE_PAD (length);
}

static inline char *
tail_of (TapeRecord *t)
{
  return (char *) &t->field[t->n];
}

/* -- tasks -- */

TAPE_EXPORT int
pvm_spawn (char *file, char **argv, int flags, char *where, int count, int *tids)
{
  size_t l_file = word_length (file), l_where = word_length (where), n = count > 0 ? (size_t) count : 0;
  size_t tail = TAPE_PAD (l_file) + TAPE_PAD (l_where) + TAPE_PAD (n * sizeof (int32_t));
  TapeRecord *t = tape_enter (TAPE_Spawn, 6, tail, SITE);
  int *list = tids ? tids : t || tape_replays ? calloc (n + 1, sizeof *list) : NULL;
  char *at = NULL;
  int r;

  if (t) {
    at = pvm_wrap_put_word (t, 0, tail_of (t), file, l_file);
    t->field[1] = flags;
    at = pvm_wrap_put_word (t, 2, at, where, l_where);
    t->field[3] = count;
    t->field[4] = 0;
    t->field[5] = 0;
  }
  tape_go (t, tail);
  if (tape_replays)
    replay_before_spawn ();
  r = REAL (pvm_spawn) (file, argv, flags, where, count, list);
  if (tape_replays)
    replay_after_spawn (list, list && r > 0 ? (r < (int) n ? r : (int) n) : 0);
  tape_stop (t);
  if (t) {
    int64_t born = 0;

    for (int i = 0; list && i < r && i < (int) n; i++)
      if (list[i] > 0)
        ((int32_t *) at)[born++] = list[i];
    t->field[4] = born;
    t->field[5] = r;
  }
  if (list != tids)
    free (list);
  tape_leave ();
  return r;
}

/* -- groups -- */

#define GROUP_CALL(name, kind, params, CALL, n, MORE)                                                                  \
  TAPE_EXPORT int name params                                                                                          \
  {                                                                                                                    \
    size_t length = word_length (group), tail = TAPE_PAD (length);                                                     \
    TapeRecord *t = tape_enter (TAPE_##kind, n, tail, SITE);                                                           \
    int r;                                                                                                             \
    if (t) {                                                                                                           \
      pvm_wrap_put_word (t, 0, tail_of (t), group, length);                                                            \
      MORE;                                                                                                            \
      t->field[(n) -1] = 0;                                                                                            \
    }                                                                                                                  \
    tape_go (t, tail);                                                                                                 \
    r = CALL;                                                                                                          \
    tape_stop (t);                                                                                                     \
    if (t)                                                                                                             \
      t->field[(n) -1] = r;                                                                                            \
    tape_leave ();                                                                                                     \
    return r;                                                                                                          \
  }

static const int unit_of[] = { 1, 1, 2, 4, 4, 8, 8, 16, 8, 2, 4, 8 };

static inline int64_t
typed_bytes (int type, int count)
{
  return type >= 0 && type < (int) (sizeof unit_of / sizeof *unit_of) ? payload (count, unit_of[type]) : 0;
}

static inline void
collective_fields (TapeRecord *t, int root, int tag, int type, int count)
{
  t->field[1] = root; /* an instance: the merge makes a task of it */
  t->field[2] = tag;
  t->field[3] = type;
  t->field[4] = count;
  t->field[5] = typed_bytes (type, count);
}

typedef void (*Reducer) (int *, void *, void *, int *, int *);

GROUP_CALL (pvm_joingroup, JoinGroup, (char *group), REAL_OR_PLAYED (pvm_joingroup, (group), replay_join (group)), 2, )
GROUP_CALL (pvm_lvgroup, LvGroup, (char *group), REAL (pvm_lvgroup) (group), 2, )
GROUP_CALL (pvm_barrier, Barrier, (char *group, int count), REAL (pvm_barrier) (group, count), 3, t->field[1] = count)
GROUP_CALL (pvm_bcast, Bcast, (char *group, int tag), REAL (pvm_bcast) (group, tag), 4, t->field[1] = tag;
            t->field[2] = send_bytes ())
GROUP_CALL (pvm_scatter, Scatter, (void *out, void *in, int count, int type, int tag, char *group, int root),
            REAL (pvm_scatter) (out, in, count, type, tag, group, root), 7,
            collective_fields (t, root, tag, type, count))
GROUP_CALL (pvm_gather, Gather, (void *out, void *in, int count, int type, int tag, char *group, int root),
            REAL (pvm_gather) (out, in, count, type, tag, group, root), 7,
            collective_fields (t, root, tag, type, count))
GROUP_CALL (pvm_reduce, Reduce, (Reducer f, void *data, int count, int type, int tag, char *group, int root),
            REAL (pvm_reduce) (f, data, count, type, tag, group, root), 7,
            collective_fields (t, root, tag, type, count))

/* -- one to one -- */

TAPE_EXPORT int
pvm_send (int tid, int tag)
{
  TapeRecord *t = tape_enter (TAPE_Send, 4, 0, SITE);
  int r;

  if (t) {
    t->field[0] = tid;
    t->field[1] = tag;
    t->field[2] = send_bytes ();
    t->field[3] = 0;
  }
  tape_go (t, 0);
  r = REAL (pvm_send) (tid, tag);
  tape_stop (t);
  if (t)
    t->field[3] = r;
  tape_leave ();
  return r;
}

TAPE_EXPORT int
pvm_psend (int tid, int tag, void *data, int count, int type)
{
  TapeRecord *t = tape_enter (TAPE_PSend, 6, 0, SITE);
  int r;

  if (t) {
    t->field[0] = tid;
    t->field[1] = tag;
    t->field[2] = type;
    t->field[3] = count;
    t->field[4] = typed_bytes (type, count);
    t->field[5] = 0;
  }
  tape_go (t, 0);
  r = REAL (pvm_psend) (tid, tag, data, count, type);
  tape_stop (t);
  if (t)
    t->field[5] = r;
  tape_leave ();
  return r;
}

/* What came, in the last four fields: from, tag, bytes, result. */
static inline void
nothing_came (TapeRecord *t, int tid, int tag, int last)
{
  t->field[0] = tid;
  t->field[1] = tag;
  t->field[last - 3] = -1;
  t->field[last - 2] = tag;
  t->field[last - 1] = 0;
  t->field[last] = 0;
}

static inline void
this_came (TapeRecord *t, int id, int last)
{
  int bytes = 0, tag = 0, from = 0;

  t->field[last] = id;
  if (id > 0 && tape_real.pvm_bufinfo (id, &bytes, &tag, &from) >= 0) {
    t->field[last - 3] = from;
    t->field[last - 2] = tag;
    t->field[last - 1] = bytes;
  }
}

#define RECEIVE(name, kind, params, args, wait, n, MORE)                                                               \
  TAPE_EXPORT int name params                                                                                          \
  {                                                                                                                    \
    TapeRecord *t = tape_enter (TAPE_##kind, n, 0, SITE);                                                              \
    int r;                                                                                                             \
    if (t) {                                                                                                           \
      nothing_came (t, tid, tag, (n) -1);                                                                              \
      MORE;                                                                                                            \
    }                                                                                                                  \
    tape_go (t, 0);                                                                                                    \
    r = REAL_OR_PLAYED (name, args, replay_receive (TAPE_##kind, tid, tag, wait));                                     \
    tape_stop (t);                                                                                                     \
    if (t)                                                                                                             \
      this_came (t, r, (n) -1);                                                                                        \
    tape_leave ();                                                                                                     \
    return r;                                                                                                          \
  }

static inline int64_t
timeout_ns (const struct timeval *wait)
{
  return wait ? (int64_t) wait->tv_sec * 1000000000 + (int64_t) wait->tv_usec * 1000 : -1;
}

RECEIVE (pvm_recv, Recv, (int tid, int tag), (tid, tag), NULL, 6, )
RECEIVE (pvm_nrecv, NRecv, (int tid, int tag), (tid, tag), NULL, 6, )
RECEIVE (pvm_trecv, TRecv, (int tid, int tag, struct timeval *wait), (tid, tag, wait), wait, 7,
         t->field[2] = timeout_ns (wait))

TAPE_EXPORT int
pvm_precv (int tid, int tag, void *data, int count, int type, int *from, int *what, int *length)
{
  TapeRecord *t = tape_enter (TAPE_PRecv, 8, 0, SITE);
  int came_from = -1, came_tag = tag, came_length = 0, r;

  if (t) {
    nothing_came (t, tid, tag, 7);
    t->field[2] = type;
    t->field[3] = count;
  }
  tape_go (t, 0);
  r = REAL_OR_PLAYED (pvm_precv, (tid, tag, data, count, type, &came_from, &came_tag, &came_length),
                      replay_precv (tid, tag, data, count, type, &came_from, &came_tag, &came_length));
  tape_stop (t);
  if (from)
    *from = came_from;
  if (what)
    *what = came_tag;
  if (length)
    *length = came_length;
  if (t) {
    t->field[7] = r;
    if (r >= 0) {
      t->field[4] = came_from;
      t->field[5] = came_tag;
      t->field[6] = came_length;
    }
  }
  tape_leave ();
  return r;
}

/* -- one to many -- */

TAPE_EXPORT int
pvm_mcast (int *tids, int count, int tag)
{
  size_t n = count > 0 && tids ? (size_t) count : 0, tail = TAPE_PAD (n * sizeof (int32_t));
  TapeRecord *t = tape_enter (TAPE_Mcast, 4, tail, SITE);
  int r;

  if (t) {
    t->field[0] = (int64_t) n;
    t->field[1] = tag;
    t->field[2] = send_bytes ();
    t->field[3] = 0;
    if (n)
      memcpy (tail_of (t), tids, n * sizeof (int32_t));
  }
  tape_go (t, tail);
  r = REAL (pvm_mcast) (tids, count, tag);
  tape_stop (t);
  if (t)
    t->field[3] = r;
  tape_leave ();
  return r;
}
