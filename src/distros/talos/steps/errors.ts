import { SlipwayError } from "../../../errors/index.ts";

export const secretsLost = (f: { cluster: string; folder: string }) =>
  new SlipwayError({
    code: "SECRETS_LOST",
    what: `Cannot speak to the nodes of "${f.cluster}"`,
    why: `they run with secrets that are not in "${f.folder}"`,
    next: `Put the file with its secrets back into "${f.folder}" from git or a backup`,
    else: `With a talosconfig of an administrator, read them back: slipway adopt ${f.cluster} --talosconfig FILE`,
  });

export const otherCluster = (f: { node: string; address: string }) =>
  new SlipwayError({
    code: "TALOS_OTHER_CLUSTER",
    what: `Cannot configure "${f.node}"`,
    why: `the node at ${f.address} belongs to another cluster, or to this one with other secrets`,
    next: `Give "${f.node}" an address of its own, or bring back the secrets the node was made with`,
  });

export const memberSilent = (f: { cluster: string; node: string; address: string; cause: unknown }) =>
  new SlipwayError({
    code: "TALOS_MEMBER_SILENT",
    what: `Cannot bootstrap "${f.cluster}"`,
    why: `${f.node} existed before and does not answer at ${f.address}; it may hold the cluster, and a second one would replace it`,
    next: `Start ${f.node} again, or run "slipway down ${f.cluster}" if the cluster may be lost`,
    cause: f.cause,
  });

export const etcdImageMissing = (f: { cluster: string; node: string; why: string }) =>
  new SlipwayError({
    code: "TALOS_ETCD_IMAGE",
    what: `Cannot start etcd on ${f.node}`,
    why: f.why,
    next: `Let ${f.node} reach that registry, or name a mirror of it in the file under talos.registries, then run "slipway up ${f.cluster}"`,
  });

interface Settled {
  cluster: string;
  topic: string;
  from: string;
  to: string;
}

export const kubernetesSettled = (f: Settled) =>
  new SlipwayError({
    code: "TALOS_KUBERNETES_SETTLED",
    what: `Cannot change the Kubernetes version of "${f.cluster}"`,
    why: `its nodes run Kubernetes ${f.from}, the file asks for ${f.to}; this version of Slipway cannot upgrade Kubernetes on Talos, and the new config alone would restart it on all nodes at once`,
    next: `Write kubernetes: ${f.from} for "${f.cluster}"`,
    ...(isNewer(f.to, f.from) && {
      else: `Upgrade it by hand: talosctl upgrade-k8s --to ${f.to}, and run "slipway up ${f.cluster}" afterwards`,
    }),
  });

export const talosSettled = (f: Settled) =>
  new SlipwayError({
    code: "TALOS_VERSION_SETTLED",
    what: `Cannot change the Talos version of "${f.cluster}"`,
    why: `its nodes run Talos ${f.from}, the file asks for ${f.to}; this version of Slipway cannot upgrade Talos on machines that exist`,
    next: `Write talos: { version: ${f.from} } for "${f.cluster}"`,
    ...(isNewer(f.to, f.from) && {
      else: `Upgrade by hand, one node after the other: talosctl upgrade --nodes ADDRESS --image INSTALLER:v${f.to}`,
    }),
  });

export const clusterSettled = (f: Settled) =>
  new SlipwayError({
    code: "TALOS_NETWORK_SETTLED",
    what: `Cannot change the ${f.topic} of "${f.cluster}"`,
    why: `it runs with ${f.from}, the file asks for ${f.to}; nodes, pods and certificates that exist keep the old one, so the cluster would fall apart`,
    next: `Put ${f.from === "none" ? "it as it was" : f.from} back into the file`,
    else: `Make the cluster anew: slipway down ${f.cluster}, then slipway up ${f.cluster}; what runs in it is lost`,
  });

export const configUnasked = (f: { cluster: string; node: string; fields: string[] }) =>
  new SlipwayError({
    code: "TALOS_CONFIG_UNASKED",
    what: `Cannot bring the config of "${f.node}" up to date`,
    why: `it did not answer when the plan was made; now it does, and differs in ${f.fields.slice(0, 3).join(", ")}${f.fields.length > 3 ? ` and ${f.fields.length - 3} more` : ""}, which may interrupt pods and was not asked for`,
    next: `Look at what would change and agree to it: slipway up ${f.cluster}`,
  });

/** Numbers part by part; what is no number counts as equal. */
function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(/[.-]/).map(Number));
  for (const [index, part] of (left ?? []).entries()) {
    const other = right?.[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}
