import { errorData } from "../../../errors/index.ts";
import type { Objection } from "../../../plan/index.ts";
import { caNames, isSibling, type Bundle, type CaName } from "../../../secrets/index.ts";
import {
  authoritiesIn,
  encodeMachineConfig,
  viewDocuments,
  stageReached,
  stageWanted,
  withRunningAuthority,
} from "../config/index.ts";
import { secretsOutdated } from "./errors.ts";

/** As people name them in a command. */
export const caArguments: Record<CaName, string> = { os: "talos", kubernetes: "kubernetes" };

export const caCommand = (ca: CaName, cluster: string): string =>
  `slipway rotate ca ${caArguments[ca]} ${cluster}`;

export const caTitles: Record<CaName, string> = { os: "Talos API CA", kubernetes: "Kubernetes CA" };

/** The config as wanted, with authorities that are being exchanged as the node has them: only a rotation moves them on. */
export function keepAuthorities(wanted: string, running: string, bundle: Bundle, node: string): string {
  const moving = caNames.filter((name) => bundle.rotation?.[name]);
  if (moving.length === 0 || running === "" || wanted === running) return wanted;
  const theirs = viewDocuments(running, node);
  return encodeMachineConfig(
    moving.reduce(
      (documents, name) => withRunningAuthority(documents, theirs, name),
      viewDocuments(wanted, node),
    ),
  );
}

/**
 * A node whose authorities are further than the secrets here, or others: somebody else has rotated them. With these
 * secrets the cluster would be led back to an authority that its clients may have lost already.
 */
export function authorityObjections(facts: {
  cluster: string;
  node: string;
  running: string;
  wanted: string;
  bundle: Bundle;
  file: string;
}): Objection[] {
  // What is wanted was made from these secrets.
  if (facts.running === facts.wanted) return [];
  const documents = viewDocuments(facts.running, facts.node);
  const asked = viewDocuments(facts.wanted, facts.node);
  return caNames.flatMap((name): Objection[] => {
    const found = authoritiesIn(documents, name);
    // Somebody may accept the authority of another cluster, and say so in the file.
    const own = authoritiesIn(asked, name).accepted;
    const accepted = found.accepted.filter(
      (cert) => !own.includes(cert) || isOfRotation(facts.bundle, name, cert),
    );
    if (found.issuing === "" || isKnown({ ...found, accepted }, facts.bundle, name)) return [];
    const topic = caTitles[name];
    const error = errorData(secretsOutdated({ ...facts, ca: topic }));
    return [{ topic, from: "a newer one", to: "the one in the secrets", consequence: "roll", error }];
  });
}

const otherOf = (bundle: Bundle, name: CaName): string | undefined => {
  const rotation = bundle.rotation?.[name];
  return rotation && (rotation.stage === "accept" ? rotation.next.cert : rotation.previous);
};

const isOfRotation = (bundle: Bundle, name: CaName, cert: string): boolean =>
  cert === bundle[name].cert || cert === otherOf(bundle, name);

function isKnown(found: ReturnType<typeof authoritiesIn>, bundle: Bundle, name: CaName): boolean {
  const reached = stageReached(found, bundle, name);
  const wanted = stageWanted(bundle, name);
  if (reached === undefined || reached > wanted || reached < wanted - 1) return false;
  return !found.accepted.some(
    (cert) => !isOfRotation(bundle, name, cert) && isSibling(cert, bundle[name].cert),
  );
}
