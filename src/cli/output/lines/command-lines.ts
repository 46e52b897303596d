import { z } from "zod";
import { graphLine } from "./graph-line.ts";
import { errorLine, type MakeObject } from "./run-lines.ts";

const text = z.string();
const amount = z.number();
const yes = z.boolean();
const texts = z.array(text);

/** What commands tell that are no runs, by the type of the line. */
export const commandLines = (object: MakeObject) => ({
  ...fileLines(object),
  ...statusLines(object),
  ...savedLines(object),
  ...accessLines(),
  ...secretLines(object),
  graph: graphLine(object),
});

/** Of the cluster file, and what is made from it. */
const fileLines = (object: MakeObject) => ({
  version: {
    ...{ slipway: text, commit: text.optional(), form: text, node: text, platform: text, helm: text },
    ...{ file: amount, events: amount, libvirt: amount },
    ...{ proxmox: texts, talos: texts },
  },
  valid: { file: text, clusters: amount, nodes: amount, hosts: amount },
  example: { name: text, summary: text },
  found: { text: text.describe("what init saw on a host") },
  question: {
    key: text.describe("by which a flag or a file of answers answers it"),
    ...{ text, details: texts.optional(), proposal: text.optional() },
    choices: z.array(object({ value: text, label: text })).optional(),
    by: z.enum(["flag", "file", "environment", "proposal", "person"]),
    answer: text.optional().describe("absent where it is secret"),
  },
  written: {
    ...{ file: text, lines: amount, cluster: text.optional(), hosts: texts },
    made: texts.describe("what was made on the hosts"),
    written: texts.describe("files, the cluster file first"),
    next: texts,
  },
  image: {
    ...{ cluster: text, title: text, factory: text, schematic: object({ id: text, text }) },
    ...{ iso: text, pxe: text, kernel: text, initramfs: text, cmdline: text, installer: text },
    file: text.optional().describe("where the ISO was written to"),
  },
  schematic: { file: text, id: text, schematic: text },
  exported: {
    file: text,
    cluster: text.optional(),
    clusters: texts.optional().describe("in a cluster file that fleet export wrote"),
    of: text.optional().describe("the run in it, where it is a page of the dashboard"),
    outcome: text.optional().describe("of that run"),
  },
  object: {
    ...{ kind: text, name: text, namespace: text },
    isApplied: yes.describe("whether the management cluster has it now"),
    manifest: z.record(text, z.unknown()).optional().describe("where it was printed; Secrets are in it"),
  },
  notice: {
    at: text,
    level: z.enum(["error", "warn", "info", "debug"]),
    text: text.describe("of the controller"),
  },
  bundle: { file: text, files: texts },
  listening: {
    ...{ url: text.optional(), port: amount.optional() },
    urls: texts.optional().describe("of a simulated datacenter, as the rest"),
    ...{ libvirt: z.record(text, text).optional(), fingerprint: text.optional(), ca: text.optional() },
  },
});

/** What is there, and what may come. */
const statusLines = (object: MakeObject) => ({
  status: { clusters: z.array(clusterStatus(object)) },
  upgrade: {
    ...{ cluster: text, file: text },
    versions: z.array(
      object({
        ...{ name: text, title: text, wanted: text, path: texts },
        running: text.optional().describe("the oldest that a node runs"),
        target: text.optional().describe("absent: it stays"),
      }),
    ),
  },
});

const clusterStatus = (object: MakeObject) =>
  object({
    ...{ cluster: text, state: text, ready: amount, know: text.optional() },
    version: text.describe("for people; versions has its parts"),
    versions: object({ distribution: text, releases: texts, kubernetes: texts }).optional(),
    nodes: z.array(nodeStatus(object)),
    addons: z
      .array(object({ addon: text, state: text, version: text, owner: text, know: text.optional() }))
      .optional(),
    certificates: z.array(object({ name: text, expires: text, daysLeft: amount, renew: text })).optional(),
    backup: object({ isOverdue: yes, takenAt: text.optional(), know: text.optional() }).optional(),
  });

