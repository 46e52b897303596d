import { defineError } from "../errors/index.ts";

/** Told before anybody has looked at what is asked for, so it names nothing of this machine. */
export const foreignRequest = defineError("UI_FOREIGN", (which: string) => ({
  what: "Cannot answer this request",
  why: `its ${which} is not that of a page this dashboard has served`,
  next: "Use the address that slipway ui printed: type or paste it into the browser",
}));

export const noToken = defineError("UI_NO_TOKEN", () => ({
  what: "Cannot answer without the token of this dashboard",
  why: "the request carries none, or that of another start",
  next: "Use the address that slipway ui printed, with all that follows #",
}));

export const wrongMethod = defineError("UI_METHOD", (method: string, allowed: string) => ({
  what: `Cannot answer ${method} here`,
  why: `this address takes ${allowed}`,
  next: `Use ${allowed}`,
}));

export const notJson = defineError("UI_NOT_JSON", () => ({
  what: "Cannot read this request",
  why: "only a JSON object with the content type application/json is taken",
  next: "Report this with the version of Slipway if the dashboard itself sent it",
}));

export const tooLarge = defineError("UI_TOO_LARGE", (mostBytes: number) => ({
  what: "Cannot take this request",
  why: `it is larger than ${mostBytes / 1024} KiB`,
  next: "Report this with the version of Slipway if the dashboard itself sent it",
}));

export const nothingThere = defineError("UI_NOT_FOUND", () => ({
  what: "Cannot find what this address names",
  why: "the dashboard has nothing there",
  next: "Begin at the address that slipway ui printed",
}));

export const fieldWrong = defineError("UI_BAD_QUESTION", (field: string, wanted: string) => ({
  what: "Cannot answer this question",
  why: `"${field}" has to be ${wanted}`,
  next: "Try again after reloading the page: it may be older than the program that answers",
}));

export const readOnly = defineError("UI_READ_ONLY", (command: string) => ({
  what: "Cannot change anything from this dashboard",
  why: "it was started to look only",
  next: `Run in a terminal: ${command}`,
  else: "Start the dashboard with: slipway ui --allow-changes",
}));

export const changeUnderWay = defineError("UI_BUSY", (run: string) => ({
  what: "Cannot start another run now",
  why: `run ${run}, started from this dashboard, has not ended`,
  next: "Wait for it to end, or stop it",
}));

export const planForgotten = defineError("UI_PLAN_FORGOTTEN", () => ({
  what: "Cannot run this plan",
  why: "this dashboard has not shown it since it was started, or has shown many others since",
  next: "Make the plan again, read it, then approve it",
}));

export const nameNotTyped = defineError("UI_NAME_NOT_TYPED", (wanted: string) => ({
  what: "Nothing was changed",
  why: `the plan replaces or removes something, and "${wanted}" was not typed`,
  next: `Write ${wanted} to go on`,
}));

export const notStartedHere = defineError("UI_NOT_STARTED_HERE", (run: string) => ({
  what: `Cannot stop run ${run}`,
  why: "it has ended, or was not started from this dashboard",
  next: "Use Ctrl-C in the terminal that it was started in",
}));

export const portTaken = defineError("UI_PORT_TAKEN", (port: number, why: string, cause: unknown) => ({
  what: `Cannot listen on port ${port} of this machine`,
  why,
  next: "Leave --port out, or name one that is free",
  cause,
}));

export const pageMissing = defineError("UI_PAGE_MISSING", (folder: string, cause: unknown) => ({
  what: "Cannot serve the dashboard",
  why: `its page is not in "${folder}"`,
  next: "Install Slipway again; in a checkout run: npm run build",
  cause,
}));

export const noRunToExport = defineError(
  "UI_NO_RUN",
  (run: string | undefined) => ({
    what: run === undefined ? "Cannot find a run that has ended" : `Cannot find run "${run}"`,
    why:
      run === undefined
        ? "no journal in .slipway/runs holds one"
        : "no journal in .slipway/runs has this name",
    next: "Look at what is there: ls .slipway/runs",
  }),
  [undefined],
);

export const runNotEnded = defineError("UI_RUN_NOT_ENDED", (run: string) => ({
  what: `Cannot export run ${run}`,
  why: "it has not ended",
  next: "Wait for it to end, or watch it with: slipway ui",
}));

export const runTooLarge = defineError("UI_RUN_TOO_LARGE", (run: string, mostMiB: number) => ({
  what: `Cannot export run ${run}`,
  why: `its journal is larger than ${mostMiB} MiB, too much for a page`,
  next: "Use the journal itself, .slipway/runs, or: slipway support-bundle",
}));

export const exportLeaks = defineError("UI_EXPORT_LEAKS", (run: string) => ({
  what: `Cannot export run ${run}`,
  why: "a secret would still stand in it",
  next: "Report this with the version of Slipway; nothing was written",
}));
