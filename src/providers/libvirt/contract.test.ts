import { describe } from "vitest";
import { libvirtContractSite } from "../../../test/support/libvirt-contract.ts";
import { libvirtSocket, withoutLibvirt } from "../../../test/support/libvirtd.ts";
import { describeProviderContract } from "../contract.ts";

describe.skipIf(libvirtSocket === undefined)(`where there is one (${withoutLibvirt})`, () => {
  describeProviderContract("a real libvirtd", () =>
    libvirtContractSite("slipway-test-contract", "10.213.93.0/24"),
  );
});
