import { defineError } from "../../../errors/index.ts";
import type { RenewablePart } from "../../../plan/index.ts";

export const secretsOutdated = defineError(
  "TALOS_SECRETS_OUTDATED",
  (f: { cluster: string; node: string; ca: string; file: string }) => ({
    what: `Cannot change "${f.cluster}" with these secrets`,
    why: `${f.node} has a ${f.ca} of which "${f.file}" knows nothing; it was rotated with other secrets than these`,
    next: "Get the file from where it was rotated: git pull, or copy it from that machine",
    else: `Where nobody has it, move the file away and read the secrets back: slipway secrets recover ${f.cluster}`,
  }),
);

export const renewedOtherwise = defineError(
  "TALOS_RENEWED_OTHERWISE",
  (f: { cluster: string; part: RenewablePart }) => ({
    what: `Cannot rotate the ${f.part.replace("-", " ")} of "${f.cluster}"`,
    why:
      f.part === "certificates"
        ? "Talos issues those of its nodes itself: the ones of its API every day, those of Kubernetes whenever a part of it starts"
        : "no supported way exists to exchange them while the nodes of Talos run",
    next:
      f.part === "certificates"
        ? `See when they end: slipway status ${f.cluster} --json`
        : `Replace who may speak to the nodes: slipway rotate ca talos ${f.cluster}`,
  }),
  [{ part: "certificates" }],
);
