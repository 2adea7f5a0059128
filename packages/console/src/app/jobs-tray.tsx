import { CircleCheck, CircleSlash, CircleX, Hourglass } from 'lucide-react';
import type { Job } from '../data/live/jobs.ts';
import { tray, useJobs } from '../data/live/tray.ts';
import { jobKindTexts, jobStateTexts, jobTexts } from '../messages/jobs.ts';
import { useNow } from '../ui/as-of.tsx';
import { Button } from '../ui/button.tsx';
import { Link } from '../ui/link.tsx';
import { Popover } from '../ui/overlays/popover.tsx';
import { Progress, Spinner } from '../ui/progress.tsx';

const stateIcons = {
  done: <CircleCheck aria-hidden className="size-4 text-pass" />,
  failed: <CircleX aria-hidden className="size-4 text-block" />,
  cancelled: <CircleSlash aria-hidden className="size-4 text-faint" />,
} as const;

/** Shows background jobs on every page: progress and results. */
export function JobsTray() {
  const jobs = useJobs();
  const running = jobs.filter(({ state }) => state === 'running').length;
  return (
    <Popover
      label={jobTexts.title}
      trigger={
        <Button
          kind="quiet"
          aria-label={running === 0 ? jobTexts.title : jobTexts.running(running)}
          icon={
            running === 0 ? (
              <Hourglass aria-hidden className="size-4" />
            ) : (
              <span className="tabular-nums">{running}</span>
            )
          }
        />
      }
    >
      <h2 className="pb-2 font-semibold text-body">{jobTexts.title}</h2>
      {jobs.length === 0 ? <p className="text-soft">{jobTexts.none}</p> : null}
      <ul className="flex flex-col divide-y divide-line">
        {jobs.map((job) => (
          <JobLine key={job.id} job={job} />
        ))}
      </ul>
      {jobs.length > running ? (
        <div className="pt-2">
          <Button size="small" onClick={tray().clear}>
            {jobTexts.clear}
          </Button>
        </div>
      ) : null}
    </Popover>
  );
}

function JobLine({ job }: { job: Job }) {
  const now = useNow();
  const { kind, title, state, progress, etaSeconds, note, startedAt, open } = job;
  const lasts = jobTexts.lasts(Math.max(0, Math.round((now - startedAt) / 1_000)));
  return (
    <li className="flex flex-col gap-1 py-2">
      <span className="flex items-center gap-2">
        {state === 'running' ? null : stateIcons[state]}
        <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
        <span className="text-caption text-soft">{state === 'running' ? lasts : jobStateTexts[state]}</span>
      </span>
      {state === 'running' && progress !== undefined ? <Progress share={progress} label={title} /> : null}
      {state === 'running' && progress === undefined ? <Spinner label={jobKindTexts[kind]} /> : null}
      {note === undefined ? null : <span className="text-dense text-soft">{note}</span>}
      <span className="flex items-center gap-3 text-dense text-soft">
        {etaSeconds === undefined || state !== 'running' ? null : jobTexts.left(etaSeconds)}
        {open === null ? null : <Link to={open}>{jobTexts.open}</Link>}
        {tray().canCancel(job) ? (
          <Button kind="quiet" size="small" onClick={() => void tray().cancel(job.id)}>
            {jobTexts.cancel}
          </Button>
        ) : null}
      </span>
    </li>
  );
}
