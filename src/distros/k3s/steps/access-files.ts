import fs from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../../lib/index.ts";
import { defineResource, same, type FieldChange, type RenewedCredential } from "../../../plan/index.ts";
import { trustedAuthority } from "../../../secrets/index.ts";
import { fateOfOld, fits, kubeFacts } from "../../kubernetes/index.ts";
import type { KnownGuests } from "../../linux-hosts/index.ts";
import type { K3sAccess } from "../k3s-access.ts";

export interface AccessWant extends KnownGuests {
  endpoint: string;
}

interface AccessHave {
  isKubeconfigCurrent: boolean;
  areHostsCurrent: boolean;
}

const allCurrent: AccessHave = { isKubeconfigCurrent: true, areHostsCurrent: true };

/** kubeconfig and known_hosts beside the secrets, for people and their tools. Both are there before any machine is. */
export const k3sAccessFiles = (access: K3sAccess) =>
  defineResource<AccessWant, AccessHave>({
    kind: "k3s/access",
    face: () => ({ label: "access files", uncounted: "access files", section: "secrets" }),

    async read(_ctx, want): Promise<AccessHave | undefined> {
      const isCurrent = await isKubeconfigCurrent(access, want);
      if (isCurrent === undefined) return undefined;
      return {
        isKubeconfigCurrent: isCurrent,
        areHostsCurrent: await access.hosts.isKnownHostsCurrent(want),
      };
    },

    compare(_want, have) {
      const fields = [
        ...(have.isKubeconfigCurrent ? [] : [writtenAgain("kubeconfig")]),
        ...(have.areHostsCurrent ? [] : [writtenAgain("known_hosts")]),
      ];
      return fields.length === 0 ? same : { same: false, action: "update", consequence: "hot", fields };
    },

    async create(_ctx, want) {
      await access.world.keys.login(want.cluster);
      await access.hosts.writeKnownHosts(want);
      await writeKubeconfig(access, want);
      return allCurrent;
    },

    async update(_ctx, want, have) {
      if (!have.areHostsCurrent) await access.hosts.writeKnownHosts(want);
      if (!have.isKubeconfigCurrent) await writeKubeconfig(access, want);
      return allCurrent;
    },

    remove: async () => {},
  });

/** Undefined where there is none, or where there are no secrets to hold it against. */
export async function isKubeconfigCurrent(
  access: K3sAccess,
  { cluster, endpoint }: Pick<AccessWant, "cluster" | "endpoint">,
): Promise<boolean | undefined> {
  const text = await fs.readFile(kubeconfigPath(access, cluster), "utf8").catch(() => undefined);
  const bundle = await access.findBundle(cluster);
  if (text === undefined || bundle === undefined) return undefined;
  const trusted = trustedAuthority(bundle, "server");
  return fits(() => kubeFacts(text), endpoint, trusted, access.world.wall.now());
}

/** A new client certificate in the kubeconfig, once the cluster has let one in. */
export async function renewKubeconfig(
  access: K3sAccess,
  want: Pick<AccessWant, "cluster" | "endpoint">,
): Promise<RenewedCredential[]> {
  const file = kubeconfigPath(access, want.cluster);
  const old = await fateOfOld(file, kubeFacts, `slipway rotate ca kubernetes ${want.cluster}`);
  await (await access.kube(want.cluster, want.endpoint)).nodes();
  await writeKubeconfig(access, want);
  return [{ credential: "kubeconfig", file, old }];
}

const writtenAgain = (field: string): FieldChange => ({ field, from: "out of date", to: "written again" });

export const kubeconfigPath = (access: K3sAccess, cluster: string): string =>
  path.join(access.folderOf(cluster), "kubeconfig");

export async function writeKubeconfig(
  access: K3sAccess,
  { cluster, endpoint }: Pick<AccessWant, "cluster" | "endpoint">,
): Promise<void> {
  const text = await access.kubeconfigOf(await access.bundle(cluster), { cluster, server: endpoint });
  await replaceFile(kubeconfigPath(access, cluster), text);
}
