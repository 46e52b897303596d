import { proxmoxContractSite } from "../../../test/support/proxmox-contract.ts";
import { describeProviderContract } from "../contract.ts";

describeProviderContract("a simulated Proxmox", proxmoxContractSite);
