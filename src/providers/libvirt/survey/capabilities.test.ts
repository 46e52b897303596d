import { expect, test } from "vitest";
import { readHostCapabilities, readMachineCapabilities } from "./capabilities.ts";

test("a host with KVM for its own processor, and emulation for another", () => {
  const host = readHostCapabilities(`<capabilities>
    <host><cpu><arch>x86_64</arch></cpu>
      <secmodel><model>apparmor</model></secmodel><secmodel><model>dac</model></secmodel>
      <secmodel><model>none</model></secmodel></host>
    <guest><os_type>xen</os_type><arch name='x86_64'/></guest>
    <guest><os_type>hvm</os_type><arch name='x86_64'>
      <emulator>/usr/bin/qemu-system-x86_64</emulator>
      <machine maxCpus='288'>pc-q35-7.2</machine><machine canonical='pc-q35-7.2' maxCpus='288'>q35</machine>
      <domain type='qemu'/><domain type='kvm'/></arch></guest>
    <guest><os_type>hvm</os_type><arch name='aarch64'>
      <emulator>/usr/bin/qemu-system-aarch64</emulator><machine>virt</machine><domain type='qemu'/></arch></guest>
  </capabilities>`);
  expect(host).toEqual({
    architecture: "x86_64",
    securityDrivers: ["apparmor", "dac"],
    guests: [
      {
        architecture: "x86_64",
        emulator: "/usr/bin/qemu-system-x86_64",
        hasKvm: true,
        machines: [
          { name: "pc-q35-7.2", maxCores: 288 },
          { name: "q35", maxCores: 288 },
        ],
      },
      {
        architecture: "aarch64",
        emulator: "/usr/bin/qemu-system-aarch64",
        hasKvm: false,
        machines: [{ name: "virt" }],
      },
    ],
  });
});

test("what a machine can have: firmware, TPM, processors", () => {
  const machine = readMachineCapabilities(`<domainCapabilities>
    <path>/usr/bin/qemu-system-x86_64</path><domain>kvm</domain><machine>pc-q35-7.2</machine><arch>x86_64</arch>
    <vcpu max='288'/>
    <os supported='yes'><enum name='firmware'><value>efi</value></enum>
      <loader supported='yes'><enum name='secure'><value>yes</value><value>no</value></enum></loader></os>
    <cpu><mode name='host-passthrough' supported='yes'/><mode name='host-model' supported='no'/>
      <mode name='custom' supported='yes'><model usable='yes'>Nehalem</model><model usable='no'>EPYC</model></mode></cpu>
    <devices><tpm supported='yes'><enum name='backendModel'><value>emulator</value></enum></tpm></devices>
  </domainCapabilities>`);
  expect(machine).toEqual({
    accelerator: "kvm",
    architecture: "x86_64",
    machine: "pc-q35-7.2",
    emulator: "/usr/bin/qemu-system-x86_64",
    maxCores: 288,
    hasUefi: true,
    canSecureBoot: true,
    hasTpm: true,
    cpuModes: ["host-passthrough", "custom"],
    cpuModels: ["Nehalem"],
  });
});

test("a host without firmware files and swtpm says so by silence", () => {
  const machine = readMachineCapabilities(`<domainCapabilities>
    <path>/q</path><domain>qemu</domain><machine>pc</machine><arch>x86_64</arch><vcpu max='255'/>
    <os supported='yes'><enum name='firmware'/><loader supported='yes'><enum name='secure'><value>no</value></enum></loader></os>
    <devices><tpm supported='yes'><enum name='backendModel'><value>passthrough</value></enum></tpm></devices>
  </domainCapabilities>`);
  expect(machine).toMatchObject({ accelerator: "qemu", hasUefi: false, canSecureBoot: false, hasTpm: false });
});
