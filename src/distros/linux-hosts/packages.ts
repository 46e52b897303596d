import type { StepContext } from "../../plan/index.ts";
import { packagesFailed } from "./host-errors.ts";
import type { HostSession } from "./host-session.ts";
import type { Guest } from "./linux-access.ts";

/** Those that dpkg does not call installed. */
export async function missingPackages(
  host: HostSession,
  packages: string[],
  signal: AbortSignal,
): Promise<string[]> {
  if (packages.length === 0) return [];
  const command = ["dpkg-query", "-W", "-f=${Package}\\t${db:Status-Status}\\n", ...packages];
  const { stdout } = await host.try(command, { signal });
  const installed = new Set(
    stdout.split("\n").flatMap((line) => {
      const [name = "", status] = line.split("\t");
      return status === "installed" ? [name] : [];
    }),
  );
  return packages.filter((name) => !installed.has(name));
}

const deadlineMs = 15 * 60_000;

/** A system that updates itself at its first start holds the lock for minutes: apt waits for it. */
export async function installPackages(
  { signal }: StepContext,
  host: HostSession,
  want: Guest,
  packages: string[],
): Promise<void> {
  const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300", "-y"];
  const run = (words: string[]) => host.try([...apt, ...words], { signal, deadlineMs });
  // A list that cannot be fetched matters only when the package is not in the old one.
  await run(["update"]);
  const { code, stderr, stdout } = await run(["install", ...packages]);
  if (code === 0) return;
  const said = `${stderr}\n${stdout}`.split("\n").find((line) => line.startsWith("E: "));
  throw packagesFailed({ ...want, packages, said: said?.slice(3) ?? `it ended with ${code}` });
}
