import { fieldsAt, isFields, listAt, ofKind, textAt, textsAt, valueAt, type Fields } from "./fields.ts";
import { readDocuments } from "./documents.ts";
import { ConfigProblems, throwProblems } from "./problems.ts";
import { kubernetesConfig, type KubernetesConfig } from "./kubernetes-config.ts";

/** What a simulated node reads from its machine config. */
export interface NodeConfig {
  text: string;
  role: "controlplane" | "worker";
  clusterId: string;
  clusterName: string;
  endpoint: URL;
  osCa: { cert: string; key: string };
  kubeCa: { cert: string; key: string };
  /** All it accepts, the ones that issue included. */
  osAccepted: string[];
  kubeAccepted: string[];
  certSans: string[];
  apiServerSans: string[];
  hostname: string | undefined;
  /** NICs whose DHCP server may not name the node. */
  ignoresLeaseNames: string[];
  /** Addresses the config gives to a NIC, with prefix length; by MAC, or by name where no MAC is said. */
  /** `isPermanent`: looked for among the addresses that NICs were made with, and nowhere else. */
  addresses: {
    mac?: string | undefined;
    isPermanent?: true | undefined;
    link?: string | undefined;
    cidr: string;
  }[];
  vip: string | undefined;
  hasDiscovery: boolean;
  /** How a node that runs from an ISO gets onto its disk. Absent: from 1.14 on it does not. */
  install:
    | {
        image: string | undefined;
        disk: string | undefined;
        /** Where no disk is named: the ones that fit, by size (`>= 100GB`) and serial number. */
        selector: { size: string; serial: string };
        reboots: boolean;
      }
    | undefined;
  kubernetes: KubernetesConfig;
}

/** Reads and checks a config as a node of Talos 1.`minor` would. */
export function readNodeConfig(text: string, minor: number): NodeConfig {
  const documents = readDocuments(text, minor);
  const main = documents.find((document) => document["kind"] === undefined);
  const others = documents.filter((document) => document["kind"] !== undefined);
  if (main === undefined) {
    throw new ConfigProblems(
      "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
    );
  }
  throwProblems(missingParts(main, others), hostnameProblems(main, others));
  const config = readParts(text, main, others);
  throwProblems(kubernetesProblems(config.kubernetes, minor));
  return config;
}

function missingParts(main: Fields, others: Fields[]): string[] {
  if (main["machine"] === undefined) return ["machine instructions are required"];
  const role = textAt(main, "machine", "type");
  return [
    ...clusterProblems(main, others, role),
    ...authorityProblems(main, role),
    ...(role === "controlplane" || role === "worker" ? [] : [`unknown machine type "${role}"`]),
    ...(main["persist"] === false ? [".persist should be enabled"] : []),
  ];
}

function clusterProblems(main: Fields, others: Fields[], role: string): string[] {
  if (main["cluster"] === undefined) return ["cluster instructions are required"];
  const endpoint = endpointOf(main, others);
  if (endpoint === "") return ["cluster controlplane endpoint is required"];
  const isWorker = role === "worker";
  return [
    ...(URL.canParse(endpoint) ? [] : [`invalid controlplane endpoint: "${endpoint}"`]),
    ...(isWorker && fieldsAt(main, "cluster")["etcd"] !== undefined
      ? ["etcd config is only allowed on control plane machines"]
      : []),
    ...(isWorker && textAt(main, "cluster", "ca", "key") !== ""
      ? ["cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)"]
      : []),
  ];
}

function authorityProblems(main: Fields, role: string): string[] {
  const authority = valueAt(main, "machine", "ca");
  const key = textAt(authority, "key");
  const problems: string[] = [];
  if (authority === undefined && listAt(main, "machine", "acceptedCAs").length === 0) {
    problems.push("issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)");
  }
  if (role === "controlplane" && authority === undefined) {
    problems.push("issuing CA is required (.machine.ca)");
  } else if (role === "controlplane" && key === "") {
    problems.push("issuing CA key is required for controlplane nodes (.machine.ca.key)");
  }
  if (role === "worker" && key !== "") {
    problems.push("issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)");
  }
  if (role === "worker" && textAt(main, "cluster", "ca", "key") !== "") {
    problems.push("issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)");
  }
  return problems;
}

