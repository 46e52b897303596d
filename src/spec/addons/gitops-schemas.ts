import { z } from "zod";
import { textField, yesOrNo } from "../field.ts";
import { anyText } from "../fields.ts";
import { secret, secretRef } from "../host-schema.ts";
import { given } from "../given.ts";
import { chartFieldsOfAddon, objectName } from "./common-fields.ts";
import type { ArgocdOptions, FluxOptions, GitCredentials } from "./model.ts";

const place = (description: string, example: string) =>
  secret.meta({ description, examples: [{ env: example }] }).optional();

const credentials = z
  .strictObject({
    username: anyText({
      description: "For HTTPS; most servers take any beside a token.",
      examples: ["git"],
    }).prefault("git"),
    password: place("The password or access token, for HTTPS.", "GIT_TOKEN"),
    sshKey: place("The private key, for SSH.", "GIT_SSH_KEY"),
    knownHosts: place("Lines of a known_hosts file with the server's keys, for SSH.", "GIT_KNOWN_HOSTS"),
    ca: place("Certificates of the authority that signed the server's, as PEM.", "GIT_CA"),
  })
  .meta({
    id: "gitCredentials",
    description: "How the Git server lets the cluster in. Left out: it lets in anybody.",
    examples: [{ password: { env: "GIT_TOKEN" } }],
  });

function gitCredentials(written: z.output<typeof credentials> | undefined): GitCredentials | undefined {
  if (!written) return undefined;
  const { username, password, sshKey, knownHosts, ca } = written;
  const refs = { password, sshKey, knownHosts, ca };
  return {
    username,
    ...Object.fromEntries(Object.entries(refs).flatMap(([key, ref]) => (ref ? [[key, secretRef(ref)]] : []))),
  };
}

const folder = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^(?!\/)(?!.*\.\.)\S+$/,
      code: "SPEC_BAD_NAME",
      isNot: "a folder of the repository",
      next: `Write it from the root of the repository without a slash in front, like ${example}`,
    },
  );

export const fluxSchema = z
  .strictObject({
    url: textField(
      {
        description: "The Git repository: https:// or ssh://.",
        examples: ["https://git.example.org/team/fleet.git"],
      },
      {
        // Flux does not take git@host:path.
        pattern: /^(https?|ssh):\/\/(?![^/]*:[^/]*@)\S+$/,
        code: "SPEC_BAD_URL",
        isNot: "the address of a Git repository that Flux takes",
        next: "Write https://HOST/PATH.git or ssh://git@HOST/PATH.git, without a password in it",
      },
    ),
    branch: anyText({ description: "The branch it follows.", examples: ["main"] }).prefault("main"),
    path: folder(
      "The folder it applies. Left out: clusters/ and the cluster's name.",
      "clusters/homelab",
    ).optional(),
    credentials: credentials.optional(),
    ageKey: place("The private age key that opens what SOPS encrypted.", "SOPS_AGE_KEY"),
    distribution: textField(
      { description: "The version of Flux; `x` for the newest.", examples: ["2.9.x"] },
      {
        pattern: /^2\.(x|\d+\.(x|\d+))$/,
        code: "SPEC_BAD_VERSION",
        isNot: "a version of Flux",
        next: "Write it like 2.9.x or 2.9.4",
      },
    ).prefault("2.9.x"),
    registry: anyText({
      description: "Where the images of its controllers come from.",
      examples: ["registry.example.org/fluxcd"],
    }).prefault("ghcr.io/fluxcd"),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-flux",
    description:
      "Keeps the cluster as a Git repository says. `version` is that of Flux Operator, which runs it.",
    examples: [
      { url: "https://git.example.org/team/fleet.git", credentials: { password: { env: "GIT_TOKEN" } } },
    ],
  });

export const completeFlux = (written: z.output<typeof fluxSchema>, cluster: string): FluxOptions => ({
  url: written.url,
  branch: written.branch,
  path: written.path ?? `clusters/${cluster}`,
  ...given({
    credentials: gitCredentials(written.credentials),
    ageKey: written.ageKey && secretRef(written.ageKey),
  }),
  distribution: written.distribution,
  registry: written.registry,
});

const repository = z
  .strictObject({
    url: textField(
      { description: "The Git repository.", examples: ["https://git.example.org/team/apps.git"] },
      {
        pattern: /^((https?|ssh):\/\/(?![^/]*:[^/]*@)\S+|[\w.-]+@[\w.-]+:\S+)$/,
        code: "SPEC_BAD_URL",
        isNot: "the address of a Git repository",
        next: "Write https://HOST/PATH.git or git@HOST:PATH.git, without a password in it",
      },
    ),
    path: folder("The folder that holds the applications.", "apps").prefault("."),
    revision: anyText({ description: "A branch, tag or commit.", examples: ["main"] }).prefault("HEAD"),
    credentials: credentials.optional(),
  })
  .meta({
    id: "argocdRepository",
    description: "What the root application brings. Left out: Argo CD is installed and nothing more.",
    examples: [{ url: "https://git.example.org/team/apps.git", path: "apps" }],
  });

export const argocdSchema = z
  .strictObject({
    repository: repository.optional(),
    application: objectName("The root application's name.", "root").prefault("root"),
    prune: yesOrNo({
      description: "What leaves the repository is removed from the cluster. Start without.",
    }).prefault(false),
    selfHeal: yesOrNo({ description: "What somebody changes by hand is put back." }).prefault(true),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-argocd",
    description: "Keeps applications as Git repositories say, beginning with a root application.",
    examples: [{ repository: { url: "https://git.example.org/team/apps.git", path: "apps" } }],
  });

export const completeArgocd = (written: z.output<typeof argocdSchema>): ArgocdOptions => ({
  ...given({
    repository: written.repository && {
      url: written.repository.url,
      path: written.repository.path,
      revision: written.repository.revision,
      ...given({ credentials: gitCredentials(written.repository.credentials) }),
    },
  }),
  application: written.application,
  prune: written.prune,
  selfHeal: written.selfHeal,
});
