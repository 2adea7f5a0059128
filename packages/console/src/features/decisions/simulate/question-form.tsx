import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { useState } from 'react';
import { useOperation } from '../../../data/use-operation.ts';
import { simulateTexts as t } from '../../../messages/simulate.ts';
import type { SearchChange } from '../../../route/use-address.ts';
import { SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { useChannels } from '../calls.ts';
import { isObject } from '../reading.ts';
import { localInstant, utcInstant } from './instants.ts';
import { type SimulateSearch, type UnsavedConfig, usualSeed, versionOf, weightNames } from './question.ts';

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
  const { channels, nameOf } = useChannels();
  const flows = useOperation(decisionFlowOperations.list, { query: { limit: 200 } });
  const [open, setOpen] = useState(false);
  const { timeZone } = useFormat().locale;
  const isRecorded = search.decision !== undefined;
  const version = search.version ?? 'published';
  const chosen =
    flows.data?.data.find(({ key }) => key === search.flow) ?? flows.data?.data.find(({ isDefault }) => isDefault);
  const numbers = (chosen?.publishedVersions ?? []).map((each) => each.version).sort((a, b) => b - a);
  const versions = [
    ...Object.entries(t.versions).map(([value, label]) => ({ value, label })),
    ...numbers.map((n) => ({ value: String(n), label: t.versionNumber(String(n)) })),
  ];
  const set = (name: keyof SimulateSearch) => (event: { target: { value: string } }) =>
    change({ [name]: event.target.value === '' ? undefined : event.target.value }, { push: true });
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
            <>
              <SelectField
                label={t.channel}
                placeholder={t.channelAny}
                value={search.channel ?? ''}
                options={[...new Set(channels.map(({ channelType }) => channelType))].map((value) => ({
                  value,
                  label: nameOf.get(value) ?? value,
                }))}
                onChange={set('channel')}
              />
              <SelectField
                label={t.flow}
                placeholder={t.flowUsual}
                value={search.flow ?? ''}
                options={(flows.data?.data ?? []).map(({ key, name }) => ({ value: key, label: name }))}
                onChange={set('flow')}
              />
              <SelectField
                label={t.version}
                value={version}
                options={versions}
                onChange={(event) =>
                  change(
                    { version: event.target.value === 'published' ? undefined : event.target.value },
                    { push: true },
                  )
                }
              />
            </>
          )}
        </div>
        {!isRecorded && versionOf(search.version) === 'unsaved' ? (
          <UnsavedField config={unsaved} usual={chosen?.draftConfig ?? null} onConfig={onUnsaved} />
        ) : null}
        <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="w-fit rounded-control py-1 text-dense text-accent-ink">{t.more}</summary>
          <div className="mt-2 grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
            {isRecorded ? null : (
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
                    ...versions.filter(({ value }) => value !== 'unsaved' && value !== version),
                  ]}
                  onChange={set('against')}
                />
              </>
            )}
            <Typed
              label={t.limit}
              type="number"
              value={search.limit === undefined ? '' : String(search.limit)}
              onCommit={(text) => change({ limit: text === '' ? undefined : Number(text) }, { push: true })}
            />
            <Typed
              label={t.seed}
              help={t.seedHelp}
              placeholder={isRecorded ? '' : usualSeed}
              value={search.seed ?? ''}
              onCommit={(text) => change({ seed: text === '' ? undefined : text }, { push: true })}
            />
          </div>
          {isRecorded ? null : (
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
          )}
        </details>
      </div>
    </Section>
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
