/** Where a chart comes from. */
export type ChartSource =
  /** `oci://ghcr.io/org/charts/name`, without tag. */
  | { oci: string }
  /** A chart of an HTTP repository, as `helm repo add` takes it. */
  | { repo: string; chart: string }
  /** An unpacked chart, or a `.tgz`. */
  | { path: string }
  /** A folder of `NAME-VERSION.tgz` files, for machines without a way out. */
  | { folder: string; chart: string };

export interface ChartRef {
  source: ChartSource;
  /** Exact, as the chart says it (`v1.21.1` with its `v`). Needed for all but a path. */
  version?: string;
  /** `sha256:…` of the packed chart; what is fetched must be this. */
  digest?: string;
}

/** How chart servers are trusted where the system's authorities do not do. */
export interface ChartTrust {
  /** PEM file of an authority that vouches for them. */
  caFile?: string;
  /** No TLS at all: for registries on this machine. */
  isPlainHttp?: boolean;
}

/** A chart that lies on this machine. */
export interface LocalChart {
  /** What helm is given: a `.tgz` or a folder. */
  path: string;
  /** `sha256:…` of the `.tgz`, or of the folder's files. */
  digest: string;
}

/** As people name it in messages: `cilium 1.20.1 from oci://quay.io/cilium/charts`. */
export function chartText({ source, version }: ChartRef): string {
  const numbered = (name: string) => (version === undefined ? name : `${name} ${version}`);
  if ("oci" in source) {
    const cut = source.oci.lastIndexOf("/");
    return `${numbered(source.oci.slice(cut + 1))} from ${source.oci.slice(0, cut)}`;
  }
  if ("repo" in source) return `${numbered(source.chart)} from ${source.repo}`;
  if ("folder" in source) return `${numbered(source.chart)} from the folder "${source.folder}"`;
  return numbered(`"${source.path}"`);
}
