import { named, single } from "./heading.ts";
import {
  atomic,
  duration,
  flag,
  list,
  part,
  replaced,
  replacedAs,
  since,
  struct,
  text,
  textMap,
  texts,
  url,
  value,
  type StructShape,
} from "./shape.ts";

const mountOptions = { destination: text, options: texts };

const verificationRule = struct({
  image: text,
  skip: flag,
  deny: flag,
  keyless: struct({ issuer: text, subject: text, subjectRegex: text }),
  publicKey: struct({ certificate: text }),
});

/** Documents about the machine itself: installation, kernel, logs, registries, containers. */
export const systemShapes: Record<string, StructShape> = {
  UnattendedInstallConfig: single(
    {
      reboot: flag,
      installer: value({ image: text }),
      provisioning: value({ diskSelector: part({ match: atomic }), wipe: flag }),
    },
    { installer: {}, provisioning: {} },
  ),
  SecurityProfileConfig: single({ workloadIsolation: flag }),
  DiscoveryServiceConfig: named({ endpoint: url }, { endpoint: "" }),
  DiscoveryIdentityConfig: single(
    { clusterID: text, clusterSecret: text },
    { clusterID: "", clusterSecret: "" },
  ),
  SysctlConfig: single({ params: textMap }, { params: {} }),
  SysfsConfig: single({ params: textMap }, { params: {} }),
  UdevRulesConfig: single({ rules: texts }),
  KernelModuleConfig: named({ parameters: texts }),
  EnvironmentConfig: single({ variables: textMap }, { variables: {} }),
  EtcFileConfig: named({ mode: text, contents: text }, { mode: 0, contents: "" }),
  EventSinkConfig: single({ endpoint: text }, { endpoint: "" }),
  KmsgLogConfig: named({ url }, { url: "" }),
  OOMConfig: single({
    triggerExpression: atomic,
    cgroupRankingExpression: atomic,
    strictCgroupClassOrdering: since(13, flag),
    sampleInterval: duration,
  }),
  PCIDriverRebindConfig: named({ targetDriver: text }, { targetDriver: "" }),
  SideroLinkConfig: single({ apiUrl: url, uniqueToken: since(10, text) }, { apiUrl: "" }),
  TrustedRootsConfig: named({ certificates: text }, { certificates: "" }),
  WatchdogTimerConfig: single({ device: text, timeout: duration }, { device: "" }),
  ExtensionServiceConfig: named({
    configFiles: list(struct({ content: text, mountPath: text }, { content: "", mountPath: "" }), [
      "mountPath",
    ]),
    environment: texts,
  }),
  RegistryMirrorConfig: named({
    endpoints: list(struct({ url, overridePath: flag }, { url: "" })),
    skipFallback: flag,
  }),
  RegistryAuthConfig: named({ username: text, password: text, auth: text, identityToken: text }),
  RegistryTLSConfig: named({
    clientIdentity: struct({ cert: text, key: text }),
    ca: text,
    insecureSkipVerify: flag,
  }),
  ImageVerificationConfig: single({ rules: list(replacedAs(verificationRule), ["image"]) }),
  ImageCacheConfig: single({ local: struct({ enabled: flag }) }, { local: {} }),
  CRIBaseRuntimeSpecConfig: single({ overrides: replaced }),
  CRICustomizationConfig: named({ content: text }, { content: "" }),
  ContainerConfig: named(
    {
      image: text,
      entrypoint: texts,
      args: texts,
      workingDir: text,
      runAs: struct({ uid: flag, gid: flag }),
      environment: texts,
      mounts: list(
        struct({
          userVolume: struct({ name: text, ...mountOptions }, { name: "", destination: "" }),
          tmpfs: struct({ destination: text, size: text, options: texts }, { destination: "" }),
          hostPath: struct({ source: text, ...mountOptions }, { source: "", destination: "" }),
        }),
      ),
      security: struct({
        profile: text,
        capabilities: struct({ add: texts, drop: texts }),
        machinedAccess: atomic,
      }),
      network: struct({ mode: text }),
      resources: struct({ limits: struct({ cpu: text, memory: text }) }),
      dependsOn: struct({ paths: texts, networks: texts, time: flag, containers: texts }),
    },
    { image: "" },
  ),
};
