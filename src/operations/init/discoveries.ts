import type { ProxmoxSession } from "../../clients/proxmox/index.ts";
import type { Discovery } from "../../plan/index.ts";
import { existingDiscovery } from "../../providers/existing/index.ts";
import { libvirtDiscovery } from "../../providers/libvirt/index.ts";
import { proxmoxDiscovery } from "../../providers/proxmox/index.ts";
import type { Fleet, LibvirtHost } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { accountsOf, grantRights, type Granted } from "../access/grant.ts";

/** Every kind of hosts that can be met without a file, wired to the world. */
export const discoveriesIn = (world: World): Discovery[] => [
  proxmoxDiscovery({
    dial: world.dial,
    clock: world.clock,
    calls: world.calls,
    variable: (name) => world.resolveSecret({ env: name }, "the API token").catch(() => undefined),
    grant: (fleet, session) => grantAll(fleet, session, world),
  }),
  libvirtDiscovery({ open: (uri) => world.openLibvirt(unnamedHost(uri)) }),
  existingDiscovery,
];

/** A host that stands in no file yet. */
const unnamedHost = (uri: string): LibvirtHost => ({
  name: "host",
  provider: "libvirt",
  libvirt: { uri, pool: { name: "default" } },
  overcommit: { memory: 1, cores: 1 },
  at: { file: "slipway.yaml", line: 1, column: 1 },
});

/** All hosts that were found stand behind one address, so there is one account. Ended by nobody: its secret is told once. */
async function grantAll(fleet: Fleet, session: ProxmoxSession, { redaction }: World): Promise<Granted> {
  const [account] = accountsOf(fleet);
  if (!account) throw new Error("the file names no account");
  const granted = await grantRights(account, session, new AbortController().signal);
  if (granted.secret !== undefined) redaction.register(granted.secret);
  return granted;
}
