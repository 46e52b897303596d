import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { field, quote, type Refusal, refuse, refuseControl, wholeNumber, yesOrNo } from "./fields/field.ts";
import { anyText } from "./fields/common-fields.ts";
import { httpsUrl } from "./fields/host-fields.ts";
import { defaultK3s, k3sChannels, k3sReleases, resolveK3s } from "../values/k3s-versions.ts";
import { guestFields } from "./linux.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";
import { argumentName, certificateName } from "./fields/talos-fields.ts";
import { registries } from "./talos.ts";

const version = field(
  {
    type: "string",
    description: `The version of K3s, or a channel as this Slipway knows it: ${Object.keys(k3sChannels).join(", ")}, v1.36.`,
    examples: [defaultK3s, "stable"],
  },
  (written): string | Refusal => {
    const found = typeof written === "string" ? resolveK3s(written) : undefined;
    if (found !== undefined) return found;
    const isKubernetes = typeof written === "string" && /^v?\d+\.\d+\.\d+$/.test(written);
    return refuse(
      "SPEC_BAD_VERSION",
      typeof written === "number" ? "This is a number" : `${quote(written)} is not a version of K3s`,
      isKubernetes
        ? `Write which build of it is meant, like ${written.replace(/^v/, "")}+k3s1`
        : `Write it like ${k3sReleases.at(-1)}, or a channel: ${Object.keys(k3sChannels).join(", ")}, v1.36`,
    );
  },
);

const artifacts = lazy(() =>
  oneKeyOf(
    z.strictObject({
      url: httpsUrl(
        {
          description: "A mirror that keeps them below their version, as the release page does.",
          examples: ["https://mirror.example.org/k3s"],
        },
        "https://mirror.example.org/k3s",
      ).optional(),
      folder: anyText({
        description:
          "A folder on this machine with the files of the version under their own names. Relative to the cluster file.",
        examples: ["./k3s"],
      }).optional(),
    }),
    "url or folder",
  ).register(z.globalRegistry, {
    id: "k3sArtifacts",
    description: "Where the program and its checksums come from. Left out: where its makers publish them.",
    examples: [{ folder: "./k3s" }],
  }),
);

/** Lists repeat the flag. */
const flag = field(
  {
    type: ["string", "number", "boolean", "array"],
    description: "A value, or a list of them.",
    examples: [["max-pods=200"]],
  },
  (written): string | number | boolean | string[] | Refusal => {
    const refused = [written]
      .flat()
      .map(refuseControl)
      .find((each) => each !== undefined);
    if (refused) return refused;
    if (typeof written === "string" || typeof written === "number" || typeof written === "boolean")
      return written;
    if (Array.isArray(written) && written.every((each) => typeof each === "string")) return written;
    const what = `This is ${quote(written)}, not the value of a flag`;
    return refuse("SPEC_WRONG_TYPE", what, "Write a text, a number, true or false, or a list of texts");
  },
);

const flags = (description: string, example: Record<string, unknown>) =>
  z
    .record(argumentName, flag)
    .prefault({})
    .register(z.globalRegistry, { description, examples: [example] });

const snapshots = lazy(() =>
  z
    .strictObject({
      schedule: anyText({
        description: "When, as cron writes it. Left out: twice a day.",
        examples: ["0 */6 * * *"],
      }).optional(),
      keep: wholeNumber(
        { description: "How many each server keeps. Left out: 5.", examples: [10] },
        1,
        500,
      ).optional(),
    })
    .register(z.globalRegistry, {
      id: "k3sSnapshots",
      description: "Snapshots that K3s takes of etcd.",
      examples: [{ schedule: "0 */6 * * *", keep: 10 }],
    }),
);

export const packagedParts = [
  "coredns",
  "servicelb",
  "traefik",
  "local-storage",
  "metrics-server",
  "runtimes",
] as const;

export const k3sSchema = lazy(() =>
  z
    .strictObject({
      version: version.prefault(defaultK3s),
      ...guestFields,
      artifacts: artifacts.optional(),
      images: yesOrNo({
        description: "Bring the images K3s starts with along, for machines without a way out.",
      }).prefault(false),
      disable: z
        .array(oneOf({ description: "A packaged part." }, packagedParts))
        .prefault([])
        .register(z.globalRegistry, {
          description: "Packaged parts that are left out.",
          examples: [["traefik", "servicelb"]],
        }),
      flannel: oneOf({ description: "How Flannel carries packets between nodes; Cilium takes its place." }, [
        "vxlan",
        "host-gw",
        "wireguard-native",
      ]).prefault("vxlan"),
      encryption: yesOrNo({
        description: "Whether Kubernetes secrets are encrypted in etcd. Decided when the cluster is founded.",
      }).prefault(true),
      embeddedRegistry: yesOrNo({ description: "Nodes hand each other the images they have." }).prefault(
        false,
      ),
      registries: registries(),
      snapshots: snapshots.optional(),
      certSANs: z
        .array(certificateName)
        .optional()
        .register(z.globalRegistry, {
          description:
            "Further names and addresses in the certificate of the API. The VIP and the servers' own are always there.",
          examples: [["k8s.example.org"]],
        }),
      serverFlags: flags("Further flags of servers, as K3s spells them without dashes.", {
        "kube-apiserver-arg": ["audit-log-maxage=7"],
      }),
      agentFlags: flags("Further flags of all nodes, as `k3s agent` spells them without dashes.", {
        "kubelet-arg": ["max-pods=200"],
      }),
    })
    .register(z.globalRegistry, {
      id: "k3s",
      description: "Kubernetes by K3s on machines from a cloud image, which `image` or `from` names.",
      examples: [{ version: defaultK3s, user: "ubuntu", disable: ["traefik"] }],
    }),
);

export type WrittenK3s = z.output<typeof k3sSchema>;
