import type { Asking, Discovered } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import { problemsError } from "../spec/index.ts";
import { loadFleetText } from "./fleet/load-fleet.ts";
import { askCluster } from "./init/ask-cluster.ts";
import { discoveriesIn } from "./init/discoveries.ts";
import { fileText } from "./init/file-text.ts";
import type { OpenWorld, ProposedFile } from "./init/proposal.ts";
import { lookAtMachines } from "./init/machines.ts";
import { notWritten } from "./init/errors.ts";
import { writeInitFiles } from "./init/write-files.ts";

export interface InitRequest {
  /** The cluster file to be written. */
  file: string;
  asking: Asking;
  openWorld: OpenWorld;
  /** The cluster file as JSON Schema, for editors. */
  schema: string;
}

export interface InitReport {
  file: string;
  lines: number;
  cluster: string;
  hosts: string[];
  /** What was made on the hosts. */
  made: string[];
  /** What was written, the cluster file first. */
  written: string[];
}

/** Makes a first cluster file by asking and looking. Until all is answered, nothing is changed anywhere. */
export async function initFleet(request: InitRequest): Promise<InitReport> {
  const { file, asking, openWorld } = request;
  const world = openWorld({ clusters: [], hosts: [] });
  const all = discoveriesIn(world);
  const kind = await asking.ask({
    key: "on",
    text: "What do your machines run on?",
    proposal: all[0]?.kind,
    choices: all.map((each) => ({ value: each.kind, label: each.label })),
    details: ["No hardware yet? Ctrl-C, then: slipway init --example quickstart"],
  });
  const found = await all.find((each) => each.kind === kind)?.discover(asking);
  if (!found) throw new Error(`nothing is called ${kind}`);
  try {
    const cluster = await askCluster(found, asking, world);
    const draft: ProposedFile = { found, cluster };
    const proposed = found.machines
      ? { ...draft, machines: await lookAtMachines(draft, asking, openWorld) }
      : draft;
    const text = fileText(proposed);
    const fleet = await demandValid(text, file);
    await demandAgreement(found, text, request);
    // From here on it is soon over: a Ctrl-C must not lose the secret of an account that was just made.
    const access = await found.access?.make(fleet);
    const written = await writeInitFiles({
      file,
      text,
      schema: request.schema,
      secrets: access?.files ?? [],
    });
    return {
      ...{ file, lines: text.split("\n").length - 1, cluster: cluster.name, written },
      hosts: found.hosts.map(({ name }) => name),
      made: access?.made ?? [],
    };
  } finally {
    found.close();
  }
}

/** What is proposed must be what `validate` accepts; a mistake in it comes from an answer. */
async function demandValid(text: string, file: string): Promise<Fleet> {
  const loaded = await loadFleetText(text, file);
  if ("problems" in loaded) throw problemsError(loaded.problems);
  return loaded.fleet;
}

async function demandAgreement(
  { access }: Discovered,
  text: string,
  { file, asking }: InitRequest,
): Promise<void> {
  const answer = await asking.ask({
    key: "write",
    text: `Write ${file}${access ? ", and make what it needs" : ""}?`,
    details: [
      ...text
        .trimEnd()
        .split("\n")
        .map((line) => `  ${line}`),
      ...(access ? [`also: ${access.what}`] : []),
    ],
    proposal: "yes",
    refuse: (given) => (/^(y|yes|n|no)$/i.test(given) ? undefined : 'is neither "yes" nor "no"'),
  });
  asking.signal.throwIfAborted();
  if (/^n/i.test(answer)) throw notWritten(file);
}
