import { k3sPaths } from "../paths.ts";

export type K3sRole = "server" | "agent";

/** As K3s' own installer calls them; its tools and Rancher look for these names. */
export const unitName = (role: K3sRole): string => (role === "server" ? "k3s" : "k3s-agent");
export const unitPath = (role: K3sRole): string => `/etc/systemd/system/${unitName(role)}.service`;

/** The unit of systemd. Stopping it leaves the pods running, so a restart is cheap. */
export const unitFile = (role: K3sRole): string => `[Unit]
Description=Kubernetes by K3s (${role})
Documentation=https://k3s.io
Wants=network-online.target
After=network-online.target

[Install]
WantedBy=multi-user.target

[Service]
Type=notify
EnvironmentFile=-/etc/default/%N
EnvironmentFile=-/etc/sysconfig/%N
EnvironmentFile=-${unitPath(role)}.env
KillMode=process
Delegate=yes
User=root
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
TimeoutStartSec=0
Restart=always
RestartSec=5s
ExecStartPre=-/sbin/modprobe br_netfilter
ExecStartPre=-/sbin/modprobe overlay
ExecStart=${k3sPaths.binary} ${role}
`;
