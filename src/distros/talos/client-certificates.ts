import type { Clock, Random } from "../../lib/index.ts";
import { issueCertificate, type Identity } from "../../pki/index.ts";
import type { Bundle } from "../../secrets/index.ts";

export interface IssueOptions {
  clock: Pick<Clock, "now">;
  random: Random;
}

const dayMs = 86_400_000;

/**
 * A client of the Talos API. Its roles stand in the organization.
 * The purpose must be clientAuth alone: from 1.12 a node refuses any other set.
 */
export const issueTalosClient = (
  bundle: Pick<Bundle, "os">,
  options: IssueOptions,
  roles: string[] = ["os:admin"],
): Promise<Identity> =>
  issueCertificate({
    authority: bundle.os,
    organizations: roles,
    usages: ["client"],
    notBefore: options.clock.now(),
    lifetimeMs: 365 * dayMs,
    random: options.random,
  });

/** The administrator of the Kubernetes API. Ten seconds old at birth, for clocks that lag a little. */
export const issueKubernetesAdmin = (
  bundle: Pick<Bundle, "kubernetes">,
  options: IssueOptions,
): Promise<Identity> =>
  issueCertificate({
    authority: bundle.kubernetes,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    isKeyEncipherment: true,
    notBefore: options.clock.now() - 10_000,
    lifetimeMs: 365 * dayMs,
    random: options.random,
  });
