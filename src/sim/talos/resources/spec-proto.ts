import {
  create,
  toBinary,
  type DescMessage,
  type JsonObject,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { machineApi, specsApi } from "../../../clients/talos/index.ts";

const encoder =
  <S extends DescMessage>(schema: S) =>
  (content: MessageInitShape<S>): Uint8Array =>
    toBinary(schema, create(schema, content));

const machineStatusBytes = encoder(specsApi.MachineStatusSpecSchema);
const machineConfigBytes = encoder(specsApi.MachineConfigSpecSchema);
const memberBytes = encoder(specsApi.MemberSpecSchema);
const staticPodBytes = encoder(specsApi.StaticPodStatusSpecSchema);

const machineTypes = { controlplane: 2, worker: 3 };

/** Specs in protobuf, for the types talosctl does not read as YAML. */
export const specProto = {
  resourceDefinition: encoder(specsApi.ResourceDefinitionSpecSchema),
  bootstrapManifests: encoder(specsApi.BootstrapManifestsConfigSpecSchema),
  bootId: encoder(specsApi.BootIDSpecSchema),
  nodename: encoder(specsApi.NodenameSpecSchema),
  volumeStatus: encoder(specsApi.VolumeStatusSpecSchema),
  machineConfig: (text: string) => machineConfigBytes({ yamlMarshalled: Buffer.from(text) }),
  staticPodStatus: (status: object) => staticPodBytes({ podStatus: status as JsonObject }),
  machineStatus(stage: string, isReady: boolean, unmetConditions: { name: string; reason: string }[]) {
    const stages: Record<string, number> = machineApi.MachineStatusEvent_MachineStage;
    const name = stage.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return machineStatusBytes({ stage: stages[name] ?? 0, status: { ready: isReady, unmetConditions } });
  },
  member(member: {
    nodeId: string;
    hostname: string;
    addresses: string[];
    machineType: keyof typeof machineTypes;
    operatingSystem: string;
  }) {
    return memberBytes({
      nodeId: member.nodeId,
      hostname: member.hostname,
      operatingSystem: member.operatingSystem,
      machineType: machineTypes[member.machineType],
      addresses: member.addresses.map((address) => ({ ip: addressBytes(address) })),
      controlPlane: member.machineType === "controlplane" ? { apiServerPort: 6443n } : undefined,
    });
  },
};

const addressBytes = (address: string): Uint8Array => Uint8Array.from(address.split(".").map(Number));
