/** The same cluster in other words, for those who want to go on with another tool. Pure. */
export { dnsmasqConf, type DnsmasqCluster, type DnsmasqNode } from "./dnsmasq.ts";
export { terraformText } from "./terraform.ts";
export { talconfig, type TalhelperCluster, type TalhelperLink, type TalhelperNode } from "./talhelper.ts";
