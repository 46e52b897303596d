import { defineError, diskText, type Position } from "../../errors/index.ts";

export const backupForNobody = defineError("BACKUP_FOR_NOBODY", (f: { cluster: string; at: Position }) => ({
  what: `Cannot back up "${f.cluster}"`,
  why: "a backup holds every secret of the cluster, and the file says nobody who may open it",
  next: 'Make a key with "age-keygen -o key.txt" and name its public half: secrets: { encryption: age, recipients: [age1…] }',
  at: f.at,
}));

export const backupToNowhere = defineError("BACKUP_TO_NOWHERE", (f: { cluster: string; at: Position }) => ({
  what: `Cannot back up "${f.cluster}"`,
  why: "the file names no place for backups",
  next: `Name one: slipway backup ${f.cluster} --to FOLDER`,
  else: "Or write it into the file: backups: { places: [{ folder: /mnt/nas/backups }] }",
  at: f.at,
}));

export const bucketUnknown = defineError("BACKUP_BUCKET_UNKNOWN", (f: { bucket: string }) => ({
  what: `Cannot use the bucket "${f.bucket}"`,
  why: 'no place in "backups" of the cluster file is in it, so neither its server nor its keys are known',
  next: `Add it: backups: { places: [{ s3: { bucket: ${f.bucket}, accessKey: { env: … }, secretKey: { env: … } } }] }`,
}));

export const onePipe = defineError("BACKUP_ONE_PIPE", (clusters: string[]) => ({
  what: "Cannot write several backups into one pipe",
  why: `the file has the clusters ${clusters.join(", ")}`,
  next: `Name one of them: slipway backup ${clusters[0] ?? "CLUSTER"} --to -`,
}));

export const backupWithoutSecrets = defineError(
  "BACKUP_WITHOUT_SECRETS",
  (f: { cluster: string; file: string }) => ({
    what: `Cannot back up "${f.cluster}"`,
    why: `its secrets are not here ("${f.file}"), and without them no backup brings it back`,
    next: `Bring them back or make the cluster first: slipway up ${f.cluster}`,
  }),
);

export const noBackupHere = defineError("BACKUP_NOT_FOUND", (f: { name: string }) => ({
  what: `Cannot find the backup "${f.name}"`,
  why: "it is neither a file nor the name of a backup in one of the places",
  next: "See which there are: slipway backup list",
}));

export const placeRefused = defineError("BACKUP_PLACE_REFUSED", (f: { place: string; cause: unknown }) => ({
  what: `Cannot keep backups in "${f.place}"`,
  why: diskText(f.cause),
  next: "See that the folder has space and is writable, then run the command again",
  cause: f.cause,
}));

export const someFilesMissing = defineError(
  "BACKUP_FILE_MISSING",
  (f: { cluster: string; file: string; from: string }) => ({
    what: `Cannot back up "${f.cluster}"`,
    why: `"${f.file}", which ${f.from} names, cannot be read`,
    next: "Bring it back or take it out of the file, then run the command again",
  }),
);

export const snapshotRefused = defineError(
  "BACKUP_SNAPSHOT_REFUSED",
  (f: { source: string; program: string; why: string }) => ({
    what: `Cannot restore the etcd snapshot in "${f.source}"`,
    why: `${f.program} says: ${f.why}`,
    next: "Choose another backup: slipway backup list",
  }),
);
