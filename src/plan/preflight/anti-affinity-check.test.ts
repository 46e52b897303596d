import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { siteNode } from "../../../test/support/proxmox/site.ts";
import { realClock } from "../../lib/index.ts";
import { antiAffinityCheck } from "./anti-affinity-check.ts";

const ctx = { signal: new AbortController().signal, clock: realClock, log: () => {} };

/** Control planes on these hosts, in order. */
const look = (...hosts: string[]) => {
  const placed = hosts.map((name, index) => ({
    node: siteNode(`cp-${index + 1}`),
    host: libvirtHostNamed(name),
  }));
  return antiAffinityCheck("libvirt-apart", placed)[0]?.run(ctx);
};

test("control planes on a host each survive the loss of any", async () => {
  expect(await look("a", "b", "c")).toEqual({
    status: "ok",
    needed: "at most 1 on one host",
    found: "cp-1 on a; cp-2 on b; cp-3 on c",
  });
  expect(await look("a", "a", "b", "b", "c")).toMatchObject({
    status: "ok",
    needed: "at most 2 on one host",
  });
});

test("a host whose loss would end the cluster is warned of, not refused", async () => {
  expect(await look("a", "a", "b")).toEqual({
    status: "warned",
    needed: "at most 1 on one host",
    found: "cp-1, cp-2 share a: when it is lost, so is the Kubernetes API",
  });
});

test("fewer than three control planes are not asked about: no loss of theirs is survived", () => {
  expect(look("a", "a")).toBeUndefined();
});
