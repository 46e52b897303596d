import type { Check } from "../../../plan/index.ts";
import { bridgesOf } from "../../../spec/index.ts";
import { rightsMissing } from "./errors.ts";
import { failed, hostCheck, type HostView } from "./host-view.ts";

interface Need {
  role: string;
  /** Where it is asked for. */
  path: string;
  /** Where it is best granted. */
  grantAt: string;
  /** Each of them; `A|B` is satisfied by either. */
  rights: string[];
}

const machineRights = [
  "VM.Allocate",
  "VM.Audit",
  "VM.PowerMgmt",
  "VM.Config.CPU",
  "VM.Config.Disk",
  "VM.Config.HWType",
  "VM.Config.Memory",
  "VM.Config.Network",
  "VM.Config.Options",
];

/** What this cluster needs on this host. The names are the same in Proxmox 8 and 9. */
function needs(view: HostView): Need[] {
  const { pool, node, storage } = view.host.proxmox;
  const [first] = view.placed;
  const vms = pool === undefined ? `/vms/${first?.vmid ?? 100}` : `/pool/${pool}`;
  const bridges = bridgesOf(view.cluster).map((bridge) => `/sdn/zones/localnetwork/${bridge}`);
  return [
    { role: "SlipwayMachines", path: vms, grantAt: pool === undefined ? "/vms" : vms, rights: machineRights },
    storageNeed("SlipwayDisks", storage.disks, ["Datastore.AllocateSpace"]),
    storageNeed("SlipwayImages", storage.images, [
      "Datastore.AllocateTemplate",
      "Datastore.Audit|Datastore.AllocateSpace",
    ]),
    {
      role: "SlipwayNode",
      path: `/nodes/${node}`,
      grantAt: `/nodes/${node}`,
      rights: ["Sys.Audit", "Sys.AccessNetwork"],
    },
    ...bridges.map((path) => ({ role: "SlipwayNetwork", path, grantAt: path, rights: ["SDN.Use"] })),
  ];
}

const storageNeed = (role: string, storage: string, rights: string[]): Need => ({
  role,
  path: `/storage/${storage}`,
  grantAt: `/storage/${storage}`,
  rights,
});

/** Lists are silently empty without rights, so this is asked before any list is believed. */
export const rightsCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-rights", "Token has the rights it needs", async (ctx) => {
    const client = await view.client();
    const all = needs(view);
    const lacking = await Promise.all(
      all.map(async (need) => {
        const given = (await client.permissions(need.path, ctx.signal)).get(need.path) ?? new Set();
        return {
          ...need,
          rights: need.rights.filter((right) => !right.split("|").some((one) => given.has(one))),
        };
      }),
    );
    const missing = lacking.filter((need) => need.rights.length > 0);
    const count = all.reduce((sum, need) => sum + need.rights.length, 0);
    if (missing.length === 0) return { status: "ok", needed: `${count} rights`, found: "all" };
    const text = missing.map((need) => `${need.rights.map(plain).join(", ")} on ${need.grantAt}`).join("; ");
    const commands = missing.flatMap((need) => grant(need, all, client.tokenId));
    return failed(rightsMissing({ host: view.host, missing: text, commands }), { needed: `${count} rights` });
  });

const plain = (right: string): string => right.split("|")[0] ?? right;

/** A token has at most the rights of its user, so both get the role. */
function grant(missing: Need, all: Need[], tokenId: string): string[] {
  const whole = all.find(({ role, path }) => role === missing.role && path === missing.path) ?? missing;
  const user = tokenId.split("!")[0] ?? tokenId;
  return [
    `pveum role add ${whole.role} --privs "${whole.rights.map(plain).join(",")}"`,
    `pveum acl modify ${whole.grantAt} --users ${user} --tokens '${tokenId}' --roles ${whole.role}`,
  ];
}
