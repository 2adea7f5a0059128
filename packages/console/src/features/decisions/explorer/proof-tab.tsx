import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { Download, RotateCcw, ShieldCheck } from 'lucide-react';
import { can } from '../../../data/can.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Spinner } from '../../../ui/progress.tsx';
import { type Replay, useProofFile } from '../calls.ts';
import { ValueTable } from '../compare/value-table.tsx';
import { RecordFacts } from './record-facts.tsx';

export interface ProofTabProps {
  readonly record: DecisionRecord;
  readonly explanation: Explanation | null;
  readonly replay: Replay;
}

/** Replay with its hashes, and details of the sealed record. */
export function ProofTab({ record, replay, explanation }: ProofTabProps) {
  const { replay: data, failure, busy, ask, byPress } = replay;
  return (
    <div className="flex flex-col gap-4">
      <Section
        title={t.proofTitle}
        actions={
          record.inputsState === 'available' ? (
            <Button
              size="small"
              busy={busy}
              icon={<RotateCcw aria-hidden className="size-3.5" />}
              onClick={() => void ask()}
            >
              {data === null ? t.replayNow : t.replayAgain}
            </Button>
          ) : null
        }
      >
        <div className="flex flex-col gap-3">
          <p className="text-soft">{t.proofAbout}</p>
          {record.inputsState === 'withheld' ? (
            <ProblemPanel tone="warn" title={t.unavailableTitle}>
              {t.withheld(record.withheld.join(', '))}
            </ProblemPanel>
          ) : failure !== null ? (
            <FailurePanel operation={decisionOperations.replay} failure={failure} retry={() => void ask()} />
          ) : data === null && byPress && !busy ? (
            <p>{t.replayByPress}</p>
          ) : data === null ? (
            <Spinner label={t.replaying} />
          ) : data.identical ? (
            <Seal hash={data.resultHash} replayed={data.replayedHash} />
          ) : (
            <>
              <ProblemPanel title={t.differsTitle}>{t.differs(data.differences.length)}</ProblemPanel>
              <ValueTable
                a={t.recordedHash}
                b={t.replayedHash}
                rows={data.differences.map(({ path, recorded, replayed }) => ({ path, a: recorded, b: replayed }))}
              />
            </>
          )}
        </div>
      </Section>
      <ProofFile id={record.recommendationId} />
      <Section title={t.recordTitle}>
        <div className="flex flex-col gap-3">
          <RecordFacts
            record={record}
            slate={record.slateProbability ?? explanation?.summary.slateProbability ?? null}
          />
          <p className="text-dense">
            <Link to={addresses.audit({ entityType: 'decision', entityId: record.recommendationId })}>
              {t.auditLink}
            </Link>
          </p>
        </div>
      </Section>
    </div>
  );
}

/** Downloads the proof file, which replays the decision offline. */
function ProofFile({ id }: { readonly id: string }) {
  const { save, busy, failure } = useProofFile(id);
  const permission = can(decisionOperations.proof);
  return (
    <Section
      title={t.downloadTitle}
      actions={
        <Button
          size="small"
          busy={busy}
          disabledReason={permission.allowed ? null : t.downloadNeedsEditor}
          icon={<Download aria-hidden className="size-3.5" />}
          onClick={() => void save()}
        >
          {t.downloadProof}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.downloadAbout}</p>
        {permission.allowed ? null : <p className="text-soft">{t.downloadNeedsEditor}</p>}
        {failure === null ? null : (
          <FailurePanel operation={decisionOperations.proof} failure={failure} retry={() => void save()} />
        )}
      </div>
    </Section>
  );
}

function Seal({ hash, replayed }: { readonly hash: string; readonly replayed: string }) {
  return (
    <div
      role="status"
      className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-4 gap-y-2 rounded-card border border-pass bg-pass-soft p-4"
    >
      <ShieldCheck aria-hidden className="size-8 shrink-0 text-pass sm:row-span-2" strokeWidth={1.5} />
      <div className="min-w-0">
        <p className="font-semibold text-pass">{t.identicalTitle}</p>
        <p className="text-dense text-soft">{t.identical}</p>
      </div>
      <dl className="grid min-w-0 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1 text-caption max-sm:col-span-2">
        <Hash name={t.recordedHash} hash={hash} />
        <Hash name={t.replayedHash} hash={replayed} />
      </dl>
    </div>
  );
}

function Hash({ name, hash }: { readonly name: string; readonly hash: string }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <span className="font-mono break-all text-ink">{hash}</span>
        <Copy text={hash} what={name} />
      </dd>
    </>
  );
}
