import { X509Certificate } from "node:crypto";
import type { Identity } from "../../pki/index.ts";
import type { Bundle } from "./talos-bundle.ts";

/** The authorities of a bundle that can be exchanged while its cluster runs. */
export const caNames = ["os", "kubernetes"] as const;
export type CaName = (typeof caNames)[number];

/**
 * How far the exchange of an authority is, and the other one of the two. The bundle is written before a node learns of a
 * stage, so a node is as far as the bundle says, or one stage behind.
 */
export type CaRotation =
  /** Nodes accept the new one beside the old, which still issues. */
  | { stage: "accept"; next: Identity }
  /** The new one issues, the old is still accepted. */
  | { stage: "issue"; previous: string }
  /** The old one is accepted no more. */
  | { stage: "drop"; previous: string };

export const caStages = ["accept", "issue", "drop"] as const;
export type CaStage = (typeof caStages)[number];

/** What nodes accept beside the authority that issues. */
export function acceptedBeside(bundle: Pick<Bundle, "rotation">, name: CaName): string[] {
  const rotation = bundle.rotation?.[name];
  if (!rotation || rotation.stage === "drop") return [];
  return [rotation.stage === "accept" ? rotation.next.cert : rotation.previous];
}

/** Whom to trust while some nodes are a stage behind: PEM, the one that issues first. */
export const trusted = <Name extends CaName>(bundle: Pick<Bundle, Name | "rotation">, name: Name): string =>
  [bundle[name].cert, ...acceptedBeside(bundle, name)].join("");

/** The bundle one stage on; from the last one it is done with. `next` is used where the exchange begins. */
export function advanced(bundle: Bundle, name: CaName, next: Identity): Bundle {
  const { [name]: rotation, ...others } = bundle.rotation ?? {};
  const withRotation = (of: Bundle, stage?: CaRotation): Bundle => {
    const rest = stage ? { ...others, [name]: stage } : others;
    const { rotation: _old, ...plain } = of;
    return Object.keys(rest).length === 0 ? plain : { ...plain, rotation: rest };
  };
  if (!rotation) return withRotation(bundle, { stage: "accept", next });
  if (rotation.stage === "accept")
    return withRotation(
      { ...bundle, [name]: rotation.next },
      { stage: "issue", previous: bundle[name].cert },
    );
  if (rotation.stage === "issue")
    return withRotation(bundle, { stage: "drop", previous: rotation.previous });
  return withRotation(bundle);
}

/** What a control plane runs with, where its secrets are read back: the key of one that only is accepted is not on it. */
export function rotationFrom(issuing: string, accepted: string | undefined): CaRotation | undefined {
  if (accepted === undefined) return undefined;
  const isNewer = Date.parse(begins(issuing)) >= Date.parse(begins(accepted));
  return { stage: isNewer ? "issue" : "drop", previous: accepted };
}

const begins = (cert: string): string => new X509Certificate(cert).validFrom;

/** Made by an exchange of this authority: of the same name, and another. */
export function isSibling(cert: string, of: string): boolean {
  try {
    const [one, other] = [new X509Certificate(cert), new X509Certificate(of)];
    return one.subject === other.subject && one.fingerprint256 !== other.fingerprint256;
  } catch {
    return false;
  }
}
