import { describe } from "vitest";
import { libvirtContractSite } from "../../../test/support/libvirt/contract.ts";
import { libvirtSocket, withoutLibvirt } from "../../../test/support/libvirt/libvirtd.ts";
import { simLibvirtContractSite } from "../../../test/support/libvirt/sim-libvirt.ts";
import { describeProviderContract } from "../../../test/support/provider-contract.ts";
import { peers } from "../../../test/support/peers.ts";

describeProviderContract("a simulated libvirt", simLibvirtContractSite);

describe.skipIf(libvirtSocket === undefined)(`where there is one (${withoutLibvirt})`, peers, () => {
  describeProviderContract("a real libvirtd", () =>
    libvirtContractSite("slipway-test-contract", "10.213.93.0/24"),
  );
});