function readParts(text: string, main: Fields, others: Fields[]): NodeConfig {
  const role = textAt(main, "machine", "type") === "controlplane" ? "controlplane" : "worker";
  const interfaces = listAt(main, "machine", "network", "interfaces").filter(isFields);
  const hostname =
    textAt(ofKind(others, "HostnameConfig")[0], "hostname") || textAt(main, "machine", "network", "hostname");
  const vip =
    textAt(ofKind(others, "Layer2VIPConfig")[0], "name") ||
    interfaces.map((nic) => textAt(nic, "vip", "ip")).find((address) => address !== "");
  const osCa = pemPair(main, "machine", "ca");
  const kubeCa = kubeAuthority(main, others);
  return {
    text,
    role,
    clusterId:
      textAt(main, "cluster", "id") ||
      textAt(ofKind(others, "DiscoveryIdentityConfig")[0], "clusterID") ||
      textAt(main, "machine", "ca", "crt"),
    clusterName:
      textAt(main, "cluster", "clusterName") || textAt(ofKind(others, "KubeClusterConfig")[0], "clusterName"),
    endpoint: new URL(endpointOf(main, others)),
    osCa,
    kubeCa,
    osAccepted: [osCa.cert, ...acceptedIn(main, "machine")],
    kubeAccepted: [
      kubeCa.cert,
      ...acceptedIn(main, "cluster"),
      ...textsAt(ofKind(others, "KubeAPIServerCAConfig")[0], "acceptedCAs"),
    ],
    certSans: textsAt(main, "machine", "certSANs"),
    apiServerSans: [
      ...textsAt(main, "cluster", "apiServer", "certSANs"),
      ...textsAt(ofKind(others, "KubeAPIServerConfig")[0], "certExtraSANs"),
    ],
    hostname: hostname || undefined,
    addresses: [...legacyAddresses(interfaces), ...linkAddresses(others)],
    vip: role === "controlplane" ? vip || undefined : undefined,
    hasDiscovery: hasDiscovery(main, others),
    ignoresLeaseNames: ofKind(others, "DHCPv4Config")
      .filter((document) => document["ignoreHostname"] === true)
      .map((document) => textAt(document, "name")),
    install: installOf(main, others),
    kubernetes: kubernetesConfig(main, others),
  };
}

/** By documents alone, the node boots the new system only when asked to, or when another image was named. */
function installOf(main: Fields, others: Fields[]): NodeConfig["install"] {
  const document = ofKind(others, "UnattendedInstallConfig")[0];
  if (document !== undefined) {
    const image = textAt(document, "installer", "image") || undefined;
    const match = textAt(document, "provisioning", "diskSelector", "match");
    return {
      image,
      selector: { size: "", serial: "" },
      disk: /^\s*disk\.dev_path\s*==\s*"([^"]+)"\s*$/.exec(match)?.[1],
      reboots: document["reboot"] === undefined ? image !== undefined : document["reboot"] === true,
    };
  }
  if (valueAt(main, "machine", "install") === undefined) return undefined;
  return {
    image: textAt(main, "machine", "install", "image") || undefined,
    disk: textAt(main, "machine", "install", "disk") || undefined,
    selector: {
      size: textAt(main, "machine", "install", "diskSelector", "size"),
      serial: textAt(main, "machine", "install", "diskSelector", "serial"),
    },
    reboots: true,
  };
}

const legacyAddresses = (interfaces: Fields[]): NodeConfig["addresses"] =>
  interfaces.flatMap((nic) => {
    const mac =
      textAt(nic, "deviceSelector", "hardwareAddr") || textAt(nic, "deviceSelector", "permanentAddr");
    const link = textAt(nic, "interface");
    return textsAt(nic, "addresses").map((cidr) => ({
      mac: mac || undefined,
      link: link || undefined,
      cidr,
    }));
  });

