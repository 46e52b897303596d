import { proxmoxContractSite } from "../../../test/support/proxmox/contract.ts";
import { describeProviderContract } from "../../../test/support/provider-contract.ts";

describeProviderContract("a simulated Proxmox", proxmoxContractSite);
