import { z } from "zod";
import {
  anyText,
  chartFieldsOfAddon,
  given,
  lazy,
  objectName,
  textField,
  yesOrNo,
} from "../../spec/index.ts";
import { credentialsField, gitCredentials, type GitCredentials, repositoryFolder } from "../common/index.ts";

export interface ArgocdOptions {
  /** Absent: Argo CD is installed and left alone. */
  repository?: { url: string; path: string; revision: string; credentials?: GitCredentials };
  /** The name of the application that brings all others. */
  application: string;
  /** Objects that leave the repository are removed from the cluster. */
  prune: boolean;
  selfHeal: boolean;
}

const repository = lazy(() =>
  z
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
      path: repositoryFolder("The folder that holds the applications.", "apps").prefault("."),
      branch: anyText({
        description: "The branch it follows. Left out: the one the server gives first.",
        examples: ["main"],
      }).optional(),
      revision: anyText({
        description: "Instead of a branch: a tag or commit.",
        examples: ["v1.4.0"],
      }).optional(),
      credentials: credentialsField.optional(),
    })
    .register(z.globalRegistry, {
      id: "argocdRepository",
      description: "Where the root application is. Left out: Argo CD is installed and nothing more.",
      examples: [{ url: "https://git.example.org/team/apps.git", path: "apps" }],
    }),
);

export const argocdSchema = lazy(() =>
  z
    .strictObject({
      repository: repository.optional(),
      application: objectName("The root application's name.", "root").prefault("root"),
      prune: yesOrNo({
        description: "What is removed from the repository is removed from the cluster too. Start without.",
      }).prefault(false),
      selfHeal: yesOrNo({ description: "Changes made by hand are reverted." }).prefault(true),
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, {
      id: "addon-argocd",
      description: "Keeps applications as Git repositories say, beginning with a root application.",
      examples: [{ repository: { url: "https://git.example.org/team/apps.git", path: "apps" } }],
    }),
);

export type WrittenArgocd = z.output<typeof argocdSchema>;

export const completeArgocd = (written: WrittenArgocd): ArgocdOptions => ({
  ...given({
    repository: written.repository && {
      url: written.repository.url,
      path: written.repository.path,
      revision: written.repository.revision ?? written.repository.branch ?? "HEAD",
      ...given({ credentials: gitCredentials(written.repository.credentials) }),
    },
  }),
  application: written.application,
  prune: written.prune,
  selfHeal: written.selfHeal,
});
