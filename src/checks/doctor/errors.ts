import { SlipwayError } from "../../errors/index.ts";
import { either, listed } from "./words.ts";

/** The causes doctor can name. Each says what is wrong, how that is known, and one thing to do about it. */
interface Of {
  cluster: string;
}

export const unexplained = (f: Of & { symptom: string }) =>
  new SlipwayError({
    code: "DOCTOR_UNEXPLAINED",
    what: `Something is wrong with "${f.cluster}", and no question found the cause`,
    why: f.symptom,
    next: `Run "slipway doctor ${f.cluster} --log-level debug" and report what it prints`,
  });

export const notMadeYet = (cluster: string) =>
  new SlipwayError({
    code: "DOCTOR_NOT_MADE_YET",
    what: `"${cluster}" does not exist yet`,
    why: "no host of the file holds a machine with its mark, and nothing speaks against making them",
    next: `Run "slipway up ${cluster}"`,
  });

export const machineMissing = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_MACHINE_MISSING",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "has", "have")} no machine`,
    why: "no host of the file holds a machine with the mark; somebody removed it, or it was never made",
    next: `Run "slipway plan ${f.cluster}" to see what is missing, then "slipway up ${f.cluster}"`,
  });

export const secretsMissing = (f: Of & { folder: string }) =>
  new SlipwayError({
    code: "DOCTOR_SECRETS_MISSING",
    what: `Nobody can log in on "${f.cluster}" from here`,
    why: `there is no secrets.yaml in "${f.folder}", and its nodes run`,
    next: `Put secrets.yaml back into "${f.folder}" from your backup`,
    else: `Take it from a running control plane: slipway adopt ${f.cluster} --talosconfig FILE`,
  });

export const nodeSilent = (
  f: Of & {
    nodes: string[];
    addresses: string[];
    hosts: string[];
    answering: string[];
    reason: string;
    vlan: number | undefined;
  },
) =>
  new SlipwayError({
    code: "DOCTOR_NODE_SILENT",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs and does", "run and do")} not answer at ${listed(f.addresses)}`,
    why: `${f.reason}; ${f.answering.length === 0 ? "no node of the cluster answers" : `${listed(f.answering)} ${either(f.answering.length, "answers", "answer")}`}, the VM of ${f.nodes[0]} is as written and runs on ${listed(f.hosts)}`,
    next:
      f.vlan === undefined
        ? `Look at how it starts: slipway console ${f.cluster}/${f.nodes[0]}; without an address there, check the cable and switch port of ${f.hosts[0]}`
        : `Allow VLAN ${f.vlan} on the switch port of ${f.hosts[0]}; slipway console ${f.cluster}/${f.nodes[0]} shows whether it has an address`,
  });

export const nodeUnconfigured = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_UNCONFIGURED",
    what: `${listed(f.nodes)} never got ${either(f.nodes.length, "its", "their")} config`,
    why: "the system waits in maintenance mode: its making was cut, or its disk was wiped",
    next: `Run "slipway up ${f.cluster}", which goes on from there`,
  });

export const nodeForeign = (f: Of & { nodes: string[]; folder: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_FOREIGN",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} with secrets that are not in "${f.folder}"`,
    why: "its certificate was issued by another authority: these secrets are lost or others, or another cluster has the address",
    next: `Put the secrets.yaml the node was made with into "${f.folder}"`,
    else: `If another cluster has the address, give the node one of its own in the file and run "slipway up ${f.cluster}"`,
  });

export const machineDiffers = (f: Of & { node: string; field: string; from: string; to: string }) =>
  new SlipwayError({
    code: "DOCTOR_MACHINE_DIFFERS",
    what: `The VM of ${f.node} is not as the file says, and nobody reaches it`,
    why: `its ${f.field} is ${f.from}, the file says ${f.to}`,
    next: `Run "slipway up ${f.cluster}", which sets it right`,
  });

export const clockWrong = (f: Of & { node: string; seconds: number; isAhead: boolean }) =>
  new SlipwayError({
    code: "DOCTOR_CLOCK_WRONG",
    what: `The clock of ${f.node} is ${f.seconds}s ${f.isAhead ? "ahead" : "behind"}`,
    why: "certificates and etcd need clocks that agree",
    next: `Let ${f.node} reach a time server (UDP port 123), or name one of your own in the file: network.ntp`,
  });

