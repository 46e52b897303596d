import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { textField, yesOrNo } from "./fields/field.ts";
import { anyText, version } from "./fields/common-fields.ts";
import type { FirstContact } from "../model/image.ts";
import { httpsUrl } from "./fields/host-fields.ts";
import { secret } from "./host.ts";
import { nodeTalosFields } from "./node-talos.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";
import { certificate, certificateName, contract, registryHost } from "./fields/talos-fields.ts";

const firstContacts = ["console", "seed", "trust"] as const satisfies readonly FirstContact[];

export const architectures = ["amd64", "arm64"] as const;

const extension = textField(
  {
    description: "An official extension, with or without `siderolabs/` in front.",
    examples: ["qemu-guest-agent"],
  },
  {
    pattern: /^([a-z0-9-]+\/)?[a-z0-9][a-z0-9.-]*$/,
    code: "SPEC_BAD_NAME",
    isNot: "the name of an extension",
    next: "Write it as the image factory lists it, like qemu-guest-agent",
  },
);

const auth = lazy(() =>
  z
    .strictObject({
      username: anyText({ description: "Who asks.", examples: ["robot"] }).optional(),
      password: secret.optional(),
      token: secret.optional(),
    })
    .register(z.globalRegistry, {
      id: "registryAuth",
      description:
        "Who asks the registry: a user name and where its password is found, or where a token is found.",
      examples: [{ username: "robot", password: { env: "REGISTRY_PASSWORD" } }],
    }),
);

const registry = lazy(() =>
  z
    .strictObject({
      mirrors: z
        .array(
          httpsUrl(
            { description: "A mirror.", examples: ["https://mirror.example.org"] },
            "https://mirror.example.org",
            /^https?:\/\//i,
          ),
        )
        .optional()
        .register(z.globalRegistry, {
          description: "Asked first, in this order.",
          examples: [["https://mirror.example.org"]],
        }),
      overridePath: yesOrNo({
        description: "Ask mirrors exactly as they are written, without /v2 behind them.",
      }).optional(),
      skipFallback: yesOrNo({
        description: "Never ask the registry itself, not even when no mirror answers.",
      }).optional(),
      auth: auth.optional(),
      ca: certificate({
        description: "The authority that signs its certificate, as PEM text below `ca: |`.",
      }).optional(),
      insecure: yesOrNo({ description: "Trust any certificate it shows." }).optional(),
    })
    .register(z.globalRegistry, {
      id: "registry",
      description: "How images of one registry are fetched.",
      examples: [{ mirrors: ["https://mirror.example.org"] }],
    }),
);

export const registries = () =>
  z
    .record(registryHost, registry)
    .optional()
    .register(z.globalRegistry, {
      description: "How images are fetched, by the host of their registry; `*` is any other.",
      examples: [{ "docker.io": { mirrors: ["https://mirror.example.org"] } }],
    });

const diskKey = lazy(() =>
  oneKeyOf(
    z.strictObject({
      nodeId: yesOrNo({
        description:
          "A key made from the machine's identity: protects a disk that is taken out of its machine.",
      }).optional(),
      tpm: yesOrNo({
        description: "A key kept by the machine's TPM, which secure boot includes.",
      }).optional(),
      passphrase: secret.optional(),
      kms: httpsUrl(
        { description: "A key server that Talos can ask.", examples: ["https://kms.example.org"] },
        "https://kms.example.org",
      ).optional(),
    }),
    "nodeId: true, tpm: true, passphrase or kms",
  ).register(z.globalRegistry, {
    id: "diskKey",
    description: "What opens a partition.",
    examples: [{ nodeId: true }],
  }),
);

const encryption = lazy(() =>
  z
    .strictObject({
      state: diskKey
        .optional()
        .register(z.globalRegistry, { description: "The partition with the machine config." }),
      ephemeral: diskKey
        .optional()
        .register(z.globalRegistry, { description: "The partition with images, logs and etcd." }),
    })
    .register(z.globalRegistry, {
      id: "encryption",
      description: "Encryption of Talos's own partitions, chosen before they are first used.",
      examples: [{ state: { nodeId: true }, ephemeral: { nodeId: true } }],
    }),
);

export const talosSchema = z
  .strictObject({
    version: version(
      { description: "The version of Talos Linux, all three numbers.", examples: ["1.13.9"] },
      "1.13.9",
    ).prefault("1.13.9"),
    contract: contract.optional(),
    extensions: z
      .array(extension)
      .prefault([])
      .register(z.globalRegistry, {
        description: "System extensions baked into the image.",
        examples: [["qemu-guest-agent", "iscsi-tools"]],
      }),
    kernelArgs: z
      .array(anyText({ description: "One argument.", examples: ["net.ifnames=0"] }))
      .prefault([])
      .register(z.globalRegistry, {
        description: "Extra kernel arguments baked into the image.",
        examples: [["console=ttyS0"]],
      }),
    architecture: oneOf({ description: "Of the hosts' processors." }, architectures).prefault("amd64"),
    secureBoot: yesOrNo({
      description:
        "Start signed images only: another image, UEFI firmware and a TPM. Chosen before a machine is made.",
    }).prefault(false),
    factory: httpsUrl(
      { description: "The image factory to ask.", examples: ["https://factory.talos.dev"] },
      "https://factory.talos.dev",
    ).prefault("https://factory.talos.dev"),
    firstContact: oneOf(
      {
        description:
          "How a new node is recognized before it gets its config with the keys of the cluster. console: its certificate has the fingerprint that it prints on its serial console, read through the host. seed: it finds its config on a drive that the host gives it (libvirt). trust: the first machine that answers at its address is believed, even an attacker's.",
      },
      firstContacts,
    ).prefault("console"),
    ...nodeTalosFields,
    registries: registries(),
    encryption: encryption.optional(),
    certSANs: z
      .array(certificateName)
      .optional()
      .register(z.globalRegistry, {
        description:
          "Further names and addresses in the certificates of the control planes. The VIP and their own addresses are always there.",
        examples: [["k8s.example.org"]],
      }),
    workloadIsolation: yesOrNo({
      description:
        "From contract 1.14 on: isolate workloads from the node. Left out: yes, as Talos has it. Longhorn and agents that inspect the node need no.",
    }).optional(),
    discovery: yesOrNo({
      description: "Whether nodes find each other through discovery.talos.dev. Left out: yes.",
    }).optional(),
    kubeSpan: yesOrNo({ description: "Whether nodes talk through WireGuard. Left out: no." }).optional(),
  })
  .register(z.globalRegistry, {
    id: "talos",
    description: "Talos Linux: which version, with what in its image, and how it runs.",
    examples: [{ version: "1.13.9", extensions: ["qemu-guest-agent"] }],
  });

export type WrittenTalos = z.output<typeof talosSchema>;
