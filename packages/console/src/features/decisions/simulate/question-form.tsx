import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useChannels } from '../calls.ts';
import { isObject } from '../json.ts';
import { localInstant, utcInstant } from './instants.ts';
import { defaultSeed, type SimulateSearch, type UnsavedConfig, versionOf, weightNames } from './question.ts';

type Change = (change: SearchChange<SimulateSearch>, how?: { readonly push: boolean }) => void;

export interface QuestionFormProps {
  readonly search: SimulateSearch;
  readonly change: Change;
  /** Customer of the latest decision; null if unknown. */
  readonly newest: string | null;
  readonly unsaved: UnsavedConfig;
  readonly onUnsaved: (config: UnsavedConfig) => void;
}

/** Customer, flow, channel and time. A recorded decision fixes everything except the customer. */
export function QuestionForm({ search, change, newest, unsaved, onUnsaved }: QuestionFormProps) {
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 200 } }).data?.data ?? [];
  const chosen = flows.find(({ key }) => key === search.flow) ?? flows.find(({ isDefault }) => isDefault);
  const numbers = (chosen?.publishedVersions ?? []).map((each) => each.version).sort((a, b) => b - a);
  const versions: readonly Option[] = [
    ...Object.entries(t.versions).map(([value, label]) => ({ value, label })),
    ...numbers.map((n) => ({ value: String(n), label: t.versionNumber(String(n)) })),
  ];
  const isRecorded = search.decision !== undefined;
  return (
    <Section title={t.question}>
      <div className="flex flex-col gap-3">
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
          <Typed
            label={t.customer}
            help={t.customerHelp}
            value={search.customer ?? ''}
            placeholder={newest ?? ''}
            onCommit={(text) =>
              change({ customer: text === '' ? undefined : text, decision: undefined }, { push: true })
            }
          />
          {isRecorded ? (
            <p className="self-center text-dense text-soft lg:col-span-2">{t.recordedHelp}</p>
          ) : (
            <FlowFields
              search={search}
              change={change}
              flows={flows.map(({ key, name }) => ({ value: key, label: name }))}
              versions={versions}
            />
          )}
        </div>
        {!isRecorded && versionOf(search.version) === 'unsaved' ? (
          <UnsavedField config={unsaved} usual={chosen?.draftConfig ?? null} onConfig={onUnsaved} />
        ) : null}
        <More search={search} change={change} versions={versions} />
      </div>
    </Section>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

interface FieldsProps extends Pick<QuestionFormProps, 'search' | 'change'> {
  readonly versions: readonly Option[];
}

/** Changes a value of the search when a list is chosen from; the empty option removes it. */
const choose =
  (change: Change, name: keyof SimulateSearch) => (event: { readonly target: { readonly value: string } }) =>
    change({ [name]: event.target.value === '' ? undefined : event.target.value }, { push: true });

function FlowFields({ search, change, versions, flows }: FieldsProps & { readonly flows: readonly Option[] }) {
  const { channels, nameOf } = useChannels();
  return (
    <>
      <SelectField
        label={t.channel}
        placeholder={t.channelAny}
        value={search.channel ?? ''}
        options={[...new Set(channels.map(({ channelType }) => channelType))].map((value) => ({
          value,
          label: nameOf.get(value) ?? value,
        }))}
        onChange={choose(change, 'channel')}
      />
      <SelectField
        label={t.flow}
        placeholder={t.flowUsual}
        value={search.flow ?? ''}
        options={flows}
        onChange={choose(change, 'flow')}
      />
      <SelectField
        label={t.version}
        value={search.version ?? 'published'}
        options={versions}
        onChange={({ target: { value } }) =>
          change({ version: value === 'published' ? undefined : value }, { push: true })
        }
      />
    </>
  );
}

/** Less frequent inputs. */
function More({ search, change, versions }: FieldsProps) {
  const [open, setOpen] = useState(false);
  const isRecorded = search.decision !== undefined;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit rounded-control py-1 text-dense text-accent-ink">{t.more}</summary>
      <div className="mt-2 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {isRecorded ? null : <PlaceFields search={search} change={change} versions={versions} />}
        <Typed
          label={t.limit}
          type="number"
          value={search.limit === undefined ? '' : String(search.limit)}
          onCommit={(text) => change({ limit: text === '' ? undefined : Number(text) }, { push: true })}
        />
        <Typed
          label={t.seed}
          help={t.seedHelp}
          placeholder={isRecorded ? '' : defaultSeed}
          value={search.seed ?? ''}
          onCommit={(text) => change({ seed: text === '' ? undefined : text }, { push: true })}
        />
      </div>
      {isRecorded ? null : <Weights search={search} change={change} />}
    </details>
  );
}