export const systemComplains = (f: Of & { node: string; part: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_SYSTEM_COMPLAINS",
    what: `${f.part} on ${f.node} does not do its work`,
    why: f.why,
    next: `Look at its console: slipway console ${f.cluster}/${f.node}; correct what it names, then run "slipway up ${f.cluster}"`,
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

export const nodeNotReady = (f: Of & { node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_READY",
    what: `The kubelet of ${f.node} says that it is not ready`,
    why: f.why,
    next: `See its log: talosctl -n ${f.node} logs kubelet; a restart of the node often ends it: talosctl -n ${f.node} reboot`,
  });

export const nodeNotRegistered = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_REGISTERED",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "runs", "run")} and ${either(f.nodes.length, "is", "are")} not known to Kubernetes`,
    why: "the machine and its system answer, but its kubelet does not reach the API",
    next: `See what its kubelet says: talosctl -n ${f.nodes[0]} logs kubelet`,
  });

export const networkMissing = (f: Of) =>
  new SlipwayError({
    code: "DOCTOR_NETWORK_MISSING",
    what: `No pod network is installed in "${f.cluster}"`,
    why: "no daemon set writes a CNI config, so no node becomes Ready and no pod starts",
    next: `Run "slipway up ${f.cluster}", which installs the one in the file`,
  });

export const twoNetworks = (f: Of & { names: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_TWO_NETWORKS",
    what: `${listed(f.names)} both want to be the pod network of "${f.cluster}"`,
    why: "two agents write CNI configs on the same nodes, and the kubelet takes whichever it reads first",
    next: `Remove the one that is not in the file, for example: kubectl -n kube-system delete daemonset ${f.names.at(-1)}`,
  });

export const networkNotReady = (f: Of & { agent: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_NETWORK_NOT_READY",
    what: `The pod network "${f.agent}" does not come up on every node`,
    why: f.why,
    next: /KubePrism|7445/.test(f.why)
      ? `Let the agent reach the API through KubePrism (machine.features.kubePrism, port 7445): run "slipway up ${f.cluster}", or take the patch that switches it off out of the file`
      : `See what its agent says: kubectl -n kube-system logs daemonset/${f.agent} --all-containers`,
  });

export const servingCertificatePending = (f: Of & { nodes: string[]; hasApprover: boolean }) =>
  new SlipwayError({
    code: "DOCTOR_CERTIFICATE_PENDING",
    what: `Nobody approved the serving ${either(f.nodes.length, "certificate", "certificates")} of ${listed(f.nodes)}`,
    why: f.hasApprover
      ? "the approver of the file is installed and has not approved them: it may not run, or the names do not fit"
      : "kubelets ask for one when rotation is on, and this cluster has no approver; logs, exec and metrics fail until then",
    next: f.hasApprover
      ? "See what the approver says: kubectl -n kube-system logs deployment/kubelet-csr-approver"
      : `Add kubelet-csr-approver to the add-ons in the file, then run "slipway up ${f.cluster}"`,
    else: "Approve them by hand, once: kubectl certificate approve NAME (names: kubectl get csr)",
  });

export const cloudControllerMissing = (f: Of & { nodes: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_CLOUD_CONTROLLER_MISSING",
    what: `${listed(f.nodes)} ${either(f.nodes.length, "waits", "wait")} for a cloud controller that is not there`,
    why: "the kubelets run with an external cloud provider and keep pods away until one greets them",
    next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
  });

export const nodeNotGreeted = (f: Of & { nodes: string[]; isDenied: boolean; line: string }) =>
  new SlipwayError({
    code: "DOCTOR_NODE_NOT_GREETED",
    what: `The cloud controller does not find the machine of ${listed(f.nodes)}`,
    why: f.isDenied
      ? `Proxmox refuses its token${f.line === "" ? "" : `: ${f.line}`}`
      : `${f.line === "" ? "it runs and says nothing of them" : f.line}; it looks for a machine called as the node, with the same UUID`,
    next: f.isDenied
      ? `Give it a fresh token: slipway proxmox rotate ${f.cluster}`
      : `Compare the VM's name in Proxmox with the node's; "slipway up ${f.cluster}" sets it right`,
  });

export const zoneMissing = (f: Of & { node: string }) =>
  new SlipwayError({
    code: "DOCTOR_ZONE_MISSING",
    what: `${f.node} has no zone, and Proxmox CSI makes no volume without one`,
    why: "the label topology.kubernetes.io/zone is set by the cloud controller when it greets a node",
    next: `Add proxmox-ccm to the add-ons in the file, then run "slipway up ${f.cluster}"`,
  });

