import type { ApprovalDetail } from '@arbiter/contract/operations/approvals';
import { Settings } from '../../forms/settings.tsx';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { valueText } from '../../messages/catalogue/conditions.ts';
import { humanKey } from '../../messages/human-key.ts';
import { ProblemPanel } from '../../ui/problem.tsx';

/** The path of a value in words: `/schedule/startHour` is "Schedule, Start hour". */
const pathText = (path: string): string =>
  path === '/publish' ? t.liveVersion : path.split('/').slice(1).map(humanKey).join(', ');

function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined || value === '') return <span className="text-soft">{t.nothing}</span>;
  if (typeof value !== 'object') return valueText(value);
  return <pre className="text-caption break-words whitespace-pre-wrap">{JSON.stringify(value, null, 2)}</pre>;
}

/** What a request would change in the record as it is now. */
export function ApprovalChanges({ detail }: { readonly detail: ApprovalDetail }) {
  const { action, diff, payload, status, targetFound } = detail;
  if (action === 'create') {
    return (
      <div>
        <h3 className="pb-1 text-dense font-medium">{t.values}</h3>
        <Settings config={payload ?? {}} />
      </div>
    );
  }
  if (status === 'pending' && !targetFound) {
    return (
      <ProblemPanel tone="warn" title={t.gone}>
        {t.goneText}
      </ProblemPanel>
    );
  }
  if (action === 'delete') return <p>{t.deletes}</p>;
  if (status !== 'pending') return <Settings config={payload ?? {}} />;
  if (diff.length === 0) return <p className="text-soft">{t.same}</p>;
  return (
    <div>
      <h3 className="pb-1 text-dense font-medium">{t.changes}</h3>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {diff.map(({ path, before, after }) => (
          <li key={path} className="flex flex-col gap-1 py-2">
            <span className="font-medium break-words">{pathText(path)}</span>
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-dense">
              <dt className="text-soft">{t.before}</dt>
              <dd className="min-w-0 break-words">
                <Value value={before} />
              </dd>
              <dt className="text-soft">{t.after}</dt>
              <dd className="min-w-0 break-words">
                <Value value={after} />
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </div>
  );
}
