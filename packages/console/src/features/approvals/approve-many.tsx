import { type Approval, approvalOperations } from '@arbiter/contract/operations/approvals';
import { useState } from 'react';
import { useBulk } from '../../data/bulk/use-bulk.ts';
import type { Failure } from '../../data/failure.ts';
import { adviceFor } from '../../data/problems.ts';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Progress } from '../../ui/progress.tsx';

export interface ApproveManyProps {
  readonly requests: readonly Approval[];
  /** `failed`: the requests that stay. */
  readonly onDone: (failed: readonly string[]) => void;
  readonly onClear: () => void;
}

interface Refusal {
  readonly request: Approval;
  readonly failure: Failure;
}

/** Approves the selected requests, one call for each, and lists those that were refused. */
export function ApproveMany({ requests, onDone, onClear }: ApproveManyProps) {
  const { run, stop, progress } = useBulk(approvalOperations.decide);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const approve = async () => {
    if (progress !== null) return;
    const failures = await run(
      requests.map(({ id, currentStage }) => ({
        params: { id },
        body: { action: 'approve' as const, ...(currentStage === null ? {} : { stage: currentStage }) },
      })),
    );
    const newRefusals = requests.flatMap((request, at): Refusal[] => {
      const failure = failures[at] ?? null;
      return failure === null ? [] : [{ request, failure }];
    });
    setRefusals(newRefusals);
    if (newRefusals.length < requests.length) toast({ text: t.approvedMany(requests.length - newRefusals.length) });
    onDone(newRefusals.map(({ request }) => request.id));
  };
  if (requests.length === 0) return null;
  return (
    <fieldset
      aria-label={t.selection}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-accent bg-accent-soft p-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="grow text-dense font-medium">
          {progress === null ? t.selected(requests.length) : t.approving(progress.done, progress.total)}
        </span>
        <Button size="small" kind="primary" busy={progress !== null} onClick={() => void approve()}>
          {t.approveMany(requests.length)}
        </Button>
        <Button size="small" kind="quiet" onClick={progress === null ? onClear : stop}>
          {progress === null ? t.clear : t.stop}
        </Button>
      </div>
      {progress === null ? null : (
        <Progress share={progress.done / progress.total} label={t.approving(progress.done, progress.total)} />
      )}
      {refusals.length === 0 ? null : (
        <section aria-label={t.refusedMany}>
          <h3 className="text-dense font-medium">{t.refusedMany}</h3>
          <ul className="flex flex-col gap-1 text-dense">
            {refusals.map(({ request: { id, entityName }, failure }) => {
              const { title, detail, text } = adviceFor(failure, approvalOperations.decide);
              return (
                <li key={id} className="min-w-0 break-words">
                  <span className="font-medium">{entityName}</span>: {title}. {detail ?? text}
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </fieldset>
  );
}
