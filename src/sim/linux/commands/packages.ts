import {
  failed,
  printed,
  readOptions,
  together,
  type Command,
  type CommandCall,
  type Outcome,
} from "./command.ts";

const lock = "/var/lib/dpkg/lock-frontend";
const failure = 100;
const pollMs = 1000;

export const dpkgQuery: Command = ({ host, args }) => {
  const { operands } = readOptions(
    args.filter((word) => word !== "-W"),
    ["f"],
  );
  return together(
    operands.map((name) =>
      host.disk.packages.includes(name)
        ? printed(`${name}\tinstalled\n`)
        : failed(1, `dpkg-query: no packages found matching ${name}`),
    ),
  );
};

/** `update` and `install`, one at a time as dpkg's lock demands. */
export const aptGet: Command = async (call) => {
  const { options, operands } = readOptions(call.args, ["o"]);
  const [verb = "", ...names] = operands;
  const settings = new Map(
    call.args.filter((word) => word.includes("::")).map((word) => word.split("=") as [string, string]),
  );
  if (!call.by.isRoot)
    return failed(
      failure,
      `E: Could not open lock file ${lock} - open (13: Permission denied)`,
      `E: Unable to acquire the dpkg frontend lock (${lock}), are you root?`,
    );
  if (verb === "update") return update(call);
  if (verb !== "install") return failed(failure, `E: Invalid operation ${verb}`);
  const timeoutMs = Number(settings.get("DPkg::Lock::Timeout") ?? 0) * 1000;
  const waited = await waitForLock(call, timeoutMs);
  if (waited.code !== 0) return waited;
  const installed = await install(call, names, options.has("y"));
  return together([waited, installed]);
};

async function update({ host, signal }: CommandCall): Promise<Outcome> {
  await host.world.clock.sleep(host.world.latencies.packageMs, signal);
  return printed("Reading package lists...\n");
}

/** Who holds dpkg's lock, and as which process. */
function holder({ host }: CommandCall): string | undefined {
  if (host.fault("apt-lock-held")) return "1207 (unattended-upgr)";
  return host.cloudInit.isRunning ? "1043 (apt-get)" : undefined;
}

async function waitForLock(call: CommandCall, timeoutMs: number): Promise<Outcome> {
  const { clock } = call.host.world;
  const endsAt = clock.now() + timeoutMs;
  let stdout = "";
  for (;;) {
    const by = holder(call);
    if (by === undefined) return printed(stdout);
    const held = `Could not get lock ${lock}. It is held by process ${by}`;
    if (clock.now() >= endsAt) {
      const lines = [
        ...(timeoutMs === 0 ? [`E: ${held}`] : []),
        `E: Unable to acquire the dpkg frontend lock (${lock}), is another process using it?`,
      ];
      return { ...failed(failure, ...lines), stdout };
    }
    stdout += `Waiting for cache lock: ${held}...\n`;
    await clock.sleep(pollMs, call.signal);
  }
}

async function install({ host, signal }: CommandCall, names: string[], isAgreed: boolean): Promise<Outcome> {
  const { clock, latencies, faults } = host.world;
  const lists = "Reading package lists...\nBuilding dependency tree...\nReading state information...\n";
  const missing = names.filter((name) =>
    faults.hosts.find("package-missing", { host: host.name, package: name }),
  );
  if (missing.length > 0)
    return {
      ...failed(failure, ...missing.map((name) => `E: Unable to locate package ${name}`)),
      stdout: lists,
    };
  const fresh = names.filter((name) => !host.disk.packages.includes(name));
  const count = `0 upgraded, ${fresh.length} newly installed, 0 to remove and 0 not upgraded.\n`;
  const known = names
    .filter((name) => !fresh.includes(name))
    .map((name) => `${name} is already the newest version.\n`)
    .join("");
  if (fresh.length > 0 && !isAgreed)
    return { code: 1, stdout: `${lists}${count}Do you want to continue? [Y/n] Abort.\n`, stderr: "" };
  await clock.sleep(latencies.packageMs * fresh.length, signal);
  host.disk.packages.push(...fresh);
  host.power.saved();
  return printed(`${lists}${known}${count}${fresh.map((name) => `Setting up ${name} ...\n`).join("")}`);
}
