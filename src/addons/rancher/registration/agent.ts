import type { KubeClient, KubePod } from "../../../clients/kube/index.ts";

export const agentNamespace = "cattle-system";

/** What the agent last complained of, in its own words; also before its last crash. */
export async function agentComplaint(kube: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const query = {
    apiVersion: "v1",
    kind: "Pod",
    namespace: agentNamespace,
    labels: "app=cattle-cluster-agent",
  };
  const { items } = await kube.list<KubePod>(query, signal);
  const lives = items.flatMap(({ metadata: { name }, status }) => [
    { name, isPrevious: false },
    ...((status?.containerStatuses?.[0]?.restartCount ?? 0) > 0 ? [{ name, isPrevious: true }] : []),
  ]);
  for (const { name, isPrevious } of lives) {
    // A container that has just gone has no log for a moment.
    const log = await kube
      .logs({ namespace: agentNamespace, name }, { isPrevious, tailLines: 50, signal })
      .catch(() => "");
    const lines = log.split("\n").filter((each) => complaint.test(each));
    const line = lines.findLast(isHopeless) ?? lines.at(-1);
    if (line !== undefined) return line.replace(/^.*?ERROR:\s*/, "").trim();
  }
  return undefined;
}

const complaint = /ERROR:|certificate signed by unknown authority|checksum/;

/** It will say the same again, however long somebody waits. */
export const isHopeless = (text: string): boolean =>
  /checksum|does not look like an x509|there is no CA certificate/.test(text);
