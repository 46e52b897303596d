import type { JSX } from "preact";
import type { HostCapacity } from "../../../operations/index.ts";
import { formatMiB, formatNumber, listNames } from "../../../views/index.ts";
import { useStore } from "../data/store.ts";
import { HostIcon } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";

/** Is there room? What each host has, and who has it: one cluster is set apart from the others, or none. */
export function CapacityPanel({ cluster }: { cluster?: string | undefined }): JSX.Element {
  const { fleet } = useStore();
  const capacity = fleet.value?.capacity;
  const own = fleet.value?.clusters.find((each) => each.cluster === cluster);
  const another = capacity?.another.find((each) => each.cluster === cluster);
  return (
    <section class="panel">
      <header>
        <h2>Capacity</h2>
        <span class="mute">what is promised to machines, whether they use it or not</span>
        {(capacity?.hosts.length ?? 0) > 0 && <Legend cluster={cluster} />}
      </header>
      {capacity === undefined ? (
        <p class="empty">Asking the hosts…</p>
      ) : capacity.hosts.length === 0 ? (
        <p class="empty">No host has told what it has.</p>
      ) : (
        <Rows
          kind="capacity"
          label="Capacity of the hosts"
          items={capacity.hosts}
          columns={columnsFor(cluster)}
          keyOf={({ host }) => host}
        />
      )}
      {another && (
        <p class="note">
          Room for {own?.state === "Absent" ? cluster : `another cluster like ${cluster}`}:{" "}
          <b>{another.fits ? "yes" : "no"}</b>, {another.text}.
        </p>
      )}
      {(capacity?.unknown ?? []).map(({ host, why }) => (
        <p class="note" key={host}>
          {host} is not counted: {why}
        </p>
      ))}
    </section>
  );
}

const Legend = ({ cluster }: { cluster: string | undefined }): JSX.Element => (
  <div class="legend push">
    {cluster !== undefined && (
      <span>
        <i class="own" />
        {cluster}
      </span>
    )}
    <span>
      <i class="ours" />
      {cluster === undefined ? "clusters" : "other clusters"}
    </span>
    <span>
      <i class="outside" />
      outside Slipway
    </span>
    <span>
      <i class="left" />
      free
    </span>
  </div>
);

const columnsFor = (cluster: string | undefined): Column<HostCapacity>[] => [
  {
    title: "Host",
    cell: ({ host, software, clusters }) => (
      <>
        <HostIcon /> <b>{host}</b>
        <small class="below-check">{software}</small>
        <small class="below-check">{machinesText(clusters)}</small>
      </>
    ),
  },
  {
    title: "Memory",
    kind: "labelled",
    cell: ({ memoryMiB, memoryFreeMiB, clusters }) => (
      <Share
        total={memoryMiB}
        free={memoryFreeMiB}
        own={amountOf(clusters, "memoryMiB", cluster)}
        ours={amountOf(clusters, "memoryMiB")}
        text={`${gib(memoryFreeMiB)} of ${formatMiB(memoryMiB)} free`}
      />
    ),
  },
  {
    title: "Cores",
    kind: "labelled",
    cell: ({ cores, coresFree, clusters }) => (
      <Share
        total={cores}
        free={coresFree}
        own={amountOf(clusters, "cores", cluster)}
        ours={amountOf(clusters, "cores")}
        text={`${coresFree} of ${cores} free`}
      />
    ),
  },
  { title: "Storage", kind: "labelled", cell: ({ storages }) => <Storages storages={storages} /> },
];

const machinesText = (clusters: HostCapacity["clusters"]): string => {
  const machines = clusters.reduce((sum, each) => sum + each.machines, 0);
  if (machines === 0) return "no machine of ours";
  return `${formatNumber(machines, "machine")} of ${listNames(clusters.map((each) => each.cluster))}`;
};

const amountOf = (
  clusters: HostCapacity["clusters"],
  what: "memoryMiB" | "cores",
  cluster?: string,
): number =>
  clusters
    .filter((each) => cluster === undefined || each.cluster === cluster)
    .reduce((sum, each) => sum + each[what], 0);

/** `0.5`, without its unit, as `formatMiB` would write it beside a larger one. */
const gib = (mib: number): string => formatMiB(mib).replace(/ GiB$/, "");

interface ShareProps {
  total: number;
  free: number;
  /** Of the cluster that is looked at; the same as `ours` where none is. */
  own: number;
  ours: number;
  text: string;
}

/** A bar of who has how much, and in words what is left. */
function Share({ total, free, own, ours, text }: ShareProps): JSX.Element {
  const taken = Math.max(0, total - free);
  const isOne = own !== ours;
  const outside = Math.max(0, taken - ours);
  const width = (part: number) => ({ width: `${total === 0 ? 0 : Math.min(100, (part / total) * 100)}%` });
  return (
    <>
      <span class="share" aria-hidden="true">
        <i class="own" style={width(isOne ? own : 0)} />
        <i class="ours" style={width(isOne ? ours - own : ours)} />
        <i class="outside" style={width(outside)} />
      </span>
      <span class="num">{text}</span>
    </>
  );
}

const mostStorages = 4;

/** Those with most space free; a machine's disks go to one that the file names. */
function Storages({ storages }: { storages: HostCapacity["storages"] }): JSX.Element {
  const shown = storages
    .filter(({ totalGiB }) => totalGiB > 0)
    .toSorted((a, b) => b.freeGiB - a.freeGiB)
    .slice(0, mostStorages);
  const rest = storages.length - shown.length;
  return (
    <ul class="storages">
      {shown.map(({ name, freeGiB, totalGiB, isShared }) => (
        <li key={name}>
          <span class="mono">{name}</span>{" "}
          <span class="num">
            {Math.floor(freeGiB)} of {Math.round(totalGiB)} GiB free
          </span>
          {isShared === true && <span class="mute"> shared</span>}
        </li>
      ))}
      {rest > 0 && <li class="mute">{rest} more</li>}
    </ul>
  );
}
