import type { Asking, Discovered, DiscoveredNetwork, DistributionProposal } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { distributionsIn } from "../fleet/facts.ts";
import { askAddresses, isCidr, isIpv4, networkOf } from "./addresses.ts";
import type { ProposedCluster, ProposedNetwork } from "./proposal.ts";
import { askSizes } from "./sizes.ts";

export async function askCluster(found: Discovered, asking: Asking, world: World): Promise<ProposedCluster> {
  const distribution = await askDistribution(asking, world);
  const { controlPlanes, workers } = await askCounts(found, asking);
  const network = await askNetwork(found, asking);
  const counts = { controlPlanes, workers };
  return {
    ...{ distribution, controlPlanes, workers, network },
    sizes: await askSizes(found, counts, asking),
    addresses: found.machines
      ? undefined
      : await askAddresses({ ...counts, network, found, dial: world.dial, clock: world.clock }, asking),
    name: await asking.ask({
      key: "name",
      text: "Name of the cluster",
      proposal: "homelab",
      refuse: (answer) =>
        /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/.test(answer) ? undefined : "is not a name like homelab",
    }),
  };
}

async function askDistribution(asking: Asking, world: World): Promise<DistributionProposal> {
  const offered = distributionsIn(world).flatMap(({ name, proposal }) =>
    proposal ? [{ name, proposal }] : [],
  );
  const answer = await asking.ask({
    key: "distribution",
    text: "Which Kubernetes?",
    proposal: offered[0]?.name,
    choices: offered.map(({ name, proposal }) => ({ value: name, label: proposal.label })),
  });
  const chosen = offered.find(({ name }) => name === answer);
  if (!chosen) throw new Error(`no distribution is called ${answer}`);
  return chosen.proposal;
}

interface Counts {
  controlPlanes: number;
  workers: number;
}

const countsPattern = /^\s*([1-9]\d?)\s*\+\s*(\d{1,3})\s*$/;

async function askCounts({ hosts, machines }: Discovered, asking: Asking): Promise<Counts> {
  const there = machines?.length;
  const answer = await asking.ask({
    key: "nodes",
    text: "How many: control planes + workers",
    details: ["1+0 is one machine for everything, 1+2 a small cluster, 3+3 survives the loss of a machine"],
    proposal: there === undefined ? (hosts.length >= 3 ? "3+3" : "1+2") : splitOf(there),
    refuse(given) {
      const counts = countsOf(given);
      if (!counts) return "is not two numbers like 1+2";
      if (there !== undefined && counts.controlPlanes + counts.workers !== there)
        return `makes ${counts.controlPlanes + counts.workers}; there are ${there} machines`;
      return undefined;
    },
  });
  return countsOf(answer) ?? { controlPlanes: 1, workers: 0 };
}

/** Three control planes outlive one; fewer than five machines are better used otherwise. */
const splitOf = (machines: number): string => (machines >= 5 ? `3+${machines - 3}` : `1+${machines - 1}`);

function countsOf(text: string): Counts | undefined {
  const [, controlPlanes, workers] = countsPattern.exec(text) ?? [];
  if (controlPlanes === undefined || workers === undefined) return undefined;
  return { controlPlanes: Number(controlPlanes), workers: Number(workers) };
}

async function askNetwork({ networks, machines }: Discovered, asking: Asking): Promise<ProposedNetwork> {
  const chosen = networks.length === 0 ? undefined : await chooseNetwork(networks, asking);
  const vlan = chosen?.takesVlans ? await askVlan(asking) : undefined;
  // Another VLAN is another network, of which the host knows nothing.
  const known = vlan === undefined ? chosen : undefined;
  const first = machines?.[0]?.address;
  const near = known?.cidr ?? (first === undefined ? undefined : `${first}/24`);
  const cidr = await asking.ask({
    key: "cidr",
    text: "Network of the machines",
    proposal: near === undefined ? undefined : networkOf(near),
    isQuiet: known?.cidr !== undefined,
    refuse: (answer) => (isCidr(answer) ? undefined : "is not a network like 192.168.1.0/24"),
  });
  const gateway = await asking.ask({
    key: "gateway",
    text: "Its gateway",
    proposal: known?.gateway ?? firstOf(cidr),
    isQuiet: known?.gateway !== undefined,
    refuse: (answer) => (isIpv4(answer) ? undefined : "is not an address like 192.168.1.1"),
  });
  const lines = [...(chosen?.lines ?? []), ...(vlan === undefined ? [] : [`vlan: ${vlan}`])];
  return { cidr: networkOf(cidr), gateway, lines };
}

async function chooseNetwork(
  networks: DiscoveredNetwork[],
  asking: Asking,
): Promise<DiscoveredNetwork | undefined> {
  const answer = await asking.ask({
    key: "network",
    text: "What are the machines plugged into?",
    proposal: networks[0]?.name,
    isQuiet: networks.length === 1,
    choices: networks.map(({ name, label }) => ({ value: name, label })),
  });
  return networks.find(({ name }) => name === answer);
}

async function askVlan(asking: Asking): Promise<number | undefined> {
  const answer = await asking.ask({
    key: "vlan",
    text: "VLAN of the machines",
    proposal: "none",
    isQuiet: true,
    refuse: (given) =>
      given === "none" || (/^[1-9]\d{0,3}$/.test(given) && Number(given) < 4095)
        ? undefined
        : 'is neither "none" nor a number up to 4094',
  });
  return answer === "none" ? undefined : Number(answer);
}

const firstOf = (cidr: string): string =>
  networkOf(cidr).replace(/\.(\d+)\/\d+$/, (_all, last) => `.${Number(last) + 1}`);
