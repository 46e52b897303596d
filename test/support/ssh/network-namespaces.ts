import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { succeeds } from "../peers.ts";

const ip = (...args: string[]): unknown => execFileSync("ip", args, { stdio: "pipe" });

/** Whether this machine lets us make networks of our own. */
export const canHaveNamespaces = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  const probe = `slipway-probe-${randomBytes(3).toString("hex")}`;
  return succeeds("ip", "netns", "add", probe) && succeeds("ip", "netns", "delete", probe);
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
    for (const each of cables) plugIn(each);
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

/** A machine that reaches this one and nothing else. */
export interface Neighbour {
  netns: string;
  /** Where it sees this machine. */
  here: string;
  remove(): void;
}

export function makeNeighbour(name: string): Neighbour {
  const id = randomBytes(3).toString("hex");
  const net = `10.231.${randomInt(256)}`;
  const netns = `slipway-${name}-${id}`;
  // Its end of the cable goes with it.
  const remove = (): unknown => spawnSync("ip", ["netns", "delete", netns]);
  try {
    ip("netns", "add", netns);
    ip("-n", netns, "link", "set", "lo", "up");
    plugIn({ name: `sw${id}`, at: undefined, address: `${net}.1`, to: netns, far: `${net}.2` });
  } catch (error) {
    remove();
    throw error;
  }
  return { netns, here: `${net}.1`, remove };
}

interface Cable {
  name: string;
  /** This machine when there is none. */
  at: string | undefined;
  address: string;
  to: string;
  far: string;
}

function plugIn({ name, at, address, to, far }: Cable): void {
  const near = at === undefined ? [] : ["-n", at];
  ip(...near, "link", "add", name, "type", "veth", "peer", "name", `${name}p`, "netns", to);
  ip(...near, "address", "add", `${address}/30`, "dev", name);
  ip(...near, "link", "set", name, "up");
  ip("-n", to, "address", "add", `${far}/30`, "dev", `${name}p`);
  ip("-n", to, "link", "set", `${name}p`, "up");
}

export interface ChainMachine {
  netns: string;
  /** Seen from the machine before it; the first has none. */
  address: string;
}

export interface Chain<Name extends string> {
  machines: Record<Name, ChainMachine>;
  remove(): void;
}

/** Machines on a string, none of them this one: each reaches its neighbours and nobody else. */
export function makeChain<const Name extends string>(names: readonly Name[]): Chain<Name> {
  const id = randomBytes(3).toString("hex");
  const net = `10.231.${randomInt(256)}`;
  const machines = names.map((name, index) => ({
    netns: `slipway-${name}-${id}`,
    address: index === 0 ? "" : `${net}.${4 * index + 2}`,
  }));
  const remove = (): void => {
    for (const { netns } of machines) spawnSync("ip", ["netns", "delete", netns]);
  };
  try {
    for (const { netns } of machines) {
      ip("netns", "add", netns);
      ip("-n", netns, "link", "set", "lo", "up");
    }
    for (const [index, { netns, address }] of machines.entries()) {
      const before = machines[index - 1]?.netns;
      if (before === undefined) continue;
      const near = `${net}.${4 * index + 1}`;
      plugIn({ name: `sw${id}${index}`, at: before, address: near, to: netns, far: address });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return {
    machines: Object.fromEntries(
      names.map((name, index) => [name, machines[index]]),
    ) as Chain<Name>["machines"],
    remove,
  };
}
