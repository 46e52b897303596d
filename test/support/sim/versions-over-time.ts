import type { RehearsalSite } from "./rehearsal-site.ts";

/** In which order the parts of Kubernetes came to another version than they had. */
export function versionsOverTime(site: RehearsalSite) {
  const order: string[] = [];
  const before = partVersions(site);
  const end = new AbortController();
  const life = (async () => {
    while (!end.signal.aborted) {
      for (const [part, version] of partVersions(site))
        if (before.get(part) !== version && !order.includes(part)) order.push(part);
      await site.rehearsal.time.clock.sleep(500, end.signal).catch(() => undefined);
    }
  })();
  return {
    order,
    async stop() {
      end.abort(new Error("seen enough"));
      await life;
    },
  };
}

function partVersions(site: RehearsalSite): Map<string, string> {
  const [lab] = Object.values(site.rehearsal.datacenter.talos.state());
  const objects = (lab?.kube?.objects ?? []) as unknown as {
    kind: string;
    metadata: { name: string };
    spec?: {
      containers?: { image: string }[];
      template?: { spec: { containers: { image: string }[] } };
    };
    status?: { nodeInfo?: { kubeletVersion: string } };
  }[];
  return new Map(
    objects.flatMap(({ kind, metadata: { name }, spec, status }): [string, string][] => {
      if (kind === "Node") return [[`kubelet ${name}`, status?.nodeInfo?.kubeletVersion ?? ""]];
      if (kind === "Pod" && /^kube-(apiserver|controller-manager|scheduler)-/.test(name))
        return [[name, spec?.containers?.[0]?.image ?? ""]];
      if (kind === "DaemonSet" && name === "kube-proxy")
        return [[name, spec?.template?.spec.containers[0]?.image ?? ""]];
      return [];
    }),
  );
}
