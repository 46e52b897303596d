import type { Command } from "commander";
import type { AddCommand } from "../../add-command.ts";

/** Ways into a running cluster and onto its nodes. */
export function addAccessCommands(program: Command, add: AddCommand): void {
  add(
    program,
    "kubeconfig [cluster]",
    "print the kubeconfig, or add it to yours",
    "slipway kubeconfig homelab --merge",
    () => import("./kubeconfig.ts"),
  )
    .option("--merge", "add the cluster to your own kubeconfig; down takes it out again")
    .option("--into <file>", "with --merge: another file than the first of $KUBECONFIG, or ~/.kube/config");
  add(
    program,
    "talosconfig [cluster]",
    "print the talosconfig",
    "slipway talosconfig homelab > ~/.talos/config",
    () => import("./talosconfig.ts"),
  );
  add(
    program,
    "kubectl [cluster] [args...]",
    "run your own kubectl there, through jump hosts too",
    "slipway kubectl homelab -- get nodes -o wide",
    () => import("./kubectl.ts"),
  );
  add(
    program,
    "talosctl [cluster] [args...]",
    "run your own talosctl there, through jump hosts too",
    "slipway talosctl homelab -- -n 10.10.0.10 dashboard",
    () => import("./talosctl.ts"),
  );
  add(
    program,
    "proxy [cluster]",
    "keep a proxy to it open for other programs, until Ctrl-C",
    "slipway proxy homelab",
    () => import("./proxy.ts"),
  ).option("--port <port>", "where it listens on this machine; any free one without it", Number);
  add(
    program,
    "ssh <node> [command...]",
    "log in on a node, or run one program there",
    "slipway ssh lab/web-1 -- systemctl status nginx",
    () => import("./ssh.ts"),
  )
    .option("-t, --tty", "a terminal also for a program")
    .option("-T, --no-tty", "no terminal");
  add(
    program,
    "console <node>",
    "its serial console; Ctrl-] leaves",
    "slipway console homelab/cp-1",
    () => import("./console.ts"),
  ).option("--force", "take it over from another session");
}
