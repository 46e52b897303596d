import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import type { Manifest } from "../../clients/kube/index.ts";
import { describeCause } from "../../errors/index.ts";
import { writtenData, type SecretRef, type SourceFile } from "../../spec/index.ts";
import { apiVersion, clusterLabel, type SlipwayCluster, type SlipwayHosts } from "../objects/index.ts";
import { filesIn, isLeftOut, keyOfFile, refuseLocalNames, secretNameOf } from "../reconcile/index.ts";
import { fileNotReadable, patchNotAdoptable } from "./errors.ts";
import { placesOfFile, type PlaceKind, type ReplacePlaces } from "./secret-places.ts";

export interface AdoptRequest {
  /** The files as they were read; they have been checked. */
  sources: readonly SourceFile[];
  namespace: string;
  /** What the SlipwayHosts is called. */
  hosts: string;
  /** `.slipway`, where the secrets of clusters that run already lie. */
  folder: string;
  /** Fetches what a reference of the file leads to; `from` is the folder of that file. */
  resolveSecret(ref: SecretRef, what: string, from: string): Promise<string>;
}

/** A cluster file before it is completed. */
interface Written {
  hosts?: Record<string, unknown>;
  clusters?: Record<string, Record<string, unknown>>;
  secrets?: unknown;
  backups?: unknown;
}

/** A cluster file, or a folder of them, as objects of the controller: Secrets first, then hosts, then clusters. */
export async function adoptFleet(request: AdoptRequest): Promise<Manifest[]> {
  const files = request.sources.map((source) => ({
    written: writtenData(source) as Written,
    from: path.dirname(source.file),
  }));
  const replacePlaces = placesOfFile();
  const hosts = await adoptHosts(files, request, replacePlaces);
  const clusters = await Promise.all(
    files.flatMap(({ written, from }) =>
      Object.entries(written.clusters ?? {}).map(([name, own]) => {
        const { secrets, backups } = written;
        // What a file says of all its clusters, each object says for itself.
        const whole = {
          ...(secrets !== undefined && { secrets }),
          ...(backups !== undefined && { backups }),
          ...own,
        };
        return adoptCluster(name, whole, from, request, replacePlaces);
      }),
    ),
  );
  const all = [hosts, ...clusters];
  return [...all.flatMap(({ secrets }) => secrets), ...all.map(({ object }) => object)];
}

interface Adopted {
  secrets: Manifest[];
  object: Manifest;
}

async function adoptHosts(
  files: readonly { written: Written; from: string }[],
  request: AdoptRequest,
  replacePlaces: ReplacePlaces,
): Promise<Adopted> {
  const { namespace, hosts: name } = request;
  const values = new Values(`${name}-credentials`, request);
  const adopted = await Promise.all(
    files.flatMap(({ written, from }) =>
      Object.entries(written.hosts ?? {}).map(
        async ([host, fields]): Promise<[string, Record<string, unknown>]> => {
          const part = await replacePlaces("host", fields, values.taking(`host "${host}"`, host, from));
          return [host, part as Record<string, unknown>];
        },
      ),
    ),
  );
  const spec: SlipwayHosts["spec"] = { hosts: Object.fromEntries(adopted) };
  refuseLocalNames(spec.hosts, "spec.hosts");
  return {
    secrets: values.secrets({}),
    object: { apiVersion, kind: "SlipwayHosts", metadata: { name, namespace }, spec },
  };
}

async function adoptCluster(
  name: string,
  written: Record<string, unknown>,
  from: string,
  request: AdoptRequest,
  replacePlaces: ReplacePlaces,
): Promise<Adopted> {
  const { namespace, hosts, folder } = request;
  const labels = { [clusterLabel]: name };
  const values = new Values(`${name}-credentials`, request);
  const part = await replacePlaces("cluster", written, values.taking(`cluster "${name}"`, undefined, from));
  const spec: SlipwayCluster["spec"] = {
    hosts,
    cluster: (await withPatches(part, from)) as Record<string, unknown>,
  };
  refuseLocalNames(spec.cluster, "spec.cluster");
  const object = { apiVersion, kind: "SlipwayCluster" as const, metadata: { name, namespace }, spec };
  const files = (await filesIn(path.join(folder, name))).filter((file) => !isLeftOut(file));
  const data = await Promise.all(
    files.map(async (file): Promise<[string, string]> => [
      keyOfFile(file),
      (await readFile(path.join(folder, name, file))).toString("base64"),
    ]),
  );
  const bundle = secret(secretNameOf(object), namespace, labels, { data: Object.fromEntries(data) });
  return { secrets: [...values.secrets(labels), ...(data.length > 0 ? [bundle] : [])], object };
}

/** Texts that leave the file for a Secret. */
class Values {
  readonly #name: string;
  readonly #request: AdoptRequest;
  readonly #texts: Record<string, string> = {};

  constructor(name: string, request: AdoptRequest) {
    this.#name = name;
    this.#request = request;
  }

  /** Puts the value of every place into the Secret, under a key that says where it belongs. */
  taking(whose: string, prefix: string | undefined, from: string) {
    return async (kind: PlaceKind, value: unknown, at: readonly string[]): Promise<unknown> => {
      if (kind === "path" && typeof value !== "string") return undefined;
      const key = [...(prefix === undefined ? [] : [prefix]), ...at].join(".").replaceAll(/[^\w.-]/g, "_");
      const what = `"${at.join(".")}" of ${whose}`;
      this.#texts[key] =
        kind === "secret"
          ? await this.#request.resolveSecret(value as SecretRef, what, from)
          : await readText(value as string, what, from);
      return { secret: { name: this.#name, key } };
    };
  }

  secrets(labels: Record<string, string>): Manifest[] {
    if (Object.keys(this.#texts).length === 0) return [];
    const sorted = Object.entries(this.#texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [secret(this.#name, this.#request.namespace, labels, { stringData: Object.fromEntries(sorted) })];
  }
}

const secret = (
  name: string,
  namespace: string,
  labels: Record<string, string>,
  content: { data: Record<string, string> } | { stringData: Record<string, string> },
): Manifest => ({
  ...{ apiVersion: "v1", kind: "Secret", type: "Opaque" },
  metadata: { name, namespace, ...(Object.keys(labels).length > 0 && { labels }) },
  ...content,
});

/** Patches that lie in files beside the cluster file are written where they belong. */
async function withPatches(value: unknown, from: string): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item: unknown) => withPatches(item, from)));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(async ([key, field]): Promise<[string, unknown]> => [
    key,
    key === "patches" && Array.isArray(field)
      ? (await Promise.all(field.map((patch: unknown) => patchesIn(patch, from)))).flat()
      : await withPatches(field, from),
  ]);
  return Object.fromEntries(await Promise.all(fields));
}

async function patchesIn(patch: unknown, from: string): Promise<unknown[]> {
  const { file, ...more } = (patch ?? {}) as { file?: unknown };
  if (typeof file !== "string" || Object.keys(more).length > 0) return [patch];
  const documents = parseAllDocuments(await readText(file, `patch "${file}"`, from)).map(
    (document): unknown => document.toJS(),
  );
  if (documents.some((each) => typeof each !== "object" || each === null || Array.isArray(each)))
    throw patchNotAdoptable(file);
  return documents;
}

async function readText(file: string, what: string, from: string): Promise<string> {
  try {
    return await readFile(path.resolve(from, file.replace(/^~(?=\/)/, os.homedir())), "utf8");
  } catch (thrown) {
    throw fileNotReadable({ what, file, why: describeCause(thrown) });
  }
}
