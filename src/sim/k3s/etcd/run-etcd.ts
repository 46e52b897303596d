import type { K3sCluster, Member } from "../cluster.ts";
import { memberName, writeDatabase } from "./database.ts";
import { Fatal } from "../journal.ts";
import { waitSaying, type Life } from "../life.ts";
import { paths } from "../paths.ts";
import { takeEncryption } from "../supervisor/encryption.ts";
import type { Place } from "../take-place.ts";

/** The server takes part in etcd. Resolves with its member once that votes and can be worked with. */
export async function startEtcd(life: Life, place: Place): Promise<Member> {
  const { host, journal, signal } = life;
  const { cluster } = place;
  const member = await memberOf(life, place);
  await host.clock.sleep(host.latencies.etcdJoinMs, signal);
  const encryption = takeEncryption(host, cluster);
  cluster.start({ memberId: member.id, journal, sinceMs: host.clock.now(), encryption });
  warnOfSlowDisk(life);
  // One who is removed meanwhile waits for nothing any more.
  const isGone = () => cluster.memberById(member.id) === undefined;
  const whyNot = () =>
    member.isLearner
      ? "this server has not yet been promoted from learner to voting member"
      : "context deadline exceeded";
  const isUsable = () => !member.isLearner && cluster.hasQuorum;
  await waitSaying(
    life,
    (either) => cluster.signals.until(() => isGone() || isUsable(), either),
    () => journal.info(`Failed to test data store connection: ${whyNot()}`),
  );
  if (!isGone()) journal.info("etcd data store connection OK");
  return member;
}

/** What it says of etcd before it hands out its tokens; who joins says nothing yet. */
export function announceEtcd({ journal }: Life, { memberId, isFounder }: Place): void {
  if (memberId !== undefined) journal.info("Starting etcd for existing cluster member");
  else if (isFounder) journal.info("Starting etcd for new cluster, cluster-reset=false");
}

async function memberOf(life: Life, place: Place): Promise<Member> {
  const { cluster, memberId } = place;
  if (memberId !== undefined) {
    const known = cluster.memberById(memberId);
    if (known === undefined) throw removedWhileAway(life, cluster);
    return known;
  }
  if (!place.isFounder) return joinMembers(life, cluster);
  return enter(life, cluster, { isLearner: false });
}

/** The others remember that this member was taken out, and tell it. */
function removedWhileAway(life: Life, cluster: K3sCluster): Fatal {
  const { host, node, address, journal } = life;
  const found = cluster.members.map(({ name, address: at }) => `${name}=https://${at}:2380`).join(" ");
  const self = `${memberName(host, node)}=https://${address}:2380`;
  journal.info(
    `Failed to test data store connection: this server is not a member of the etcd cluster. Found [${found}], expect: ${self}`,
  );
  leaveTombstone(life);
  return new Fatal("etcd stopped");
}

export function leaveTombstone({ host, journal }: Life): void {
  host.files.write(paths.tombstone, "", 0o600);
  journal.info("This node has been removed from the cluster - please restart k3s to rejoin the cluster");
}

/** etcd takes one at a time, and only while all its voters are there. */
async function joinMembers(life: Life, cluster: K3sCluster): Promise<Member> {
  const { host, journal, node, signal } = life;
  const name = memberName(host, node);
  for (;;) {
    if (cluster.members.some((other) => other.node === node && other.name !== name)) {
      host.files.remove(paths.etcdName);
      throw new Fatal(
        "etcd cluster join failed: duplicate node name found, please use a unique name for this node",
      );
    }
    const why = cluster.hasQuorum ? cluster.whyNoLearner() : "etcdserver: no leader";
    if (why === undefined) break;
    journal.info(
      why.endsWith("no leader")
        ? `Waiting to retrieve etcd cluster member list: failed to get MemberList from server: ${why}`
        : `Waiting for other members to finish joining etcd cluster: ${why}`,
    );
    await host.clock.sleep(1_000, signal);
  }
  const peers = cluster.members.map((other) => `${other.name}=https://${other.address}:2380`);
  const own = `${name}=https://${life.address}:2380`;
  journal.info(`Adding member ${own} to etcd cluster [${peers.join(" ")}]`);
  journal.info(`Starting etcd to join cluster with members [${[...peers, own].join(" ")}]`);
  return enter(life, cluster, { isLearner: true });
}

function enter(life: Life, cluster: K3sCluster, { isLearner }: { isLearner: boolean }): Member {
  const { host, node, address } = life;
  const id = host.random.bytes(8).toString("hex");
  const member = { id, name: memberName(host, node), node, address, isLearner };
  writeDatabase(host, cluster.id, member);
  cluster.addMember(member);
  return member;
}

function warnOfSlowDisk({ host, journal, node }: Life): void {
  const slow = host.faults.cluster.find("etcd-slow", { node });
  if (slow === undefined) return;
  const took = `${((slow.slowMs ?? 2_000) / 1000).toFixed(6)}s`;
  journal.etcd({ caller: "wal/wal.go:815", msg: "slow fdatasync", took, "expected-duration": "1s" });
  journal.etcd({
    caller: "txn/util.go:93",
    msg: "apply request took too long",
    took,
    "expected-duration": "100ms",
    prefix: "read-only range ",
    request: 'key:"/registry/health" ',
    response: "range_response_count:0 size:4",
  });
}
