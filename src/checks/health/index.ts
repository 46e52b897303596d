/** What a healthy cluster shows, one named check per file. They only look, but for the probes, which clean up. */
export { ageText, backupAge } from "./backup-age.ts";
export { byEnd, certificatesLive, endingSoon, lifeText } from "./certificates-live.ts";
export { cniReady } from "./cni-ready.ts";
export { dnsResolves } from "./dns-resolves.ts";
export { healthFacts, needsApi, type HealthFacts } from "./health-facts.ts";
export { kubernetesVersion } from "./kubernetes-version.ts";
export { machinesRun } from "./machines-run.ts";
export { nodesReady } from "./nodes-ready.ts";
export { planClean } from "./plan-clean.ts";
export { podsReach } from "./pods-reach.ts";
export { openProbes, type ClaimWish, type ProbeOptions, type Probes } from "./probes.ts";
export { storageWrites } from "./storage-writes.ts";
