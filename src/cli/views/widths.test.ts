import { expect, test } from "vitest";
import { expectGolden } from "../../../test/support/golden.ts";
import { testScreen } from "../../../test/support/screens/canvas.ts";
import { allCommands } from "../../../test/support/commands.ts";
import { commandScreens } from "../../../test/support/screens/command-screens.ts";
import { homelabSteps } from "../../../test/support/screens/homelab-plan.ts";
import { renderTimeline } from "../../../test/support/screens/render-timeline.ts";
import { homelabRun } from "../../../test/support/screens/homelab-run.ts";
import { liveStage, play } from "../../../test/support/screens/play-events.ts";
import { VirtualTerminal } from "../../../test/support/screens/virtual-terminal.ts";
import type { PlannedStep, RunEvent, StepId } from "../../plan/index.ts";
import { renderAnswer, renderDiagnosis, renderDoctorHead } from "./checks/render-doctor.ts";
import { verifyView } from "./checks/verify-view.ts";
import { renderMoves } from "./plan/render-moves.ts";
import { renderPlan } from "./plan/render-plan.ts";
import { renderRotation } from "./plan/render-rotation.ts";
import { plainView } from "./plain/plain-view.ts";
import { renderError } from "./problem/render-error.ts";
import { backupTable, machineBackupTable } from "./render-backups.ts";
import { renderHome } from "./render-home.ts";
import { renderInit } from "./render-init.ts";
import { renderStatus } from "./render-status.ts";
import { renderUpgrade } from "./render-upgrade.ts";
import { widthOf } from "./text/width.ts";

