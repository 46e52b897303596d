import fs from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { replaceFile } from "../../../lib/index.ts";
import { trusted } from "../../../secrets/index.ts";
import { defineResource, same, type FieldChange, type RenewedCredential } from "../../../plan/index.ts";
import { kubeconfig, talosconfig } from "../config/index.ts";
import { fateOfOld, fits, kubeFacts, type FileFacts } from "../../kubernetes/index.ts";
import { areConfigFilesCurrent, writeConfigFiles } from "./config-files.ts";
import type { ConfigFileWant } from "./config-files-want.ts";
import type { TalosAccess } from "../talos-access.ts";

export interface AccessWant {
  cluster: string;
  endpoint: string;
  controlPlanes: string[];
  configs: ConfigFileWant[];
}

interface AccessHave {
  areKeysCurrent: boolean;
  areConfigsCurrent: boolean;
}

const allCurrent: AccessHave = { areKeysCurrent: true, areConfigsCurrent: true };

/** kubeconfig, talosconfig and the machine configs beside the secrets, as files for people and their tools. */
export const talosAccessFiles = (access: TalosAccess) =>
  defineResource<AccessWant, AccessHave>({
    kind: "talos/access",
    face: () => ({ label: "access files", uncounted: "access files", section: "secrets" }),

    read: (_ctx, want) => readAccessFiles(access, want),

    compare(_want, have) {
      const fields = [
        ...(have.areKeysCurrent ? [] : [writtenAgain("kubeconfig and talosconfig")]),
        ...(have.areConfigsCurrent ? [] : [writtenAgain("config files")]),
      ];
      return fields.length === 0 ? same : { same: false, action: "update", consequence: "hot", fields };
    },

    async create(_ctx, want) {
      await writeAccessFiles(access, want);
      return allCurrent;
    },

    async update(_ctx, want, have) {
      if (!have.areKeysCurrent) await writeKeys(access, want);
      await writeConfigFiles(access, want.cluster, want.configs);
      return allCurrent;
    },

    remove: async () => {},
  });

/** Undefined where one of them is missing. */
export async function readAccessFiles(
  access: TalosAccess,
  want: AccessWant,
): Promise<AccessHave | undefined> {
  const [kube, talos] = await Promise.all(files(access, want.cluster).map(readIfThere));
  const bundle = await access.findBundle(want.cluster);
  if (kube === undefined || talos === undefined || bundle === undefined) return undefined;
  const endpoints = await endpointsOf(access, want);
  const now = access.world.wall.now();
  const areKeysCurrent =
    fits(() => kubeFacts(kube), want.endpoint, trusted(bundle, "kubernetes"), now) &&
    fits(() => talosFacts(talos), endpoints.join(), trusted(bundle, "os"), now);
  return {
    areKeysCurrent,
    areConfigsCurrent: await areConfigFilesCurrent(access, want.cluster, want.configs),
  };
}

/** All of them anew, with other client certificates. */
export async function writeAccessFiles(access: TalosAccess, want: AccessWant): Promise<void> {
  await writeKeys(access, want);
  await writeConfigFiles(access, want.cluster, want.configs);
}

/** New client certificates in both files, once the cluster has let one of each in. */
export async function renewAccessFiles(
  access: TalosAccess,
  want: Omit<AccessWant, "configs">,
): Promise<RenewedCredential[]> {
  const { cluster } = want;
  const [kubeFile, talosFile] = files(access, cluster);
  const rotate = (ca: string): string => `slipway rotate ca ${ca} ${cluster}`;
  const renewed = [
    {
      credential: "kubeconfig",
      file: kubeFile,
      old: await fateOfOld(kubeFile, kubeFacts, rotate("kubernetes")),
    },
    {
      credential: "talosconfig",
      file: talosFile,
      old: await fateOfOld(talosFile, talosFacts, rotate("talos")),
    },
  ];
  await (await access.kube(cluster, want.endpoint)).nodes();
  await access.using(cluster, want.controlPlanes[0] ?? "", (node) => node.version());
  await writeKeys(access, want);
  return renewed;
}

const writtenAgain = (field: string): FieldChange => ({ field, from: "out of date", to: "written again" });

const files = (access: TalosAccess, cluster: string): [string, string] => [
  path.join(access.folderOf(cluster), "kubeconfig"),
  path.join(access.folderOf(cluster), "talosconfig"),
];

/** One that is not known now is known by its name until it is. */
const endpointsOf = ({ world }: TalosAccess, want: Pick<AccessWant, "controlPlanes">): Promise<string[]> =>
  Promise.all(want.controlPlanes.map((host) => world.addressOf(host).catch(() => host)));

async function writeKeys(access: TalosAccess, want: Omit<AccessWant, "configs">): Promise<void> {
  const endpoints = await endpointsOf(access, want);
  const bundle = await access.bundle(want.cluster);
  const [kubeFile, talosFile] = files(access, want.cluster);
  await replaceFile(
    kubeFile,
    await kubeconfig({ cluster: want.cluster, server: want.endpoint }, bundle, access.issuing),
  );
  const fields = { cluster: want.cluster, endpoints, nodes: endpoints.slice(0, 1) };
  await replaceFile(talosFile, await talosconfig(fields, bundle, access.issuing));
}

const readIfThere = (file: string): Promise<string | undefined> =>
  fs.readFile(file, "utf8").catch(() => undefined);

const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

export function talosFacts(text: string): FileFacts {
  const file = parse(text) as {
    context: string;
    contexts: Record<string, { endpoints: string[]; ca: string; crt: string }>;
  };
  const context = file.contexts[file.context];
  return {
    points: context?.endpoints.join() ?? "",
    authority: decode(context?.ca ?? ""),
    client: decode(context?.crt ?? ""),
  };
}
