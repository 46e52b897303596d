import { createHash } from "node:crypto";
import { digList, digText, isServed, type KubeStore, type Manifest } from "../../../sim/kube/index.ts";
import { rancherContainer, rancherNamespace, rancherVersion } from "./version.ts";

export const settingKind = { apiVersion: "management.cattle.io/v3", kind: "Setting" };

/** What a setting says now: its value, else what it is when nobody says otherwise. */
export function settingOf(store: KubeStore, name: string): string {
  if (!isServed(store, settingKind.apiVersion, settingKind.kind)) return "";
  const found = store.find({ ...settingKind, name });
  return digText(found, "value") || digText(found, "default");
}

/** The settings Rancher makes when it starts. */
export function firstSettings(store: KubeStore): Manifest[] {
  const given = digList(rancherContainer(store), "env").find(
    (item) => digText(item, "name") === "CATTLE_AGENT_TLS_MODE",
  );
  const mode = digText(given, "value");
  return [
    setting("server-url"),
    setting("first-login", { fallback: "true" }),
    setting("cacerts", { value: authorityOf(store) }),
    setting("agent-tls-mode", { value: mode || "strict", fallback: "strict", isFixed: mode !== "" }),
    setting("server-version", { value: rancherVersion(store) }),
    setting("install-uuid", { value: "5a7c9f0e-2f43-4c1c-9a53-1f0f1f6f2a55" }),
    setting("imported-cluster-version-management", { fallback: "true" }),
    setting("imported-cluster-day2-ops-enabled", { fallback: "true" }),
    setting("auth-token-max-ttl-minutes", { fallback: "129600" }),
  ];
}

const setting = (
  name: string,
  {
    value = "",
    fallback = "",
    isFixed = false,
  }: { value?: string; fallback?: string; isFixed?: boolean } = {},
): Manifest => ({
  ...settingKind,
  metadata: { name },
  value,
  default: fallback,
  customized: false,
  source: isFixed ? "env" : "",
});

/** The authority that agents are to trust: the one it was given, else its own; none when it was told that there is none. */
export function authorityOf(store: KubeStore): string {
  if (digList(rancherContainer(store), "args").includes("--no-cacerts")) return "";
  return textIn(store, "tls-ca", "cacerts.pem") || textIn(store, "tls-rancher", "tls.crt");
}

function textIn(store: KubeStore, name: string, key: string): string {
  const secret = store.find({ apiVersion: "v1", kind: "Secret", namespace: rancherNamespace, name });
  return Buffer.from(digText(secret, "data", key), "base64").toString("utf8");
}

/** As Rancher and its agents count it: of the text, which ends with a newline whether it has one or not. */
export const checksumOf = (authority: string): string =>
  authority === ""
    ? ""
    : createHash("sha256")
        .update(authority.endsWith("\n") ? authority : `${authority}\n`)
        .digest("hex");
