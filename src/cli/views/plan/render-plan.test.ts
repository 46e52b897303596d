import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { expectGolden } from "../../../../test/support/golden.ts";
import { homelabSteps, step } from "../../../../test/support/screens/homelab-plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { renderPlan } from "./render-plan.ts";

const wide = testScreen();
const golden = (text: string, name: string) => expectGolden(text, import.meta.dirname, "testdata", name);

const firstTime: PlanInput = {
  command: "plan",
  file: "slipway.yaml",
  readAgoMs: 900,
  cluster: "homelab",
  plan: { steps: homelabSteps(), same: 0, refused: [] },
  checks: { passed: 14, total: 14 },
  hosts: [
    { name: "hydra", memoryLeftMiB: 22 * 1024, memoryMiB: 64 * 1024 },
    { name: "lyra", memoryLeftMiB: 31 * 1024, memoryMiB: 64 * 1024 },
    { name: "orion", memoryLeftMiB: 14 * 1024, memoryMiB: 48 * 1024 },
  ],
};

const nodes = ["cp-3", "cp-2", "cp-1", "worker-1", "worker-2", "worker-3"];

const withConsequences: PlanInput = {
  command: "plan",
  file: "slipway.yaml",
  readAgoMs: 1_100,
  cluster: "homelab",
  doesApiStayUp: true,
  plan: {
    same: 20,
    refused: [
      {
        step: "homelab/machine/worker-3",
        consequence: "data",
        why: "41 GiB in 6 Longhorn replicas; 2 volumes have no other copy",
        next: "slipway up --accept-data-loss worker-3",
      },
    ],
    steps: [
      ...nodes.map((node) =>
        step("config", node, {
          kind: "talos/config",
          node,
          action: "update",
          consequence: "hot",
          group: "nodes",
          from: { dns: ".3" },
          to: { dns: ".3, 1.1.1.1" },
          usualMs: 5_000,
        }),
      ),
      step("machine", "worker-4", {
        kind: "proxmox/machine",
        node: "worker-4",
        host: "lyra",
        group: "nodes",
        usualMs: 30_000,
        facts: { cores: 4, memoryMiB: 8192, address: "192.168.1.114" },
      }),
      step("config", "worker-4", {
        kind: "talos/config",
        node: "worker-4",
        group: "nodes",
        after: ["homelab/machine/worker-4"],
        usualMs: 20_000,
      }),
      step("machine", "worker-1", {
        kind: "proxmox/machine",
        node: "worker-1",
        action: "update",
        consequence: "reboot",
        group: "nodes",
        from: { memory: "8 GiB" },
        to: { memory: "12 GiB" },
        usualMs: 90_000,
      }),
      ...nodes.map((node, index) =>
        step("version", node, {
          kind: "talos/version",
          node,
          action: "update",
          consequence: "roll",
          group: "nodes",
          after: index === 0 ? [] : [`homelab/version/${nodes[index - 1]}`],
          from: { Talos: "1.13.8" },
          to: { Talos: "1.13.9" },
          usualMs: 110_000,
          facts: { before: "etcd quorum, Longhorn healthy, drain (dry run: passes)" },
        }),
      ),
      step("machine", "worker-2", {
        kind: "proxmox/machine",
        node: "worker-2",
        action: "replace",
        consequence: "replace",
        group: "nodes",
        from: { bios: "BIOS" },
        to: { bios: "UEFI" },
        keeps: "name, address, VMID, data disk 50 GiB",
        facts: { because: "needs a new system disk" },
        usualMs: 120_000,
      }),
      step("machine", "worker-3", {
        kind: "proxmox/machine",
        node: "worker-3",
        action: "replace",
        consequence: "data",
        group: "nodes",
        from: { "data disk": "100 GiB" },
        to: { "data disk": "50 GiB" },
        loses: "41 GiB in 6 Longhorn replicas; 2 volumes have no other copy",
      }),
    ],
  },
};

