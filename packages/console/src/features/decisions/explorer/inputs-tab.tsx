import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { LockKeyhole } from 'lucide-react';
import type { Permission } from '../../../data/can.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useInputs } from '../calls.ts';
import { isObject } from '../json.ts';
import { JsonBlock } from './json-block.tsx';

export interface InputsTabProps {
  readonly id: string;
  readonly permission: Permission;
}

/** The inputs of a decision. On demand, because reading them is recorded in the audit log. */
export function InputsTab({ id, permission }: InputsTabProps) {
  const { ask, busy, failure, record } = useInputs(id);
  const format = useFormat();
  if (failure !== null)
    return <FailurePanel operation={decisionOperations.get} failure={failure} retry={() => void ask()} />;
  if (record === null) {
    return (
      <Empty
        title={t.inputsTitle}
        icon={<LockKeyhole />}
        actions={
          <Button
            kind="primary"
            busy={busy}
            disabledReason={permission.allowed ? null : t.inputsNeedEditor}
            onClick={() => void ask()}
          >
            {t.inputsRead}
          </Button>
        }
      >
        {t.inputsAsk}
        {permission.allowed ? null : <span className="mt-2 block">{t.inputsNeedEditor}</span>}
      </Empty>
    );
  }
  const read = record.inputs;
  if (read == null) return <p className="text-soft">{t.inputsErased}</p>;
  const parts = Object.entries(read);
  const empty = parts.filter(([, value]) => isEmpty(value));
  const filled = parts
    .filter(([name, value]) => !isEmpty(value) && !technical.has(name))
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other));
  const rest = parts.filter(([name, value]) => !isEmpty(value) && technical.has(name));
  return (
    <div className="flex flex-col gap-4">
      {/* Columns of a text and not of a grid: a short part is followed by the next one. */}
      <div className="-mb-4 gap-4 lg:columns-2">
        {filled.map(([name, value]) => (
          <div key={name} className="mb-4 break-inside-avoid">
            <Section title={t.inputNames[name] ?? name}>
              {name === 'now' && typeof value === 'number' ? (
                format.instant(value)
              ) : (
                <InputValue name={t.inputNames[name] ?? name} value={value} />
              )}
            </Section>
          </div>
        ))}
      </div>
      {rest.length === 0 ? null : (
        <details>
          <summary className="w-fit rounded-control py-1 text-accent-ink">{t.inputsTechnical}</summary>
          <JsonBlock value={Object.fromEntries(rest)} label={t.inputsTechnical} />
        </details>
      )}
      {empty.length === 0 ? null : (
        <p className="text-dense text-soft">
          {t.inputsEmpty(empty.map(([name]) => (t.inputNames[name] ?? name).toLocaleLowerCase()).join(', '))}
        </p>
      )}
    </div>
  );
}

/** Technical sections. */
const technical: ReadonlySet<string> = new Set(['counters', 'zones', 'readSet', 'evidence', 'objectiveCounts', 'cut']);

/** Shows request and time together, everything else as recorded. */
const placeOf = (name: string): number => (name === 'request' ? 0 : name === 'now' ? 1 : 2);

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isEmpty);
}

/** Flat values as a list, nested ones as JSON. */
function InputValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  const isFlat = isObject(value) && Object.values(value).every((each) => typeof each !== 'object' || each === null);
  if (!isFlat) return <JsonBlock value={value} label={name} />;
  return (
    <dl className="text-dense">
      {Object.entries(value).map(([key, each]) => (
        <div key={key} className="flex items-baseline justify-between gap-3 border-b border-line py-1 last:border-0">
          <dt className="font-mono text-caption text-soft">{key}</dt>
          <dd className="min-w-0 text-end break-words">{each === null ? '–' : String(each)}</dd>
        </div>
      ))}
    </dl>
  );
}
