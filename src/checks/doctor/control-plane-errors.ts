import { SlipwayError } from "../../errors/index.ts";
import type { Of } from "./errors.ts";

export const secretsMissing = (f: Of & { folder: string }) =>
  new SlipwayError({
    code: "DOCTOR_SECRETS_MISSING",
    what: `Nobody can log in on "${f.cluster}" from here`,
    why: `there is no secrets.yaml in "${f.folder}", and its nodes run`,
    next: `Put secrets.yaml back into "${f.folder}" from your backup`,
    else: `Take it from a running control plane: slipway adopt ${f.cluster} --talosconfig FILE`,
  });

export const etcdNotFounded = (f: Of & { node: string }) =>
  new SlipwayError({
    code: "DOCTOR_ETCD_NOT_FOUNDED",
    what: `etcd of "${f.cluster}" was never founded`,
    why: "all control planes run and wait for the one bootstrap call; the run that should have made it was cut",
    next: `Run "slipway up ${f.cluster}", which makes it once`,
  });

export const etcdNoQuorum = (f: Of & { up: number; all: number }) =>
  new SlipwayError({
    code: "DOCTOR_ETCD_NO_QUORUM",
    what: `etcd of "${f.cluster}" has no quorum`,
    why: `${f.up} of ${f.all} members answer, ${Math.floor(f.all / 2) + 1} are needed`,
    next: `Bring one more control plane back: slipway status ${f.cluster} shows which are away`,
  });

export const etcdAlarm = (f: Of & { node: string; alarm: string }) =>
  new SlipwayError({
    code: "DOCTOR_ETCD_ALARM",
    what: `etcd of "${f.cluster}" takes no more writes: alarm ${f.alarm}`,
    why:
      f.alarm === "no-space"
        ? "its database has reached its limit, and everything but deletions is refused"
        : "a member found that its data differs from the others'",
    next:
      f.alarm === "no-space"
        ? `Remove what is not needed, then run "talosctl -n ${f.node} etcd defrag" on each control plane and "talosctl -n ${f.node} etcd alarm disarm"`
        : `Replace the member that differs, one at a time, beginning with ${f.node}`,
  });

export const etcdNotStarting = (f: Of & { node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_ETCD_NOT_STARTING",
    what: `etcd on ${f.node} does not run`,
    why: f.why,
    next: /pull image/.test(f.why)
      ? `Let ${f.node} reach that registry, or name a mirror of it in the file under talos.registries, then run "slipway up ${f.cluster}"`
      : `See what it says: slipway console ${f.cluster}/${f.node}; correct what it names, then run "slipway up ${f.cluster}"`,
  });

export const etcdMemberLost = (f: Of & { node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_ETCD_MEMBER_LOST",
    what: `${f.node} is no member of etcd`,
    why: `the node answers, and its etcd says: ${f.why}`,
    next: `Wipe its copy, so that it joins anew: talosctl -n ${f.node} reset --graceful=false --reboot --system-labels-to-wipe EPHEMERAL`,
  });

export const apiForeign = (f: Of & { endpoint: string; folder: string }) =>
  new SlipwayError({
    code: "DOCTOR_API_FOREIGN",
    what: `The API at ${f.endpoint} is not that of "${f.cluster}"`,
    why: `its certificate was not issued by the authority in "${f.folder}": another cluster has the address, or these are other secrets`,
    next: `Put the secrets.yaml the cluster was made with into "${f.folder}"`,
    else: "Give the cluster an address that no other has, in the file: network.vip",
  });

export const apiServersDown = (f: Of & { node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_API_SERVERS_DOWN",
    what: `No API server of "${f.cluster}" runs, though etcd does`,
    why: f.why,
    next: `See what it said last: talosctl -n ${f.node} logs -k kube-system/kube-apiserver-${f.node}:kube-apiserver`,
  });

export const vipUnheld = (f: Of & { vip: string }) =>
  new SlipwayError({
    code: "DOCTOR_VIP_UNHELD",
    what: `No control plane of "${f.cluster}" took the VIP ${f.vip}`,
    why: "etcd and the API servers work, so the election does too: the card that should carry the VIP is not there, or is not in its network",
    next: `Compare the VIP's network with the cards: talosctl get addresses, and network.vip in the file; "slipway up ${f.cluster}" brings the file's settings`,
  });

export const endpointWrong = (f: Of & { endpoint: string }) =>
  new SlipwayError({
    code: "DOCTOR_ENDPOINT_WRONG",
    what: `The API servers of "${f.cluster}" run, but not behind ${f.endpoint}`,
    why: "asked directly the control planes answer; what stands between them and this address does not pass it on",
    next: `Look at the load balancer, DNS name or firewall of ${f.endpoint}, or correct the endpoint in the file`,
  });
