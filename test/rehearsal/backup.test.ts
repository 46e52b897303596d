import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { fileSource, openBackup } from "../../src/backups/index.ts";
import {
  backupFleet,
  checkBackup,
  fleetStatus,
  listBackups,
  verifyFleet,
  type BackupRequest,
} from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { readSnapshot } from "../../src/sim/etcd/index.ts";
import type { Fault } from "../../src/sim/index.ts";
import { connectS3 } from "../../src/clients/s3/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import type { World } from "../../src/world/index.ts";
import { someKeys } from "../support/backups/some-backup.ts";
import { startStrictS3, strictKeys } from "../support/s3/strict-s3.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const never = new AbortController().signal;
const person = await someKeys();

const head = (places: string, rest = "") => `version: 1
secrets: { encryption: age, recipients: [${person.recipients.join(", ")}] }
backups: { places: [${places}], keep: { newest: 2, for: 1h }, maxAge: 2h${rest} }
hosts:
  hydra: { proxmox: { url: "https://10.16.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
`;

const talos = (places = "{ folder: ./backups }") => `${head(places)}clusters:
  lab:
    network: { cidr: 10.16.0.0/24, gateway: .254 }
    controlPlanes: { count: 3, address: .10, vmid: 2000 }
    workers: { count: 1, address: .20, vmid: 3000, dataDisks: [{ size: 20GiB, for: longhorn }] }
    patches: [{ file: ./patch.yaml }]
    addons: [cilium]
`;

const k3s = () => `${head("{ folder: ./backups }")}clusters:
  edge:
    k3s: { version: 1.36.3+k3s1, user: debian }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.16.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, address: .10, vmid: 2000 }
`;

interface Lab {
  site: RehearsalSite;
  fleet: Fleet;
  folder: string;
  world(tell?: (event: EventBody) => void): World;
  backup(
    request?: Partial<BackupRequest>,
  ): Promise<{ exitCode: number; events: EventBody[]; outputs: Record<string, string> }>;
}

/** A cluster that runs, and its file on disk with all it refers to. */
async function lab(text: string, faults: Fault[] = []): Promise<Lab> {
  const site = await rehearsalSite(fleetOf(text), { faults, keys: person.keys });
  const folder = path.join(site.folder, "files");
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "cluster.yaml");
  await writeFile(file, text);
  await writeFile(path.join(folder, "patch.yaml"), "machine: { sysctls: { vm.max_map_count: '262144' } }\n");
  const fleet = fleetOf(text, file);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const world: Lab["world"] = (tell = () => {}) => site.rehearsal.world(never, tell);
  return {
    ...{ site, fleet, folder, world },
    async backup(request = {}) {
      const told: EventBody[] = [];
      const report = await backupFleet(
        { fleet, selection: {}, ...request },
        world((event) => told.push(event)),
      );
      return { exitCode: report.exitCode, events: told, outputs: report.outputs };
    },
  };
}

