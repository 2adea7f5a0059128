import { recommendOperations } from '@arbiter/contract/deciding/recommendation';
import type { FormEvent } from 'react';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Outcome } from './outcome.tsx';
import { countDone, curlFor, type Done } from './progress.ts';
import { Step } from './step.tsx';
import { type FirstDecision, useFirstDecision } from './use-first-decision.ts';
import { Why } from './why.tsx';

/** Decide, see why, decide again, call it from code. Users who have done all of them see only the first two. */
export function FirstSteps({ done }: { done: Done }) {
  const { done: count, all } = countDone(done);
  const decision = useFirstDecision();
  const { answers, busy, failure, repeat } = decision;
  const [first, second] = answers;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Step number={1} title={t.decideNow} done={done.decided}>
        <DecideForm decision={decision} />
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={recommendOperations.recommend} retry={() => void repeat()} />
        )}
        {first === undefined ? null : <Outcome answer={first} />}
      </Step>
      <Step title={t.why}>
        <Why answer={first ?? null} />
      </Step>
      {count < all ? (
        <>
          <Step number={2} title={t.again} done={done.again}>
            <p className="text-soft">{t.againText}</p>
            <Button
              className="w-fit"
              busy={busy}
              disabledReason={first === undefined ? t.whyWait : null}
              onClick={() => void repeat()}
            >
              {t.askAgain}
            </Button>
            {second === undefined ? null : <Outcome answer={second} />}
          </Step>
          {/* Who can't see keys can't complete this step, so it isn't counted. */}
          <Step {...(done.called === null ? {} : { number: 3 })} title={t.code} done={done.called === true}>
            <CallFromCode decision={decision} seesKeys={done.called !== null} />
          </Step>
        </>
      ) : null}
    </div>
  );
}

/** Asks for a decision. */
export function DecideForm({
  decision: { fields, channels, busy, isReady, decide },
}: {
  readonly decision: FirstDecision;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void decide();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          className="min-w-[min(9rem,100%)] flex-1"
          label={t.customer}
          required
          value={fields.customerId}
          onChange={({ target }) => fields.setCustomer(target.value)}
        />
        <SelectField
          className="min-w-[min(9rem,100%)] flex-1"
          label={t.channel}
          placeholder={t.anyChannel}
          value={fields.channelId}
          options={channels.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={({ target }) => fields.setChannel(target.value)}
        />
        <Button kind="primary" submit busy={busy || !isReady} shortcut="⏎">
          {t.decide}
        </Button>
      </div>
      <CheckField
        label={t.recorded}
        help={t.recordedHelp}
        checked={fields.isRecorded}
        onChange={({ target }) => fields.setRecorded(target.checked)}
      />
    </form>
  );
}

interface CallFromCodeProps {
  readonly decision: FirstDecision;
  readonly seesKeys: boolean;
}

function CallFromCode({ decision: { fields, channelType }, seesKeys }: CallFromCodeProps) {
  const links = useLinks();
  const snippet = curlFor(new URL(links.href('/'), globalThis.location.href).href, {
    customerId: fields.customerId,
    ...(channelType === undefined ? {} : { channel: channelType }),
  });
  return (
    <>
      <p className="text-soft">{seesKeys ? t.codeText : t.codeTextAsk}</p>
      <pre className="rounded-card break-words whitespace-pre-wrap bg-sunken px-3 py-2 font-mono text-caption">
        {snippet}
      </pre>
      <div className="flex flex-wrap gap-2">
        <Copy text={snippet} what={t.snippet} labelled />
        {seesKeys ? (
          <ButtonLink size="small" to={addresses.apiKeys()}>
            {t.makeKey}
          </ButtonLink>
        ) : null}
      </div>
    </>
  );
}