/** Time, placement and the comparison, for a new decision. */
function PlaceFields({ search, change, versions }: FieldsProps) {
  const { timeZone } = useFormat().locale;
  const others = versions.filter(({ value }) => value !== 'unsaved' && value !== (search.version ?? 'published'));
  return (
    <>
      <Typed
        label={t.when}
        type="datetime-local"
        help={t.whenHelp(timeZone)}
        value={search.now === undefined ? '' : localInstant(search.now, timeZone)}
        onCommit={(text) => change({ now: utcInstant(text, timeZone) ?? undefined }, { push: true })}
      />
      <Typed
        label={t.placement}
        value={search.placement ?? ''}
        onCommit={(text) => change({ placement: text === '' ? undefined : text }, { push: true })}
      />
      <SelectField
        label={t.against}
        value={search.against ?? ''}
        placeholder={t.againstAuto}
        options={[
          { value: 'nothing', label: t.againstNothing },
          { value: 'unedited', label: t.againstUnedited },
          ...others,
        ]}
        onChange={choose(change, 'against')}
      />
    </>
  );
}

function Weights({ search, change }: Pick<FieldsProps, 'search' | 'change'>) {
  return (
    <fieldset className="mt-3">
      <legend className="text-dense font-medium">{t.weights}</legend>
      <p className="text-caption text-soft">{t.weightsHelp}</p>
      <div className="mt-1 grid grid-cols-2 gap-3 lg:grid-cols-4">
        {weightNames.map((name) => (
          <Typed
            key={name}
            label={t.weightNames[name] ?? name}
            type="number"
            value={search[name] === undefined ? '' : String(search[name])}
            onCommit={(text) => change({ [name]: text === '' ? undefined : Number(text) }, { push: true })}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly type?: string;
  readonly onCommit: (text: string) => void;
}

/** A field that applies on blur or Enter, so that the simulation doesn't run on every keystroke. */
function Typed({ value, onCommit, type = 'text', ...rest }: TypedProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = () => {
    if (draft !== null && draft.trim() !== value) onCommit(draft.trim());
    setDraft(null);
  };
  return (
    <TextField
      {...rest}
      type={type}
      step={type === 'number' ? 'any' : undefined}
      value={draft ?? value}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}

interface UnsavedFieldProps {
  readonly config: UnsavedConfig;
  /** Initial value: the flow's draft. */
  readonly usual: unknown;
  readonly onConfig: (config: UnsavedConfig) => void;
}

function UnsavedField({ config, usual, onConfig }: UnsavedFieldProps) {
  const [text, setText] = useState(JSON.stringify(config ?? usual ?? {}, null, 2));
  const [bad, setBad] = useState(false);
  const commit = () => {
    try {
      const parsed: unknown = JSON.parse(text);
      setBad(!isObject(parsed));
      if (isObject(parsed)) onConfig(parsed);
    } catch {
      setBad(true);
    }
  };
  return (
    <TextAreaField
      label={t.config}
      help={t.configHelp}
      error={bad ? t.configBad : undefined}
      mono
      rows={10}
      spellCheck={false}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
    />
  );
}
