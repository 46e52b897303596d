import { SlipwayError } from "../../../errors/index.ts";

interface Fault {
  cluster: string;
  why: string;
  first: string;
}

export const unitsDown = (f: Fault) =>
  new SlipwayError({
    code: "VERIFY_K3S_NOT_RUNNING",
    what: `Cannot find K3s running on every node of "${f.cluster}"`,
    why: f.why,
    next: `Read what it says there: slipway ssh ${f.cluster}/${f.first} -- sudo journalctl -u "k3s*" -b; "slipway up ${f.cluster}" starts it again`,
  });

export const votersMissing = (f: Omit<Fault, "first">) =>
  new SlipwayError({
    code: "VERIFY_K3S_ETCD_NOT_HEALTHY",
    what: `Cannot call etcd of "${f.cluster}" healthy`,
    why: f.why,
    next: `Bring the missing servers back: slipway up ${f.cluster}`,
  });

export const apiSilent = (f: Omit<Fault, "first"> & { endpoint: string }) =>
  new SlipwayError({
    code: "VERIFY_K3S_API_NOT_READY",
    what: `Cannot use the Kubernetes API of "${f.cluster}"`,
    why: f.why,
    next: `See who stands in the way: slipway doctor ${f.cluster}`,
    else: `Bring back what is missing: slipway up ${f.cluster}`,
    shared: f.endpoint,
  });

export const wouldFound = (f: Fault) =>
  new SlipwayError({
    code: "VERIFY_K3S_WOULD_FOUND",
    what: `Cannot be sure that "${f.cluster}" stays one cluster`,
    why: `${f.why}: with an empty disk it would found a second one`,
    next: `Let Slipway write it anew: slipway up ${f.cluster}`,
  });

export const certificatesEnding = (f: Fault) =>
  new SlipwayError({
    code: "VERIFY_K3S_CERTIFICATES_ENDING",
    what: `Cannot count on the certificates of "${f.cluster}" for long`,
    why: f.why,
    next: `Run this on one server after the other, K3s renews them when it starts: slipway ssh ${f.cluster}/${f.first} -- sudo systemctl restart k3s`,
  });

export const clocksOff = (f: Fault) =>
  new SlipwayError({
    code: "VERIFY_K3S_CLOCKS_OFF",
    what: `Cannot trust every clock of "${f.cluster}"`,
    why: f.why,
    next: `See whether it reaches its time server: slipway ssh ${f.cluster}/${f.first} -- timedatectl timesync-status`,
  });
