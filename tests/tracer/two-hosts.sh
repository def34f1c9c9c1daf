#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# two-hosts.sh TAPE-PVM LIBRARY CHECKER KINDS PROGRAMS - the tracer over two hosts that share neither clock nor /tmp.
#
# The second host is a network namespace with a host name, a /tmp and a clock of its own: CLOCK_MONOTONIC is
# 1000 s ahead (time namespace), and drifts by 150 ppm (the skew the tracer offers for tests, since one machine
# has one quartz).  The estimate is compared with that truth.  Exit status 77 (skipped) without the rights.
set -u
tape=$1 library=$2 checker=$3 kinds=$4 programs=$5
work=$(mktemp -d "${TMPDIR:-/tmp}/two-hosts.XXXXXX")
a=tape$$a b=tape$$b
failed() { echo "two-hosts: $*" >&2; exit 1; }
skip() { echo "two-hosts: skipped: $*"; exit 77; }
clean() {
  PVM_TMP=$work/A; export PVM_TMP
  echo halt | ip netns exec $a pvm >/dev/null 2>&1
  ip netns del $a 2>/dev/null
  ip netns del $b 2>/dev/null
  rm -rf "$work"
}
[ "$(id -u)" = 0 ] || skip "needs root for namespaces"
unshare -T -u -m -n true 2>/dev/null || skip "no namespaces here"
trap clean EXIT
trap 'exit 1' INT TERM
ip netns add $a 2>/dev/null && ip netns add $b || skip "no network namespaces here"
ip link add va$$ netns $a type veth peer name vb$$ netns $b || skip "no virtual network here"
ip -n $a addr add 10.77.0.1/24 dev va$$ && ip -n $b addr add 10.77.0.2/24 dev vb$$ || failed "addresses"
for link in "$a lo" "$b lo" "$a va$$" "$b vb$$"; do ip -n ${link% *} link set ${link#* } up; done

mkdir -p "$work/home/pvm3/bin/LINUX64" "$work/A" "$work/B" "$work/tmp"
ln -s "$(command -v pvmgs)" "$work/home/pvm3/bin/LINUX64/pvmgs"
for p in fft2d ring groups heat2d; do ln -s "$programs/$p" "$work/home/pvm3/bin/LINUX64/$p"; done
cat >"$work/rsh" <<EOF
#!/bin/sh
shift
[ "\$1" = -l ] && shift 2
exec ip netns exec $b unshare -m -u -T --monotonic 1000 sh -c "mount -t tmpfs none $work/tmp; hostname nodeB; \
  HOME=$work/home PVM_TMP=$work/B PVM_ROOT=/usr/lib/pvm3 PVM_ALLOW_ROOT=1 exec \$*"
EOF
chmod +x "$work/rsh"
HOME=$work/home PVM_TMP=$work/A PVM_ROOT=/usr/lib/pvm3 PVM_ALLOW_ROOT=1 PVM_RSH=$work/rsh TMPDIR=$work/tmp
TAPE_PVM_LIBRARY=$library TAPE_PVM_SKEW=nodeB:0:150 PVM_EXPORT=TAPE_PVM_SKEW
export HOME PVM_TMP PVM_ROOT PVM_ALLOW_ROOT PVM_RSH TMPDIR TAPE_PVM_LIBRARY TAPE_PVM_SKEW PVM_EXPORT
ip netns exec $a unshare -u sh -c 'hostname nodeA; setsid pvmd -n10.77.0.1 </dev/null >"$HOME/pvmd.out" 2>&1 &'
for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$work/A/pvmd.0" ] && break; sleep 0.1; done
printf 'add 10.77.0.2\nconf\nquit\n' | ip netns exec $a pvm >"$work/conf" 2>&1
grep -q '2 hosts' "$work/conf" || { cat "$work/conf"; skip "the second pvmd does not start"; }

for run in "ring 6 20 1000" "fft2d 256 4 16" "groups 4 3" "heat2d 64 4 20"; do
  name=${run%% *}
  ip netns exec $a unshare -u sh -c 'hostname nodeA; exec "$@"' - \
    "$tape" -o "$work/$name.trace" -t 30 -- "$programs/$name" ${run#* } >"$work/out" 2>"$work/err" \
    || { cat "$work/out" "$work/err"; failed "$name"; }
  cat "$work/out"
  grep '^tape-pvm' "$work/err" | sed "s|$work/||"
  python3 "$checker" "$kinds" "$work/$name.trace" || failed "$name: the trace is wrong"
  hosts=$(grep '^1 ' "$work/$name.trace/$name.tapepvm/events" | cut -d' ' -f6 | sort -u | wc -l)
  [ "$hosts" = 2 ] || failed "$name: tasks of $hosts hosts in the trace, not of 2"
  # Offset at the first measure: 1000 s, and 150 ppm of the date itself since its own zero.
  python3 - "$work/$name.trace/doc/run.md" <<'EOF' || failed "$name: the estimate of the clock is off"
import re, sys
m = re.search(r"10\.77\.0\.2.*offset (-?\d+) ns \(error at most (\d+) ns\) before.*, (-?\d+) ns \(error at most "
              r"(\d+) ns\) after it, drift (-?[\d.]+) ppm", open(sys.argv[1]).read())
if not m:
    sys.exit("no two measures in the notes")
first, error1, last, error2 = map(int, m.groups()[:4])
drift = float(m[5])
import time
uptime = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
truth = 1000 * 10**9 + 150e-6 * (uptime + 1000 * 10**9)
print("offset %d ns +- %d, truth now %d; drift %.1f ppm, truth 150" % (first, error1, truth, drift))
sys.exit(abs(first - truth) > 2 * 10**6 or abs(drift - 150) > 1 + 1e3 * (error1 + error2) / 5e4)
EOF
done

# While it runs the tasks of one host are seen; at the end the whole is written, with the clocks compared.
ip netns exec $a unshare -u sh -c 'hostname nodeA; exec "$@"' - \
  "$tape" --live -f -o "$work/fft2d.trace" -t 30 -- "$programs/fft2d" 256 4 16 >"$work/out" 2>"$work/err" \
  || { cat "$work/out" "$work/err"; failed "live"; }
python3 "$checker" "$kinds" "$work/fft2d.trace" || failed "live: the trace is wrong"
inner=$work/fft2d.trace/fft2d.tapepvm
[ "$(head -1 "$inner/events")" = "#TAPE/PVM 1" ] || failed "live: it was not written again"
[ "$(tail -1 "$inner/live")" = ended ] || failed "live: it is not said that it has ended"
[ "$(grep '^1 ' "$inner/events" | cut -d' ' -f6 | sort -u | wc -l)" = 2 ] || failed "live: tasks of 2 hosts are not there"

# Estimates that are wrong by 0.4 ms, either way: messages come before they are sent, until they are moved.
for bias in 400000 -400000; do
  TAPE_PVM_BIAS_NS=$bias ip netns exec $a unshare -u sh -c 'hostname nodeA; exec "$@"' - \
    "$tape" -f -o "$work/ring.trace" -t 30 -- "$programs/ring" 6 20 1000 >"$work/out" 2>"$work/err" || failed "ring"
  grep 'before they were sent' "$work/err" || failed "nothing was moved, with estimates off by $bias ns"
  python3 "$checker" "$kinds" "$work/ring.trace" || failed "ring: the trace is wrong after repair"
done
echo "two-hosts: OK"
