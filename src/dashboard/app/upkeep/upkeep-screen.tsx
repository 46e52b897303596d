import type { JSX } from "preact";
import type { ClusterStatus } from "../../../operations/index.ts";
import { formatBytes, formatElapsed, formatNumber } from "../../../views/index.ts";
import type { BackupsAnswer } from "../../protocol.ts";
import { useStore } from "../data/store.ts";
import { Command } from "../parts/command.tsx";
import { Failure } from "../parts/failure.tsx";
import { Icon, type Shape } from "../parts/icon.tsx";
import { Rows, type Column } from "../parts/rows.tsx";
import { clockText } from "../parts/time.ts";
import { useQuestion } from "../parts/use-question.ts";

/** What must not be forgotten while all is well: backups, and certificates that end. */
export const UpkeepScreen = ({ cluster }: { cluster: string }): JSX.Element => (
  <div class="stack">
    <Backups cluster={cluster} />
    <Certificates cluster={cluster} />
  </div>
);

type Backup = BackupsAnswer["backups"][number];

function Backups({ cluster }: { cluster: string }): JSX.Element {
  const { api, now } = useStore();
  const query = new URLSearchParams({ cluster }).toString();
  const listed = useQuestion(
    async (signal) => api?.get<BackupsAnswer>(`/api/backups?${query}`, signal),
    `backups ${cluster}`,
  );
  const { answer, errors, isAsking, again } = listed;
  return (
    <section class="panel">
      <header>
        <h2>Backups</h2>
        <span class="mute">{backupsText(answer, now.value)}</span>
        <button type="button" class="toggle push" disabled={isAsking} onClick={again}>
          Look again
        </button>
      </header>
      {errors.map((error, index) => (
        <Failure key={index} error={error} />
      ))}
      {answer === undefined
        ? errors.length === 0 && <p class="empty">Asking where backups are kept…</p>
        : answer.backups.length === 0 && (
            <div class="empty">
              <b>{answer.hasPlace ? "There is no backup yet" : "The file names no place for backups"}</b>
              {answer.hasPlace ? "Take one:" : "Take one into a folder, or write backups: into the file:"}
              <br />
              <Command
                text={answer.hasPlace ? `slipway backup ${cluster}` : `slipway backup ${cluster} --to FOLDER`}
              />
            </div>
          )}
      {answer !== undefined && answer.backups.length > 0 && (
        <Rows
          kind="backups"
          label="Backups"
          items={answer.backups}
          columns={backupColumns(now.value)}
          keyOf={({ place, name }) => `${place}/${name}`}
        />
      )}
      {(answer?.foreign ?? []).map(({ place, name, why }) => (
        <p class="note" key={`${place}/${name}`}>
          Left alone: {place}/{name}: {why}
        </p>
      ))}
    </section>
  );
}

function backupsText(answer: BackupsAnswer | undefined, nowMs: number): string {
  const [newest] = answer?.backups ?? [];
  if (!answer || !newest) return answer?.isOverdue === true ? "overdue" : "";
  const age = formatElapsed(Math.max(0, nowMs - newest.takenAt));
  return `${formatNumber(answer.backups.length, "backup")}, the newest ${age} old${answer.isOverdue ? ": older than the file allows" : ""}`;
}

const backupColumns = (nowMs: number): Column<Backup>[] => [
  {
    title: "Taken",
    cell: ({ takenAt }) => {
      const iso = new Date(takenAt).toISOString();
      return <time dateTime={iso}>{clockText(iso, nowMs)}</time>;
    },
  },
  { title: "Backup", kind: "mono", cell: ({ name }) => name },
  {
    title: "Runs",
    kind: "mute phone-hide",
    cell: ({ versions }) =>
      Object.entries(versions)
        .map(([what, version]) => `${what} ${version}`)
        .join(", "),
  },
  { title: "Size", kind: "n", cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
  { title: "Place", kind: "mono mute phone-hide", cell: ({ place }) => place },
];

type Certificate = NonNullable<ClusterStatus["certificates"]>[number];

const soonDays = 30;

const shapeOf = (daysLeft: number): Shape => (daysLeft < 0 ? "fail" : daysLeft < soonDays ? "warn" : "done");

const leftText = (daysLeft: number): string =>
  daysLeft < 0 ? `ended ${formatNumber(-daysLeft, "day")} ago` : `${formatNumber(daysLeft, "day")} left`;

const certificateColumns: Column<Certificate>[] = [
  { title: "Certificate", cell: ({ name }) => name },
  {
    title: "State",
    kind: "state",
    cell: ({ daysLeft }) => (
      <>
        <Icon shape={shapeOf(daysLeft)} label={false} />
        <span>{leftText(daysLeft)}</span>
      </>
    ),
  },
  {
    title: "Ends",
    kind: "mute phone-hide",
    cell: ({ expires }) => (
      <time dateTime={expires}>
        {new Date(expires).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}
      </time>
    ),
  },
  {
    title: "Made anew by",
    kind: "know",
    cell: ({ renew }) => (renew.startsWith("slipway ") ? <Command text={renew} /> : renew),
  },
];

function Certificates({ cluster }: { cluster: string }): JSX.Element {
  const { fleet } = useStore();
  const status = fleet.value?.clusters.find((each) => each.cluster === cluster);
  const certificates = status?.certificates ?? [];
  const [first] = certificates;
  return (
    <section class="panel">
      <header>
        <h2>Certificates</h2>
        <span class="mute">
          {first ? `the first to end: ${first.name}, ${leftText(first.daysLeft)}` : ""}
        </span>
      </header>
      {certificates.length > 0 ? (
        <Rows
          kind="certificates"
          label="Certificates"
          items={certificates}
          columns={certificateColumns}
          keyOf={({ name }) => name}
        />
      ) : (
        <p class="empty">
          {fleet.value
            ? "None can be seen: the cluster does not answer, or is not there yet."
            : "Asking hosts and nodes…"}
        </p>
      )}
    </section>
  );
}
