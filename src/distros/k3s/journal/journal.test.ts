import { expect, test } from "vitest";
import { journalError, reasonIn, type JournalReason } from "../index.ts";

const logged = (level: string, message: string): string =>
  `time="2026-11-16T08:00:00Z" level=${level} msg="${message.replaceAll('"', String.raw`\"`)}"`;
const fatal = (message: string): string => logged("fatal", message);
const info = (message: string): string => logged("info", message);
const start = info("Starting k3s v1.36.3+k3s1 (0a1b2c3d)");
const hash = { ours: "a".repeat(64), theirs: "b".repeat(64) };
const subject = { node: "cp-2", unit: "k3s", server: "https://10.0.0.10:6443" };

/** What K3s writes, and what it is taken for. */
const rows: [line: string, code: string, more?: Partial<JournalReason>][] = [
  [
    fatal(
      'starting kubernetes: preparing server: failed to get CA certs: Get "https://10.0.0.10:6443/cacerts": dial tcp 10.0.0.10:6443: connect: connection refused',
    ),
    "K3S_SERVER_UNREACHABLE",
    {
      isPassing: true,
      details: {
        url: "https://10.0.0.10:6443/cacerts",
        said: "dial tcp 10.0.0.10:6443: connect: connection refused",
      },
    },
  ],
  [
    logged("error", 'failed to get CA certs: Get "https://127.0.0.1:6444/cacerts": EOF'),
    "K3S_SERVER_UNREACHABLE",
    { isPassing: true, details: { url: "https://127.0.0.1:6444/cacerts", said: "EOF" } },
  ],
  [
    fatal(
      `starting kubernetes: preparing server: failed to validate token: token CA hash does not match the Cluster CA certificate hash: ${hash.ours} != ${hash.theirs}`,
    ),
    "K3S_CA_HASH_DIFFERENT",
    { details: hash },
  ],
  [
    fatal(
      "CA cert validation failed: tls: failed to verify certificate: x509: certificate signed by unknown authority",
    ),
    "K3S_CA_NOT_VALID",
  ],
  [
    fatal(
      "starting kubernetes: preparing server: failed to get bootstrap data: https://10.0.0.10:6443/v1-k3s/server-bootstrap: 401 Unauthorized",
    ),
    "K3S_NOT_AUTHORIZED",
  ],
  [
    info(
      "Waiting to retrieve agent configuration; server is not ready: failed to retrieve configuration from server: https://127.0.0.1:6444/v1-k3s/config: not authorized",
    ),
    "K3S_NOT_AUTHORIZED",
  ],
  [fatal("starting kubernetes: preparing server: not authorized"), "K3S_NOT_AUTHORIZED"],
  [fatal("flag provided but not defined: -tls-san"), "K3S_FLAG_WRONG"],
  [fatal("starting kubernetes: preparing server: invalid token CA hash length"), "K3S_TOKEN_BROKEN"],
  [
    fatal(
      "starting kubernetes: preparing server: init cluster datastore and https: listen tcp :6443: bind: address already in use",
    ),
    "K3S_PORT_TAKEN",
  ],
  [
    logged(
      "error",
      "apiserver exited: failed to create listener: failed to listen on 127.0.0.1:6444: listen tcp 127.0.0.1:6444: bind: address already in use",
    ),
    "K3S_PORT_TAKEN",
    { details: { address: "127.0.0.1", port: "6444" } },
  ],
  [
    logged(
      "error",
      'failed to get CA certs: Get "https://127.0.0.1:6444/cacerts": read tcp 127.0.0.1:55160->127.0.0.1:6444: read: connection reset by peer',
    ),
    "K3S_SERVER_UNREACHABLE",
  ],
  [fatal("invalid token format"), "K3S_TOKEN_BROKEN", { details: { said: "invalid token format" } }],
  [fatal("invalid token CA hash length"), "K3S_TOKEN_BROKEN"],
  [fatal("token must not be empty"), "K3S_TOKEN_BROKEN"],
  ["--token is required", "K3S_TOKEN_BROKEN"],
  [
    fatal(
      "starting kubernetes: preparing server: failed to validate server configuration: critical configuration value mismatch between servers",
    ),
    "K3S_SETTINGS_DIFFERENT",
  ],
  [
    info(
      "Waiting to retrieve agent configuration; server is not ready: Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag",
    ),
    "K3S_NODE_PASSWORD",
  ],
  [
    fatal(
      "starting kubernetes: preparing server: start managed database: joining etcd cluster: duplicate node name found, please use a unique name for this node",
    ),
    "K3S_MEMBER_DUPLICATE",
  ],
  [
    fatal(
      "starting kubernetes: preparing server: bootstrap data already found and encrypted with different token",
    ),
    "K3S_TOKEN_DIFFERENT",
  ],
  [
    fatal("no bootstrap data found in datastore - check server token value and verify datastore integrity"),
    "K3S_TOKEN_DIFFERENT",
  ],
  [
    fatal(
      "/var/lib/rancher/k3s/server/tls/server-ca.crt, /var/lib/rancher/k3s/server/tls/server-ca.key newer than datastore and could cause a cluster outage. Remove the file(s) from disk and restart to be recreated from datastore.",
    ),
    "K3S_TRUST_FILES_NEWER",
    {
      details: {
        files: "/var/lib/rancher/k3s/server/tls/server-ca.crt, /var/lib/rancher/k3s/server/tls/server-ca.key",
      },
    },
  ],
  [fatal("tombstone file has been detected but --server is empty"), "K3S_TOMBSTONE"],
  [
    fatal(
      "this server is a not a member of the etcd cluster. Found [cp-1-8f3a=https://10.0.0.10:2380], expect: cp-2-11aa=https://10.0.0.11:2380",
    ),
    "K3S_NOT_A_MEMBER",
    { details: { found: "[cp-1-8f3a=https://10.0.0.10:2380]", name: "cp-2-11aa=https://10.0.0.11:2380" } },
  ],
  [
    fatal("etcd cluster join failed: context deadline exceeded"),
    "K3S_JOIN_HELD",
    { details: { said: "context deadline exceeded" } },
  ],
  [info("Retrying etcd cluster join: MemberAdd request timed out"), "K3S_JOIN_HELD", { isPassing: true }],
  [
    info(
      "Waiting for other members to finish joining etcd cluster: etcdserver: too many learner members in cluster",
    ),
    "K3S_LEARNER",
    { isPassing: true },
  ],
  [
    info(
      "Failed to test etcd connection: this server has not yet been promoted from learner to voting member",
    ),
    "K3S_LEARNER",
    { isPassing: true },
  ],
  [
    logged("warning", "Learner cp-3-77ab stalled at RaftAppliedIndex=412 for 1m15s"),
    "K3S_LEARNER",
    { details: { name: "cp-3-77ab" } },
  ],
  [
    fatal("starting kubernetes: listen tcp :6443: bind: address already in use"),
    "K3S_PORT_TAKEN",
    { details: { address: "", port: "6443" } },
  ],
  [
    '{"level":"fatal","ts":"2026-11-16T08:00:00.000Z","msg":"creating peer listener failed","error":"listen tcp 10.0.0.11:2380: bind: address already in use"}',
    "K3S_PORT_TAKEN",
    { details: { address: "10.0.0.11", port: "2380" } },
  ],
  [fatal("failed to find memory cgroup (v2)"), "K3S_CGROUPS", { details: { controller: "memory" } }],
  [fatal("pids cgroup controller not found"), "K3S_CGROUPS", { details: { controller: "pids" } }],
  [fatal("cgroups: cgroup mountpoint does not exist"), "K3S_CGROUPS", {}],
  [
    logged(
      "warning",
      "Failed to find cpuset cgroup, you may need to add cgroup_enable=cpuset to your linux cmdline",
    ),
    "K3S_CGROUPS",
    { isWarning: true },
  ],
  [
    logged(
      "error",
      "failed to get CA certs: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-15T08:00:00Z is before 2026-11-16T07:00:00Z",
    ),
    "K3S_CLOCK",
    { details: { said: "current time 2026-11-15T08:00:00Z is before 2026-11-16T07:00:00Z" } },
  ],
  [
    info("Waiting to retrieve agent configuration; server is not ready: apiserver not ready"),
    "K3S_SERVER_NOT_READY",
    { isPassing: true, details: { said: "apiserver not ready" } },
  ],
  [
    fatal(
      "incompatible down-level server detected; servers must be upgraded to at least v1.36.3+k3s1, or restarted with --disable-network-policy",
    ),
    "K3S_SERVER_OLDER",
    { details: { version: "v1.36.3+k3s1" } },
  ],
  [
    fatal("invalid flag use; --server is required with --disable-etcd"),
    "K3S_FLAG_WRONG",
    { details: { said: "--server is required with --disable-etcd" } },
  ],
  [
    "Incorrect Usage: flag provided but not defined: -tls-san",
    "K3S_FLAG_WRONG",
    { details: { said: "flag provided but not defined: -tls-san" } },
  ],
  [
    logged("warning", "Unknown flag --colour found in config.yaml, skipping"),
    "K3S_FLAG_WRONG",
    { isWarning: true },
  ],
  [
    "E1116 08:00:00.000000    1234 run.go:74] unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker]",
    "K3S_FLAG_WRONG",
  ],
  [
    fatal(
      "cannot perform cluster-reset while server URL is set - remove server from configuration before resetting",
    ),
    "K3S_RESET_HELD",
  ],
  [
    fatal(
      "Managed etcd cluster membership was previously reset, please remove the cluster-reset flag and start k3s normally.",
    ),
    "K3S_RESET_HELD",
  ],
  [
    fatal("failed to start container runtime: overlayfs snapshotter cannot be enabled"),
    "K3S_CONTAINER_RUNTIME",
    { details: { said: "overlayfs snapshotter cannot be enabled" } },
  ],
  [
    '{"level":"warn","ts":"2026-11-16T08:00:00.000Z","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"412ms"}',
    "K3S_DISK_SLOW",
    { isWarning: true },
  ],
  [
    '{"level":"warn","ts":"2026-11-16T08:00:00.000Z","caller":"wal/wal.go:805","msg":"slow fdatasync","took":"1.2s"}',
    "K3S_DISK_SLOW",
    { isWarning: true },
  ],
];

test.each(rows)("reasonIn() understands: %s", (line, code, more = {}) => {
  const reason = reasonIn([start, line]);
  expect(reason).toMatchObject({ code, ...more });
  if (!reason) return;
  expect(reason.line).not.toMatch(/level=|^\{|^E\d{4}/);
  const error = journalError(subject, reason);
  expect(error).toMatchObject({
    code,
    what: 'Cannot get K3s on "cp-2" to run',
    transient: reason.isPassing ?? false,
  });
  for (const text of [error.why, error.next]) expect(text).not.toMatch(/undefined|: *$/);
});

test("reasonIn() names every setting that differs, in the words of the config file", () => {
  const lines = [
    start,
    logged("warning", "critical configuration mismatched: ClusterIPRanges.slice[0].IP.slice[13]"),
    logged("warning", "critical configuration mismatched: ClusterIPRange.IP.slice[13]"),
    logged("warning", "critical configuration mismatched: flannel-backend"),
    fatal(
      "starting kubernetes: preparing server: failed to validate server configuration: critical configuration value mismatch between servers",
    ),
  ];
  const reason = reasonIn(lines);
  expect(reason?.details).toEqual({ keys: "cluster-cidr, flannel-backend" });
  expect(reason && journalError(subject, reason).why).toContain("cluster-cidr, flannel-backend");
});

test("reasonIn() prefers what ends a start to what passes, and what passes to what is only slow", () => {
  const slow = '{"level":"warn","msg":"slow fdatasync"}';
  const passing = info("Waiting to retrieve agent configuration; server is not ready: apiserver not ready");
  const runReport = fatal("invalid token format");
  expect(reasonIn([start, runReport, passing, slow])?.code).toBe("K3S_TOKEN_BROKEN");
  expect(reasonIn([start, passing, slow])?.code).toBe("K3S_SERVER_NOT_READY");
  expect(reasonIn([start, slow, info("all is well")])?.code).toBe("K3S_DISK_SLOW");
});

test("reasonIn() speaks of the last start, or of the one before while the last has only begun", () => {
  const broken = [start, fatal("invalid token format")];
  const taken = [start, fatal("listen tcp :6443: bind: address already in use")];
  expect(reasonIn([...broken, ...taken])?.code).toBe("K3S_PORT_TAKEN");
  expect(reasonIn([...taken, start, info("Acquiring lock file")])?.code).toBe("K3S_PORT_TAKEN");
  expect(reasonIn([...taken, start, start])).toBeUndefined();
});

test("reasonIn() forgets what was before K3s came up, and does not take others' faults for its own", () => {
  const up = info("k3s is up and running");
  expect(reasonIn([start, fatal("invalid token format"), start, up])).toBeUndefined();
  expect(
    reasonIn([start, up, logged("error", "Sending HTTP 401 response to 10.0.0.7:4711: not authorized")]),
  ).toBeUndefined();
  expect(reasonIn([])).toBeUndefined();
});

test("reasonIn() forgets that no server was found once what it told is used", () => {
  const unreachable = info(
    "Waiting to retrieve agent configuration; server is not ready: apiserver not ready",
  );
  const started = info("Running containerd -c /var/lib/rancher/k3s/agent/etc/containerd/config.toml");
  expect(reasonIn([start, unreachable, started])).toBeUndefined();
  expect(reasonIn([start, unreachable, started, unreachable])?.code).toBe("K3S_SERVER_NOT_READY");
  expect(reasonIn([start, fatal("invalid token format"), started])?.code).toBe("K3S_TOKEN_BROKEN");
});
