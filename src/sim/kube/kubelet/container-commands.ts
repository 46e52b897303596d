import { STATUS_CODES } from "node:http";
import { digList, digText, type KubeObject } from "../store/object.ts";
import { claimNames, findClaim } from "../controllers/pod-claims.ts";
import type { Cluster } from "../controllers/controller.ts";
import { reach, resolveName } from "../controllers/network/pod-network.ts";
import { readScript, type Step } from "./shell-script.ts";
import type { Outcome } from "./runtime.ts";

/**
 * Runs the command of a container as it would end if it were started now. What a simulated container can do when it is run to its end (`restartPolicy` other than `Always`). Given as a plain command or
 * as `sh -c SCRIPT`:
 *
 * - DNS, answered by the simulated cluster: `nslookup NAME`, `getent hosts NAME`
 * - connections, through the simulated pod network: `wget [-qO-] URL`, `curl URL`, `nc -z HOST PORT`, `ping HOST`; the body of an
 *   answer is the name of the pod that gave it
 * - files on mounted claims, kept for as long as the claim is: `echo TEXT > FILE`, `cat FILE`, `test -s FILE`, `rm FILE`
 * - what programs of the site bring along, see operators/program.ts
 * - and `echo`, `hostname`, `sleep SECONDS`, `true`, `false`, `exit CODE`, `set -e`
 *
 * Anything else succeeds silently. What it prints is what `GET …/pods/NAME/log` returns.
 */
export function runContainer(cluster: Cluster, pod: KubeObject, container: unknown): Outcome {
  for (const program of cluster.site.programs) {
    const outcome = program.runContainer?.(cluster, pod, container);
    if (outcome) return outcome;
  }
  const shell = { cluster, pod, container, output: "", tookMs: 0 };
  const steps = stepsOf(pod, container);
  let exitCode = 0;
  let isStrict = false;
  for (const [at, step] of steps.entries()) {
    if ((step.after === "&&" && exitCode !== 0) || (step.after === "||" && exitCode === 0)) continue;
    const [name = "", ...args] = step.words;
    if (name === "exit")
      return { exitCode: Number(args[0] ?? exitCode), output: shell.output, tookMs: shell.tookMs };
    if (name === "set") isStrict ||= args.some((arg) => /^-\w*e/.test(arg));
    exitCode = runStep(shell, step, name, args);
    if (isStrict && exitCode !== 0 && (steps[at + 1]?.after ?? ";") === ";") break;
  }
  return { exitCode, output: shell.output, tookMs: shell.tookMs };
}

interface Shell {
  cluster: Cluster;
  pod: KubeObject;
  container: unknown;
  output: string;
  tookMs: number;
}

