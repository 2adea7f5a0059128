import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { LockKeyhole } from 'lucide-react';
import { can } from '../../../data/can.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { useInputs } from '../calls.ts';
import type { ComparedSide } from './compare-side.ts';
import { valueDifferences } from './differences.ts';
import { ValueTable } from './value-table.tsx';

/** Differences between the inputs of two records. On demand, because each read is recorded in the audit log. */
export function CompareInputs({ left, right }: { readonly left: ComparedSide; readonly right: ComparedSide }) {
  const a = useInputs(left.record?.recommendationId ?? '');
  const b = useInputs(right.record?.recommendationId ?? '');
  if (left.record === null || right.record === null) return null;
  const permission = can({ ...decisionOperations.get, role: 'editor' });
  const failure = a.failure ?? b.failure;
  const ask = () => void Promise.all([a.ask(), b.ask()]);
  return (
    <Section title={t.compareInputs}>
      {failure !== null ? (
        <FailurePanel operation={decisionOperations.get} failure={failure} retry={ask} />
      ) : a.record === null || b.record === null ? (
        <div className="flex flex-wrap items-center gap-3">
          <Button
            icon={<LockKeyhole aria-hidden className="size-4" />}
            busy={a.busy || b.busy}
            disabledReason={permission.allowed ? null : t.inputsNeedEditor}
            onClick={ask}
          >
            {t.inputsRead}
          </Button>
          <p className="text-dense text-soft">{t.inputsAsk}</p>
        </div>
      ) : (
        <Differences a={a.record.inputs} b={b.record.inputs} />
      )}
    </Section>
  );
}

function Differences({ a, b }: { readonly a: unknown; readonly b: unknown }) {
  const rows = valueDifferences(a, b);
  return rows.length === 0 ? <p className="text-soft">{t.compareNone}</p> : <ValueTable a="A" b="B" rows={rows} />;
}
