import { defineError } from "../../../errors/index.ts";
import type { Of } from "../errors.ts";

export const secretsMissing = defineError(
  "DOCTOR_SECRETS_MISSING",
  (f: Of & { folder: string; file: string; find: string | undefined }) => ({
    what: `Nothing here can log in to "${f.cluster}"`,
    why: `there is no ${f.file} in "${f.folder}", and its nodes run`,
    next: `Put ${f.file} back into "${f.folder}" from your backup`,
    else: f.find,
  }),
);

export const etcdNotFounded = defineError("DOCTOR_ETCD_NOT_FOUNDED", (f: Of & { node: string }) => ({
  what: `etcd of "${f.cluster}" was never bootstrapped`,
  why: "all control planes run and wait for the one bootstrap call; the run that should have made it was interrupted",
  next: `Run "slipway up ${f.cluster}", which makes it once`,
}));

export const etcdNoQuorum = defineError("DOCTOR_ETCD_NO_QUORUM", (f: Of & { up: number; all: number }) => ({
  what: `etcd of "${f.cluster}" has no quorum`,
  why: `${f.up} of ${f.all} members answer, ${Math.floor(f.all / 2) + 1} are needed`,
  next: `Bring one more control plane back: slipway status ${f.cluster} shows which are away`,
}));

export const etcdAlarm = defineError(
  "DOCTOR_ETCD_ALARM",
  (f: Of & { node: string; alarm: string; howToMakeRoom: string }) => ({
    what: `etcd of "${f.cluster}" takes no more writes: alarm ${f.alarm}`,
    why:
      f.alarm === "no-space"
        ? "its database has reached its limit, and everything but deletions is refused"
        : "a member found that its data differs from the others'",
    next:
      f.alarm === "no-space"
        ? `Remove what is not needed, then ${f.howToMakeRoom}`
        : `Replace the member that differs, one at a time, beginning with ${f.node}`,
  }),
  [{ alarm: "no-space" }],
);

export const etcdNotStarting = defineError(
  "DOCTOR_ETCD_NOT_STARTING",
  (f: Of & { node: string; why: string; registries: string }) => ({
    what: `etcd on ${f.node} does not run`,
    why: f.why,
    next: /pull image/.test(f.why)
      ? `Let ${f.node} reach that registry, or name a mirror of it in the file under ${f.registries}, then run "slipway up ${f.cluster}"`
      : `See what it says: slipway console ${f.cluster}/${f.node}; correct what it names, then run "slipway up ${f.cluster}"`,
  }),
  [{ why: "failed to pull image" }],
);

export const etcdMemberLost = defineError(
  "DOCTOR_ETCD_MEMBER_LOST",
  (f: Of & { node: string; why: string; howToRejoin: string }) => ({
    what: `${f.node} is not a member of etcd`,
    why: `the node answers, and its etcd says: ${f.why}`,
    next: f.howToRejoin,
  }),
);

export const apiForeign = defineError(
  "DOCTOR_API_FOREIGN",
  (f: Of & { endpoint: string; folder: string; file: string }) => ({
    what: `The API at ${f.endpoint} is not that of "${f.cluster}"`,
    why: `its certificate was not issued by the authority in "${f.folder}": another cluster has the address, or these are other secrets`,
    next: `Put the ${f.file} the cluster was made with into "${f.folder}"`,
    else: "Give the cluster an address that no other has, in the file: network.vip",
  }),
);

export const apiServersDown = defineError(
  "DOCTOR_API_SERVERS_DOWN",
  (f: Of & { why: string; logCommand: string }) => ({
    what: `No API server of "${f.cluster}" runs, though etcd does`,
    why: f.why,
    next: `See what it said last: ${f.logCommand}`,
  }),
);

export const vipUnheld = defineError("DOCTOR_VIP_UNHELD", (f: Of & { vip: string; addresses: string }) => ({
  what: `No control plane of "${f.cluster}" took the VIP ${f.vip}`,
  why: "etcd and the API servers work, so the election does too: the NIC that should carry the VIP is not there, or is not in its network",
  next: `Compare the VIP's network with the NICs: ${f.addresses}, and network.vip in the file; "slipway up ${f.cluster}" brings the file's settings`,
}));

export const endpointWrong = defineError("DOCTOR_ENDPOINT_WRONG", (f: Of & { endpoint: string }) => ({
  what: `The API servers of "${f.cluster}" run, but not behind ${f.endpoint}`,
  why: "asked directly the control planes answer; what is between them and this address does not forward it",
  next: `Look at the load balancer, DNS name or firewall of ${f.endpoint}, or correct the endpoint in the file`,
}));
