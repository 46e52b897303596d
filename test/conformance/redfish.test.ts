import { writeFile, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { faultBox, loopbackNetwork } from "../../src/sim/index.ts";
import { startMetal, type SimMetal } from "../../src/sim/metal/index.ts";
import { runProgram } from "../support/kube/kubectl.ts";
import { labFile, peers } from "../support/peers.ts";

const python = labFile("redfish/bin/python");
const howToGet = "DMTF's redfish and OpenStack's sushy: lab/install-redfish.sh";
const bmc = { url: "https://127.46.9.1:18443", user: "slipway", password: "a long one", system: "1" };

let metal: SimMetal;
let folder: string;

const client = async (which: "dmtf" | "openstack"): Promise<string> => {
  const env = {
    ...{ BMC_URL: bmc.url, BMC_USER: bmc.user, BMC_PASSWORD: bmc.password, PATH: process.env["PATH"] ?? "" },
    BMC_CA: path.join(folder, "ca.pem"),
  };
  const script = path.join(import.meta.dirname, "testdata/redfish/life.py");
  const { code, stdout, stderr } = await runProgram(python ?? "", [script, which], { env });
  expect(code, stderr).toBe(0);
  return stdout;
};

describe.skipIf(python === undefined)(`a controller of Redfish (${howToGet})`, peers, () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "slipway-redfish-"));
    metal = await startMetal({
      machines: {
        "rack-1": {
          ...{ cidr: "10.0.0.5/24", mac: "9c:6b:00:00:00:01", cores: 1, memoryMiB: 1024, disks: [] },
          ...{ image: "metal.iso", isOn: false, wakesOnLan: false, bmc },
        },
      },
      network: loopbackNetwork(),
      clock: realClock,
      random: realRandom,
      faults: faultBox(),
      boot: () => ({ stop: async () => {} }),
    });
    await writeFile(path.join(folder, "ca.pem"), metal.ca);
  });

  afterAll(async () => {
    await metal.close();
    await rm(folder, { recursive: true });
  });

  test("DMTF's client logs in, switches the machine on, and hears what is not possible", async () => {
    expect(await client("dmtf")).toBe(
      "before Off\nanswer 204\nafter On\nrefused 400 Base.1.8.ActionParameterValueNotInList\n",
    );
    expect(metal.isOn("rack-1")).toBe(true);
  });

  test("OpenStack's client finds the system and switches it off", async () => {
    expect(await client("openstack")).toBe(
      "before On\nafter Off\nmay ForceOff, ForceOn, ForceRestart, GracefulShutdown, On, PowerCycle\n",
    );
    expect(metal.isOn("rack-1")).toBe(false);
  });
});
