import type { SshConnection } from "../../clients/ssh/index.ts";

/** What a machine tells of itself in a moment. */
export interface HostStatus {
  hostname: string;
  addresses: string[];
  /** `Debian GNU/Linux 12 (bookworm)`. */
  release: string;
  /** Absent while cloud-init is at work. */
  complaints?: string[] | undefined;
}

const resultFile = "/run/cloud-init/result.json";

export async function askHostStatus(connection: SshConnection, signal?: AbortSignal): Promise<HostStatus> {
  const ask = async (...command: string[]): Promise<string | undefined> => {
    const { code, stdout } = await connection.run(command, signal && { signal });
    return code === 0 ? stdout.trim() : undefined;
  };
  const [hostname, addresses, release, result] = await Promise.all([
    ask("hostname"),
    ask("hostname", "-I"),
    ask("cat", "/etc/os-release"),
    ask("cat", resultFile),
  ]);
  return {
    hostname: hostname ?? "",
    addresses: (addresses ?? "").split(/\s+/).filter((each) => each !== ""),
    release: /^PRETTY_NAME="?([^"\n]*)/m.exec(release ?? "")?.[1] ?? "Linux",
    complaints: result === undefined ? undefined : complaintsIn(result),
  };
}

/** cloud-init writes this file last, at every start. */
function complaintsIn(text: string): string[] {
  try {
    const { v1 } = JSON.parse(text) as { v1?: { errors?: unknown[] } };
    return (v1?.errors ?? []).map(String);
  } catch {
    return [`${resultFile} cannot be read`];
  }
}
