import { execFileSync, spawnSync } from "node:child_process";

const ip = (...args: string[]): unknown => execFileSync("ip", args, { stdio: "pipe" });

/** Two files may have labs at the same time: each has a number. */
const bridgeOf = (lab: number): string => `slipway-k3s${lab}`;
export const subnetOf = (lab: number): string => `10.214.${lab}`;

export interface K3sNetwork {
  /** A machine of its own as far as its network goes; all of them see each other, and this machine sees all. */
  plugIn(name: string, lastOctet: number): { netns: string; address: string };
  remove(): void;
}

/** One bridge with a machine on each port. Ports of etcd are fixed, so each server needs a network of its own. */
export function makeK3sNetwork(lab: number): K3sNetwork {
  const bridge = bridgeOf(lab);
  const subnet = subnetOf(lab);
  remove(bridge);
  ip("link", "add", bridge, "type", "bridge");
  ip("address", "add", `${subnet}.1/24`, "dev", bridge);
  ip("link", "set", bridge, "up");
  return {
    plugIn: (name, lastOctet) => plugIn(lab, name, lastOctet),
    remove: () => remove(bridge),
  };
}

function plugIn(lab: number, name: string, lastOctet: number): { netns: string; address: string } {
  const bridge = bridgeOf(lab);
  const netns = `${bridge}-${name}`;
  const address = `${subnetOf(lab)}.${lastOctet}`;
  const cable = `swk3s${lab}p${lastOctet}`;
  ip("netns", "add", netns);
  ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", netns);
  ip("link", "set", cable, "master", bridge, "up");
  ip("-n", netns, "link", "set", "lo", "up");
  ip("-n", netns, "address", "add", `${address}/24`, "dev", "eth0");
  ip("-n", netns, "link", "set", "eth0", "up");
  // K3s looks for its own address where the way out begins.
  ip("-n", netns, "route", "add", "default", "via", `${subnetOf(lab)}.1`);
  return { netns, address };
}

/** Also what a run left that was broken off: its servers go on in their namespaces otherwise. */
function remove(bridge: string): void {
  for (const netns of namespaces(bridge)) {
    for (const pid of words(spawnSync("ip", ["netns", "pids", netns]).stdout)) endProcess(Number(pid));
    spawnSync("ip", ["netns", "delete", netns]);
  }
  spawnSync("ip", ["link", "delete", bridge]);
}

const namespaces = (bridge: string): string[] =>
  words(spawnSync("ip", ["netns", "list"]).stdout).filter((word) => word.startsWith(`${bridge}-`));

const words = (output: Buffer): string[] => String(output).split(/\s+/).filter(Boolean);

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}
