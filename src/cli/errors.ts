import { defineError } from "../errors/index.ts";

export const noTerminal = defineError("RUN_NOT_CONFIRMED", (why: string) => ({
  what: "Cannot ask for confirmation here",
  why: `${why}, and there is no terminal to answer at`,
  next: "Add --yes to confirm it",
}));

/** What the parser of arguments says: `error: unknown command 'ui'`, a guess in parentheses below it. */
export const notUnderstood = defineError("RUN_NOT_UNDERSTOOD", (text: string) => {
  const [first = "", guess] = text.split("\n");
  const found = /\(Did you mean (.+)\?\)/.exec(guess ?? "")?.[1];
  return {
    what: "Cannot understand the command",
    why: first
      .replace(/^error: /, "")
      .replaceAll("'", '"')
      .replace(/\.$/, ""),
    next: found === undefined ? "See slipway --help, or slipway COMMAND --help" : `Write ${found}`,
  };
});

export const pipeIsTerminal = defineError("BACKUP_PIPE_IS_TERMINAL", () => ({
  what: "Cannot write a backup to the terminal",
  why: "it is not text, and there is nothing behind the command that takes it",
  next: "Give it to a program or a file: slipway backup CLUSTER --to - > FILE",
}));

export const passwordMissing = defineError(
  "PVE_PASSWORD_MISSING",
  (f: { user: string; variable: string }) => ({
    what: `Cannot log in as ${f.user} to grant rights; nothing was changed`,
    why: `${f.variable} is not set, and there is no terminal to ask for the password`,
    next: `Set ${f.variable}, or run the command in a terminal`,
    else: "Add --print and run the printed commands on a Proxmox node",
  }),
);

export const fileExists = defineError("SPEC_FILE_EXISTS", (file: string) => ({
  what: `Cannot write "${file}"`,
  why: "it is there already",
  next: "Choose another name with -f, or add --force to replace it",
}));

export const unknownExample = defineError("SPEC_UNKNOWN_EXAMPLE", (name: string, known: string[]) => ({
  what: `Cannot find the example "${name}"`,
  why: `there are ${known.join(", ")}`,
  next: `Name one of them: slipway init --example ${known[0] ?? ""}`,
}));

export const noAccessFile = defineError("RUN_NOT_UP_YET", (cluster: string, name: string) => ({
  what: `Cannot show the ${name} of "${cluster}"`,
  why: "it is not in the folder of the cluster",
  next: `Bring the cluster up, if it is not: slipway up ${cluster}`,
  else: `If it runs, .slipway was lost or is elsewhere: slipway plan ${cluster} says which secrets it needs`,
}));

export const noKubernetes = defineError("RUN_NO_KUBERNETES", (cluster: string, name: string) => ({
  what: `Cannot show the ${name} of "${cluster}"`,
  why: "its machines run plain Linux, without Kubernetes",
  next: `Use SSH: slipway ssh ${cluster}/NODE`,
}));

export const chooseCluster = defineError("SPEC_WHICH_CLUSTER", (names: string[], command?: string) => ({
  what: "Cannot tell which cluster is meant",
  why: `the file holds ${names.join(", ")}`,
  next: `Name one: slipway ${command ?? "kubeconfig"} ${names[0] ?? "CLUSTER"}`,
}));

export const outputExists = defineError("RUN_NOT_OVERWRITTEN", (file: string) => ({
  what: `Cannot write "${file}"`,
  why: "it is there already",
  next: "Choose another place with -o, or add --force to replace it",
}));

export const outputNotWritten = defineError(
  "RUN_OUTPUT_NOT_WRITTEN",
  (file: string, why: string, cause: unknown) => ({
    what: `Cannot write "${file}"`,
    why,
    next: "Choose another place with -o, or make this one writable",
    cause,
  }),
);

export const inputUnreadable = defineError(
  "RUN_NOT_READABLE",
  (file: string, why: string, cause: unknown) => ({
    what: `Cannot read "${file}"`,
    why,
    next: `Name a file that is there and that you may read`,
    cause,
  }),
);

export const outputTypeUnknown = defineError(
  "RUN_NOT_AN_OUTPUT",
  (given: string, known: readonly string[]) => ({
    what: `Cannot write the output type "${given}"`,
    why: `there are ${known.join(", ")}`,
    next: `Name some of them: --output-types ${known.slice(0, 2).join(",")}`,
  }),
);

export const manyOutputsOneTerminal = defineError("RUN_NOT_ONE_OUTPUT", (types: readonly string[]) => ({
  what: `Cannot write ${types.join(" and ")} to the terminal`,
  why: "in one stream they could not be told apart",
  next: `Name one of them, for example --output-types ${types[0] ?? "controlplane"}, or a folder with -o`,
}));

export const exportUnknown = defineError("RUN_NOT_A_FORMAT", (format: string) => ({
  what: `Cannot export as "${format}"`,
  why: "the formats are talhelper, terraform and dnsmasq",
  next: "Write: slipway export talhelper, slipway export terraform, or slipway export dnsmasq",
}));

export const adoptFromWhat = defineError("RUN_NOT_CLEAR", (cluster: string) => ({
  what: `Cannot tell where the secrets of "${cluster}" are`,
  why: "either --secrets or --talosconfig is needed, --node only with the latter",
  next: `Write: slipway adopt ${cluster} --secrets secrets.yaml`,
}));

