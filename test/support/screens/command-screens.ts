import * as views from "../../../src/cli/views/index.ts";
import { formatFor } from "../../../src/cli/input/load-or-explain.ts";
import type { PlannedStep } from "../../../src/plan/index.ts";
import { formatProblems, formatValid, parseFleet } from "../../../src/spec/index.ts";
import type { TestScreen } from "./canvas.ts";
import { homelabSteps } from "./homelab-plan.ts";
import { timed } from "./homelab-run.ts";
import { liveStage, play } from "./play-events.ts";
import { secretScreens } from "./secret-screens.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

const file = "slipway.yaml";
const snapshot = "slipway-20260714-093102";
const [cp1, worker1] = [
  { cluster: "homelab", node: "cp-1" },
  { cluster: "edge", node: "worker-1" },
];
const address = "https://hydra.lan.example:8006";

/** The screens of commands that are no runs, and of runs what they show before somebody agrees. */
export const commandScreens = (screen: TestScreen): Record<string, string> => ({
  ...fileScreens(screen),
  ...planScreens(screen),
  ...runScreens(screen),
  ...savedScreens(screen),
  ...accessScreens(screen),
  ...secretScreens(screen),
});

const clusterText = `version: 1
hosts: { hydra: { proxmox: { url: "${address}", token: { id: "slipway@pve!main", secret: { env: T } } } } }
clusters:
  homelab:
    network: { cidr: 10.0.0.0/24, gateway: .1, vip: .9 }
    controlPlanes: { count: 3, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 3, memory: 8GiB, address: .20, vmid: 3000 }
  edge: { network: { cidr: 10.1.0.0/24, gateway: .1 }, controlPlanes: { count: 1, address: .10, vmid: 4000 } }
`;

function validated(text: string, screen: TestScreen): string {
  const parsed = parseFleet({ file, text }, { addons: [] });
  if ("fleet" in parsed) return formatValid(parsed.fleet, formatFor(screen));
  return formatProblems(parsed.problems, [{ file, text }], formatFor(screen));
}

const fileScreens = (screen: TestScreen): Record<string, string> => ({
  validate: validated(clusterText, screen),
  "validate, mistakes": validated(
    clusterText.replace("workers:", "wrokers:").replace("8GiB", "8gb").replace("vip: .9", "vip: .10"),
    screen,
  ),
  "init --example": views.renderExamples(
    [
      { name: "quickstart", summary: "One Talos cluster on one Proxmox host, the least that works" },
      {
        name: "proxmox-longhorn-internal",
        summary: "Storage on a network of its own, beside that of the pods",
      },
    ],
    screen,
  ),
  "init --example NAME": views.renderExampleCopied(
    file,
    "One Talos cluster on one Proxmox host, the least that works",
    "; .slipway/ added to .gitignore",
    screen,
  ),
  version: views.renderVersion(
    "1.0.0",
    [
      ["build", "81c6ccd5, as package"],
      ["node", "24.4.1 on linux-x64"],
      ["Talos API", "1.10, 1.11, 1.12, 1.13, 1.14"],
      ["helm", "3.19.0, fetched where an add-on needs it and there is none"],
    ],
    screen,
  ),
  image: views.renderBootMedia(
    {
      ...{ cluster: "homelab", title: "Talos 1.13.9, amd64", factory: "https://factory.talos.dev" },
      schematic: { id: "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba", text: "" },
      iso: "https://factory.talos.dev/image/376567988ad3/v1.13.9/metal-amd64.iso",
      pxe: "https://pxe.factory.talos.dev/pxe/376567988ad3/v1.13.9/metal-amd64",
      kernel: "https://factory.talos.dev/image/376567988ad3/v1.13.9/kernel-amd64",
      initramfs: "https://factory.talos.dev/image/376567988ad3/v1.13.9/initramfs-amd64.xz",
      cmdline: "https://factory.talos.dev/image/376567988ad3/v1.13.9/cmdline-metal-amd64",
      installer: "factory.talos.dev/metal-installer/376567988ad3:v1.13.9",
    },
    true,
    screen,
  ),
  graph: views.renderWritten({ file: "homelab.svg", text: "1 cluster, 3 hosts, 6 machines" }, screen),
  "ui --export": views.renderWritten(
    {
      file: "run.html",
      text: "up homelab, edge, done after 2m 57s, run 20260714-093102",
      next: "Open it before you send it: names and addresses are in it, secrets are not",
    },
    screen,
  ),
  "support-bundle": views.renderWritten(
    {
      file: "slipway-support-20260714-093102.tar.gz",
      text: "41 files, no secret in it",
      next: "Read it before you send it: tar tzf slipway-support-20260714-093102.tar.gz",
    },
    screen,
  ),
});

