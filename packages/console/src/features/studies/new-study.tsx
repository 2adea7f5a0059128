import { backtestOperations } from '@arbiter/contract/judging/backtests';
import { evaluationOperations } from '@arbiter/contract/judging/evaluations';
import { type FormEvent, useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate } from '../../data/use-operation.ts';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { NeedsRole } from '../../forms/needs-role.tsx';
import { studyTexts, newStudyTexts as t } from '../../messages/judging/studies.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { useFlowNames } from './use-flow-names.ts';

const kinds = ['backtest', 'evaluate'] as const;
type Kind = (typeof kinds)[number];
const rewards = ['positive', 'convert', 'value'] as const;

/** Days from now at which the range starts, until another day is chosen. */
const usualDays: Readonly<Record<Kind, number>> = { backtest: -7, evaluate: -30 };

const dayMs = 86_400_000;
/** The day in some days from now, as date fields write it. */
const dayIn = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

/** Starts a backtest or an evaluation of a flow's draft. */
export function NewStudy() {
  const permissions = [can(backtestOperations.start), can(evaluationOperations.start)];
  const refused = permissions.find(({ allowed }) => !allowed);
  const parents = [{ title: studyTexts.studies, to: addresses.studies() }];
  return (
    <Page title={studyTexts.create} parents={parents} width="prose">
      {refused?.allowed === false ? <NeedsRole title={studyTexts.create} needs={refused.needs} /> : <StudyForm />}
    </Page>
  );
}

function StudyForm() {
  const links = useLinks();
  const { flows } = useFlowNames();
  const [kind, setKind] = useState<Kind>('backtest');
  const [flowId, setFlow] = useState('');
  const [reward, setReward] = useState<string>(rewards[0]);
  const [typedFrom, setFrom] = useState<string | null>(null);
  const from = typedFrom ?? dayIn(usualDays[kind]);
  const [to, setTo] = useState(() => dayIn(1));
  const backtest = useMutate(backtestOperations.start);
  const evaluation = useMutate(evaluationOperations.start);
  const { busy, failure } = kind === 'backtest' ? backtest : evaluation;
  const operation = kind === 'backtest' ? backtestOperations.start : evaluationOperations.start;
  const isRange = from !== '' && to !== '' && from < to;
  const reason = flowId === '' ? t.chooseFlow : isRange ? null : t.badRange;
  const start = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || reason !== null) return;
    const question = { version: 'draft', from, to } as const;
    const study =
      kind === 'backtest'
        ? await backtest.run({ params: { id: flowId }, body: question })
        : await evaluation.run({ params: { id: flowId }, body: { ...question, reward } });
    if (study !== null) links.go(addresses.study(study.studyId));
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void start(event)}>
      {failure === null ? null : <FailurePanel failure={failure} operation={operation} retry="submit" />}
      <FieldGroups>
        <FieldGroup title={t.kind}>
          <SelectField
            label={t.kind}
            labelHidden
            options={kinds.map((value) => ({ value, label: t.questions[value] }))}
            value={kind}
            onChange={({ target }) => setKind(kinds.find((one) => one === target.value) ?? 'backtest')}
          />
          <SelectField
            label={t.flow}
            isRequired
            placeholder={t.chooseFlow}
            options={flows.map(({ id, name }) => ({ value: id, label: name }))}
            value={flowId}
            onChange={({ target }) => setFlow(target.value)}
          />
          {kind === 'evaluate' ? (
            <SelectField
              label={t.reward}
              options={rewards.map((value) => ({ value, label: studyTexts.rewards[value] }))}
              value={reward}
              onChange={({ target }) => setReward(target.value)}
            />
          ) : null}
        </FieldGroup>
        <FieldGroup title={studyTexts.range}>
          <TextField label={t.from} type="date" value={from} onChange={({ target }) => setFrom(target.value)} />
          <TextField
            label={t.to}
            type="date"
            value={to}
            help={kind === 'evaluate' ? t.tooYoung : undefined}
            error={isRange ? undefined : t.badRange}
            onChange={({ target }) => setTo(target.value)}
          />
        </FieldGroup>
      </FieldGroups>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => links.go(addresses.studies())}>{t.cancel}</Button>
        <Button kind="primary" submit busy={busy} disabledReason={reason}>
          {t.start}
        </Button>
      </div>
    </form>
  );
}