export const programMissing = defineError(
  "RUN_PROGRAM_MISSING",
  (program: string, from: string, cause: unknown) => ({
    what: `Cannot run ${program}`,
    why: "no folder of your PATH holds it, or this user may not run it",
    next: `Install it (${from}), and see that "${program}" runs in this terminal`,
    cause,
  }),
);

export const noTalosThere = defineError("CLI_NO_TALOS", (cluster: string) => ({
  what: `Cannot run talosctl against "${cluster}"`,
  why: "its nodes run no Talos",
  next: `Use SSH: slipway ssh ${cluster}/NODE, or slipway kubectl ${cluster} -- get nodes`,
}));

export const nothingToRun = defineError(
  "RUN_NOTHING_TO_RUN",
  (program: string, cluster: string, example: string) => ({
    what: `Cannot run ${program} without arguments`,
    why: "nothing follows --",
    next: `Write: slipway ${program} ${cluster} -- ${example}`,
  }),
);

export const removalNotKept = defineError("RUN_NOT_KEPT", () => ({
  what: "Cannot keep the plan of a removal",
  why: "--out keeps plans for up, and --destroy shows what down would do",
  next: "Leave out --out or --destroy",
}));

export const outputRefused = defineError("OUTPUT_REFUSED", (why: string, cause: unknown) => ({
  what: "Cannot write to standard output",
  why: `${why}; the output is missing or incomplete`,
  next: "Send the output to a place with free space, then run the command again",
  cause,
}));

export const portTaken = defineError("SIM_PORT_TAKEN", (address: string) => ({
  what: `Cannot listen at ${address}`,
  why: "another program listens there, perhaps another simulated datacenter",
  next: "Stop it (ss -ltnp shows which it is), or choose another address: slipway sim --listen 127.0.0.2:8006",
}));

export const notLoopback = defineError("RUN_NOT_LOOPBACK", (host: string) => ({
  what: `Cannot let the simulated datacenter listen at "${host}"`,
  why: "its passwords are public, so it listens within 127.0.0.0/8 only",
  next: "Name a loopback address: slipway sim --listen 127.0.0.1:8006",
}));

export const oneClusterPlease = defineError("CLI_ONE_CLUSTER", (clusters: string[]) => ({
  what: "Cannot upgrade several clusters at once",
  why: `newer versions may come to ${clusters.join(", ")}`,
  next: `Name one of them: slipway upgrade ${clusters[0]}`,
}));

export const rotateOneCluster = defineError("CLI_ROTATE_ONE_CLUSTER", (clusters: string[]) => ({
  what: "Cannot rotate secrets of several clusters at once",
  why: `the file has ${clusters.join(", ")}, and each goes its own way`,
  next: `Name one of them: slipway rotate credentials ${clusters[0]}`,
}));

export const fileNotEditable = defineError("CLI_FILE_NOT_EDITABLE", (file: string, cluster: string) => ({
  what: `Cannot write versions into "${file}"`,
  why: "it is a program, and only YAML is edited",
  next: `Write the versions yourself, then run "slipway up ${cluster}"`,
}));

export const unanswered = defineError(
  "RUN_NOT_ANSWERED",
  (f: {
    key: string;
    text: string;
    details?: readonly string[] | undefined;
    proposal?: string | undefined;
    needsPerson?: boolean | undefined;
    variable?: string | undefined;
  }) => ({
    what: `Cannot go on without an answer: ${f.text}`,
    why:
      f.details && f.needsPerson
        ? f.details.map((line) => line.trim()).join(" ")
        : "there is nobody to ask here",
    next:
      f.variable === undefined
        ? `Add --${f.key}, or "${f.key}" to the file of --answers${f.proposal === undefined || f.needsPerson ? "" : `; --yes takes the proposal, ${f.proposal}`}`
        : `Set ${f.variable}, or run it in a terminal`,
  }),
  [{ variable: undefined, proposal: undefined }],
);

export const answerRefused = defineError("RUN_NOT_AN_ANSWER", (f: { key: string; problem: string }) => ({
  what: `Cannot take the answer to "${f.key}"`,
  why: `it ${f.problem}`,
  next: `Write another with --${f.key}; slipway init --help lists all answers`,
}));

export const unknownAnswer = defineError("RUN_NOT_ASKED", (key: string, asked: string[]) => ({
  what: `Cannot use the answer "${key}"`,
  why: `nobody asked for it; asked were ${asked.join(", ")}`,
  next: "Remove it from the file of --answers, or spell it as one of these",
}));

export const answersUnreadable = defineError(
  "RUN_NOT_ANSWERS",
  (file: string, why: string, cause: unknown) => ({
    what: `Cannot read the answers in "${file}"`,
    why,
    next: "Write one line for each answer, such as: on: proxmox",
    cause,
  }),
);

export const unknownShell = defineError("RUN_NOT_A_SHELL", (name: string, known: string[]) => ({
  what: `Cannot complete for "${name}"`,
  why: `there are scripts for ${known.join(", ")}`,
  next: `Name one of them: slipway completion ${known[0] ?? ""}`,
}));
