import { approvalOperations } from '@arbiter/contract/operations/approvals';
import { boot } from '../../data/boot.ts';
import { useOperation } from '../../data/use-operation.ts';
import { pendingTexts as t } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormat } from '../../ui/provider.tsx';

export interface PendingRequestsProps {
  readonly entityType: string;
  readonly id: string;
}

/** How many requests the panel shows. The inbox lists the rest. */
const maxLinks = 3;

/** The tab of the inbox that lists a request: those of the user have their own. */
function tabOf(requesterId: string): string {
  const block = boot();
  const principal = block.authenticated ? block.session.principal : undefined;
  return requesterId === (principal?.userId ?? principal?.id) ? 'mine' : 'waiting';
}

/** Pending requests to change a record. Without them, a change that waits for approval would seem lost. */
export function PendingRequests({ entityType, id }: PendingRequestsProps) {
  const format = useFormat();
  // Home and the inbox load the same list.
  const { data } = useOperation(approvalOperations.list, { query: { status: 'pending' } });
  const requests = (data ?? []).filter((request) => request.entityType === entityType && request.entityId === id);
  if (requests.length === 0) return null;
  return (
    <ProblemPanel
      tone="info"
      title={t.title(requests.length)}
      actions={requests.slice(0, maxLinks).map((request) => (
        <ButtonLink
          key={request.id}
          size="small"
          wraps
          to={addresses.approvals({ tab: tabOf(request.requesterId), request: request.id })}
        >
          {t.open(request.requesterName, format.moment(request.createdAt))}
        </ButtonLink>
      ))}
    >
      {t.text}
    </ProblemPanel>
  );
}
