import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { generateIdentity } from "age-encryption";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubeClient, Manifest } from "../../../clients/kube/index.ts";
import { realRandom } from "../../../lib/index.ts";
import { encryptAge, keysIn, recipientOf } from "../../../secrets/index.ts";
import type { DocumentsSpec, SlipwayCluster } from "../../objects/index.ts";
import { clusterFiles } from "./cluster-files.ts";
import type { Opening } from "./document-files.ts";

let folder: string;
let opening: Opening;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-cluster-files-"));
  opening = await openingOf("secrets.yaml");
});
afterEach(() => rm(folder, { recursive: true }));

async function openingOf(bundle?: string): Promise<Opening> {
  const keys = keysIn(`# a key file\n${await generateIdentity()}\n`, "the key of a test");
  return { keys, recipient: (await recipientOf(keys)) ?? "", bundle };
}

const sealed = (text: string, { recipient } = opening): Promise<string> =>
  encryptAge(Buffer.from(text), { recipients: [recipient] }, realRandom);
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const inFolder = (name: string): Promise<string> => readFile(path.join(folder, "lab", name), "utf8");

/** An API server with the cluster's Secret and what git has put beside it. */
function site(given: { secret?: Record<string, string>; documents?: Record<string, string> }) {
  const held = { data: given.secret, version: 1 };
  const object = (kind: string, data: unknown) => ({
    kind,
    metadata: { resourceVersion: `${held.version}` },
    data,
  });
  const write = (data: Record<string, string | null>) => {
    const all = Object.entries({ ...held.data, ...data });
    held.data = Object.fromEntries(all.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
    held.version += 1;
    return object("Secret", held.data);
  };
  const client = {
    async get({ kind, name }: { kind: string; name: string }) {
      if (name === "lab-secrets") return held.data && object(kind, held.data);
      return given.documents && object(kind, given.documents);
    },
    patch: async (_ref: unknown, { data }: { data: Record<string, string | null> }) => write(data),
    create: async ({ data }: Manifest & { data: Record<string, string> }) => write(data),
  } as unknown as KubeClient;
  const open = (documents?: DocumentsSpec, more = {}) =>
    clusterFiles({
      ...{ client, namespace: "slipway-system", folder, random: realRandom },
      object: {
        metadata: { name: "lab", ...more },
        spec: { hosts: "rack", cluster: {}, ...(documents && { secrets: { documents } }) },
      } as unknown as SlipwayCluster,
    });
  return { held, open };
}

const fromGit = { configMap: "documents" };

test("no key of a Secret or a ConfigMap leads out of the folder of its cluster", async () => {
  const unfit = { code: "FLEET_SECRET_KEY_UNFIT" };
  await expect(
    site({ secret: { "..__stolen": "eA==" } })
      .open()
      .layOut(),
  ).rejects.toMatchObject(unfit);
  const documents = { "..__stolen.age": await sealed("x"), "secrets.yaml.age": await sealed("x") };
  await expect(site({ documents }).open(fromGit).layOut(opening)).rejects.toMatchObject(unfit);
  // Whoever may write the Secret may encrypt to a public key, too.
  const outside = encoded(await sealed(JSON.stringify({ "../stolen": "eA==" })));
  const good = { "secrets.yaml.age": await sealed("x") };
  await expect(
    site({ secret: { "files.age": outside }, documents: good })
      .open(fromGit)
      .layOut(opening),
  ).rejects.toMatchObject(unfit);
  expect(existsSync(path.join(folder, "stolen"))).toBe(false);
  await site({ secret: { nodes__a: "eA==" } })
    .open()
    .layOut();
  expect(existsSync(path.join(folder, "lab/nodes/a"))).toBe(true);
});

test("files that could not all be laid out are not taken for laid out the next time", async () => {
  const { held, open } = site({ secret: { "..__stolen": "eA==", "secrets.yaml": encoded("the bundle") } });
  const files = open();
  const unfit = { code: "FLEET_SECRET_KEY_UNFIT" };
  await expect(files.layOut()).rejects.toMatchObject(unfit);
  await expect(files.layOut()).rejects.toMatchObject(unfit);
  delete held.data?.["..__stolen"];
  await files.layOut();
  expect(await inFolder("secrets.yaml")).toBe("the bundle");
});

test("documents are refused where they are missing, plain, changed or closed to others", async () => {
  const refused = async (documents: Record<string, string> | undefined, spec: DocumentsSpec = fromGit) => {
    const { held, open } = site(documents ? { documents } : {});
    const told = await open(spec)
      .layOut(opening)
      .then(
        () => "laid out",
        (thrown: { code: string; why: string; next: string }) => thrown,
      );
    // Nothing was made in their place.
    expect(held.data).toBeUndefined();
    expect(existsSync(path.join(folder, "lab"))).toBe(false);
    return told;
  };
  const missing = { code: "CONTROLLER_DOCUMENT_MISSING", why: expect.stringContaining("no such object") };
  expect(await refused(undefined)).toMatchObject(missing);
  expect(await refused({ "ssh__id_ed25519.age": await sealed("x") })).toMatchObject({
    ...{ code: "CONTROLLER_DOCUMENT_MISSING", why: expect.stringContaining("it holds no secrets.sops.yaml") },
  });
  expect(await refused({ "secrets.yaml": "cluster: {}" })).toMatchObject({
    code: "CONTROLLER_DOCUMENT_PLAIN",
  });
  const closed = { code: "CONTROLLER_DOCUMENT_CLOSED" };
  expect(await refused({ "secrets.sops.yaml": "cluster: {}" })).toMatchObject({
    ...closed,
    next: expect.stringContaining("what git holds"),
  });
  expect(await refused({ "secrets.yaml.age": await sealed("x", await openingOf()) })).toMatchObject({
    ...closed,
    why: expect.stringContaining("looked for in the key of a test"),
    next: expect.stringContaining("spec.ageKey"),
  });
  const shared = { code: "CONTROLLER_DOCUMENTS_SHARED" };
  expect(await refused(undefined, { secret: "lab-secrets" })).toMatchObject(shared);
});

test("beside documents all that is kept is closed, and opened again by the next who works on it", async () => {
  const documents = { "secrets.yaml.age": await sealed("the bundle") };
  // A Secret of the time before there were documents, with a file that git has not.
  const { held, open } = site({ documents, secret: { kubeconfig: encoded("old"), "ssh__key.age": "eA==" } });
  const files = open(fromGit);
  await files.layOut(opening);
  expect(Object.keys(held.data ?? {}).toSorted()).toEqual(["files.age", "ssh__key.age"]);
  const { version } = held;
  await files.layOut(opening);
  await files.keep();
  expect(held.version).toBe(version);

  await rm(path.join(folder, "lab"), { recursive: true });
  await open(fromGit).layOut(opening);
  expect(await inFolder("kubeconfig")).toBe("old");
  expect(await inFolder("secrets.yaml.age")).toBe(documents["secrets.yaml.age"]);
});

test("a file that is in git and in the Secret is told, and so is how to take it out", async () => {
  const documents = { "secrets.yaml.age": await sealed("x") };
  await expect(
    site({ documents, secret: { "secrets.yaml": encoded("x") } })
      .open(fromGit)
      .layOut(opening),
  ).rejects.toMatchObject({
    code: "CONTROLLER_DOCUMENT_TWICE",
    next: expect.stringContaining('"path":"/data/secrets.yaml"'),
  });
});

test("a document that git has no more is forgotten, and what is known does for the end of a cluster", async () => {
  const documents: Record<string, string> = {
    "secrets.yaml.age": await sealed("x"),
    "ssh__id_ed25519.age": await sealed("y"),
  };
  await site({ documents }).open(fromGit).layOut(opening);
  delete documents["ssh__id_ed25519.age"];
  await site({ documents }).open(fromGit).layOut(opening);
  expect(existsSync(path.join(folder, "lab/ssh/id_ed25519.age"))).toBe(false);
  await site({}).open(fromGit, { deletionTimestamp: "2026-01-01T00:00:00Z" }).layOut(opening);
  expect(existsSync(path.join(folder, "lab/secrets.yaml.age"))).toBe(true);
});