const second = (id: StepId): StepId => id.replace(/^homelab\//, "edge/");

const secondStep = (step: PlannedStep): PlannedStep => ({
  ...step,
  id: second(step.id),
  cluster: "edge",
  after: step.after.map(second),
});

/** The same run for two clusters that have nodes of the same names. */
function twoClusters(events: readonly RunEvent[]): RunEvent[] {
  const both = events.flatMap((event): RunEvent[] => {
    if (event.type === "run") return [{ ...event, clusters: ["homelab", "edge"] }];
    if (event.type === "plan") return [{ ...event, steps: [...event.steps, ...event.steps.map(secondStep)] }];
    if (!("step" in event) || event.step === undefined) return [event];
    const other = { ...event, step: second(event.step) };
    if (other.type === "queued") other.behind = second(other.behind);
    return [event, other];
  });
  return both.map((event, index) => ({ ...event, seq: index + 1 }));
}

const error = {
  code: "TALOS_UNREACHABLE",
  what: "Cannot reach 2 nodes on orion: cp-3, worker-3",
  why: "192.168.1.103:50000 and 192.168.1.113:50000 stayed silent for 5m; both machines run and send, but have received 0 bytes",
  next: 'Allow VLAN 14 on the switch port of orion, or pin its certificate: tls: { fingerprint: "4C:1F:9E:2A:77:B0:5D:E1:88:02:3A:6B:C4:F0:19:D5:4C:1F:9E:2A:77:B0:5D:E1:88:02:3A:6B:C4:F0:19:D5" }',
  at: { file: "slipway.yaml", line: 18, column: 74, path: "clusters.homelab.network.vlan" },
};

const check = { phase: "doctor", status: "failed", tookMs: 90 } as const;

function draw(columns: number): Record<string, string> {
  const screen = testScreen({ columns, isTerminal: true });
  const live = (untilMs?: number): string => {
    const stage = liveStage(new VirtualTerminal(columns, 60));
    play(stage, twoClusters(homelabRun()), untilMs);
    return untilMs === undefined ? stage.terminal.everything : stage.terminal.visible;
  };
  const plain = testScreen({ columns, isTerminal: false });
  const plainly = plainView({ out: plain, err: plain });
  for (const event of twoClusters(homelabRun())) if (event.ms < 60_000) plainly.tell(event);
  const checklist = testScreen({ columns });
  const verifying = verifyView({ out: checklist, err: checklist, offers: () => true });
  for (const event of homelabRun())
    if (event.type === "run" || (event.type === "check" && event.phase === "verify")) verifying.tell(event);
  return {
    home: renderHome(
      { version: "1.0.0", file: { name: "slipway.yaml", clusters: ["homelab", "edge"], isValid: true } },
      screen,
    ),
    plan: renderPlan(
      {
        ...{ command: "plan", file: "slipway.yaml", readAgoMs: 900, cluster: "homelab" },
        plan: { steps: homelabSteps(), same: 0, refused: [] },
        checks: { passed: 14, total: 14 },
      },
      screen,
    ),
    "up, images": live(14_000),
    "up, a wait": live(100_800),
    "up, the end": live(),
    "up, plain": plain.text,
    timeline: renderTimeline(twoClusters(homelabRun()), screen),
    verify: checklist.text,
    doctor: [
      renderDoctorHead("homelab", screen),
      renderAnswer(
        {
          ...check,
          id: "api",
          title: "Does the API answer?",
          answer: "no",
          found: "192.168.1.100:6443, timeout 3s",
        },
        0,
        screen,
      ),
      renderDiagnosis({ cluster: "homelab", cause: error, unanswered: 0, tookMs: 900 } as never, screen),
    ].join(""),
    error: renderError(error, { kept: "25 finished steps; nothing was removed" }, screen),
    status: renderStatus(
      {
        clusters: [
          {
            ...{ name: "homelab", mark: "warn", state: "Degraded", ready: 5, total: 6 },
            ...{ version: "Talos 1.13.9  K8s 1.36.3", know: "worker-2 is Not Ready, cp-3 is cordoned" },
          },
          {
            ...{ name: "edge", mark: "ok", state: "Ready", ready: 3, total: 3 },
            ...{ version: "K3s 1.36.3", know: "" },
          },
        ],
      },
      screen,
    ),
    "status of one": renderStatus(
      {
        nodes: [
          {
            ...{ name: "control-plane-oslo-1", mark: "ok", state: "Ready", host: "hydra" },
            ...{ address: "192.168.1.101", vmid: 2000, know: "cordoned: takes no new pods" },
            usage: { cpuPercent: 12.4, cores: 4, memoryUsedMiB: 4_997, memoryMiB: 8_192 },
            version: "Talos 1.13.9  K8s 1.36.3",
          },
          {
            ...{ name: "worker-2", mark: "differs", state: "Ready, differs", host: "lyra", isRunning: true },
            ...{ address: "192.168.1.112", vmid: 3001, version: "Talos 1.13.8  K8s 1.36.3" },
            know: "memory 8 GiB → 12 GiB, machine.network.nameservers and 3 more",
          },
          {
            ...{ name: "worker-1", mark: "bad", state: "Unreachable", host: "orion" },
            ...{ address: "192.168.1.111", vmid: 3000, know: "192.168.1.111:50000 does not answer" },
          },
        ],
        toldBy: ["Proxmox VE 9.0.6"],
        certificates: [
          { name: "kubeconfig", daysLeft: 17 },
          { name: "Talos CA", daysLeft: 3640 },
        ],
      },
      screen,
    ),
    "backup list": backupTable(
      [
        {
          ...{ cluster: "homelab", foreign: [], isOverdue: true },
          backups: [
            {
              ...{ place: "s3://vault/homelab", name: "homelab-20260712-030000.backup.tar", sizeBytes: 48e6 },
              ...{ takenAt: 0, distribution: "talos", versions: { Talos: "1.13.9" } },
            },
          ],
        },
      ],
      7_200_000,
      screen,
    ),
    "backup machines": machineBackupTable(
      [
        {
          ...{ cluster: "homelab", node: "worker-1", takenAt: "2026-07-12T03:00:00Z", sizeBytes: 9e9 },
          ...{ archive: "nas:backup/vzdump-qemu-3000-2026_07_12-03_00_00.vma.zst", isOurs: true },
        },
      ],
      screen,
    ),
    evacuate: renderMoves(
      {
        ...{ verb: "evacuate", host: "hydra" },
        moves: [
          {
            ...{
              node: "homelab/worker-1",
              from: "hydra",
              to: "orion",
              isControlPlane: false,
              way: "live" as const,
            },
            ...{ isHaManaged: false, disksGiB: 40, usualMs: 425_000 },
          },
          {
            ...{ node: "edge/cp-1", from: "hydra", to: "lyra", isControlPlane: true, way: "live" as const },
            ...{ isHaManaged: true, disksGiB: 20, usualMs: 225_000 },
          },
        ],
        staying: [{ name: "nas", id: 900, kind: "machine", isRunning: true }],
        warnings: ["cp-1, cp-2 of edge share lyra: when it is lost, so is the Kubernetes API"],
      },
      screen,
    ),
    "rotate ca": renderRotation(
      {
        ...{ cluster: "homelab", title: "Kubernetes CA" },
        steps: ["cp-1", "cp-2", "worker-1"].map((node) => ({
          ...{ stage: "all nodes accept the new CA beside the old", node, usualMs: 45_000 },
        })),
        warnings: ["API server and kubelet of each node start again, one node at a time; pods run on"],
        finish: "slipway rotate ca kubernetes homelab --finish",
      },
      screen,
    ),
    ...Object.fromEntries(
      renewals.map((part) => [`rotate ${part.replace(" ", "-")}`, rotationScreen(part, screen)]),
    ),
    init: renderInit(
      {
        ...{ file: "slipway.yaml", lines: 34, hosts: ["hydra", "orion"] },
        made: ["account slipway@pve with 31 rights on hydra"],
        written: ["slipway.yaml", ".gitignore", ".slipway/slipway.schema.json"],
      },
      screen,
    ),
    upgrade: renderUpgrade(
      {
        ...{ cluster: "homelab", file: "slipway.yaml" },
        versions: [
          {
            ...{ name: "talos", title: "Talos", running: "1.13.8", wanted: "1.13.8", target: "1.13.9" },
            path: ["1.13.9"],
          },
        ],
      },
      true,
      screen,
    ),
    ...commandScreens(screen),
  };
}

const known = new Map<number, Record<string, string>>();

const renewals = ["certificates", "tokens", "encryption keys"];

const rotationScreen = (part: string, screen: ReturnType<typeof testScreen>): string =>
  renderRotation(
    {
      ...{ cluster: "homelab", title: `${part} of K3s`, finish: undefined },
      steps: ["cp-1", "worker-1"].map((node) => ({
        stage: `all nodes have new ${part}`,
        node,
        usualMs: 35_000,
      })),
      warnings: ["K3s of each node starts again, one node at a time; pods run on"],
    },
    screen,
  );

/** Drawn once for all tests. */
function screens(columns: number): Record<string, string> {
  const all = known.get(columns) ?? draw(columns);
  known.set(columns, all);
  return all;
}

/** What they print is another program's, a document, a file's name, a log, or one value to be copied: nothing of it is laid out. */
const notDrawn = new Set([
  ...["fleet adopt", "fleet export", "controller"],
  ...["kubectl", "talosctl", "ssh", "console", "completion", "schema", "talosconfig", "secrets decrypt"],
  ...["export", "talos gen secrets", "talos gen config", "talos patch", "talos schematic"],
]);

test("every command has its screen among them", () => {
  // `up, images` and `kubeconfig --merge` are screens of up and kubeconfig.
  const shown = new Set(Object.keys(screens(80)).map((name) => name.replace(/(?:,| --).*/, "")));
  expect(allCommands().filter((command) => !notDrawn.has(command) && !shown.has(command))).toEqual([]);
});

/** One line for each event, as logs are; and what is there to be copied, which stays in one piece. */
const mayBeWide = /^ *\d+\.\ds |:\/\/|[\w/.-]{30}|(?:[0-9A-F]{2}:){8}|kubectl |slipway |export |alias /;

test.each([50, 80, 120, 200])(
  "in %i columns no line is wider, unless it is there to be copied",
  (columns) => {
    const wide = Object.entries(screens(columns)).flatMap(([name, text]) =>
      text
        .split("\n")
        .filter((line) => widthOf(line) > columns && !mayBeWide.test(line))
        .map((line) => `${name}: ${line}`),
    );
    expect(wide).toEqual([]);
  },
);

test.each([50, 80, 120, 200])("the screens in %i columns, two clusters in one run", (columns) => {
  const drawn = screens(columns);
  const text = Object.entries(drawn)
    .map(([name, screen]) => `${`=== ${name} `.padEnd(columns, "=")}\n${screen.trimEnd()}\n`)
    .join("\n");
  expectGolden(text, import.meta.dirname, "testdata", `widths-${columns}.txt`);
});

test.each([50, 80, 120, 200])(
  "a fingerprint is in one piece in %i columns: it is there to be copied",
  (columns) => {
    expect(screens(columns)["error"]).toMatch(/"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}"/);
  },
);
