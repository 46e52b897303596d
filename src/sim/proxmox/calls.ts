/** What each call of the API does, by area. Every call of the table must have its handler here. */
import type { Handlers } from "./call.ts";
import { backupCalls } from "./backup/backup-calls.ts";
import { accessCalls } from "./access/access-calls.ts";
import { clusterCalls, sdnCalls } from "./nodes/cluster-calls.ts";
import { folderCalls } from "./folder-calls.ts";
import { groupCalls } from "./access/group-calls.ts";
import { haCalls } from "./ha/ha-calls.ts";
import { haRuleCalls } from "./ha/rule-calls.ts";
import { imageCalls } from "./storage/image-calls.ts";
import { nodeInfoCalls } from "./nodes/node-info-calls.ts";
import { nodeCalls } from "./nodes/node-calls.ts";
import { poolCalls } from "./access/pool-calls.ts";
import { realmCalls } from "./access/realm-calls.ts";
import { roleCalls } from "./access/role-calls.ts";
import { storageCalls } from "./storage/storage-calls.ts";
import { storageConfigCalls } from "./storage/definition-calls.ts";
import { taskCalls } from "./task-calls.ts";
import { userCalls } from "./access/user-calls.ts";
import { vmAgentCalls } from "./vm/agent-calls.ts";
import { vmCloneCalls } from "./vm/clone-calls.ts";
import { vmConfigCalls } from "./vm/config/config-calls.ts";
import { vmConsoleCalls } from "./vm/console-calls.ts";
import { vmCreateCalls } from "./vm/config/create-calls.ts";
import { vmGuestCalls } from "./vm/guest-calls.ts";
import { vmMoveDiskCalls } from "./vm/move-disk-calls.ts";
import { vmMigrateCalls } from "./vm/migrate-calls.ts";
import { vmPowerCalls } from "./vm/power-calls.ts";
import { vmSnapshotCalls } from "./vm/snapshot-calls.ts";
import { vmCalls } from "./vm/vm-calls.ts";

export const handlers: Handlers = {
  ...accessCalls,
  ...backupCalls,
  ...clusterCalls,
  ...folderCalls,
  ...groupCalls,
  ...haCalls,
  ...haRuleCalls,
  ...imageCalls,
  ...nodeCalls,
  ...nodeInfoCalls,
  ...poolCalls,
  ...realmCalls,
  ...roleCalls,
  ...sdnCalls,
  ...storageCalls,
  ...storageConfigCalls,
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
