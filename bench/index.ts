// npm run bench: what Slipway adds to the time the hypervisors and nodes need themselves. Ratios are the result;
// seconds are those of the simulated datacenter, whose clock runs `speed` times faster than the wall.
import { realisticLatencies } from "../src/sim/index.ts";
import { libvirtSocket, withoutLibvirt } from "../test/support/libvirtd.ts";
import { howToGetTerraform } from "../test/support/terraform.ts";
import { criticalChain, floorMs } from "./floor.ts";
import { measureFifty } from "./measure-fifty.ts";
import { measureLibvirt } from "./measure-libvirt.ts";
import { measurePlan } from "./measure-plan.ts";
import { measureStart } from "./measure-start.ts";
import { measureUp } from "./measure-up.ts";

/** Less compression for more nodes: our own work is not compressed, so it would weigh too much. */
const sizes = [
  { nodes: 3, speed: 5, net: "127.60", limit: 0.05 },
  { nodes: 30, speed: 4, net: "127.61", limit: 0.05 },
  { nodes: 300, speed: 1, net: "127.62", limit: 0.1 },
];

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)}s`;
const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

const floor = floorMs(realisticLatencies);
print(
  `latencies, ms   ${[...new Set(criticalChain)].map((name) => `${name.slice(0, -2)} ${realisticLatencies[name]}`).join(", ")}`,
);
print(`floor           ${seconds(floor)}: the longest chain of these\n`);

print("nodes   speed   floor     up        over the floor   limit   down");
const ups = [];
for (const { nodes, speed, net, limit } of sizes) {
  const figures = await measureUp(nodes, speed, net);
  const overhead = figures.upMs / floor - 1;
  ups.push({ ...figures, floorMs: floor, overhead, limit });
  const cells = [
    String(nodes).padEnd(7),
    `${speed}x`.padEnd(7),
    seconds(floor).padEnd(9),
    seconds(figures.upMs).padEnd(9),
  ];
  print(
    [...cells, percent(overhead).padEnd(16), percent(limit).padEnd(7), seconds(figures.downMs)].join(" "),
  );
}

const plan = await measurePlan(1_000, "127.63");
print(
  `\nplan    ${plan.nodes} nodes, ${plan.steps} steps: ${seconds(plan.tookMs)} (limit 2s), peak ${plan.peakMiB.toFixed(0)} MiB (limit 300)`,
);
const fifty = await measureFifty();
print(
  `\n${fifty.machines} machines on three hosts, whose locks make the floor ${seconds(fifty.floorMs)}: up ${seconds(fifty.upMs)}, ${percent(fifty.upMs / fifty.floorMs - 1)} over it (limit 10 %); down ${seconds(fifty.downMs)}; ${fifty.failedTasks} failed tasks`,
);
for (const other of fifty.terraform) {
  const times = `up ${seconds(other.upMs)} (${(other.upMs / fifty.upMs).toFixed(1)}x ours), down ${seconds(other.downMs)} (${(other.downMs / fifty.downMs).toFixed(1)}x)`;
  print(
    `        Terraform and bpg, ${other.parallelism} at once: ${times}; ${other.failedTasks} failed tasks`,
  );
}
if (fifty.terraform.length === 0) print(`        Terraform is not measured: ${howToGetTerraform}`);
const start = measureStart();
print(
  `start   bare node ${start.bareMs.toFixed(0)} ms, --version ${start.versionMs.toFixed(0)} ms: ${start.overMs.toFixed(0)} ms over (limit 25)`,
);
const libvirt = libvirtSocket === undefined ? undefined : await measureLibvirt();
if (libvirt) {
  const { call, machines, upload } = libvirt;
  print(`\nlibvirt on a real daemon, against virsh
  a question  ${call.ourMs.toFixed(2)} ms, virsh ${call.virshMs.toFixed(1)} ms: ${(call.virshMs / call.ourMs).toFixed(0)}x (limit 20x)
  ${machines.count} machines defined, started, stopped, removed: ${seconds(machines.ourMs)}, virsh ${seconds(machines.virshMs)}: ${(machines.virshMs / machines.ourMs).toFixed(1)}x
  ${upload.megabytes} MB uploaded: ${seconds(upload.ourMs)}, virsh ${seconds(upload.virshMs)}: ${(upload.ourMs / upload.virshMs).toFixed(2)} of its time (limit 1.3)`);
} else print(`\nlibvirt is not measured: ${withoutLibvirt}`);
print(`\n${JSON.stringify({ ups, plan, fifty, start, libvirt })}`);
