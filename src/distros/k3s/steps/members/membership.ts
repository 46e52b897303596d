import { defineResource, same } from "../../../../plan/index.ts";
import { isStarting, type Guest } from "../../../linux-hosts/index.ts";
import { joiningFile } from "../../files/membership-file.ts";
import { k3sPaths } from "../../paths.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";

/** The first server, once it is not alone. */
export interface MembershipWant extends Guest {
  /** Where it may join when its disk is lost; the first is what it is told. */
  others: string[];
  /** The plan lets it start alone, so what it says now will not last. */
  isReset?: true | undefined;
}

interface MembershipHave {
  isJoining: boolean;
}

/**
 * The first server no longer says that it founds the cluster. While its database is there this is not read; on an empty
 * disk it decides between joining the others and founding a second cluster over them.
 */
export const k3sMembership = (access: K3sAccess) =>
  defineResource<MembershipWant, MembershipHave>({
    kind: "k3s/membership",

    async read(ctx, want) {
      try {
        const text = await access.using(want, (host) => host.read(k3sPaths.membershipFile, ctx.signal));
        return text === undefined ? undefined : { isJoining: want.others.some((one) => text === form(one)) };
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare: (want, { isJoining }) =>
      isJoining && !want.isReset
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [
              { field: `${want.node} on an empty disk`, from: "starts a cluster", to: "joins this one" },
            ],
          },

    create: (ctx, want) => write(access, want, ctx.signal),
    update: (ctx, want) => write(access, want, ctx.signal),
    remove: async () => {},
  });

const form = (address: string): string => joiningFile(serverUrl(address));

async function write(access: K3sAccess, want: MembershipWant, signal: AbortSignal): Promise<MembershipHave> {
  const [other = ""] = want.others;
  await access.using(want, (host) => host.write(k3sPaths.membershipFile, form(other), "0600", signal));
  return { isJoining: true };
}