const removal: PlanInput = {
  command: "plan",
  file: "slipway.yaml",
  readAgoMs: 400,
  cluster: "homelab",
  isRemoval: true,
  plan: {
    same: 0,
    refused: [],
    steps: homelabSteps()
      .filter((planned) => /seed|machine|image/.test(planned.kind))
      .map((planned) => ({
        ...planned,
        action: "remove" as const,
        consequence: "remove" as const,
        after: [],
        usualMs: 12_000,
        ...(planned.facts?.["dataGiB"] !== undefined && {
          keeps: "data disk",
          facts: { ...planned.facts, keptDisks: `vm-${planned.facts["vmid"]}-disk-1` },
        }),
      })),
  },
};

test("renderPlan() shows a first plan by host", () => {
  golden(renderPlan(firstTime, wide), "plan-first.txt");
});

test("renderPlan() drops columns where they do not fit", () => {
  golden(renderPlan(firstTime, testScreen({ columns: 50 })), "plan-first-50.txt");
});

test("renderPlan() uses the width of a wide terminal", () => {
  golden(renderPlan(firstTime, testScreen({ columns: 100 })), "plan-first-100.txt");
});

test("renderPlan() folds many machines to one line a host", () => {
  const machines = Array.from({ length: 300 }, (_, index) =>
    step("machine", `worker-${index + 1}`, {
      node: `worker-${index + 1}`,
      host: `hydra-${String((index % 30) + 1).padStart(2, "0")}`,
      group: "nodes",
      facts: { cores: 4, memoryMiB: 8192, vmid: 3000 + index },
    }),
  );
  golden(
    renderPlan({ ...firstTime, plan: { steps: machines, same: 0, refused: [] } }, wide),
    "plan-first-300.txt",
  );
});

test("renderPlan() sorts changes from harmless to harmful", () => {
  golden(renderPlan(withConsequences, wide), "plan-changes.txt");
});

test("renderPlan() puts details below in a narrow terminal", () => {
  golden(
    renderPlan(withConsequences, testScreen({ columns: 50, isUnicode: false })),
    "plan-changes-50-ascii.txt",
  );
});

test("renderPlan() colours by consequence, with a word beside each", () => {
  golden(renderPlan(withConsequences, testScreen({ hasColor: true })), "plan-changes-color.txt");
});

test("renderPlan() says how many workers go at once where the file allows several", () => {
  const steps = ["cp-1", "worker-1", "worker-2", "worker-3", "worker-4"].map((node) =>
    step("system", node, {
      kind: "talos/system",
      node,
      action: "update",
      consequence: "roll",
      group: "nodes",
      from: { Talos: "1.13.8" },
      to: { Talos: "1.13.9" },
      usualMs: 120_000,
      ...(node !== "cp-1" && { atOnce: 3 }),
    }),
  );
  const plan = { same: 20, refused: [], steps };
  golden(renderPlan({ ...withConsequences, plan }, wide), "plan-batches.txt");
});

test("renderPlan() proposes no command when the run goes on by itself", () => {
  const { refused: _, ...plan } = withConsequences.plan;
  const text = renderPlan({ ...withConsequences, command: "up", plan: { ...plan, refused: [] } }, wide);
  expect(text).not.toContain("next");
});

test("renderPlan() does not call it a reboot when only a service restarts", () => {
  const roll = (node: string, kind: string) =>
    step("node", node, { kind, node, action: "update", consequence: "roll", group: "nodes" });
  const withSteps = (...steps: PlanInput["plan"]["steps"]) =>
    renderPlan({ ...withConsequences, plan: { same: 0, refused: [], steps } }, wide);
  const [first, second] = [roll("cp-1", "k3s/node"), roll("cp-2", "k3s/node")];
  expect(withSteps(first)).toContain(": K3s restarts on 1 node");
  expect(withSteps(first, second)).toContain(": K3s restarts on 2 nodes in turn");
  expect(withSteps(first, roll("cp-2", "talos/version"))).toContain(
    ": 1 node reboots, K3s restarts on 1 node",
  );
});

test("renderPlan() says when there is nothing to do", () => {
  const input = { ...firstTime, plan: { steps: [], same: 28, refused: [] }, tookMs: 1_400 };
  expect(renderPlan(input, wide)).toBe(
    "✓ homelab   no changes: 28 resources are as slipway.yaml says               1.4s\n",
  );
});

