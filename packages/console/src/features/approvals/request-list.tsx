import type { Approval } from '@arbiter/contract/operations/approvals';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { CheckField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { Expiry } from './expiry.tsx';

/** Requests selected to be approved together. */
export interface RequestSelection {
  readonly requests: readonly Approval[];
  readonly has: (id: string) => boolean;
  readonly set: (ids: readonly string[]) => void;
  readonly toggle: (id: string) => void;
  /** Why a request can't be selected; null if it can. */
  readonly reasonFor: (request: Approval) => string | null;
}

const tones: Readonly<Record<Approval['status'], Tone>> = {
  ...{ pending: 'warn', approved: 'pass' },
  ...{ rejected: 'block', expired: 'neutral' },
};

export interface RequestListProps {
  readonly rows: readonly Approval[];
  readonly chosen: string | null;
  readonly isSelectable: boolean;
  readonly selection: RequestSelection;
  readonly onChoose: (id: string) => void;
}

/** The requests of a tab. */
export function RequestList({ rows, chosen, isSelectable, selection, onChoose }: RequestListProps) {
  return (
    <Section title={t.list} flush>
      <ul className="divide-y divide-line">
        {rows.map((request) => (
          <li
            key={request.id}
            className={cx('flex items-start', request.id === chosen ? 'bg-accent-soft' : 'hover:bg-hover')}
          >
            {isSelectable && rows.length > 1 ? (
              <div className="ps-4 pt-3">
                <CheckField
                  label={<span className="hidden-text">{t.selectOne(request.entityName)}</span>}
                  checked={selection.has(request.id)}
                  disabledReason={selection.has(request.id) ? null : selection.reasonFor(request)}
                  onChange={() => selection.toggle(request.id)}
                />
              </div>
            ) : null}
            <RequestLine request={request} isChosen={request.id === chosen} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface RequestLineProps extends Pick<RequestListProps, 'onChoose'> {
  readonly request: Approval;
  readonly isChosen: boolean;
}

function RequestLine({ request, isChosen, onChoose }: RequestLineProps) {
  const format = useFormat();
  const { id, entityName, entityType, action, payload, requesterName, createdAt, status } = request;
  return (
    <button
      type="button"
      aria-current={isChosen ? 'true' : undefined}
      onClick={() => onChoose(id)}
      className="flex w-full min-w-0 flex-col gap-1 px-4 py-3 text-start -outline-offset-2"
    >
      <span className="flex flex-wrap items-center gap-2">
        <span dir="auto" className="min-w-0 font-medium break-words">
          {entityName}
        </span>
        <Badge tone={tones[status]}>{t.statuses[status]}</Badge>
      </span>
      <span className="text-dense text-soft">
        {payload?.publish === true ? t.publishes : t.actions[action]} · {t.kind(entityType)}
      </span>
      <span className="flex flex-wrap gap-x-2 text-caption text-soft">
        <span>{t.by(requesterName, format.moment(createdAt))}</span>
        <Expiry request={request} />
      </span>
    </button>
  );
}