const nodeStatus = (object: MakeObject) =>
  object({
    ...{ node: text, role: text, state: text, address: text },
    ...{ host: text.optional(), vmid: amount.optional(), software: text.optional() },
    release: text.optional().describe("what the node says it runs"),
    kubernetes: text.optional().describe("version of its kubelet"),
    ...{ isCordoned: yes.optional(), know: text.optional() },
    differs: z
      .array(object({ field: text, from: text, to: text }))
      .optional()
      .describe("where machine or config of a Ready node is not as the file says"),
    usage: object({
      cpuPercent: amount.optional().describe("of all cores together"),
      cores: amount,
      memoryUsedMiB: amount.optional(),
      memoryMiB: amount,
      measuredBy: text,
    })
      .optional()
      .describe("as its hypervisor measures it; absent where none does"),
  });

/** Snapshots, backups, and what was brought back from them. */
const savedLines = (object: MakeObject) => ({
  snapshot: { cluster: text, node: text, name: text, description: text, takenAt: text, isOurs: yes },
  snapshots: {
    done: z.enum(["taken", "removed", "rolled back"]),
    name: text,
    nodes: z.array(object({ cluster: text, node: text })),
  },
  backup: {
    ...{ cluster: text, place: text, name: text, takenAt: text, sizeBytes: amount },
    ...{ distribution: text, versions: z.record(text, text) },
  },
  machineBackup: {
    ...{ cluster: text, node: text, archive: text, takenAt: text, sizeBytes: amount },
    isOurs: yes.describe("taken by Slipway"),
  },
  foreign: { cluster: text, place: text, name: text, why: text },
  backups: { cluster: text, count: amount, isOverdue: yes },
  checked: {
    source: text,
    contents: backupContents(object),
    snapshot: z.union([
      object({ tried: z.literal(true), by: text, revision: amount, totalKeys: amount }),
      object({ tried: z.literal(false), because: text }),
    ]),
  },
  putBack: { written: texts, different: texts },
  disaster: {
    ...{ disaster: text, cluster: text, isRecovered: yes, commands: texts },
    timeline: z.array(object({ atMs: amount, what: text })),
    ...{ recoveryTimeMs: amount, recoveryPointMs: amount },
    objects: object({ before: amount, beforeKept: amount, after: amount, afterKept: amount }),
    error: errorLine(object).optional(),
    newestAgeMs: amount.optional().describe("of the newest backup that is really there"),
  },
});

const backupContents = (object: MakeObject) =>
  object({
    ...{ format: text, version: amount, cluster: text, madeAt: text, slipway: text },
    ...{ distribution: text, versions: z.record(text, text), file: text, needs: texts },
    snapshot: object({ member: text, node: text }).optional(),
    files: z.array(object({ path: text, member: text })),
    machines: z.array(
      object({ node: text, role: text, address: text, host: text.optional(), id: amount.optional() }),
    ),
    volumes: z.array(object({ node: text.optional(), name: text, sizeGiB: amount, host: text.optional() })),
    members: z.array(object({ name: text, sizeBytes: amount, sha256: text })),
  });

/** Ways into a cluster. */
const accessLines = () => ({
  kubeconfig: { cluster: text, file: text, kubeconfig: text },
  talosconfig: { cluster: text, file: text, talosconfig: text },
  merged: {
    ...{ cluster: text, into: text, context: text },
    backup: text.optional().describe("the file as it was; absent: there was none"),
    before: text.optional().describe("the context that was current, where it was another"),
  },
  proxy: {
    ...{ cluster: text, proxy: text.optional() },
    ...{ kubeconfig: text.optional(), talosconfig: text.optional() },
  },
  grant: { url: text, hosts: texts, commands: texts },
  granted: {
    ...{ url: text, hosts: texts, version: text, token: text, made: texts },
    secret: text.optional().describe("of a new token; it cannot be asked for again"),
  },
});

const secretLines = (object: MakeObject) => ({
  secret: {
    ...{ cluster: text, name: text, file: text, form: text, wanted: text, canOpen: yes },
    isForeign: yes.optional(),
  },
  rekeyed: { cluster: text, name: text, file: text, before: text, after: text },
  recovered: { cluster: text, file: text, isNew: yes, provenBy: texts },
  renewed: { cluster: text, credential: text, file: text, old: text },
  rotated: { cluster: text, file: text, hosts: texts },
  adopted: {
    ...{ cluster: text, file: text, isNew: yes },
    nodes: z.array(object({ node: text, address: text, state: text, know: text.optional() })),
  },
});
