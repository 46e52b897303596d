/** S3, as Amazon and many others speak it: write, read, list, remove in one bucket. Knows nothing of Slipway. */
export { connectS3, type S3Client, type S3Object } from "./client.ts";
