import type { FleetDraft } from "../../complete/draft.ts";
import { hostnameOf } from "../../model/host-kinds.ts";
import type { Jump } from "../../model/jump.ts";
import type { Problem } from "../../source/problem.ts";

/** Jump hosts that could lead nowhere. */
export const checkJumps = ({ hosts, clusters }: FleetDraft): Problem[] => [
  ...hosts.flatMap(({ host, document, path }) => [
    ...chain(host.jump),
    ...(host.jump !== undefined && hostnameOf(host) === undefined
      ? [
          {
            code: "SPEC_BAD_JUMP",
            what: `Host "${host.name}" is this very machine, no jump host leads to it`,
            next: "Remove jump, or write uri: qemu+ssh://USER@HOST/system",
            position: document.locateKey([...path, "jump"]),
          },
        ]
      : []),
  ]),
  ...clusters.flatMap(({ cluster }) => chain(cluster.network.jump)),
];

/** The ssh program can be started here only, not on a host that Slipway itself has logged in to. */
function chain(jump: Jump[] = []): Problem[] {
  const own = jump.findIndex(({ transport }) => transport === "builtin");
  const late = own === -1 ? undefined : jump.slice(own).find(({ transport }) => transport === "openssh");
  if (!late) return [];
  return [
    {
      code: "SPEC_BAD_JUMP",
      what: `Jump host "${late.host}" cannot be reached by openssh: one before it is builtin`,
      next: "Remove transport: builtin from the hosts before it",
      position: late.at,
    },
  ];
}
