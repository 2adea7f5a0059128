import { type DecisionRecord, decisionOperations } from '@arbiter/contract/deciding/decisions';
import { SlidersHorizontal } from 'lucide-react';
import { can } from '../../../data/can.ts';
import type { WhatIf } from '../../../engine-worker/what-if.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { whatIfTexts as t } from '../../../messages/decisions/what-if.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { writeNamedValue } from '../simulate/values.ts';
import { InputField } from './input-field.tsx';
import { useWhatIf } from './use-what-if.ts';
import { WhatIfOutcome } from './what-if-outcome.tsx';

/** Changes inputs of a decision and shows what it would have returned. The engine runs in this browser. */
export function WhatIfTab({ record }: { readonly record: DecisionRecord }) {
  const whatIf = useWhatIf(record.recommendationId);
  const { answer, busy, failure } = whatIf;
  const permission = can(decisionOperations.proof);
  if (failure !== null)
    return <FailurePanel operation={decisionOperations.proof} failure={failure} retry={() => void whatIf.open()} />;
  if (answer === null) {
    return (
      <Empty
        title={t.title}
        icon={<SlidersHorizontal />}
        actions={
          <Button
            kind="primary"
            busy={busy}
            disabledReason={permission.allowed ? null : t.needsEditor}
            onClick={() => void whatIf.open()}
          >
            {t.open}
          </Button>
        }
      >
        {t.about}
        {permission.allowed ? null : <span className="mt-2 block">{t.needsEditor}</span>}
      </Empty>
    );
  }
  if (answer.failure === 'withheld' || answer.failure === 'plan') {
    return (
      <ProblemPanel tone="warn" title={t.cannot}>
        {t[answer.failure]}
      </ProblemPanel>
    );
  }
  return <Trial record={record} whatIf={whatIf} answer={answer} />;
}

interface TrialProps {
  readonly record: DecisionRecord;
  readonly whatIf: ReturnType<typeof useWhatIf>;
  readonly answer: WhatIf;
}

/** The inputs next to the result. */
function Trial({ record, whatIf, answer }: TrialProps) {
  const { edits } = whatIf;
  const changed = Object.keys(edits).length;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Section
        title={t.inputs}
        actions={
          <Button size="small" disabledReason={changed === 0 ? t.nothingChanged : null} onClick={whatIf.reset}>
            {t.reset}
          </Button>
        }
      >
        {answer.fields.length === 0 ? (
          <p className="text-soft">{t.noInputs}</p>
        ) : (
          <ul className="flex flex-col gap-3">
            {answer.fields.map((field) => (
              <li key={field.path}>
                <InputField
                  field={field}
                  edit={edits[field.path]}
                  onChange={(to) => (to === field.value ? whatIf.clear(field.path) : whatIf.set(field.path, to))}
                />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section
        title={t.result}
        actions={
          changed === 0 ? null : (
            <ButtonLink size="small" to={addresses.simulate(simulationOf(record, edits))}>
              {t.simulate}
            </ButtonLink>
          )
        }
      >
        {answer.failure === 'values' ? (
          <ProblemPanel tone="warn" title={t.noDecision}>
            {t.values}
          </ProblemPanel>
        ) : (
          <WhatIfOutcome answer={answer} isChanged={changed > 0} />
        )}
      </Section>
    </div>
  );
}

/** The same changes in Simulate, which decides on the server. */
function simulationOf({ customerId, recommendationId }: DecisionRecord, edits: ReturnType<typeof useWhatIf>['edits']) {
  const under = (namespace: string) =>
    Object.entries(edits).flatMap(([path, to]) =>
      path.startsWith(`${namespace}.`) ? [writeNamedValue({ name: path.slice(namespace.length + 1), value: to })] : [],
    );
  const [profile, attributes] = [under('customer'), under('attributes')];
  return {
    ...{ customer: customerId ?? '', decision: recommendationId },
    ...(profile.length === 0 ? {} : { profile }),
    ...(attributes.length === 0 ? {} : { attributes }),
  };
}
