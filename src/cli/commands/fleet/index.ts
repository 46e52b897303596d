import type { Command } from "commander";
import type { AddCommand } from "../../add-command.ts";
import { fileOption } from "../../options.ts";

const kubeconfig = [
  "--kubeconfig <file>",
  "of the management cluster; the first of $KUBECONFIG, or ~/.kube/config, if left out",
] as const;
const namespace = ["--namespace <name>", "where the controller runs", "slipway-system"] as const;

/** The controller, and ways between cluster files and the objects that it keeps clusters by. */
export function addFleetCommands(program: Command, add: AddCommand): void {
  add(
    program,
    "controller",
    "keep clusters as objects of a Kubernetes cluster say",
    "slipway controller --namespace slipway-system",
    () => import("./controller.ts"),
  )
    .option("--namespace <name>", "where its objects are; its own in a pod, slipway-system elsewhere")
    .option("--kubeconfig <file>", "of the management cluster; in a pod the one it runs in, if left out")
    .option("--folder <folder>", "where files of clusters lie while they are worked on", "slipway-controller")
    .option("--port <number>", "of /metrics, /healthz and /readyz", Number, 8080)
    .option("--shard <number/count>", "work on the hosts of this part of a fleet only", "1/1")
    .option("--json", "log lines as NDJSON");
  const fleet = program
    .command("fleet")
    .description("cluster files as objects of the controller, and back")
    .addHelpText("after", "\nExample:\n  $ slipway fleet adopt clusters/ --apply");
  add(
    fleet,
    "adopt [file]",
    "a file, or a folder of them, as objects: printed, or applied",
    "slipway fleet adopt clusters/ | kubectl apply --server-side -f -",
    () => import("./adopt.ts"),
  )
    .option("--apply", "apply them to the management cluster instead of printing them")
    .option("--without-secrets", "leave Secrets out, for objects that go into git")
    .option("--hosts <name>", "what the SlipwayHosts is called; as the file if left out")
    .option(...namespace)
    .option(...kubeconfig)
    .option(...fileOption)
    .option("--json", "one JSON object per object");
  add(
    fleet,
    "export",
    "objects of the controller as cluster files, with their secrets",
    "slipway fleet export -o clusters",
    () => import("./export.ts"),
  )
    .option("-o, --output <folder>", "where the files are written to", "fleet")
    .option("--from <file>", "objects as YAML instead of the management cluster")
    .option("--force", "replace files that are there")
    .option(...namespace)
    .option(...kubeconfig)
    .option("--json", "one JSON object per file");
}
