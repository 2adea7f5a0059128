import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useMemo, useState } from 'react';
import { useAsk } from '../../../data/use-ask.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { useSettled } from '../../../forms/editing/use-settled.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { conditionText } from '../../../messages/catalogue/conditions.ts';
import { segmentFormTexts as t } from '../../../messages/catalogue/segment-form.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button } from '../../../ui/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { isComplete, maxSteps, type SegmentDefinition, stepsOf } from './segment-steps.ts';

/** Milliseconds without changes before counting (docs/design/console.md 3.7). */
const debounceMs = 500;

export interface LiveCountProps {
  readonly definition: SegmentDefinition;
  /** Column of the base schema with the customer ID. */
  readonly rowKey: string | undefined;
}

type Preview = Parameters<typeof useOperation<typeof segmentOperations.preview>>[1];
const inputOf = (definition: SegmentDefinition) => ({ body: definition }) as Preview;

/** Counts the customers of a definition while it's edited, and shows examples. */
export function LiveCount({ definition, rowKey }: LiveCountProps) {
  const format = useFormat();
  const settled = useSettled(definition, debounceMs);
  const canCount = isComplete(settled.filters);
  const { baseSchemaId } = settled;
  const input = useMemo(() => inputOf(settled), [settled]);
  const all = useMemo(() => inputOf(baseSchemaId === undefined ? {} : { baseSchemaId }), [baseSchemaId]);
  const answer = useOperation(segmentOperations.preview, input, { enabled: canCount });
  const whole = useOperation(segmentOperations.preview, all);
  const count = answer.data?.count ?? null;
  const total = whole.data?.count ?? null;
  const text = !canCount
    ? t.unfinished
    : answer.data === undefined
      ? t.counting
      : count === null
        ? t.tooLong
        : total === null || total === 0
          ? t.alone(format.number(count))
          : t.of(format.number(count), format.number(total), format.percent(count / total));
  const isOld = answer.old || settled !== definition;
  return (
    <Section title={t.count}>
      <div className="flex flex-col gap-4">
        <p role="status" className={isOld ? 'text-section opacity-60' : 'text-section font-semibold'}>
          {answer.failure !== null && canCount ? null : text}
        </p>
        {answer.failure === null || !canCount ? null : (
          <FailurePanel failure={answer.failure} operation={segmentOperations.preview} retry={answer.refresh} />
        )}
        <StepCounts key={JSON.stringify(settled)} definition={settled} canCount={canCount} />
        <Sample rows={answer.data?.sample} rowKey={rowKey} />
      </div>
    </Section>
  );
}

/** Counts the customers left after each condition. Only on demand, because each count is a query. */
function StepCounts({ definition, canCount }: { readonly definition: SegmentDefinition; readonly canCount: boolean }) {
  const format = useFormat();
  const ask = useAsk();
  const [counts, setCounts] = useState<readonly (number | null)[] | null>(null);
  const [busy, setBusy] = useState(false);
  const steps = stepsOf(definition);
  if (steps.length === 0 || !canCount) return null;
  const count = async () => {
    setBusy(true);
    setCounts([]);
    try {
      for (const step of steps) {
        const preview = await ask(segmentOperations.preview, inputOf(step.definition));
        setCounts((before) => [...(before ?? []), preview?.count ?? null]);
      }
    } catch {
      // The count of the whole segment above says what's wrong.
      setCounts(null);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-dense font-medium">{t.steps}</h3>
      <p className="text-caption text-soft">{t.stepsHelp}</p>
      {counts === null ? null : (
        <ol className="text-dense" aria-live="polite">
          {steps.slice(0, counts.length).map(({ part, definition: { filters } }, at) => (
            <li key={JSON.stringify(filters)} className="flex justify-between gap-4 border-b border-line py-1">
              <span className="min-w-0 break-words">{t.step(at + 1, conditionText(part) ?? '')}</span>
              <span className="shrink-0 tabular-nums">
                {t.left(counts[at] == null ? null : format.number(counts[at]))}
              </span>
            </li>
          ))}
        </ol>
      )}
      {steps.length === maxSteps ? <p className="text-caption text-soft">{t.moreSteps}</p> : null}
      <Button size="small" className="w-fit" busy={busy} onClick={() => void count()}>
        {t.countSteps}
      </Button>
    </div>
  );
}

interface SampleProps {
  readonly rows: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly rowKey: string | undefined;
}

/** Values shown of each example besides its ID. */
const shownValues = 3;

function Sample({ rows, rowKey }: SampleProps) {
  if (rows === undefined || rowKey === undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-dense font-medium">{t.sample}</h3>
      {rows.length === 0 ? <p className="text-dense text-soft">{t.noSample}</p> : null}
      <ul className="max-h-60 overflow-y-auto text-dense">
        {/* Rows of another schema are still shown for a moment after the schema changes. */}
        {rows
          .filter((row) => rowKey in row)
          .map((row) => {
            const id = String(row[rowKey]);
            const values = Object.entries(row).filter(([name, value]) => name !== rowKey && value !== null);
            return (
              <li key={id} className="flex flex-wrap gap-x-2 py-0.5">
                <Link to={addresses.customer(id)}>{id}</Link>
                <span dir="auto" className="min-w-0 break-words text-soft">
                  {values
                    .slice(0, shownValues)
                    .map(([, value]) => String(value))
                    .join(' · ')}
                </span>
              </li>
            );
          })}
      </ul>
    </div>
  );
}
