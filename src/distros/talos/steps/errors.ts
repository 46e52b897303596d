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
