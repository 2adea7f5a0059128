import {
  estimateOperations,
  type ReachEstimate,
  type ReachEstimateRequest,
} from '@arbiter/contract/deciding/estimates';
import { useState } from 'react';
import { useMutate } from '../../../data/use-operation.ts';
import { sameValue } from '../../../forms/editing/changes.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { ruleFormTexts as t } from '../../../messages/catalogue/rule-form.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { reachQuestion } from './reach.ts';

export interface ReachPanelProps {
  readonly ruleType: unknown;
  readonly config: Readonly<Record<string, unknown>>;
}

/** How many customers a rule lets pass, before it's saved. */
export function ReachPanel({ ruleType, config }: ReachPanelProps) {
  const question = reachQuestion(ruleType, config);
  const [shown, setShown] = useState<{ readonly of: ReachEstimateRequest; readonly reach: ReachEstimate } | null>(null);
  const { run, busy, failure } = useMutate(estimateOperations.reachEstimate);
  const estimate = async () => {
    if (question.kind !== 'ask') return;
    const reach = await run({ body: question.body });
    if (reach !== null) setShown({ of: question.body, reach });
  };
  const isOld = shown !== null && (question.kind !== 'ask' || !sameValue(question.body, shown.of));
  return (
    <Section title={t.reach}>
      <div className="flex flex-col items-start gap-3">
        {question.kind === 'never' ? (
          <p className="text-soft">{t.notEstimable[question.reason]}</p>
        ) : (
          <>
            <p className="text-soft">{t.reachText}</p>
            <Button
              busy={busy}
              disabledReason={question.kind === 'incomplete' ? t.incomplete : null}
              onClick={() => void estimate()}
            >
              {shown === null ? t.estimate : t.again}
            </Button>
          </>
        )}
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={estimateOperations.reachEstimate} retry={() => void estimate()} />
        )}
        <div role="status">
          {shown === null ? null : <Estimate reach={shown.reach} />}
          {isOld ? <p className="text-warn">{t.outdated}</p> : null}
        </div>
      </div>
    </Section>
  );
}

function Estimate({ reach }: { readonly reach: ReachEstimate }) {
  const format = useFormat();
  const { totalSampled, qualifying, qualifyPercent, excludedBySegment, fieldDistribution: values } = reach;
  if (totalSampled === 0) return <p>{t.noRows}</p>;
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">
        {t.passes(format.percent(qualifyPercent / 100), format.number(qualifying), format.number(totalSampled))}
      </p>
      {values === null ? null : (
        <p className="text-dense text-soft">
          {t.range(format.number(values.min), format.number(values.median), format.number(values.max))}
        </p>
      )}
      {excludedBySegment.length === 0 ? null : (
        <div className="text-dense">
          <h3 className="text-soft">{t.excluded}</h3>
          <ul>
            {excludedBySegment.map(({ segment, excluded, total }) => (
              <li key={segment}>{t.excludedOf(segment, format.number(excluded), format.number(total))}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
