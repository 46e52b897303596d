import { SlipwayError } from "../errors/index.ts";

export const noTerminal = (why: string) =>
  new SlipwayError({
    code: "RUN_NOT_CONFIRMED",
    what: "Cannot ask for your word here",
    why: `${why}, and there is no terminal to answer at`,
    next: "Add --yes if that is meant",
  });

export const passwordMissing = (f: { user: string; variable: string }) =>
  new SlipwayError({
    code: "PVE_PASSWORD_MISSING",
    what: `Cannot log in as ${f.user} to grant rights; nothing was changed`,
    why: `${f.variable} is not set, and there is no terminal to ask for the password`,
    next: `Set ${f.variable}, or run the command in a terminal`,
    else: "Add --print and run the printed commands on a Proxmox node",
  });

export const fileExists = (file: string) =>
  new SlipwayError({
    code: "SPEC_FILE_EXISTS",
    what: `Cannot write "${file}"`,
    why: "it is there already",
    next: "Choose another name with -f, or add --force to replace it",
  });

export const unknownExample = (name: string, known: string[]) =>
  new SlipwayError({
    code: "SPEC_UNKNOWN_EXAMPLE",
    what: `Cannot find the example "${name}"`,
    why: `there are ${known.join(", ")}`,
    next: `Name one of them: slipway init --example ${known[0] ?? ""}`,
  });

export const noAccessFile = (cluster: string, name: string) =>
  new SlipwayError({
    code: "RUN_NOT_UP_YET",
    what: `Cannot show the ${name} of "${cluster}"`,
    why: "it has not been written yet",
    next: `Bring the cluster up first: slipway up ${cluster}`,
  });

export const noKubernetes = (cluster: string, name: string) =>
  new SlipwayError({
    code: "RUN_NO_KUBERNETES",
    what: `Cannot show the ${name} of "${cluster}"`,
    why: "its machines run plain Linux, without Kubernetes",
    next: `Use SSH: slipway ssh ${cluster}/NODE`,
  });

export const chooseCluster = (names: string[], command = "kubeconfig") =>
  new SlipwayError({
    code: "SPEC_WHICH_CLUSTER",
    what: "Cannot tell which cluster is meant",
    why: `the file holds ${names.join(", ")}`,
    next: `Name one: slipway ${command} ${names[0] ?? "CLUSTER"}`,
  });

export const outputExists = (file: string) =>
  new SlipwayError({
    code: "RUN_NOT_OVERWRITTEN",
    what: `Cannot write "${file}"`,
    why: "it is there already",
    next: "Choose another place with -o, or add --force to replace it",
  });

export const outputNotWritten = (file: string, why: string, cause: unknown) =>
  new SlipwayError({
    code: "RUN_OUTPUT_NOT_WRITTEN",
    what: `Cannot write "${file}"`,
    why,
    next: "Choose another place with -o, or make this one writable",
    cause,
  });

export const inputUnreadable = (file: string, why: string, cause: unknown) =>
  new SlipwayError({
    code: "RUN_NOT_READABLE",
    what: `Cannot read "${file}"`,
    why,
    next: `Name a file that is there and that you may read`,
    cause,
  });

export const outputTypeUnknown = (given: string, known: readonly string[]) =>
  new SlipwayError({
    code: "RUN_NOT_AN_OUTPUT",
    what: `Cannot write the output type "${given}"`,
    why: `there are ${known.join(", ")}`,
    next: `Name some of them: --output-types ${known.slice(0, 2).join(",")}`,
  });

export const manyOutputsOneTerminal = (types: readonly string[]) =>
  new SlipwayError({
    code: "RUN_NOT_ONE_OUTPUT",
    what: `Cannot write ${types.join(" and ")} to the terminal`,
    why: "one after the other they could not be told apart",
    next: `Name one of them, for example --output-types ${types[0] ?? "controlplane"}, or a folder with -o`,
  });

export const exportUnknown = (format: string) =>
  new SlipwayError({
    code: "RUN_NOT_A_FORMAT",
    what: `Cannot export as "${format}"`,
    why: "the formats are talhelper and dnsmasq",
    next: "Write: slipway export talhelper, or slipway export dnsmasq",
  });

export const adoptFromWhat = (cluster: string) =>
  new SlipwayError({
    code: "RUN_NOT_CLEAR",
    what: `Cannot tell where the secrets of "${cluster}" are`,
    why: "either --secrets or --talosconfig is needed, --node only with the latter",
    next: `Write: slipway adopt ${cluster} --secrets secrets.yaml`,
  });

export const programMissing = (program: string, from: string, cause: unknown) =>
  new SlipwayError({
    code: "RUN_PROGRAM_MISSING",
    what: `Cannot run ${program}`,
    why: "no folder of your PATH holds it, or this user may not run it",
    next: `Install it (${from}), and see that "${program}" runs in this terminal`,
    cause,
  });

export const noTalosThere = (cluster: string) =>
  new SlipwayError({
    code: "CLI_NO_TALOS",
    what: `Cannot run talosctl against "${cluster}"`,
    why: "its nodes run no Talos",
    next: `Use SSH: slipway ssh ${cluster}/NODE, or slipway kubectl ${cluster} -- get nodes`,
  });

export const nothingToRun = (program: string, cluster: string, example: string) =>
  new SlipwayError({
    code: "RUN_NOTHING_TO_RUN",
    what: `Cannot tell what ${program} is to do`,
    why: "nothing stands behind --",
    next: `Write: slipway ${program} ${cluster} -- ${example}`,
  });

export const removalNotKept = () =>
  new SlipwayError({
    code: "RUN_NOT_KEPT",
    what: "Cannot keep the plan of a removal",
    why: "--out keeps plans for up, and --destroy shows what down would do",
    next: "Leave out --out or --destroy",
  });

export const outputRefused = (why: string, cause: unknown) =>
  new SlipwayError({
    code: "OUTPUT_REFUSED",
    what: "Cannot write to standard output",
    why: `${why}; what should stand there is missing or cut`,
    next: "Send the output to a place with free space, then run the command again",
    cause,
  });

export const notLoopback = (host: string) =>
  new SlipwayError({
    code: "RUN_NOT_LOOPBACK",
    what: `Cannot let the simulated datacenter listen at "${host}"`,
    why: "its passwords are known to everybody, so it listens within 127.0.0.0/8 only",
    next: "Name a loopback address: slipway sim --listen 127.0.0.1:8006",
  });
