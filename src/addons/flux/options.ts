import { z } from "zod";
import {
  type AddonSurroundings,
  anyText,
  chartFieldsOfAddon,
  given,
  lazy,
  secretRef,
  type SecretRef,
  textField,
} from "../../spec/index.ts";
import {
  credentialsField,
  gitCredentials,
  type GitCredentials,
  repositoryFolder,
  secretPlace,
} from "../common/index.ts";

export interface FluxOptions {
  url: string;
  branch: string;
  /** A folder of the repository. */
  path: string;
  credentials?: GitCredentials;
  /** The key that opens what SOPS has encrypted for age. */
  ageKey?: SecretRef;
  /** Of Flux itself: `2.9.x` takes its patches as they come. */
  distribution: string;
  /** Where the images of its controllers come from. */
  registry: string;
}

const repositoryFields = () => ({
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
  branch: anyText({ description: "The branch it follows. Left out: main.", examples: ["main"] }).optional(),
  path: repositoryFolder(
    "The folder it applies. Left out: clusters/ and the cluster's name.",
    "clusters/homelab",
  ).optional(),
  credentials: credentialsField.optional(),
});

const repository = lazy(() =>
  z.strictObject(repositoryFields()).register(z.globalRegistry, {
    id: "fluxRepository",
    description:
      "What Flux keeps the cluster as. `url`, `branch`, `path` and `credentials` may also stand without it.",
    examples: [{ url: "https://git.example.org/team/fleet.git" }],
  }),
);

export const fluxSchema = lazy(() =>
  z
    .strictObject({
      repository: repository.optional(),
      ...z.strictObject(repositoryFields()).partial().shape,
      ageKey: secretPlace("The private age key that opens what SOPS encrypted.", "SOPS_AGE_KEY"),
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
    .register(z.globalRegistry, {
      id: "addon-flux",
      description:
        "Keeps the cluster as a Git repository says. `version` is that of Flux Operator, which runs it.",
      examples: [
        {
          repository: {
            url: "https://git.example.org/team/fleet.git",
            credentials: { password: { env: "GIT_TOKEN" } },
          },
        },
      ],
    }),
);

export type WrittenFlux = z.output<typeof fluxSchema>;

/** Also as it was written before it had a name. */
export function repositoryOf({ repository: written, url = "", branch, path, credentials }: WrittenFlux) {
  return written ?? { url, branch, path, credentials };
}

export function completeFlux(written: WrittenFlux, { cluster }: AddonSurroundings): FluxOptions {
  const { url, branch = "main", path = `clusters/${cluster}`, credentials } = repositoryOf(written);
  return {
    ...{ url, branch, path },
    ...given({
      credentials: gitCredentials(credentials),
      ageKey: written.ageKey && secretRef(written.ageKey),
    }),
    distribution: written.distribution,
    registry: written.registry,
  };
}