function stepsOf(pod: KubeObject, container: unknown): Step[] {
  const words = [...digList(container, "command"), ...digList(container, "args")].map(String);
  if (words.length === 0) return [];
  const isShell = /(^|\/)(sh|bash|ash)$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "");
  const strict = isShell && /e/.test(words[1] ?? "") ? "set -e\n" : "";
  return isShell
    ? readScript(`${strict}${words[2] ?? ""}`, variablesOf(pod, container))
    : [
        {
          after: ";",
          words: words.map((word) => word.replace(/^.*\//, (path) => (word === words[0] ? "" : path))),
        },
      ];
}

function variablesOf(pod: KubeObject, container: unknown): Record<string, string> {
  const own = digList(container, "env").map((item): [string, string] => {
    const path = digText(item, "valueFrom", "fieldRef", "fieldPath");
    return [digText(item, "name"), path === "" ? digText(item, "value") : digText(pod, ...path.split("."))];
  });
  return { HOSTNAME: pod.metadata.name ?? "", ...Object.fromEntries(own) };
}

function runStep(shell: Shell, step: Step, name: string, args: string[]): number {
  const { exitCode, text } = (commands[name] ?? commandOf(shell.cluster, name) ?? quiet)(shell, args);
  if (step.into) writeFile(shell, step.into.file, text, step.into.isAppended);
  else shell.output += text;
  return exitCode;
}

/** A command that a program of the site brings along. */
function commandOf({ site, store }: Cluster, name: string): Command | undefined {
  const found = site.programs.find(({ commands: own }) => own?.[name])?.commands?.[name];
  return found && ((_shell, args) => found(store, args));
}

type Command = (shell: Shell, args: string[]) => { exitCode: number; text: string };

const said = (text: string, exitCode = 0) => ({ exitCode, text });
const quiet: Command = () => said("");
const operands = (args: string[]): string[] => args.filter((arg) => !arg.startsWith("-"));

const commands: Record<string, Command> = {
  echo: (_shell, args) => said(`${args.filter((arg) => arg !== "-n").join(" ")}\n`),
  hostname: ({ pod }) => said(`${pod.metadata.name}\n`),
  false: () => said("", 1),
  sleep: (shell, [seconds = "0"]) => {
    shell.tookMs += Number.parseFloat(seconds) * 1000;
    return said("");
  },
  cat: (shell, [file = ""]) => {
    const content = readFile(shell, file);
    return content === undefined
      ? said(`cat: can't open '${file}': No such file or directory\n`, 1)
      : said(content);
  },
  rm: (shell, args) => {
    for (const path of operands(args)) {
      const { files, file } = locate(shell, path);
      files.delete(file);
    }
    return said("");
  },
  test: (shell, [, file = ""]) => said("", readFile(shell, file) === undefined ? 1 : 0),
  "[": (shell, [, file = ""]) => said("", readFile(shell, file) === undefined ? 1 : 0),
  nslookup: ({ cluster, pod }, args) => {
    const name = operands(args)[0] ?? "";
    const answer = resolveName(cluster, pod, name);
    if ("addresses" in answer)
      return said(answer.addresses.map((address) => `Name:\t${name}\nAddress: ${address}\n`).join(""));
    return answer.why === "no-server"
      ? said(";; connection timed out; no servers could be reached\n", 1)
      : said(`** server can't find ${name}: NXDOMAIN\n`, 1);
  },
  getent: ({ cluster, pod }, [, name = ""]) => {
    const answer = resolveName(cluster, pod, name);
    return "addresses" in answer
      ? said(answer.addresses.map((it) => `${it}  ${name}\n`).join(""))
      : said("", 2);
  },
  wget: (shell, args) =>
    fetchUrl(
      shell,
      args,
      (host, why) => said(`wget: ${wgetText(host, why)}\n`, 1),
      (status) => said(`wget: server returned error: HTTP/1.1 ${status} ${STATUS_CODES[status]}\n`, 1),
    ),
  curl: (shell, args) =>
    fetchUrl(shell, args, (host, why) => {
      if (why === "unknown-host") return said(`curl: (6) Could not resolve host: ${host}\n`, 6);
      return why === "timeout"
        ? said("curl: (28) Connection timed out\n", 28)
        : said(`curl: (7) Failed to connect to ${host}\n`, 7);
    }),
  nc: ({ cluster, pod }, args) => {
    const [host = "", port = "0"] = operands(args.filter((_, at) => !/^-\w*w$/.test(args[at - 1] ?? "")));
    const found = reach(cluster, pod, host, Number(port));
    return "body" in found
      ? said(`${host} (${host}:${port}) open\n`)
      : said(`nc: ${host} (${host}:${port}): ${words[found.why]}\n`, 1);
  },
  ping: ({ cluster, pod }, args) => {
    const host = args.at(-1) ?? "";
    const found = reach(cluster, pod, host, 0);
    const isThere = "body" in found || found.why === "refused";
    return said(`1 packets transmitted, ${isThere ? 1 : 0} packets received\n`, isThere ? 0 : 1);
  },
};

const words = {
  timeout: "Connection timed out",
  refused: "Connection refused",
  "unknown-host": "bad address",
};

type Why = keyof typeof words;

const wgetText = (host: string, why: Why): string => {
  if (why === "unknown-host") return `bad address '${host}'`;
  return why === "timeout"
    ? "download timed out"
    : `can't connect to remote host (${host}): Connection refused`;
};

function fetchUrl(
  shell: Shell,
  args: string[],
  failed: (host: string, why: Why) => { exitCode: number; text: string },
  refused?: (status: number) => { exitCode: number; text: string },
) {
  const url = args.find((arg) => /^[a-z]+:\/\//.test(arg)) ?? `http://${args.at(-1) ?? ""}`;
  const found = /^([a-z]+):\/\/([^/:]+)(?::(\d+))?(\/[^?#]*)?/.exec(url);
  const host = found?.[2] ?? "";
  const port = Number(found?.[3] ?? (found?.[1] === "https" ? 443 : 80));
  const reached = reach(shell.cluster, shell.pod, host, port, found?.[4] ?? "/");
  if (!("body" in reached)) return failed(host, reached.why);
  const { body, status = 200 } = reached;
  return status >= 400 && refused ? refused(status) : said(body.endsWith("\n") ? body : `${body}\n`);
}

/** The volume a path lies on and the path on it: the files of a claim outlive the pod. */
function locate(
  { cluster, pod, container }: Shell,
  path: string,
): { files: Map<string, string>; file: string } {
  const mounts = digList(container, "volumeMounts").map((item) => ({
    volume: digText(item, "name"),
    folder: `${digText(item, "mountPath").replace(/\/$/, "")}/`,
  }));
  const mount = mounts.find(({ folder }) => path.startsWith(folder));
  const claim = claimNames(pod).find(([volume]) => volume === mount?.volume)?.[1];
  const bound = claim === undefined ? undefined : findClaim(cluster, pod, claim);
  const key = bound?.metadata.uid ?? pod.metadata.uid ?? "";
  const files = cluster.runtime.files.get(key) ?? new Map<string, string>();
  cluster.runtime.files.set(key, files);
  return { files, file: bound && mount ? path.slice(mount.folder.length) : path };
}

function readFile(shell: Shell, path: string): string | undefined {
  const { files, file } = locate(shell, path);
  return files.get(file);
}

function writeFile(shell: Shell, path: string, text: string, isAppended: boolean): void {
  if (path === "/dev/null") return;
  const { files, file } = locate(shell, path);
  files.set(file, isAppended ? `${files.get(file) ?? ""}${text}` : text);
}
