import { z } from "zod";
import {
  type AddonDraft,
  anyText,
  lazy,
  type Problem,
  secret,
  secretRef,
  type SecretRef,
  textField,
} from "../../spec/index.ts";

/** How a Git server lets one in. */
export interface GitCredentials {
  /** For HTTPS. */
  username: string;
  password?: SecretRef;
  /** The private key, for SSH. */
  sshKey?: SecretRef;
  /** Lines of a known_hosts file, for SSH. */
  knownHosts?: SecretRef;
  /** Certificates of the authority that signed the server's, as PEM. */
  ca?: SecretRef;
}

export const secretPlace = (description: string, example: string) =>
  secret.meta({ description, examples: [{ env: example }] }).optional();

export const credentialsField = lazy(() =>
  z
    .strictObject({
      username: anyText({
        description: "For HTTPS; most servers take any beside a token.",
        examples: ["git"],
      }).prefault("git"),
      password: secretPlace("The password or access token, for HTTPS.", "GIT_TOKEN"),
      sshKey: secretPlace("The private key, for SSH.", "GIT_SSH_KEY"),
      knownHosts: secretPlace(
        "Lines of a known_hosts file with the server's keys, for SSH.",
        "GIT_KNOWN_HOSTS",
      ),
      ca: secretPlace("Certificates of the authority that signed the server's, as PEM.", "GIT_CA"),
    })
    .register(z.globalRegistry, {
      id: "gitCredentials",
      description: "How the Git server lets the cluster in. Left out: none is needed.",
      examples: [{ password: { env: "GIT_TOKEN" } }],
    }),
);

export function gitCredentials(
  written: z.output<typeof credentialsField> | undefined,
): GitCredentials | undefined {
  if (!written) return undefined;
  const { username, password, sshKey, knownHosts, ca } = written;
  const refs = { password, sshKey, knownHosts, ca };
  return {
    username,
    ...Object.fromEntries(Object.entries(refs).flatMap(([key, ref]) => (ref ? [[key, secretRef(ref)]] : []))),
  };
}

export const repositoryFolder = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^(?!\/)(?!.*\.\.)\S+$/,
      code: "SPEC_BAD_NAME",
      isNot: "a folder of the repository",
      next: `Write it from the root of the repository without a slash in front, like ${example}`,
    },
  );

interface Repository {
  url: string;
  credentials?: { sshKey?: unknown; knownHosts?: unknown; password?: unknown } | undefined;
}

/** What a Git server would refuse. */
export function gitProblems({ url, credentials }: Repository, place: AddonDraft["place"]): Problem[] {
  const isSsh = !/^https?:/.test(url);
  const problem = (what: string, next: string, ...field: string[]): Problem[] => [
    { code: "SPEC_GIT_CREDENTIALS", what, next, position: place(...field) },
  ];
  if (isSsh && !credentials?.sshKey)
    return problem(
      "Git over SSH needs a key",
      "Add credentials: { sshKey: { file: … }, knownHosts: { file: … } }",
      "url",
    );
  if (isSsh && !credentials?.knownHosts)
    return problem(
      "The keys of the Git server are not given, so any server could pose as it",
      'Add knownHosts: { file: … }; "ssh-keyscan HOST" shows what belongs into it',
      "credentials",
    );
  if (!isSsh && credentials?.sshKey)
    return problem(
      "A key is of no use with https",
      "Write password:, or an ssh:// address",
      "credentials",
      "sshKey",
    );
  return [];
}
