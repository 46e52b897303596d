import { describe, expect, test } from "vitest";
import { endpoints, type Call } from "../../../clients/proxmox/endpoints/index.ts";
import type { ApiError } from "../api-error.ts";
import { verifyParams, type RawParams } from "./verify.ts";

function problems(call: Call, params: RawParams, version: 8 | 9 = 9): Record<string, string> {
  try {
    verifyParams(endpoints[call], params, version);
    return {};
  } catch (error) {
    return (error as ApiError).errors ?? {};
  }
}

const create = (params: RawParams, version: 8 | 9 = 9) =>
  problems("POST /nodes/{node}/qemu", { node: "hydra", vmid: "100", ...params }, version);

describe("verifyParams()", () => {
  test("takes what a cluster tool sends", () => {
    expect(
      create({
        name: "cp-1",
        scsi0: "local-lvm:0,import-from=local:import/x.qcow2,discard=on,iothread=1,ssd=1",
        net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=14",
        ipconfig0: "ip=10.0.0.5/24,gw=10.0.0.1",
        tags: ["slipway", "lab"],
        onboot: true,
        memory: 4096,
      }),
    ).toEqual({});
  });

  test.each([
    [{ cores: "1.5" }, "cores", "type check ('integer') failed - got '1.5'"],
    [{ onboot: "true" }, "onboot", "type check ('boolean') failed - got 'true'"],
    [{ name: ["a", "b"] }, "name", "type check ('string') failed - got ARRAY"],
    [{ description: { a: 1 } }, "description", "type check ('string') failed - got HASH"],
    [{ name: "bad_name" }, "name", "invalid format - value does not look like a valid DNS name\n"],
    [
      { net0: "virtio,bridge=vmbr0,tag=5000" },
      "net0",
      "invalid format - format error\nnet0.tag: value must have a maximum value of 4094\n",
    ],
    [
      { scsi0: "local" },
      "scsi0",
      "invalid format - format error\nscsi0.file: invalid format - unable to parse volume ID 'local'\n\n",
    ],
    [
      { ipconfig0: "ip=10.0.0.5" },
      "ipconfig0",
      "invalid format - format error\nipconfig0.ip: invalid format - value does not look like a valid ipv4 network configuration\n\n",
    ],
    [
      { scsi31: "local:1" },
      "scsi31",
      "property is not defined in schema and the schema does not allow additional properties",
    ],
    [{ bios: "uefi" }, "bios", "value 'uefi' does not have a value in the enumeration 'seabios, ovmf'"],
    [
      { sshkeys: "ssh-ed25519 AAAA" },
      "sshkeys",
      "invalid format - invalid urlencoded string: ssh-ed25519 AAAA\n",
    ],
    [{ force: "1" }, "archive", "missing property required by 'force'"],
  ])("refuses %j", (params, name, text) => {
    expect(create(params)).toEqual({ [name]: text });
  });

  test("tells every problem at once", () => {
    expect(Object.keys(problems("POST /nodes/{node}/qemu", { node: "hydra", foo: "1", cores: "0" }))).toEqual(
      ["vmid", "foo", "cores"],
    );
  });

  test("puts several problems of one name behind each other", () => {
    expect(create({ force: "1", unique: "1" })).toEqual({
      archive: "missing property required by 'force'\\nmissing property required by 'unique'",
    });
    expect(create({ net0: "virtio,bridge=a b,tag=0" })).toEqual({
      net0: "invalid format - format error\nnet0.bridge: invalid format - invalid bridge ID 'a b'\n\nnet0.tag: value must have a minimum value of 1\n",
    });
  });

  test("knows what 8 does not have, and how it words things", () => {
    expect(create({ "ha-managed": "1" })).toEqual({});
    expect(Object.keys(create({ "ha-managed": "1" }, 8))).toEqual(["ha-managed"]);
    expect(create({ agent: "yes" })).toEqual({});
    expect(Object.keys(create({ agent: "yes" }, 8))).toEqual(["agent"]);
    expect(create({ agent: "enabled=yes" }, 8)).toEqual({});
    expect(create({ force: "1" }, 8)).toEqual({
      archive: "missing property - 'force' requires this property",
    });
  });

  test("gives values their types", () => {
    const call = endpoints["DELETE /nodes/{node}/qemu/{vmid}"];
    expect(verifyParams(call, { node: "hydra", vmid: "100", purge: "1" }, 9)).toEqual({
      node: "hydra",
      vmid: 100,
      purge: true,
    });
  });
});
