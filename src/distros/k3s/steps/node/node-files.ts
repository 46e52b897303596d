import { parse } from "yaml";
import { stableJson } from "../../../../lib/index.ts";
import type { Deviation } from "../../../../plan/index.ts";
import { k3sPaths, type NodeFile } from "../../paths.ts";
import { readCredentials, registryFiles } from "../../files/registries-file.ts";
import { unitFile, unitPath } from "../../files/unit-file.ts";
import { servedBefore, type K3sBundle } from "../../../../secrets/index.ts";
import type { HostSession } from "../../../linux-hosts/index.ts";
import { caHash, servedHash } from "../../files/trust.ts";
import { rotationHalfDone } from "../../errors.ts";
import type { K3sAccess } from "../../k3s-access.ts";
import { withTokens, type NodeWant } from "./node-want.ts";

/** A file of a node, and what it means when it changes. */
export interface WantedFile extends NodeFile {
  deviations(found: string | undefined): Deviation[];
}

/** The files of a node that stay the same whether it founds, joins or comes back. */
export async function wantedFiles(
  access: K3sAccess,
  want: NodeWant,
  host: HostSession,
  signal: AbortSignal,
): Promise<WantedFile[]> {
  const bundle = await access.bundle(want.cluster);
  const config = withTokens(want.config, bundle, await knownHash(bundle, want, host, signal));
  const credentials = want.registries
    ? await readCredentials(want.registries, (ref, what) => access.world.resolveSecret(ref, what))
    : {};
  const registries = want.registries ? registryFiles(want.registries, credentials) : [];
  return [
    {
      ...{ path: k3sPaths.configFile, mode: "0600", content: config },
      deviations: (found = "") => {
        const changes = configChanges(config, found);
        return changes.length > 0 || found === config ? changes : [written("config.yaml", "hot")];
      },
    },
    ...registries.map((file) => ({
      ...file,
      deviations: (found?: string) => (found === file.content ? [] : [written("registries", "roll")]),
    })),
    {
      ...{ path: unitPath(want.role), mode: "0644", content: unitFile(want.role) },
      deviations: (found) => (found === unitFile(want.role) ? [] : [written("service of systemd", "roll")]),
    },
    ...kubeVip(want),
  ];
}

/**
 * By what a node knows the servers it joins. While an authority is dropped nodes differ, and only the rotation moves them on;
 * a new one would have to know which of the servers it meets first.
 */
async function knownHash(
  bundle: K3sBundle,
  { cluster, node }: NodeWant,
  host: HostSession,
  signal: AbortSignal,
): Promise<string> {
  const before = servedBefore(bundle, "server");
  if (bundle.rotation?.stage !== "drop" || before === undefined) return servedHash(bundle);
  const found = hashIn(await host.read(k3sPaths.configFile, signal));
  if (found === undefined) throw rotationHalfDone({ cluster, node });
  return found === caHash(before) ? found : servedHash(bundle);
}

export const hashIn = (config: string | undefined): string | undefined =>
  /\bK10([0-9a-f]{64})::/.exec(config ?? "")?.[1];

/** K3s looks after its manifests while it runs. */
const kubeVip = ({ kubeVip: content }: NodeWant): WantedFile[] =>
  content === undefined
    ? []
    : [
        {
          ...{ path: k3sPaths.kubeVipManifest, mode: "0600", content },
          deviations: (found) => (found === content ? [] : [written("kube-vip", "disturb")]),
        },
      ];

const written = (field: string, consequence: "hot" | "disturb" | "roll"): Deviation => ({
  field,
  from: "otherwise",
  to: "as written",
  consequence,
});

export interface FileState {
  file: WantedFile;
  deviations: Deviation[];
}

/** Compares each with what is there. */
export const compareFiles = (
  host: HostSession,
  files: WantedFile[],
  signal: AbortSignal,
): Promise<FileState[]> =>
  Promise.all(
    files.map(async (file) => ({ file, deviations: file.deviations(await host.read(file.path, signal)) })),
  );

/** Kubernetes reads these when a node registers, and never again: what is there already is changed through the API. */
const registrationKeys = new Set(["node-label", "node-taint"]);

/** What differs between two texts of config.yaml, key by key. Values that open something are not shown. */
export function configChanges(wanted: string, found: string): Deviation[] {
  const [want, have] = [valuesIn(wanted), valuesIn(found)];
  const keys = [...new Set([...Object.keys(want), ...Object.keys(have)])];
  return keys
    .filter((key) => stableJson(want[key] ?? null) !== stableJson(have[key] ?? null))
    .map((key) => ({
      field: key,
      from: isSecret(key) && have[key] !== undefined ? "another one" : asText(have[key]),
      to: isSecret(key) && want[key] !== undefined ? "that of the cluster" : asText(want[key]),
      consequence: registrationKeys.has(key) ? "hot" : "roll",
    }));
}

const isSecret = (key: string): boolean => /token|password|secret-key|access-key|datastore/.test(key);

function valuesIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text, { version: "1.1" });
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" ? value : stableJson(value);
}
