import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { errorData } from "../errors/index.ts";
import { writeTar } from "../lib/index.ts";
import type { EventBody } from "../plan/index.ts";
import type { Fleet, SourceFile } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { diagnoseFleet } from "./doctor.ts";
import { bundleLeaks } from "./errors.ts";
import { assemble } from "./planning/assemble.ts";
import { registerSecrets } from "./access/register-secrets.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import { verifyFleet } from "./verify.ts";

export interface BundleRequest {
  fleet: Fleet;
  selection: Selection;
  sources: SourceFile[];
  /** What runs Slipway: `node v24.1.0`. */
  runtime: string;
}

export interface SupportBundle {
  /** A tar archive, gzipped. */
  bytes: Buffer;
  files: string[];
}

interface Part {
  name: string;
  text: string;
}

const mostRuns = 10;

/** What others need to help, and nothing that would let them in. Reads only; what cannot be had is left out. */
export async function supportBundle(request: BundleRequest, world: World): Promise<SupportBundle> {
  const clusters = selectClusters(request.fleet, request.selection);
  const { distribution } = assemble(world, request.fleet);
  await registerSecrets(world);
  const parts: Part[] = [
    { name: "versions.json", text: json(versions(world, request.runtime)) },
    ...request.sources.map(({ file, text }) => ({ name: `file/${path.basename(file)}`, text })),
    ...(await journals(world.folder)),
    ...(await findings(request, world)),
    ...(await Promise.all(clusters.map((cluster) => distribution.logs(cluster, world.stop)))).flatMap(
      (logs, index) =>
        logs.map(({ node, name, text }) => ({
          name: `nodes/${clusters[index]?.name}/${node}/${name}`,
          text,
        })),
    ),
  ];
  // Only now, with every secret known that any part brought up.
  const clean = world.redaction.redact(parts);
  const leaking = clean.find(({ name, text }) =>
    world.redaction.secrets.some((secret) => `${name}${text}`.includes(secret)),
  );
  if (leaking) throw bundleLeaks(leaking.name);
  const all = [{ name: "README.txt", text: readme(clean) }, ...clean];
  const bytes = gzipSync(
    writeTar(all.map(({ name, text }) => ({ name: `slipway-support/${name}`, bytes: Buffer.from(text) }))),
  );
  return { bytes, files: all.map(({ name }) => name) };
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const versions = ({ slipway, clock }: World, runtime: string) => ({
  slipway,
  runtime,
  system: `${os.type()} ${os.release()} ${os.arch()}`,
  at: new Date(clock.now()).toISOString(),
});

async function journals(folder: string): Promise<Part[]> {
  const runs = path.join(folder, "runs");
  const names = (await fs.readdir(runs).catch(() => [])).filter((name) => name.endsWith(".ndjson"));
  return Promise.all(
    names
      .toSorted()
      .slice(-mostRuns)
      .map(async (name) => ({
        name: `runs/${name}`,
        text: await fs.readFile(path.join(runs, name), "utf8"),
      })),
  );
}

/** Doctor's walk and what verify sees without trying anything, told only to the bundle. */
async function findings({ fleet, selection }: BundleRequest, world: World): Promise<Part[]> {
  const clusters = selectClusters(fleet, selection).map(({ name }) => name);
  const [doctor, verify] = await Promise.all([
    toldBy(world, (quiet) => diagnoseFleet({ fleet, selection }, quiet)),
    toldBy(world, (quiet) => verifyFleet({ fleet, clusters }, quiet)),
  ]);
  return [
    { name: "doctor.ndjson", text: doctor },
    { name: "verify.ndjson", text: verify },
  ];
}

async function toldBy(world: World, run: (quiet: World) => Promise<unknown>): Promise<string> {
  const told: EventBody[] = [];
  try {
    await run({ ...world, tell: (event) => told.push(event) });
  } catch (thrown) {
    told.push({ type: "log", level: "error", text: JSON.stringify(errorData(thrown)) });
  }
  return told.map((event) => `${JSON.stringify(event)}\n`).join("");
}

const readme = (
  parts: Part[],
): string => `What Slipway knows about these clusters, made by "slipway support-bundle".

Secrets are taken out: every secret that Slipway has made or read is shown as (secret).
Names, addresses and what programs on the nodes logged are still in it. Read it before you send it.

${parts.map(({ name, text }) => `${String(Buffer.byteLength(text)).padStart(9)}  ${name}`).join("\n")}
`;
