import { expect, test } from "vitest";
import {
  hasRecordings,
  replayRecordings,
  type Count,
  type Difference,
  type Replayed,
  type Version,
} from "../support/proxmox/replay.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * Everything recorded from real servers is played to the simulator, and every difference must be one of these. A new
 * one fails the test; so does a reason that no longer explains anything.
 */
const reasons: { why: string; scenario: RegExp; call: RegExp; path?: RegExp }[] = [
  {
    why: "the recorded server lacked a firmware file, so an earlier create failed there that works here",
    scenario: /^vm-bad-boot-hardware$/,
    call: /qemu(\/100\/config)?$/,
  },
  {
    why: "bz2, zst and lzo are kept as they are downloaded: nothing here reads them unpacked",
    scenario: /^download-compressed$/,
    call: /^GET .*\/content$/,
  },
  {
    why: "lines of helper programs such as qemu-img are not imitated",
    scenario: /^tasks$/,
    call: /\/log$/,
    path: /^body_text$/,
  },
  {
    why: "no HA daemon ran on the recorded servers, so no rule to keep machines apart could be made there",
    scenario: /^ha(-spread)?$/,
    call: /\/cluster\/ha\/rules/,
  },
  {
    why: "who wins a race, and in which moment the others lose it, is decided anew each time",
    scenario: /^(multi-parallel-create|clone-parallel|vm-create-parallel)$/,
    call: /^(POST .*\/(qemu|clone)|DELETE .*\/qemu\/\d+)$/,
  },
  {
    why: "pools of an earlier recording were left over on the recorded servers",
    scenario: /^node-down-no-quorum$/,
    call: /^GET \/cluster\/resources$/,
    path: /\/pool\/p2/,
  },
  {
    why: "what the recorded guest said of its own kernel, disks and memory",
    scenario: /^agent-guest$/,
    call: /\/agent\/(get-osinfo|info|get-fsinfo|get-memory-blocks)$/,
  },
  {
    why: "a race with the node, which starts a rebooted machine again by itself",
    scenario: /^agent-guest$/,
    call: /\/status\/current$/,
  },
];

const productAreas =
  /^(auth|cluster|nodes|storage|import|vm-\w+|template|clone|snapshot|races|tasks|access|pools|permissions|multi-node|flow)$/;
/** Percent of the calls of an area, by version. */
const demanded = { "9.2": { l1: 95, l2: 90, l3: 80 }, "8.4": { l1: 85, l2: 80, l3: 70 } } as const;

// A usual run leaves out what repeats itself, most of all the accounts that lack one privilege each, and of 8.4 what it
// has in common with 9.2.
const usual = {
  "9.2": (id: string) => !/^(?:perm-without-(?!VM\.Config\.Disk)|vm-disk-shared|rate-parallel)/.test(id),
  "8.4": (id: string) =>
    /^(ha|pools|cluster-status|nodes|cloudinit|tasks|vm-create-full|vm-config-running|import|delete|vm-power|upload-errors|auth-ticket|access-ccm|perm-none)$/.test(
      id,
    ),
} as const;

test.skipIf(!hasRecordings).each<{ version: Version }>([{ version: "9.2" }, { version: "8.4" }])(
  "the simulated cluster answers as the recorded $version did, call by call",
  peers,
  async ({ version }) => {
    const result = await replayRecordings(version, isFull ? () => true : usual[version]);
    process.stdout.write(`${table(version, result)}\n`);
    expect(result.broken).toEqual([]);
    expect(result.differences.filter((difference) => !reasonFor(difference))).toEqual([]);
    expect(stale(version, result)).toEqual([]);
    for (const [area, count] of Object.entries(result.areas)) {
      if (!productAreas.test(area)) continue;
      for (const level of ["l1", "l2", "l3"] as const) {
        expect(percent(count, level), `${area} ${level}`).toBeGreaterThanOrEqual(demanded[version][level]);
      }
    }
  },
);

const reasonFor = (difference: Difference) =>
  reasons.find(
    ({ scenario, call, path }) =>
      scenario.test(difference.scenario) &&
      call.test(difference.call) &&
      (path?.test(difference.path) ?? true),
  );

/** Reasons for scenarios that were played and did not differ. 8.4 has fewer of them, and races end as they like. */
function stale(version: Version, { scenarios, differences }: Replayed): string[] {
  const used = new Set(differences.map(reasonFor));
  return reasons
    .filter(({ scenario }) => version === "9.2" && scenarios.some((id) => scenario.test(id)))
    .filter((reason) => !used.has(reason) && !reason.why.includes("race"))
    .map(({ why }) => why);
}

const percent = (count: Count, level: "l1" | "l2" | "l3"): number =>
  count.calls === 0 ? 100 : (100 * count[level]) / count.calls;

function table(version: Version, { areas, total, differences }: Replayed): string {
  const row = (name: string, count: Count) =>
    [
      name.padEnd(16),
      String(count.calls).padStart(6),
      ...(["l1", "l2", "l3"] as const).map((level) => percent(count, level).toFixed(1).padStart(7)),
    ].join("");
  const classes = reasons.flatMap((reason) => {
    const steps = new Set(
      differences.filter((it) => reasonFor(it) === reason).map(({ scenario, step }) => `${scenario} ${step}`),
    );
    return steps.size === 0 ? [] : [`${String(steps.size).padStart(4)} × ${reason.why}`];
  });
  return [
    `${`Proxmox ${version}`.padEnd(17)}calls   L1 %   L2 %   L3 %`,
    ...Object.entries(areas).map(([name, count]) => row(name, count)),
    row("total", total),
    ...classes,
  ].join("\n");
}
