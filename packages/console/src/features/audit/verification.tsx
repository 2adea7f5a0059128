import { type AuditVerification, auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import { useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { auditTexts as t } from '../../messages/audit.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** Verifies the entire chain on the server, on demand because it reads every row. Long chains take several requests. */
export function Verification() {
  const format = useFormat();
  const { run, busy, failure } = useMutate(auditLogOperations.verify);
  const [found, setFound] = useState<{
    readonly result: AuditVerification;
    readonly rows: number;
    readonly at: number;
  } | null>(null);
  const verify = async () => {
    let rows = 0;
    let from = 1;
    for (;;) {
      const result = await run({ query: { fromSequence: from } });
      if (result === null) return;
      rows += result.verified;
      setFound({ result, rows, at: Date.now() });
      if (!result.intact || result.nextSequence === null) return;
      from = result.nextSequence;
    }
  };
  return (
    <div className="flex flex-col gap-3">
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={auditLogOperations.verify} retry={() => void verify()} />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 py-3">
        <Button busy={busy} onClick={() => void verify()}>
          {t.verify}
        </Button>
        {found === null ? (
          <span className="text-dense text-soft">{t.verifyText}</span>
        ) : (
          <div className="flex min-w-0 flex-col gap-0.5" role="status">
            <span className="flex flex-wrap items-center gap-3">
              <Verdict result={found.result} rows={format.number(found.rows)} />
              <AsOf at={found.at} word="verified" />
            </span>
            <span className="text-dense text-soft">
              {found.result.intact ? t.intactText : t.brokenReasons[found.result.brokenReason ?? 'hash_mismatch']}
              {found.result.checkpoint === null ? '' : ` ${t.since(format.number(found.result.checkpoint.sequence))}`}
            </span>
            {found.result.brokenAtId === undefined ? null : <Id id={found.result.brokenAtId} what="row ID" />}
          </div>
        )}
      </div>
    </div>
  );
}

function Verdict({ result, rows }: { result: AuditVerification; rows: string }) {
  if (!result.intact) return <Badge tone="block">{t.broken(String(result.fromSequence + result.verified))}</Badge>;
  return (
    <Badge tone={result.nextSequence === null ? 'pass' : 'info'}>
      {result.nextSequence === null ? t.intact(rows) : t.partial(rows)}
    </Badge>
  );
}
