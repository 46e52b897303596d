import { unitName, type Service } from "../systemd/index.ts";
import {
  failed,
  printed,
  readOptions,
  together,
  type Command,
  type CommandCall,
  type Outcome,
} from "./command.ts";

const needsRoot = new Set(["daemon-reload", "enable", "disable", "start", "restart", "stop", "reset-failed"]);
const [noSuchUnit, notRunning, noSuchUnitState, notAllowed] = [5, 3, 4, 4];

export const systemctl: Command = async (call) => {
  const { options, operands } = readOptions(call.args, ["p", "property"]);
  const [verb = "", ...names] = operands;
  const units = names.map(unitName);
  if (needsRoot.has(verb) && !call.by.isRoot) return refusal(call, verb, units[0] ?? "");
  if (verb === "daemon-reload") {
    call.host.systemd.reload();
    return printed("");
  }
  if (verb === "reboot" || verb === "poweroff") {
    call.host.end(verb);
    return printed("");
  }
  const each = answers[verb];
  if (!each) return failed(1, `Unknown command verb ${verb}.`);
  const outcomes: Outcome[] = [];
  for (const unit of units) outcomes.push(await each(call, unit, options));
  return together(outcomes);
};

type Answer = (call: CommandCall, unit: string, options: Map<string, string>) => Outcome | Promise<Outcome>;

/** Ubuntu has polkit, which would ask for a password; plain systemd just says no. */
function refusal({ host }: CommandCall, verb: string, unit: string): Outcome {
  const isAsking = host.disk.release === "noble";
  const reason = isAsking ? "Interactive authentication required." : "Access denied";
  if (verb === "daemon-reload")
    return failed(1, `${isAsking ? "Failed to reload daemon" : "Reload daemon failed"}: ${reason}`);
  if (verb === "enable" || verb === "disable") return failed(1, `Failed to ${verb} unit: ${reason}`);
  return failed(
    isAsking ? 1 : notAllowed,
    `Failed to ${verb} ${unit}: ${reason}`,
    `See system logs and 'systemctl status ${unit}' for details.`,
  );
}

const staleWarnings = ({ systemd }: CommandCall["host"], unit: string): string[] =>
  systemd.isStale(unit)
    ? [
        `Warning: The unit file, source configuration file or drop-ins of ${unit} changed on disk. Run 'systemctl daemon-reload' to reload units.`,
      ]
    : [];

const starting =
  (verb: "start" | "restart"): Answer =>
  async ({ host, signal }, unit, options) => {
    const service = host.systemd.find(unit);
    if (!service) return failed(noSuchUnit, `Failed to ${verb} ${unit}: Unit ${unit} not found.`);
    const warnings = staleWarnings(host, unit);
    const started = (async () => {
      if (verb === "restart") await service.stop();
      return service.start();
    })();
    if (options.has("no-block")) return failed(0, ...warnings);
    // Whoever asked may go; the service goes on starting.
    const isUp = await Promise.race([started, aborted(signal)]);
    return isUp ? failed(0, ...warnings) : failed(1, ...warnings, ...whyNot(service, unit));
  };

const aborted = (signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(false), { once: true }));

const whyNot = ({ state }: Service, unit: string): string[] => [
  state.result === "timeout"
    ? `Job for ${unit} failed because a timeout was exceeded.`
    : `Job for ${unit} failed because the control process exited with error code.`,
  `See "systemctl status ${unit}" and "journalctl -xeu ${unit}" for details.`,
];

const answers: Record<string, Answer> = {
  start: starting("start"),
  restart: starting("restart"),

  async stop({ host }, unit, options) {
    const service = host.systemd.find(unit);
    if (!service) return failed(noSuchUnit, `Failed to stop ${unit}: Unit ${unit} not loaded.`);
    const warnings = staleWarnings(host, unit);
    const stopped = service.stop();
    if (!options.has("no-block")) await stopped;
    return failed(0, ...warnings);
  },

  enable({ host }, unit) {
    const links = host.systemd.enable(unit);
    if (!links) return failed(1, `Failed to enable unit: Unit file ${unit} does not exist.`);
    const told = links.map(({ link, file }) => `Created symlink ${link} → ${file}.`);
    return failed(0, ...told);
  },

  async disable({ host }, unit, options) {
    const service = host.systemd.find(unit);
    const links = host.systemd.disable(unit);
    if (!service && links.length === 0)
      return failed(1, `Failed to disable unit: Unit file ${unit} does not exist.`);
    if (options.has("now")) await service?.stop();
    return failed(0, ...links.map((link) => `Removed "${link}".`));
  },

  "reset-failed"({ host }, unit) {
    const service = host.systemd.find(unit);
    if (!service) return failed(1, `Failed to reset failed state of unit ${unit}: Unit ${unit} not loaded.`);
    service.reset();
    return printed("");
  },

  "is-active"({ host }, unit) {
    const service = host.systemd.find(unit);
    const state = service?.state.active ?? "inactive";
    const isNew = host.facts.systemd >= 254;
    const code = !service && isNew ? noSuchUnitState : state === "active" ? 0 : notRunning;
    return { code, stdout: `${state}\n`, stderr: "" };
  },

  "is-enabled"({ host }, unit) {
    if (!host.systemd.find(unit))
      return failed(1, `Failed to get unit file state for ${unit}: No such file or directory`);
    const isEnabled = host.systemd.isEnabled(unit);
    return { code: isEnabled ? 0 : 1, stdout: isEnabled ? "enabled\n" : "disabled\n", stderr: "" };
  },

  show({ host }, unit, options) {
    const all = properties(host.systemd.find(unit), unit, host.systemd.isEnabled(unit));
    const asked = (options.get("p") ?? options.get("property"))?.split(",");
    const shown = Object.entries(all).filter(([name]) => asked === undefined || asked.includes(name));
    const text = ([name, value]: [string, string]): string =>
      options.has("value") ? value : `${name}=${value}`;
    return printed(shown.map((entry) => `${text(entry)}\n`).join(""));
  },
};

/** In the order in which the real one prints them, whatever the order of the question. */
function properties(service: Service | undefined, unit: string, isEnabled: boolean): Record<string, string> {
  const state = service?.state;
  return {
    Type: service?.unit.type ?? "",
    Restart: service?.unit.restart ?? "no",
    MainPID: String(state?.mainPid ?? 0),
    Result: state?.result ?? "success",
    NRestarts: String(state?.restarts ?? 0),
    ExecMainCode: String(state?.exitKind ?? 0),
    ExecMainStatus: String(state?.exitCode ?? 0),
    Id: unit,
    Description: service?.unit.description ?? unit,
    LoadState: service ? "loaded" : "not-found",
    ActiveState: state?.active ?? "inactive",
    SubState: state?.sub ?? "dead",
    FragmentPath: service ? `/etc/systemd/system/${unit}` : "",
    UnitFileState: service ? (isEnabled ? "enabled" : "disabled") : "",
    InvocationID: state?.invocation ?? "",
  };
}
