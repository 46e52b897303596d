/** What each call of the API does, by area. Every call of the table must have its handler here. */
import type { Handlers } from "../call.ts";
import { accessCalls } from "./access.ts";
import { clusterCalls } from "./cluster.ts";
import { haCalls } from "./ha.ts";
import { haRuleCalls } from "./ha-rules.ts";
import { imageCalls } from "./images.ts";
import { nodeInfoCalls } from "./node-info.ts";
import { nodeCalls } from "./nodes.ts";
import { poolCalls } from "./pools.ts";
import { roleCalls } from "./roles.ts";
import { sdnCalls } from "./sdn.ts";
import { storageCalls } from "./storage.ts";
import { taskCalls } from "./tasks.ts";
import { userCalls } from "./users.ts";
import { vmAgentCalls } from "./vm-agent.ts";
import { vmCloneCalls } from "./vm-clone.ts";
import { vmConfigCalls } from "./vm-config.ts";
import { vmConsoleCalls } from "./vm-console.ts";
import { vmCreateCalls } from "./vm-create.ts";
import { vmGuestCalls } from "./vm-guest.ts";
import { vmMoveDiskCalls } from "./vm-move-disk.ts";
import { vmMigrateCalls } from "./vm-migrate.ts";
import { vmPowerCalls } from "./vm-power.ts";
import { vmSnapshotCalls } from "./vm-snapshots.ts";
import { vmCalls } from "./vms.ts";

export const handlers: Handlers = {
  ...accessCalls,
  ...clusterCalls,
  ...haCalls,
  ...haRuleCalls,
  ...imageCalls,
  ...nodeCalls,
  ...nodeInfoCalls,
  ...poolCalls,
  ...roleCalls,
  ...sdnCalls,
  ...storageCalls,
  ...taskCalls,
  ...userCalls,
  ...vmCalls,
  ...vmAgentCalls,
  ...vmCloneCalls,
  ...vmConfigCalls,
  ...vmConsoleCalls,
  ...vmCreateCalls,
  ...vmGuestCalls,
  ...vmMoveDiskCalls,
  ...vmMigrateCalls,
  ...vmPowerCalls,
  ...vmSnapshotCalls,
};
