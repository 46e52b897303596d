import type { Guest } from "../../../linux-hosts/index.ts";
import type { K3sBundle } from "../../../../secrets/index.ts";
import type { K3sSettings } from "../../../../spec/index.ts";
import type { JoinTokens } from "../../files/config-file.ts";
import type { K3sRole } from "../../files/unit-file.ts";
import type { Recovery } from "../../../../plan/index.ts";

/** Another server of the file. */
export interface Peer extends Guest {
  /** Its machine was there before this run, so it may hold a cluster already. */
  isKnown: boolean;
}

/** K3s on one node. Complete but for the secrets, which the places in `config` stand for. */
export interface NodeWant extends Guest {
  role: K3sRole;
  version: string;
  /** Where agents join. */
  endpoint: string;
  vip?: string | undefined;
  /** It starts the cluster, if no server has. */
  isFirst?: true | undefined;
  /** The other servers, in the order of the file. */
  peers: Peer[];
  /** The text of config.yaml, with places for secrets. */
  config: string;
  registries?: Pick<K3sSettings, "registries" | "embeddedRegistry"> | undefined;
  /** What makes the servers answer at the VIP. */
  kubeVip?: string | undefined;
  /** The database of its cluster comes from a backup: the first server gets it, the others start over with that one. */
  recovery?: Recovery | undefined;
}

const places = { hash: "{ca-hash}", token: "{token}", agentToken: "{agent-token}" };

/** Stand for the secrets wherever a plan can be seen. They look like tokens, for parts of these are taken. */
export const tokenPlaces: JoinTokens = {
  token: `K10${places.hash}::server:${places.token}`,
  agentToken: `K10${places.hash}::node:${places.agentToken}`,
};

/** `caHash` is what the node knows its servers by. */
export const withTokens = (text: string, bundle: K3sBundle, caHash: string): string =>
  text
    .replaceAll(places.hash, caHash)
    .replaceAll(places.token, bundle.token)
    .replaceAll(places.agentToken, bundle.agentToken);
