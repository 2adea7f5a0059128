import type { AuditLog } from '@arbiter/contract/identity/audit-logs';
import { auditKind, auditTexts as t } from '../../messages/audit.ts';
import { recordAddress } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Diff } from '../../ui/diff/diff.tsx';
import type { Json } from '../../ui/diff/differences.ts';
import { Link } from '../../ui/link.tsx';
import { SidePanel } from '../../ui/overlays/side-panel.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { RowVerdict } from './audit-columns.tsx';
import { RecordAtVersion } from './record-at-version.tsx';
import type { RowCheck } from './row-hash.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const ofDecisions: readonly string[] = ['replay', 'read_decision_inputs'];

/** One row: who, what changed, and its hashes. */
export function AuditDetail({
  row,
  check,
  onClose,
}: {
  row: AuditLog;
  check: RowCheck | undefined;
  onClose: () => void;
}) {
  const format = useFormat();
  const written = (value: Json): string | null =>
    typeof value === 'string' && instant.test(value) ? format.instant(value) : null;
  // Permanently deleted records have no page.
  const record = row.action === 'delete' ? null : recordAddress(row.entityType, row.entityId);
  const isOfDecision = ofDecisions.includes(row.action);
  return (
    <SidePanel
      of={row.id}
      title={`${t.number} ${row.sequence}`}
      about={<RowVerdict check={check} />}
      closes={t.close}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <p>
          <span className="font-medium">{row.userName}</span> · {row.action.replaceAll('_', ' ')} ·{' '}
          {auditKind(row.entityType)} <span className="font-medium">{row.entityName ?? ''}</span>
          <span className="block text-dense text-soft">{format.instant(row.timestamp)}</span>
        </p>
        {isOfDecision ? (
          <ButtonLink size="small" to={addresses.decision(row.entityId)} className="w-fit">
            {t.openDecision}
          </ButtonLink>
        ) : null}
        {isOfDecision ? null : row.before === null && row.after === null ? (
          <p className="text-soft">{t.noChanges}</p>
        ) : (
          <Diff before={stateOf(row.before)} after={stateOf(row.after)} write={written} />
        )}
        {row.entityVersion === null ? null : (
          <RecordAtVersion entityType={row.entityType} id={row.entityId} version={row.entityVersion} write={written} />
        )}
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-dense">
          <dt className="text-soft">{t.record}</dt>
          <dd className="flex flex-wrap items-center gap-x-3">
            <Id id={row.entityId} what="record ID" />
            {record === null ? null : <Link to={record}>{t.openRecord}</Link>}
          </dd>
          <dt className="text-soft">{t.who}</dt>
          <dd>
            <Link to={addresses.audit({ userId: row.userId })}>{t.onlyOf(row.userName)}</Link>
          </dd>
          <dt className="text-soft">{t.request}</dt>
          <dd>
            <Id id={row.requestId} what="request ID" />
          </dd>
          <dt className="text-soft">{t.hash}</dt>
          <dd>
            <Id id={row.integrityHash} what="hash" />
          </dd>
          <dt className="text-soft">{t.before}</dt>
          <dd>
            <Id id={row.prevHash} what="hash before" />
          </dd>
        </dl>
      </div>
    </SidePanel>
  );
}

/** Parses a state of the audit log, which is JSON; null for none. */
const stateOf = (state: unknown): Json | undefined => (state === null ? undefined : (state as Json));
