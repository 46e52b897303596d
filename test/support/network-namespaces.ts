import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";

const ip = (...args: string[]): unknown => execFileSync("ip", args, { stdio: "pipe" });

/** Whether this machine lets us make networks of our own. */
export const canHaveNamespaces = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  const probe = `slipway-probe-${randomBytes(3).toString("hex")}`;
  if (spawnSync("ip", ["netns", "add", probe]).status !== 0) return false;
  return spawnSync("ip", ["netns", "delete", probe]).status === 0;
})();

/** Why tests between networks are skipped. */
export const withoutNamespaces = "needs root and network namespaces: apt-get install iproute2";

export interface TwoNetworks {
  /** Reached from here. */
  gate: { netns: string; address: string };
  /** Reached from the gate only. */
  inner: { netns: string; address: string };
  remove(): void;
}

/** This machine - gate - inner: three machines as far as their networks go, with no way around the gate. */
export function makeTwoNetworks(): TwoNetworks {
  const id = randomBytes(3).toString("hex");
  const [gate, inner] = [`slipway-gate-${id}`, `slipway-inner-${id}`];
  const net = `10.231.${randomInt(256)}`;
  const cables = [
    { name: `sw${id}a`, at: undefined, address: `${net}.1`, to: gate, far: `${net}.2` },
    { name: `sw${id}c`, at: gate, address: `${net}.5`, to: inner, far: `${net}.6` },
  ];
  const remove = (): void => {
    for (const netns of [gate, inner]) spawnSync("ip", ["netns", "delete", netns]);
    spawnSync("ip", ["link", "delete", `sw${id}a`]);
    spawnSync("ip", ["route", "delete", "unreachable", `${net}.4/30`]);
  };
  try {
    for (const netns of [gate, inner]) {
      ip("netns", "add", netns);
      ip("-n", netns, "link", "set", "lo", "up");
    }
    // Otherwise the way out to the internet would be asked for it.
    ip("route", "add", "unreachable", `${net}.4/30`);
    for (const { name, at, address, to, far } of cables) {
      const near = at === undefined ? [] : ["-n", at];
      ip(...near, "link", "add", name, "type", "veth", "peer", "name", `${name}p`, "netns", to);
      ip(...near, "address", "add", `${address}/30`, "dev", name);
      ip(...near, "link", "set", name, "up");
      ip("-n", to, "address", "add", `${far}/30`, "dev", `${name}p`);
      ip("-n", to, "link", "set", `${name}p`, "up");
    }
  } catch (error) {
    remove();
    throw error;
  }
  return {
    gate: { netns: gate, address: `${net}.2` },
    inner: { netns: inner, address: `${net}.6` },
    remove,
  };
}
