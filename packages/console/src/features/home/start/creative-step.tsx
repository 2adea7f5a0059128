import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { type FormEvent, useState } from 'react';
import { can } from '../../../data/can.ts';
import { useMutate, useOperation } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { editingTexts } from '../../../messages/lists/editing.ts';
import { startTexts as t } from '../../../messages/start.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { SelectField, TextAreaField, TextField } from '../../../ui/field.tsx';

export interface CreativeStepProps {
  readonly offer: { readonly id: string; readonly name: string };
}

type NewChannel = keyof typeof t.channels;
const newChannels = Object.keys(t.channels) as NewChannel[];
const isNew = (value: string): value is NewChannel => Object.hasOwn(t.channels, value);

/** Name of the first line by channel type. Default: headline. */
const contentOf = (type: string, headline: string, body: string) => ({
  [type === 'email' ? 'subject' : type === 'push' ? 'title' : 'headline']: headline,
  body,
});

/** Creates an active creative of the offer, and its channel if there's none. */
export function CreativeStep({ offer }: CreativeStepProps) {
  const channels = useOperation(channelOperations.list, { query: { limit: 100, status: 'active' } });
  const known = channels.data?.data ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [headline, setHeadline] = useState<string>(t.headlineOf(offer.name));
  const [body, setBody] = useState<string>(t.bodyUsual);
  const channel = useMutate(channelOperations.create);
  const creative = useMutate(creativeOperations.create);
  const permission = can(creativeOperations.create);
  const value = chosen ?? known[0]?.id ?? 'web';
  const missing = newChannels.filter((type) => !known.some(({ channelType }) => channelType === type));
  const channelFor = async () => {
    if (!isNew(value)) return known.find(({ id }) => id === value) ?? null;
    return channel.run({ body: { name: t.channels[value], channelType: value } });
  };
  const save = async () => {
    const found = await channelFor();
    if (found === null) return;
    setChosen(found.id);
    await creative.run({
      body: {
        ...{ name: t.creativeName(offer.name, found.name), offerId: offer.id, channelId: found.id, status: 'active' },
        content: contentOf(found.channelType, headline, body),
      },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };
  return (
    <form noValidate onSubmit={submit} className="flex max-w-xl flex-col gap-3">
      <p className="text-soft">{t.creativeText(offer.name)}</p>
      <SelectField
        label={t.channel}
        options={[
          ...known.map(({ id, name }) => ({ value: id, label: name })),
          ...missing.map((type) => ({ value: type, label: t.newChannel(t.channels[type]) })),
        ]}
        value={value}
        onChange={({ target }) => setChosen(target.value)}
      />
      <TextField label={t.headline} value={headline} onChange={({ target }) => setHeadline(target.value)} />
      <TextAreaField label={t.body} rows={2} value={body} onChange={({ target }) => setBody(target.value)} />
      {channel.failure === null ? null : (
        <FailurePanel failure={channel.failure} operation={channelOperations.create} retry="submit" />
      )}
      {creative.failure === null ? null : (
        <FailurePanel failure={creative.failure} operation={creativeOperations.create} retry="submit" />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          submit
          busy={channel.busy || creative.busy}
          disabledReason={permission.allowed ? null : editingTexts.needsRole(permission.needs)}
        >
          {t.createCreative}
        </Button>
        <ButtonLink kind="quiet" to={addresses.newCreative({ offerId: offer.id })}>
          {t.more}
        </ButtonLink>
      </div>
    </form>
  );
}
