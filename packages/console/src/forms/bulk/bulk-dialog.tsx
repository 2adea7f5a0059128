import { useState, useSyncExternalStore } from 'react';
import { type BulkRow, type BulkRun, startBulk } from '../../data/bulk/bulk-run.ts';
import { tray } from '../../data/live/tray.ts';
import { waitBefore } from '../../data/pace.ts';
import { type Advice, adviceFor } from '../../data/problems.ts';
import { useRefresh } from '../../data/use-operation.ts';
import { bulkTexts as t } from '../../messages/lists/bulk.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { type RecordKind, recordKinds } from '../../records/record-kinds.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Progress } from '../../ui/progress.tsx';
import { mayRequest } from '../editing/approval-need.ts';
import type { FieldSpec } from '../editing/field-spec.ts';
import { FieldInput } from '../editing/inputs/field-input.tsx';
import { useRecordForm } from '../editing/use-record-form.ts';
import { type BulkTarget, changeOne, deleteOne } from './bulk-change.ts';
import type { BulkChanges } from './bulk-fields.ts';

export interface BulkDialogProps {
  readonly kind: RecordKind;
  readonly operations: BulkChanges['operations'];
  /** The property to set; null: the rows are deleted. */
  readonly field: FieldSpec | null;
  readonly optionLabels?: Readonly<Record<string, string>> | undefined;
  readonly rows: readonly BulkTarget[];
  /** `left`: the rows that weren't changed. */
  readonly onClose: (left: readonly string[]) => void;
}

const nothing = {};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const isLeft = ({ state }: BulkRow): boolean => state === 'failed' || state === 'stopped';
const countOf = (rows: readonly BulkRow[], state: BulkRow['state']): number =>
  rows.filter((row) => row.state === state).length;

const summaryOf = (rows: readonly BulkRow[], verb: string): string =>
  t.summary(verb, countOf(rows, 'done'), countOf(rows, 'requested'), countOf(rows, 'failed'), countOf(rows, 'stopped'));

/** Shows the run in the jobs menu, so that it's visible and can be stopped on every page. */
function reportRun(run: BulkRun, title: string, verb: string, open: string): void {
  const id = crypto.randomUUID();
  const report = () => {
    const rows = run.rows();
    const ended = rows.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
    const state = run.isRunning() ? 'running' : rows.some(isLeft) ? 'failed' : 'done';
    tray().report(
      { id, kind: 'bulkAct', title, open, state, progress: ended / rows.length, note: summaryOf(rows, verb) },
      run.stop,
    );
  };
  run.subscribe(report);
  report();
}

/** Asks for the value, applies it row by row, and lists what failed. */
export function BulkDialog({ kind, operations, field, optionLabels, rows, onClose }: BulkDialogProps) {
  const { titles, path } = recordKinds[kind];
  const refresh = useRefresh();
  const [run, setRun] = useState<BulkRun | null>(null);
  const form = useRecordForm({ draft: `${kind} bulk`, stored: nothing, version: undefined, failure: null });
  const { one, many } = titles;
  const title =
    field === null ? t.deleteTitle(rows.length, one, many) : t.setTitle(field.label, rows.length, one, many);
  const operation = field === null ? operations.deleteById : operations.updateById;
  const verb = field === null ? t.deleted : t.changed;
  const close = () => {
    form.discard();
    onClose(
      run === null
        ? rows.map(({ id }) => id)
        : run
            .rows()
            .filter(isLeft)
            .map(({ id }) => id),
    );
  };
  const start = () => {
    const value = field === null ? null : (form.values[field.name] ?? null);
    const targets = new Map(rows.map((row) => [row.id, row]));
    const started = startBulk({
      rows,
      act: (id, isRetry) =>
        field === null
          ? deleteOne(operations, id)
          : changeOne(operations, targets.get(id)!, { [field.name]: value }, isRetry),
      waitMs: () => waitBefore(operation),
      sleep,
      onEnd: () => refresh(operation),
    });
    reportRun(started, title, verb, path);
    setRun(started);
  };
  const isMissing = field?.isRequired === true && form.values[field.name] === undefined;
  const reason = isMissing ? editingTexts.required : null;
  return (
    <Dialog
      open
      onOpenChange={close}
      title={title}
      description={run !== null ? undefined : field === null ? t.deleteText(rows.length) : t.about}
      footer={
        run === null ? (
          <>
            <Button onClick={close}>{editingTexts.cancel}</Button>
            <Button
              kind={field === null ? 'danger' : 'primary'}
              disabledReason={form.hasInputErrors ? editingTexts.summary(1) : reason}
              onClick={start}
            >
              {field === null ? title : t.apply(rows.length, one, many)}
            </Button>
          </>
        ) : (
          <RunButtons run={run} onClose={close} />
        )
      }
    >
      {run !== null ? (
        <RunState {...{ run, kind, operation, verb }} />
      ) : field === null ? null : (
        <div className="flex flex-col gap-3">
          <FieldInput form={form} field={field} {...(optionLabels === undefined ? {} : { optionLabels })} />
          {mayRequest(operations.list.resource?.entityType) ? (
            <p className="text-dense text-soft">{t.requests}</p>
          ) : null}
        </div>
      )}
    </Dialog>
  );
}

const useRows = (run: BulkRun): readonly BulkRow[] => useSyncExternalStore(run.subscribe, run.rows);

function RunButtons({ run, onClose }: { readonly run: BulkRun; readonly onClose: () => void }) {
  const left = useRows(run).filter(isLeft).length;
  return (
    <>
      {run.isRunning() ? <Button onClick={run.stop}>{t.stop}</Button> : null}
      {!run.isRunning() && left > 0 ? <Button onClick={run.retry}>{t.retry(left)}</Button> : null}
      <Button kind="primary" onClick={onClose}>
        {t.close}
      </Button>
    </>
  );
}

interface RunStateProps extends Pick<BulkDialogProps, 'kind'> {
  readonly run: BulkRun;
  readonly operation: BulkChanges['operations']['updateById'];
  /** Past participle for the summary: "changed". */
  readonly verb: string;
}

function RunState({ run, kind, operation, verb }: RunStateProps) {
  const rows = useRows(run);
  const ended = rows.filter(({ state }) => state !== 'waiting' && state !== 'running').length;
  const left = rows.filter(isLeft);
  return (
    <div className="flex flex-col gap-3">
      <Progress share={ended / rows.length} label={t.progress} />
      <p role="status" className="text-dense tabular-nums">
        {run.isRunning() ? t.running(ended, rows.length) : summaryOf(rows, verb)}
      </p>
      {run.isRunning() ? <p className="text-dense text-soft">{t.inBackground}</p> : null}
      {left.length === 0 ? null : (
        <section aria-label={t.left}>
          <h3 className="pb-1 text-dense font-medium">{t.left}</h3>
          <ul className="flex flex-col divide-y divide-line text-dense">
            {left.map(({ id, name, failure }) => (
              <li key={id} className="grid min-w-0 gap-x-3 py-1.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)]">
                <Link to={recordKinds[kind].record(id)} className="truncate" title={name}>
                  {name}
                </Link>
                <span className="min-w-0 break-words text-soft">
                  {failure === null ? t.notSent : reasonOf(adviceFor(failure, operation))}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

const reasonOf = ({ act, title, entries }: Advice): string =>
  act === 'compare'
    ? t.conflict
    : t.refused(
        title,
        entries.map(({ path, message }) => `${path.slice(1)} ${message}`),
      );
