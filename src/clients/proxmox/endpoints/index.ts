/**
 * The Proxmox VE calls Slipway knows, as data: paths, parameters, and who may call them. The client takes its types from
 * here, the simulated server its checks; a test holds every entry against the schema of the real servers.
 */
import { accessEndpoints } from "./access.ts";
import { clusterEndpoints } from "./cluster.ts";
import { haEndpoints } from "./ha.ts";
import { nodeEndpoints } from "./nodes.ts";
import { poolEndpoints } from "./pools.ts";
import { qemuEndpoints } from "./qemu.ts";
import { qemuAgentEndpoints } from "./qemu-agent.ts";
import { qemuConsoleEndpoints } from "./qemu-console.ts";
import { qemuCopyEndpoints } from "./qemu-copies.ts";
import { qemuMigrateEndpoints } from "./qemu-migrate.ts";
import { qemuStatusEndpoints } from "./qemu-status.ts";
import { sdnEndpoints } from "./sdn.ts";
import { storageEndpoints } from "./storage.ts";
import { taskEndpoints } from "./tasks.ts";
import type { ParamsOf } from "./schema.ts";

export const endpoints = {
  ...accessEndpoints,
  ...clusterEndpoints,
  ...haEndpoints,
  ...nodeEndpoints,
  ...poolEndpoints,
  ...qemuEndpoints,
  ...qemuAgentEndpoints,
  ...qemuConsoleEndpoints,
  ...qemuCopyEndpoints,
  ...qemuMigrateEndpoints,
  ...qemuStatusEndpoints,
  ...sdnEndpoints,
  ...storageEndpoints,
  ...taskEndpoints,
} as const;

/** A call as method and path template: `POST /nodes/{node}/qemu`. */
export type Call = keyof typeof endpoints;

/** The parameters of a call: those of its path, its query and its body together. */
export type Params<C extends Call> = ParamsOf<(typeof endpoints)[C]["params"]>;

export { configParams } from "./qemu-config.ts";
export { driveSlots } from "./common.ts";
export type {
  Check,
  Endpoint,
  EndpointTable,
  Param,
  ParamsOf,
  ParamTable,
  ParamValue,
  Property,
  PropertyAlias,
  PropertyTable,
} from "./schema.ts";
