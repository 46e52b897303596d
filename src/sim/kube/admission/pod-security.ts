import { dig, digList, digText, type KubeObject } from "../store/object.ts";

type Level = "privileged" | "baseline" | "restricted";

/** As Talos sets the admission plugin up: baseline everywhere, kube-system exempt. */
const exempt = new Set(["kube-system"]);
const usual: Level = "baseline";

/** What a pod does that its namespace does not allow, in the admission plugin's words. */
export function podSecurityViolation(pod: KubeObject, namespace: KubeObject | undefined): string | undefined {
  if (exempt.has(pod.metadata.namespace ?? "")) return undefined;
  const level = (namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce"] ?? usual) as Level;
  if (level === "privileged") return undefined;
  const version = namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce-version"] ?? "latest";
  const found = [...baseline(pod), ...(level === "restricted" ? restricted(pod) : [])];
  if (found.length === 0) return undefined;
  return `violates PodSecurity "${level}:${version}": ${found.join(", ")}`;
}

const containersOf = (pod: KubeObject): unknown[] => [
  ...digList(pod, "spec", "initContainers"),
  ...digList(pod, "spec", "containers"),
];

const usualCapabilities = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);

function baseline(pod: KubeObject): string[] {
  const containers = containersOf(pod);
  const added = bad(containers, (container) =>
    digList(container, "securityContext", "capabilities", "add").some(
      (name) => !usualCapabilities.has(String(name)),
    ),
  );
  const extra = [
    ...new Set(
      added.flatMap((container) => digList(container, "securityContext", "capabilities", "add").map(String)),
    ),
  ]
    .filter((name) => !usualCapabilities.has(name))
    .toSorted();
  const namespaces = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => dig(pod, "spec", name) === true);
  const volumes = digList(pod, "spec", "volumes")
    .filter((volume) => dig(volume, "hostPath") !== undefined)
    .map((volume) => `"${digText(volume, "name")}"`);
  const ports = containers.flatMap((container) =>
    digList(container, "ports")
      .map((port) => digText(port, "hostPort"))
      .filter((port) => port !== "" && port !== "0"),
  );
  const withPorts = bad(containers, (container) =>
    digList(container, "ports").some((port) => digText(port, "hostPort") !== ""),
  );
  const privileged = bad(containers, (container) => dig(container, "securityContext", "privileged") === true);
  return [
    ...(extra.length > 0
      ? [
          `non-default capabilities (${named(added)} must not include ${quoted(extra)} in securityContext.capabilities.add)`,
        ]
      : []),
    ...(namespaces.length > 0
      ? [`host namespaces (${namespaces.map((name) => `${name}=true`).join(", ")})`]
      : []),
    ...(volumes.length > 0
      ? [`hostPath volumes (${volumes.length === 1 ? "volume" : "volumes"} ${volumes.join(", ")})`]
      : []),
    ...(ports.length > 0
      ? [
          `hostPort (${named(withPorts)} ${ports.length === 1 ? "uses hostPort" : "use hostPorts"} ${ports.join(", ")})`,
        ]
      : []),
    ...(privileged.length > 0
      ? [`privileged (${named(privileged)} must not set securityContext.privileged=true)`]
      : []),
  ];
}

function restricted(pod: KubeObject): string[] {
  const containers = containersOf(pod);
  const escalating = bad(
    containers,
    (item) => dig(item, "securityContext", "allowPrivilegeEscalation") !== false,
  );
  const capable = bad(
    containers,
    (item) => !digList(item, "securityContext", "capabilities", "drop").includes("ALL"),
  );
  const isNonRoot = (item: unknown) =>
    (dig(item, "securityContext", "runAsNonRoot") ?? dig(pod, "spec", "securityContext", "runAsNonRoot")) ===
    true;
  const hasProfile = (item: unknown) =>
    (dig(item, "securityContext", "seccompProfile") ??
      dig(pod, "spec", "securityContext", "seccompProfile")) !== undefined;
  const rooted = bad(containers, (item) => !isNonRoot(item));
  const free = bad(containers, (item) => !hasProfile(item));
  return [
    ...(escalating.length > 0
      ? [
          `allowPrivilegeEscalation != false (${named(escalating)} must set securityContext.allowPrivilegeEscalation=false)`,
        ]
      : []),
    ...(capable.length > 0
      ? [`unrestricted capabilities (${named(capable)} must set securityContext.capabilities.drop=["ALL"])`]
      : []),
    ...(rooted.length > 0
      ? [`runAsNonRoot != true (pod or ${named(rooted)} must set securityContext.runAsNonRoot=true)`]
      : []),
    ...(free.length > 0
      ? [
          `seccompProfile (pod or ${named(free)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
        ]
      : []),
  ];
}

const bad = (containers: unknown[], isBad: (container: unknown) => boolean): unknown[] =>
  containers.filter(isBad);
const quoted = (names: string[]): string => names.map((name) => `"${name}"`).join(", ");
const named = (containers: unknown[]): string =>
  `${containers.length === 1 ? "container" : "containers"} ${quoted(containers.map((item) => digText(item, "name")))}`;