test("renderPlan() says when there is nothing to remove", () => {
  const input = { ...removal, plan: { steps: [], same: 0, refused: [] } };
  expect(renderPlan(input, wide)).toBe("✓ homelab   nothing to remove: no machine carries its tag\n");
});

test("renderPlan() shows what a removal keeps", () => {
  golden(renderPlan(removal, wide), "plan-destroy.txt");
});

test("renderPlan() says before `down` what stops", () => {
  const input = {
    ...removal,
    command: "down",
    keeps: "secrets",
    stops: "6 running nodes and 41 pods",
  };
  golden(renderPlan(input, wide), "down.txt");
});

test("renderPlan() says before `down --with-data` which data goes", () => {
  const steps = removal.plan.steps.map(({ keeps: _keeps, ...planned }) =>
    planned.facts?.["dataGiB"] === undefined
      ? planned
      : { ...planned, facts: { ...planned.facts, lostDisks: 1 } },
  );
  const shelf = step("shelf", "hydra-9200", {
    host: "hydra",
    group: "nodes",
    facts: { vmid: 9200, lostDisks: 2 },
    face: { noun: "machine for kept disks", plural: "machines for kept disks", label: "hydra-9200" },
  });
  const shelves = [shelf, { ...shelf, id: "homelab/shelf/lyra-9201" }].map((planned) => ({
    ...planned,
    action: "remove" as const,
  }));
  const plan = { ...removal.plan, steps: [...steps, ...shelves] };
  golden(renderPlan({ ...removal, command: "down", keeps: "secrets", plan }, wide), "down-with-data.txt");
});

test("renderPlan() shows only the cluster it is asked for", () => {
  const other = { ...step("machine", "x-1"), id: "edge/machine/x-1", cluster: "edge" };
  const input = { ...firstTime, plan: { steps: [...homelabSteps(), other], same: 0, refused: [] } };
  expect(renderPlan(input, wide)).toBe(renderPlan(firstTime, wide));
});

test("renderPlan() names what a refusal without a step asks for", () => {
  const input: PlanInput = {
    ...firstTime,
    plan: {
      steps: [],
      same: 28,
      refused: [
        {
          step: "homelab/machine/cp-3",
          consequence: "remove",
          why: "cp-3 is a member of etcd; removing its machine could cost the quorum",
          next: "Put the control plane back into the file",
        },
      ],
    },
  };
  golden(renderPlan(input, wide), "plan-refused.txt");
});

test("a plan takes at least as long as its longest line, and one core is one core [proxmox 11]", () => {
  const restarts = ["worker-1", "worker-2", "worker-3"].map((node) =>
    step("machine", node, {
      kind: "proxmox/machine",
      node,
      action: "update",
      consequence: "reboot",
      group: "nodes",
      from: { memory: "4 GiB" },
      to: { memory: "8 GiB" },
      usualMs: 10_000,
    }),
  );
  const made = step("machine", "worker-4", {
    kind: "proxmox/machine",
    node: "worker-4",
    group: "nodes",
    facts: { cores: 1, memoryMiB: 2048, address: "10.0.0.4" },
  });
  const text = renderPlan(
    { ...withConsequences, plan: { steps: [...restarts, made], same: 0, refused: [] } },
    wide,
  );
  expect(text).toContain("~30s");
  expect(text).toContain("2 changes, about 30s");
  expect(text).toContain("1 core, 2 GiB");
});

test("a value with control characters is wrapped as it is shown, not as it came", () => {
  const narrow = testScreen({ columns: 40 });
  const changed = step("machine", "cp-2", {
    action: "update",
    consequence: "hot",
    from: { image: "\u001b[2J\nevil\ttext" },
    to: { image: "storage full, 3 GiB short" },
    keeps: "\u001b[2J evil \u001b[2J evil \u001b[2J evil",
  });
  const text = renderPlan(
    { ...firstTime, plan: { steps: [changed], same: 1, refused: [] }, checks: undefined },
    narrow,
  );
  expect(text).toContain(String.raw`\u001b[2J evil text`);
  for (const drawn of text.split("\n").filter((each) => !each.startsWith("  next"))) {
    expect(drawn.length, drawn).toBeLessThanOrEqual(40);
  }
});
