/** Sites that offer cloud images: whatever is asked for is there, and only pretended. */
export { startDownloads, type SimDownloads } from "./start.ts";