describe("a cluster of Talos", () => {
  let it: Lab;
  beforeAll(async () => {
    it = await lab(talos());
  });
  afterAll(() => it.site[Symbol.asyncDispose]());

  test("is backed up with all it takes to bring it back, readable by its recipients alone", async () => {
    const { exitCode, events, outputs } = await it.backup();
    expect(errorsIn(events)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run", "plan", "started", "progress", "finished", "done"]),
    );
    const file = outputs["backup"] ?? "";
    expect(path.basename(file)).toMatch(/^lab-\d{8}-\d{6}\.backup\.tar$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(path.dirname(file))).length).toBe(1);

    const opened = await openBackup(fileSource(file), person.keys);
    expect(opened.contents).toMatchObject({
      cluster: "lab",
      distribution: "talos",
      versions: {
        talos: expect.stringMatching(/^1\.\d+\.\d+$/),
        kubernetes: expect.stringMatching(/^1\.\d+\.\d+$/),
      },
      file: "cluster.yaml",
      files: [{ path: "./patch.yaml", member: "file/patch.yaml" }],
      needs: ["$PVE_TOKEN"],
      volumes: [{ node: "worker-1", name: "longhorn", sizeGiB: 20 }],
    });
    expect(opened.contents.machines.map(({ node, id, host }) => [node, id, host])).toEqual([
      ["cp-1", 2000, "hydra"],
      ["cp-2", 2001, "hydra"],
      ["cp-3", 2002, "hydra"],
      ["worker-1", 3000, "hydra"],
    ]);
    expect(await opened.member("file/cluster.yaml").text()).toBe(talos());
    expect(await opened.member("secrets/secrets.yaml").text()).toContain("certs:");
    expect(JSON.parse(await opened.member("addons/cilium.json").text())).toMatchObject({ name: "cilium" });
    const parts: Uint8Array[] = [];
    for await (const part of opened.member("etcd/snapshot.db").read()) parts.push(part);
    expect(JSON.stringify(readSnapshot(Buffer.concat(parts), true))).toContain("kube-system");
  });

  test("keeps as many as the file says, takes only its own away, and tells of the others", async () => {
    const places = path.join(it.folder, "backups");
    await writeFile(path.join(places, "lab-20200101-000000.backup.tar"), "not ours");
    await writeFile(path.join(places, "notes.txt"), "mine");
    const names: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await it.site.pass(40 * 60_000);
      names.push(path.basename((await it.backup()).outputs["backup"] ?? ""));
    }
    // The first of this file is more than an hour old by now; of the younger ones all stay.
    expect((await readdir(places)).toSorted()).toEqual(
      ["lab-20200101-000000.backup.tar", ...names.slice(1), "notes.txt"].toSorted(),
    );
    const [listed] = await listBackups({ fleet: it.fleet, selection: {} }, it.world());
    expect(listed?.backups.map(({ name }) => name)).toEqual(names.slice(1).toReversed());
    expect(listed?.foreign).toMatchObject([
      { name: "lab-20200101-000000.backup.tar", why: "it is cut short" },
    ]);
    expect(listed?.isOverdue).toBe(false);
  });

  test("is told to have too old a backup by list, status and verify, until there is a new one", async () => {
    await it.site.pass(3 * 3_600_000);
    const [listed] = await listBackups({ fleet: it.fleet, selection: {} }, it.world());
    expect(listed?.isOverdue).toBe(true);
    const [status] = await fleetStatus({ fleet: it.fleet, selection: {} }, it.world());
    expect(status?.know).toBe("newest backup is 3 h old");
    const failed = async () => {
      const events: EventBody[] = [];
      await verifyFleet(
        { fleet: it.fleet, clusters: [] },
        it.world((event) => events.push(event)),
      );
      return events.flatMap((event) =>
        event.type === "check" && event.status === "failed" ? [event.error?.code] : [],
      );
    };
    expect(await failed()).toEqual(["BACKUP_TOO_OLD"]);
    await it.backup();
    expect(await failed()).toEqual([]);
    const [after] = await fleetStatus({ fleet: it.fleet, selection: {} }, it.world());
    expect(after?.backup).toMatchObject({ isOverdue: false });
  });

  test("goes through a pipe, and into a folder somebody names", async () => {
    const parts: Uint8Array[] = [];
    const pipe = async (content: AsyncIterable<Uint8Array>) => {
      for await (const part of content) parts.push(part);
    };
    expect((await it.backup({ pipe })).outputs).toEqual({ backup: "-" });
    const piped = path.join(it.folder, "piped");
    await writeFile(piped, Buffer.concat(parts));
    const checked = await checkBackup({ fleet: it.fleet, name: piped }, it.world());
    expect(checked.contents.cluster).toBe("lab");
    expect(checked.snapshot).toEqual({ tried: false, because: "a rehearsal runs no programs" });
    const to = path.join(it.folder, "elsewhere/deep");
    expect((await it.backup({ to })).outputs["backup"]).toMatch(`${to}/lab-`);
  });

  test("a file it refers to that is missing, secrets that are, and a place that refuses are named, and nothing stays", async () => {
    const patch = path.join(it.folder, "patch.yaml");
    const text = await readFile(patch);
    const before = await readdir(path.join(it.folder, "backups"));
    await rm(patch);
    expect(errorsIn((await it.backup()).events).join()).toContain("BACKUP_FILE_MISSING");
    await writeFile(patch, text);
    await writeFile(path.join(it.folder, "taken"), "a file where a folder should be");
    const refused = await it.backup({ to: path.join(it.folder, "taken") });
    expect(errorsIn(refused.events).join()).toContain("BACKUP_PLACE_REFUSED");
    expect(await readdir(path.join(it.folder, "backups"))).toEqual(before);
    expect(errorsIn((await it.backup({ to: "s3://nobody/knows" })).events).join()).toContain(
      "BACKUP_BUCKET_UNKNOWN",
    );
  });

  test("what a killed run left goes after a day, and what is younger stays", async () => {
    const places = path.join(it.folder, "backups");
    const draft = (hour: string) =>
      path.join(places, `lab-20260101-${hour}0000.backup.tar.0123456789ab.draft`);
    await writeFile(draft("01"), "half");
    await writeFile(draft("02"), "half");
    const long = new Date(it.world().clock.now() - 25 * 3_600_000);
    await utimes(draft("01"), long, long);
    await utimes(draft("02"), new Date(it.world().clock.now()), new Date(it.world().clock.now()));
    await it.backup();
    const left = (await readdir(places)).filter((name) => name.endsWith(".draft"));
    expect(left).toEqual([path.basename(draft("02"))]);
    await rm(draft("02"));
  });
});

