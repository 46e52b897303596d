import { defineError } from "../errors/index.ts";
import type { Problem } from "../spec/index.ts";

const mostTold = 5;

/** All that is wrong with an object, each with its path in it. */
export const objectInvalid = defineError(
  "CONTROLLER_INVALID",
  (object: string, problems: readonly Problem[]) => {
    const told = problems.slice(0, mostTold).map(({ position, what }) => `${pathIn(position.path)}: ${what}`);
    const more = problems.length - told.length;
    return {
      what: `Cannot use ${object}`,
      why: `${told.join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
      next: problems[0]?.next ?? "Correct it",
    };
  },
);

/** `clusters.lab.network.vip` of a file is `spec.cluster.network.vip` of an object. */
const pathIn = (path = ""): string =>
  path.replace(/^clusters\.[^.[]+/, "spec.cluster").replace(/^hosts/, "spec.hosts");

export const hostsMissing = defineError(
  "CONTROLLER_HOSTS_MISSING",
  (f: { cluster: string; hosts: string }) => ({
    what: `Cannot plan cluster "${f.cluster}"`,
    why: `there is no SlipwayHosts "${f.hosts}" in its namespace`,
    next: `Create it, or name another one in spec.hosts`,
  }),
);

export const secretMissing = defineError(
  "CONTROLLER_SECRET_MISSING",
  (f: { name: string; key: string; path: string }) => ({
    what: `Cannot read what "${f.path}" refers to`,
    why: `there is no key "${f.key}" in a Secret "${f.name}" of this namespace`,
    next: `Create it: kubectl create secret generic ${f.name} --from-literal=${f.key}=VALUE`,
  }),
);

/** An object is written by others than those who run the controller: it must not read their files or run programs. */
export const namesThisComputer = defineError("CONTROLLER_LOCAL_NAME", (f: { path: string }) => ({
  what: `Cannot take "${f.path}" from an object`,
  why: "it names a file, a program or a variable of the computer that the controller runs on",
  next: `Put the value into a Secret and write { secret: { name, key } }, or leave the field out`,
}));

export const documentPlain = defineError(
  "CONTROLLER_DOCUMENT_PLAIN",
  (f: { configMap: string; key: string }) => ({
    what: `Cannot take "${f.key}" from ConfigMap "${f.configMap}"`,
    why: "it is not encrypted, and a ConfigMap keeps no secrets",
    next: "Encrypt it with sops or age and name it so (secrets.sops.yaml, secrets.yaml.age), or put it into the cluster's Secret",
  }),
);

export const tooLargeForSecret = defineError(
  "CONTROLLER_SECRET_TOO_LARGE",
  (f: { name: string; bytes: number }) => ({
    what: `Cannot keep the files of a cluster in Secret "${f.name}"`,
    why: `they are ${f.bytes} bytes, and a Secret holds 1 MiB at most`,
    next: "Report this with the version of Slipway",
  }),
);

export const noLongerApproved = defineError(
  "CONTROLLER_NOT_APPROVED",
  (f: { cluster: string; namespace: string; digest: string }) => ({
    what: `Did not begin to change "${f.cluster}"`,
    why: "since the plan was approved something else has changed",
    next: `Look at the new plan, then approve it: kubectl -n ${f.namespace} annotate swc ${f.cluster} slipway.dev/approved-plan=${f.digest} --overwrite`,
  }),
);

export const noCustomResources = defineError("CONTROLLER_NO_CRDS", (f: { server: string }) => ({
  what: "Cannot start the controller",
  why: `${f.server} does not know the kind SlipwayCluster`,
  next: "Install the definitions first: kubectl apply --server-side -f deploy/crds",
}));

export const secretKeyUnfit = defineError("FLEET_SECRET_KEY_UNFIT", (f: { folder: string; key: string }) => ({
  what: `Cannot write a file for the key "${f.key}" of a Secret`,
  why: `it would lie outside of ${f.folder}/`,
  next: "Find out who made the Secret: no key of the controller leads elsewhere",
}));
