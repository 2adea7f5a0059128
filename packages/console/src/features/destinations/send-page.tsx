import {
  type NotificationProvider,
  notificationOperations,
  type SendResult,
} from '@arbiter/contract/operations/notifications';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useList, useMutate } from '../../data/use-operation.ts';
import { FieldGroup, FieldGroups } from '../../forms/editing/field-group.tsx';
import { fieldsOf } from '../../forms/editing/field-spec.ts';
import { FieldInput } from '../../forms/editing/inputs/field-input.tsx';
import { useRecordForm } from '../../forms/editing/use-record-form.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { destinationTexts, sendTexts as t } from '../../messages/access/destinations.ts';
import { editingTexts } from '../../messages/lists/editing.ts';
import { settingsTexts } from '../../messages/settings.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';

const parents = [
  { title: settingsTexts.title, to: addresses.settings() },
  { title: destinationTexts.title, to: addresses.destinations() },
];
const [notification] = fieldsOf(notificationOperations.send, undefined, {
  ...{ labels: t.labels, help: t.help },
  kinds: { '/notification/sourceUrl': 'text' },
}).filter(({ name }) => name === 'notification');
const shown = ['title', 'message', 'severity', 'sourceUrl'];
const messageFields = (notification?.fields ?? []).filter(({ name }) => shown.includes(name));
const nothing = {};

/** Sends a message to destinations, and shows the result of each. */
export function SendPage() {
  const list = useList(notificationOperations.list, { query: { limit: 100 } });
  const answer = { ...list, data: list.loading ? undefined : list.rows };
  return (
    <Page title={t.title} lead={t.lead} parents={parents} width="prose">
      <Loaded answer={answer} operation={notificationOperations.list}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              title={destinationTexts.none}
              actions={<ButtonLink to={addresses.newDestination()}>{destinationTexts.make}</ButtonLink>}
            >
              {t.noneText}
            </Empty>
          ) : (
            <MessageForm destinations={rows} />
          )
        }
      </Loaded>
    </Page>
  );
}

function MessageForm({ destinations }: { readonly destinations: readonly NotificationProvider[] }) {
  const { run, busy, failure } = useMutate(notificationOperations.send);
  const form = useRecordForm({ draft: 'notification', stored: nothing, version: undefined, failure });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [results, setResults] = useState<readonly SendResult[]>([]);
  const permission = can(notificationOperations.send);
  const message = Object(form.values.notification) as Readonly<Record<string, unknown>>;
  const [title, text] = [message.title, message.message].map((value) => (typeof value === 'string' ? value : ''));
  const isEmpty = !title || !text;
  const reason = !permission.allowed
    ? editingTexts.needsRole(permission.needs)
    : chosen.size === 0
      ? t.chooseDestination
      : isEmpty
        ? t.writeMessage
        : null;
  const send = async () => {
    if (busy || reason !== null) return;
    setResults([]);
    const body = { providerIds: [...chosen], notification: { ...message, title: title ?? '', message: text ?? '' } };
    const answer = await run({ body });
    if (answer === null) return;
    setResults(answer.results);
    form.discard();
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <FieldGroups>
        <DestinationChoice {...{ destinations, chosen }} onChoose={setChosen} />
        <FieldGroup title={t.message}>
          {messageFields.map((field) => (
            <FieldInput key={field.path} form={form} field={field} optionLabels={t.severities} />
          ))}
        </FieldGroup>
      </FieldGroups>
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={notificationOperations.send} retry="submit" />
      )}
      <div className="flex justify-end">
        <Button
          kind="primary"
          submit
          busy={busy}
          disabledReason={reason}
          icon={<Send aria-hidden className="size-4" />}
        >
          {t.send}
        </Button>
      </div>
      <Results results={results} destinations={destinations} />
    </form>
  );
}

interface DestinationChoiceProps {
  readonly destinations: readonly NotificationProvider[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function DestinationChoice({ destinations, chosen, onChoose }: DestinationChoiceProps) {
  return (
    <FieldGroup title={t.destinations}>
      {destinations.map(({ id, name, kind, enabled }) => (
        <CheckField
          key={id}
          label={name}
          help={destinationTexts.kinds[kind]}
          checked={chosen.has(id)}
          disabledReason={enabled ? null : t.disabled}
          onChange={({ target }) =>
            onChoose(new Set(target.checked ? [...chosen, id] : [...chosen].filter((each) => each !== id)))
          }
        />
      ))}
    </FieldGroup>
  );
}

interface ResultsProps {
  readonly results: readonly SendResult[];
  readonly destinations: readonly NotificationProvider[];
}

function Results({ results, destinations }: ResultsProps) {
  if (results.length === 0) return null;
  return (
    <Section title={t.results} flush>
      <ul role="status" className="divide-y divide-line">
        {results.map(({ providerId, ok, error }) => (
          <li key={providerId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <span className="min-w-0 flex-1 break-words">
              {destinations.find(({ id }) => id === providerId)?.name ?? providerId}
            </span>
            <Badge tone={ok ? 'pass' : 'block'}>{ok ? destinationTexts.lastOk : destinationTexts.lastFailed}</Badge>
            {error === undefined ? null : <span className="w-full break-words text-dense text-soft">{error}</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
