import { type Study, studyOperations } from '@arbiter/contract/judging/studies';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { studyTexts as t } from '../../messages/judging/studies.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam } from '../../route/use-address.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { Link } from '../../ui/link.tsx';
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Progress } from '../../ui/progress.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { isOpen, StudyStatus } from './study-status.tsx';
import { useFlowNames } from './use-flow-names.ts';

const BacktestView = later(() => import('./backtest-view.tsx').then((module) => module.BacktestView));
const EvaluationView = later(() => import('./evaluation-view.tsx').then((module) => module.EvaluationView));
const CheckView = later(() => import('./check-view.tsx').then((module) => module.CheckView));

/** Interval at which a running study refreshes, in milliseconds. */
const refreshMs = 2_000;

/** A study: its question, its progress and its result in words. */
export function StudyPage() {
  const id = useParam('id');
  const input = { params: { id } };
  const first = useOperation(studyOperations.get, input);
  const isRunning = first.data !== undefined && isOpen(first.data.status);
  const answer = useOperation(studyOperations.get, input, { everyMs: isRunning && refreshMs });
  const study = answer.data;
  const parent = { title: t.studies, to: addresses.studies() };
  return (
    <Page
      title={study === undefined ? t.study : t.kinds[study.kind]}
      parents={[parent]}
      lead={study === undefined ? undefined : t.kindTexts[study.kind]}
      about={
        study === undefined ? null : (
          <>
            <StudyStatus status={study.status} />
            <Id id={study.id} what="study ID" />
          </>
        )
      }
      actions={study !== undefined && isOpen(study.status) ? <Cancel id={id} /> : null}
    >
      <Loaded answer={answer} operation={studyOperations.get} instead={parent}>
        {(body) => (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
            <div className="flex min-w-0 flex-col gap-4">
              <Outcome study={body} />
            </div>
            <Question study={body} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Outcome({ study: { status, progress, error, result, spec } }: { readonly study: Study }) {
  const format = useFormat();
  if (status === 'queued' || status === 'running') {
    const { decisions, total } = progress;
    const text = status === 'queued' ? t.waiting : total === 0 ? t.selecting : null;
    return (
      <Section title={t.progressTitle}>
        <div className="flex flex-col gap-2" role="status">
          <Progress share={total === 0 ? 0 : decisions / total} label={t.statuses[status]} />
          <p className="text-soft">{text ?? t.progress(format.number(decisions), format.number(total))}</p>
        </div>
      </Section>
    );
  }
  if (result === null) {
    const again = <ButtonLink to={addresses.newStudy()}>{t.create}</ButtonLink>;
    return (
      <ProblemPanel
        tone={status === 'failed' ? 'block' : 'warn'}
        title={status === 'failed' ? t.failedTitle : t.cancelledTitle}
        actions={again}
      >
        {error === null ? t.cancelledText : t.errors[error]}
      </ProblemPanel>
    );
  }
  if ('byKind' in result) return <BacktestView result={result} />;
  if ('headline' in result) {
    return <EvaluationView result={result} confidence={'confidence' in spec ? spec.confidence : null} />;
  }
  return <CheckView result={result} />;
}

function Question({ study }: { readonly study: Study }) {
  const format = useFormat();
  const { names } = useFlowNames();
  const { flowId, spec, createdAt, createdBy, completedAt } = study;
  const name = names.get(flowId);
  return (
    <Section title={t.question}>
      <Facts
        facts={[
          {
            label: t.flow,
            value: name === undefined ? t.deletedFlow : <Link to={addresses.flow(flowId)}>{name}</Link>,
          },
          { label: t.version, value: t.versionText(spec.version) },
          {
            label: t.range,
            value: 'from' in spec ? t.rangeText(format.moment(spec.from), format.moment(spec.to)) : null,
          },
          { label: t.mode, value: 'mode' in spec ? t.modes[spec.mode] : null },
          { label: t.reward, value: 'reward' in spec ? rewardText(spec.reward) : null },
          { label: t.started, value: format.instant(createdAt) },
          { label: t.completed, value: completedAt === null ? null : format.instant(completedAt) },
          { label: t.by, value: createdBy },
        ]}
      />
    </Section>
  );
}

const rewardText = (reward: string): string => Object.entries(t.rewards).find(([key]) => key === reward)?.[1] ?? reward;

function Cancel({ id }: { readonly id: string }) {
  const permission = can(studyOperations.cancel);
  const [isAsking, setAsking] = useState(false);
  const { run, busy, failure } = useMutate(studyOperations.cancel);
  const cancel = async () => {
    const study = await run({ params: { id }, body: {} });
    if (study === null) return;
    setAsking(false);
    toast({ text: t.cancelled });
  };
  return (
    <>
      <Button
        disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        onClick={() => setAsking(true)}
      >
        {t.cancel}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t.cancelTitle}
        act={t.cancel}
        busy={busy}
        onConfirm={() => void cancel()}
      >
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={studyOperations.cancel} retry={() => void cancel()} />
        )}
        <p>{t.cancelText}</p>
      </ConfirmDialog>
    </>
  );
}
