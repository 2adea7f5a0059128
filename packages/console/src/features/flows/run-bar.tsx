import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { flowTexts as t } from '../../messages/flows/flows.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';

export interface RunBarProps {
  readonly customer: string | undefined;
  readonly channel: string | undefined;
  readonly busy: boolean;
  readonly onRun: (customer: string | undefined, channel: string | undefined) => void;
}

/** Selects the customer whose decision the nodes show. */
export function RunBar({ customer, channel, busy, onRun }: RunBarProps) {
  const [text, setText] = useState(customer ?? '');
  const [where, setWhere] = useState(channel ?? '');
  const channels = useOperation(channelOperations.list, { query: { limit: 100, status: 'active' } });
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onRun(text.trim() === '' ? undefined : text.trim(), where === '' ? undefined : where);
      }}
    >
      <TextField
        label={t.customer}
        className="w-44 max-sm:w-full"
        placeholder="CM-000001"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField
        label={t.channel}
        className="w-40 max-sm:w-full"
        placeholder={t.anyChannel}
        options={(channels.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={where}
        onChange={(event) => setWhere(event.target.value)}
      />
      <Button submit kind="primary" busy={busy} icon={<Play aria-hidden className="size-4" />}>
        {t.run}
      </Button>
      {customer === undefined ? (
        <span className="max-w-64 self-end text-caption text-soft">
          {t.runHelp} {t.runLead}
        </span>
      ) : (
        <Button
          kind="quiet"
          onClick={() => {
            setText('');
            onRun(undefined, undefined);
          }}
        >
          {t.clear}
        </Button>
      )}
    </form>
  );
}
