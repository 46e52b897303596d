import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { machineApi } from "../../../clients/talos/index.ts";
import { inNextTurn } from "../../../lib/index.ts";
import { ConfigProblems } from "./problems.ts";
import type { TalosNode } from "../node.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { fieldsAt, isFields, type Fields } from "./fields.ts";

const Mode = machineApi.ApplyConfigurationRequest_Mode;
type ApplyMode = machineApi.ApplyConfigurationRequest_Mode;

const modeName = (mode: ApplyMode): string => {
  const name = Object.entries(Mode).find(([, number]) => number === mode)?.[0] ?? "unknown";
  return name.toLowerCase().replace("_", "-");
};

const defaultTryMs = 60_000;

/** Checks a config, stores it, and puts it into force the way the mode says. */
export function applyConfig(node: TalosNode, request: machineApi.ApplyConfigurationRequest) {
  if (node.isEnding) {
    throw new ConnectError(
      "configuration was already applied and node is rebooting, cannot apply more configuration changes until next reboot",
      Code.FailedPrecondition,
    );
  }
  const text = Buffer.from(request.data).toString("utf8");
  check(node, text);
  const mode = chooseMode(node, text, request.mode);
  const tryMs = request.tryModeTimeout === undefined ? defaultTryMs : durationMs(request.tryModeTimeout);
  const applied = describe(mode, tryMs);
  if (request.dryRun) return { mode, modeDetails: describeDryRun(node, text, applied), warnings: [] };
  const before = node.config?.text;
  const isOwnChoice = mode === Mode.REBOOT && request.mode === Mode.AUTO;
  const details = isOwnChoice && before !== undefined ? `${applied}: ${whyReboot(before, text)}` : applied;
  put(node, text, mode, tryMs);
  return { mode, modeDetails: details, warnings: [] };
}

function check(node: TalosNode, text: string): void {
  try {
    node.readConfig(text);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    throw new ConnectError(error.message, Code.InvalidArgument);
  }
}

function chooseMode(node: TalosNode, text: string, asked: ApplyMode): ApplyMode {
  if (node.config === undefined) return chooseFirstMode(node, asked);
  if (node.minor >= 14) {
    if (asked === Mode.REBOOT) {
      throw new ConnectError("apply configuration --mode=reboot is not supported", Code.Unimplemented);
    }
    return asked === Mode.AUTO ? Mode.NO_REBOOT : asked;
  }
  const needsReboot = coldChanges(node.config.text, text).length > 0;
  if ((asked === Mode.NO_REBOOT || asked === Mode.TRY) && needsReboot) {
    throw new ConnectError(whyReboot(node.config.text, text), Code.InvalidArgument);
  }
  if (asked !== Mode.AUTO) return asked;
  return needsReboot ? Mode.REBOOT : Mode.NO_REBOOT;
}

const whyReboot = (before: string, after: string): string =>
  `this config change can't be applied in immediate mode\ndiff:\n${unifiedDiff(before, after)}`;

/** The modes of a node in maintenance: a small server of its own up to 1.12, the ordinary one from 1.13 on. */
function chooseFirstMode(node: TalosNode, asked: ApplyMode): ApplyMode {
  if (node.minor >= 13) return asked === Mode.REBOOT || asked === Mode.AUTO ? Mode.NO_REBOOT : asked;
  if (asked === Mode.NO_REBOOT || asked === Mode.STAGED) {
    throw new ConnectError(
      `apply configuration --mode=${modeName(asked)} is not supported in maintenance mode`,
      Code.Unimplemented,
    );
  }
  return asked;
}

function describe(mode: ApplyMode, tryMs: number): string {
  if (mode === Mode.REBOOT) return "Applied configuration with a reboot";
  if (mode === Mode.STAGED) return "Staged configuration to be applied after the next reboot";
  const applied = "Applied configuration without a reboot";
  if (mode !== Mode.TRY) return applied;
  return `${applied}\nThe config is applied in 'try' mode and will be automatically reverted back in ${goDuration(tryMs)}`;
}

/** `1m0s`, `5s`, `1.5s`, `300ms`: as Go writes a duration. */
function goDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = `${(ms % 60_000) / 1_000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

function describeDryRun(node: TalosNode, text: string, details: string): string {
  if (node.config === undefined && node.minor < 13) {
    return "Dry run summary:\nNode is running in maintenance mode and does not have a config yet.";
  }
  const diff = unifiedDiff(node.config?.text ?? "", text) || "No changes.";
  return `Dry run summary:\n${details.split("\n")[0]} (skipped in dry-run).\nConfig diff:\n\n${diff}`;
}

function put(node: TalosNode, text: string, mode: ApplyMode, tryMs: number): void {
  node.log(`[talos] apply config request: mode ${modeName(mode)}`);
  if (mode !== Mode.TRY) {
    node.disk.config = text;
    node.attempt = undefined;
    node.save();
  }
  if (mode === Mode.STAGED) return;
  if (node.config === undefined) {
    // The life of the node waits for this; it leaves maintenance mode once the answer is on its way.
    node.firstConfig = text;
    inNextTurn(() => node.changed());
  } else if (mode === Mode.TRY) {
    attempt(node, text, tryMs);
  } else if (mode === Mode.REBOOT) {
    node.isEnding = true;
    inNextTurn(() => node.end({ kind: "reboot" }));
  } else {
    node.configure(text);
  }
}

/** In force until its time is up, unless another config comes before that. */
function attempt(node: TalosNode, text: string, tryMs: number): void {
  const own = { before: node.attempt?.before ?? node.config?.text ?? text };
  node.attempt = own;
  node.configure(text);
  node.world.clock.sleep(tryMs, node.running).then(
    () => {
      if (node.attempt !== own) return;
      node.attempt = undefined;
      node.configure(own.before);
    },
    () => undefined,
  );
}

const words = (text: string): Set<string> => new Set(text.split(" "));

/** What a running node up to 1.13 takes without a reboot; all other documents and the whole cluster section too. */
const hotMachineKeys = words(
  "ca acceptedCAs time certSANs install network sysfs sysctls logging controlPlane kubelet kernel registries pods seccompProfiles nodeLabels nodeAnnotations nodeTaints",
);
const hotFeatures = words("kubernetesTalosAPIAccess kubePrism hostDNS imageCache nodeAddressSortAlgorithm");
const hotTopKeys = words("debug cluster machine");

/** The fields that differ between two configs and need a reboot to come into force, as paths. */
export function coldChanges(before: string, after: string): string[] {
  const [old, next] = [mainDocument(before), mainDocument(after)];
  const machineKeys = new Set([...hotMachineKeys, "features"]);
  return [
    ...changed(old, next, hotTopKeys).map((key) => `.${key}`),
    ...changed(fieldsAt(old, "machine"), fieldsAt(next, "machine"), machineKeys).map(
      (key) => `.machine.${key}`,
    ),
    ...changed(fieldsAt(old, "machine", "features"), fieldsAt(next, "machine", "features"), hotFeatures).map(
      (key) => `.machine.features.${key}`,
    ),
  ];
}

const changed = (old: Fields, next: Fields, hot: Set<string>): string[] =>
  [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (key) => !hot.has(key) && !isDeepStrictEqual(old[key], next[key]),
  );

const mainDocument = (text: string): Fields =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter(isFields)
    .find((document) => document["kind"] === undefined) ?? {};
