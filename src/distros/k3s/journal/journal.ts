import { journalReasons, type JournalReason as ReasonOf } from "../../linux-hosts/index.ts";
import { journalRules, type JournalCode } from "./journal-rules.ts";

export type { JournalCode } from "./journal-rules.ts";

/** Why K3s does not come up, as far as its journal tells. */
export type JournalReason = ReasonOf<JournalCode>;

/** The reason in the lines of its journal. */
export const reasonIn = journalReasons<JournalCode>({
  rules: journalRules,
  isUp: /^k3s (agent )?is up and running$/,
  isStart: /^Starting k3s (agent )?v\d/,
  // It starts these only with what the server has told it: what it said about that server before is over.
  settles: {
    fits: /^(Running containerd |containerd is now running$|Running kubelet )/,
    codes: new Set(["K3S_SERVER_UNREACHABLE", "K3S_SERVER_NOT_READY"]),
  },
  nameOf: (written) => settingPlaces[/^\w+/.exec(written)?.[0] ?? ""] ?? written,
});

/** K3s names some settings by the place where it keeps them: `ClusterIPRanges.slice[0].IP.slice[13]`. */
const settingPlaces: Record<string, string> = {
  ClusterIPRange: "cluster-cidr",
  ClusterIPRanges: "cluster-cidr",
  ServiceIPRange: "service-cidr",
  ServiceIPRanges: "service-cidr",
  ClusterDNS: "cluster-dns",
  ClusterDNSs: "cluster-dns",
};
