import { defineError } from "../../../errors/index.ts";

interface Fault {
  cluster: string;
  why: string;
  first: string;
}

export const unitsDown = defineError("VERIFY_K3S_NOT_RUNNING", (f: Fault) => ({
  what: `K3s does not run on every node of "${f.cluster}"`,
  why: f.why,
  next: `Read what it says there: slipway ssh ${f.cluster}/${f.first} -- sudo journalctl -u "k3s*" -b; "slipway up ${f.cluster}" starts it again`,
}));

export const votersMissing = defineError("VERIFY_K3S_ETCD_NOT_HEALTHY", (f: Omit<Fault, "first">) => ({
  what: `etcd of "${f.cluster}" is not healthy`,
  why: f.why,
  next: `Bring the missing servers back: slipway up ${f.cluster}`,
}));

export const apiUnreachable = defineError(
  "VERIFY_K3S_API_NOT_READY",
  (f: Omit<Fault, "first"> & { endpoint: string }) => ({
    what: `Cannot use the Kubernetes API of "${f.cluster}"`,
    why: f.why,
    next: `Find the cause: slipway doctor ${f.cluster}`,
    else: `Bring back what is missing: slipway up ${f.cluster}`,
    shared: f.endpoint,
  }),
);

export const wouldFound = defineError("VERIFY_K3S_WOULD_FOUND", (f: Fault) => ({
  what: `"${f.cluster}" could become two clusters`,
  why: `${f.why}: with an empty disk it would create a second one`,
  next: `Let Slipway write it again: slipway up ${f.cluster}`,
}));

export const clocksOff = defineError("VERIFY_K3S_CLOCKS_OFF", (f: Fault) => ({
  what: `Not every clock of "${f.cluster}" is right`,
  why: f.why,
  next: `See whether it reaches its time server: slipway ssh ${f.cluster}/${f.first} -- timedatectl timesync-status`,
}));
