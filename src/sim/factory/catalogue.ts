/** What the public factory offers for today's releases. */
export const officialExtensions: readonly string[] = `
amazon-ena amd-ucode amdgpu binfmt-misc bird2 bnx2-bnx2x btrfs cachefilesd chelsio-drivers chelsio-firmware
cloudflared crun ctr drbd dvb-cx23885 dvb-m88ds3103 dvb-pt3 ecr-credential-provider fuse3 gasket-driver glibc
gpio-pinctrl gvisor gvisor-debug hailort harbor-credential-provider hyperv-guest-agent i915 intel-hd-audio
intel-ice-firmware intel-npu intel-ucode iscsi-tools joydev kata-containers kata-containers-nvidia-gpu-snp
kata-containers-snp libvirtd lldpd mdadm mei mellanox-mstflint metal-agent multipath-tools nebula netbird newt
nfs-server nfs-utils nfsd nfsrahead nonfree-kmod-nvidia-lts nonfree-kmod-nvidia-production nut-client
nvidia-container-toolkit-lts nvidia-container-toolkit-production nvidia-fabricmanager-lts
nvidia-fabricmanager-production nvidia-gdrdrv-device nvidia-open-gpu-kernel-modules-lts
nvidia-open-gpu-kernel-modules-production nvme-cli panfrost px-fuse qemu-guest-agent qlogic-firmware
realtek-firmware revpi-firmware rockchip-rknn soci-snapshotter spin stargz-snapshotter tailscale tenstorrent
thunderbolt trident-iscsi-tools uhid uinput urunc usb-audio-drivers usb-modem-drivers util-linux-tools
v4l-uvc-drivers vc4 vmtoolsd-guest-agent wasmedge xdma-driver xe xen-guest-agent youki zerotier zfs
`
  .trim()
  .split(/\s+/)
  .map((name) => `siderolabs/${name}`);

const minors = Array.from({ length: 8 }, (_, index) => 8 + index);
const patches = Array.from({ length: 16 }, (_, patch) => patch);

/** Every release number from 1.8 on that is or may soon be one, so that no rehearsal fails for being new. */
export const versions: readonly string[] = minors.flatMap((minor) =>
  patches.map((patch) => `1.${minor}.${patch}`),
);

/** Also a pre-release of a known one. */
export const isVersion = (version: string): boolean => versions.includes(version.replace(/-.*$/, ""));
