import { X509Certificate } from "node:crypto";
import type { Identity } from "../../pki/index.ts";
import { caNames, type Bundle, type CaName, type CaRotation } from "./talos-bundle.ts";

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
  if (rotation.stage === "issue") return withRotation(bundle, { stage: "drop", previous: rotation.previous });
  return withRotation(bundle);
}

/**
 * One bundle from those that several control planes were made with, which differ while an authority is exchanged. The
 * newest that issues counts; another that is still known is to be dropped where one of them has dropped it, and where it is
 * newer: then its key was nowhere but in the secrets that are lost.
 */
export function joinBundles(first: Bundle, ...others: Bundle[]): Bundle {
  const all = [first, ...others];
  return caNames.reduce((bundle, name) => {
    const own = all.map((each) => each[name]).reduce((a, b) => (beginsAt(b.cert) > beginsAt(a.cert) ? b : a));
    const rivals = all.flatMap((each) => [each[name].cert, ...acceptedBeside(each, name)]);
    const previous = rivals.find((cert) => cert !== own.cert);
    const { [name]: _own, ...rest } = bundle.rotation ?? {};
    const isDropped =
      previous !== undefined &&
      (beginsAt(previous) > beginsAt(own.cert) ||
        all.some((each) => each[name].cert === own.cert && !acceptedBeside(each, name).includes(previous)));
    const rotation: Bundle["rotation"] =
      previous === undefined ? rest : { ...rest, [name]: { stage: isDropped ? "drop" : "issue", previous } };
    const { rotation: _old, ...plain } = bundle;
    return { ...plain, [name]: own, ...(Object.keys(rotation).length > 0 && { rotation }) };
  }, first);
}

const beginsAt = (cert: string): number => Date.parse(new X509Certificate(cert).validFrom);

/** Made by an exchange of this authority: of the same name, and another. */
export function isSibling(cert: string, of: string): boolean {
  try {
    const [one, other] = [new X509Certificate(cert), new X509Certificate(of)];
    return one.subject === other.subject && one.fingerprint256 !== other.fingerprint256;
  } catch {
    return false;
  }
}
