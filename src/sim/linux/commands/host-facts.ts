import { failed, printed, readOptions, type Command } from "./command.ts";

const hostname: Command = ({ host, args: [flag] }) =>
  printed(
    flag === "-I" ? `${host.addresses.map((each) => `${each} `).join("")}\n` : `${host.disk.hostname}\n`,
  );

const machines = { amd64: "x86_64", arm64: "aarch64" } as const;

const uname: Command = ({ host, args: [flag = "-s"] }) =>
  printed(
    `${({ "-m": machines[host.disk.architecture], "-r": host.facts.kernel, "-n": host.disk.hostname } as Record<string, string>)[flag] ?? "Linux"}\n`,
  );

const date: Command = ({ host, args: [format] }) => {
  const now = new Date(Math.floor(host.clock.now()));
  if (format === undefined) return printed(`${now.toUTCString().replace("GMT", "UTC")}\n`);
  if (!format.startsWith("+")) return failed(1, `date: invalid date ‘${format}’`);
  const millis = String(now.getUTCMilliseconds()).padStart(3, "0");
  const parts: Record<string, string> = {
    s: String(Math.floor(now.getTime() / 1000)),
    "3N": millis,
    N: `${millis}000000`,
    F: now.toISOString().slice(0, 10),
    T: now.toISOString().slice(11, 19),
    Y: now.toISOString().slice(0, 4),
    "%": "%",
  };
  return printed(`${format.slice(1).replace(/%(3N|.)/g, (all, name: string) => parts[name] ?? all)}\n`);
};

const timedatectl: Command = ({ host, args }) => {
  const { options } = readOptions(args, ["p"]);
  const all = { Timezone: "Etc/UTC", NTP: "yes", NTPSynchronized: host.fault("clock-skew") ? "no" : "yes" };
  const asked = options.get("p")?.split(",");
  return printed(
    Object.entries(all)
      .filter(([name]) => asked === undefined || asked.includes(name))
      .map(([name, value]) => (options.has("value") ? `${value}\n` : `${name}=${value}\n`))
      .join(""),
  );
};

/** Without headings: state, queues, where it listens, and who may come. */
const ss: Command = ({ host }) =>
  printed(
    host.network
      .listeners()
      .map(({ host: address, port }) => {
        const peer = address.includes(":") ? "[::]:*" : "0.0.0.0:*";
        return `LISTEN 0      4096   ${`${address}:${port}`.padStart(20)} ${peer.padStart(16)}\n`;
      })
      .join(""),
  );

const cloudInit: Command = ({ host, args }) => {
  const { options, operands } = readOptions(args, ["format"]);
  if (operands[0] !== "status")
    return failed(2, "usage: cloud-init status [--long] [--format FORMAT] [--wait]");
  const text =
    options.get("format") === "json"
      ? host.cloudInit.json()
      : options.has("long")
        ? host.cloudInit.long()
        : `${host.cloudInit.long().split("\n")[0]}\n`;
  return { code: host.cloudInit.exitCode(), stdout: text, stderr: "" };
};

const sleep: Command = async ({ host, args: [seconds = "0"], signal }) => {
  await host.clock.sleep(Number(seconds) * 1000, signal);
  return printed("");
};

export const hostFactCommands: Record<string, Command> = {
  hostname,
  uname,
  date,
  timedatectl,
  ss,
  sleep,
  "cloud-init": cloudInit,
  whoami: ({ by }) => printed(`${by.user}\n`),
  true: () => printed(""),
  false: () => failed(1),
  echo: ({ args }) => printed(`${args.join(" ")}\n`),
};
