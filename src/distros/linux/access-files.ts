import { defineResource, same } from "../../plan/index.ts";
import type { KnownGuests, LinuxAccess } from "../linux-hosts/index.ts";

interface AccessHave {
  isCurrent: boolean;
}

/** The keys of the machines and of who logs in, and known_hosts for every tool that speaks SSH. */
export const linuxAccessFiles = (access: LinuxAccess) =>
  defineResource<KnownGuests, AccessHave>({
    kind: "linux/access",
    face: () => ({ label: "access files", uncounted: "access files", section: "secrets" }),

    async read(_ctx, want) {
      const isThere = want.nodes.some(({ firstContact }) => firstContact === undefined)
        ? (await access.knownHosts(want.cluster)) !== ""
        : (await access.world.keys.findLogin(want.cluster)) !== undefined;
      return isThere ? { isCurrent: await access.isKnownHostsCurrent(want) } : undefined;
    },

    compare: (_want, have) =>
      have.isCurrent
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "known_hosts", from: "out of date", to: "written again" }],
          },

    async create(_ctx, want) {
      await access.world.keys.login(want.cluster);
      await access.writeKnownHosts(want);
      return { isCurrent: true };
    },

    async update(_ctx, want) {
      await access.writeKnownHosts(want);
      return { isCurrent: true };
    },

    // Keys outlive the machines, as all secrets do: the same machines made again are known at once.
    remove: async () => {},
  });
