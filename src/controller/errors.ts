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

interface Document {
  /** `ConfigMap "lab"`. */
  source: string;
  key: string;
}

export const documentPlain = defineError("CONTROLLER_DOCUMENT_PLAIN", (f: Document) => ({
  what: `Cannot take "${f.key}" from ${f.source}`,
  why: "its name is not that of an encrypted file, and documents come from git",
  next: "Encrypt it with sops or age and name it so (secrets.sops.yaml, secrets.yaml.age), or put it into the cluster's Secret",
}));

export const documentClosed = defineError(
  "CONTROLLER_DOCUMENT_CLOSED",
  (f: Document & { why: string; isKeyMissing: boolean; cause: unknown }) => ({
    what: `Cannot open "${f.key}" of ${f.source}`,
    why: f.why,
    next: f.isKeyMissing
      ? "Encrypt it to the controller's key too (sops updatekeys), or put a key that fits into the Secret that spec.ageKey of the SlipwayHosts names"
      : "Look at what git holds and encrypt it anew from the last good one",
    cause: f.cause,
  }),
);

export const documentMissing = defineError(
  "CONTROLLER_DOCUMENT_MISSING",
  (f: { cluster: string; source: string; bundle: string; why: string }) => ({
    what: `Cannot take the secrets of "${f.cluster}" from ${f.source}`,
    why: `${f.why}; none are made in their place, as the cluster may have some already`,
    next: `Put ${f.bundle}, encrypted by sops or age, into it, or take spec.secrets.documents out to have new ones made`,
  }),
);

export const documentTwice = defineError(
  "CONTROLLER_DOCUMENT_TWICE",
  (f: Document & { secret: string; namespace: string; heldKey: string }) => ({
    what: `Cannot choose between "${f.key}" of ${f.source} and "${f.heldKey}" of Secret "${f.secret}"`,
    why: "both are the same file of the cluster, and they may differ",
    next: `Take out the one that is not to count: kubectl -n ${f.namespace} patch secret ${f.secret} --type=json -p '[{"op":"remove","path":"/data/${f.heldKey}"}]'`,
  }),
);

export const documentsShared = defineError("CONTROLLER_DOCUMENTS_SHARED", (f: { secret: string }) => ({
  what: `Cannot read documents from Secret "${f.secret}"`,
  why: "the controller keeps the files of the cluster in this one, and never writes where git does",
  next: "Name another Secret in spec.secrets.name, or in spec.secrets.documents.secret",
}));

export const ageKeyMissing = defineError(
  "CONTROLLER_AGE_KEY_MISSING",
  (f: { hosts: string; why: string }) => ({
    what: `Cannot open documents of clusters on SlipwayHosts "${f.hosts}"`,
    why: f.why,
    next: `Put the file that age-keygen makes into a Secret and name it in spec.ageKey: kubectl create secret generic sops-age --from-file=age.agekey=keys.txt`,
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
