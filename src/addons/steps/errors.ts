import { SlipwayError, type Position } from "../../errors/index.ts";

export const noApi = (cluster: string) =>
  new SlipwayError({
    code: "ADDON_NO_API",
    what: `Cannot reach the Kubernetes API of "${cluster}" for its add-ons`,
    why: "its secrets are not on this machine, so nobody can log in",
    next: `Bring .slipway/${cluster} to this machine, then run "slipway up ${cluster}" again`,
  });

export const valuesUnreadable = (f: { addon: string; file: string; isThere: boolean; at: Position }) =>
  new SlipwayError({
    code: "ADDON_VALUES_UNREADABLE",
    what: `Cannot read the values of add-on "${f.addon}"`,
    why: f.isThere
      ? `"${f.file}" does not hold a map of values`
      : `"${f.file}" is not there, or cannot be read`,
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

export const manifestsUnreadable = (f: { addon: string; place: string; cause: unknown }) =>
  new SlipwayError({
    code: "ADDON_MANIFESTS_UNREADABLE",
    what: `Cannot read the manifests of add-on "${f.addon}"`,
    why: `"${f.place}" is not there, or does not hold manifests`,
    next: `Name manifests that are there; files stand relative to the cluster file`,
    cause: f.cause,
  });
