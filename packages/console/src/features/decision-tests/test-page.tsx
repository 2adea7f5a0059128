import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { emptyText } from '@arbiter/contract/explanation/texts';
import { type DecisionTestResult, decisionTestRunOperations } from '@arbiter/contract/judging/decision-test-runs';
import { type DecisionTest, decisionTestOperations } from '@arbiter/contract/judging/decision-tests';
import { Check, Play, X } from 'lucide-react';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { NameOf } from '../../forms/name-of.tsx';
import { versionFacts } from '../../forms/record-page.tsx';
import { RecordScreen } from '../../forms/record-screen.tsx';
import { decisionTestTexts as t } from '../../messages/judging/decision-tests.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { type Expectation, expectationsOf } from './expectations.ts';
import { GivenFacts } from './given-facts.tsx';
import { ResultBadge } from './result-badge.tsx';
import { useTestRuns } from './use-test-runs.ts';
import { useTestedVersion } from './version-choice.tsx';

/** A decision test: what it gives, what it expects, and what the flow answers. It runs when the page opens. */
export function TestPage() {
  return (
    <RecordScreen
      kind="decisionTest"
      operation={decisionTestOperations.get}
      actions={(_, record) => <RecordActions kind="decisionTest" operations={decisionTestOperations} record={record} />}
    >
      {(test) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          {test.deletedAt === null ? <Outcome test={test} /> : null}
          <Given test={test} />
        </div>
      )}
    </RecordScreen>
  );
}

function Given({ test }: { readonly test: DecisionTest }) {
  const format = useFormat();
  const flow = useOperation(decisionFlowOperations.get, { params: { id: test.decisionFlowId } });
  const name = <NameOf answer={flow} kind="flow" id={test.decisionFlowId} />;
  return (
    <Section title={t.given}>
      <GivenFacts given={test.given} />
      <div className="border-t border-line">
        <Facts
          facts={[
            { label: t.flow, value: <Link to={addresses.flow(test.decisionFlowId)}>{name}</Link> },
            ...versionFacts(test, format),
          ]}
        />
      </div>
    </Section>
  );
}

function Outcome({ test }: { readonly test: DecisionTest }) {
  const { id, decisionFlowId, version: revision } = test;
  const { version, choice } = useTestedVersion();
  // biome-ignore lint/correctness/useExhaustiveDependencies(revision): a changed test runs again
  const targets = useMemo(() => [{ flowId: decisionFlowId, testIds: [id] }], [decisionFlowId, id, revision]);
  const { results, failures, isRunning, run } = useTestRuns(targets, version, { runsAtOnce: true });
  const result = results.get(id);
  const failure = failures.get(decisionFlowId);
  return (
    <Section
      title={t.result}
      about={failure === undefined ? <ResultBadge result={result} isRunning={isRunning} /> : null}
      actions={
        <>
          {choice}
          <Button size="small" icon={<Play aria-hidden className="size-3.5" />} busy={isRunning} onClick={run}>
            {t.runOne}
          </Button>
        </>
      }
    >
      {failure !== undefined ? (
        <FailurePanel failure={failure} operation={decisionTestRunOperations.run} retry={run} />
      ) : (
        <div className="flex flex-col gap-4">
          {result?.status === 'error' ? <Problems result={result} /> : null}
          <Expected test={test} result={result} />
          {result?.status === 'error' ? null : <Actual result={result} />}
        </div>
      )}
    </Section>
  );
}

function Problems({ result: { differences } }: { readonly result: DecisionTestResult }) {
  return (
    <ProblemPanel tone="warn" title={t.problems}>
      <ul className="list-disc ps-4">
        {differences.map(({ path, message }) => (
          <li key={path + message} className="first-letter:uppercase">
            {message}
          </li>
        ))}
      </ul>
    </ProblemPanel>
  );
}

interface ExpectedProps {
  readonly test: DecisionTest;
  readonly result: DecisionTestResult | undefined;
}

/** Each expectation, whether it's met, and what happened instead. */
function Expected({ test, result }: ExpectedProps) {
  const format = useFormat();
  const expectations = expectationsOf(test.expect, (share) => format.percent(share, 0));
  const isJudged = result !== undefined && result.status !== 'error';
  return (
    <div>
      <h3 className="pb-1 text-dense font-medium">{t.expected}</h3>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {expectations.map((expectation) => (
          <ExpectationLine
            key={expectation.path}
            expectation={expectation}
            unmet={isJudged ? (result.differences.filter(({ path }) => isAt(path, expectation)) ?? null) : null}
          />
        ))}
      </ul>
    </div>
  );
}

const isAt = (path: string, { path: own }: Expectation): boolean => path === own || path.startsWith(`${own}/`);

interface LineProps {
  readonly expectation: Expectation;
  /** Null: not known. */
  readonly unmet: DecisionTestResult['differences'] | null;
}

function ExpectationLine({ expectation, unmet }: LineProps) {
  return (
    <li className="flex gap-2 py-1.5">
      {unmet === null ? null : unmet.length === 0 ? (
        <Check role="img" aria-label={t.met} className="mt-0.5 size-4 shrink-0 text-pass" />
      ) : (
        <X role="img" aria-label={t.unmet} className="mt-0.5 size-4 shrink-0 text-block" />
      )}
      <div className="min-w-0 break-words">
        {expectation.text}
        {(unmet ?? []).map(({ message }) => (
          <p key={message} className="text-dense text-soft first-letter:uppercase">
            {message}
          </p>
        ))}
      </div>
    </li>
  );
}

/** The answer of the flow, in order. */
function Actual({ result }: { readonly result: DecisionTestResult | undefined }) {
  const format = useFormat();
  return (
    <div>
      <h3 className="pb-1 text-dense font-medium">{t.actual}</h3>
      {result === undefined ? (
        <Skeleton className="h-16 w-full" />
      ) : result.items.length === 0 ? (
        <p className="text-soft">{result.emptyReason === null ? t.emptyAnswer : emptyText(result.emptyReason).text}</p>
      ) : (
        <ol className="flex flex-col divide-y divide-line border-y border-line">
          {result.items.map(({ offer, creative, channel, placement, probability }, at) => (
            // An offer may fill several placements.
            <li key={`${offer} ${placement ?? ''} ${channel ?? ''}`} className="flex items-baseline gap-2 py-1.5">
              <span className="w-6 shrink-0 text-soft tabular-nums">#{at + 1}</span>
              <span className="min-w-0 grow break-words">
                <span className="font-medium">{offer}</span>
                <span className="block text-dense text-soft empty:hidden">
                  {[creative, channel, placement].filter((part) => part !== null).join(' · ')}
                </span>
              </span>
              {probability < 1 ? (
                <span className="shrink-0 text-dense text-soft">
                  {t.chance} {format.percent(probability, 1)}
                </span>
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
