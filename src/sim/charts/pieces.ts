/** Pieces of templates that several charts share. */

/** The name most charts give their objects: the release's, with the chart's unless that stands in it already. */
export const fullName = (chart = ".Chart.Name"): string =>
  `{{ if contains ${chart} .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ ${chart} }}{{ end }}`;

export interface Container {
  name: string;
  image: string;
  /** Further lines, without indentation. */
  more?: string;
}

export interface Workload {
  kind: "Deployment" | "DaemonSet" | "StatefulSet";
  name: string;
  labels: Record<string, string>;
  /** What selects the pods; all labels when left out. */
  selector?: Record<string, string>;
  /** A number or a template. */
  replicas?: string;
  serviceAccount?: string;
  priority?: string;
  isOnHostNetwork?: boolean;
  toleratesAll?: boolean;
  /** A place among the values that holds tolerations. */
  tolerations?: string;
  nodeSelector?: string;
  /** A place among the values that holds annotations of the pods. */
  podAnnotations?: string;
  strategy?: string;
  containers: Container[];
  initContainers?: Container[];
  /** Folders of the node it is given, by the name of the volume. */
  hostPaths?: Record<string, string>;
}

export function workload(want: Workload): string {
  const selector = want.selector ?? want.labels;
  return joined(
    head("apps/v1", want.kind, want.name, { labels: want.labels }),
    "spec:",
    want.replicas !== undefined && `  replicas: ${want.replicas}`,
    want.strategy !== undefined && `  strategy:\n    type: ${want.strategy}`,
    want.kind === "StatefulSet" && `  serviceName: ${want.name}`,
    `  selector:\n    matchLabels:\n${pairs(selector, 6)}`,
    `  template:\n    metadata:\n      labels:\n${pairs(want.labels, 8)}`,
    want.podAnnotations !== undefined && fromValues("annotations", want.podAnnotations),
    "    spec:",
    want.serviceAccount !== undefined && `      serviceAccountName: ${want.serviceAccount}`,
    want.priority !== undefined && `      priorityClassName: ${want.priority}`,
    want.isOnHostNetwork && "      hostNetwork: true",
    want.toleratesAll && "      tolerations:\n        - operator: Exists",
    want.tolerations !== undefined && fromValues("tolerations", want.tolerations),
    want.nodeSelector !== undefined && fromValues("nodeSelector", want.nodeSelector),
    want.initContainers && `      initContainers:\n${want.initContainers.map(container).join("\n")}`,
    `      containers:\n${want.containers.map(container).join("\n")}`,
    want.hostPaths && `      volumes:\n${Object.entries(want.hostPaths).map(hostPath).join("\n")}`,
  );
}

const hostPath = ([name, path]: [string, string]): string =>
  `        - name: ${name}\n          hostPath:\n            path: ${path}`;

const fromValues = (field: string, place: string): string =>
  `      {{- with ${place} }}\n      ${field}:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}`;

const container = (want: Container): string =>
  joined(
    `        - name: ${want.name}`,
    `          image: ${want.image}`,
    want.more !== undefined && indented(want.more, 10),
  );

export interface HeadOptions {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  isClusterWide?: boolean;
}

/** Everything before an object's own fields. */
export const head = (apiVersion: string, kind: string, name: string, options: HeadOptions = {}): string =>
  joined(
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    "metadata:",
    `  name: ${name}`,
    !options.isClusterWide && "  namespace: {{ .Release.Namespace }}",
    options.labels && `  labels:\n${pairs(options.labels, 4)}`,
    options.annotations && `  annotations:\n${pairs(options.annotations, 4)}`,
  );

/** An account, and what it may do in the whole cluster. */
export const account = (name: string, role = name): string =>
  documents(
    head("v1", "ServiceAccount", name),
    joined(
      head("rbac.authorization.k8s.io/v1", "ClusterRole", role, { isClusterWide: true }),
      'rules:\n  - apiGroups: [""]\n    resources: [nodes, pods, events]\n    verbs: [get, list, watch]',
    ),
    joined(
      head("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", role, { isClusterWide: true }),
      `roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: ${role}`,
      `subjects:\n  - kind: ServiceAccount\n    name: ${name}\n    namespace: {{ .Release.Namespace }}`,
    ),
  );

export const service = (
  name: string,
  labels: Record<string, string>,
  port: number,
  targetPort: number | string = port,
): string =>
  joined(
    head("v1", "Service", name, { labels }),
    "spec:",
    `  selector:\n${pairs(labels, 4)}`,
    `  ports:\n    - name: main\n      port: ${port}\n      targetPort: ${targetPort}\n      protocol: TCP`,
  );

export const documents = (...each: string[]): string => each.join("\n---\n");

export const joined = (...lines: (string | false | undefined)[]): string =>
  lines.filter((line) => typeof line === "string").join("\n");

export const indented = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? line : " ".repeat(columns) + line))
    .join("\n");

const pairs = (map: Record<string, string>, columns: number): string =>
  Object.entries(map)
    .map(([key, value]) => `${" ".repeat(columns)}${key}: ${value}`)
    .join("\n");
