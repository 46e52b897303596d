import { digList, digText, type KubeObject } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import { keyOf, refAt, type Cluster, type Controller } from "../controller.ts";

/** Those that no program of the site brings, but charts of the user's own. */
const otherPools = [{ apiVersion: "metallb.io/v1beta1", kind: "IPAddressPool" }];

const poolKinds = ({ site }: Cluster) => [
  ...site.programs.flatMap(({ addressPools = [] }) => addressPools),
  ...otherPools,
];

/** Services that ask for an address from outside get the next one of a pool; without a pool they wait. */
export const loadBalancers: Controller = {
  concerns({ object, kind, type }, cluster) {
    if (type === "DELETED") return [];
    if (kind.kind === "Service" && kind.group === "") return isWaiting(object) ? [keyOf(object)] : [];
    const isPool = poolKinds(cluster).some((pool) => pool.kind === kind.kind);
    return isPool
      ? cluster.store.list({ apiVersion: "v1", kind: "Service" }).filter(isWaiting).map(keyOf)
      : [];
  },
  run(key, cluster) {
    const service = cluster.store.find(refAt("v1", "Service", key));
    if (!service || !isWaiting(service)) return undefined;
    const address = nextAddress(cluster);
    if (address === undefined) return undefined;
    const status = { loadBalancer: { ingress: [{ ip: address, ipMode: "VIP" }] } };
    cluster.store.patch(refOf(service), "merge", { status }, { subresource: "status" });
    return undefined;
  },
};

const isWaiting = (service: KubeObject): boolean =>
  digText(service, "spec", "type") === "LoadBalancer" &&
  digList(service, "status", "loadBalancer", "ingress").length === 0;

function nextAddress(cluster: Cluster): string | undefined {
  const { store } = cluster;
  const taken = new Set(
    store
      .list({ apiVersion: "v1", kind: "Service" })
      .flatMap((service) => digList(service, "status", "loadBalancer", "ingress"))
      .map((item) => digText(item, "ip")),
  );
  const served = new Set(store.kinds().map((kind) => kind.kind));
  const ranges = poolKinds(cluster)
    .filter((pool) => served.has(pool.kind))
    .flatMap((pool) => store.list(pool))
    .flatMap(rangesOf);
  for (const [first, last] of ranges)
    for (let at = first; at <= last; at += 1) if (!taken.has(written(at))) return written(at);
  return undefined;
}

/** `192.0.2.0/28`, `192.0.2.10-192.0.2.20`, or `start` and `stop`. */
function rangesOf(pool: KubeObject): [number, number][] {
  const blocks = digList(pool, "spec", "blocks").map(
    (block) =>
      digText(block, "cidr") ||
      `${digText(block, "start")}-${digText(block, "stop") || digText(block, "start")}`,
  );
  return [...blocks, ...digList(pool, "spec", "addresses").map(String)].map((text): [number, number] => {
    const [base = "", bits] = text.split("/");
    if (bits === undefined) {
      const [from = "", to = from] = text.split("-");
      return [read(from), read(to)];
    }
    const size = 2 ** (32 - Number(bits));
    const start = Math.floor(read(base) / size) * size;
    return [start, start + size - 1];
  });
}

const read = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const written = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
