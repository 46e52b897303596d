import { SlipwayError, type Position } from "../../errors/index.ts";

export const noApi = (cluster: string) =>
  new SlipwayError({
    code: "ADDON_NO_API",
    what: `Cannot reach the Kubernetes API of "${cluster}" for its add-ons`,
    why: "its secrets are not on this machine, so nobody can log in",
    next: `Bring .slipway/${cluster} to this machine, then run "slipway up ${cluster}" again`,
  });

export const valuesUnreadable = (f: { addon: string; file: string; at: Position }) =>
  new SlipwayError({
    code: "ADDON_VALUES_UNREADABLE",
    what: `Cannot read the values of add-on "${f.addon}"`,
    why: `"${f.file}" does not hold a map of values`,
    next: `Correct "${f.file}", or take it out of the cluster file`,
    at: f.at,
  });

export const addonNotHealthy = (f: { cluster: string; addon: string; why: string }) =>
  new SlipwayError({
    code: "ADDON_NOT_HEALTHY",
    what: `Cannot call add-on "${f.addon}" of "${f.cluster}" healthy`,
    why: f.why,
    next: `See why with "slipway doctor ${f.cluster}"; "slipway up ${f.cluster}" goes on from here`,
  });
