import { isDeepStrictEqual } from "node:util";
import { Code, ConnectError } from "@connectrpc/connect";
import { parseAllDocuments } from "yaml";
import { machineApi } from "../../clients/talos/index.ts";
import { ConfigProblems } from "./node-config.ts";
import type { TalosNode } from "./node.ts";

const Mode = machineApi.ApplyConfigurationRequest_Mode;
type ApplyMode = machineApi.ApplyConfigurationRequest_Mode;

/** Sections of `machine` that a running node up to 1.13 takes without a reboot. */
const hotSections = new Set(
  "ca acceptedCAs time certSANs install network sysfs sysctls logging controlPlane kubelet kernel registries pods seccompProfiles nodeLabels nodeAnnotations nodeTaints features".split(
    " ",
  ),
);

/** Checks a config, stores it, and puts it into force the way the mode says. */
export function applyConfig(node: TalosNode, request: machineApi.ApplyConfigurationRequest) {
  const text = Buffer.from(request.data).toString("utf8");
  check(node, text);
  const mode = chooseMode(node, text, request.mode);
  const details = describe(mode, request.dryRun);
  if (!request.dryRun) put(node, text, mode);
  return { mode, modeDetails: details, warnings: [] };
}

function check(node: TalosNode, text: string): void {
  try {
    node.readConfig(text);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    throw new ConnectError(`configuration validation failed: ${error.message}`, Code.InvalidArgument);
  }
}

function chooseMode(node: TalosNode, text: string, asked: ApplyMode): ApplyMode {
  if (node.config === undefined) {
    if (node.minor < 13 && (asked === Mode.NO_REBOOT || asked === Mode.STAGED)) {
      throw new ConnectError("this mode is not implemented in maintenance mode", Code.Unimplemented);
    }
    return asked === Mode.REBOOT && node.minor >= 13 ? Mode.NO_REBOOT : asked;
  }
  const changed = changedColdSections(node.config.text, text);
  if (asked === Mode.NO_REBOOT && changed.length > 0) {
    throw new ConnectError(
      `this config change can't be applied in immediate mode: ${changed.join(", ")}`,
      Code.InvalidArgument,
    );
  }
  if (asked !== Mode.AUTO) return asked;
  return changed.length > 0 ? Mode.REBOOT : Mode.NO_REBOOT;
}

function changedColdSections(before: string, after: string): string[] {
  const [old, next] = [machineSection(before), machineSection(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names]
    .filter((name) => !hotSections.has(name) && !isDeepStrictEqual(old[name], next[name]))
    .map((name) => `.machine.${name}`);
}

function machineSection(text: string): Record<string, unknown> {
  const documents = parseAllDocuments(text).map(
    (document) => document.toJS() as { kind?: string; machine?: Record<string, unknown> } | null,
  );
  return documents.find((document) => document?.machine !== undefined)?.machine ?? {};
}

function describe(mode: ApplyMode, isDryRun: boolean): string {
  if (isDryRun) return "Dry run summary:\nthe configuration is valid";
  if (mode === Mode.REBOOT) return "Applied configuration with a reboot";
  if (mode === Mode.STAGED) return "Staged configuration to be applied after the next reboot";
  return "Applied configuration without a reboot";
}

function put(node: TalosNode, text: string, mode: ApplyMode): void {
  const isFirst = node.config === undefined;
  node.disk.config = text;
  node.save();
  node.log("[talos] apply config request: mode " + mode);
  if (isFirst) {
    // The life of the node waits for this; it leaves maintenance mode once the answer is on its way.
    setImmediate(() => node.changed());
    return;
  }
  if (mode === Mode.STAGED) return;
  if (mode === Mode.REBOOT) {
    setImmediate(() => node.end({ kind: "reboot" }));
    return;
  }
  node.configure(text);
}