export const dnsMissing = (f: Of) =>
  new SlipwayError({
    code: "DOCTOR_DNS_MISSING",
    what: `"${f.cluster}" has no cluster DNS`,
    why: "no workload in kube-system carries the label k8s-app=kube-dns",
    next: `Run "slipway up ${f.cluster}"; Talos brings CoreDNS unless a patch switches it off`,
  });

export const dnsSilent = (f: Of & { pod: string; node: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_DNS_NOT_READY",
    what: `Cluster DNS runs, and ${f.pod} on ${f.node} does not answer for it`,
    why: f.why,
    next: `See what it says: kubectl -n kube-system logs ${f.pod}; often the servers it forwards to do not answer`,
  });

export const podNetworkBroken = (
  f: Of & { node: string; others: string[]; why: string; mtu: number | undefined },
) =>
  new SlipwayError({
    code: "DOCTOR_POD_NETWORK_BROKEN",
    what: `Pods on ${f.node} are not reached from other nodes`,
    why: `${f.why}; the agents run, so packets are lost on the way between ${f.node} and ${listed(f.others)}`,
    next: `Let the nodes reach each other on the network's port (VXLAN: UDP 8472 or 4789, Geneve: UDP 6081), and compare the MTU of their cards${f.mtu === undefined ? "" : ` (the file says ${f.mtu})`}`,
  });

export const storageClassMissing = (
  f: Of & { claim: string; storageClass: string; classes: string; why: string },
) =>
  new SlipwayError({
    code: "DOCTOR_STORAGE_CLASS_MISSING",
    what: `Claim ${f.claim} asks for a storage class that is not there`,
    why: `it wants "${f.storageClass}", the cluster has ${f.classes}`,
    next: `Add what brings "${f.storageClass}" to the add-ons in the file and run "slipway up ${f.cluster}", or make the claim anew with another class`,
  });

export const claimPending = (f: Of & { claim: string; storageClass: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_CLAIM_PENDING",
    what: `Claim ${f.claim} gets no volume`,
    why: f.why,
    next: `Look at the provisioner of storage class "${f.storageClass}": kubectl describe storageclass ${f.storageClass} names it`,
  });

export const releaseStuck = (f: Of & { name: string; namespace: string; status: string }) =>
  new SlipwayError({
    code: "DOCTOR_RELEASE_STUCK",
    what: `Helm release ${f.namespace}/${f.name} is ${f.status}`,
    why:
      f.status === "failed"
        ? "its last change did not go through, and no later one made it good"
        : "somebody was cut off in the middle of it, and Helm refuses every change until that is cleared",
    next: `Run "slipway up ${f.cluster}", which clears releases of its own and goes on`,
    else: `One that is not Slipway's: helm -n ${f.namespace} rollback ${f.name}`,
  });

export const apiServiceDown = (f: Of & { name: string; service: string; why: string; held: string[] }) =>
  new SlipwayError({
    code: "DOCTOR_API_EXTENSION_DOWN",
    what: `The API extension ${f.name} does not answer`,
    why: `${f.why}${f.held.length > 0 ? `; ${listed(f.held)} cannot end while it is listed` : ""}`,
    next: `Bring back what serves it (${f.service}), or if that was removed for good: kubectl delete apiservice ${f.name}`,
  });

export const namespaceStuck = (f: Of & { name: string; why: string }) =>
  new SlipwayError({
    code: "DOCTOR_NAMESPACE_STUCK",
    what: `Namespace ${f.name} was ended and does not go`,
    why: f.why,
    next: `Bring back the program that should clear these objects, or remove their finalizers: kubectl -n ${f.name} get all`,
  });

export const twoOwners = (f: Of & { addon: string; other: string; object: string }) =>
  new SlipwayError({
    code: "DOCTOR_TWO_OWNERS",
    what: `Slipway and ${f.other} both keep add-on "${f.addon}"`,
    why: `${f.object} carries the mark of ${f.other}, and the file says the add-on is Slipway's: each reverts the other, and an upgrade brings back the older version`,
    next: `Hand it over: write owner: gitops at the add-on in the file, then run "slipway up ${f.cluster}"; nothing is removed`,
    else: `Keep it Slipway's: take it out of ${f.other}'s repository without pruning it`,
  });
