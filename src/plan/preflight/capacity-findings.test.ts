import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { siteNode } from "../../../test/support/proxmox/site.ts";
import { SlipwayError } from "../../errors/index.ts";
import { coresFinding, memoryFinding, type Demand } from "./capacity-findings.ts";

const host = { ...libvirtHostNamed("a"), overcommit: { memory: 1.5, cores: 2 } };
const facts = {
  host: "a",
  realm: "a",
  software: "libvirt 11.3",
  cores: 4,
  memoryMiB: 4096,
  memoryUsedMiB: 1024,
  memoryPromisedMiB: 2048,
  coresPromised: 2,
  storages: [],
};
const short = (f: object): SlipwayError =>
  new SlipwayError({ code: "LAB_SHORT", what: "Cannot fit", why: JSON.stringify(f), next: "Add a host" });

/** Nodes of these sizes; the first has a machine already. */
function demandOf(
  sizes: { memoryMiB?: number; cores?: number }[],
  existing = { memoryMiB: 0, cores: 0 },
): Demand {
  const machine = {
    cluster: "lab",
    node: "cp-1",
    role: "control-plane" as const,
    host: "a",
    on: "a",
    isRunning: true,
    image: "talos.raw",
    dataDisksGiB: [],
    keptDisks: [],
    isProtected: false,
    ...existing,
  };
  const nodes = sizes.map((size, index) => ({
    node: siteNode(`cp-${index + 1}`, size),
    host,
    cluster: "lab",
    machine: index === 0 && existing.cores > 0 ? machine : undefined,
  }));
  return { host, facts, nodes };
}

test("memory that fits is ok, and what machines have already is not asked for again", () => {
  const demand = demandOf([{ memoryMiB: 2048 }, { memoryMiB: 1536 }], { memoryMiB: 1024, cores: 2 });
  expect(memoryFinding(demand, short)).toEqual({
    status: "ok",
    needed: "2.5 GiB",
    found: "4 GiB free of 4 GiB × 1.5",
  });
});

test("a machine that shrinks gives nothing to the others before it has", () => {
  const demand = demandOf([{ memoryMiB: 1024 }, { memoryMiB: 2048 }], { memoryMiB: 3072, cores: 2 });
  expect(memoryFinding(demand, short)).toMatchObject({ status: "ok", needed: "2 GiB" });
});

test("memory that leaves less than a GiB is warned of; more than there is fails", () => {
  expect(memoryFinding(demandOf([{ memoryMiB: 3072 }]), short).status).toBe("ok");
  expect(memoryFinding(demandOf([{ memoryMiB: 3073 }]), short).status).toBe("warned");
  expect(memoryFinding(demandOf([{ memoryMiB: 4096 }]), short).status).toBe("warned");
  expect(memoryFinding(demandOf([{ memoryMiB: 4097 }]), short)).toMatchObject({
    status: "failed",
    needed: "4 GiB",
    error: { why: '{"neededMiB":4097,"freeMiB":4096,"total":"4 GiB × 1.5"}' },
  });
});

test("cores may be promised several times over, and no more than that", () => {
  expect(coresFinding(demandOf([{ cores: 4 }, { cores: 2 }]), short)).toEqual({
    status: "ok",
    needed: "6",
    found: "6 free of 4 × 2",
  });
  expect(coresFinding(demandOf([{ cores: 4 }, { cores: 3 }]), short)).toMatchObject({
    status: "failed",
    error: { why: '{"needed":7,"free":6,"total":"4 × 2"}' },
  });
});

test("a node that could not start there is told before what was promised", () => {
  const finding = coresFinding(demandOf([{ cores: 9 }]), short, short({ too: "big" }));
  expect(finding).toMatchObject({ status: "failed", needed: "9", error: { why: '{"too":"big"}' } });
});
