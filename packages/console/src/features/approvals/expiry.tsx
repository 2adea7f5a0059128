import type { Approval } from '@arbiter/contract/operations/approvals';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { useNow } from '../../ui/as-of.tsx';
import { useFormat } from '../../ui/provider.tsx';

const dayMs = 86_400_000;

/** When a waiting request expires, marked on its last day; nothing for others. */
export function Expiry({ request: { expiresAt } }: { readonly request: Pick<Approval, 'expiresAt'> }) {
  const format = useFormat();
  const now = useNow();
  if (expiresAt === null) return null;
  const left = Date.parse(expiresAt) - now;
  return (
    <time
      dateTime={expiresAt}
      title={format.instant(expiresAt)}
      className={left < dayMs ? 'font-medium text-warn' : undefined}
    >
      {left <= 0 ? t.expiresNow : t.expires(format.ago(expiresAt, now))}
    </time>
  );
}
