import type { JSX } from "preact";
import type { Machine, Mark, TopologyCluster, TopologyHost } from "../../../exports/graph/index.ts";
import { formatMiB, formatNumber } from "../../../views/index.ts";
import type { TopologyAnswer } from "../../protocol.ts";
import { writeRoute } from "../data/route.ts";
import { useStore } from "../data/store.ts";
import { Failure } from "../parts/failure.tsx";
import { HostIcon, Icon, type Shape } from "../parts/icon.tsx";
import { useQuestion } from "../parts/use-question.ts";

/** What runs where: the shared address, hosts with their machines, and the wire below them. */
export function TopologyScreen({ cluster }: { cluster: string }): JSX.Element {
  const { api } = useStore();
  const ask = (from: string) => async (signal: AbortSignal) => {
    const query = new URLSearchParams({ cluster, from, view: "topology" });
    return api?.get<TopologyAnswer>(`/api/topology?${query.toString()}`, signal);
  };
  const planned = useQuestion(ask("file"), `file ${cluster}`);
  const found = useQuestion(ask("cluster"), `cluster ${cluster}`);
  const shown = found.answer ?? planned.answer;
  const drawn = shown?.view === "topology" ? shown.clusters.find(({ name }) => name === cluster) : undefined;
  const errors = found.errors.length > 0 ? found.errors : planned.errors;
  return (
    <>
      {errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
      <section class="panel">
        <header>
          <h2>Topology</h2>
          <span class="mute">{sourceText(shown?.from, found.isAsking)}</span>
          <button type="button" class="toggle push" disabled={found.isAsking} onClick={found.again}>
            Look again
          </button>
        </header>
        {drawn ? (
          <Drawn cluster={drawn} />
        ) : (
          <p class="empty">
            {found.isAsking || planned.isAsking ? "Asking hosts and nodes…" : "Nothing to show."}
          </p>
        )}
      </section>
    </>
  );
}

function sourceText(from: string | undefined, isAsking: boolean): string {
  if (from === "cluster") return isAsking ? "as found; looking again…" : "as found now";
  return isAsking ? "as the file says; asking hosts and nodes…" : "as the file says";
}

const counts = ["", "is-one", "is-two", "is-three"];

function Drawn({ cluster }: { cluster: TopologyCluster }): JSX.Element {
  const { hosts, vip, endpoint, network, addons } = cluster;
  const columns = `hosts ${counts[hosts.length] ?? ""}`;
  const isWired = hosts.length <= 4;
  return (
    <div class="topo">
      <div class="vip">
        <b>{vip === undefined ? "Kubernetes API" : `VIP ${vip}`}</b>
        {endpoint !== undefined && <span class="mono">{endpoint}</span>}
        <span class="mute">
          {vip === undefined ? "at one control plane" : "Kubernetes API, moves between control planes"}
        </span>
        {cluster.note !== undefined && <span>{cluster.note}</span>}
      </div>
      {isWired && (
        <div class={`${columns} wires`} aria-hidden="true">
          {hosts.map((host) => (
            <Wire key={host.name} host={host} hasVip={vip !== undefined} />
          ))}
        </div>
      )}
      <div class={columns}>
        {hosts.map((host) => (
          <HostCard key={host.name} host={host} cluster={cluster.name} />
        ))}
      </div>
      {network && (
        <>
          {isWired && (
            <div class={`${columns} wires`} aria-hidden="true">
              {hosts.map((host) => (
                <div key={host.name}>
                  <span>{formatNumber(host.machines.length, "machine")}</span>
                </div>
              ))}
            </div>
          )}
          <div class="bridge">
            <b>
              {network.bridge}
              {network.vlan === undefined ? "" : `, VLAN ${network.vlan}`}
            </b>
            {network.subnet !== undefined && <span class="mono">{network.subnet}</span>}
            {network.gateway !== undefined && (
              <span>
                gateway <span class="mono">{network.gateway}</span>
              </span>
            )}
            {network.dns.length > 0 && (
              <span>
                DNS <span class="mono">{network.dns.join(", ")}</span>
              </span>
            )}
          </div>
        </>
      )}
      {addons.length > 0 && (
        <div class="chips addons">
          {addons.map(({ name, mark, note }) => (
            <span key={name} class={`chip ${toneOf(mark)}`} title={note}>
              {name}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** Which control planes stand behind the address on this host. */
function Wire({ host, hasVip }: { host: TopologyHost; hasVip: boolean }): JSX.Element {
  const planes = host.machines.filter(({ role }) => role === "control-plane");
  const isHolding = planes.some(({ note }) => /\bVIP\b/.test(note ?? ""));
  const names =
    planes.length > 2
      ? formatNumber(planes.length, "control plane")
      : planes.map(({ name }) => name).join(", ");
  const text =
    planes.length === 0 ? "" : hasVip ? `${names} ${isHolding ? "holds it" : "may hold it"}` : names;
  return (
    <div class={isHolding || (!hasVip && planes.length > 0) ? "hold" : ""}>
      {text !== "" && <span>{text}</span>}
    </div>
  );
}

/** More machines than this on one host are marks, each a link still. */
const mostCards = 8;

function HostCard({ host, cluster }: { host: TopologyHost; cluster: string }): JSX.Element {
  const { name, software, machines, mark, note } = host;
  const hrefOf = (machine: Machine): string => writeRoute({ cluster, screen: "nodes", node: machine.name });
  const memoryMiB = machines.reduce((sum, machine) => sum + (machine.memoryMiB ?? 0), 0);
  const cores = machines.reduce((sum, machine) => sum + (machine.cores ?? 0), 0);
  return (
    <section class="host" aria-label={`Host ${name}`}>
      <h3>
        <HostIcon />
        {name}
        <small>{software}</small>
      </h3>
      <div class="facts">
        <span>{formatNumber(machines.length, "machine")}</span>
        {cores > 0 && <span>{formatNumber(cores, "core")}</span>}
        {memoryMiB > 0 && <span>{formatMiB(memoryMiB)}</span>}
        {(note ?? mark) !== undefined && <span class={toneOf(mark)}>{note ?? mark}</span>}
      </div>
      {machines.length > mostCards ? (
        <div class="dots">
          {machines.map((machine) => (
            <a key={machine.name} href={hrefOf(machine)} title={machine.name}>
              <Icon shape={shapeOf(machine.mark)} label={`${machine.name}, ${machine.mark ?? "planned"}`} />
            </a>
          ))}
        </div>
      ) : (
        <div class="machines">
          {machines.map((machine) => (
            <MachineCard key={machine.name} machine={machine} href={hrefOf(machine)} />
          ))}
        </div>
      )}
    </section>
  );
}

function MachineCard({ machine, href }: { machine: Machine; href: string }): JSX.Element {
  const { name, role, address, vmid, cores, memoryMiB, diskGiB, dataDisks, mark, note } = machine;
  const place = [address, vmid === undefined ? undefined : `VMID ${vmid}`];
  const size = [
    cores === undefined ? undefined : formatNumber(cores, "core"),
    memoryMiB === undefined ? undefined : formatMiB(memoryMiB),
    diskGiB === undefined ? undefined : `${diskGiB} GiB`,
  ];
  const isCalm = mark === undefined || mark === "ready" || mark === "same";
  return (
    <a class={role === "control-plane" ? "machine cp" : "machine"} href={href}>
      <b>
        <Icon shape={shapeOf(mark)} label={mark ?? "planned"} />
        {name}
        <em>{role === "control-plane" ? "control plane" : role}</em>
      </b>
      <span class="line mono">{joined(place)}</span>
      <span class="line">{joined(size)}</span>
      <span class="chips">
        {dataDisks.map(({ sizeGiB, for: use }, index) => (
          <span key={index} class="chip">{`${use ?? "data"} ${sizeGiB} GiB`}</span>
        ))}
        {note !== undefined && <span class={`chip ${isCalm ? "on" : toneOf(mark)}`}>{note}</span>}
        {!isCalm && note === undefined && <span class={`chip ${toneOf(mark)}`}>{mark}</span>}
      </span>
    </a>
  );
}

const joined = (parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(" · ");

function shapeOf(mark: Mark | undefined): Shape {
  switch (mark) {
    case "ready":
    case "same":
      return "done";
    case "not-ready":
      return "wait";
    case "unreachable":
    case "stopped":
      return "fail";
    case "leftover":
    case "change":
    case "replace":
      return "diff";
    case "refused":
    case "remove":
      return "warn";
    case "missing":
    case "create":
    case undefined:
      return "plan";
  }
}

const toneOf = (mark: Mark | undefined): string => {
  const shape = shapeOf(mark);
  return shape === "fail" ? "bad" : shape === "wait" || shape === "warn" || shape === "diff" ? "warn" : "";
};
