import type { Operation } from '@arbiter/contract/core/operation';
import { type Approval, approvalOperations, approvedBy, isApprovable } from '@arbiter/contract/operations/approvals';
import { useState } from 'react';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { recordAddress } from '../../records/record-kinds.ts';
import { useKeys } from '../../route/use-keys.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { ApprovalChanges } from './approval-changes.tsx';
import { ApprovalImpact } from './approval-impact.tsx';
import { Expiry } from './expiry.tsx';
import { openStage, type Reviewer, whyNotDecide } from './inbox.ts';

export interface ApprovalPanelProps {
  readonly request: Approval;
  /** Open requests for the same record. */
  readonly rivals: readonly Approval[];
  readonly reviewer: Reviewer;
  readonly onChoose: (id: string) => void;
  readonly onDecided: () => void;
}

/** Other requests for the same record that the warning opens; the list has the rest. */
const maxRivals = 3;

/** A request: what it would change now, what speaks against it, and the decision. */
export function ApprovalPanel({ request, rivals, reviewer, onChoose, onDecided }: ApprovalPanelProps) {
  const { id, entityName, entityType, entityId, action, appliedEntityId } = request;
  const answer = useOperation(approvalOperations.get, { params: { id } }, { everyMs: 30_000, keepPrevious: false });
  const record = useTarget(request);
  const links = useLinks();
  const format = useFormat();
  const recordId = action === 'create' ? appliedEntityId : entityId;
  const to = recordId === null ? null : recordAddress(entityType, recordId);
  useKeys(to === null ? [] : [{ keys: 'o', title: t.openRecord, run: () => links.go(to) }]);
  return (
    <Section title={entityName} actions={to === null ? null : <ButtonLink to={to}>{t.openRecord}</ButtonLink>}>
      <div className="flex flex-col gap-4">
        {rivals.length === 0 ? null : (
          <ProblemPanel
            tone="warn"
            title={t.rivals(rivals.length)}
            actions={rivals.slice(0, maxRivals).map((rival) => (
              <Button key={rival.id} size="small" wraps onClick={() => onChoose(rival.id)}>
                {t.openRequest(rival.requesterName, format.moment(rival.createdAt))}
              </Button>
            ))}
          >
            {t.rivalsText}
          </ProblemPanel>
        )}
        {request.status === 'pending' && record !== undefined ? <Moved request={request} record={record} /> : null}
        <Loaded answer={answer} operation={approvalOperations.get}>
          {(detail) => <ApprovalChanges detail={detail} />}
        </Loaded>
        <ApprovalImpact request={request} record={record} />
        <Stages request={request} />
        <p className="text-dense text-soft empty:hidden">
          <Expiry request={request} />
        </p>
        <Decision request={request} reviewer={reviewer} onDecided={onDecided} />
      </div>
    </Section>
  );
}

type Target = Readonly<Record<string, unknown>>;
const isTarget = (record: unknown): record is Target => typeof record === 'object' && record !== null;

/** Returns the current record that a request changes; undefined while it loads or if there's none. */
function useTarget({ action, entityType, entityId, status }: Approval): Target | undefined {
  const isKnown = isApprovable(entityType);
  const get: Operation = approvedBy[isKnown ? entityType : 'offer'].get;
  const enabled = isKnown && action !== 'create' && status === 'pending';
  const { data } = useOperation(get, { params: { id: entityId } }, { enabled, everyMs: 30_000 });
  return enabled && isTarget(data) ? data : undefined;
}

/** Says that the record changed after the request. */
function Moved({ request: { createdAt }, record }: { readonly request: Approval; readonly record: Target }) {
  const format = useFormat();
  const changed = String(record.updatedAt ?? createdAt);
  if (Date.parse(changed) <= Date.parse(createdAt)) return null;
  return (
    <ProblemPanel tone="warn" title={t.moved(format.moment(changed))}>
      {t.movedText}
    </ProblemPanel>
  );
}

function Stages({ request: { stages } }: { readonly request: Approval }) {
  const format = useFormat();
  return (
    <div>
      <h3 className="text-dense font-medium">{t.stages}</h3>
      <ol className="flex flex-col gap-1 text-dense">
        {stages.map(({ id, stageName, requiredRole, status, decidedByName, decidedAt, comments }) => (
          <li key={id}>
            {t.stage(stageName, requiredRole)}: {t.statuses[status]}
            {decidedByName === null || decidedAt === null ? null : (
              <span className="text-soft"> · {t.decidedBy(decidedByName, format.moment(decidedAt))}</span>
            )}
            {comments === null ? null : <span className="block break-words text-soft">{comments}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

interface DecisionProps extends Pick<ApprovalPanelProps, 'request' | 'reviewer' | 'onDecided'> {}

function Decision({ request, reviewer, onDecided }: DecisionProps) {
  const [comment, setComment] = useState('');
  const { run, busy, failure } = useMutate(approvalOperations.decide);
  const why = whyNotDecide(request, reviewer);
  const stage = openStage(request);
  const role = t.needsRole(stage?.requiredRole ?? 'admin');
  const reasons = { own: t.own, decided: t.decided, closed: t.notPending, role };
  const reason = why === null ? null : reasons[why];
  const decide = async (action: 'approve' | 'reject') => {
    if (busy || reason !== null) return;
    const body = {
      action,
      ...(comment.trim() === '' ? {} : { comments: comment.trim() }),
      ...(request.currentStage === null ? {} : { stage: request.currentStage }),
    };
    const result = await run({ params: { id: request.id }, body });
    if (result === null) return;
    const { entityName: name } = request;
    toast({
      text: action === 'reject' ? t.rejected(name) : result.status === 'pending' ? t.nextStage(name) : t.approved(name),
    });
    onDecided();
  };
  useKeys(
    reason === null
      ? [
          { keys: 'a', title: t.approve, run: () => void decide('approve') },
          { keys: 'mod+enter', title: t.approve, run: () => void decide('approve') },
          { keys: 'r', title: t.reject, run: () => void decide('reject') },
        ]
      : [],
  );
  if (why === 'closed') return <p className="text-soft">{t.notPending}</p>;
  return (
    <div className="flex flex-col gap-3">
      {failure === null ? null : (
        <>
          <FailurePanel failure={failure} operation={approvalOperations.decide} retry={null} />
          <p className="text-soft">{t.refused}</p>
        </>
      )}
      <TextAreaField
        label={t.comment}
        help={t.commentHelp}
        rows={2}
        maxLength={2000}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} disabledReason={reason} onClick={() => void decide('reject')}>
          {t.reject}
        </Button>
        <Button kind="primary" busy={busy} disabledReason={reason} onClick={() => void decide('approve')}>
          {t.approve}
        </Button>
      </div>
      {reason === null ? null : <p className="text-dense text-soft">{reason}</p>}
    </div>
  );
}
