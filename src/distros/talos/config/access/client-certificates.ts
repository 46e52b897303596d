import { issueCertificate, type Identity, type IssueOptions } from "../../../../pki/index.ts";
import type { Bundle } from "../../../../secrets/index.ts";

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
