import { Code, ConnectError } from "@connectrpc/connect";
import type { commonApi, machineApi } from "../../../clients/talos/index.ts";
import { receiving, unary } from "../api/targets.ts";
import { readSnapshot, type EtcdMemberState } from "../../etcd/index.ts";
import { controlPlaneCluster } from "./etcd-calls.ts";
import type { TalosCluster, TalosNode } from "../node.ts";

/** How a cluster begins: empty, or from the snapshot of an earlier one. */
export const bootstrapCalls = {
  bootstrap: unary(bootstrap),

  etcdRecover: receiving(async (node, parts: AsyncIterable<commonApi.Data>) => {
    const received: Uint8Array[] = [];
    for await (const { bytes } of parts) received.push(bytes);
    controlPlaneCluster(node, "etcd recover");
    // The folder a snapshot goes to is made when etcd first prepares, and stays.
    const { state } = node.services.get("etcd") ?? {};
    if (state === undefined || state === "Waiting" || state === "Starting") {
      throw new ConnectError("etcd service is not ready for recovery yet", Code.FailedPrecondition);
    }
    node.recovery = Buffer.concat(received);
    return {};
  }),
};

function bootstrap(node: TalosNode, request: machineApi.BootstrapRequest) {
  if (node.services.get("cri")?.isHealthy !== true) {
    throw new ConnectError("bootstrap is not available yet", Code.FailedPrecondition);
  }
  const cluster = controlPlaneCluster(node, "bootstrap");
  if (node.disk.etcdMemberId !== undefined) {
    throw new ConnectError("etcd data directory is not empty", Code.AlreadyExists);
  }
  if (node.stage === "installing") {
    if (node.minor >= 14) {
      throw new ConnectError("bootstrap is not available yet: install is pending", Code.FailedPrecondition);
    }
    // Accepted, and gone with the reboot that ends the installation.
    node.log("[talos] bootstrap request received");
    return {};
  }
  if (request.recoverEtcd) return recover(node, cluster, request);
  begin(node, (member) => cluster.bootstrap(member));
  return {};
}

/** What is wrong with a snapshot shows in the state of etcd, not in the answer. */
function recover(node: TalosNode, cluster: TalosCluster, request: machineApi.BootstrapRequest) {
  if (node.recovery === undefined) {
    throw new ConnectError("no etcd snapshot has been uploaded to this node", Code.FailedPrecondition);
  }
  const content = readSnapshot(node.recovery, !request.recoverSkipHashCheck);
  node.recovery = undefined;
  if (typeof content === "string") {
    node.services.set("etcd", "Failed", `Failed to restore the snapshot: ${content}`, false);
    return {};
  }
  begin(node, (member) => cluster.recover(member, content.kube));
  return {};
}

/** Until the new etcd has written its first data, the same call is taken again, and means the same. */
function begin(node: TalosNode, found: (member: EtcdMemberState) => void): void {
  // The service is stopped, and begins from the start.
  node.services.set("etcd", "Finished", "Bootstrap requested");
  node.services.set("etcd", "Starting", "Starting service");
  node.services.set("etcd", "Preparing", "Running pre state");
  node.founding = () => {
    const member = newMember(node, false);
    found(member);
    node.disk.etcdMemberId = member.id;
    node.save();
    node.cluster?.changed();
  };
  node.cluster?.changed();
}

/** What etcd would know of this node. Ids are random, as after a real join. */
export const newMember = (node: TalosNode, isLearner: boolean): EtcdMemberState => ({
  id: node.world.random.bytes(8).toString("hex"),
  name: node.hostname(),
  address: node.address(),
  isLearner,
});