/** A LinkConfig is named after a link, or after an alias whose selector names the MAC. */
function linkAddresses(documents: Fields[]): NodeConfig["addresses"] {
  const macs = new Map(
    ofKind(documents, "LinkAliasConfig").map((alias) => {
      const match = textAt(alias, "selector", "match");
      const mac = /([0-9a-f]{2}:){5}[0-9a-f]{2}/.exec(match)?.[0];
      const isPermanent = !match.includes("link.hardware_addr");
      return [textAt(alias, "name"), mac && { mac, isPermanent: isPermanent || undefined }];
    }),
  );
  return ofKind(documents, "LinkConfig").flatMap((link) => {
    const name = textAt(link, "name");
    const mac = macs.get(name);
    return listAt(link, "addresses")
      .filter(isFields)
      .map((entry) => ({
        ...(mac === undefined || mac === "" ? { link: name } : mac),
        cidr: textAt(entry, "address"),
      }));
  });
}

const endpointOf = (main: Fields, others: Fields[]): string =>
  textAt(main, "cluster", "controlPlane", "endpoint") ||
  textAt(ofKind(others, "KubeClusterConfig")[0], "endpoint");

/** In the main document PEM stands in base64, in the documents of 1.14 as it is. */
function kubeAuthority(main: Fields, others: Fields[]): NodeConfig["kubeCa"] {
  const document = ofKind(others, "KubeAPIServerCAConfig")[0];
  if (document === undefined) return pemPair(main, "cluster", "ca");
  const accepted = textsAt(document, "acceptedCAs")[0] ?? textAt(listAt(document, "acceptedCAs")[0], "cert");
  return {
    cert: textAt(document, "issuingCA", "cert") || accepted,
    key: textAt(document, "issuingCA", "key"),
  };
}

const acceptedIn = (main: Fields, section: string): string[] =>
  listAt(main, section, "acceptedCAs").map((each) => decode(textAt(each, "crt")));

function hasDiscovery(main: Fields, others: Fields[]): boolean {
  if (ofKind(others, "KubeClusterConfig").length > 0)
    return ofKind(others, "DiscoveryServiceConfig").length > 0;
  return valueAt(main, "cluster", "discovery", "enabled") !== false;
}

const pemPair = (main: Fields, ...path: string[]) => ({
  cert: decode(textAt(main, ...path, "crt")),
  key: decode(textAt(main, ...path, "key")),
});

const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

/** A node has one name, said in one place. */
function hostnameProblems(main: Fields, others: Fields[]): string[] {
  const document = ofKind(others, "HostnameConfig")[0];
  if (document === undefined) return [];
  const problems: string[] = [];
  const hostname = textAt(document, "hostname");
  const isAuto = valueAt(document, "auto") !== undefined && textAt(document, "auto") !== "off";
  if (isAuto && hostname !== "") {
    problems.push("HostnameConfig: 'auto' and 'hostname' cannot be set at the same time");
  }
  if (hostname !== "" && textAt(main, "machine", "network", "hostname") !== "") {
    problems.push("static hostname is already set in v1alpha1 config");
  }
  if (valueAt(main, "machine", "features", "stableHostname") === true) {
    problems.push("stable hostname is already set in v1alpha1 config");
  }
  return problems;
}

/** From 1.11 on a node looks at the tags of the Kubernetes images: the six minors up to its own go with it. */
function kubernetesProblems(kubernetes: KubernetesConfig, minor: number): string[] {
  if (minor < 11) return [];
  const newest = minor + 23;
  const oldest = newest - 5;
  const images = { kubelet: kubernetes.kubeletVersion, "kube-apiserver": kubernetes.apiServerVersion };
  return Object.entries(images).flatMap(([name, version]) => {
    const found = Number(version.split(".")[1]);
    if (version === "" || (found >= oldest && found <= newest)) return [];
    const fault = found > newest ? "too new" : "too old";
    return [
      `${name} image is not valid: version of Kubernetes ${version} is ${fault} to be used with Talos 1.${minor}`,
    ];
  });
}