test("without recipients or a place nothing is written", async () => {
  const plain = talos().replace(/^secrets:.*\n/m, "");
  await using site = await rehearsalSite(fleetOf(plain));
  const report = (fleet: Fleet) =>
    backupFleet(
      { fleet, selection: {} },
      site.rehearsal.world(never, () => {}),
    );
  expect((await report(fleetOf(plain))).error).toMatchObject({ code: "BACKUP_FOR_NOBODY" });
  await using encrypted = await rehearsalSite(fleetOf(talos()), { keys: person.keys });
  const nowhere = fleetOf(talos().replace(/^backups:.*\n/m, ""));
  const { error } = await backupFleet(
    { fleet: nowhere, selection: {} },
    encrypted.rehearsal.world(never, () => {}),
  );
  expect(error).toMatchObject({ code: "BACKUP_TO_NOWHERE" });
});

test("a cluster of K3s is backed up, and its servers keep no snapshot behind", whole, async () => {
  const it = await lab(k3s());
  await using _ = it.site;
  const { exitCode, events, outputs } = await it.backup();
  expect(exitCode, errorsIn(events).join()).toBe(0);
  const opened = await openBackup(fileSource(outputs["backup"] ?? ""), person.keys);
  expect(opened.contents).toMatchObject({ distribution: "k3s", versions: { k3s: "1.36.3+k3s1" } });
  expect(opened.members.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "secrets/k3s-secrets.yaml",
      "secrets/ssh/id_ed25519",
      "state/known_hosts",
      "etcd/snapshot.db",
    ]),
  );
  for (const host of it.site.rehearsal.datacenter.linux.hosts().values())
    expect(host.files.pathsBelow("/var/lib/rancher/k3s/server/db/snapshots")).toEqual([]);
});

test(
  "a snapshot that a node refuses comes from another; of two places the one that works has it all the same",
  whole,
  async () => {
    const server = await startStrictS3();
    onTestFinished(() => server.close());
    const bucket = "{ s3: { bucket: bucket, prefix: lab, accessKey: { env: A }, secretKey: { env: B } } }";
    const refusal: Fault = { call: "talos machine.MachineService/EtcdSnapshot", kind: "error", times: 1 };
    const it = await lab(talos(`${bucket}, { folder: ./backups }`), [refusal]);
    await using _ = it.site;
    const { endpoint, ca } = server;
    const wires = { dial: dialDirect, clock: { ...realClock, sleep: async () => {} }, wall: realClock };
    const events: EventBody[] = [];
    const world: World = {
      ...it.world((event) => events.push(event)),
      openS3: async (place) =>
        connectS3({ ...strictKeys, bucket: place.bucket, endpoint, trust: { ca }, ...wires }),
    };
    const all = { fleet: it.fleet, selection: {} };
    expect((await backupFleet(all, world)).outcome, errorsIn(events).join()).toBe("done");
    expect(events.flatMap((event) => (event.type === "log" ? [event.text] : [])).join("\n")).toMatch(
      /no snapshot from cp-\d/,
    );
    const [key = ""] = [...server.objects.keys()];
    expect(key).toMatch(/^lab\/lab-\d{8}-\d{6}\.backup\.tar$/);
    const [listed] = await listBackups(all, world);
    expect(listed?.backups.map(({ place }) => place).toSorted()).toEqual(
      [path.join(it.folder, "backups"), "s3://bucket/lab"].toSorted(),
    );
    const checked = await checkBackup({ fleet: it.fleet, name: `s3://bucket/${key}` }, world);
    expect(checked.source).toBe(`s3://bucket/${key}`);

    server.interfere = (method) => (method === "PUT" ? { status: 403, code: "AccessDenied" } : undefined);
    await it.site.pass(5_000);
    expect((await backupFleet(all, world)).outcome).toBe("failed");
    expect(errorsIn(events).join()).toContain("S3_DENIED");
    expect([server.objects.size, (await readdir(path.join(it.folder, "backups"))).length]).toEqual([1, 2]);
  },
);
