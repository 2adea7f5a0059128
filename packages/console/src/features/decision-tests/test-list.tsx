import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { decisionTestRunOperations } from '@arbiter/contract/judging/decision-test-runs';
import { type DecisionTest, decisionTestOperations } from '@arbiter/contract/judging/decision-tests';
import { Play } from 'lucide-react';
import { useMemo } from 'react';
import { useList, useOperation } from '../../data/use-operation.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { choiceOf } from '../../forms/list-filters.tsx';
import { changedColumn, nameColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { decisionTestTexts as t } from '../../messages/judging/decision-tests.ts';
import { useSearch } from '../../route/use-address.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { ResultBadge, resultText } from './result-badge.tsx';
import { type TestRuns, useTestRuns } from './use-test-runs.ts';
import { useTestedVersion } from './version-choice.tsx';

/** The most tests that run when the list opens. Each is a decision with a compiled draft, so more of them run when asked to. */
const mostAtOnce = 20;

/** All decision tests, with the result of each. A few run when the list opens. */
export function TestList() {
  const [search] = useSearch(decisionTestOperations.list.query);
  const { version, choice } = useTestedVersion();
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 100 } }).data?.data;
  // The list below loads the same rows, so they load once.
  const { rows, complete } = useList(decisionTestOperations.list, { query: { limit: 100, ...search } });
  const flowIds = [...new Set(rows.flatMap((test) => (test.deletedAt === null ? [test.decisionFlowId] : [])))].join(
    ' ',
  );
  const targets = useMemo(() => (flowIds === '' ? [] : flowIds.split(' ').map((flowId) => ({ flowId }))), [flowIds]);
  const runsAtOnce = complete && rows.length <= mostAtOnce;
  const runs = useTestRuns(targets, version, { runsAtOnce });
  const names = useMemo(() => new Map(flows?.map(({ id, name }) => [id, name])), [flows]);
  const columns = useMemo(() => columnsOf(runs, names), [runs, names]);
  const create = <CreateLink kind="decisionTest" operation={decisionTestOperations.create} />;
  return (
    <RecordList
      kind="decisionTest"
      operation={decisionTestOperations.list}
      lead={t.lead}
      actions={
        <>
          {choice}
          <Button icon={<Play aria-hidden className="size-4" />} busy={runs.isRunning} onClick={runs.run}>
            {t.run}
          </Button>
          {create}
        </>
      }
      notice={rows.length === 0 ? null : <Summary runs={runs} names={names} />}
      columns={columns}
      choices={[choiceOf('decisionFlowId', t.flow, flows ?? [])]}
      empty={{ title: t.empty, text: t.emptyText, next: create }}
    />
  );
}

type FlowNames = ReadonlyMap<string, string>;

const columnsOf = ({ results, isRunning }: TestRuns, names: FlowNames): readonly Column<DecisionTest>[] => {
  const flowOf = ({ decisionFlowId }: DecisionTest): string => names.get(decisionFlowId) ?? '';
  const resultOf = ({ id }: DecisionTest) => ({ result: results.get(id), isRunning });
  return [
    nameColumn(260),
    {
      key: 'result',
      header: t.result,
      cell: (test) => <ResultBadge {...resultOf(test)} />,
      text: (test) => resultText(resultOf(test)),
      sortBy: (test) => resultText(resultOf(test)),
      corner: true,
      width: 120,
      grow: 0,
    },
    { key: 'flow', header: t.flow, cell: flowOf, text: flowOf, sortBy: flowOf, width: 200 },
    changedColumn,
  ];
};

/** How many tests pass, and why those of some flows didn't run. */
function Summary({ runs, names }: { readonly runs: TestRuns; readonly names: FlowNames }) {
  const { results, asOf, failures, isRunning, run } = runs;
  const passed = [...results.values()].filter(({ status }) => status === 'passed').length;
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-x-2 text-dense text-soft empty:hidden">
        {isRunning || failures.size > 0 ? null : results.size === 0 ? (
          t.noneRan
        ) : (
          <>
            {t.summary(passed, results.size - passed)}
            {asOf === null ? null : <AsOf at={asOf} word={t.ranAt} />}
          </>
        )}
      </p>
      {[...failures].map(([flowId, failure]) => (
        <Section key={flowId} title={t.cannotRunFlow(names.get(flowId) ?? flowId)}>
          <FailurePanel failure={failure} operation={decisionTestRunOperations.run} retry={run} />
        </Section>
      ))}
    </>
  );
}