const stepsOf = (names: string[], change: Partial<PlannedStep>): PlannedStep[] =>
  homelabSteps()
    .filter(({ id }) => names.includes(id.replace("homelab/", "")))
    .map((step) => ({ ...step, ...change }));

function planScreens(screen: TestScreen): Record<string, string> {
  const plan = (command: string, steps: PlannedStep[], isRemoval = false) =>
    views.renderPlan(
      {
        ...{ command, file, readAgoMs: 900, cluster: "homelab", isRemoval },
        ...(isRemoval && { keeps: "2 data disks, secrets" }),
        plan: { steps, same: 20, refused: [] },
      },
      screen,
    );
  const talos = { from: { version: "1.13.9" }, to: { version: "1.13.8" } };
  return {
    replace: plan(
      "replace",
      stepsOf(["machine/worker-2"], {
        ...{ action: "replace", consequence: "replace", keeps: "name, address, VMID, data disk 50 GiB" },
        ...{ from: { bios: "SeaBIOS" }, to: { bios: "UEFI" } },
      }),
    ),
    rollback: plan(
      "rollback",
      stepsOf(["config/worker-1"], { action: "update", consequence: "reboot", ...talos }),
    ),
    down: plan(
      "down",
      homelabSteps()
        .filter(({ id }) => /\/(?:image|machine|seed)\//.test(id))
        .map((step) => ({ ...step, action: "remove", consequence: "remove" })),
      true,
    ),
    restore: views.renderRestoration(
      {
        ...{ cluster: { name: "homelab" }, preview: undefined, takenAt: "2026-07-14T03:00:00.000Z" },
        ...{
          ageMs: 23_400_000,
          recovery: { holding: ["cp-1", "cp-3"] },
          secrets: [".slipway/homelab/secrets.yaml"],
        },
      } as never,
      { source: "homelab-20260714-030000.backup.tar", files: { written: [], different: [file] } },
      screen,
    ),
    "restore --as": views.renderRestoration(
      {
        ...{ cluster: { name: "trial" }, preview: undefined, takenAt: "2026-07-14T03:00:00.000Z" },
        ...{ ageMs: 23_400_000, recovery: { holding: [] }, secrets: [], copyOf: "homelab" },
      } as never,
      { source: "homelab-20260714-030000.backup.tar", files: { written: [], different: [] } },
      screen,
    ),
    "restore --files-only": views.renderPutBack(
      { written: [file], different: [] },
      [".slipway/homelab/secrets.yaml"],
      screen,
    ),
    return: views.renderMoves(
      {
        ...{ verb: "return", host: "hydra", staying: [], warnings: [] },
        moves: [
          {
            ...{ node: "homelab/worker-1", from: "orion", to: "hydra", isControlPlane: false, way: "off" },
            ...{ isHaManaged: false, disksGiB: 40, usualMs: 425_000 },
          },
        ],
      },
      screen,
    ),
  };
}

const step = (cluster: string): PlannedStep => ({
  ...{ id: `${cluster}/backup/nas`, title: "Take a backup", kind: "backup", action: "create" },
  ...{ consequence: "create", group: "cluster", after: [], cluster, usualMs: 9_000 },
  face: { noun: "backup", label: "backup to nas" },
});

/** Runs that show nothing before they begin. */
function runScreens(screen: TestScreen): Record<string, string> {
  const clusters = ["homelab", "edge"];
  const counts = { done: 2, failed: 0, skipped: 0, total: 2 };
  const took = { tookMs: 8_000, waitedMs: 0, queuedMs: 0 };
  const times = { tookMs: 9_000, floorMs: 8_000, ownMs: 1_000, criticalPath: [] };
  const run = (command: string, world: "real" | "rehearsal") => {
    const stage = liveStage(new VirtualTerminal(screen.columns, 60), { offers: () => true });
    const events = timed([
      { ms: 0, body: { type: "run", command, clusters, world, slipway: "1.0.0", file } },
      { ms: 10, body: { type: "plan", steps: clusters.map(step), same: 0, refused: [] } },
      ...clusters.flatMap((name) => [
        { ms: 20, body: { type: "started", step: `${name}/backup/nas`, action: "create" } as const },
        { ms: 8_020, body: { type: "finished", step: `${name}/backup/nas`, ...took } as const },
      ]),
      {
        ms: 9_000,
        body: { type: "done", outcome: "done", exitCode: 0, counts, ...times, kept: "", outputs: {} },
      },
    ]);
    play(stage, events);
    return stage.terminal.everything;
  };
  return {
    backup: run("backup", "real"),
    rehearse: run("rehearse", "rehearsal"),
    "rehearse --disaster": [
      {
        atMs: 0,
        what: "cp-1, cp-2 and cp-3 are lost together with their disks: etcd has no quorum any more",
      },
      { atMs: 252_000, what: "all checks pass again" },
    ]
      .map((moment) => views.renderMoment(moment, screen))
      .join("")
      .concat(
        views.renderDisaster(
          {
            ...{ disaster: "lost-quorum", cluster: "homelab", isRecovered: true, timeline: [], commands: [] },
            ...{ recoveryTimeMs: 252_000, recoveryPointMs: 7_200_000 },
            objects: { before: 40, beforeKept: 40, after: 5, afterKept: 0 },
          },
          10_800_000,
          screen,
        ),
      ),
  };
}

const savedScreens = (screen: TestScreen): Record<string, string> => ({
  snapshot: views.renderSnapshots({ done: "taken", name: snapshot, nodes: [cp1, worker1] }, screen),
  "snapshot list": views.snapshotTable(
    [
      { ...cp1, name: snapshot, description: "", takenAt: "2026-07-14T09:31:02.000Z", isOurs: true },
      {
        ...worker1,
        name: "before-the-move",
        description: "",
        takenAt: "2026-07-01T18:00:00.000Z",
        isOurs: false,
      },
    ],
    screen,
  ),
  "snapshot rollback": [
    views.renderRollbackWarning(["cp-1", "worker-1"], snapshot, screen),
    views.renderSnapshots({ done: "rolled back", name: snapshot, nodes: [cp1, worker1] }, screen),
  ].join(""),
  "snapshot remove": views.renderSnapshots({ done: "removed", name: snapshot, nodes: [cp1] }, screen),
  "backup check": views.renderCheckedBackup(
    {
      source: "s3://vault/homelab/homelab-20260714-030000.backup.tar",
      contents: {
        ...{ format: "slipway/backup", version: 1, cluster: "homelab", madeAt: "2026-07-14T03:00:00.000Z" },
        ...{ slipway: "1.0.0", distribution: "talos", versions: { talos: "1.13.9", kubernetes: "1.36.3" } },
        ...{ file, files: [], needs: ["$PVE_TOKEN", "$VAULT_KEY"], volumes: [] },
        machines: [{ node: "cp-1", role: "control-plane", address: "10.0.0.10" }],
        members: [{ name: "etcd/snapshot.db", sizeBytes: 48e6, sha256: "0".repeat(64) }],
      },
      snapshot: { tried: false, because: "etcdutl is not at hand; its own checksum is right" },
    },
    screen,
  ),
});

const accessScreens = (screen: TestScreen): Record<string, string> => ({
  "kubeconfig --merge": views.renderMerged(
    {
      ...{ into: "/etc/kube/config", context: "homelab", before: "admin@work" },
      backup: "/etc/kube/config.before-homelab",
    },
    screen,
  ),
  proxy: views.renderProxy(
    {
      ...{ cluster: "homelab", through: "me@bastion.example, root@hydra.lan.example" },
      commands: [
        "export KUBECONFIG=/run/user/1000/slipway-x7Qd2/kubeconfig",
        "export TALOSCONFIG=/run/user/1000/slipway-x7Qd2/talosconfig",
        "alias talosctl='HTTPS_PROXY=http://127.0.0.1:41235 NO_PROXY= talosctl'",
      ],
    },
    screen,
  ),
  "proxy, not needed": views.renderNoProxy(
    "homelab",
    ["slipway kubeconfig homelab > ~/.kube/config"],
    screen,
  ),
  ui: views.renderServed(
    {
      ...{ file, url: "http://127.0.0.1:41235/#k3vXa0pQ7d2m", canChange: false },
      hint: "ssh -L 41235:127.0.0.1:41235 192.168.1.5",
    },
    screen,
  ),
  sim: views.renderDatacenter(
    {
      hosts: [
        { name: "hydra", address: "https://127.0.0.1:8006" },
        { name: "lyra", address: "https://127.0.0.1:8007" },
        {
          ...{ name: "shed", address: "qemu+unix:///system?socket=/tmp/slipway-sim-x7Qd2/shed.sock" },
          also: "qemu+tcp://127.0.0.1:16509/system",
        },
      ],
      tokens: [{ id: "slipway@pve!main", secret: "5117a400-0000-4000-8000-000000000001" }],
      fingerprint: Array.from({ length: 32 }, () => "4C").join(":"),
    },
    screen,
  ),
  "proxmox grant": views.renderGranted(
    {
      ...{ url: address, hosts: ["hydra", "lyra"], version: "9.1.4", token: "slipway@pve!main" },
      made: ["role SlipwayMachines with 31 rights", "user slipway@pve", "token slipway@pve!main"],
      secret: "5117a400-0000-4000-8000-000000000001",
    },
    { env: "PVE_TOKEN" },
    screen,
  ),
});
