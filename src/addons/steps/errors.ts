import { defineError, type Position } from "../../errors/index.ts";

export const noApi = defineError("ADDON_NO_API", (cluster: string) => ({
  what: `Cannot reach the Kubernetes API of "${cluster}" for its add-ons`,
  why: "its secrets are not on this machine, so Slipway cannot log in",
  next: `Bring .slipway/${cluster} to this machine, then run "slipway up ${cluster}" again`,
}));

export const valuesUnreadable = defineError(
  "ADDON_VALUES_UNREADABLE",
  (f: { addon: string; file: string; isThere: boolean; at: Position }) => ({
    what: `Cannot read the values of add-on "${f.addon}"`,
    why: f.isThere
      ? `"${f.file}" does not hold a map of values`
      : `"${f.file}" is not there, or cannot be read`,
    next: `Correct "${f.file}", or take it out of the cluster file`,
    at: f.at,
  }),
  [{ isThere: false }],
);

export const addonNotHealthy = defineError(
  "ADDON_NOT_HEALTHY",
  (f: { cluster: string; addon: string; why: string }) => ({
    what: `Add-on "${f.addon}" of "${f.cluster}" is not healthy`,
    why: f.why,
    next: `See why with "slipway doctor ${f.cluster}"; "slipway up ${f.cluster}" goes on from here`,
  }),
);

export const manifestsUnreadable = defineError(
  "ADDON_MANIFESTS_UNREADABLE",
  (f: { addon: string; place: string; cause: unknown }) => ({
    what: `Cannot read the manifests of add-on "${f.addon}"`,
    why: `"${f.place}" is not there, or does not hold manifests`,
    next: `Name manifests that are there; paths are relative to the cluster file`,
    cause: f.cause,
  }),
);
