import { isServed, type KubeStore, type Reply } from "../../../sim/kube/index.ts";
import { importManifest } from "./import.ts";
import { settingKind, settingOf } from "./settings.ts";
import { registrationToken } from "./tokens.ts";
import { rancherVersion } from "./version.ts";

/** What Rancher answers to a GET of somebody who has not logged in. */
export function answerRancher(store: KubeStore, path: string): Reply {
  const [, setting] = /^\/v3\/settings\/([\w-]+)$/.exec(path) ?? [];
  const [, token = "", clusterName = ""] = /^\/v3\/import\/([^_/]+)_([^/]+)\.yaml$/.exec(path) ?? [];
  if (path === "/ping") return text(200, "pong");
  if (path === "/healthz") return text(200, "ok");
  if (path === "/rancherversion")
    return json(200, { Version: rancherVersion(store), GitCommit: "5ea1ed0", RancherPrime: "false" });
  if (setting === "cacerts" || setting === "first-login") return json(200, settingAnswer(store, setting));
  if (setting !== undefined) return json(401, failure(401, "Unauthorized", "must authenticate"));
  if (token !== "") return answerImport(store, token, clusterName);
  return text(404, "404 page not found\n");
}

const settingAnswer = (store: KubeStore, name: string) => ({
  ...{ id: name, name, type: "setting", baseType: "setting" },
  ...{ value: settingOf(store, name), default: "", customized: false, source: "db" },
  links: { self: `${settingOf(store, "server-url")}/v3/settings/${name}` },
});

function answerImport(store: KubeStore, token: string, clusterName: string): Reply {
  const isKnown =
    isServed(store, settingKind.apiVersion, "ClusterRegistrationToken") &&
    registrationToken(store, clusterName) === token;
  return isKnown
    ? text(200, importManifest(store, clusterName, token))
    : json(404, failure(404, "NotFound", "cluster not found"));
}

const failure = (status: number, code: string, message: string) => ({
  ...{ type: "error", baseType: "error", status: String(status), code, message },
});

const text = (code: number, body: string): Reply => ({ code, body, contentType: "text/plain" });
const json = (code: number, body: unknown): Reply => ({ code, body });
