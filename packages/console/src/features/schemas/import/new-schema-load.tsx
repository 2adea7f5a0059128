import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { FileFacts } from './file-facts.tsx';
import type { FileLoadProps } from './file-load.ts';
import { badLinesOf, planOf, schemaOf, withColumn } from './import-plan.ts';
import { LoadBar } from './load-bar.tsx';
import { LoadProblem } from './load-problem.tsx';
import { LoadProgress } from './load-progress.tsx';
import { LoadResult } from './load-result.tsx';
import { PlanForm } from './plan-form.tsx';
import { columnProblems, missingIn, nameProblem } from './plan-problems.ts';
import { isUnderWay, type LoadRequest, useLoad } from './use-load.ts';

/** Creates a schema for a file, and loads its rows. */
export function NewSchemaLoad({ chosen, onAnother, onDone }: FileLoadProps) {
  const { file, analysis } = chosen;
  const format = useFormat();
  const [plan, setPlan] = useState(() => planOf(file.name, analysis));
  const [isTried, setTried] = useState(false);
  const { state, load, check, stop } = useLoad(onDone);
  const failure = state.phase === 'failed' ? state.failure : null;
  const target = useMemo(() => schemaOf(plan), [plan]);
  const sent = target.fields?.map(({ name }) => name) ?? [];
  const refused = failure?.kind === 'refused' && failure.problem.code === 'csv_invalid' ? failure.problem.errors : [];
  const badLines = badLinesOf(refused, plan.columns);
  const taken = nameProblem(failure);
  const problems = {
    ...(isTried ? missingIn(plan) : {}),
    ...(taken === undefined ? {} : { displayName: taken }),
  };
  const request: LoadRequest = {
    ...{ file, rows: analysis.estimatedRows, target, name: plan.displayName, onDuplicate: 'skip' },
  };
  const begin = () => {
    setTried(true);
    if (Object.keys(missingIn(plan)).length === 0) void load(request);
  };
  const facts = <FileFacts chosen={chosen} onAnother={isUnderWay(state) ? null : onAnother} />;
  if (state.phase === 'done') {
    const { schemaId, result } = state;
    return (
      <Parts>
        {facts}
        <LoadResult name={plan.displayName} {...{ schemaId, result }} isCustomers={plan.schemaType === 'customer'} />
      </Parts>
    );
  }
  if (isUnderWay(state)) {
    return (
      <Parts>
        {facts}
        <LoadProgress state={state} rows={analysis.estimatedRows} onStop={stop} />
      </Parts>
    );
  }
  return (
    <Parts onSubmit={begin}>
      {facts}
      <LoadProblem
        {...{ state, badLines, onAnother }}
        columns={[...new Set(badLines.flatMap(({ column }) => column ?? []))]}
        onText={(column) => setPlan(withColumn(plan, column, { type: 'text' }))}
        onRetry={begin}
        onCheck={() => void check(request)}
      />
      <PlanForm plan={plan} problems={problems} errors={columnProblems(failure, badLines, sent)} onChange={setPlan} />
      <LoadBar>
        <Button kind="primary" submit>
          {t.load(format.number(analysis.estimatedRows), analysis.estimatedRows)}
        </Button>
      </LoadBar>
    </Parts>
  );
}

/** The same form in every state, so that the heading keeps the focus. */
function Parts({ onSubmit, children }: { readonly onSubmit?: () => void; readonly children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
      {children}
    </form>
  );
}
