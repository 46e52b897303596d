import { createHash } from "node:crypto";
import type { KubeStore } from "../../kube/index.ts";
import type { HostView } from "../../linux/index.ts";
import { paths } from "../paths.ts";

/** The secret a node keeps on its disk, so that no other takes its name. Made when it is first asked for. */
export function ownPassword({ files, random }: Pick<HostView, "files" | "random">): string {
  const known = files.read(paths.nodePassword)?.toString("utf8").trim();
  if (known !== undefined && known !== "") return known;
  const made = random.bytes(16).toString("hex");
  files.write(paths.nodePassword, `${made}\n`, 0o600);
  return made;
}

const hashOf = (password: string): string => createHash("sha256").update(password).digest("hex");

export const passwordSecret = (node: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  namespace: "kube-system",
  name: `${node.toLowerCase()}.node-password.k3s`,
});

/** Whether the password is the one this name came with first. The first one is remembered. */
export function checkPassword(store: KubeStore, node: string, password: string): boolean {
  const ref = passwordSecret(node);
  const secret = store.find(ref);
  const hash = Buffer.from(hashOf(password)).toString("base64");
  if (secret !== undefined) return (secret["data"] as { hash?: string } | undefined)?.hash === hash;
  const { name, namespace } = ref;
  store.create(
    {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name, namespace } },
      ...{ type: "k3s.cattle.io/node-password", immutable: true, data: { hash } },
    },
    { fieldManager: "k3s-supervisor" },
  );
  return true;
}

/** The secret goes when its Node does. */
export function bindPassword(store: KubeStore, node: string): void {
  const ref = passwordSecret(node);
  const owner = store.find({ apiVersion: "v1", kind: "Node", name: node });
  if (store.find(ref) === undefined || owner === undefined) return;
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: node, uid: owner.metadata.uid ?? "" }];
  store.patch(ref, "merge", { metadata: { ownerReferences } }, { fieldManager: "k3s" });
}
